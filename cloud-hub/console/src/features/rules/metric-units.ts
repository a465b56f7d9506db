import { useQueries, useQuery } from '@tanstack/react-query'
import { overviewQuery } from '../overview/overview-query.ts'
import { latestQuery } from '../readings/load-series.ts'
import { useSuggestions } from './suggestion-reason.ts'

const STALE_MS = 5 * 60_000
/** Rules of more machines take the unit from other machines. */
const MAX_MACHINES = 20

export interface MetricUnits {
  /** all units in which a machine reports a metric; without a machine, or where it has not reported yet, those of all machines */
  all(metric: string, machineId?: string | null): string[]
  /** the unit that thresholds are compared in; undefined where none or several are known */
  one(metric: string, machineId?: string | null): string | undefined
  isPending: boolean
}

/** Units of metrics, from the newest readings of these machines and of a page of all, and from the last week. */
export function useMetricUnits(machineIds: readonly (string | null)[]): MetricUnits {
  const suggestions = useSuggestions()
  const overview = useQuery({ ...overviewQuery({}), staleTime: STALE_MS })
  const ids = [...new Set(machineIds)].filter((id): id is string => Boolean(id)).slice(0, MAX_MACHINES)
  const latest = useQueries({ queries: ids.map((id) => ({ ...latestQuery(id), staleTime: STALE_MS })) })
  const all = (metric: string, machineId?: string | null): string[] => {
    const own = machineId ? latest[ids.indexOf(machineId)]?.data?.readings[metric]?.unit : undefined
    if (own !== undefined) return [own]
    const readings = [
      ...(suggestions.data?.suggestions ?? []),
      ...(overview.data?.items ?? []).flatMap((machine) => machine.readings),
    ].flatMap(({ metric_name, unit }) => (metric_name === metric ? [unit] : []))
    return [...new Set([...readings, ...latest.flatMap(({ data }) => data?.readings[metric]?.unit ?? [])])]
  }
  return {
    all,
    one: (metric, machineId) => {
      const units = all(metric, machineId)
      return units.length === 1 ? units[0] : undefined
    },
    isPending: suggestions.isPending || overview.isPending || latest.some(({ isPending }) => isPending),
  }
}
