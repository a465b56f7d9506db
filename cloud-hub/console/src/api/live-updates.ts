import type { QueryClient } from '@tanstack/react-query'
import type { Schemas } from './client.ts'
import type { StreamEvent } from './stream.ts'

/** Lists are read again at most this often, however many events arrive. */
const REFETCH_MS = 1_500
/** The whole of a large fleet is megabytes; its statuses are up to date all the same, and its counts of alerts wait. */
const FLEET = '/fleet/status'
const LARGE_FLEET = 1_000
const REFETCH_LARGE_MS = 15_000

interface StatusEvent {
  machine_id: string
  status: Schemas['Machine']['status']
  name: string
  is_active: boolean
}
interface ReadingsEvent {
  machine_id: string
  readings: { metric_name: string; unit: string; timestamp: string; value: number; raw_tag: string | null }[]
}
interface Identified {
  id: string
}

/** What an event of a kind makes stale beside the resource itself. */
const LISTS: Record<string, string[]> = {
  // machines and sites count their alerts
  alert: ['/alerts', '/alerts/stats', '/alerts/{alert_id}/history', '/fleet/status', '/fleet/sites/comparison'],
  work_order: ['/work-orders', '/work-orders/{work_order_id}/instructions', '/work-orders/{work_order_id}/history'],
  maintenance: ['/maintenance'],
  downtime: [
    '/machines/{machine_id}/downtime',
    '/fleet/downtime',
    '/fleet/downtime/pareto',
    '/machines/{machine_id}/uptime-summary',
  ],
  shift: ['/shifts/logs', '/shifts/active', '/shifts/comparison'],
}
const RESOURCES: Record<string, [path: string, parameter: string]> = {
  alert: ['/alerts/{alert_id}', 'alert_id'],
  work_order: ['/work-orders/{work_order_id}', 'work_order_id'],
  maintenance: ['/maintenance/{event_id}', 'event_id'],
}
const KIND_OF_READINGS = ['/machines/{machine_id}/readings/latest', '/machines', '/fleet/status']

/**
 * Applies events of the stream to the query cache: resources at once, lists by reading them again.
 * @returns a function for each group of events
 */
export function createLiveUpdates(client: QueryClient): (events: readonly StreamEvent[]) => void {
  const timers = new Map<string, ReturnType<typeof setTimeout>>()
  const delayOf = (path: string): number => {
    const fleet = path === FLEET ? client.getQueriesData<Schemas['FleetStatus']>({ queryKey: [FLEET] }) : []
    return fleet.some(([, data]) => (data?.total_machines ?? 0) > LARGE_FLEET) ? REFETCH_LARGE_MS : REFETCH_MS
  }
  const markStale = (paths: readonly string[]) => {
    for (const path of paths) {
      if (timers.has(path)) continue
      const refetch = () => {
        timers.delete(path)
        client.invalidateQueries({ queryKey: [path] })
      }
      timers.set(path, setTimeout(refetch, delayOf(path)))
    }
  }
  const set = <T>(path: string, params: object, update: (known: T) => T) =>
    client.setQueryData<T>([path, params], (known) => (known === undefined ? undefined : update(known)))

  const applyStatus = (changed: Map<string, StatusEvent>) => {
    if (changed.size === 0) return
    client.setQueriesData<Schemas['MachinePage']>({ queryKey: ['/machines'] }, (page) =>
      page?.items.some(({ id }) => changed.has(id))
        ? { ...page, items: page.items.map((machine) => withStatus(machine, changed.get(machine.id))) }
        : page,
    )
    client.setQueriesData<Schemas['FleetStatus']>({ queryKey: ['/fleet/status'] }, (fleet) =>
      fleet?.machines.some(({ machine_id }) => changed.has(machine_id))
        ? { ...fleet, machines: fleet.machines.map((machine) => withStatus(machine, changed.get(machine.machine_id))) }
        : fleet,
    )
    for (const [machine_id, event] of changed)
      set<Schemas['Machine']>('/machines/{machine_id}', { path: { machine_id } }, (machine) => withStatus(machine, event))
  }
  const applyReadings = ({ machine_id, readings }: ReadingsEvent) =>
    set<Schemas['LatestReadings']>('/machines/{machine_id}/readings/latest', { path: { machine_id } }, (latest) => ({
      ...latest,
      readings: { ...latest.readings, ...Object.fromEntries(readings.map(({ metric_name, ...rest }) => [metric_name, rest])) },
    }))

  return (events) => {
    const statuses = new Map<string, StatusEvent>()
    for (const { event, data } of events) {
      if (event === 'status') statuses.set((data as StatusEvent).machine_id, data as StatusEvent)
      else if (event === 'readings') applyReadings(data as ReadingsEvent)
      else if (event === 'ready') {
        // what changed while no tab was connected is unknown
        if (!(data as { resumed: boolean }).resumed) client.invalidateQueries()
      } else if (event === 'reset') {
        const { of } = data as { of: string }
        markStale(of === 'readings' || of === 'status' ? KIND_OF_READINGS : (LISTS[of] ?? Object.values(LISTS).flat()))
      } else if (event === 'deleted') {
        const { kind, id } = data as { kind: string; id: string }
        const [path, parameter] = RESOURCES[kind] ?? []
        if (path && parameter) client.removeQueries({ queryKey: [path, { path: { [parameter]: id } }] })
        markStale(LISTS[kind] ?? [])
      } else {
        const [path, parameter] = RESOURCES[event] ?? []
        if (path && parameter) set(path, { path: { [parameter]: (data as Identified).id } }, () => data)
        markStale(LISTS[event] ?? [])
      }
    }
    applyStatus(statuses)
  }
}

const withStatus = <T extends { status: Schemas['Machine']['status'] }>(machine: T, event: StatusEvent | undefined): T =>
  event ? { ...machine, status: event.status } : machine
