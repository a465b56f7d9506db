import { useQuery } from '@tanstack/react-query'
import { apiQuery } from '../api/client.ts'

/** Events of the stream keep them; that an order becomes overdue is none. */
const REFRESH_MS = 5 * 60_000

/** How many things wait at a page of the menu, by its address. */
export type Badges = Partial<Record<string, number>>

/** Overdue work orders of a site, or of the company; only their number matters. */
export const overdueQuery = (site: string | undefined) =>
  apiQuery('/work-orders', { params: { query: { overdue: true, group_id: site, page_size: 1 } } })

/** Open alerts and overdue work orders of a site, or of the company. The overview and the list of alerts ask the same. */
export function useBadges(site: string | undefined): Badges {
  const alerts = useQuery({ ...apiQuery('/alerts/stats', { params: { query: { group_id: site } } }), staleTime: REFRESH_MS })
  const overdue = useQuery({ ...overdueQuery(site), staleTime: REFRESH_MS, refetchInterval: REFRESH_MS })
  return { '/alerts': alerts.data?.total_active, '/work-orders': overdue.data?.total }
}
