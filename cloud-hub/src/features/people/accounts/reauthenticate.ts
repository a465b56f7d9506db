import type { Sql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { Forbidden } from '../../../support/errors.ts'
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
