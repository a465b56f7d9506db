import { ADVISORY_LOCKS } from '../../../../db/advisory-locks.ts'
import type { Sql, TransactionSql } from '../../../../db/pools.ts'
import { mergeColumns } from '../codec/block.ts'
import type { Columns } from '../codec/columns.ts'
import { GROUP_BITS } from '../series-group.ts'
import { arrayOf } from './arrays.ts'
import type { ArrivalCount } from './arrival-queue.ts'
import { SEAL_LIMITS, type SealLimits } from './limits.ts'
import { assertCount, type Refusal } from './machine.ts'
import type { GroupKey, SealHint } from './seal-hints.ts'
import { type DecodedRow, decodeAll, insertRows, type SeriesColumns } from './tail-rows.ts'

export interface DivideResult {
  /** what the tails of machines got */
  machines: SealHint[]
  refused: Refusal[]
  /** another process divides the group: nothing was done, or not everything */
  isBusy: boolean
}

/**
 * Moves the arrivals of a group of series into the tails of their machines. Each transaction moves a portion; the set of stored
 * readings never changes. Sections of series that are gone are dropped, and damaged rows stay.
 */
export async function divideArrivals(sql: Sql, group: GroupKey, options: Partial<SealLimits> = {}): Promise<DivideResult> {
  const limits = { ...SEAL_LIMITS, ...options }
  const result: DivideResult = { machines: [], refused: [], isBusy: false }
  for (let after: string | null = '0'; after !== null; ) {
    const portion = await divideOnce(sql, group, after, limits.arrivalPortion)
    if (!portion) return { ...result, isBusy: true }
    result.machines.push(...portion.machines)
    result.refused.push(...portion.refused)
    after = portion.after
  }
  return result
}

type Portion = Omit<DivideResult, 'isBusy'> & { /** the last row's id; null where no more follow */ after: string | null }

function divideOnce(sql: Sql, { tenantId, group }: GroupKey, after: string, most: number): Promise<Portion | null> {
  return sql.begin(async (tx): Promise<Portion | null> => {
    // its own statement: the next one sees what the last holder of the lock committed
    const [row] = await tx<{ isOurs: boolean }[]>`
      select pg_try_advisory_xact_lock(${ADVISORY_LOCKS.sealing}, hashtext(${`${tenantId} ${group}`})) as "isOurs"`
    if (!row?.isOurs) return null
    const stored = await tx<{ id: string; n: number; body: Buffer }[]>`
      select id, n, body from reading_arrivals
      where tenant_id = ${tenantId} and series_group = ${group} and id > ${after}
      order by id limit ${most}`
    const { rows, damaged } = decodeAll(stored)
    const refused = damaged.map(({ id, reason }) => ({ tenantId, what: `row ${id} of reading_arrivals`, reason }))
    const machines = await insertRows(tx, tenantId, await tailsOf(tx, tenantId, group, rows))
    const { count } = await tx`
      delete from reading_arrivals
      where tenant_id = ${tenantId} and series_group = ${group}
        and id in (select unnest(${arrayOf(rows.map(({ id }) => id))}::text::bigint[]))`
    assertCount('rows of reading_arrivals', count, rows.length)
    return { machines, refused, after: stored.length < most ? null : (stored.at(-1) as { id: string }).id }
  }) as Promise<Portion | null>
}

/** The readings of the rows, by machine and series. The series are read after the rows: they are committed no later than these. */
async function tailsOf(
  tx: TransactionSql,
  tenantId: string,
  group: number,
  rows: readonly DecodedRow[],
): Promise<Map<string, SeriesColumns[]>> {
  const series = await tx<{ id: number; machineId: string }[]>`
    select id, machine_id as "machineId" from series
    where tenant_id = ${tenantId} and id >= ${group << GROUP_BITS} and id < ${(group + 1) << GROUP_BITS}
    order by id`
  const parts = new Map<number, Columns[]>(series.map(({ id }) => [id, []]))
  for (const row of rows) for (const { seriesId, part } of row.parts) parts.get(seriesId)?.push(part)
  const tails = new Map<string, SeriesColumns[]>()
  for (const { id, machineId } of series) {
    const its = parts.get(id) as Columns[]
    if (its.length === 0) continue
    const tail = tails.get(machineId) ?? []
    tails.set(machineId, tail)
    tail.push([id, mergeColumns(its)])
  }
  return tails
}

/** What is in arrivals of a group. */
export async function arrivalsOf(sql: Sql, { tenantId, group }: GroupKey): Promise<Omit<ArrivalCount, keyof GroupKey>> {
  const [row] = await sql<[Omit<ArrivalCount, keyof GroupKey>]>`
    select count(*)::int as rows, coalesce(sum(n), 0)::float8 as readings, (extract(epoch from min(t0)) * 1000)::float8 as "oldestAt"
    from reading_arrivals
    where tenant_id = ${tenantId} and series_group = ${group}`
  return row
}

/** Counts the arrivals of every group. Reads their rows without their bodies. */
export const scanArrivals = async (allTenants: Sql): Promise<ArrivalCount[]> => [
  ...(await allTenants<ArrivalCount[]>`
    select tenant_id as "tenantId", series_group as "group", count(*)::int as rows, sum(n)::float8 as readings,
      (extract(epoch from min(t0)) * 1000)::float8 as "oldestAt"
    from reading_arrivals
    group by tenant_id, series_group`),
]
