import { expect, it } from 'vitest'
import { headersOf } from './channel-types.ts'

it('reads a header from each line', () => {
  expect(headersOf('Authorization: Bearer a:b\n\n X-Plant :Hall 3\nX-Empty')).toEqual({
    Authorization: 'Bearer a:b',
    'X-Plant': 'Hall 3',
    'X-Empty': '',
  })
})
