import type { ErrorCode } from '../../error-codes/index.ts'
import { fieldError, Unprocessable } from '../errors.ts'
import type { Route } from './route.ts'
import { z } from './z.ts'

/** For the document: the header of operations that are done once, however often they are sent. */
export const IdempotencyKey = z.object({
  'Idempotency-Key': z.string().optional().openapi({
    minLength: 1,
    maxLength: 255,
    description:
      'A text that you choose for this request, such as a random UUID. Sent again with the same key, path and body within 24 hours, the request is not done again: it gets the answer of the first time, with `Idempotent-Replayed: true`. Refusals are not stored: the key is free again.',
  }),
})

/** For the document: the header of a repeated answer. */
export const REPLAYED_HEADER = {
  'Idempotent-Replayed': '`true`: the answer of an earlier request with the same `Idempotency-Key`; nothing was done again.',
}

/** The refusals of a key, by status. */
export const IDEMPOTENCY_CODES: readonly (readonly [string, readonly ErrorCode[]])[] = [
  ['409', ['idempotency_key_in_use', 'idempotency_outcome_unknown', 'idempotency_answer_too_large', 'tenant_limit']],
  ['422', ['idempotency_key_reused', 'validation_failed']],
  ['429', ['too_many_idempotency_keys']],
]

/**
 * Whether an operation takes an `Idempotency-Key`: a signed-in POST that changes something, and whose answer may be stored. Readings have keys
 * of their own.
 */
export const takesIdempotencyKey = ({ method, access, bucket, holdsSecrets, isTrial }: Route['spec']): boolean =>
  method === 'post' && ['any', 'operator', 'admin', 'key'].includes(access) && bucket !== 'ingest' && !holdsSecrets && !isTrial

/** A request with a key. */
export interface KeyedRequest {
  key: string
  /** what tells it from others, see `contentOf`; it may hold passwords */
  content: string
  /** for how long an attempt may be under way */
  seconds: number
  /** it has effects outside of the database: see `RouteSpec` */
  callsOut: boolean
}

/** An answer as it is stored. */
export interface KeyedAnswer {
  status: number
  /** JSON; null: no body */
  body: string | null
}

/** What became of a request with a key. */
export interface OnceDone {
  answer: KeyedAnswer
  /** the answer is that of an earlier request */
  isReplay: boolean
}

/** The key of a request; null: it has none. @throws Unprocessable */
export function idempotencyKeyOf(headers: Headers): string | null {
  const key = headers.get('idempotency-key')
  if (key === null || /^[\x21-\x7e]{1,255}$/.test(key)) return key
  throw new Unprocessable([
    fieldError('header.idempotency-key', 'invalid', { message: 'must be 1 to 255 visible ASCII characters, without blanks' }),
  ])
}

/**
 * What tells a request from others: method, path, query and body, whatever the order of parameters and fields. The body counts as it was sent, not as it
 * was understood: hubs of the next version understand it otherwise.
 * @param body JSON, or what identifies a file
 */
export function contentOf({ method, url }: Pick<Request, 'method' | 'url'>, body: unknown): string {
  const { pathname, searchParams } = new URL(url)
  searchParams.sort()
  return JSON.stringify([method, pathname, searchParams.toString(), body], (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
}
