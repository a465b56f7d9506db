import type { components, paths } from './schema.d.ts'

export type Schemas = components['schemas']
export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** The paths that have a method, below `/api/v1`, with `{name}` for ids. */
export type PathFor<M extends Method> = { [P in keyof paths]: paths[P][M] extends undefined ? never : P }[keyof paths]

type Operation<P extends keyof paths, M extends Method> = paths[P][M]
type Parameters<O> = O extends { parameters: infer All } ? All : never
type Part<O, Name extends 'path' | 'query'> =
  Parameters<O> extends { [N in Name]?: infer Values } ? Exclude<Values, undefined> : never

type Content<R> = R extends { content: { 'application/json': infer Body } } ? Body : undefined
type Success = 200 | 201 | 202 | 204 | 207

/** What a call answers; undefined without a body. */
export type AnswerOf<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { responses: infer R } ? { [S in keyof R]: S extends Success ? Content<R[S]> : never }[keyof R] : never

type BodyOf<O> = O extends { requestBody?: infer Body }
  ? Exclude<Body, undefined> extends { content: infer C }
    ? C extends { 'application/json': infer Json }
      ? Json
      : C extends { 'multipart/form-data': unknown }
        ? FormData
        : never
    : never
  : never
type IsOptional<O> = O extends { requestBody: unknown } ? false : true

export interface CallOptions {
  /** ends the call and its repetitions */
  signal?: AbortSignal
  headers?: Record<string, string>
  /** of a POST: yours, to repeat the call after this program was started anew; by default a random one for each call */
  idempotencyKey?: string
}

type PathInput<O> = [Part<O, 'path'>] extends [never] ? unknown : { path: Part<O, 'path'> }
type QueryInput<O> = [Part<O, 'query'>] extends [never]
  ? unknown
  : Partial<Part<O, 'query'>> extends Part<O, 'query'>
    ? { query?: Part<O, 'query'> }
    : { query: Part<O, 'query'> }
type BodyInput<O> = [BodyOf<O>] extends [never]
  ? unknown
  : IsOptional<O> extends true
    ? { body?: BodyOf<O> }
    : { body: BodyOf<O> }

export type Input<P extends keyof paths, M extends Method> = PathInput<Operation<P, M>> &
  QueryInput<Operation<P, M>> &
  BodyInput<Operation<P, M>> &
  CallOptions

/** The input of a call, which may be left out where nothing in it is required. */
export type Arguments<P extends keyof paths, M extends Method> =
  Partial<Input<P, M>> extends Input<P, M> ? [input?: Input<P, M>] : [input: Input<P, M>]

/** The paths of lists that come in pages. */
export type PagedPath = {
  [P in PathFor<'get'>]: Part<Operation<P, 'get'>, 'query'> extends { page_size?: number | undefined } ? P : never
}[PathFor<'get'>]

/** An entry of a list that comes in pages. */
export type ItemOf<P extends PagedPath> =
  AnswerOf<P, 'get'> extends infer A ? (A extends { items: (infer I)[] } ? I : A extends (infer I)[] ? I : never) : never
