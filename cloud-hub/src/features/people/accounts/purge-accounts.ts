import type { Sql } from '../../../db/pools.ts'

/**
 * Deletes sessions with their refresh tokens, one-time tokens and quotas a day after their end, expired SSO sign-ins, and old
 * throttle entries.
 */
export async function purgeExpiredSignInData(allTenants: Sql, now: Date): Promise<void> {
  const dayAgo = new Date(now.getTime() - 86_400_000)
  await allTenants`delete from sessions where expires_at < ${dayAgo}`
  await allTenants`delete from one_time_tokens where expires_at < ${dayAgo}`
  await allTenants`delete from sso_logins where expires_at < ${now}`
  await allTenants`delete from login_throttle where updated_at < ${dayAgo}`
  await allTenants`delete from sending_quotas where updated_at < ${dayAgo}`
}
