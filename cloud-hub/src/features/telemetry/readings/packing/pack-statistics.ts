import { ADVISORY_LOCKS } from '../../../../db/advisory-locks.ts'
import type { Sql, TransactionSql } from '../../../../db/pools.ts'
import type { Statistics } from '../codec/statistics.ts'
import { decodeLegacyStatistics } from '../query/legacy.ts'
import { addRemains, type SeriesDay } from '../seal/statistics-rows.ts'

interface LegacySeries {
  id: number
  tenantId: string
}

/**
 * Packs the old statistics of removed readings, of one series in one transaction. The last one ends the time in which they count.
 * @returns whether something was left
 */
export async function packStatistics(sql: Sql): Promise<boolean> {
  // before the transaction: until its end, it would let nobody add series
  await sql`
    select ensure_minutes_partition(month::date) from legacy_minute_partitions p
    cross join generate_series(date_trunc('month', p.lower, 'UTC'), p.upper - interval '1 millisecond', interval '1 month') month
    where exists (select from legacy_dropped)`
  return sql.begin(async (tx) => {
    const [lock] = await tx<{ isOurs: boolean }[]>`select pg_try_advisory_xact_lock(${ADVISORY_LOCKS.packing}) as "isOurs"`
    if (!lock?.isOurs) return false
    const [left] = await tx`select from legacy_dropped limit 1`
    if (!left) return false
    const [next] = await tx<{ id: number | null }[]>`
      select least((select min(series_id) from legacy_rollup_hours), (select min(series_id) from legacy_rollup_minutes)) as id`
    if (next?.id == null) {
      await tx`delete from legacy_dropped`
      return false
    }
    const [series] = await tx<LegacySeries[]>`select id, tenant_id as "tenantId" from series where id = ${next.id}`
    if (series) await packSeries(tx, series)
    await tx`delete from legacy_rollup_hours where series_id = ${next.id}`
    await tx`delete from legacy_rollup_minutes where series_id = ${next.id}`
    return true
  }) as Promise<boolean>
}

async function packSeries(tx: TransactionSql, { id, tenantId }: LegacySeries): Promise<void> {
  const [hours, minutes] = [await statisticsOf(tx, tenantId, id, false), await statisticsOf(tx, tenantId, id, true)]
  const days = [...new Set([...hours.keys(), ...minutes.keys()])].sort((a, b) => a - b)
  await addRemains(
    tx,
    tenantId,
    days.map((day): SeriesDay & { hours: Statistics[]; minutes: Statistics[] } => ({
      seriesId: id,
      day,
      hours: hours.get(day) ?? [],
      minutes: minutes.get(day) ?? [],
    })),
  )
}

async function statisticsOf(
  tx: TransactionSql,
  tenantId: string,
  id: number,
  areMinutes: boolean,
): Promise<Map<number, Statistics[]>> {
  const rows = await tx<{ day: Date; stats: Buffer }[]>`
    select day, stats from legacy_statistics_of(${tenantId}, array[${id}::int], '-infinity', 'infinity', ${areMinutes})`
  return new Map(rows.map(({ day, stats }) => [day.getTime(), decodeLegacyStatistics(stats)]))
}
