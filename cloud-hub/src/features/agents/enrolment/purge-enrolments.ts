import type { Sql } from '../../../db/pools.ts'
import { purge } from '../../../db/purge.ts'

const DAY_MS = 86_400_000
const KEPT_MS = 30 * DAY_MS
/** An agent uses a new credential within seconds; one that is unused for longer went to somebody else. */
const UNUSED_MS = 7 * DAY_MS
/** Credentials that one statement revokes. */
const REVOKED_AT_ONCE = 1_000

/**
 * Revokes credentials that were never used within 7 days. Deletes enrolment keys 30 days after they expired, and credentials 30 days after
 * they were revoked. The audit trail keeps both.
 */
export async function purgeEnrolments(allTenants: Sql, now: Date): Promise<void> {
  const until = new Date(now.getTime() - KEPT_MS)
  for (let revoked = REVOKED_AT_ONCE; revoked === REVOKED_AT_ONCE; ) {
    const { count } = await allTenants`
      update api_keys set is_active = false, revoked_at = ${now} where ctid = any(array(
        select k.ctid from api_keys k
        where k.agent_id is not null and k.is_active and k.activated_at is null and k.created_at < ${new Date(now.getTime() - UNUSED_MS)}
        limit ${REVOKED_AT_ONCE} for no key update skip locked))`
    revoked = count
  }
  await purge(allTenants, { table: 'enrolment_keys', column: 'expires_at', before: until })
  await purge(allTenants, {
    table: 'api_keys',
    column: 'revoked_at',
    before: until,
    and: allTenants`r.agent_id is not null and not r.is_active`,
  })
}
