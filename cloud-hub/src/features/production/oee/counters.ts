import type { TransactionSql } from '../../../db/pools.ts'
import type { ReadingStore } from '../../../readings/index.ts'
import { COUNTER_METRICS } from '../../telemetry/ingest/index.ts'
import type { TimeInterval } from '../time-attribution/index.ts'
import { NO_COUNTS, type WindowCounts } from './formula.ts'

type CounterMetric = (typeof COUNTER_METRICS)[number]

/** Readings of one series that are decoded at once. */
const PAGE_READINGS = 32_768

export interface CounterSeries {
  id: number
  metric: CounterMetric
}

/** What a counter says about a window. */
export interface Increase {
  /** null: no reading had one before it */
  sum: number | null
  /** readings below the one before that were ignored, because the next one had returned */
  dips: number
  /** the last reading of all is a drop, which counts as a reset until the next one shows whether it is a dip */
  hasOpenDrop: boolean
}

/**
 * Adds up the increases of a cumulative counter by window. An increase between two readings belongs to the instant of the later one,
 * so windows that meet add up to the whole. A value below the one before is a reset or a roll-over and counts from zero, unless the
 * next reading is again at or above the old value: then it is a dip, which is ignored.
 */
export class CounterSum {
  readonly #windows: readonly TimeInterval[]
  readonly #increases: Increase[]
  /** the last value that is not a drop; null: none is known, so the next reading has no increase */
  #last: number | null = null
  /** a value below the last one, until the next reading shows whether it is a dip */
  #drop: { window: number; value: number } | null = null
  #window = 0

  /** @param windows ascending, without overlaps */
  constructor(windows: readonly TimeInterval[]) {
    this.#windows = windows
    this.#increases = windows.map(() => ({ sum: null, dips: 0, hasOpenDrop: false }))
  }

  /**
   * Readings must ascend, also from call to call. Two readings before the first window show from which value it increases, and one
   * after the last window whether the last drop is a dip.
   */
  add(times: ArrayLike<number>, values: ArrayLike<number>): void {
    for (let i = 0; i < times.length; i++) {
      const [at, value] = [times[i] as number, values[i] as number]
      while (this.#window < this.#windows.length && (this.#windows[this.#window] as TimeInterval).end <= at) this.#window++
      const window = at >= (this.#windows[this.#window]?.start ?? Number.POSITIVE_INFINITY) ? this.#window : -1
      if (this.#drop) this.#endDrop(value)
      if (this.#last !== null && value < this.#last) this.#drop = { window, value }
      else this.#accept(window, value, this.#last === null ? null : value - this.#last)
    }
  }

  #endDrop(next: number | null): void {
    const { window, value } = this.#drop as { window: number; value: number }
    this.#drop = null
    const of = this.#increases[window]
    if (next === null || next < (this.#last as number)) this.#accept(window, value, Math.max(0, value))
    else if (of) of.dips++
  }

  #accept(window: number, value: number, increase: number | null): void {
    const of = this.#increases[window]
    if (of && increase !== null) of.sum = (of.sum ?? 0) + increase
    this.#last = value
  }

  /** By window. Nothing can be added after: a drop without a next reading is a reset. */
  finish(): readonly Increase[] {
    const of = this.#increases[this.#drop?.window ?? -1]
    if (of) of.hasOpenDrop = true
    if (this.#drop) this.#endDrop(null)
    return this.#increases
  }
}

/** The series of counters of some machines, by machine. */
export async function counterSeries(
  tx: TransactionSql,
  tenantId: string,
  machineIds: readonly string[],
): Promise<Map<string, CounterSeries[]>> {
  const rows = await tx<(CounterSeries & { machineId: string })[]>`
    select id, machine_id as "machineId", metric from series
    where tenant_id = ${tenantId} and machine_id = any(${[...machineIds]}::uuid[]) and metric = any(${[...COUNTER_METRICS]}::text[])
    order by id`
  return Map.groupBy(rows, ({ machineId }) => machineId)
}

/**
 * What the counters of a machine say about some windows. Of several units of a metric the series with the newest reading counts.
 * @param windows ascending, without overlaps
 */
export async function countsOf(
  tx: TransactionSql,
  store: ReadingStore,
  tenantId: string,
  series: readonly CounterSeries[],
  windows: readonly TimeInterval[],
): Promise<WindowCounts[]> {
  const [first, last] = [windows[0], windows.at(-1)]
  if (!first || !last || series.length === 0) return windows.map(() => NO_COUNTS)
  const chosen = await newestByMetric(tx, store, tenantId, series, last.end)
  const increases = async (metric: CounterMetric) => {
    const id = chosen.get(metric)
    return id === undefined ? [] : increasesOf(tx, store, { tenantId, id }, windows)
  }
  const totals = await increases('total_count')
  const goods = await increases('good_count')
  const ideal = chosen.get('ideal_cycle_seconds')
  const cycles =
    ideal === undefined
      ? []
      : await store.neighbours(
          tx,
          windows.map(({ end }) => ({ series: { tenantId, id: ideal }, at: end - 1, before: 1, after: 0 })),
        )
  return windows.map((_, i) => {
    const cycle = cycles[i]?.values[0] ?? null
    return {
      total: totals[i]?.sum ?? null,
      good: goods[i]?.sum ?? null,
      idealCycleSeconds: cycle !== null && cycle > 0 ? cycle : null,
      ignoredDips: (totals[i]?.dips ?? 0) + (goods[i]?.dips ?? 0),
      hasOpenDrop: (totals[i]?.hasOpenDrop ?? false) || (goods[i]?.hasOpenDrop ?? false),
    }
  })
}

async function newestByMetric(
  tx: TransactionSql,
  store: ReadingStore,
  tenantId: string,
  series: readonly CounterSeries[],
  end: number,
): Promise<Map<CounterMetric, number>> {
  const found = await store.neighbours(
    tx,
    series.map(({ id }) => ({ series: { tenantId, id }, at: end - 1, before: 1, after: 0 })),
  )
  const newest = new Map<CounterMetric, { id: number; at: number }>()
  for (const [i, { id, metric }] of series.entries()) {
    const at = found[i]?.times[0]
    if (at !== undefined && at > (newest.get(metric)?.at ?? Number.NEGATIVE_INFINITY)) newest.set(metric, { id, at })
  }
  return new Map([...newest].map(([metric, { id }]) => [metric, id]))
}

async function increasesOf(
  tx: TransactionSql,
  store: ReadingStore,
  series: { tenantId: string; id: number },
  windows: readonly TimeInterval[],
): Promise<readonly Increase[]> {
  const [start, end] = [(windows[0] as TimeInterval).start, (windows.at(-1) as TimeInterval).end]
  const [earlier, later] = await store.neighbours(tx, [
    { series, at: start - 1, before: 2, after: 0 },
    { series, at: end - 1, before: 0, after: 1 },
  ])
  const sum = new CounterSum(windows)
  if (earlier) sum.add(earlier.times, earlier.values)
  for (let from = start; from < end; ) {
    const range = { tenantId: series.tenantId, seriesIds: [series.id], from, until: end }
    const [page] = await store.columns(tx, range, PAGE_READINGS)
    if (!page) break
    sum.add(page.times.subarray(0, page.length), page.values.subarray(0, page.length))
    if (page.length < PAGE_READINGS) break
    from = (page.times[page.length - 1] as number) + 1
  }
  if (later) sum.add(later.times, later.values)
  return sum.finish()
}
