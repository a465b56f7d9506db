import { useQuery } from '@tanstack/react-query'
import { apiQuery, type Schemas } from '../api/client.ts'

const STALE_MS = 5 * 60_000

/** The names of the team; undefined while they load. */
export function usePeople(): Schemas['DirectoryEntry'][] | undefined {
  return useQuery({ ...apiQuery('/users/directory'), staleTime: STALE_MS }).data
}

interface Actor {
  id: string | null
  name: string | null
}

/** Names who did something: people by their full name, all others as the hub does. Null where the hub itself acted. */
export function useActorName(): (actor: Actor | null) => string | null {
  const people = usePeople()
  return (actor) => (actor ? (people?.find(({ id }) => id === actor.id)?.full_name ?? actor.name) : null)
}
