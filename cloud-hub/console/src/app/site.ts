import { type Query, queryOptions, useQuery } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { apiQuery, getJson } from '../api/client.ts'
import { keep, kept } from '../api/storage.ts'

/** The sites of the company. */
export const sitesQuery = apiQuery('/machine-groups', { params: { query: { group_type: 'site' } } })

/** The time zone of the plant. */
export const plantZoneQuery = queryOptions({
  queryKey: ['/settings/plant', 'time_zone'],
  queryFn: async ({ signal }) => (await getJson('/settings/plant', { signal })).time_zone,
  staleTime: 5 * 60_000,
})

/** The site that the address names. A context, so that pages need no part of the router for it. */
export const SiteContext = createContext<string | undefined>(undefined)

/** The site to which pages are narrowed; undefined: the whole company. */
export const useSite = (): string | undefined => useContext(SiteContext)

/** The sites of the company, by name. */
export const useSites = ({ enabled = true } = {}) => useQuery({ ...sitesQuery, staleTime: 5 * 60_000, enabled })

/** The time zone whose dates the shifts of the chosen site have, or those of the plant; undefined until it is known; and the query that it needs. */
export function usePlantZone() {
  const site = useSite()
  const plant = useQuery(plantZoneQuery)
  const { data: sites, isLoading } = useSites({ enabled: site !== undefined })
  return [isLoading ? undefined : (sites?.find(({ id }) => id === site)?.time_zone ?? plant.data), plant] as const
}

const keyOf = (userId: string) => `haltless.site.${userId}`

/** The site that a user chose last in this browser; undefined: none. */
export const rememberedSite = (userId: string): string | undefined => kept(keyOf(userId)) ?? undefined

export const rememberSite = (userId: string, site: string | undefined): void => keep(keyOf(userId), site ?? null)

/**
 * Keeps what a list shows while another page or filter of it loads, but nothing of another site: that would stand under the name of this one.
 * For `placeholderData`, of queries whose `group_id` is this.
 */
export const keepWithin =
  (site: string | undefined) =>
  <T>(known: T | undefined, query: Pick<Query, 'queryKey'> | undefined): T | undefined =>
    (query?.queryKey[1] as { query?: { group_id?: string } } | undefined)?.query?.group_id === site ? known : undefined
