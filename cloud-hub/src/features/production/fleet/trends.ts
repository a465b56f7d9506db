import type { TenantScope } from '../../../db/scope.ts'
import type { ReadingStore } from '../../../readings/index.ts'
import { OVERVIEW_TRENDS } from './schemas.ts'
import type { ViolationRow } from './violations.ts'

const MINUTE_MS = 60_000
const MINUTES = 60

export interface Trend {
  metric_name: string
  unit: string
  from: string
  /** the mean of each minute; null without a reading */
  values: (number | null)[]
}
/** By machine. */
type Trends = ReadonlyMap<string, Trend>
export const NO_TRENDS: Trends = new Map()

/** The last hour of the first violation of the first violating ones of some machines, all their series in one read. */
export async function trendsOf(
  store: ReadingStore,
  scope: TenantScope,
  machineIds: readonly string[],
  violations: ReadonlyMap<string, readonly ViolationRow[]>,
): Promise<Trends> {
  const { tenantId, clock } = scope
  const wanted = machineIds
    .flatMap((machineId) => (violations.get(machineId) ?? []).slice(0, 1).map((first) => ({ machineId, first })))
    .slice(0, OVERVIEW_TRENDS)
  if (wanted.length === 0) return NO_TRENDS
  const until = clock.now().getTime()
  const from = Math.floor(until / MINUTE_MS) * MINUTE_MS - (MINUTES - 1) * MINUTE_MS
  const series = await scope.read(
    (sql) => sql<{ id: number; machineId: string; metric: string; unit: string }[]>`
      select s.id, s.machine_id as "machineId", s.metric, s.unit
      from unnest(${wanted.map(({ machineId }) => machineId)}::uuid[], ${wanted.map(({ first }) => first.metric_name)}::text[],
        ${wanted.map(({ first }) => first.unit)}::text[]) as w (machine_id, metric, unit)
      join series s on s.tenant_id = ${tenantId} and s.machine_id = w.machine_id and s.metric = w.metric and s.unit = w.unit`,
  )
  const range = { tenantId, seriesIds: series.map(({ id }) => id), from, until }
  const buckets = await scope.read((sql) => store.buckets(sql, range, MINUTE_MS))
  const trends = series.map(({ metric, unit }): Trend => {
    return { metric_name: metric, unit, from: new Date(from).toISOString(), values: Array(MINUTES).fill(null) }
  })
  for (const { series: place, at, mean } of buckets) {
    const trend = trends[place]
    if (trend) trend.values[(at - from) / MINUTE_MS] = mean
  }
  return new Map(series.map(({ machineId }, place) => [machineId, trends[place] as Trend]))
}
