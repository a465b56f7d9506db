import { ADVISORY_LOCKS } from '../../db/advisory-locks.ts'
import type { Sql, TransactionSql } from '../../db/pools.ts'
import { sortColumns } from '../codec/block.ts'
import type { Columns } from '../codec/columns.ts'
import { CorruptReadings } from '../codec/corrupt.ts'
import { appendSections, countSections, type GrowingColumns } from '../codec/tail-body.ts'
import { groupOf, seriesOf } from '../series-group.ts'
import { arrayOf } from './arrays.ts'
import { SEAL_LIMITS, type SealLimits } from './limits.ts'
import { assertCount, type Refusal } from './machine.ts'
import type { ArrivalCount } from './queues.ts'
import type { GroupKey, SealHint } from './seal-hints.ts'
import { insertRows, type SeriesColumns } from './tail-rows.ts'

interface StoredRow {
  id: string
  /** number of readings */
  n: number
  body: Buffer
}

interface DecodedArrivals {
  rows: readonly StoredRow[]
  /** their readings by series, ascending */
  series: ReadonlyMap<number, Columns>
  /** the other rows */
  damaged: { id: string; reason: string }[]
}

/** Decodes rows, except those that are damaged, that have series of another group, or an instant of a series twice. */
function decodeArrivals(stored: readonly StoredRow[], group: number): DecodedArrivals {
  const damaged: DecodedArrivals['damaged'] = []
  for (let rows = stored; ; ) {
    const faults = new Map<string, string>()
    const series = decodeAll(rows, group, faults)
    if (faults.size === 0) return { rows, series, damaged }
    for (const [id, reason] of faults) damaged.push({ id, reason })
    rows = rows.filter(({ id }) => !faults.has(id))
  }
}

/** @param faults gets the reason of each row that cannot be decoded; then the result is of no use */
function decodeAll(rows: readonly StoredRow[], group: number, faults: Map<string, string>): Map<number, Columns> {
  const counts = new Map<number, number>()
  const attempt = (work: (row: StoredRow) => void) => {
    for (const row of faults.size > 0 ? [] : rows) {
      try {
        work(row)
      } catch (error) {
        if (!(error instanceof CorruptReadings)) throw error
        faults.set(row.id, error.message)
      }
    }
  }
  attempt(({ n, body }) => {
    let found = 0
    countSections(body, (id, count) => {
      if (groupOf(id) !== group) throw new CorruptReadings(`series ${id} is not of group ${group}`)
      counts.set(id, (counts.get(id) ?? 0) + count)
      found += count
    })
    if (found !== n) throw new CorruptReadings(`it holds ${found} readings instead of ${n}`)
  })
  const series = new Map<number, GrowingColumns>()
  for (const [id, count] of counts) series.set(id, { times: new Float64Array(count), values: new Float64Array(count), length: 0 })
  attempt(({ body }) => appendSections(body, (id) => series.get(id) as GrowingColumns))
  const sorted = new Map<number, Columns>(series)
  const doubled = new Set<number>()
  for (const [id, columns] of series) {
    if (isAscending(columns)) continue
    const ordered = sortColumns(columns)
    sorted.set(id, ordered)
    if (!isAscending(ordered)) doubled.add(id)
  }
  if (doubled.size > 0)
    attempt(({ body }) =>
      countSections(body, (id) => {
        if (doubled.has(id)) throw new CorruptReadings(`series ${id} has an instant twice`)
      }),
    )
  return sorted
}

/** Whether each instant is later than the one before. */
function isAscending({ length, times }: Columns): boolean {
  for (let i = 1; i < length; i++) if ((times[i] as number) <= (times[i - 1] as number)) return false
  return true
}

interface DivideResult {
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
