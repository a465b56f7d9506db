import type { TenantScope } from '../../../db/scope.ts'
import type { ReadingStore } from '../../../readings/index.ts'

const DAY_MS = 86_400_000

export interface MetricEvents {
  metric: string
  unit: string
  count: number
  latestSigma: number
  latestAt: Date
}

/** Events of the last 30 days by series, most first. */
export const countEvents = (scope: TenantScope, machineId: string) =>
  scope.read(
    (sql) => sql<MetricEvents[]>`
      select metric_name as metric, unit, count(*)::int as count, (array_agg(sigma order by started_at desc))[1] as "latestSigma",
        max(started_at) as "latestAt"
      from anomaly_events where tenant_id = ${scope.tenantId} and machine_id = ${machineId}
        and started_at >= ${new Date(scope.clock.now().getTime() - 30 * DAY_MS)}
      group by 1, 2 order by 3 desc, 1, 2`,
  )

export interface Drift {
  metric: string
  unit: string
  baselineMean: number
  currentMean: number
  /** null: the baseline has no spread */
  sigma: number | null
}

/** The mean of the last 24 hours of each series with a baseline, against that. */
export async function driftOf(scope: TenantScope, store: Pick<ReadingStore, 'totals'>, machineId: string): Promise<Drift[]> {
  const baselines = await scope.read(
    (sql) => sql<{ id: number; metric: string; unit: string; mean: number; stdDev: number }[]>`
      select series_id as id, metric_name as metric, unit, mean_value as mean, std_dev as "stdDev" from baselines
      where tenant_id = ${scope.tenantId} and machine_id = ${machineId} order by metric_name, unit`,
  )
  if (baselines.length === 0) return []
  const now = scope.clock.now().getTime()
  const range = { tenantId: scope.tenantId, seriesIds: baselines.map(({ id }) => id), from: now - DAY_MS, until: now + 1 }
  const totals = await scope.read((tx) => store.totals(tx, range))
  return totals.flatMap(({ series, mean: currentMean }) => {
    const { metric, unit, mean, stdDev } = baselines[series] as (typeof baselines)[number]
    const sigma = stdDev > 0 ? (currentMean - mean) / stdDev : null
    if (!Number.isFinite(currentMean) || !Number.isFinite(mean)) return []
    return [{ metric, unit, baselineMean: mean, currentMean, sigma: sigma !== null && Number.isFinite(sigma) ? sigma : null }]
  })
}

export interface EventFilter {
  metric: string | undefined
  isOpen: boolean | undefined
  start: Date | undefined
  end: Date | undefined
  page: number
  pageSize: number
}

export interface AnomalyEventRow {
  id: string
  machineId: string
  metric: string
  unit: string
  value: number
  sigma: number
  baselineMean: number
  baselineStdDev: number
  startedAt: Date
  endedAt: Date | null
}

/** The events of a machine, newest first. */
export const listEvents = (scope: TenantScope, machineId: string, filter: EventFilter) =>
  scope.read(async (sql) => {
    const matching = sql`from anomaly_events where tenant_id = ${scope.tenantId} and machine_id = ${machineId}
      ${filter.metric === undefined ? sql`` : sql`and metric_name = ${filter.metric}`}
      ${filter.isOpen === undefined ? sql`` : sql`and (ended_at is null) = ${filter.isOpen}`}
      ${filter.start ? sql`and started_at >= ${filter.start}` : sql``} ${filter.end ? sql`and started_at <= ${filter.end}` : sql``}`
    const [rows, [count]] = await Promise.all([
      sql<AnomalyEventRow[]>`
        select id, machine_id as "machineId", metric_name as metric, unit, value, sigma, baseline_mean as "baselineMean",
          baseline_std_dev as "baselineStdDev", started_at as "startedAt", ended_at as "endedAt" ${matching}
        order by started_at desc, id desc limit ${filter.pageSize} offset ${(filter.page - 1) * filter.pageSize}`,
      sql<{ total: number }[]>`select count(*)::int as total ${matching}`,
    ])
    return { rows, total: count?.total ?? 0 }
  })
