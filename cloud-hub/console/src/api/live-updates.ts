import type { QueryClient } from '@tanstack/react-query'
import type { Schemas } from './client.ts'
import type { StreamEvent } from './stream.ts'

/** Lists are read again at most this often, however many events arrive. */
const REFETCH_MS = 1_500
/** The hub orders and counts all machines for a page of the overview: that of a large fleet waits longer. */
const OVERVIEW = '/fleet/overview'
const LARGE_FLEET = 1_000
const REFETCH_LARGE_MS = 5_000
/** Sums over a span hardly change with one stop, and those of a large fleet take the hub a part of a second. */
const FIGURES = '/fleet/figures'
const REFETCH_FIGURES_MS = 30_000

type OverviewMachine = Schemas['OverviewMachine']

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
  alert: ['/alerts', '/alerts/groups', '/alerts/stats', '/alerts/{alert_id}/history', OVERVIEW, '/fleet/sites/comparison'],
  work_order: ['/work-orders', '/work-orders/{work_order_id}/instructions', '/work-orders/{work_order_id}/history'],
  maintenance: ['/maintenance'],
  downtime: [
    '/machines/{machine_id}/downtime',
    '/fleet/downtime',
    '/fleet/downtime/pareto',
    FIGURES,
    '/machines/{machine_id}/uptime-summary',
  ],
  shift: ['/shifts/logs', '/shifts/active', '/shifts/comparison', FIGURES],
  note: ['/notes', '/shifts/logs/{log_id}/handover'],
}
const RESOURCES: Record<string, [path: string, parameter: string]> = {
  alert: ['/alerts/{alert_id}', 'alert_id'],
  work_order: ['/work-orders/{work_order_id}', 'work_order_id'],
  maintenance: ['/maintenance/{event_id}', 'event_id'],
}
const KIND_OF_READINGS = ['/machines/{machine_id}/readings/latest', '/machines', OVERVIEW]

/**
 * Applies events of the stream to the query cache: resources at once, lists by reading them again.
 * @returns a function for each group of events
 */
export function createLiveUpdates(client: QueryClient): (events: readonly StreamEvent[]) => void {
  const timers = new Map<string, ReturnType<typeof setTimeout>>()
  const delayOf = (path: string): number => {
    if (path === FIGURES) return REFETCH_FIGURES_MS
    const pages = path === OVERVIEW ? client.getQueriesData<Schemas['FleetOverview']>({ queryKey: [OVERVIEW] }) : []
    return pages.some(([, page]) => (page?.pagination.total ?? 0) > LARGE_FLEET) ? REFETCH_LARGE_MS : REFETCH_MS
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

  /** Changes machines in the pages of the overview. */
  const inOverview = <E>(changed: Map<string, E>, change: (machine: OverviewMachine, event: E) => OverviewMachine) =>
    client.setQueriesData<Schemas['FleetOverview']>({ queryKey: [OVERVIEW] }, (page) => {
      if (!page?.items.some(({ machine_id }) => changed.has(machine_id))) return page
      const items = page.items.map((machine) => {
        const event = changed.get(machine.machine_id)
        return event === undefined ? machine : change(machine, event)
      })
      return { ...page, items }
    })
  const applyStatus = (changed: Map<string, StatusEvent>) => {
    if (changed.size === 0) return
    client.setQueriesData<Schemas['MachinePage']>({ queryKey: ['/machines'] }, (page) =>
      page?.items.some(({ id }) => changed.has(id))
        ? { ...page, items: page.items.map((machine) => withStatus(machine, changed.get(machine.id))) }
        : page,
    )
    inOverview(changed, (machine, event) => ({ ...machine, status: event.status }))
    // other machines come first, and others are counted
    markStale([OVERVIEW])
    for (const [machine_id, event] of changed)
      set<Schemas['Machine']>('/machines/{machine_id}', { path: { machine_id } }, (machine) => withStatus(machine, event))
  }
  const applyReadings = (changed: Map<string, ReadingsEvent['readings']>) => {
    if (changed.size === 0) return
    for (const [machine_id, readings] of changed)
      set<Schemas['LatestReadings']>('/machines/{machine_id}/readings/latest', { path: { machine_id } }, (latest) => ({
        ...latest,
        readings: { ...latest.readings, ...Object.fromEntries(readings.map(({ metric_name, ...rest }) => [metric_name, rest])) },
      }))
    inOverview(changed, (machine, readings) => {
      // its first readings
      if (machine.readings.length === 0) markStale([OVERVIEW])
      return { ...machine, readings: machine.readings.map((known) => newer(known, readings)) }
    })
  }

  return (events) => {
    const statuses = new Map<string, StatusEvent>()
    const readings = new Map<string, ReadingsEvent['readings']>()
    for (const { event, data } of events) {
      if (event === 'status') statuses.set((data as StatusEvent).machine_id, data as StatusEvent)
      else if (event === 'readings') {
        const { machine_id, readings: some } = data as ReadingsEvent
        readings.set(machine_id, [...(readings.get(machine_id) ?? []), ...some])
      } else if (event === 'ready') {
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
    applyReadings(readings)
    applyStatus(statuses)
  }
}

/** @returns the last of the readings that is of the same series and not older, else the known one */
const newer = (known: OverviewMachine['readings'][number], readings: ReadingsEvent['readings']) => {
  const found = readings.findLast(({ metric_name, unit }) => metric_name === known.metric_name && unit === known.unit)
  if (!found || found.timestamp < known.timestamp) return known
  return { ...known, value: found.value, timestamp: found.timestamp }
}

const withStatus = <T extends { status: Schemas['Machine']['status'] }>(machine: T, event: StatusEvent | undefined): T =>
  event ? { ...machine, status: event.status } : machine
