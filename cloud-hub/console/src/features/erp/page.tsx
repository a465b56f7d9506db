import { getRouteApi } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { PageHead } from '../../kit/layout.tsx'
import { TabLinks } from '../../kit/tabs.tsx'
import { ConnectionsPane } from './connections-pane.tsx'
import { LogPane } from './log-pane.tsx'

const route = getRouteApi('/app/erp')

/** The exchange of work orders, production data, downtime and machines with ERP systems. */
export function ErpPage() {
  const t = useTranslations('erp')
  const { tab = 'connections' } = route.useSearch()
  return (
    <>
      <PageHead title={t('title')} lead={t('lead')} />
      <TabLinks
        label={t('title')}
        chosen={tab}
        tabs={[
          ['connections', t('tabs.connections')],
          ['log', t('tabs.log')],
        ]}
      />
      {tab === 'log' ? <LogPane /> : <ConnectionsPane />}
    </>
  )
}
