import type { TransactionSql } from '../../db/pools.ts'
import { GROUP_BITS } from '../series-group.ts'
import { neighbours } from './neighbours.ts'

/** Before all readings, Unix ms. */
const BEFORE_ALL = Date.UTC(1_000, 0, 1) - 1

/**
 * When the first reading of a machine was measured, Unix ms; null without readings. Of removed readings the start of their UTC day is
 * known. The first blocks say it without their readings; only a machine that has nothing but new arrivals needs those.
 */
export async function firstReadingOf(tx: TransactionSql, tenantId: string, machineId: string): Promise<number | null> {
  const [stored] = await tx<{ first: Date | null }[]>`
    select least(min(s.first), (select min(t.t0) from reading_tail t where t.tenant_id = ${tenantId} and t.machine_id = ${machineId})) as first
    from (
      select least(
        (select b.t0 from reading_blocks b where b.tenant_id = ${tenantId} and b.series_id = s.id order by b.t0 limit 1),
        (select b.t0 from reading_blocks_open b where b.tenant_id = ${tenantId} and b.series_id = s.id order by b.t0 limit 1),
        (select h.day::timestamp at time zone 'UTC' from reading_hours h where h.tenant_id = ${tenantId} and h.series_id = s.id order by h.day limit 1)
      ) as first
      from series s where s.tenant_id = ${tenantId} and s.machine_id = ${machineId}) s`
  if (stored?.first) return stored.first.getTime()
  const arrived = await tx<{ id: number }[]>`
    select s.id from series s where s.tenant_id = ${tenantId} and s.machine_id = ${machineId}
      and exists (select from reading_arrivals a where a.tenant_id = ${tenantId} and a.series_group = s.id >> ${GROUP_BITS}::int)`
  const found = await neighbours(
    tx,
    arrived.map(({ id }) => ({ series: { tenantId, id }, at: BEFORE_ALL, before: 0, after: 1 })),
  )
  const times = found.flatMap(({ times }) => [...times])
  return times.length === 0 ? null : Math.min(...times)
}
