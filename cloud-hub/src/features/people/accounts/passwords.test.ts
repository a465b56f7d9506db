import { expect, it } from 'vitest'
import { hashPassword, verifyPassword } from './passwords.ts'

it('passwords are hashed with argon2id at the cost that OWASP recommends', async () => {
  const hash = await hashPassword('Correct-horse-7')
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,p=1,t=2\$/)
  expect(await verifyPassword(hash, 'Correct-horse-7')).toBe(true)
  expect(await verifyPassword(hash, 'Correct-horse-8')).toBe(false)
  expect(await verifyPassword(null, 'Correct-horse-7')).toBe(false)
})

it('an account without a password accepts none, not even the one whose hash keeps its answer as slow as others', async () => {
  expect(await verifyPassword(null, 'no such user')).toBe(false)
  expect(await verifyPassword(undefined, 'no such user')).toBe(false)
})
