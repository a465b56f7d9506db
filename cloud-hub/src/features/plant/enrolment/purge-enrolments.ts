import type { Sql } from '../../../db/pools.ts'

const KEPT_MS = 30 * 86_400_000

/**
 * Deletes enrolment keys 30 days after they expired, and credentials 30 days after they were revoked. The audit trail keeps both.
 */
export async function purgeEnrolments(allTenants: Sql, now: Date): Promise<void> {
  const until = new Date(now.getTime() - KEPT_MS)
  await allTenants`delete from enrolment_keys where expires_at < ${until}`
  await allTenants`
    delete from api_keys where agent_id is not null and not is_active and revoked_at < ${until}`
}
