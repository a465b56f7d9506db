import { type QueryClient, useQuery } from '@tanstack/react-query'
import { overviewQuery } from '../overview/overview-query.ts'
import { latestQuery } from '../readings/latest-query.ts'
import { useSuggestions } from './suggestion-reason.ts'

const STALE_MS = 60_000
/** Rules of more machines take the unit from other machines. */
const MAX_MACHINES = 20

type Unit = { metric_name: string; unit: string }

export interface MetricUnits {
  /** all units in which a machine reports a metric; without a machine, or where it has not reported yet, those of all machines */
  all(metric: string, machineId?: string | null): string[]
  /** the unit that thresholds are compared in; undefined where none or several are known */
  one(metric: string, machineId?: string | null): string | undefined
  isPending: boolean
}

/** The units of the newest readings: those of some machines by id, and those of a page of all machines. */
async function loadUnits(client: QueryClient, machineIds: readonly string[]) {
  const own = async (id: string) => {
    const { readings } = await client.fetchQuery({ ...latestQuery(id), staleTime: STALE_MS })
    return Object.entries(readings).map(([metric_name, { unit }]): Unit => ({ metric_name, unit }))
  }
  const [overview, ...latest] = await Promise.all([
    client.fetchQuery({ ...overviewQuery({}), staleTime: STALE_MS }),
    // a machine that was deleted meanwhile has none
    ...machineIds.map((id) => own(id).catch((): Unit[] => [])),
  ])
  const machines = new Map(machineIds.map((id, index) => [id, latest[index] ?? []]))
  return { machines, fleet: overview.items.flatMap(({ readings }): Unit[] => readings) }
}

/**
 * Units of metrics, from the newest readings of these machines and of a page of all, and from the last week. They are loaded once:
 * a page that shows thresholds does not follow the readings.
 */
export function useMetricUnits(machineIds: readonly (string | null)[]): MetricUnits {
  const suggestions = useSuggestions()
  const ids = [...new Set(machineIds)].filter((id): id is string => Boolean(id)).slice(0, MAX_MACHINES)
  const { data, isPending } = useQuery({
    queryKey: ['metric-units', ids],
    queryFn: ({ client }) => loadUnits(client, ids),
    staleTime: STALE_MS,
  })
  const all = (metric: string, machineId?: string | null): string[] => {
    const unitsIn = (units: readonly Unit[] = []) =>
      new Set(units.flatMap(({ metric_name, unit }) => (metric_name === metric ? [unit] : [])))
    const own = unitsIn(data?.machines.get(machineId ?? ''))
    if (own.size > 0) return [...own]
    const others = [...(data?.machines.values() ?? [])].flat()
    return [...unitsIn([...(suggestions.data?.suggestions ?? []), ...(data?.fleet ?? []), ...others])]
  }
  return {
    all,
    one: (metric, machineId) => {
      const units = all(metric, machineId)
      return units.length === 1 ? units[0] : undefined
    },
    isPending: suggestions.isPending || isPending,
  }
}
