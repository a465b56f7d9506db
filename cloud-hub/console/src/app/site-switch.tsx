import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useTranslations } from 'use-intl'
import { apiQuery } from '../api/client.ts'
import { SelectField } from '../kit/field.tsx'
import { useMe } from './me.tsx'
import { rememberSite, useSite } from './site.ts'

const STALE_MS = 5 * 60_000
const useSites = () =>
  useQuery({ ...apiQuery('/machine-groups', { params: { query: { group_type: 'site' } } }), staleTime: STALE_MS }).data

/** Narrows the pages to a site. A page of a list begins anew. */
function useChooseSite(): (site: string | undefined) => void {
  const { user } = useMe()
  const navigate = useNavigate()
  return (site) => {
    rememberSite(user.id, site)
    navigate({ to: '.', search: (known) => ({ ...known, site, page: undefined }) })
  }
}

/** Leaves a site that was deleted, or that an address of another company names. */
export function useKnownSite(): void {
  const site = useSite()
  const sites = useSites()
  const choose = useChooseSite()
  const isUnknown = site !== undefined && sites !== undefined && !sites.some(({ id }) => id === site)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each site that is unknown
  useEffect(() => {
    if (isUnknown) choose(undefined)
  }, [isUnknown])
}

/** Chooses the site of all pages; nothing in a company without sites. */
export function SiteSwitch({ className }: { className?: string }) {
  const t = useTranslations('nav')
  const site = useSite()
  const sites = useSites()
  const choose = useChooseSite()
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
