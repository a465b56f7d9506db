import { expect, it } from 'vitest'
import { fieldError } from '../support/errors.ts'
import { fieldMessage } from './field-messages.ts'

it('a code and its parameters make the English message', () => {
  const error = fieldError('body.limit', 'at_most', { limit: 500 })
  expect(error).toEqual({ path: 'body.limit', code: 'at_most', params: { limit: 500 }, message: 'must be at most 500' })
})

it('a sentence that says more leaves code and parameters as they are', () => {
  const found = fieldMessage('max_range_days', { days: 90 }, 'the range may cover at most 90 days')
  expect(found).toEqual({ code: 'max_range_days', params: { days: 90 }, message: 'the range may cover at most 90 days' })
})

it('a code compiles only with the parameters of its message', () => {
  // @ts-expect-error: `limit` is missing
  fieldMessage('at_most', {})
  // @ts-expect-error: `days` is no parameter of the message
  fieldMessage('at_most', { limit: 1, days: 2 })
  // @ts-expect-error: the message has no parameters
  fieldMessage('required', { limit: 1 })
})
