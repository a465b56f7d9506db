import { byteaArray } from '../../../db/bytea-array.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import { saveAnomalies } from './anomalies/save-anomalies.ts'
import { encodeTailBody, type TailBody } from './codec/tail-body.ts'
import { isAnomalousAt } from './latest/entries.ts'
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
  const moves = readings.spans.flatMap((span) => {
    const { evaluated, latest, newestAt, to } = span
    const wasAnomalous = isAnomalousAt(latest.row.body, latest.index)
    if (!evaluated && !wasAnomalous) return []
    return [{ span, at: readings.timestamps[to - 1] as number, before: newestAt, wasAnomalous }]
  })
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
  const rows: (TailBody & { tenantId: string; machineId: string })[] = []
  for (const [machineId, its] of byMachine)
    for (let i = 0; i < its.length; i += MAX_SECTIONS)
      rows.push({
        ...encodeTailBody(its.slice(i, i + MAX_SECTIONS), timestamps, values),
        tenantId: (its[0] as SeriesSpan).latest.row.tenantId,
        machineId,
      })
  for (const { tenantId, machineId, n } of rows) hints.appended(tenantId, machineId, n)
  const column = (value: (row: (typeof rows)[number]) => unknown) => `{${rows.map(value).join()}}`
  tx`
    insert into reading_tail (tenant_id, machine_id, t0, t1, s0, s1, n, body)
    select t, m, to_timestamp(a / 1000), to_timestamp(b / 1000), s0, s1, n, body from unnest(${column((r) => r.tenantId)}::text::uuid[],
      ${column((r) => r.machineId)}::text::uuid[], ${column((r) => r.t0)}::text::float8[], ${column((r) => r.t1)}::text::float8[],
      ${column((r) => r.s0)}::text::int[], ${column((r) => r.s1)}::text::int[], ${column((r) => r.n)}::text::int[],
      ${byteaArray(
        tx,
        rows.map(({ body }) => body),
      )}) r(t, m, a, b, s0, s1, n, body)`.execute()
}
