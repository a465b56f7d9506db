import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { isApiError } from '../../api/error.ts'
import { WORK_ORDER_CREATE_TITLE_MAX_LENGTH } from '../../api/limits.ts'
import { useMe } from '../../app/me.tsx'
import { useActorName } from '../../app/people.ts'
import { UnavailablePage } from '../../app/unavailable-page.tsx'
import { useFaultText } from '../../i18n/fault-text.ts'
import { useFormat } from '../../i18n/format.tsx'
import { wallTime } from '../../i18n/wall-time.ts'
import { ActionBar } from '../../kit/action-bar.tsx'
import { Button, buttonClass } from '../../kit/button.tsx'
import { PageHead, Panel, Panels } from '../../kit/layout.tsx'
import { Failed, Loaded } from '../../kit/loaded.tsx'
import { RowMenu } from '../../kit/row-menu.tsx'
import { Status } from '../../kit/status.tsx'
import { toast } from '../../kit/toast.tsx'
import { useNarrow } from '../../kit/use-narrow.ts'
import { useAlertState } from './alert-row.tsx'
import { useAlertText } from './alert-text.ts'

const AlertChart = lazy(() => import('./alert-chart.tsx').then((it) => ({ default: it.AlertChart })))
const Comments = lazy(() => import('../../kit/comments.tsx').then((it) => ({ default: it.Comments })))
const EventDialog = lazy(() => import('../maintenance/event-dialog.tsx').then((it) => ({ default: it.EventDialog })))
const SnoozeDialog = lazy(() => import('./snooze-dialog.tsx').then((it) => ({ default: it.SnoozeDialog })))

const route = getRouteApi('/app/alerts/$alertId')
const HOUR_MS = 3_600_000
const SNOOZES = [
  ['60', 'hour'],
  ['480', 'shift'],
  ['1440', 'day'],
  ['10080', 'week'],
] as const
/** The hub only accepts a snooze into the future, also where the clock of this browser is a little slow. */
const SOON_MS = 60_000
const soon = () => new Date(Date.now() + SOON_MS).toISOString()

/** One alert: what happened, what has been done, and what can be done now. */
export function AlertPage() {
  const t = useTranslations()
  const format = useFormat()
  const stateOf = useAlertState()
  const textOf = useAlertText()
  const { may } = useMe()
  const { alertId } = route.useParams()
  const query = useQuery(apiQuery('/alerts/{alert_id}', { params: { path: { alert_id: alertId } } }))
  const alert = query.data
  if (!alert) return <UnavailablePage query={query} />
  const facts: [string, ReactNode][] = [
    [
      t('alerts.machine'),
      <Link key="machine" to="/machines/$machineId" params={{ machineId: alert.machine_id }}>
        {alert.machine_name}
      </Link>,
    ],
    [t('alerts.metric'), format.metric(alert.metric_name)],
    [t('alerts.value'), format.value(alert.trigger_value, alert.unit)],
    [t('alerts.threshold'), format.limit(alert.threshold_value, alert.unit)],
    [t('alerts.raised'), format.seconds(alert.triggered_at)],
    [t('alerts.state'), stateOf(alert)],
  ]
  return (
    <>
      <Failed query={query} />
      <p className="no-print mb-1 text-sm">
        <Link to="/alerts">{t('nav.alerts')}</Link>
      </p>
      <PageHead
        title={t('alerts.titleOf', { machine: alert.machine_name, metric: format.metric(alert.metric_name) })}
        lead={
          <span className="flex flex-wrap items-center gap-x-3">
            <Status tone={alert.severity}>{t(`severity.${alert.severity}`)}</Status>
            <span>{textOf(alert)}</span>
          </span>
        }
      >
        {may('operator') ? <Actions alert={alert} /> : null}
      </PageHead>
      <Panels className="grid grid-flow-dense items-start gap-4 lg:grid-cols-2">
        <Panel title={t('alerts.facts')}>
          <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1.5 p-4">
            {facts.map(([name, value]) => (
              <div key={name} className="contents">
                <dt className="text-soft">{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </Panel>
        <Suspense
          fallback={
            <Panel title={t('alerts.chart')} className="min-h-94 lg:col-span-2">
              {null}
            </Panel>
          }
        >
          <AlertChart alert={alert} />
        </Suspense>
        <History alertId={alert.id} />
        <Suspense>
          <Comments path="/alerts/{alert_id}/comments" params={{ alert_id: alert.id }} />
        </Suspense>
      </Panels>
    </>
  )
}

function Actions({ alert }: { alert: Schemas['Alert'] }) {
  const t = useTranslations('alerts')
  const common = useTranslations('common')
  const format = useFormat()
  const faultText = useFaultText()
  const client = useQueryClient()
  const navigate = useNavigate()
  const params = { path: { alert_id: alert.id } }
  const key = apiQuery('/alerts/{alert_id}', { params }).queryKey
  /** Shows a change before the hub has it. @returns how to take it back */
  const show = async (change: Partial<Schemas['Alert']>) => {
    await client.cancelQueries({ queryKey: key })
    client.setQueryData<Schemas['Alert']>(key, (known) => (known ? { ...known, ...change } : known))
    return () => client.setQueryData(key, alert)
  }
  const acknowledge = useMutation({
    mutationFn: () => unwrap(api.POST('/alerts/{alert_id}/acknowledge', { params })),
    onMutate: () => show({ is_acknowledged: true }),
    onError: (error, _, takeBack) => {
      takeBack?.()
      // a colleague was faster: what they did is shown instead
      if (isApiError(error) && error.code === 'alert_already_acknowledged') toast('info', t('acknowledgedByOther', { count: 1 }))
      else toast('critical', faultText(error))
    },
  })
  const [shown, setShown] = useState<'maintenance' | 'snooze' | null>(null)
  const close = () => setShown(null)
  const isSnoozed = alert.snoozed_until !== null && Date.parse(alert.snoozed_until) > Date.now()
  const snooze = useMutation({
    mutationFn: ({ until }: { until: string; before?: string | null }) =>
      unwrap(api.POST('/alerts/{alert_id}/snooze', { params, body: { snooze_until: until } })),
    onMutate: ({ until }) => show({ snoozed_until: until }),
    onSuccess: (_changed, { until, before }) => {
      const isEnd = Date.parse(until) <= Date.now() + SOON_MS
      // an undo is not undone
      const undo =
        before === undefined ? undefined : { text: common('undo'), run: () => snooze.mutate({ until: before ?? soon() }) }
      toast('healthy', isEnd ? t('snoozeEnds') : t('snoozed', { until: format.dateTime(until) }), undo)
    },
    onError: (error, _, takeBack) => {
      takeBack?.()
      toast('critical', faultText(error))
    },
  })
  const snoozeUntil = (until: string) => snooze.mutate({ until, before: isSnoozed ? alert.snoozed_until : null })
  const order = useMutation({
    mutationFn: () => {
      const priority = alert.severity === 'critical' ? 'critical' : alert.severity === 'warning' ? 'high' : 'medium'
      // the sentence of the hub: it is shown in the language of each reader
      const title = alert.message.slice(0, WORK_ORDER_CREATE_TITLE_MAX_LENGTH)
      const body = { machine_id: alert.machine_id, alert_id: alert.id, title, priority } as const
      return unwrap(api.POST('/work-orders', { body }))
    },
    onSuccess: ({ id }) => navigate({ to: '/work-orders/$workOrderId', params: { workOrderId: id } }),
    onError: (error) => toast('critical', faultText(error)),
  })
  const isNarrow = useNarrow()
  const orderButton = alert.work_order_id ? (
    <Link to="/work-orders/$workOrderId" params={{ workOrderId: alert.work_order_id }} className={buttonClass()}>
      {t('openWorkOrder')}
    </Link>
  ) : (
    <Button isPending={order.isPending} onPress={() => order.mutate()}>
      {t('makeWorkOrder')}
    </Button>
  )
  const acknowledgeButton = alert.is_acknowledged ? null : (
    <Button look="primary" isPending={acknowledge.isPending} onPress={() => acknowledge.mutate()}>
      {t('acknowledge')}
    </Button>
  )
  const snoozes = alert.cleared_at
    ? []
    : [
        ...SNOOZES.map(([minutes, name]) => ({
          text: t(`snoozes.${name}`),
          onPress: () => snoozeUntil(new Date(Date.now() + Number(minutes) * 60_000).toISOString()),
        })),
        { text: t('snoozes.custom'), onPress: () => setShown('snooze') },
        ...(isSnoozed ? [{ text: t('endSnooze'), onPress: () => snoozeUntil(soon()) }] : []),
      ]
  return (
    <>
      {isNarrow ? (
        <ActionBar label={t('actions')}>
          {acknowledgeButton}
          {orderButton}
          {snoozes.length > 0 ? (
            <RowMenu label={t('snooze')} groups={() => [snoozes]}>
              {t('snooze')}
            </RowMenu>
          ) : null}
          <Button onPress={() => setShown('maintenance')}>{t('planMaintenance')}</Button>
        </ActionBar>
      ) : (
        <>
          {orderButton}
          <Button onPress={() => setShown('maintenance')}>{t('planMaintenance')}</Button>
          {snoozes.length > 0 ? (
            <RowMenu label={t('snooze')} groups={() => [snoozes]}>
              {t('snooze')}
            </RowMenu>
          ) : null}
          {acknowledgeButton}
        </>
      )}
      <Suspense>
        {shown === 'snooze' ? <SnoozeDialog onChoose={snoozeUntil} onClose={close} /> : null}
        {shown === 'maintenance' ? (
          <EventDialog
            machineId={alert.machine_id}
            alertId={alert.id}
            startsAt={wallTime(Math.ceil(Date.now() / HOUR_MS) * HOUR_MS, format.timeZone)}
            onClose={close}
          />
        ) : null}
      </Suspense>
    </>
  )
}

function History({ alertId }: { alertId: string }) {
  const t = useTranslations('alerts')
  const format = useFormat()
  const actorName = useActorName()
  const query = useQuery(
    apiQuery('/alerts/{alert_id}/history', { params: { path: { alert_id: alertId }, query: { page_size: 100 } } }),
  )
  return (
    <Panel title={t('history')}>
      <Loaded query={query} label={t('history')} rows={3}>
        {(data) => (
          <ol className="divide-y divide-line">
            {data.items.map((entry) => (
              <li key={`${entry.event} ${entry.at}`} className="flex flex-wrap justify-between gap-x-4 px-4 py-2">
                <span>
                  <span className="font-medium">{t(`events.${entry.event}`)}</span>
                  {actorName(entry.actor) ? <span className="text-soft"> · {actorName(entry.actor)}</span> : null}
                </span>
                <time dateTime={entry.at} className="text-sm text-soft">
                  {format.seconds(entry.at)}
                </time>
              </li>
            ))}
          </ol>
        )}
      </Loaded>
    </Panel>
  )
}
