import { getRouteApi, Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { Button } from '../../../kit/button.tsx'
import { PageHead } from '../../../kit/layout.tsx'
import { TabLinks } from '../../../kit/tabs.tsx'
import { ReleasesPane } from './releases-pane.tsx'
import { RolloutsPane } from './rollouts-pane.tsx'

const RolloutDialog = lazy(() => import('./rollout-dialog.tsx').then((it) => ({ default: it.RolloutDialog })))

const route = getRouteApi('/app/agents/updates')

/** Updates of agents: rollouts, and the releases that can be rolled out. */
export function UpdatesPage() {
  const t = useTranslations('updates')
  const nav = useTranslations('nav')
  const { tab = 'rollouts' } = route.useSearch()
  const [isAdding, setAdding] = useState(false)
  return (
    <>
      <p className="no-print mb-1 text-sm">
        <Link to="/agents">{nav('agents')}</Link>
      </p>
      <PageHead title={t('title')} lead={t('lead')}>
        <Button look="primary" onPress={() => setAdding(true)}>
          {t('start')}
        </Button>
      </PageHead>
      <TabLinks
        label={t('title')}
        chosen={tab}
        tabs={[
          ['rollouts', t('rollouts')],
          ['releases', t('releases')],
        ]}
      />
      {tab === 'releases' ? <ReleasesPane /> : <RolloutsPane />}
      <Suspense>{isAdding ? <RolloutDialog onClose={() => setAdding(false)} /> : null}</Suspense>
    </>
  )
}
