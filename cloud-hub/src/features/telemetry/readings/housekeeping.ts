import type { Sql } from '../../../db/pools.ts'

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
