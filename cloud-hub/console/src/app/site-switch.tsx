import { useNavigate } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { SelectField } from '../kit/field.tsx'
import { useMe } from './me.tsx'
import { rememberSite, useSite, useSites } from './site.ts'

/** Narrows the pages to a site. A page of a list begins anew, without the machine or the group of another site. */
export function useGoToSite(): (site: string | undefined, replace?: boolean) => void {
  const navigate = useNavigate()
  return (site, replace = false) => {
    const begun = { page: undefined, group: undefined, machine: undefined }
    navigate({ to: '.', search: (known) => ({ ...known, ...begun, site }), replace })
  }
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
