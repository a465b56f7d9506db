import type { z } from 'zod'
import { type FieldErrorCode, type FieldMessage, fieldMessage, type MessageDetails } from '../../error-codes/field-messages.ts'

const TYPES: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  date: 'a date',
  null: 'null',
}
/** How JSON Schema names the types of zod; others have the same name. */
const JSON_TYPES: Record<string, string> = { int: 'integer', record: 'object' }

const kindOf = (value: unknown) =>
  value === null ? 'null' : Array.isArray(value) ? 'a list' : (TYPES[typeof value] ?? typeof value)

type Issue = z.core.$ZodIssue | z.core.$ZodRawIssue
type Stamped = Issue & { fault?: FieldMessage }

/** Leaves the code on the issue of zod: zod copies the properties of an issue after it has called the error map. */
function stamp(issue: Issue, found: FieldMessage): string {
  const stamped: Stamped = issue
  stamped.fault = found
  return found.message
}

/**
 * The second argument of `.regex` and `.refine`, or of a schema: values that it refuses have this code. A value that is absent is
 * `required` instead.
 */
export function invalid<Code extends FieldErrorCode>(code: Code, ...details: MessageDetails<Code>) {
  const found = fieldMessage(code, ...details)
  const error = (issue: z.core.$ZodRawIssue) =>
    stamp(issue, issue.input === undefined && issue.code !== 'custom' ? fieldMessage('required') : found)
  return { error }
}

/** An issue for `superRefine`. */
export const customIssue = <Code extends FieldErrorCode>(path: string[], code: Code, ...details: MessageDetails<Code>) => {
  const found = fieldMessage(code, ...details)
  return { code: 'custom', path, message: found.message, fault: found } as const
}

/** A number that JSON can hold: a text of 400 digits becomes infinity. */
export const finiteError = (issue: z.core.$ZodRawIssue): string | undefined =>
  typeof issue.input === 'number' ? stamp(issue, fieldMessage('not_finite')) : undefined

/** What zod itself says of an issue; null where it has no code of ours. */
function standardFault(issue: Issue): FieldMessage | null {
  if (issue.code === 'invalid_type') return typeFault(issue)
  if (issue.code === 'invalid_value') {
    const values = issue.values.map(String)
    return fieldMessage('one_of', { values: values.join(', ') }, values.length === 1 ? `must be ${values[0]}` : undefined)
  }
  if (issue.code === 'invalid_union') return unionFault(issue)
  if (issue.code === 'unrecognized_keys') return fieldMessage('unknown_setting')
  if (issue.code === 'invalid_format')
    return issue.format === 'uuid' || issue.format === 'guid' ? fieldMessage('invalid_uuid') : null
  return issue.code === 'too_small' || issue.code === 'too_big' ? sizeFault(issue) : null
}

function typeFault(issue: Issue & { code: 'invalid_type' }): FieldMessage {
  if ('input' in issue && issue.input === undefined) return fieldMessage('required')
  const wanted = TYPES[issue.expected] ?? issue.expected
  const not = issue.expected === 'int' || !('input' in issue) ? '' : `, not ${kindOf(issue.input)}`
  return fieldMessage('wrong_type', { expected: JSON_TYPES[issue.expected] ?? issue.expected }, `must be ${wanted}${not}`)
}

function unionFault(issue: Issue & { code: 'invalid_union' }): FieldMessage | null {
  const found: Stamped[] = issue.errors.flatMap(([first]) => first ?? [])
  const best = found.find((one) => one.code === 'invalid_type' && one.expected !== 'null') ?? found.at(-1)
  return best ? faultOf(best as z.core.$ZodIssue) : null
}

function sizeFault(issue: Issue & { code: 'too_small' | 'too_big' }): FieldMessage {
  const limit = Number(issue.code === 'too_small' ? issue.minimum : issue.maximum)
  const isNumber = issue.origin === 'number' || issue.origin === 'int'
  if (issue.code === 'too_small') {
    if (limit === 1 && !isNumber) return fieldMessage('empty')
    if (issue.origin === 'string') return fieldMessage('min_characters', { limit })
    if (issue.origin === 'array') return fieldMessage('min_items', { limit })
    return fieldMessage(issue.inclusive ? 'at_least' : 'more_than', { limit })
  }
  if (issue.origin === 'string') return fieldMessage('max_characters', { limit })
  if (issue.origin === 'array') return fieldMessage('max_items', { limit })
  return fieldMessage(issue.inclusive ? 'at_most' : 'less_than', { limit })
}

/** The code of a finished issue; a sentence without a code of its own is the parameter of `invalid`. */
function faultOf(issue: z.core.$ZodIssue): FieldMessage {
  const { fault: stamped } = issue as Stamped
  const { message } = issue
  return { ...(stamped ?? standardFault(issue) ?? fieldMessage('invalid', { message })), message }
}

/** The message of an invalid field whose shape defines none. It continues the field's path: "body.name is required". */
export const validationMessage: z.core.$ZodErrorMap = (issue) => {
  const found = standardFault(issue)
  return found ? stamp(issue, found) : undefined
}

/** The errors of the fields that a shape refuses, by their path below `prefix`. Unknown keys are reported by name. */
export const fieldErrors = (error: z.ZodError, ...prefix: string[]) =>
  error.issues.flatMap((issue) => {
    const keys = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path]
    return keys.map((path) => ({ path: [...prefix, ...path].join('.'), ...faultOf(issue) }))
  })
