import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { apiQuery, type Schemas } from '../../api/client.ts'
import { useMe } from '../../app/me.tsx'
import { useSite } from '../../app/site.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Icon, type IconName } from '../../kit/icon.tsx'
import { Empty, Panel, SkeletonRows } from '../../kit/layout.tsx'
import { Failed } from '../../kit/loaded.tsx'
import { Dot, type Tone } from '../../kit/status.tsx'
import { useAlertText } from '../alerts/alert-text.ts'
import { overviewQuery } from './overview-query.ts'

const ALERTS_SHOWN = 5
const RANK = { critical: 0, warning: 1, info: 2 } as const

/** What somebody has to do something about, the most urgent first. @param props `hasAgents`: agents without a connection are among it */
export function Attention({ hasAgents = true }: { hasAgents?: boolean }) {
  const t = useTranslations('overview')
  const { may } = useMe()
  const group_id = useSite()
  const alerts = useQuery(apiQuery('/alerts', { params: { query: { is_acknowledged: false, page_size: 20, group_id } } }))
  const overdue = useQuery(apiQuery('/work-orders', { params: { query: { overdue: true, page_size: 1, group_id } } }))
  const fleet = useQuery(overviewQuery({ group_id }))
  const agents = useQuery({
    ...apiQuery('/agent/fleet', { params: { query: { online: false, group_id } } }),
    enabled: hasAgents && may('admin'),
    // no event tells that an agent is silent
    refetchInterval: 30_000,
  })

  const standing = (alerts.data?.items ?? [])
    // those that still stand come first
    .toSorted((a, b) => Number(a.cleared_at !== null) - Number(b.cleared_at !== null) || RANK[a.severity] - RANK[b.severity])
  const silent = fleet.data?.counts.offline ?? 0
  const overdueCount = overdue.data?.total ?? 0
  const offlineAgents = agents.data?.total ?? 0
  const queries = [alerts, fleet, overdue, agents]
  // what could not be loaded may need attention too
  const failed = queries.find(({ data, isError }) => isError && data === undefined)
  const isQuiet = standing.length + silent + overdueCount + offlineAgents === 0
  return (
    <Panel title={t('attention')}>
      {failed ? <Failed query={failed} /> : null}
      {queries.some(({ isLoading }) => isLoading) ? (
        <SkeletonRows rows={3} label={t('attention')} />
      ) : isQuiet ? (
        failed ? null : (
          <Empty title={t('allQuiet')} />
        )
      ) : (
        <ul className="divide-y divide-line">
          {standing.slice(0, ALERTS_SHOWN).map((alert) => (
            <AlertEntry key={alert.id} alert={alert} />
          ))}
          {standing.length > ALERTS_SHOWN ? (
            <Entry icon="alert">
              <Link to="/alerts">{t('moreAlerts', { count: (alerts.data?.pagination.total ?? 0) - ALERTS_SHOWN })}</Link>
            </Entry>
          ) : null}
          {overdueCount > 0 ? (
            <Entry icon="work" tone="warning">
              <Link to="/work-orders" search={{ overdue: '1' }}>
                {t('overdue', { count: overdueCount })}
              </Link>
            </Entry>
          ) : null}
          {silent > 0 ? (
            <Entry icon="offline" tone="offline">
              <Link to="/" search={{ status: 'offline' }}>
                {t('silent', { count: silent })}
              </Link>
            </Entry>
          ) : null}
          {offlineAgents > 0 ? (
            <Entry icon="agent" tone="warning">
              <Link to="/agents" search={{ show: 'offline' }}>
                {t('agentsOffline', { count: offlineAgents })}
              </Link>
            </Entry>
          ) : null}
        </ul>
      )}
    </Panel>
  )
}

function Entry({ icon, tone, children }: { icon: IconName; tone?: Tone; children: ReactNode }) {
  return (
    <li className="flex items-center gap-3 px-4 py-2.5">
      {tone ? <Dot tone={tone} /> : null}
      <Icon name={icon} className="size-4.5 text-soft" />
      <span className="min-w-0">{children}</span>
    </li>
  )
}

function AlertEntry({ alert }: { alert: Schemas['Alert'] }) {
  const format = useFormat()
  const t = useTranslations('severity')
  const textOf = useAlertText()
  return (
    <li className="px-4 py-2.5">
      <Link
        to="/alerts/$alertId"
        params={{ alertId: alert.id }}
        className="flex items-start gap-3 text-ink no-underline hover:underline"
      >
        <span className="mt-1">
          <Dot tone={alert.severity} />
          <span className="sr-only">{t(alert.severity)}</span>
        </span>
        <span className="min-w-0">
          <span className="block">{textOf(alert)}</span>
          <span className="text-sm text-soft">{format.ago(alert.triggered_at)}</span>
        </span>
      </Link>
    </li>
  )
}
