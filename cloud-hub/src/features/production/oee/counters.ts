import type { TransactionSql } from '../../../db/pools.ts'
import { COUNTER_METRICS } from '../../telemetry/ingest/index.ts'
import type { ReadingStore } from '../../telemetry/readings/index.ts'
import type { Interval } from '../time-attribution/index.ts'
import type { Counts } from './formula.ts'

type CounterMetric = (typeof COUNTER_METRICS)[number]

/** Readings of one series that are decoded at once. */
const PAGE_READINGS = 32_768

export interface CounterSeries {
  id: number
  metric: CounterMetric
}

/**
 * Adds up the increases of a cumulative counter by window. An increase between two readings belongs to the instant of the later one,
 * so windows that meet add up to the whole. A value below the one before is a reset or a roll-over: it counts from zero.
 */
export class CounterSum {
  readonly #windows: readonly Interval[]
  readonly #sums: (number | null)[]
  #last: number | null
  #window = 0

  /**
   * @param windows ascending, without overlaps
   * @param before the last value before the first window; null: none is known, so the first reading has no increase
   */
  constructor(windows: readonly Interval[], before: number | null) {
    this.#windows = windows
    this.#sums = windows.map(() => null)
    this.#last = before
  }

  /** Readings must ascend, also from call to call. */
  add(times: ArrayLike<number>, values: ArrayLike<number>): void {
    for (let i = 0; i < times.length; i++) {
      const [at, value] = [times[i] as number, values[i] as number]
      while (this.#window < this.#windows.length && (this.#windows[this.#window] as Interval).end <= at) this.#window++
      const window = this.#windows[this.#window]
      if (window && at >= window.start && this.#last !== null) {
        const increase = value >= this.#last ? value - this.#last : Math.max(0, value)
        this.#sums[this.#window] = (this.#sums[this.#window] ?? 0) + increase
      }
      this.#last = value
    }
  }

  /** By window; null where no reading had one before it. */
  get sums(): readonly (number | null)[] {
    return this.#sums
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
  windows: readonly Interval[],
): Promise<Counts[]> {
  const [first, last] = [windows[0], windows.at(-1)]
  if (!first || !last || series.length === 0) return windows.map(() => ({ total: null, good: null, idealCycleSeconds: null }))
  const chosen = await newestByMetric(tx, store, tenantId, series, last.end)
  const sums = async (metric: CounterMetric) => {
    const id = chosen.get(metric)
    return id === undefined ? windows.map(() => null) : increasesOf(tx, store, { tenantId, id }, windows)
  }
  const totals = await sums('total_count')
  const goods = await sums('good_count')
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
    return { total: totals[i] ?? null, good: goods[i] ?? null, idealCycleSeconds: cycle !== null && cycle > 0 ? cycle : null }
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
  windows: readonly Interval[],
): Promise<readonly (number | null)[]> {
  const [start, end] = [(windows[0] as Interval).start, (windows.at(-1) as Interval).end]
  const [earlier] = await store.neighbours(tx, [{ series, at: start - 1, before: 1, after: 0 }])
  const sum = new CounterSum(windows, earlier?.values[0] ?? null)
  for (let from = start; from < end; ) {
    const range = { tenantId: series.tenantId, seriesIds: [series.id], from, until: end }
    const [page] = await store.columns(tx, range, PAGE_READINGS)
    if (!page) break
    sum.add(page.times, page.values)
    if (page.length < PAGE_READINGS) break
    from = (page.times[page.length - 1] as number) + 1
  }
  return sum.sums
}
