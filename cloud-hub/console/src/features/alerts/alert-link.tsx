import { type QueryClient, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { apiQuery, type Schemas } from '../../api/client.ts'
import { useAlertText } from './alert-text.ts'

const STALE_MS = 60_000
const NEWEST = { params: { query: { page_size: 100 } } } as const

/** The API looks up one alert at a time. One page of the newest names most alerts of a list in a single request. */
async function loadAlert(client: QueryClient, id: string): Promise<Schemas['Alert']> {
  const { items } = await client.fetchQuery({ ...apiQuery('/alerts', NEWEST), staleTime: STALE_MS })
  const known = items.find((alert) => alert.id === id)
  const one = apiQuery('/alerts/{alert_id}', { params: { path: { alert_id: id } } })
  return known ?? client.fetchQuery({ ...one, staleTime: STALE_MS })
}

/** A link to an alert, with what it says. @param fallback is its text while it loads, and where it cannot be read any more */
export function AlertLink({ id, fallback }: { id: string; fallback: string }) {
  const textOf = useAlertText()
  const { data } = useQuery({
    queryKey: ['alert-text', id],
    queryFn: ({ client }) => loadAlert(client, id),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <Link to="/alerts/$alertId" params={{ alertId: id }}>
      {data ? textOf(data) : fallback}
    </Link>
  )
}
