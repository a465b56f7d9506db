import { STATUS_CODES } from 'node:http'
import { AppError } from '../errors.ts'
import { z } from './z.ts'

/** RFC 9457, with our stable `code`, the request's id, and for 422 each fault of each field. */
export const Problem = z
  .object({
    type: z.string().openapi({ example: 'about:blank' }),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string(),
    request_id: z.string(),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    retry_after: z.int().optional(),
  })
  .openapi('Problem')

/** The answer to a refusal. */
export function problemResponse(error: AppError, requestId: string): Response {
  const body = {
    type: 'about:blank',
    title: STATUS_CODES[error.status] ?? 'Error',
    status: error.status,
    detail: error.message,
    code: error.code,
    request_id: requestId,
    ...error.extra,
  }
  return new Response(JSON.stringify(body), {
    status: error.status,
    headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store', ...error.headers },
  })
}

/** A fault of ours: the caller learns nothing but the request's id. */
export const internalError = () =>
  new AppError(500, 'internal_error', 'Something failed on our side. Quote the request id when you report it.')
