import { uuidArray, uuidBytes } from '../../db/binary-array.ts'
import type { Sql, TransactionSql } from '../../db/pools.ts'
import type { Columns } from '../codec/columns.ts'
import { CorruptReadings } from '../codec/corrupt.ts'
import { encodeTailBody, readTailBody, type TailBody } from '../codec/tail-body.ts'
import { sectionColumns, seriesColumns } from '../section-columns.ts'
import { arrayOf } from './arrays.ts'
import type { SealLimits } from './limits.ts'
import { assertCount, type MachineKey, type Refusal } from './machine.ts'
import type { SealHint } from './seal-hints.ts'

/** A row of the tail without its body. */
export interface TailRow {
  id: string
  /** Unix ms of the oldest and of the newest reading */
  t0: number
  t1: number
  /** number of readings */
  n: number
}

export interface MachineTail {
  /** rows with the same series next to each other, oldest first */
  rows: TailRow[]
  readings: number
  /** number of series of the machine */
  seriesCount: number
}

const MAX_ROWS = 50_000

export async function machineTail(sql: Sql, { tenantId, machineId }: MachineKey): Promise<MachineTail> {
  const rows = sql<TailRow[]>`
    select id, (extract(epoch from t0) * 1000)::float8 as t0, (extract(epoch from t1) * 1000)::float8 as t1, n
    from reading_tail
    where tenant_id = ${tenantId} and machine_id = ${machineId}
    order by s0, t0, id
    limit ${MAX_ROWS}`
  const series = sql<{ n: number }[]>`
    select count(*)::int as n from series where tenant_id = ${tenantId} and machine_id = ${machineId}`
  const [found, [count]] = await Promise.all([rows, series])
  return { rows: [...found], readings: found.reduce((sum, { n }) => sum + n, 0), seriesCount: count?.n ?? 0 }
}

/** Divides rows so that one transaction can decode each part. */
export function portionsOf(rows: readonly TailRow[], { portionRows, portionReadings }: SealLimits): TailRow[][] {
  const portions: TailRow[][] = []
  let readings = 0
  for (const row of rows) {
    const last = portions.at(-1)
    if (last && last.length < portionRows && readings + row.n <= portionReadings) {
      last.push(row)
      readings += row.n
    } else {
      portions.push([row])
      readings = row.n
    }
  }
  return portions
}

/** Readings of one series from one row. */
export interface Part extends Columns {
  row: DecodedRow
}

export interface DecodedRow {
  id: string
  n: number
  parts: { seriesId: number; part: Part }[]
}

/** Reads and decodes rows. Rows that are not there any more are left out, and those that do not decode are refused. */
export async function decodeRows(
  tx: TransactionSql,
  machine: MachineKey,
  ids: readonly string[],
): Promise<{ rows: DecodedRow[]; refused: Refusal[] }> {
  const stored = await tx<{ id: string; n: number; body: Buffer }[]>`
    select id, n, body
    from reading_tail
    where tenant_id = ${machine.tenantId} and machine_id = ${machine.machineId} and id in (select unnest(${arrayOf(ids)}::text::bigint[]))`
  const rows: DecodedRow[] = []
  const refused: Refusal[] = []
  for (const { id, n, body } of stored) {
    try {
      rows.push(decodeRow(id, n, body))
    } catch (error) {
      if (!(error instanceof CorruptReadings)) throw error
      refused.push({ ...machine, what: `row ${id} of reading_tail`, reason: error.message })
    }
  }
  return { rows, refused }
}

function decodeRow(id: string, n: number, body: Buffer): DecodedRow {
  const row: DecodedRow = { id, n, parts: [] }
  let found = 0
  readTailBody(
    body,
    () => true,
    (seriesId, times, values) => {
      row.parts.push({ seriesId, part: { row, length: times.length, times, values } })
      found += times.length
    },
  )
  if (found !== n) throw new CorruptReadings(`it holds ${found} readings instead of ${n}`)
  return row
}

const MAX_SERIES = 256
/** A row beyond this takes no further series. */
const ROW_READINGS = 131_072

export type SeriesColumns = readonly [seriesId: number, columns: Columns]

/**
 * Stores readings of a tenant's machines as rows of at most 256 series.
 * @param tails series by machine
 * @returns what each machine got
 */
export async function insertRows(
  tx: TransactionSql,
  tenantId: string,
  tails: ReadonlyMap<string, readonly SeriesColumns[]>,
): Promise<SealHint[]> {
  const rows = [...tails].flatMap(([machineId, series]) =>
    encodeRows(series.filter(([, { length }]) => length > 0).toSorted(([a], [b]) => a - b)).map((body) => ({
      ...body,
      machineId,
    })),
  )
  if (rows.length === 0) return []
  const machines = rows.map(({ machineId }) => uuidBytes(machineId))
  const { count } = await tx`
    insert into reading_tail (tenant_id, machine_id, s0, s1, t0, t1, n, body)
    select ${tenantId}, m, s0, s1, to_timestamp(a / 1000), to_timestamp(b / 1000), n, body
    from unnest(${uuidArray(tx, machines)}, ${seriesColumns(tx, rows)}, ${sectionColumns(tx, rows)}) r(m, s0, s1, a, b, n, body)`
  assertCount('rows of reading_tail inserted', count, rows.length)
  return [...Map.groupBy(rows, ({ machineId }) => machineId)].map(([machineId, its]) => ({
    ...{ tenantId, machineId, rows: its.length },
    readings: its.reduce((sum, { n }) => sum + n, 0),
    oldestAt: Math.min(...its.map(({ t0 }) => t0)),
  }))
}

function encodeRows(series: readonly SeriesColumns[]): TailBody[] {
  const bodies: TailBody[] = []
  for (let from = 0, to = 0; from < series.length; from = to) {
    let readings = 0
    while (to < series.length && to - from < MAX_SERIES && (to === from || readings < ROW_READINGS))
      readings += (series[to++] as (typeof series)[number])[1].length
    bodies.push(encodeRow(series.slice(from, to), readings))
  }
  return bodies
}

function encodeRow(series: readonly SeriesColumns[], readings: number): TailBody {
  const [times, values] = [new Float64Array(readings), new Float64Array(readings)]
  let at = 0
  const sections = series.map(([seriesId, columns]) => {
    times.set(columns.times.subarray(0, columns.length), at)
    values.set(columns.values.subarray(0, columns.length), at)
    const from = at
    at += columns.length
    return { seriesId, from, to: at }
  })
  return encodeTailBody(sections, times, values)
}

/** @throws ChangedMeanwhile */
export async function deleteRows(tx: TransactionSql, { tenantId, machineId }: MachineKey, ids: readonly string[]): Promise<void> {
  const { count } = await tx`
    delete from reading_tail
    where tenant_id = ${tenantId} and machine_id = ${machineId} and id in (select unnest(${arrayOf(ids)}::text::bigint[]))`
  assertCount('rows of reading_tail', count, ids.length)
}

/** The series of a machine. Read them after its rows: a row's series are committed no later than the row. */
export async function existingSeries(tx: TransactionSql, { tenantId, machineId }: MachineKey): Promise<Set<number>> {
  const rows = await tx<{ id: number }[]>`
    select id from series where tenant_id = ${tenantId} and machine_id = ${machineId}`
  return new Set(rows.map(({ id }) => id))
}

/** What a machine has in the tail. */
export interface TailCount extends MachineKey {
  rows: number
  readings: number
  /** Unix ms of the oldest reading */
  oldestAt: number
}

/** Counts the tail of every machine. Reads the rows of the tail without their bodies. */
export const scanTail = async (allTenants: Sql): Promise<TailCount[]> => [
  ...(await allTenants<TailCount[]>`
    select tenant_id as "tenantId", machine_id as "machineId", count(*)::int as rows, sum(n)::float8 as readings,
      (extract(epoch from min(t0)) * 1000)::float8 as "oldestAt"
    from reading_tail
    group by tenant_id, machine_id`),
]
