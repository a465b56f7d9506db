import { getRouteApi } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { PageHead } from '../../kit/layout.tsx'
import { TabLinks } from '../../kit/tabs.tsx'
import { DowntimePane } from './downtime-pane.tsx'
import { PredictionsPane } from './predictions-pane.tsx'
import { ShiftsPane } from './shifts-pane.tsx'
import { SitesPane } from './sites-pane.tsx'

const PANES = { downtime: DowntimePane, shifts: ShiftsPane, sites: SitesPane, predictions: PredictionsPane }
const TABS = ['downtime', 'shifts', 'sites', 'predictions'] as const
const route = getRouteApi('/app/operations')

/** Downtime, shifts, sites and predictions of all machines. */
export function OperationsPage() {
  const t = useTranslations('operations')
  const { tab = 'downtime' } = route.useSearch()
  const Pane = PANES[tab]
  return (
    <>
      <PageHead title={t('title')} />
      <TabLinks label={t('title')} chosen={tab} tabs={TABS.map((it) => [it, t(`tabs.${it}`)] as const)} />
      <Pane />
    </>
  )
}
