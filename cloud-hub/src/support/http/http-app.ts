import { randomUUID } from 'node:crypto'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { AppError, BadRequest, TooManyRequests, Unavailable } from '../errors.ts'
import type { Logger } from '../logger.ts'
import { TimeoutError, withTimeout } from '../timeout.ts'
import { AddressLimit } from './address-limit.ts'
import type { Incoming } from './body.ts'
import { internalError, problemResponse } from './problem.ts'

export interface HttpAppOptions {
  logger: Logger
  clientIp(socketAddress: string | undefined, headers: Headers): string
  /** whether the client came by HTTPS, to this hub or to a trusted proxy before it */
  isHttps(socketAddress: string | undefined, headers: Headers): boolean
  trustedProxies: readonly string[]
  /** maps faults, such as an unreachable database, to refusals; null for other faults */
  translate(error: unknown): AppError | null
  observe(method: string, path: string, status: number, seconds: number): void
  /** @param caller the scope of whose credential it was; undefined where that is not known */
  observeRefusal(reason: string, ip: string, path: string, caller: unknown): void
}

export interface Env {
  Bindings: {
    incoming?: Incoming & { socket: { remoteAddress?: string; destroy?(): void }; rawHeaders?: string[] }
    outgoing?: { closed: boolean; once(event: 'close', listener: () => void): unknown }
  }
  Variables: {
    requestId: string
    ip: string
    pattern: string
    /** headers that the answer gets, whatever it is; in lower case */
    answerHeaders: Record<string, string>
    hasAllHeaders?: boolean
    /** the scope of the caller, also of one that is refused */
    scope?: unknown
    /** the code of the refusal */
    refusal?: string
  }
}

/** Unfinished responses outside /api/v1 that one address may have; those paths have no other rate limit. */
const MAX_PAGES_PER_ADDRESS = 64
const UNLIMITED = new Set(['/healthz', '/readyz'])
/** RFC 6797, 6.1: one year, also for names below that of the hub */
const HSTS = 'max-age=31536000; includeSubDomains'
const POLICY = "default-src 'none'; frame-ancestors 'none'"

/** A Hono app with request ids, access log, security headers and problem+json for everything that goes wrong. */
export function createHttpApp(options: HttpAppOptions): Hono<Env> {
  const app = new Hono<Env>()
  app.use(async (c, next) => {
    const started = performance.now()
    const given = c.req.header('x-request-id')
    c.set('requestId', given && /^[A-Za-z0-9._-]{1,64}$/.test(given) ? given : randomUUID())
    c.set('ip', options.clientIp(c.env?.incoming?.socket.remoteAddress, c.req.raw.headers))
    c.set('answerHeaders', {
      'x-request-id': c.get('requestId'),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      // No page of another site embeds anything of the hub.
      'cross-origin-resource-policy': 'same-origin',
      ...(options.isHttps(c.env?.incoming?.socket.remoteAddress, c.req.raw.headers) && { 'strict-transport-security': HSTS }),
    })
    await next()
    if (!c.get('hasAllHeaders')) {
      // a refusal has the headers of its own limit
      for (const [name, value] of Object.entries(c.get('answerHeaders')))
        if (!name.startsWith('x-ratelimit-') || !c.res.headers.has(name)) c.res.headers.set(name, value)
      if (!c.res.headers.has('content-security-policy')) c.res.headers.set('content-security-policy', POLICY)
    }
    const seconds = (performance.now() - started) / 1000
    options.observe(c.req.method, c.get('pattern') ?? 'unmatched', c.res.status, seconds)
    const refusal = c.get('refusal')
    if (c.res.status === 401 || c.res.status === 403 || refusal === 'login_locked')
      options.observeRefusal(refusal ?? 'page_refused', c.get('ip'), c.get('pattern') ?? 'unmatched', c.get('scope'))
    const line = {
      request_id: c.get('requestId'),
      method: c.req.method,
      path: loggedPath(c.req.path),
      status: c.res.status,
      ms: Math.round(seconds * 1000),
      ip: c.get('ip'),
    }
    if (c.res.status >= 500) options.logger.warn(line, 'request failed')
    else options.logger.debug(line, 'request')
  })
  app.use(async (c, next) => {
    if (countHeader('host', c.env?.incoming?.rawHeaders) > 1)
      throw new BadRequest('duplicate_host', 'The request has more than one Host header; send one.')
    await next()
  })
  limitPages(app, options.trustedProxies)
  app.onError((error, c) => {
    const known = error instanceof AppError ? error : error instanceof TimeoutError ? tooSlow() : options.translate(error)
    if (!known)
      options.logger.error({ err: error, request_id: c.get('requestId'), path: loggedPath(c.req.path) }, 'request faulted')
    const refusal = known ?? internalError()
    c.set('refusal', refusal.code)
    return problemResponse(refusal, c.get('requestId'))
  })
  return app
}

/** An answer in JSON, maybe compressed, with all its headers: a plain object of them costs a tenth of what a `Headers` does, and most answers are these. */
export function jsonAnswer(
  c: Context<Env>,
  status: number,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Response {
  const answer = new Response(body, {
    status,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'content-security-policy': POLICY,
      ...headers,
      ...c.get('answerHeaders'),
    },
  })
  c.set('hasAllHeaders', true)
  return answer
}

/** The path for the log: that of a calendar contains its token, also where it is written wrongly; other credentials do not belong there. */
const loggedPath = (path: string) => path.replace(/(?<=\/(?:calendars|verify)\/).+|(?<![a-z])h[cekt]_.+/i, '***')

/** Limits unfinished responses per address outside /api/v1, where no caller is identified. Health checks always pass. */
function limitPages(app: Hono<Env>, trustedProxies: readonly string[]): void {
  const open = new AddressLimit(MAX_PAGES_PER_ADDRESS, trustedProxies)
  app.use(async (c, next) => {
    if (c.req.path.startsWith('/api/v1/') || UNLIMITED.has(c.req.path)) return next()
    const release = open.acquire(c.get('ip'))
    if (!release)
      throw new TooManyRequests(
        'too_many_open',
        `At most ${MAX_PAGES_PER_ADDRESS} requests at once; read their responses first.`,
        1,
      )
    const { outgoing } = c.env ?? {}
    try {
      await next()
    } finally {
      // A response counts until the client has read it.
      if (!outgoing || outgoing.closed) release()
      else outgoing.once('close', release)
    }
  })
}

/** Limits the time of a page that reads, as `mountRoutes` does for operations: the response is 503 afterwards. */
export const limitTime =
  (seconds: number): MiddlewareHandler<Env> =>
  (_, next) =>
    withTimeout(seconds * 1_000, next())

/** How often a header occurs; Node keeps only the first of some repeated headers. @param raw names and values, alternating */
export function countHeader(name: string, raw: readonly string[] = []): number {
  let count = 0
  for (let i = 0; i < raw.length; i += 2) if (raw[i]?.length === name.length && raw[i]?.toLowerCase() === name) count++
  return count
}

const tooSlow = () =>
  new Unavailable(
    'request_timeout',
    'The request timed out; the change may or may not have been made. Check, then try again in a few seconds.',
  )
