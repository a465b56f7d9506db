import type * as argon2 from 'argon2'
import { vi } from 'vitest'

/**
 * Passwords of test users are hashed at the lowest cost that argon2 accepts: thousands of users sign in, and each hash of the real profile takes
 * 27 ms of CPU. A hash carries its cost, so verification needs no change. `passwords.test.ts` tests the real profile.
 */
vi.mock('argon2', async (original) => {
  const real = await original<typeof argon2>()
  return { ...real, hash: (password: string, options: object) => real.hash(password, { ...options, memoryCost: 1_024 }) }
})
