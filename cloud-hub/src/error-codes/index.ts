import { CAPACITY_CODES } from './capacity.ts'
import { CONFLICT_CODES } from './conflict.ts'
import { IDENTITY_CODES } from './identity.ts'
import { MISSING_CODES } from './missing.ts'
import { REQUEST_CODES } from './request.ts'

/**
 * Every `code` that a problem document can carry: the vocabulary of refusals. A code without an entry does not compile, neither does one
 * with another status than it has here. Codes are never renamed or reused, because clients decide by them.
 */
export const ERROR_CODES = {
  ...REQUEST_CODES,
  ...IDENTITY_CODES,
  ...MISSING_CODES,
  ...CONFLICT_CODES,
  ...CAPACITY_CODES,
} as const

export type ErrorCode = keyof typeof ERROR_CODES
type StatusOf<Code extends ErrorCode> = (typeof ERROR_CODES)[Code]['status'] extends infer S
  ? S extends readonly (infer One)[]
    ? One
    : S
  : never

export type RefusalStatus = StatusOf<ErrorCode>
/** The codes that can be answered with a status. */
export type CodeOf<Status> = { [Code in ErrorCode]: Status extends StatusOf<Code> ? Code : never }[ErrorCode]

type Spaced<Text extends string> = Text extends `${infer A}_${infer B}` ? `${A} ${Spaced<B>}` : Text
type Named<Code> = Code extends `${infer Thing}_not_found` ? Spaced<Thing> : never
/** What a 404 can be about: `machine group` stands for `machine_group_not_found`. */
export type ResourceName = Named<ErrorCode>
