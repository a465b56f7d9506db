import type { Sql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { Forbidden } from '../../../support/errors.ts'
import { z } from '../../../support/http/z.ts'
import { verifyPassword } from './passwords.ts'
import { accountSubject, beginAttempt, ipSubject } from './throttle.ts'

/**
 * Checks a signed-in user's password before an operation that a stolen session must not do. Wrong passwords count towards the
 * lockout.
 * @returns the matching hash, as a guard for the following statement
 * @throws Forbidden `password_wrong`, or `password_not_set` for users who only sign in through SSO; TooManyRequests
 */
export async function reauthenticate(system: Sql, scope: TenantScope, password: string): Promise<string> {
  const { actor, tenantId, clock } = scope
  const account = accountSubject(actor.name)
  const attempt = await beginAttempt(system, clock, [ipSubject(actor.ip ?? ''), account])
  const [user] = await system<{ passwordHash: string | null }[]>`
    select password_hash as "passwordHash" from users where tenant_id = ${tenantId} and id = ${actor.id}`
  if (user && user.passwordHash === null) {
    await attempt.succeeded()
    throw new Forbidden(
      'password_not_set',
      'This account has no password: it signs in through SSO. Reset the password to set one.',
    )
  }
  const matches = await verifyPassword(user?.passwordHash, password)
  if (!user?.passwordHash || !matches) {
    await attempt.failed()
    throw new Forbidden('password_wrong', 'The password is wrong.')
  }
  await attempt.succeeded([account])
  return user.passwordHash
}

const RECENT_MS = 15 * 60_000

/** Why the guard below refuses. */
export const REAUTHENTICATION_CODES = ['reauthentication_required', 'password_wrong', 'password_not_set'] as const

/** The optional body of operations that need a recent sign-in. */
export const Reauthentication = z
  .object({
    current_password: z
      .string()
      .min(1, 'must not be empty')
      .max(1_000)
      .optional()
      .describe('The password of the caller. Required when the sign-in of the session is older than 15 minutes.'),
  })
  .openapi('Reauthentication', { example: { current_password: 'Correct-horse-7' } })

/**
 * Requires a sign-in of the last 15 minutes or the password, before an operation with which a stolen session could keep the account.
 * A refresh is no sign-in. A given password must be right in any case.
 * @throws Forbidden `reauthentication_required`, and what `reauthenticate` throws
 */
export async function requireRecentSignIn(system: Sql, scope: TenantScope, password: string | undefined): Promise<void> {
  if (password !== undefined) {
    await reauthenticate(system, scope, password)
    return
  }
  const { tenantId, actor, clock } = scope
  const since = new Date(clock.now().getTime() - RECENT_MS)
  const recent = await scope.read(
    (sql) => sql`select 1 from sessions where tenant_id = ${tenantId} and id = ${actor.sessionId} and created_at > ${since}`,
  )
  if (recent.length === 0)
    throw new Forbidden(
      'reauthentication_required',
      'Your sign-in is older than 15 minutes: send current_password, or sign in again.',
    )
}
