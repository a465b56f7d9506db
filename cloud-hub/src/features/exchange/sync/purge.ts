import type { Sql } from '../../../db/pools.ts'
import { purge } from '../../../db/purge.ts'

const KEPT_DAYS = 400

/** Deletes log entries and ended runs that are older than 400 days. */
export async function purgeExchange(allTenants: Sql, now: Date): Promise<void> {
  const before = new Date(now.getTime() - KEPT_DAYS * 86_400_000)
  await purge(allTenants, { table: 'erp_sync_logs', column: 'created_at', before })
  await purge(allTenants, { table: 'erp_runs', column: 'ended_at', before })
}
