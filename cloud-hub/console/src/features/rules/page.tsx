import { getRouteApi } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { PageHead } from '../../kit/layout.tsx'
import { TabLinks } from '../../kit/tabs.tsx'
import { ChannelsPane } from './channels-pane.tsx'
import { CompositesPane } from './composites-pane.tsx'
import { EscalationPane } from './escalation-pane.tsx'
import { ThresholdsPane } from './thresholds-pane.tsx'

const PANES = { thresholds: ThresholdsPane, composites: CompositesPane, escalation: EscalationPane, channels: ChannelsPane }
const TABS = ['thresholds', 'composites', 'escalation', 'channels'] as const
const route = getRouteApi('/app/rules')

/** When an alert is raised, and whom it reaches. */
export function RulesPage() {
  const t = useTranslations('rules')
  const { tab = 'thresholds' } = route.useSearch()
  const Pane = PANES[tab]
  return (
    <>
      <PageHead title={t('title')} lead={t('lead')} />
      <TabLinks label={t('title')} chosen={tab} tabs={TABS.map((it) => [it, t(`tabs.${it}`)] as const)} />
      <Pane />
    </>
  )
}
