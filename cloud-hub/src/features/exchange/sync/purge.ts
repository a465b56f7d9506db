import type { Sql } from '../../../db/pools.ts'

const KEPT_DAYS = 400
const PORTION = 5_000

/** Deletes log entries and ended runs that are older than 400 days. */
export async function purgeExchange(allTenants: Sql, now: Date, isStopping: () => boolean = () => false): Promise<void> {
  const before = new Date(now.getTime() - KEPT_DAYS * 86_400_000)
  for (let deleted = PORTION; deleted >= PORTION && !isStopping(); ) {
    const logs = await allTenants`
      delete from erp_sync_logs where (tenant_id, id) in (
        select tenant_id, id from erp_sync_logs where created_at < ${before} order by created_at limit ${PORTION})`
    const runs = await allTenants`
      delete from erp_runs where (tenant_id, id) in (
        select tenant_id, id from erp_runs where ended_at < ${before} order by ended_at limit ${PORTION})`
    deleted = Math.max(logs.count, runs.count)
  }
}
