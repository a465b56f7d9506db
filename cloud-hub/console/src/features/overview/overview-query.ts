import { queryOptions } from '@tanstack/react-query'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'

export type OverviewMachine = Schemas['OverviewMachine']
export type MachineStatus = OverviewMachine['status']

/** A screen shows at most a few pages of this size; the API has no larger ones. */
export const PAGE_SIZE = 60

export interface OverviewFilter {
  status?: MachineStatus | undefined
  search?: string | undefined
  /** the site */
  group_id?: string | undefined
}

/** One page of machines by urgency, with the counts of all. */
export const overviewQuery = (filter: OverviewFilter, page = 1) =>
  apiQuery('/fleet/overview', { params: { query: { ...filter, page, page_size: PAGE_SIZE } } })

/**
 * The last hour of what some machines violate. Its key is not that of the pages, which events make stale every few seconds.
 * @param machines each violates something
 */
export const trendsQuery = (machines: readonly OverviewMachine[]) =>
  queryOptions({
    // the trend is that of the first violation
    queryKey: [
      'overview-trends',
      machines.map(({ machine_id, violations: [first] }) => [machine_id, first?.metric_name, first?.unit]),
    ],
    queryFn: ({ signal }) => {
      const query = { machine_ids: machines.map((it) => it.machine_id).join(), trends: true, page_size: machines.length }
      return unwrap(api.GET('/fleet/overview', { params: { query }, signal }))
    },
  })
