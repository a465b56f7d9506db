import type { TransactionSql } from '../../../db/pools.ts'
import type { SortedReadings } from '../../../readings/index.ts'
import type { LoadedContext, SeriesContext } from '../series/index.ts'

/** Metrics from which OEE is computed, where a machine reports them. */
export const COUNTER_METRICS = ['total_count', 'good_count', 'ideal_cycle_seconds'] as const
const isCounter: ReadonlySet<string> = new Set(COUNTER_METRICS)

/**
 * Queues the counter readings of a flush that begin before the end of a completed shift log, so that its OEE is computed again. A
 * flush without counters sends nothing. Sent, not awaited.
 */
export function queueCounterChanges(
  tx: TransactionSql,
  series: LoadedContext['series'],
  { spans, timestamps }: Pick<SortedReadings, 'spans' | 'timestamps'>,
): void {
  const counters = spans.filter(({ slot }) => isCounter.has(series[slot]?.metric ?? ''))
  if (counters.length === 0) return
  const ranges = new Map<string, { of: SeriesContext; from: number; until: number }>()
  for (const { slot, from, to } of counters) {
    const of = series[slot] as SeriesContext
    const known = ranges.get(of.machine.id)
    const [first, last] = [timestamps[from] as number, timestamps[to - 1] as number]
    ranges.set(of.machine.id, { of, from: Math.min(first, known?.from ?? first), until: Math.max(last, known?.until ?? last) })
  }
  const all = [...ranges.values()]
  const instants = (pick: (range: (typeof all)[number]) => number) => all.map((range) => new Date(pick(range)).toISOString())
  tx`
    select queue_oee_of_counters(${all.map(({ of }) => of.tenantId)}::uuid[], ${all.map(({ of }) => of.machine.id)}::uuid[],
      ${instants(({ from }) => from)}::text[]::timestamptz[], ${instants(({ until }) => until)}::text[]::timestamptz[])`.execute()
}
