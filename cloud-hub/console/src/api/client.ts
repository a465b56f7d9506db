import type { components, paths } from '@haltless/client/schema'
import { queryOptions } from '@tanstack/react-query'
import createClient, { type FetchResponse, type MaybeOptionalInit } from 'openapi-fetch'
import type { PathsWithMethod } from 'openapi-typescript-helpers'
import { noteRequest } from './changes.ts'
import { ApiError, type Problem } from './error.ts'
import { patiently } from './patience.ts'
import { freshToken, refresh } from './session.ts'

export type Schemas = components['schemas']

const BASE = '/api/v1'

/**
 * Sends a request with the access token. One that the hub refuses as expired is sent once more with a new token, and one that it has no
 * room for now is sent again when it asks for that.
 */
export const authorizedFetch = (request: Request): Promise<Response> => patiently(request, fetchWithToken)

async function fetchWithToken(request: Request): Promise<Response> {
  const again = request.clone()
  const send = async (it: Request) => {
    const token = await freshToken()
    if (token) it.headers.set('authorization', `Bearer ${token.text}`)
    return fetch(it)
  }
  const response = await send(request)
  if (response.status !== 401 || !request.headers.has('authorization')) return response
  const { code } = (await response
    .clone()
    .json()
    .catch(() => ({}))) as Partial<Problem>
  if (code !== 'token_invalid') return response
  await refresh()
  return send(again)
}

/** The operations of the hub, typed by its OpenAPI document. `unwrap` turns a refusal into an ApiError. */
export const api = createClient<paths>({ baseUrl: BASE, fetch: authorizedFetch })
/** When the answer came, or none: what was read before that may be of the time before the change. */
const onEnd = ({ request, schemaPath }: { request: Request; schemaPath: string }) => noteRequest(request.method, schemaPath)
api.use({ onResponse: onEnd, onError: onEnd })

interface Answer<T> {
  data?: T
  error?: unknown
  response: Response
}

/** @throws ApiError */
export async function unwrap<T>(call: Promise<Answer<T>>): Promise<T> {
  const answer = await call.catch((error) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    if (error instanceof ApiError) throw error
    throw new ApiError(null)
  })
  if (answer.response.ok) return answer.data as T
  const problem = answer.error as Problem | undefined
  // a proxy in between answers with its own body
  throw new ApiError(typeof problem?.detail === 'string' ? problem : null, answer.response.headers.has('retry-after'))
}

type Get = PathsWithMethod<paths, 'get'>
type GetInit<P extends Get> = MaybeOptionalInit<paths[P], 'get'>
/** The argument may be left out where every parameter may. */
type InitParam<I> = undefined extends I ? [I?] : [I]
type GetData<P extends Get> = NonNullable<
  FetchResponse<paths[P]['get'] & Record<string | number, unknown>, GetInit<P>, 'application/json'>['data']
>

/** The JSON that a GET operation answers, also where it has other forms. @throws ApiError */
export const getJson = <P extends Get>(path: P, init: object): Promise<GetData<P>> =>
  unwrap(api.GET(path, init as never) as Promise<Answer<GetData<P>>>)

/** A query of one GET operation. Its key is the path and the parameters, so `[path]` names all queries of the operation. */
export function apiQuery<P extends Get>(path: P, ...[init]: InitParam<GetInit<P>>) {
  return queryOptions({
    queryKey: [path, (init as { params?: unknown } | undefined)?.params ?? {}],
    queryFn: ({ signal }) => getJson(path, { ...(init as object), signal }),
  })
}

/**
 * For what colleagues change and no event of `GET /stream` reports, such as the steps, comments and files of a work order: the query
 * is read again while its page is seen, and when somebody comes back to it.
 */
export const POLLED = { refetchInterval: 10_000, refetchOnWindowFocus: 'always' } as const
