import type { Problem } from './error.ts'

/**
 * What the hub refuses for a moment goes on by itself: a request that it answers with 429 or 503 and `Retry-After` is sent again after that
 * time. Such an answer means that nothing was done, so changes are repeated too, but for those of `UNSURE`.
 */

/** The hub's rate limits are per minute. For a longer `Retry-After` the page shows the refusal instead of waiting. */
const LONGEST_MS = 65_000
/** A request waits no longer than this in all. */
const MAX_WAIT_MS = 120_000
/** Requests that wait for the same moment must not arrive in the same one. */
const JITTER = 0.3
const JITTER_MAX_MS = 3_000

/** Whether the change was made is unknown: only reads are repeated. */
const UNSURE = ['request_timeout', 'database_away', 'storage_away']
/** Waiting a moment does not help: the person decides what comes next. */
const NEVER_WAITED_FOR = [
  'agent_silent',
  'database_full',
  'dns_unavailable',
  'import_timeout',
  'login_locked',
  'sending_limit',
  'sso_provider_away',
  'storage_full',
  'web_push_disabled',
]
/** Changes that never wait: forms show their refusal, and a sign-out must end at once. */
const OF_FORMS = /\/auth\//

type Bucket = 'reads' | 'writes'
const bucketOf = ({ method }: Request): Bucket => (method === 'GET' ? 'reads' : 'writes')

/** After a 429 other requests of its kind would only be refused too; by the clock of this computer, in ms since 1970. */
const pausedUntil: Record<Bucket, number> = { reads: 0, writes: 0 }
/** What they would be answered. */
const refusals: Partial<Record<Bucket, Response>> = {}

const waits = new Set<number>()
const listeners = new Set<() => void>()
const changed = () => {
  for (const listener of listeners) listener()
}

/** When the last of the waiting requests is sent again, in ms since 1970; null where none waits. */
export const waitingUntil = (): number | null => (waits.size === 0 ? null : Math.max(...waits))

export function onWaitChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Changes that wait for their turn, with when they were asked for: the hub has made none of them. */
const waitingChanges = new Set<{ since: number; giveUp: AbortController }>()
const waitingSince = (since: number) => [...waitingChanges].filter((it) => it.since >= since)

/** Whether a change waits that was asked for since then. */
export const isChangeWaiting = (since: number): boolean => waitingSince(since).length > 0

/** Gives up the changes that wait and were asked for since then: they end with the refusal of the hub. @returns whether there are any */
export function giveUpChanges(since: number): boolean {
  const found = waitingSince(since)
  for (const { giveUp } of found) giveUp.abort()
  return found.length > 0
}

/** Waits before a request is sent. @returns false once it is given up */
async function waitToSend(ms: number, since: number, request: Request): Promise<boolean> {
  const change = { since, giveUp: new AbortController() }
  if (bucketOf(request) === 'writes') waitingChanges.add(change)
  try {
    await wait(ms, AbortSignal.any([request.signal, change.giveUp.signal]))
  } catch (error) {
    if (!change.giveUp.signal.aborted) throw error
  } finally {
    waitingChanges.delete(change)
    changed()
  }
  return !change.giveUp.signal.aborted
}

/** Sends a request, again and again while the hub asks for a moment. @param send is given a copy each time */
export async function patiently(request: Request, send: (copy: Request) => Promise<Response>): Promise<Response> {
  if (request.method !== 'GET' && OF_FORMS.test(new URL(request.url).pathname)) return send(request)
  const start = Date.now()
  const bucket = bucketOf(request)
  for (;;) {
    const paused = pausedUntil[bucket] - Date.now()
    if (paused > 0 && !(await waitToSend(paused, start, request))) return (refusals[bucket] as Response).clone()
    const response = await send(request.clone())
    const ms = askedWaitMs(response)
    if (ms === null || Date.now() + ms - start > MAX_WAIT_MS) return response
    const code = await codeOf(response)
    if (NEVER_WAITED_FOR.includes(code) || (bucket === 'writes' && UNSURE.includes(code))) return response
    if (code === 'rate_limited') {
      pausedUntil[bucket] = Math.max(pausedUntil[bucket], Date.now() + ms)
      refusals[bucket] = response.clone()
    }
    if (!(await waitToSend(ms, start, request))) return response
  }
}

/** How long the hub, or a proxy before it, asks to wait; null where the answer is final. */
export function askedWaitMs({ status, headers }: Response): number | null {
  if (status !== 429 && status !== 503) return null
  const ms = retryAfterMs(headers.get('retry-after'))
  return ms === null || ms > LONGEST_MS ? null : ms
}

const codeOf = async (response: Response): Promise<string> => {
  const problem: Partial<Problem> | null = await response
    .clone()
    .json()
    .catch(() => null)
  return problem?.code ?? ''
}

/** Seconds, or a date (RFC 9110, 10.2.3). */
export function retryAfterMs(text: string | null, now = Date.now()): number | null {
  if (!text) return null
  const ms = /^\d+$/.test(text.trim()) ? Number(text) * 1_000 : Date.parse(text) - now
  return Number.isNaN(ms) ? null : Math.max(1_000, ms)
}

/** Waits a little longer than `ms`, and says so in the banner of the shell. */
export async function wait(ms: number, signal?: AbortSignal): Promise<void> {
  const jittered = ms + Math.random() * Math.min(JITTER_MAX_MS, ms * JITTER)
  // two waits may end in the same moment
  let until = Date.now() + jittered
  while (waits.has(until)) until += 0.001
  waits.add(until)
  changed()
  try {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, jittered)
      const stop = () => {
        clearTimeout(timer)
        reject(new DOMException('The page no longer needs the answer.', 'AbortError'))
      }
      if (signal?.aborted) stop()
      signal?.addEventListener('abort', stop, { once: true })
    })
  } finally {
    waits.delete(until)
    changed()
  }
}
