import { expect, it } from 'vitest'
import { Authorization, tokenLifetimeMs } from './authorization.ts'

const token = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`

it('a token says how long it lives, by the clock of the hub alone', () => {
  expect(tokenLifetimeMs(token({ iat: 100, exp: 3_700 }))).toBe(3_600_000)
})

it.each(['hunter2', '', 'a.b.c', token({ exp: 5 }), token({ iat: 9, exp: 3 }), token({ iat: 'x', exp: 'y' })])(
  'a password that is no such token says nothing: %s',
  (password) => expect(tokenLifetimeMs(password)).toBeNull(),
)

it('whoever listens hears every change', () => {
  const authorization = new Authorization()
  const heard: string[] = []
  authorization.onChange(() => heard.push(authorization.state.kind))
  authorization.grant(null, 5)
  authorization.hold('payment_required', 'pay')
  expect(heard).toEqual(['granted', 'held'])
})
