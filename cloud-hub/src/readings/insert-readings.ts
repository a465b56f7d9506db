import { int4Array, uuidArray } from '../db/binary-array.ts'
import type { TransactionSql } from '../db/pools.ts'
import { encodeTailBody, type TailBody } from './codec/tail-body.ts'
import type { LatestRow } from './latest/rows.ts'
import type { SealHints } from './seal/seal-hints.ts'
import { sectionColumns, seriesColumns } from './section-columns.ts'
import { groupOf } from './series-group.ts'
import type { SeriesSpan, SortedReadings } from './sorted-readings.ts'

/** Where flushes insert readings. */
export interface Inserts {
  /** learns what was inserted, so that the sealer finds it */
  hints: Pick<SealHints, 'appended' | 'arrived'>
  /**
   * number of machines from which the readings of a group of series share a row: {@link SHARING_MACHINES}, or Infinity while a hub of
   * an older version would miss them
   */
  sharedFrom: () => number
}

/** The readings of fewer machines are not worth a row that has to be divided later. */
export const SHARING_MACHINES = 4

/** A row of the tail has at most so many series, so that a read of one series decodes little of a wide machine. */
const MAX_SECTIONS = 256
/** Readings of a series, on average, above which rows of their own cost little. It bounds rows of arrivals to 2,048 readings. */
const MEAN_READINGS = 16

type Readings = Pick<SortedReadings, 'spans' | 'timestamps' | 'values'>
type Row = TailBody & Pick<LatestRow, 'tenantBytes'>

/**
 * Inserts readings of series of a group as one row of arrivals where they are few and of several machines, and all others as rows of
 * the tail. Sent, not awaited.
 */
export function insertReadings(tx: TransactionSql, readings: Readings, { hints, sharedFrom }: Inserts): void {
  const { shared, own } = divided(readings.spans, sharedFrom())
  if (shared.length > 0) insertArrivals(tx, shared, readings, hints)
  if (own.length > 0) insertTail(tx, own, readings, hints)
}

/** Divides spans into those that share a row of arrivals, and all others. */
function divided(spans: readonly SeriesSpan[], sharedFrom: number): { shared: SeriesSpan[][]; own: readonly SeriesSpan[] } {
  const shared: SeriesSpan[][] = []
  const own: SeriesSpan[] = []
  for (let from = 0, to = 0; from < spans.length; from = to) {
    const first = spans[from] as SeriesSpan
    const { tenantId } = first.latest.row
    let { machineId } = first.latest.row
    // where series of machines alternate, a machine counts more than once
    let [machines, readings] = [1, 0]
    for (; to < spans.length; to++) {
      const span = spans[to] as SeriesSpan
      const { row } = span.latest
      if (groupOf(span.seriesId) !== groupOf(first.seriesId) || row.tenantId !== tenantId) break
      if (row.machineId !== machineId) machines++
      machineId = row.machineId
      readings += span.to - span.from
    }
    const group = spans.slice(from, to)
    if (machines >= sharedFrom && readings <= MEAN_READINGS * group.length) shared.push(group)
    else for (const span of group) own.push(span)
  }
  return { shared, own }
}

function insertArrivals(
  tx: TransactionSql,
  groups: readonly SeriesSpan[][],
  { timestamps, values }: Readings,
  hints: Inserts['hints'],
): void {
  const rows = groups.map((spans) => {
    const { seriesId, latest } = spans[0] as SeriesSpan
    const body = encodeTailBody(spans, timestamps, values)
    hints.arrived(latest.row.tenantId, groupOf(seriesId), body.n)
    return { ...body, tenantBytes: latest.row.tenantBytes, group: groupOf(seriesId) }
  })
  const groupIds = rows.map(({ group }) => group)
  tx`
    insert into reading_arrivals (tenant_id, series_group, t0, t1, n, body)
    select t, g, to_timestamp(a / 1000), to_timestamp(b / 1000), n, body
    from unnest(${uuidArray(tx, rows.map(tenantOf))}, ${int4Array(tx, groupIds)}, ${sectionColumns(tx, rows)})
      r(t, g, a, b, n, body)`.execute()
}

/** One row for each machine and 256 series. */
function insertTail(
  tx: TransactionSql,
  spans: readonly SeriesSpan[],
  { timestamps, values }: Readings,
  hints: Inserts['hints'],
): void {
  const rows: (Row & Pick<LatestRow, 'machineBytes'>)[] = []
  for (const [machineId, its] of byMachine(spans)) {
    const { tenantId, tenantBytes, machineBytes } = (its[0] as SeriesSpan).latest.row
    for (let i = 0; i < its.length; i += MAX_SECTIONS) {
      const sections = its.length <= MAX_SECTIONS ? its : its.slice(i, i + MAX_SECTIONS)
      const body = encodeTailBody(sections, timestamps, values)
      rows.push({ ...body, tenantBytes, machineBytes })
      hints.appended(tenantId, machineId, body.n)
    }
  }
  const machines = rows.map(({ machineBytes }) => machineBytes)
  tx`
    insert into reading_tail (tenant_id, machine_id, s0, s1, t0, t1, n, body)
    select t, m, s0, s1, to_timestamp(a / 1000), to_timestamp(b / 1000), n, body
    from unnest(${uuidArray(tx, rows.map(tenantOf))}, ${uuidArray(tx, machines)}, ${seriesColumns(tx, rows)}, ${sectionColumns(tx, rows)})
      r(t, m, s0, s1, a, b, n, body)`.execute()
}

const tenantOf = ({ tenantBytes }: Row) => tenantBytes

function byMachine(spans: readonly SeriesSpan[]): Map<string, SeriesSpan[]> {
  const machines = new Map<string, SeriesSpan[]>()
  // The series of a machine mostly follow each other.
  let [lastId, its]: [string, SeriesSpan[]] = ['', []]
  for (const span of spans) {
    const { machineId } = span.latest.row
    if (machineId !== lastId) {
      lastId = machineId
      its = machines.get(machineId) ?? []
      machines.set(machineId, its)
    }
    its.push(span)
  }
  return machines
}
