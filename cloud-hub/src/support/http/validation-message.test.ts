import { describe, expect, it } from 'vitest'
import { type FieldError, Unprocessable } from '../errors.ts'
import { validate } from './body.ts'
import { Id } from './shapes.ts'
import { invalid } from './validation-message.ts'
import { z } from './z.ts'

const Shape = z.object({
  name: z.string().min(1).max(3),
  count: z.int().min(1).max(9),
  share: z.number().gt(0).optional(),
  kind: z.enum(['a', 'b']),
  tags: z.array(z.string()).max(1).default([]),
  machine_id: z.uuid(),
  other_id: Id,
  note: z
    .union([z.literal(''), z.string().max(3)])
    .nullable()
    .optional(),
  colour: z
    .union([
      z.literal('').transform(() => null),
      z.string().regex(/^#/, invalid('invalid_color', {}, 'must be a colour')),
      z.null(),
    ])
    .optional(),
  own: z.string('in its own words').optional(),
  odd: z
    .number()
    .refine((it) => it % 2 === 0, 'must be even')
    .optional(),
})
const ID = '00000000-0000-4000-8000-000000000000'
const RIGHT = { name: 'abc', count: 9, kind: 'a', machine_id: ID, other_id: ID }

function complaint(change: object): string {
  try {
    validate(Shape, { ...RIGHT, ...change }, 'body')
  } catch (error) {
    if (error instanceof Unprocessable) return error.message
    throw error
  }
  return 'none'
}

describe('the message of an invalid field', () => {
  it.each([
    [{}, 'none'],
    [{ name: undefined }, 'body.name: is required'],
    [{ name: 5 }, 'body.name: must be a text, not a number'],
    [{ name: null }, 'body.name: must be a text, not null'],
    [{ name: '' }, 'body.name: must not be empty'],
    [{ name: 'abcd' }, 'body.name: must have at most 3 characters'],
    [{ count: '5' }, 'body.count: must be a number, not a text'],
    [{ count: 1.5 }, 'body.count: must be a whole number'],
    [{ count: 0 }, 'body.count: must be at least 1'],
    [{ count: 10 }, 'body.count: must be at most 9'],
    [{ share: 0 }, 'body.share: must be more than 0'],
    [{ kind: 'c' }, 'body.kind: must be one of a, b'],
    [{ tags: ['x', 'y'] }, 'body.tags: must hold at most 1 items'],
    [{ tags: {} }, 'body.tags: must be a list, not an object'],
    [{ machine_id: 'm1' }, 'body.machine_id: must be a UUID'],
    [{ note: 5 }, 'body.note: must be a text, not a number'],
    [{ note: 'abcd' }, 'body.note: must have at most 3 characters'],
    [{ colour: {} }, 'body.colour: must be a text, not an object'],
    [{ colour: 'red' }, 'body.colour: must be a colour'],
    [{ other_id: undefined }, 'body.other_id: is required'],
    [{ other_id: 'm1' }, 'body.other_id: must be a UUID'],
    [{ own: 5 }, 'body.own: in its own words'],
  ])('in plain words: %j', (change, told) => {
    expect(complaint(change)).toBe(told)
  })
})

/** What the answer says of the first field at fault. */
function errorOf(change: object) {
  try {
    validate(Shape, { ...RIGHT, ...change }, 'body')
  } catch (error) {
    if (error instanceof Unprocessable) return (error.extra.errors as FieldError[])[0]
    throw error
  }
}

describe('the code of an invalid field', () => {
  it.each([
    [{ name: undefined }, 'required', {}],
    [{ name: 5 }, 'wrong_type', { expected: 'string' }],
    [{ name: '' }, 'empty', {}],
    [{ name: 'abcd' }, 'max_characters', { limit: 3 }],
    [{ count: 1.5 }, 'wrong_type', { expected: 'integer' }],
    [{ count: 0 }, 'at_least', { limit: 1 }],
    [{ share: 0 }, 'more_than', { limit: 0 }],
    [{ kind: 'c' }, 'one_of', { values: 'a, b' }],
    [{ tags: ['x', 'y'] }, 'max_items', { limit: 1 }],
    [{ machine_id: 'm1' }, 'invalid_uuid', {}],
    [{ note: 'abcd' }, 'max_characters', { limit: 3 }],
    [{ colour: 'red' }, 'invalid_color', {}],
    [{ other_id: undefined }, 'required', {}],
    [{ other_id: 'm1' }, 'invalid_uuid', {}],
    [{ own: 5 }, 'wrong_type', { expected: 'string' }],
    [{ odd: 1 }, 'invalid', { message: 'must be even' }],
  ])('is the same for every wording: %j', (change, code, params) => {
    expect(errorOf(change)).toMatchObject({ code, params })
  })
})
