import type { Fault } from '@haltless/protocol/faults'

export interface GuardedRequest {
  method?: string
  headers?: Record<string, string>
  body?: string | Uint8Array
  signal?: AbortSignal
  timeoutMs?: number
  /**
   * an existing connection of this owner to the same origin may be reused, if it was verified with the same `ca`. Only for requests
   * that may be sent twice: when the connection breaks, the request is sent again on a new one
   */
  owner?: string
  /** connects at once and sends the request when this resolves; when it rejects, the call is aborted and nothing was sent */
  after?: Promise<unknown>
  /** PEM of certificate authorities that are trusted for this request, in addition to the system's */
  ca?: string
  /** of the answer's body; default: that of the client */
  maxResponseBytes?: number
  /** an incomplete body is a failure. Otherwise the status is the result, and a long or slow body is cut */
  wholeBody?: boolean
}

/** Any status, including 3xx: redirects are not followed. */
export interface Answer {
  ok: true
  status: number
  /** lower-case names */
  headers: Record<string, string>
  /** each Set-Cookie header: `headers` joins them, though a date in one contains a comma */
  setCookies: string[]
  body: string
  /** the body was longer than what was read */
  cut: boolean
  /** from Retry-After, as seconds from now */
  retryAfterSeconds?: number
  /** the connection of the owner broke, and the request was sent again */
  isRepeated?: boolean
}

export interface Failure {
  ok: false
  reason: 'blocked' | 'timeout' | 'unreachable' | 'tls' | 'too_large' | 'aborted'
  /** why there is no answer; its `detail` is for a person */
  fault: Fault
  /** the request was sent, so the target may have acted on it */
  mayHaveArrived: boolean
  /** as in an answer */
  isRepeated?: boolean
}
