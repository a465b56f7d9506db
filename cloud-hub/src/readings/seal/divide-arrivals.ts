import { ADVISORY_LOCKS } from '../../db/advisory-locks.ts'
import type { Sql, TransactionSql } from '../../db/pools.ts'
import type { Columns } from '../codec/columns.ts'
import { seriesOf } from '../series-group.ts'
import { arrayOf } from './arrays.ts'
import type { ArrivalCount } from './arrival-queue.ts'
import { decodeArrivals, type StoredRow } from './decode-arrivals.ts'
import { SEAL_LIMITS, type SealLimits } from './limits.ts'
import { assertCount, type Refusal } from './machine.ts'
import type { GroupKey, SealHint } from './seal-hints.ts'
import { insertRows, type SeriesColumns } from './tail-rows.ts'

export interface DivideResult {
  /** what the tails of machines got */
  machines: SealHint[]
  refused: Refusal[]
  /** another process divides the group: nothing was done, or not everything */
  isBusy: boolean
}

/**
 * Moves the arrivals of a group of series into the tails of their machines. Each transaction moves a portion; the set of stored
 * readings never changes. Sections of series that are gone are dropped. Damaged rows stay, unless all series of the group are gone.
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
    const stored = await tx<StoredRow[]>`
      select id, n, body from reading_arrivals
      where tenant_id = ${tenantId} and series_group = ${group} and id > ${after}
      order by id limit ${most}`
    // after the rows: the series of a row are committed no later than it
    const machineOf = await seriesOfGroup(tx, tenantId, group)
    const { rows, series, damaged } = decodeArrivals(stored, group)
    const { tails, readings } = byMachine(series, machineOf)
    const machines = await insertRows(tx, tenantId, tails)
    const inserted = machines.reduce((sum, one) => sum + one.readings, 0)
    assertCount('readings of arrivals', inserted, readings)
    // nobody can miss what is left of machines that are all gone
    const moved = machineOf.size > 0 ? rows : stored
    const { count } = await tx`
      delete from reading_arrivals
      where tenant_id = ${tenantId} and series_group = ${group}
        and id in (select unnest(${arrayOf(moved.map(({ id }) => id))}::text::bigint[]))`
    assertCount('rows of reading_arrivals', count, moved.length)
    const refused = machineOf.size > 0 ? damaged : []
    return {
      machines,
      refused: refused.map(({ id, reason }) => ({ tenantId, what: `row ${id} of reading_arrivals`, reason })),
      after: stored.length < most ? null : (stored.at(-1) as { id: string }).id,
    }
  }) as Promise<Portion | null>
}

/** The machine of each series. */
async function seriesOfGroup(tx: TransactionSql, tenantId: string, group: number): Promise<Map<number, string>> {
  const [first, last] = seriesOf(group)
  const rows = await tx<{ id: number; machineId: string }[]>`
    select id, machine_id as "machineId" from series
    where tenant_id = ${tenantId} and id between ${first} and ${last} order by id`
  return new Map(rows.map(({ id, machineId }) => [id, machineId]))
}

/** The series of each machine, without series that are gone, and the number of their readings. */
function byMachine(series: ReadonlyMap<number, Columns>, machineOf: ReadonlyMap<number, string>) {
  const tails = new Map<string, SeriesColumns[]>()
  let readings = 0
  for (const [seriesId, columns] of series) {
    const machineId = machineOf.get(seriesId)
    if (machineId === undefined) continue
    const tail = tails.get(machineId)
    if (tail) tail.push([seriesId, columns])
    else tails.set(machineId, [[seriesId, columns]])
    readings += columns.length
  }
  return { tails, readings }
}

/** What is in arrivals of a group. */
export async function arrivalsOf(sql: Sql, { tenantId, group }: GroupKey): Promise<Omit<ArrivalCount, keyof GroupKey>> {
  const [row] = await sql<[Omit<ArrivalCount, keyof GroupKey>]>`
    select count(*)::int as rows, coalesce(sum(n), 0)::float8 as readings, (extract(epoch from min(t0)) * 1000)::float8 as "oldestAt"
    from reading_arrivals
    where tenant_id = ${tenantId} and series_group = ${group}`
  return row
}

/** Counts the arrivals of every group. */
export const scanArrivals = async (allTenants: Sql): Promise<ArrivalCount[]> => [
  ...(await allTenants<ArrivalCount[]>`
    select tenant_id as "tenantId", series_group as "group", count(*)::int as rows, sum(n)::float8 as readings,
      (extract(epoch from min(t0)) * 1000)::float8 as "oldestAt"
    from reading_arrivals
    group by tenant_id, series_group`),
]
