import type { TransactionSql } from '../../../db/pools.ts'
import type { Range } from './range.ts'

/** All values of each series, in any order. */
export async function valuesOf(tx: TransactionSql, { tenantId, seriesIds, from, until }: Range): Promise<number[][]> {
  const rows = await tx<{ id: number; values: number[] }[]>`
    select s.id, array_agg(r.value) as values from series s join readings r on r.series_id = s.id and r.ts >= ${new Date(from)} and r.ts < ${new Date(until)}
    where s.tenant_id = ${tenantId} and s.id = any(${seriesIds as number[]}::int[]) group by s.id`
  return inOrder(rows, seriesIds)
}

/**
 * Some values of each series. The time from the first reading to the last is divided into `moments` parts. Each part contributes
 * up to `each` values from its beginning.
 */
export async function sampleOf(
  tx: TransactionSql,
  { tenantId, seriesIds, from, until }: Range,
  moments: number,
  each: number,
): Promise<number[][]> {
  const [start, end] = [new Date(from), new Date(until)]
  const rows = await tx<{ id: number; values: number[] }[]>`
    select s.id, array_agg(r.value) as values from series s
    cross join lateral (
      select (select ts from readings where series_id = s.id and ts >= ${start} and ts < ${end} order by ts limit 1) as lo,
        (select ts from readings where series_id = s.id and ts >= ${start} and ts < ${end} order by ts desc limit 1) as hi) stored
    cross join generate_series(0, ${moments - 1}) moment
    cross join lateral (
      select value from readings r where r.series_id = s.id and r.ts >= lo + moment * (hi - lo) / ${moments}::int
        and r.ts < lo + (moment + 1) * (hi - lo) / ${moments}::int
      order by r.ts limit ${each}) r
    where s.tenant_id = ${tenantId} and s.id = any(${seriesIds as number[]}::int[]) group by s.id`
  return inOrder(rows, seriesIds)
}

function inOrder(rows: readonly { id: number; values: number[] }[], seriesIds: readonly number[]): number[][] {
  const found = new Map(rows.map(({ id, values }) => [id, values]))
  return seriesIds.map((id) => found.get(id) ?? [])
}
