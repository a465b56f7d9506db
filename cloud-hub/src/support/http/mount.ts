import { createHash } from 'node:crypto'
import type { Context, Hono } from 'hono'
import type { ResourceName } from '../../error-codes/index.ts'
import { AppError, fieldError, NotFound, TooManyRequests, Unavailable, Unprocessable } from '../errors.ts'
import { withTimeout } from '../timeout.ts'
import type { Access } from './access.ts'
import { readJson, validate } from './body.ts'
import { clientOf } from './client-ip.ts'
import { AnswerCompressor, compressResponse, mayCompress } from './compress.ts'
import { deprecationHeaders } from './deprecation.ts'
import { type Env, type HttpAppOptions, jsonAnswer } from './http-app.ts'
import {
  contentOf,
  idempotencyKeyOf,
  type KeyedAnswer,
  type KeyedRequest,
  type OnceDone,
  takesIdempotencyKey,
} from './idempotency.ts'
import { problemResponse } from './problem.ts'
import { limitHeaders, type RateDecision } from './rate-limit.ts'
import { type Caller, type Confined, type Once, type RateBucket, type Route, type SharedRead, statusOf } from './route.ts'
import { readUpload, type UploadedFile } from './upload.ts'
import { z } from './z.ts'

/** The result of authentication. `subject` is the key of the rate limit; `refusal` is sent after the rate limit check. */
export interface Identity<Scope> {
  subject: string
  /** of the caller, also where its credential is refused */
  scope?: Scope
  refusal?: AppError
  /** sent for all but operations with `worksWithoutMfa` */
  restriction?: AppError
  /** the tenant's tier, for the tier scheme */
  tier?: string
  /** what `read` found; absent when nothing was read */
  found?: unknown
  /**
   * of a credential that may not name everything: throws Forbidden, or returns the query to go on with. An operation with `load` reads confined
   * by itself.
   */
  confine?: (asked: Confined) => Promise<unknown>
  /** the error with which `read` failed, for a subject that is known nevertheless */
  fault?: unknown
}

/** What a request asks for. */
export interface AskedFor {
  access: Access
  /** absent where no operation has the path */
  spec?: Route['spec']
}

export interface MountOptions<Scope> extends HttpAppOptions {
  /** @param read what a signed-in user wants, read in the transaction that checks the session */
  identify(asked: AskedFor, headers: Headers, ip: string, requestId: string, read?: SharedRead): Promise<Identity<Scope>>
  limit(identity: Pick<Identity<Scope>, 'subject' | 'tier'>, bucket: RateBucket): RateDecision | Promise<RateDecision>
  /** whether `limit` would refuse a subject now, as far as this process knows; counts nothing */
  isLimited(subject: string, bucket: RateBucket): boolean
  /** does a request with an `Idempotency-Key`, or answers what was answered before */
  runOnce(scope: Scope, request: KeyedRequest, work: (scope: Scope) => Promise<KeyedAnswer>): Promise<OnceDone>
  /** time limit of a request without the time for receiving its body; afterwards the response is 503 */
  requestSeconds: number
  /** tests: check every answer against its declared shape */
  checkAnswers?: boolean
}

const DEFAULT_MAX_BODY = 1_048_576
/** Maximum of requests in progress. It includes requests that timed out while their work goes on, so it bounds memory. */
const MAX_UNDER_WAY = 2_000
/**
 * Mounts operations under /api/v1, literal paths before parameters. Checks run in this order: 429, 401, 403, 404 of path ids,
 * then 400, 415 and 422.
 */
export function mountRoutes<Scope>(app: Hono<Env>, routes: readonly Route<Scope>[], options: MountOptions<Scope>): void {
  let underWay = 0
  /** remembers the caller, for what observes refusals */
  const identifyFor =
    (c: Context<Env>): MountOptions<Scope>['identify'] =>
    async (...given) => {
      const identity = await options.identify(...given)
      c.set('scope', identity.scope)
      return identity
    }
  const compressor = new AnswerCompressor()
  const literalFirst = [...routes].sort((a, b) => (sortKey(a.spec.path) < sortKey(b.spec.path) ? -1 : 1))
  for (const route of literalFirst) {
    const path = `/api/v1${route.spec.path.replace(/\{(\w+)\}/g, ':$1')}`
    app.on(route.spec.method.toUpperCase(), path, async (c) => {
      c.set('pattern', route.spec.path)
      const headers = c.get('answerHeaders')
      let status = statusOf(route.spec)
      const caller: Caller = {
        requestId: c.get('requestId'),
        ip: c.get('ip'),
        headers: c.req.raw.headers,
        setHeader: (name, value) => {
          headers[name] = value
        },
        setStatus: (other) => {
          status = other
        },
        destroySocket: () => c.env?.incoming?.socket.destroy?.(),
      }
      if (route.spec.deprecated) Object.assign(headers, deprecationHeaders(route.spec.deprecated))
      const bucket = route.spec.bucket ?? (c.req.method === 'GET' || c.req.method === 'HEAD' ? 'reads' : 'writes')
      if (underWay >= MAX_UNDER_WAY)
        throw new Unavailable('hub_busy', 'The hub is processing too many requests; try again in a few seconds.')
      let left = Math.max(options.requestSeconds, route.spec.seconds ?? 0) * 1_000
      /** runs a step within the time that the request has left */
      const inTime = async <T>(work: () => T | Promise<T>): Promise<T> => {
        const started = performance.now()
        const doing = (async () => work())()
        underWay++
        doing.catch(() => {}).finally(() => underWay--)
        const result = await withTimeout(Math.max(left, 1), doing)
        left -= performance.now() - started
        return result
      }
      const { scope, params, query, found, confine } = await admit(
        route,
        c.req,
        inTime,
        (read, counts = true) =>
          authorize(
            { access: route.spec.access, spec: route.spec },
            counts ? bucket : null,
            caller,
            { ...options, identify: identifyFor(c) },
            read,
          ),
        (subject) => !options.isLimited(subject, bucket),
      )
      const json =
        route.spec.body &&
        (route.spec.isBodyOptional && !hasBody(c.req.raw.headers)
          ? {}
          : await readJson(c.req.raw, route.spec.maxBodyBytes ?? DEFAULT_MAX_BODY, c.env?.incoming))
      const body = route.spec.body && validate(route.spec.body, json, 'body', !route.spec.checksOwnText)
      const upload = route.spec.upload
      const file = (
        upload && !upload.isStreamed ? await readUpload(c.req.raw, upload.field, upload.maxBytes) : undefined
      ) as UploadedFile
      const confined = confine ? await inTime(() => confine({ params, query, body, found })) : query
      const key = takesIdempotencyKey(route.spec) ? idempotencyKeyOf(caller.headers) : null
      const once: Once<Scope> = async (sent, work) => {
        if (key === null) return work(scope)
        const seconds = Math.max(options.requestSeconds, route.spec.seconds ?? 0)
        const request = { key, content: contentOf(c.req.raw, sent), seconds, callsOut: route.spec.callsOut === true }
        let result: unknown
        const { answer, isReplay } = await options.runOnce(scope, request, async (own) => {
          result = await work(own)
          return { status, body: route.spec.returns === null ? null : JSON.stringify(result) }
        })
        if (isReplay) {
          status = answer.status
          caller.setHeader('idempotent-replayed', 'true')
          result = JSON.parse(answer.body ?? 'null')
        }
        return result as Awaited<ReturnType<typeof work>>
      }
      const input = { params, query: confined, body, file, found, caller, once, request: c.req.raw }
      // `load` has done what takes time: its handler only presents what was found
      const handle = () =>
        key === null || route.spec.upload?.isStreamed
          ? route.handle({ ...input, scope })
          : once(sentOf(json, file), (own) => route.handle({ ...input, scope: own }))
      const result = await (route.load ? handle() : inTime(handle))
      if (result instanceof Response) {
        // HEAD sends no body.
        const isHead = c.req.method === 'HEAD'
        if (isHead) await result.body?.cancel()
        return mayCompress(route.spec) ? compressResponse(result, caller.headers, isHead) : result
      }
      if (route.spec.returns === null) return new Response(null, { status })
      const answer = options.checkAnswers ? route.spec.returns.parse(result) : result
      const text = JSON.stringify(answer)
      if (!mayCompress(route.spec)) return jsonAnswer(c, status, text)
      const compressed = await compressor.ofText(text, caller.headers, c.req.method === 'HEAD')
      return jsonAnswer(c, status, compressed.body, compressed.headers)
    })
  }
  mountElsewhere(app, routes, options)
}

/**
 * Checks a request up to its query, in the order of refusals, and loads what its handler needs. An operation with `load` reads together
 * with the check of the session, so what is wrong with the request is known before, and said after it.
 * @param isWanted whether to read for a subject: not when the rate limit is going to refuse it
 */
async function admit<Scope>(
  route: Route<Scope>,
  request: { url: string; param(): unknown },
  inTime: <T>(work: () => T | Promise<T>) => Promise<T>,
  authorized: (read?: SharedRead, counts?: boolean) => Promise<Identity<Scope>>,
  isWanted: (subject: string) => boolean,
): Promise<{ scope: Scope; params: unknown; query: unknown; found: unknown; confine?: Identity<Scope>['confine'] }> {
  const checkedParams = () => checkParams(route, request.param() as Record<string, string>)
  const checkedQuery = () => checkQuery(route, request.url)
  const { load } = route
  if (!load) {
    const identity = await inTime(() => authorized())
    const scope = identity.scope as Scope
    const params = checkedParams()
    const found = route.find && (await inTime(() => route.find?.(scope, params)))
    return { scope, params, query: checkedQuery(), found, ...(identity.confine && { confine: identity.confine }) }
  }
  const { input, refusal } = attempt(() => ({ params: checkedParams(), query: checkedQuery() }))
  let identity = await inTime(() => authorized(input && { load, input, isWanted }))
  if (!input) throw refusal
  // it was not wanted a moment ago, and now the limit allows it
  if (!('found' in identity || 'fault' in identity))
    identity = await inTime(() => authorized({ load, input, isWanted: () => true }, false))
  if ('fault' in identity) throw identity.fault
  return { scope: identity.scope as Scope, ...input, found: identity.found }
}

function attempt<T>(check: () => T): { input?: T; refusal?: unknown } {
  try {
    return { input: check() }
  } catch (refusal) {
    return { refusal }
  }
}

function checkQuery({ spec }: Route, url: string): unknown {
  if (!spec.query) return undefined
  const params = new URL(url).searchParams
  const known = spec.query instanceof z.ZodObject ? Object.keys(spec.query.shape) : [...params.keys()]
  const repeated = known.filter((name) => !spec.queryLists?.includes(name) && params.getAll(name).length > 1)
  if (repeated.length > 0) throw new Unprocessable(repeated.map((name) => fieldError(`query.${name}`, 'repeated')))
  return validate(spec.query, queryOf(params, spec.queryLists), 'query')
}

function queryOf(params: URLSearchParams, lists: readonly string[] = []): Record<string, unknown> {
  const all: Record<string, unknown> = Object.fromEntries(params)
  for (const name of lists) if (params.has(name)) all[name] = params.getAll(name).flatMap((value) => value.split(','))
  return all
}

/**
 * Checks the rate limit (429), then authentication and role (401, 403). It sets the rate-limit headers on every response.
 * @param bucket null: the request does not count, because it has been counted before
 */
async function authorize<Scope>(
  asked: AskedFor,
  bucket: RateBucket | null,
  caller: Caller,
  options: MountOptions<Scope>,
  read?: SharedRead,
): Promise<Identity<Scope>> {
  const identity = await options
    .identify(asked, caller.headers, caller.ip, caller.requestId, read)
    .catch((error: unknown): Identity<Scope> => {
      // When authentication fails for a technical reason, the request counts for its address.
      const refusal = options.translate(error)
      if (!refusal) throw error
      return { subject: `ip:${clientOf(caller.ip)}`, refusal }
    })
  if (bucket !== null) checkLimit(await options.limit(identity, bucket), caller)
  if (identity.restriction && !asked.spec?.worksWithoutMfa) throw identity.restriction
  if (identity.refusal) throw identity.refusal
  return identity
}

/** What tells the body of a request from others. */
const sentOf = (json: unknown, file: UploadedFile | undefined) => [
  json,
  file && [file.name, createHash('sha256').update(file.bytes).digest('hex')],
]

/** Whether a request brings a body, by its headers; clients that send none may name a type nevertheless. */
const hasBody = (headers: Headers): boolean => headers.has('content-type') && headers.get('content-length') !== '0'

/** @throws TooManyRequests */
function checkLimit(decision: RateDecision, caller: Caller): void {
  for (const [name, value] of Object.entries(limitHeaders(decision))) caller.setHeader(name, value)
  if (decision.ok) return
  throw new TooManyRequests(
    'rate_limited',
    `At most ${decision.limit} requests a minute; try again in ${decision.retryAfter} s.`,
    decision.retryAfter,
  )
}

/** A malformed path id names no resource: 404 instead of 422. */
function checkParams(route: Route, raw: Record<string, string>): unknown {
  if (!route.spec.params) return undefined
  const parsed = route.spec.params.safeParse(raw)
  if (parsed.success) return parsed.data
  throw new NotFound((/^no such (.+)$/.exec(parsed.error.issues[0]?.message ?? '')?.[1] ?? 'resource') as ResourceName)
}

/** Answers other requests under /api/v1: 405 with Allow for a known path, 404 otherwise. Both count against the rate limit. */
function mountElsewhere<Scope>(app: Hono<Env>, routes: readonly Route<Scope>[], options: MountOptions<Scope>): void {
  const patterns = new Map<string, { matches: RegExp; methods: Set<string> }>()
  for (const { spec } of routes) {
    const shape = spec.path.replace(/\{\w+\}/g, '{}')
    const found = patterns.get(shape) ?? {
      matches: new RegExp(`^/api/v1${shape.replaceAll('{}', '[^/]+')}$`),
      methods: new Set<string>(),
    }
    found.methods.add(spec.method.toUpperCase())
    if (spec.method === 'get') found.methods.add('HEAD')
    patterns.set(shape, found)
  }
  app.all('/api/v1/*', async (c) => {
    const headers = c.get('answerHeaders')
    const caller: Caller = {
      requestId: c.get('requestId'),
      ip: c.get('ip'),
      headers: c.req.raw.headers,
      setHeader: (name, value) => {
        headers[name] = value
      },
      setStatus: () => {},
      destroySocket: () => {},
    }
    await authorize({ access: 'none' }, ['GET', 'HEAD', 'OPTIONS'].includes(c.req.method) ? 'reads' : 'writes', caller, options)
    const methods = [...patterns.values()].filter((p) => p.matches.test(c.req.path)).flatMap((p) => [...p.methods])
    if (methods.length === 0)
      throw new AppError(404, 'path_not_found', `There is no ${c.req.path}; GET /api/v1/openapi.json lists all paths.`)
    const allow = [...new Set(methods), 'OPTIONS'].join(', ')
    if (c.req.method === 'OPTIONS') return new Response(null, { status: 204, headers: { allow } })
    throw new AppError(405, 'method_not_allowed', `${c.req.method} is not allowed here; use ${allow}.`, {}, { allow })
  })
  app.notFound((c) => problemResponse(new AppError(404, 'path_not_found', `There is no ${c.req.path}.`), c.get('requestId')))
}

/** Parameters sort after literals at the same depth. */
const sortKey = (path: string) => path.replace(/\{\w+\}/g, '\u{10ffff}')
