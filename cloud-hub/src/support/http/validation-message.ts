import type { z } from 'zod'

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

const kindOf = (value: unknown) =>
  value === null ? 'null' : Array.isArray(value) ? 'a list' : (TYPES[typeof value] ?? typeof value)

/** The message of an invalid field whose shape defines none. It continues the field's path: "body.name is required". */
export const validationMessage: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'invalid_type') {
    if (issue.input === undefined) return 'is required'
    const wanted = TYPES[issue.expected] ?? issue.expected
    return issue.expected === 'int' ? `must be ${wanted}` : `must be ${wanted}, not ${kindOf(issue.input)}`
  }
  if (issue.code === 'invalid_value') {
    const values = issue.values.map(String)
    return values.length === 1 ? `must be ${values[0]}` : `must be one of ${values.join(', ')}`
  }
  if (issue.code === 'invalid_union') {
    const found = issue.errors.flatMap(([first]) => first ?? [])
    return (found.find((one) => one.code === 'invalid_type' && one.expected !== 'null') ?? found.at(-1))?.message
  }
  if (issue.code === 'invalid_format') return issue.format === 'uuid' ? 'must be a UUID' : undefined
  if (issue.code !== 'too_small' && issue.code !== 'too_big') return undefined
  const [side, limit] = issue.code === 'too_small' ? ['at least', issue.minimum] : ['at most', issue.maximum]
  if (limit === 1 && side === 'at least' && issue.origin !== 'number' && issue.origin !== 'int') return 'must not be empty'
  if (issue.origin === 'string') return `must have ${side} ${limit} characters`
  if (issue.origin === 'array') return `must hold ${side} ${limit} items`
  const strictly = issue.code === 'too_small' ? 'more than' : 'less than'
  return `must be ${issue.inclusive ? side : strictly} ${limit}`
}
