import { hash, verify } from 'argon2'
import { concurrencyLimit } from '../../../support/concurrency-limit.ts'
import { Unavailable } from '../../../support/errors.ts'
import { invalid } from '../../../support/http/validation-message.ts'
import { z } from '../../../support/http/z.ts'

/** OWASP's argon2id profile: 19 MiB, 2 passes, 1 lane; 27 ms on a small machine. */
const PROFILE = { type: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const
/** Hashing runs in libuv's pool of four threads: two at a time leave threads for other work, and the queue is bounded. */
const AT_ONCE = 2
const MAX_WAITING = 500

/** 8-128 characters with an upper-case letter, a lower-case letter and a digit. */
export const NewPassword = z
  .string()
  .min(8, 'must have at least 8 characters')
  .max(128, 'must have at most 128 characters')
  .refine((p) => /\p{Lu}/u.test(p) && /\p{Ll}/u.test(p) && /\d/.test(p), invalid('weak_password'))
  .describe('8 to 128 characters with an upper-case letter, a lower-case letter and a digit.')

const withLimit = concurrencyLimit(AT_ONCE, {
  max: MAX_WAITING,
  refusal: () => new Unavailable('busy', 'Too many people are signing in at once; try again in a few seconds.'),
})

export const hashPassword = (password: string): Promise<string> => withLimit(() => hash(password, PROFILE))

let decoy: Promise<string> | undefined

/** Takes the same time with and without a stored hash. */
export async function verifyPassword(passwordHash: string | null | undefined, password: string): Promise<boolean> {
  decoy ??= hash('no such user', PROFILE)
  const against = passwordHash ?? (await decoy)
  const matches = await withLimit(() => verify(against, password))
  return matches && passwordHash != null
}
