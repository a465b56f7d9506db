import type { Change, Kind } from './changes.ts'
import { type Cursor, idOf } from './cursor.ts'

/** Why a stream ends; the client may come back with what it saw last, and a new token where it needs one. */
export type EndReason = 'signed_out' | 'role_changed' | 'token_expired' | 'hub_stopping' | 'too_slow'

const RETRY_MS = 2_000
const bytes = (text: string) => new TextEncoder().encode(text)
const event = (name: string, data: unknown, id?: string) =>
  `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`

/** The first event. `isResumed` false: what happened before is not told, read it with GET. */
export const readyEvent = (isResumed: boolean, seen: Cursor): Uint8Array =>
  bytes(`retry: ${RETRY_MS}\n${event('ready', { resumed: isResumed }, idOf(seen))}`)

export const endEvent = (reason: EndReason): Uint8Array => bytes(event('end', { reason }))

/** A comment that keeps the connection open, and an id without an event: what was looked through need not be looked through again. */
export const heartbeat = (seen: Cursor): Uint8Array => bytes(`: alive\nid: ${idOf(seen)}\n\n`)

/**
 * Changes as events, only the last of which carries the id: who loses the connection in the middle is told all of them again.
 * @returns null when there is nothing to tell
 */
export function changeEvents(changes: readonly Change[], tooMany: readonly Kind[], until: Cursor): Uint8Array | null {
  const events: [name: string, data: unknown][] = []
  const byMachine = new Map<string, unknown[]>()
  for (const { kind, machineId, body } of changes) {
    if (kind !== 'readings') events.push([kind, body])
    else if (byMachine.has(machineId)) byMachine.get(machineId)?.push(body)
    else byMachine.set(machineId, [body])
  }
  for (const [machine_id, readings] of byMachine) events.push(['readings', { machine_id, readings }])
  for (const of of tooMany) events.push(['reset', { of }])
  if (events.length === 0) return null
  const last = events.length - 1
  return bytes(events.map(([name, data], i) => event(name, data, i === last ? idOf(until) : undefined)).join(''))
}
