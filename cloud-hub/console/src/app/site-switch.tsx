import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useTranslations } from 'use-intl'
import { SelectField } from '../kit/field.tsx'
import { useMe } from './me.tsx'
import { rememberedSite, rememberSite, useSite, useSites } from './site.ts'

/** Narrows the pages to a site. A page of a list begins anew, without the machine or the group of another site. */
function useGoToSite(): (site: string | undefined, replace?: boolean) => void {
  const navigate = useNavigate()
  return (site, replace = false) => {
    const begun = { page: undefined, group: undefined, machine: undefined }
    navigate({ to: '.', search: (known) => ({ ...known, ...begun, site }), replace })
  }
}

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

/** Chooses the site of all pages; nothing in a company without sites. */
export function SiteSwitch({ className }: { className?: string }) {
  const t = useTranslations('nav')
  const site = useSite()
  const { user } = useMe()
  const { data: sites } = useSites()
  const goTo = useGoToSite()
  const choose = (chosen: string | undefined) => {
    rememberSite(user.id, chosen)
    goTo(chosen)
  }
  if (site === undefined && !sites?.length) return null
  const options = sites?.map(({ id, name }) => [id, name] as const) ?? [[site ?? '', '…'] as const]
  return (
    <SelectField
      label={t('site')}
      className={className}
      value={site ?? ''}
      actsAtOnce
      onChange={({ target }) => choose(target.value || undefined)}
      options={[['', t('allSites')], ...options]}
    />
  )
}
