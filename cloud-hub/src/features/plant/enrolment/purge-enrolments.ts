import type { Sql } from '../../../db/pools.ts'

const DAY_MS = 86_400_000
const KEPT_MS = 30 * DAY_MS
/** An agent uses a new credential within seconds; one that is unused for longer went to somebody else. */
const UNUSED_MS = 7 * DAY_MS

/**
 * Revokes credentials that were never used within 7 days. Deletes enrolment keys 30 days after they expired, and credentials 30 days after
 * they were revoked. The audit trail keeps both.
 */
export async function purgeEnrolments(allTenants: Sql, now: Date): Promise<void> {
  const until = new Date(now.getTime() - KEPT_MS)
  await allTenants`
    update api_keys set is_active = false, revoked_at = ${now}
    where agent_id is not null and is_active and activated_at is null and created_at < ${new Date(now.getTime() - UNUSED_MS)}`
  await allTenants`delete from enrolment_keys where expires_at < ${until}`
  await allTenants`
    delete from api_keys where agent_id is not null and not is_active and revoked_at < ${until}`
}
