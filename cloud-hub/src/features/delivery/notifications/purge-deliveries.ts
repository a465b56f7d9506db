import type { Sql } from '../../../db/pools.ts'

const BATCH_ROWS = 5_000

/**
 * Deletes ended deliveries and attempts in batches. Deliveries to an incident or ticketing tool stay until their alert has been
 * over for as long, because the message about its end needs them.
 * @param days 0: keep forever
 */
export async function purgeDeliveries(allTenants: Sql, now: Date, days: number): Promise<void> {
  if (days === 0) return
  const before = new Date(now.getTime() - days * 86_400_000)
  const repeat = async (some: () => Promise<{ count: number }>) => {
    while ((await some()).count === BATCH_ROWS);
  }
  await repeat(
    () => allTenants`
      delete from delivery_attempts where (tenant_id, id) in (
        select tenant_id, id from delivery_attempts where attempted_at < ${before} order by attempted_at limit ${BATCH_ROWS} for update skip locked)`,
  )
  await repeat(
    () => allTenants`
      delete from deliveries where (tenant_id, id) in (
        select d.tenant_id, d.id from deliveries d join alerts a on a.tenant_id = d.tenant_id and a.id = d.alert_id
        where d.status in ('delivered', 'refused') and d.created_at < ${before} and (d.subject is null or a.cleared_at < ${before})
        order by d.created_at limit ${BATCH_ROWS} for update of d skip locked)`,
  )
}
