import { expect, it } from 'vitest'
import { Conflict, PayloadTooLarge, TooManyRequests } from './errors.ts'

it.each([
  [new Conflict('too_many_roles', 'A tenant has at most 50 roles.', { limit: 50 }), { params: { limit: 50 } }],
  [new Conflict('last_admin', 'This is the last administrator.'), {}],
  [new PayloadTooLarge(1_048_576), { params: { bytes: 1_048_576 } }],
  [
    new TooManyRequests('sending_limit', 'Try again later.', 2.5, {}, { scope: 'address', limit: 5 }),
    { retry_after: 3, params: { scope: 'address', limit: 5 } },
  ],
])('a refusal answers what it names as parameters: %o', (error, extra) => {
  expect(error.extra).toEqual(extra)
})
