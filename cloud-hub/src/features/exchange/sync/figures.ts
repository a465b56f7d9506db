import type { Sql } from '../../../db/pools.ts'

const COUNTED = 10_000

/** The state of the exchange for `/metrics`: few connections, and the first rows of indexes. */
export async function exchangeFigures(
  allTenants: Sql,
  now: Date,
): Promise<{ due: number; open: number; paused: number; oldestSeconds: number }> {
  const [row] = await allTenants<{ due: number; open: number; paused: number; oldest: Date | null }[]>`
    select
      (select count(*)::int from (
        select from erp_connections c join erp_records r on r.tenant_id = c.tenant_id and r.connection_id = c.id
        where c.is_active and r.is_due and case r.entity_type
          when 'work_order' then c.auto_push_work_orders
          when 'production_data' then c.auto_push_production_data
          else c.auto_push_downtime end
        limit ${COUNTED}) due) as due,
      (select count(*)::int from erp_connections where is_active and breaker_open_until > ${now}) as open,
      (select count(*)::int from erp_connections where is_active and paused_at is not null) as paused,
      (select uuid_extract_timestamp(id) from erp_changes order by id limit 1) as oldest`
  if (!row) throw new Error('the figures of the exchange returned no row')
  const oldestSeconds = row.oldest ? Math.max(0, (now.getTime() - row.oldest.getTime()) / 1_000) : 0
  return { due: row.due, open: row.open, paused: row.paused, oldestSeconds }
}
