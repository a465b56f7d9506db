import { STATUS_CODES } from 'node:http'
import { ERROR_CODES, type ErrorCode } from '../../error-codes/index.ts'
import { AppError } from '../errors.ts'
import { FieldFault } from './field-error.ts'
import { z } from './z.ts'

const codeTable = Object.entries(ERROR_CODES)
  .map(([code, { status, meaning, remedy }]) => `| \`${code}\` | ${[status].flat().join(', ')} | ${meaning} | ${remedy} |`)
  .join('\n')

const Code = z.enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]]).openapi('ErrorCode', {
  description: `Why a request was refused. Codes are stable: decide by them, not by \`title\` or \`detail\`.\n\n| code | status | meaning | remedy |\n|---|---|---|---|\n${codeTable}`,
})

/** RFC 9457, with our stable `code`, the request's id, and for 422 each fault of each field. */
export const Problem = z
  .object({
    type: z.string().describe('Always `about:blank`: `code` tells the kind of problem.'),
    title: z.string().describe('The name of the HTTP status.'),
    status: z.int().describe('The HTTP status, once more.'),
    detail: z.string().describe('A sentence for people: what is wrong with this request, and what to do.'),
    code: Code,
    request_id: z.string().describe('Identifies the request in the log of the hub; also in the `X-Request-Id` header.'),
    errors: z.array(FieldFault).optional().describe('With status 422: every field at fault.'),
    params: z
      .record(z.string(), z.union([z.string(), z.number(), z.record(z.string(), z.unknown())]))
      .optional()
      .describe(
        'What the refusal names, for texts in other languages: such as `limit` of a code that begins with `too_many_`. An object is a fault, such as `last_fault` of a source.',
      ),
    retry_after: z.int().optional().describe('With status 429: seconds until it is worth trying again, at least 1.'),
  })
  .openapi('Problem', {
    description: 'A refusal, as RFC 9457 describes problem documents.',
    example: {
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      detail: 'There is no machine 0198c7d4-5a00-7000-8000-0000f5a48bee.',
      code: 'machine_not_found',
      request_id: '0198c7d4-5a00-7000-8000-0000d2a1f4c3',
    },
  })

/** The body of a refusal; `extra` such as `errors` and `retry_after`. */
export const problemBody = (
  status: number,
  code: ErrorCode,
  detail: string,
  requestId: string,
  extra: Record<string, unknown>,
) => ({
  type: 'about:blank',
  title: STATUS_CODES[status] ?? 'Error',
  status,
  detail,
  code,
  request_id: requestId,
  ...extra,
})

/** The answer to a refusal. */
export const problemResponse = (error: AppError, requestId: string): Response =>
  new Response(JSON.stringify(problemBody(error.status, error.code, error.message, requestId, error.extra)), {
    status: error.status,
    headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store', ...error.headers },
  })

/** An internal error: the response reveals only the request id. */
export const internalError = () => new AppError(500, 'internal_error', 'The hub failed. Report the request id to its operator.')
