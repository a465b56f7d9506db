import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useTranslations } from 'use-intl'
import { apiQuery } from '../../api/client.ts'
import { useMe } from '../../app/me.tsx'
import { SiteContext, sitesQuery } from '../../app/site.ts'
import { UnavailablePage } from '../../app/unavailable-page.tsx'
import { buttonClass } from '../../kit/button.tsx'
import { PageHead, Panel, Panels } from '../../kit/layout.tsx'
import { KeyFigures } from '../operations/key-figures.tsx'
import { Pareto } from '../operations/pareto.tsx'
import { Attention } from '../overview/attention.tsx'
import { StatusBar } from '../overview/status-bar.tsx'
import { SiteAgents } from './agents.tsx'

const ShiftPanel = lazy(() => import('../overview/shift-panel.tsx').then((it) => ({ default: it.ShiftPanel })))

const route = getRouteApi('/app/sites/$siteId')
const DAYS = 30
const HOUR_MS = 3_600_000

/** A site at a glance: its figures against the span before, machines, what needs attention, shifts, reasons of downtime and agents. */
export function SitePage() {
  const t = useTranslations('sites')
  const overview = useTranslations('overview')
  const { may } = useMe()
  const { siteId } = route.useParams()
  const { data: sites, isPending } = useQuery(sitesQuery)
  const known = sites?.find(({ id }) => id === siteId)
  const group = apiQuery('/machine-groups/{group_id}', { params: { path: { group_id: siteId } } })
  const query = useQuery({ ...group, enabled: !isPending && !known })
  const site = known ?? query.data
  if (!site) return <UnavailablePage query={query} />
  // whole hours, so that a reload finds the same query in the cache
  const now = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS
  const range = { from: new Date(now - DAYS * 24 * HOUR_MS), to: new Date(now) }
  return (
    <SiteContext value={siteId}>
      <PageHead title={site.name} lead={site.description}>
        <Link to="/machines" search={() => ({ page: undefined, site: siteId })} className={buttonClass('plain')}>
          {t('machines')}
        </Link>
        <Link to="/operations" search={() => ({ page: undefined, site: siteId })} className={buttonClass('plain')}>
          {t('operations')}
        </Link>
      </PageHead>
      <Panels>
        <StatusBar />
        <KeyFigures {...range} days={String(DAYS)} />
        <Panels className="grid items-start gap-4 lg:grid-cols-2">
          <Attention hasAgents={false} />
          <Suspense
            fallback={
              <Panel title={overview('shiftsToday')} className="min-h-40">
                {null}
              </Panel>
            }
          >
            <ShiftPanel />
          </Suspense>
        </Panels>
        <Pareto days={DAYS} machineId={undefined} />
        {may('admin') ? <SiteAgents /> : null}
      </Panels>
    </SiteContext>
  )
}
