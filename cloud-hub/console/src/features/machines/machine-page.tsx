import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { apiQuery } from '../../api/client.ts'
import { useMe } from '../../app/me.tsx'
import { UnavailablePage } from '../../app/unavailable-page.tsx'
import { Button } from '../../kit/button.tsx'
import { Icon } from '../../kit/icon.tsx'
import { PageHead, SkeletonRows } from '../../kit/layout.tsx'
import { Failed } from '../../kit/loaded.tsx'
import { Status } from '../../kit/status.tsx'
import { TabLinks } from '../../kit/tabs.tsx'

const PANES = {
  charts: lazy(() => import('./charts-pane.tsx').then((it) => ({ default: it.ChartsPane }))),
  condition: lazy(() => import('./condition-pane.tsx').then((it) => ({ default: it.ConditionPane }))),
  downtime: lazy(() => import('./downtime-pane.tsx').then((it) => ({ default: it.DowntimePane }))),
  work: lazy(() => import('./work-pane.tsx').then((it) => ({ default: it.WorkPane }))),
  alerts: lazy(() => import('./alerts-pane.tsx').then((it) => ({ default: it.AlertsPane }))),
  data: lazy(() => import('./data-pane.tsx').then((it) => ({ default: it.DataPane }))),
}
const EditDialog = lazy(() => import('./edit-dialog.tsx').then((it) => ({ default: it.EditDialog })))

const TABS = ['charts', 'condition', 'downtime', 'work', 'alerts', 'data'] as const
const route = getRouteApi('/app/machines/$machineId')

export function MachinePage() {
  const t = useTranslations()
  const { may } = useMe()
  const { machineId } = route.useParams()
  const { tab = 'charts' } = route.useSearch()
  const [isEditing, setEditing] = useState(false)
  const query = useQuery(apiQuery('/machines/{machine_id}', { params: { path: { machine_id: machineId } } }))
  const machine = query.data
  if (!machine) return <UnavailablePage query={query} />
  const Pane = PANES[tab]
  return (
    <>
      <Failed query={query} />
      <p className="no-print mb-1 text-sm">
        <Link to="/machines">{t('nav.machines')}</Link>
      </p>
      <PageHead
        title={machine.name}
        lead={
          <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
            {machine.is_active ? (
              <Status tone={machine.status}>{t(`status.${machine.status}`)}</Status>
            ) : (
              <span>{t('machines.inactive')}</span>
            )}
            <code>{machine.machine_identifier}</code>
            {machine.location ? <span>{machine.location}</span> : null}
          </span>
        }
      >
        <Button onPress={() => print()}>
          <Icon name="print" className="size-4.5" />
          {t('machine.print')}
        </Button>
        {may('operator') ? <Button onPress={() => setEditing(true)}>{t('common.edit')}</Button> : null}
      </PageHead>
      <TabLinks label={t('machine.parts')} chosen={tab} tabs={TABS.map((it) => [it, t(`machine.tabs.${it}`)] as const)} />
      <Suspense fallback={<SkeletonRows rows={6} label={t('common.loading')} />}>
        <Pane machine={machine} />
        {isEditing ? <EditDialog machine={machine} onClose={() => setEditing(false)} /> : null}
      </Suspense>
    </>
  )
}
