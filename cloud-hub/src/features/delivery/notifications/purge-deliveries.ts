import type { Sql } from '../../../db/pools.ts'
import { purge } from '../../../db/purge.ts'

/**
 * Deletes ended deliveries and attempts in batches. Deliveries to an incident or ticketing tool stay until their alert has been
 * over for as long, because the message about its end needs them.
 * @param days 0: keep forever
 */
export async function purgeDeliveries(allTenants: Sql, now: Date, days: number): Promise<void> {
  if (days === 0) return
  const before = new Date(now.getTime() - days * 86_400_000)
  await purge(allTenants, { table: 'delivery_attempts', column: 'attempted_at', before })
  await purge(allTenants, {
    table: 'deliveries',
    column: 'created_at',
    before,
    and: allTenants`r.status in ('delivered', 'refused') and (r.subject is null or exists (
      select from alerts a where a.tenant_id = r.tenant_id and a.id = r.alert_id and a.cleared_at < ${before} offset 0))`,
  })
}
