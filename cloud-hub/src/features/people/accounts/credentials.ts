import { randomUUID } from 'node:crypto'
import { isUniqueViolation } from '../../../db/errors.ts'
import type { Sql } from '../../../db/pools.ts'
import type { Clock } from '../../../support/clock.ts'
import { Conflict } from '../../../support/errors.ts'
import { recordEvent } from '../audit/index.ts'
import { hashPassword, verifyPassword } from './passwords.ts'
import { type SessionUser, userActor } from './sessions.ts'
import { accountSubject, beginAttempt, ipSubject } from './throttle.ts'

export interface Registration {
  email: string
  password: string
  fullName: string
  tenantName: string
}

/**
 * Creates a tenant with its first admin.
 * @throws Conflict when a user of any tenant has the e-mail address (which counts as a failure of the caller's network address),
 * TooManyRequests
 */
export async function register(sql: Sql, clock: Clock, ip: string, given: Registration): Promise<SessionUser> {
  const attempt = await beginAttempt(sql, clock, [ipSubject(ip)])
  const passwordHash = await hashPassword(given.password)
  const [tenantId, userId, now] = [randomUUID(), randomUUID(), clock.now()]
  try {
    await sql.begin(async (tx) => {
      await tx`insert into tenants (id, name, created_at) values (${tenantId}, ${given.tenantName}, ${now})`
      await tx`insert into users (id, tenant_id, email, full_name, password_hash, role, created_at, last_login_at)
        values (${userId}, ${tenantId}, ${given.email}, ${given.fullName}, ${passwordHash}, 'admin', ${now}, ${now})`
    })
  } catch (error) {
    if (!isUniqueViolation(error, 'users_email_key')) throw error
    await attempt.failed()
    throw new Conflict('email_taken', 'This e-mail address has an account already: sign in instead.')
  }
  await attempt.succeeded()
  return { tenantId, userId, email: given.email, role: 'admin' }
}

/**
 * Checks e-mail and password, the first of two factors where MFA is on.
 * @returns null for an unknown e-mail, a wrong password or a deactivated user alike, after the same time
 */
export async function checkPassword(
  allTenants: Sql,
  clock: Clock,
  from: { ip: string; requestId: string },
  email: string,
  password: string,
): Promise<(SessionUser & { mfaEnabled: boolean; passwordHash: string }) | null> {
  const attempt = await beginAttempt(allTenants, clock, [ipSubject(from.ip), accountSubject(email)])
  // Lower case by the throttle's rules: PostgreSQL maps a dotted capital \u0130 to i, which would give each spelling ten
  // failures.
  const [user] = await allTenants<(SessionUser & { mfaEnabled: boolean; passwordHash: string | null; isActive: boolean })[]>`
    select tenant_id as "tenantId", id as "userId", email, role, mfa_enabled as "mfaEnabled", password_hash as "passwordHash", is_active as "isActive"
    from users where lower(email) = ${email.toLowerCase()}`
  const matches = await verifyPassword(user?.isActive ? user.passwordHash : null, password)
  if (!user?.passwordHash || !matches) {
    await attempt.failed()
    if (user) await recordEvent(allTenants, user.tenantId, { ...userActor(user, from), kind: 'anonymous' }, 'user.sign_in_failed')
    return null
  }
  // With MFA on, only a valid code resets earlier failures.
  await attempt.succeeded(user.mfaEnabled ? [] : [accountSubject(email)])
  return { ...user, passwordHash: user.passwordHash }
}
