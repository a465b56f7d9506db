import type { Change, ChangeKind } from './changes.ts'
import { type Cursor, cursorToId } from './cursor.ts'

/**
 * Why a stream ends. The client may reconnect with the last event id that it received, and with a new token where it needs one.
 */
export type EndReason =
  | 'signed_out'
  | 'role_changed'
  | 'token_expired'
  | 'outside_groups'
  | 'hub_stopping'
  | 'hub_full'
  | 'too_slow'

const RETRY_MS = 2_000
const bytes = (text: string) => new TextEncoder().encode(text)
const event = (name: string, data: unknown, id?: string) =>
  `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`

/** The first event. With `isResumed` false earlier changes are not sent: the client reads them with GET. */
export const readyEvent = (isResumed: boolean, seen: Cursor): Uint8Array =>
  bytes(`retry: ${RETRY_MS}\n${event('ready', { resumed: isResumed }, cursorToId(seen))}`)

export const endEvent = (reason: EndReason): Uint8Array => bytes(event('end', { reason }))

/** A comment that keeps the connection open, and an id without an event, which moves the client's position forward. */
export const heartbeat = (seen: Cursor): Uint8Array => bytes(`: alive\nid: ${cursorToId(seen)}\n\n`)

/**
 * Formats changes as events. Only the last event carries the id: a client that disconnects before it receives all of them again.
 * @returns null without changes
 */
export function changeEvents(changes: readonly Change[], tooMany: readonly ChangeKind[], until: Cursor): Uint8Array | null {
  const events: [name: string, data: unknown][] = []
  const byMachine = new Map<string | null, unknown[]>()
  for (const { kind, machineId, body } of changes) {
    if (kind !== 'readings') events.push([kind, body])
    else if (byMachine.has(machineId)) byMachine.get(machineId)?.push(body)
    else byMachine.set(machineId, [body])
  }
  for (const [machine_id, readings] of byMachine) events.push(['readings', { machine_id, readings }])
  for (const of of tooMany) events.push(['reset', { of }])
  if (events.length === 0) return null
  const last = events.length - 1
  return bytes(events.map(([name, data], i) => event(name, data, i === last ? cursorToId(until) : undefined)).join(''))
}
