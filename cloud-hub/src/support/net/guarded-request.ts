export interface GuardedRequest {
  method?: string
  headers?: Record<string, string>
  body?: string | Uint8Array
  signal?: AbortSignal
  timeoutMs?: number
  /**
   * a connection that was made for this owner to the same origin a moment ago may be used again. Only for what may be sent twice: should it have
   * broken meanwhile, the request goes out once more on a new one
   */
  owner?: string
  /** the connection is made at once, the request goes out when this resolves; when it rejects the call is given up and nothing was sent */
  after?: Promise<unknown>
  /** the body matters: an incomplete one is a failure. Else the status is the answer, and a body too long or too slow is cut */
  wholeBody?: boolean
}

/** Any status, 3xx included: no redirect is followed. */
export interface Answer {
  ok: true
  status: number
  /** lower-case names */
  headers: Record<string, string>
  body: string
  /** the body went on, and was not read */
  cut: boolean
  /** from Retry-After, as seconds from now */
  retryAfterSeconds?: number
}

export interface Failure {
  ok: false
  reason: 'blocked' | 'timeout' | 'unreachable' | 'tls' | 'too_large' | 'aborted'
  /** for a person */
  message: string
  /** the request was on its way: the other side may have acted on it */
  mayHaveArrived: boolean
}
