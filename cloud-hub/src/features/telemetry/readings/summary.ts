import type { TenantScope } from '../../../db/scope.ts'
import type { ReadingStore, StoredSeries } from '../../../readings/index.ts'
import type { z } from '../../../support/http/z.ts'
import { rangeOf } from './read-series.ts'
import type { SummaryResponse } from './schemas.ts'

interface Lost {
  metric: string
  unit: string
  count: number
}

/**
 * Readings that agents had to drop in a range, by series. A gap that exceeds the range counts in proportion, as if its readings
 * had been evenly distributed.
 */
const lostReadings = (scope: TenantScope, machineId: string, start: Date, end: Date) =>
  scope.read(
    (tx) => tx<Lost[]>`
      select g.metric_name as metric, g.unit, round(sum(g.count * case when g.from_at >= ${start} and g.to_at <= ${end} then 1 else
        extract(epoch from least(g.to_at, ${end}) - greatest(g.from_at, ${start})) / extract(epoch from g.to_at - g.from_at) end))::float8 as count
      from data_gaps g join machines m on m.tenant_id = g.tenant_id and m.machine_identifier = g.machine_identifier
      where m.tenant_id = ${scope.tenantId} and m.id = ${machineId} and g.collector is null and g.from_at <= ${end} and g.to_at >= ${start}
      group by 1, 2`,
  )

/** Percent with two digits; 100 only when no reading was lost. */
const completeness = (kept: number, lost: number): number =>
  lost === 0 ? 100 : Math.floor((kept / (kept + lost)) * 10_000) / 100

/**
 * The statistics of a machine's series over a range, with their completeness. Completeness is stored readings divided by stored
 * readings plus those that agents report as dropped. A series without stored readings has no statistics; its losses count for the
 * machine.
 */
export async function summarize(
  scope: TenantScope,
  store: ReadingStore,
  machineId: string,
  series: readonly StoredSeries[],
  { start, end }: { start: Date; end: Date },
): Promise<z.input<typeof SummaryResponse>> {
  const range = rangeOf(scope, series, start.getTime(), end.getTime() + 1)
  const [totals, lost] = await Promise.all([
    series.length === 0 ? [] : scope.read((tx) => store.totals(tx, range)),
    lostReadings(scope, machineId, start, end),
  ])
  const sum = (all: readonly { count: number }[]) => all.reduce((total, { count }) => total + count, 0)
  return {
    machine_id: machineId,
    start: start.toISOString(),
    end: end.toISOString(),
    completeness_percent: completeness(sum(totals.map(({ n }) => ({ count: n }))), sum(lost)),
    metrics: totals.map((total) => {
      const { metric, unit } = series[total.series] as StoredSeries
      const lostCount = sum(lost.filter((one) => one.metric === metric && one.unit === unit))
      return {
        metric_name: metric,
        unit,
        min_value: total.low,
        max_value: total.high,
        avg_value: total.mean,
        latest_value: total.last,
        latest_timestamp: new Date(total.lastAt).toISOString(),
        sample_count: total.n,
        lost_count: lostCount,
        completeness_percent: completeness(total.n, lostCount),
      }
    }),
  }
}
