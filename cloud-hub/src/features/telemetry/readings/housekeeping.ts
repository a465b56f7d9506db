import type { Sql } from '../../../db/pools.ts'

const KEY_DAYS = 7
const KEYS_AT_ONCE = 10_000

/** Deletes idempotency keys after 7 days, 10,000 at a time. Safe in several replicas at once. */
export async function purgeReadingKeys(allTenants: Sql, now: Date): Promise<void> {
  const old = new Date(now.getTime() - KEY_DAYS * 86_400_000)
  for (;;) {
    const gone = await allTenants`
      delete from reading_keys where ctid = any(array(select ctid from reading_keys where seen_at < ${old} limit ${KEYS_AT_ONCE} for update skip locked))`
    if (gone.count < KEYS_AT_ONCE) return
  }
}

const ANOMALY_DAYS = 365
const AT_ONCE = 10_000

/** Deletes anomalies of all tenants a year after they ended, 10,000 at a time. */
export async function purgeAnomalies(allTenants: Sql, now: Date): Promise<void> {
  const before = new Date(now.getTime() - ANOMALY_DAYS * 86_400_000)
  for (let removed = AT_ONCE; removed === AT_ONCE; )
    removed = (
      await allTenants`
        delete from anomaly_events where (tenant_id, id) in (
          select tenant_id, id from anomaly_events where ended_at < ${before} order by ended_at limit ${AT_ONCE})`
    ).count
}
