import type { Sql } from '../../../db/pools.ts'
import { purge } from '../../../db/purge.ts'

/** Sessions that one statement deletes: each has a refresh token of each quarter of an hour. */
const FEW = 200

/**
 * Deletes sessions with their refresh tokens, one-time tokens and quotas a day after their end, expired SSO sign-ins, and old
 * throttle entries.
 */
export async function purgeExpiredSignInData(allTenants: Sql, now: Date): Promise<void> {
  const dayAgo = new Date(now.getTime() - 86_400_000)
  await purge(allTenants, { table: 'sessions', column: 'expires_at', before: dayAgo, portion: FEW })
  await purge(allTenants, { table: 'one_time_tokens', column: 'expires_at', before: dayAgo })
  await purge(allTenants, { table: 'sso_logins', column: 'expires_at', before: now })
  await purge(allTenants, { table: 'login_throttle', column: 'updated_at', before: dayAgo })
  await purge(allTenants, { table: 'sending_quotas', column: 'updated_at', before: dayAgo })
}
