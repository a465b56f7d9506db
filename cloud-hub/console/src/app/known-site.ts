import { useEffect } from 'react'
import { useMe } from './me.tsx'
import { rememberedSite, rememberSite, useSite, useSites } from './site.ts'
import { useGoToSite } from './site-switch.tsx'

/** Leaves a site that was deleted, or that an address of another company names. */
export function useKnownSite(): void {
  const site = useSite()
  const { user } = useMe()
  const { data: sites, refetch } = useSites()
  const goTo = useGoToSite()
  const isUnknown = site !== undefined && sites !== undefined && !sites.some(({ id }) => id === site)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each site that is unknown
  useEffect(() => {
    if (!isUnknown) return
    let isLeft = false
    // a colleague may have added it a moment ago
    refetch().then(({ data, isSuccess }) => {
      if (isLeft || !isSuccess || data.some(({ id }) => id === site)) return
      // an address of another company says nothing of the site that was chosen here
      if (rememberedSite(user.id) === site) rememberSite(user.id, undefined)
      goTo(undefined, true)
    })
    return () => {
      isLeft = true
    }
  }, [isUnknown, site])
}
