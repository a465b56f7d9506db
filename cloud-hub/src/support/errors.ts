import { type FieldErrorCode, type FieldMessage, fieldMessage, type MessageDetails } from '../error-codes/field-messages.ts'
import type { CodeOf, ErrorCode, RefusalStatus, ResourceName } from '../error-codes/index.ts'

/** One validation error of one field; `path` is like `body.config.url`. */
export interface FieldError extends FieldMessage {
  path: string
}

/** Such as `fieldError('body.limit', 'at_most', { limit: 500 })`. @see fieldMessage */
export const fieldError = <Code extends FieldErrorCode>(
  path: string,
  code: Code,
  ...details: MessageDetails<Code>
): FieldError => ({
  path,
  ...fieldMessage(code, ...details),
})

/** What a refusal names beside its code, such as `{ limit: 100 }`. An object is a fault, such as that of a source. */
type Params = Record<string, string | number | object>

/** A row of a file that is not imported. `reason` says the same as `faults`; their path is a column, or empty for the row. */
export interface RowError {
  row: number
  reason: string
  faults: FieldError[]
}
export const rowError = (row: number, faults: FieldError[]): RowError => ({
  row,
  reason: faults.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; '),
  faults,
})

/**
 * An error that a caller can cause. `support/http/problem.ts` maps it to an `application/problem+json` response. `code` is one of
 * `ERROR_CODES`; `detail` is a sentence that tells a person what to do.
 */
export class AppError<Status extends RefusalStatus = RefusalStatus> extends Error {
  readonly status: RefusalStatus
  readonly code: ErrorCode
  readonly headers: Record<string, string>
  readonly extra: Record<string, unknown>

  constructor(
    status: Status,
    code: CodeOf<Status>,
    detail: string,
    extra: Record<string, unknown> = {},
    headers: Record<string, string> = {},
  ) {
    super(detail)
    this.name = new.target.name
    this.status = status
    this.code = code
    this.extra = extra
    this.headers = headers
  }
}

/** 400: the request itself could not be read. */
export class BadRequest extends AppError<400> {
  constructor(code: CodeOf<400>, detail: string) {
    super(400, code, detail)
  }
}

/** 401: the credential is missing, wrong, expired or revoked. */
export class Unauthenticated extends AppError<401> {
  constructor(code: CodeOf<401>, detail: string, scheme: 'Bearer' | 'ApiKey' = 'Bearer') {
    super(401, code, detail, {}, { 'www-authenticate': scheme })
  }
}

/** 403: the caller is authenticated but not allowed. */
export class Forbidden extends AppError<403> {
  constructor(code: CodeOf<403>, detail: string, params?: Params) {
    super(403, code, detail, params ? { params } : {})
  }
}

/** 404: the tenant has no such resource. `thing` `machine` gives the code `machine_not_found`. */
export class NotFound extends AppError<404> {
  constructor(thing: ResourceName, id?: string) {
    super(
      404,
      `${thing.replaceAll(' ', '_')}_not_found` as CodeOf<404>,
      id ? `There is no ${thing} ${id}.` : `There is no such ${thing}.`,
    )
  }
}

/** 409: the state of the resource or a unique constraint forbids the change. */
export class Conflict extends AppError<409> {
  constructor(code: CodeOf<409>, detail: string, params?: Params) {
    super(409, code, detail, params ? { params } : {})
  }
}

/** 412: the record has another version than `If-Match` names. */
export class PreconditionFailed extends AppError<412> {
  constructor(detail: string) {
    super(412, 'changed_meanwhile', detail)
  }
}

/** 413: the body is larger than this operation accepts. */
export class PayloadTooLarge extends AppError<413> {
  constructor(maxBytes: number) {
    super(413, 'payload_too_large', `The body may have at most ${maxBytes} bytes.`, { params: { bytes: maxBytes } })
  }
}

/** 415: this operation does not read bodies of this media type. */
export class UnsupportedMediaType extends AppError<415> {
  constructor(detail: string) {
    super(415, 'unsupported_media_type', detail)
  }
}

/** 422: fields are invalid or out of range; `errors` lists each of them. */
export class Unprocessable extends AppError<422> {
  constructor(errors: FieldError[], code: CodeOf<422> = 'validation_failed') {
    const first = errors[0]
    super(422, code, first ? `${first.path}: ${first.message}` : 'The request is not valid.', { errors })
  }
}

/** 429: rate limit or login lockout. `retryAfterSeconds` is at least 1. */
export class TooManyRequests extends AppError<429> {
  constructor(
    code: CodeOf<429>,
    detail: string,
    retryAfterSeconds: number,
    headers: Record<string, string> = {},
    params?: Params,
  ) {
    const seconds = Math.max(1, Math.ceil(retryAfterSeconds))
    super(
      429,
      code,
      detail,
      { retry_after: seconds, ...(params ? { params } : {}) },
      { 'retry-after': String(seconds), ...headers },
    )
  }
}

/** 503: a dependency of the hub is unavailable; a retry makes sense. */
export class Unavailable extends AppError<503> {
  constructor(code: CodeOf<503>, detail: string, retryAfterSeconds = 5) {
    super(503, code, detail, {}, { 'retry-after': String(retryAfterSeconds) })
  }
}

/** An error that the operator of the hub can fix. `message` is for a terminal and says how. */
export class OperatorError extends Error {
  constructor(message: string) {
    super(message)
    this.name = new.target.name
  }
}
