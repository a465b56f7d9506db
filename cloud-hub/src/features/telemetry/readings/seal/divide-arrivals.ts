import { ADVISORY_LOCKS } from '../../../../db/advisory-locks.ts'
import type { Sql, TransactionSql } from '../../../../db/pools.ts'
import { mergeColumns } from '../codec/block.ts'
import type { Columns } from '../codec/columns.ts'
import { groupOf, seriesOf } from '../series-group.ts'
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
    const stored = await tx<{ id: string; n: number; body: Buffer }[]>`
      select id, n, body from reading_arrivals
      where tenant_id = ${tenantId} and series_group = ${group} and id > ${after}
      order by id limit ${most}`
    // after the rows: the series of a row are committed no later than it
    const machineOf = await seriesOfGroup(tx, tenantId, group)
    const { rows, tails, kept, damaged } = divide(stored, group, machineOf)
    const machines = await insertRows(tx, tenantId, tails)
    const inserted = machines.reduce((sum, { readings }) => sum + readings, 0)
    assertCount('readings of arrivals', inserted, kept)
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

interface Division {
  rows: readonly { id: string }[]
  /** the series of each machine; without series that are gone */
  tails: Map<string, SeriesColumns[]>
  /** number of their readings */
  kept: number
  damaged: { id: string; reason: string }[]
}

/** Divides rows by machine, except rows that do not decode, have series of another group, or an instant of a series twice. */
function divide(
  stored: readonly { id: string; n: number; body: Buffer }[],
  group: number,
  machineOf: ReadonlyMap<number, string>,
): Division {
  const { rows: decoded, damaged } = decodeAll(stored)
  let rows = refuse(decoded, damaged, ({ seriesId }) => groupOf(seriesId) !== group, `are not of group ${group}`)
  let series = seriesOfRows(rows)
  const doubled = new Set([...series].flatMap(([id, columns]) => (isAscending(columns) ? [] : [id])))
  if (doubled.size > 0) {
    rows = refuse(rows, damaged, ({ seriesId }) => doubled.has(seriesId), 'have an instant twice')
    series = seriesOfRows(rows)
  }
  const tails = new Map<string, SeriesColumns[]>()
  let kept = 0
  for (const [seriesId, columns] of series) {
    const machineId = machineOf.get(seriesId)
    if (machineId === undefined) continue
    const tail = tails.get(machineId) ?? []
    tails.set(machineId, tail)
    tail.push([seriesId, columns])
    kept += columns.length
  }
  return { rows, tails, kept, damaged }
}

/** @returns the other rows */
function refuse(
  rows: readonly DecodedRow[],
  damaged: Division['damaged'],
  isWrong: (section: DecodedRow['parts'][number]) => boolean,
  why: string,
): DecodedRow[] {
  return rows.filter(({ id, parts }) => {
    const wrong = parts.filter(isWrong).map(({ seriesId }) => seriesId)
    if (wrong.length > 0) damaged.push({ id, reason: `series ${[...new Set(wrong)].join(', ')} ${why}` })
    return wrong.length === 0
  })
}

function seriesOfRows(rows: readonly DecodedRow[]): Map<number, Columns> {
  const parts = new Map<number, Columns[]>()
  for (const row of rows)
    for (const { seriesId, part } of row.parts) {
      const its = parts.get(seriesId)
      if (its) its.push(part)
      else parts.set(seriesId, [part])
    }
  return new Map([...parts].map(([id, its]) => [id, mergeColumns(its)]))
}

function isAscending({ length, times }: Columns): boolean {
  for (let i = 1; i < length; i++) if ((times[i] as number) <= (times[i - 1] as number)) return false
  return true
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
