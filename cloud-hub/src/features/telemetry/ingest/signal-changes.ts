import type { TransactionSql } from '../../../db/pools.ts'
import { newestStored, type SeriesSpan, type SortedReadings } from '../../../readings/index.ts'
import { isStopped, type LoadedContext, type SeriesContext, type StopSignal } from '../series/index.ts'

/** Readings of a machine that may begin or end a stop, Unix ms, both inclusive. */
interface SignalChange {
  of: SeriesContext
  from: number
  until: number
}

/**
 * Queues the machines whose readings may begin or end a stop, in the transaction of the readings. A job evaluates them
 * (features/production/detection). Sent, not awaited; without such readings nothing is sent.
 */
export function queueSignalChanges(tx: TransactionSql, { series }: LoadedContext, readings: SortedReadings, now: Date): void {
  const changes = new Map<string, SignalChange>()
  for (const span of readings.spans) {
    const of = series[span.slot]
    if (!of?.stopSignal || !mayChange(of.stopSignal, readings, span, now.getTime())) continue
    const [from, until] = [readings.timestamps[span.from] as number, readings.timestamps[span.to - 1] as number]
    const known = changes.get(of.machine.id)
    changes.set(of.machine.id, {
      of,
      from: Math.min(from, known?.from ?? from),
      until: Math.max(until, known?.until ?? until),
    })
  }
  if (changes.size === 0) return
  const column = (value: (change: SignalChange) => string) => `{${[...changes.values()].map(value).join()}}`
  const instant = (ms: number) => `"${new Date(ms).toISOString()}"`
  tx`
    insert into signal_changes (tenant_id, machine_id, from_at, until_at)
    select * from unnest(${column(({ of }) => of.tenantId)}::text::uuid[], ${column(({ of }) => of.machine.id)}::text::uuid[],
      ${column(({ from }) => instant(from))}::text::timestamptz[], ${column(({ until }) => instant(until))}::text::timestamptz[])`.execute()
}

/** Whether these readings may begin or end a stop, given the newest stored one. A count needs late readings only: a timer reads it. */
function mayChange(signal: StopSignal, { timestamps, values }: SortedReadings, span: SeriesSpan, now: number): boolean {
  const before = newestStored(span)
  const first = timestamps[span.from] as number
  if (!before || first <= before.timestamp) return true
  if (
    signal.silentMs !== null &&
    (now - before.timestamp >= signal.silentMs || hasGap(timestamps, span, before.timestamp, signal.silentMs))
  )
    return true
  if (signal.kind === 'silence' || signal.kind === 'count') return false
  const wasStopped = isStopped(signal, before.value)
  for (let i = span.from; i < span.to; i++) if (isStopped(signal, values[i] as number) !== wasStopped) return true
  return false
}

function hasGap(timestamps: Float64Array, { from, to }: SeriesSpan, before: number, silentMs: number): boolean {
  let last = before
  for (let i = from; i < to; i++) {
    const at = timestamps[i] as number
    if (at - last >= silentMs) return true
    last = at
  }
  return false
}
