import type { TenantScope } from '../../../../db/scope.ts'
import type { ReadingStore } from '../../../../readings/index.ts'
import { type RobustStatistics, robustStatistics, roundToResolution } from './robust.ts'

/** Suggested thresholds for a metric, from its values in the last 7 days. */
export interface Suggestion {
  metric: string
  unit: string
  warning: number
  critical: number
  /** of the machine whose values decide the thresholds */
  median: number
  sigma: number
  readingCount: number
  machineCount: number
  isHigh: boolean
  existingRuleId: string | null
}

const [WARNING_SIGMAS, CRITICAL_SIGMAS] = [3, 5]
/**
 * Maximum of series that a suggestion reads, those with the most readings first. This is all of them, or enough to estimate the
 * median.
 */
const MAX_SERIES = 500
const ALL_READINGS = 2_000
/** A longer series is sampled: this many moments of the week, and this many readings from each. */
const [MOMENTS, FROM_EACH] = [200, 5]

type Store = Pick<ReadingStore, 'values' | 'sample'>

interface Series {
  id: number
  metric: string
  unit: string
  readingCount: number
}

/**
 * Suggests thresholds for each metric with a baseline: 3 and 5 sigma above the median. They are below the median where an
 * existing rule detects low values. If several machines have the metric, the widest thresholds count, so that they fit all. Of
 * several units the one with the most readings counts.
 */
export async function suggestThresholds(store: Store, scope: TenantScope): Promise<Suggestion[]> {
  const [series, rules] = await scope.read((tx) =>
    Promise.all([
      tx<Series[]>`
        select b.series_id as id, b.metric_name as metric, b.unit, b.sample_count::float8 as "readingCount"
        from baselines b join machines m on m.tenant_id = b.tenant_id and m.id = b.machine_id and m.is_active
        where b.tenant_id = ${scope.tenantId} order by b.sample_count desc, b.series_id limit ${MAX_SERIES}`,
      tx<{ id: string; metric: string; isHigh: boolean }[]>`
        select distinct on (metric_name) id, metric_name as metric, critical_threshold > warning_threshold as "isHigh"
        from threshold_rules where tenant_id = ${scope.tenantId}
        order by metric_name, is_active desc, machine_id is not null, created_at, id`,
    ]),
  )
  const values = await sampled(store, scope, series)
  const byMetric = Map.groupBy(series, ({ metric }) => metric)
  const suggestions = [...byMetric].flatMap(([metric, of]): Suggestion[] => {
    const counts = new Map<string, number>()
    for (const { unit, readingCount } of of) counts.set(unit, (counts.get(unit) ?? 0) + readingCount)
    const [[unit, readingCount]] = [...counts].sort((a, b) => b[1] - a[1]) as [[string, number]]
    const machines = of.filter((one) => one.unit === unit)
    const known = machines.flatMap(({ id }) => robustStatistics(values.get(id) ?? []) ?? [])
    if (known.length === 0) return []
    const rule = rules.find((one) => one.metric === metric)
    const isHigh = rule?.isHigh ?? true
    const at = ({ median, sigma }: RobustStatistics, n: number) => median + (isHigh ? n : -n) * sigma
    const beyond = (a: number, b: number) => (isHigh ? b - a : a - b)
    const [deciding] = [...known].sort((a, b) => beyond(at(a, CRITICAL_SIGMAS), at(b, CRITICAL_SIGMAS))) as [RobustStatistics]
    const { median, sigma } = deciding
    const warning = roundToResolution(at(deciding, WARNING_SIGMAS), sigma)
    const critical = roundToResolution(at(deciding, CRITICAL_SIGMAS), sigma)
    // the thresholds exceed the precision or range of a double
    if (warning === critical || !Number.isFinite(critical)) return []
    const about = {
      median: roundToResolution(median, sigma),
      sigma: Number(sigma.toPrecision(2)),
      readingCount,
      machineCount: machines.length,
    }
    return [{ metric, unit, warning, critical, ...about, isHigh, existingRuleId: rule?.id ?? null }]
  })
  return suggestions.sort((a, b) => (a.metric < b.metric ? -1 : 1))
}

/** Values of the last 7 days by series: all of a short series, a sample from the whole week of a longer one. */
async function sampled(store: Store, scope: TenantScope, series: readonly Series[]): Promise<Map<number, number[]>> {
  const until = scope.clock.now().getTime()
  const range = { tenantId: scope.tenantId, from: until - 7 * 86_400_000, until: until + 1 }
  const few = series.filter(({ readingCount }) => readingCount <= ALL_READINGS).map(({ id }) => id)
  const many = series.filter(({ readingCount }) => readingCount > ALL_READINGS).map(({ id }) => id)
  const [all, some] = await scope.read((tx) =>
    Promise.all([
      store.values(tx, { ...range, seriesIds: few }),
      store.sample(tx, { ...range, seriesIds: many }, MOMENTS, FROM_EACH),
    ]),
  )
  const values = [...all, ...some]
  return new Map([...few, ...many].map((id, i) => [id, values[i] as number[]]))
}
