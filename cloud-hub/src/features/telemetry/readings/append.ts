import { byteaArray, float8Array, int4Array, uuidArray } from '../../../db/binary-array.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import { saveAnomalies } from './anomalies/save-anomalies.ts'
import { encodeTailBody, type TailBody } from './codec/tail-body.ts'
import { isAnomalousAt } from './latest/entries.ts'
import type { LatestRow } from './latest/rows.ts'
import { type SavedLatest, saveLive } from './latest/save.ts'
import type { SealHints } from './seal/seal-hints.ts'
import type { SeriesSpan, SortedReadings } from './sorted-readings.ts'

/** Learns what was appended, so that the sealer finds it. */
export type Hints = Pick<SealHints, 'appended'>

/** A row of the tail has at most so many series, so that a read of one series decodes little of a wide machine. */
const MAX_SECTIONS = 256

/**
 * Whether the readings of a span ascend strictly, are newer than the newest one that the context knows, and have its raw tag: they
 * can be stored without reading what is stored.
 */
export function isLive(
  { timestamps, rawTags }: SortedReadings,
  { from, to, newestAt, latest: { row, index } }: SeriesSpan,
): boolean {
  if ((timestamps[from] as number) <= newestAt || (rawTags[to - 1] ?? null) !== (row.tags?.[index] ?? null)) return false
  for (let i = from + 1; i < to; i++) if ((timestamps[i] as number) <= (timestamps[i - 1] as number)) return false
  return true
}

/**
 * Stores live readings. Sent, not awaited: the transaction fails as stale unless all are newer than everything stored.
 * @param isRepeated the flush failed as stale before
 */
export function appendLive(tx: TransactionSql, readings: SortedReadings, isRepeated: boolean, hints: Hints): SavedLatest {
  const saved = saveLive(tx, readings, readings.spans, isRepeated)
  insertTail(tx, readings, hints)
  const wasAnomalous = ({ latest }: SeriesSpan) => isAnomalousAt(latest.row.body, latest.index)
  const moves = readings.spans
    .filter((span) => span.evaluated || wasAnomalous(span))
    .map((span) => ({
      span,
      at: readings.timestamps[span.to - 1] as number,
      before: span.newestAt,
      wasAnomalous: wasAnomalous(span),
    }))
  saveAnomalies(tx, readings, moves, [])
  return saved
}

/** One row for each machine and 256 series. Sent, not awaited. */
export function insertTail(
  tx: TransactionSql,
  { spans, timestamps, values }: Pick<SortedReadings, 'spans' | 'timestamps' | 'values'>,
  hints: Hints,
): void {
  const byMachine = new Map<string, SeriesSpan[]>()
  // The series of a machine mostly follow each other.
  let [lastId, its]: [string, SeriesSpan[]] = ['', []]
  for (const span of spans) {
    const { machineId } = span.latest.row
    if (machineId !== lastId) {
      lastId = machineId
      its = byMachine.get(machineId) ?? []
      byMachine.set(machineId, its)
    }
    its.push(span)
  }
  const rows: (TailBody & Pick<LatestRow, 'tenantBytes' | 'machineBytes'>)[] = []
  for (const [machineId, its] of byMachine) {
    const { tenantId, tenantBytes, machineBytes } = (its[0] as SeriesSpan).latest.row
    for (let i = 0; i < its.length; i += MAX_SECTIONS) {
      const sections = its.length <= MAX_SECTIONS ? its : its.slice(i, i + MAX_SECTIONS)
      const body = encodeTailBody(sections, timestamps, values)
      rows.push({ ...body, tenantBytes, machineBytes })
      hints.appended(tenantId, machineId, body.n)
    }
  }
  const column = <T>(
    array: (tx: TransactionSql, items: T[]) => ReturnType<typeof uuidArray>,
    value: (row: (typeof rows)[number]) => T,
  ) => array(tx, rows.map(value))
  tx`
    insert into reading_tail (tenant_id, machine_id, t0, t1, s0, s1, n, body)
    select t, m, to_timestamp(a / 1000), to_timestamp(b / 1000), s0, s1, n, body from unnest(
      ${column(uuidArray, (r) => r.tenantBytes)}, ${column(uuidArray, (r) => r.machineBytes)},
      ${column(float8Array, (r) => r.t0)}, ${column(float8Array, (r) => r.t1)}, ${column(int4Array, (r) => r.s0)},
      ${column(int4Array, (r) => r.s1)}, ${column(int4Array, (r) => r.n)}, ${column(byteaArray, (r) => r.body)})
      r(t, m, a, b, s0, s1, n, body)`.execute()
}
