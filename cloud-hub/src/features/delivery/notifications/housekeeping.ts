import type { Sql } from '../../../db/pools.ts'

const AT_ONCE = 5_000

/**
 * Forgets deliveries that have ended and attempts, some at a time. What an incident or ticketing tool was told of an alert is kept until that has
 * been over for as long: from it the tool is told of the end.
 * @param days 0: for ever
 */
export async function purgeDeliveries(allTenants: Sql, now: Date, days: number): Promise<void> {
  if (days === 0) return
  const before = new Date(now.getTime() - days * 86_400_000)
  const repeat = async (some: () => Promise<{ count: number }>) => {
    while ((await some()).count === AT_ONCE);
  }
  await repeat(
    () => allTenants`
      delete from delivery_attempts where (tenant_id, id) in (
        select tenant_id, id from delivery_attempts where attempted_at < ${before} order by attempted_at limit ${AT_ONCE} for update skip locked)`,
  )
  await repeat(
    () => allTenants`
      delete from deliveries where (tenant_id, id) in (
        select d.tenant_id, d.id from deliveries d join alerts a on a.tenant_id = d.tenant_id and a.id = d.alert_id
        where d.status in ('delivered', 'refused') and d.created_at < ${before} and (d.subject is null or a.cleared_at < ${before})
        order by d.created_at limit ${AT_ONCE} for update of d skip locked)`,
  )
}
