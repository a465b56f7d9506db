import type { QueryClient } from '@tanstack/react-query'
import { api, apiQuery, type Schemas, unwrap } from '../api/client.ts'
import { isApiError } from '../api/error.ts'
import { overdueQuery } from './badges.ts'
import { plantZoneQuery, sitesQuery } from './site.ts'

const POSITION_KEY = ['stream-position']

/** Where the stream begins, so that it sends what has changed since the pages were loaded; undefined: it cannot say that. */
export const streamPosition = (client: QueryClient): string | undefined => client.getQueryData<string>(POSITION_KEY)

/**
 * Loads who is signed in, and with it in one answer what the frame of every page needs.
 * @param site to which the pages are narrowed
 * @throws ApiError
 */
export async function loadStart(
  client: QueryClient,
  site: string | undefined,
  signal: AbortSignal,
): Promise<Schemas['CurrentUser']> {
  const params = { query: { group_id: site } }
  const start = await unwrap(api.GET('/bootstrap', { params, signal })).catch((error) => {
    // a hub of the version before, while hubs are updated one by one
    if (isApiError(error) && error.status === 404) return null
    throw error
  })
  if (!start) return unwrap(api.GET('/auth/me', { signal }))
  if (start.company) {
    const { stream_position, units, time_zone, sites, alerts, overdue_work_orders: total } = start.company
    client.setQueryData(POSITION_KEY, stream_position)
    client.setQueryData(apiQuery('/settings/units').queryKey, units)
    client.setQueryData(plantZoneQuery.queryKey, time_zone)
    client.setQueryData(sitesQuery.queryKey, sites)
    client.setQueryData(apiQuery('/alerts/stats', { params }).queryKey, alerts)
    client.setQueryData(overdueQuery(site).queryKey, { items: [], total })
  }
  return start.user
}
