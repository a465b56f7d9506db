import type { z } from 'zod'
import type { Access, RefusalCodes } from './access.ts'
import { conditional, type VersionedRecord } from './if-match.ts'
import type { UploadedFile } from './upload.ts'

/** The rolling-minute bucket that a call counts in; by default reads for GET and HEAD, writes for the rest. */
export type RateBucket = 'reads' | 'writes' | 'ingest'

export interface Deprecation {
  since: Date
  sunset: Date
  /** the path of the operation that takes its place, as `path` of that */
  instead: string
}

export interface RouteSpec<
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Returns extends z.ZodType | null,
> {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** below /api/v1, with `{name}` for path ids */
  path: string
  /** names the operation in generated clients: a verb and what it acts on, such as `listMachines` */
  operation: string
  access: Access
  /** users who must set up their second factor first may call it */
  worksWithoutMfa?: true
  /** what the operation is filed under in the document */
  tag: string
  summary: string
  /** it goes at `sunset`, twelve months after `since` or later; its answers and the document say so */
  deprecated?: Deprecation
  /** for the document: what callers must know beyond the summary; access and rate limit are added to it */
  description: string
  /** path ids: what is not of this shape answers 404 with `{thing}_not_found` */
  params?: Params
  query?: Query
  /** query parameters that may come several times, or several values separated by commas: an array for `query`, absent when there is none */
  queryLists?: readonly string[]
  body?: Body
  /** a request without a body counts as one with `{}` */
  isBodyOptional?: true
  /** a file of a multipart form instead of a JSON body */
  upload?: {
    field: string
    maxBytes: number
    description: string
    example: string
    /** the handler reads the body from `request` as a stream, and does its work by `once` */
    isStreamed?: true
  }
  /** default 1 MB */
  maxBodyBytes?: number
  /** the handler validates text item by item: NUL and lone surrogates must not refuse the whole body */
  checksOwnText?: boolean
  bucket?: RateBucket
  /** calls other systems between its transactions, which a request with an `Idempotency-Key` therefore does not join */
  callsOut?: true
  /** it only tries, calculates or shows something: sent twice it does no harm, and takes no `Idempotency-Key` */
  isTrial?: true
  /** time limit, where it is longer than for other requests */
  seconds?: number
  /** null: no body, or a `Response` of the handler's own */
  returns: Returns
  /** for the document: media types that the handler's own `Response` can have, each with what it holds */
  media?: Record<string, { description: string; example: string }>
  /** for the document: headers of success that only this operation has, each with what it says */
  answerHeaders?: Record<string, string>
  /** the answer holds tokens, keys or their parts: it is never compressed, and never stored for an `Idempotency-Key` */
  holdsSecrets?: true
  /** default: 201 for a POST that `creates`, 204 without a body, else 200 */
  status?: number
  creates?: boolean
  /** the record that a PATCH or PUT changes: `If-Match` makes the change conditional, and is checked last */
  changes?: VersionedRecord
  /** for the document: fields that the example of the answer shows otherwise than its shape and the request do */
  shows?: Record<string, unknown>
  /** for the document: other statuses whose body is the usual one, each with when it is answered */
  alsoAnswers?: Record<number, { description: string; shows: Record<string, unknown> }>
  /** for the document: codes beyond those that access, parameters and body bring with them */
  refuses?: RefusalCodes
}

/** The client connection, beside the parsed request. */
export interface Caller {
  requestId: string
  /** the client's address, taking X-Forwarded-For into account only from trusted proxies */
  ip: string
  headers: Headers
  /** sets a header on the response, whatever its status; the name in lower case, once each */
  setHeader(name: string, value: string): void
  /** sets a status other than the operation's default */
  setStatus(status: number): void
  /** destroys the connection at once, for a response that the client does not read */
  destroySocket(): void
}

/**
 * Does the work of a request, or answers what a request with the same `Idempotency-Key` was answered before.
 * @param content what tells the body from others
 */
export type Once<Scope> = <T>(content: unknown, work: (scope: Scope) => Promise<T>) => Promise<T>

export interface HandlerInput<Scope, Params, Query, Body, Found> {
  scope: Scope
  params: Params
  query: Query
  body: Body
  /** of an operation with `upload` that is not streamed */
  file: UploadedFile
  /** its body is unread only with a streamed `upload` */
  request: Request
  /** the result of the route's `find` or `load` */
  found: Found
  /** for a streamed `upload`, whose content is known only to its handler; other handlers run within it */
  once: Once<Scope>
  caller: Caller
}

type Out<S> = S extends z.ZodType ? z.output<S> : undefined
type In<S> = S extends z.ZodType ? z.input<S> : undefined

/** What a request names, for a credential that may not name everything. */
export interface Confined {
  params: unknown
  query: unknown
  body?: unknown
  /** the result of the route's `find` */
  found?: unknown
}

/** What a request needs of a read that it shares with others, see `sharedReadFor`. */
export interface SharedRead {
  load: NonNullable<Route['load']>
  input: { params: unknown; query: unknown }
  /** false when the rate limit is going to refuse a subject: nothing is read then */
  isWanted(subject: string): boolean
}

/** An operation with its types forgotten, as the app mounts it. */
// biome-ignore lint/suspicious/noExplicitAny: the one place where the types of all operations meet
export interface Route<Scope = any> {
  // biome-ignore lint/suspicious/noExplicitAny: see above
  spec: RouteSpec<any, any, any, any>
  /** throws NotFound for a path id without a resource; runs before the body is read */
  // biome-ignore lint/suspicious/noExplicitAny: see above
  find?: (scope: Scope, params: any) => Promise<unknown>
  /** see `sharedReadFor`; in place of `find` */
  // biome-ignore lint/suspicious/noExplicitAny: see above
  load?: (reader: any, tenantId: string, inputs: readonly { params: any; query: any }[]) => Promise<readonly unknown[]>
  // biome-ignore lint/suspicious/noExplicitAny: see above
  handle: (input: HandlerInput<Scope, any, any, any, any>) => Promise<unknown>
}

/**
 * Declares an operation: access, shapes and one call. `find` runs before the body and query are validated, because 404 of path
 * ids precedes 400, 415 and 422. It throws NotFound for a path id without a resource; the handler gets its result as `found`. An
 * operation without body and query does not need it.
 */
export function routeFor<Scope>() {
  return <
    Params extends z.ZodType = z.ZodUndefined,
    Query extends z.ZodType = z.ZodUndefined,
    Body extends z.ZodType = z.ZodUndefined,
    Returns extends z.ZodType | null = null,
    Found = undefined,
  >(
    spec: RouteSpec<Params, Query, Body, Returns>,
    handle: (input: HandlerInput<Scope, Out<Params>, Out<Query>, Out<Body>, Found>) => Promise<In<Returns>>,
    find?: (scope: Scope, params: Out<Params>) => Promise<Found>,
  ): Route<Scope> => ({ spec, handle: spec.changes ? conditional(spec.changes, handle) : handle, ...(find ? { find } : {}) })
}

/**
 * Declares a frequent operation that every signed-in user may call, whose data a few quick statements load. Requests of a tenant that
 * arrive together share one transaction, which also checks their sessions.
 * @param load starts its statements at once; returns what it found for each input, in their order
 * @param handle gets that as `found`
 */
export function sharedReadFor<Scope, Reader>() {
  return <
    Params extends z.ZodType = z.ZodUndefined,
    Query extends z.ZodType = z.ZodUndefined,
    Returns extends z.ZodType | null = null,
    Found = undefined,
  >(
    spec: RouteSpec<Params, Query, z.ZodUndefined, Returns> & { method: 'get'; access: 'any' },
    load: (
      reader: Reader,
      tenantId: string,
      inputs: readonly { params: Out<Params>; query: Out<Query> }[],
    ) => Promise<readonly Found[]>,
    handle: (input: HandlerInput<Scope, Out<Params>, Out<Query>, undefined, Found>) => In<Returns>,
  ): Route<Scope> => ({ spec, load, handle: async (input) => handle(input) })
}

export const statusOf = (spec: Route['spec']): number => spec.status ?? (spec.creates ? 201 : spec.returns === null ? 204 : 200)

export const bucketOf = ({ bucket, method }: Pick<Route['spec'], 'bucket' | 'method'>): RateBucket =>
  bucket ?? (method === 'get' ? 'reads' : 'writes')
