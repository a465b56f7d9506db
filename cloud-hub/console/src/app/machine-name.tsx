import { type QueryClient, useQuery } from '@tanstack/react-query'
import { apiQuery, type Schemas } from '../api/client.ts'

const STALE_MS = 5 * 60_000
const FIRST_PAGE = { params: { query: { page_size: 100, is_active: 'all' } } } as const

/** The API looks up one machine at a time. One page of machines names those of a small plant in a single request. */
async function loadName(client: QueryClient, id: string): Promise<string> {
  const { items } = await client.fetchQuery({ ...apiQuery('/machines', FIRST_PAGE), staleTime: STALE_MS })
  const known = items.find((machine) => machine.id === id)
  if (known) return known.name
  const machine = apiQuery('/machines/{machine_id}', { params: { path: { machine_id: id } } })
  return (await client.fetchQuery({ ...machine, staleTime: STALE_MS })).name
}

const nameKey = (id: string) => ['machine-name', id]

export const rememberMachineName = (client: QueryClient, { id, name }: Pick<Schemas['Machine'], 'id' | 'name'>) =>
  client.setQueryData<string>(nameKey(id), name)

/** The name of a machine; undefined without an id, while it loads, and for a deleted machine. */
export function useMachineName(id: string | null | undefined): string | undefined {
  const { data } = useQuery({
    queryKey: nameKey(id ?? ''),
    queryFn: ({ client }) => loadName(client, id ?? ''),
    enabled: Boolean(id),
    staleTime: STALE_MS,
  })
  return data
}

export function MachineName({ id, unknown = '–' }: { id: string; unknown?: string }) {
  return useMachineName(id) ?? unknown
}
