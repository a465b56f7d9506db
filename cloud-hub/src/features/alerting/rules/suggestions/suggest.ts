import type { TenantScope } from '../../../../db/scope.ts'
import { type Robust, robust, rounded } from './robust.ts'

/** Thresholds for a metric, from what was normal in the last 7 days. */
export interface Suggestion {
  metric: string
  unit: string
  warning: number
  critical: number
  /** of the machine that decides */
  median: number
  sigma: number
  readingCount: number
  machineCount: number
  isHigh: boolean
  existingRuleId: string | null
}

const [WARNING_SIGMAS, CRITICAL_SIGMAS] = [3, 5]
/** Series looked at, those with the most readings first; all of them, or enough of their readings to know their median by. */
const MOST_SERIES = 500
const ALL_READINGS = 2_000
/** Otherwise so many moments of the week, and so many readings from each on. */
const [MOMENTS, FROM_EACH] = [200, 5]

interface Series {
  id: number
  metric: string
  unit: string
  readingCount: number
}

/**
 * Suggests thresholds for each metric that has a baseline: 3 and 5 sigma above the median, or below where the rule that there is watches for low
 * values. Where several machines have the metric those of the one that needs the most room, so that they are right for all; of several units the
 * one with the most readings counts.
 */
export async function suggestThresholds(scope: TenantScope): Promise<Suggestion[]> {
  const [series, rules] = await scope.rawRead((tx) =>
    Promise.all([
      tx<Series[]>`
        select b.series_id as id, b.metric_name as metric, b.unit, b.sample_count::float8 as "readingCount"
        from baselines b join machines m on m.tenant_id = b.tenant_id and m.id = b.machine_id and m.is_active
        where b.tenant_id = ${scope.tenantId} order by b.sample_count desc, b.series_id limit ${MOST_SERIES}`,
      tx<{ id: string; metric: string; isHigh: boolean }[]>`
        select distinct on (metric_name) id, metric_name as metric, critical_threshold > warning_threshold as "isHigh"
        from threshold_rules where tenant_id = ${scope.tenantId}
        order by metric_name, is_active desc, machine_id is not null, created_at, id`,
    ]),
  )
  const values = await sampled(scope, series)
  const byMetric = Map.groupBy(series, ({ metric }) => metric)
  const suggestions = [...byMetric].flatMap(([metric, of]): Suggestion[] => {
    const counts = new Map<string, number>()
    for (const { unit, readingCount } of of) counts.set(unit, (counts.get(unit) ?? 0) + readingCount)
    const [[unit, readingCount]] = [...counts].sort((a, b) => b[1] - a[1]) as [[string, number]]
    const machines = of.filter((one) => one.unit === unit)
    const known = machines.flatMap(({ id }) => robust(values.get(id) ?? []) ?? [])
    if (known.length === 0) return []
    const rule = rules.find((one) => one.metric === metric)
    const isHigh = rule?.isHigh ?? true
    const at = ({ median, sigma }: Robust, n: number) => median + (isHigh ? n : -n) * sigma
    const beyond = (a: number, b: number) => (isHigh ? b - a : a - b)
    const [deciding] = [...known].sort((a, b) => beyond(at(a, CRITICAL_SIGMAS), at(b, CRITICAL_SIGMAS))) as [Robust]
    const { median, sigma } = deciding
    const warning = rounded(at(deciding, WARNING_SIGMAS), sigma)
    const critical = rounded(at(deciding, CRITICAL_SIGMAS), sigma)
    // beyond what a double can tell apart
    if (warning === critical || !Number.isFinite(critical)) return []
    const about = {
      median: rounded(median, sigma),
      sigma: Number(sigma.toPrecision(2)),
      readingCount,
      machineCount: machines.length,
    }
    return [{ metric, unit, warning, critical, ...about, isHigh, existingRuleId: rule?.id ?? null }]
  })
  return suggestions.sort((a, b) => (a.metric < b.metric ? -1 : 1))
}

/** Readings of the last 7 days by series: all of one that has few, else some from all over the week. */
async function sampled(scope: TenantScope, series: readonly Series[]): Promise<Map<number, number[]>> {
  const until = scope.clock.now()
  const from = new Date(until.getTime() - 7 * 86_400_000)
  const few = series.filter(({ readingCount }) => readingCount <= ALL_READINGS).map(({ id }) => id)
  const many = series.filter(({ readingCount }) => readingCount > ALL_READINGS).map(({ id }) => id)
  const [all, some] = await scope.rawRead((tx) =>
    Promise.all([
      tx<{ id: number; values: number[] }[]>`
        select s.id, array_agg(r.value) as values from series s join readings r on r.series_id = s.id and r.ts between ${from} and ${until}
        where s.tenant_id = ${scope.tenantId} and s.id = any(${few}::int[]) group by s.id`,
      tx<{ id: number; values: number[] }[]>`
        select s.id, array_agg(r.value) as values from series s
        cross join lateral (
          select (select ts from readings where series_id = s.id and ts between ${from} and ${until} order by ts limit 1) as lo,
            (select ts from readings where series_id = s.id and ts between ${from} and ${until} order by ts desc limit 1) as hi) stored
        cross join generate_series(0, ${MOMENTS - 1}) moment
        cross join lateral (
          select value from readings r where r.series_id = s.id and r.ts >= lo + moment * (hi - lo) / ${MOMENTS}::int
            and r.ts < lo + (moment + 1) * (hi - lo) / ${MOMENTS}::int
          order by r.ts limit ${FROM_EACH}) r
        where s.tenant_id = ${scope.tenantId} and s.id = any(${many}::int[]) group by s.id`,
    ]),
  )
  return new Map([...all, ...some].map(({ id, values }) => [id, values]))
}
