import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, POLLED, type Schemas, unwrap } from '../../api/client.ts'
import { download } from '../../api/download.ts'
import { useMe } from '../../app/me.tsx'
import { UnavailablePage } from '../../app/unavailable-page.tsx'
import { useFaultText, useReportedFault } from '../../i18n/fault-text.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Button } from '../../kit/button.tsx'
import { Icon } from '../../kit/icon.tsx'
import { PageHead, Panel, Panels } from '../../kit/layout.tsx'
import { Failed, Loaded } from '../../kit/loaded.tsx'
import { Status } from '../../kit/status.tsx'
import { toast } from '../../kit/toast.tsx'
import { AssigneeName, AssigneeNames } from './assignee-field.tsx'
import { Attachments } from './attachments.tsx'
import { Instructions } from './instructions.tsx'
import { OrderHistory } from './order-history.tsx'
import { nextStatuses, PRIORITY_TONES, useChangeStatus } from './order-status.ts'
import { useOrderTitle } from './order-title.ts'

const Comments = lazy(() => import('../../kit/comments.tsx').then((it) => ({ default: it.Comments })))
const ConfirmDialog = lazy(() => import('../../kit/confirm-dialog.tsx').then((it) => ({ default: it.ConfirmDialog })))
const CompleteDialog = lazy(() => import('./complete-dialog.tsx').then((it) => ({ default: it.CompleteDialog })))
const OrderDialog = lazy(() => import('./order-dialog.tsx').then((it) => ({ default: it.OrderDialog })))
const SignDialog = lazy(() => import('./sign-dialog.tsx').then((it) => ({ default: it.SignDialog })))

const route = getRouteApi('/app/work-orders/$workOrderId')

/** One work order, from the first step to the certificate. */
export function WorkOrderPage() {
  const t = useTranslations()
  const format = useFormat()
  const { may } = useMe()
  const titleOf = useOrderTitle()
  const { workOrderId } = route.useParams()
  const query = useQuery({
    ...apiQuery('/work-orders/{work_order_id}', { params: { path: { work_order_id: workOrderId } } }),
    ...POLLED,
  })
  const order = query.data
  if (!order) return <UnavailablePage query={query} />
  const facts: [name: string, value: ReactNode, className?: string][] = [
    [
      t('work.machine'),
      <Link key="machine" to="/machines/$machineId" params={{ machineId: order.machine_id }}>
        {order.machine_name}
      </Link>,
    ],
    [t('work.status'), t(`work.statuses.${order.status}`)],
    [t('work.assignee'), <AssigneeName key="assignee" id={order.assigned_to} />],
    ...(order.assignee_ids.length > 0
      ? ([[t('work.alsoAssigned'), <AssigneeNames key="others" ids={order.assignee_ids} />]] as [string, ReactNode][])
      : []),
    [t('work.dueDate'), order.due_date ? format.dateTime(order.due_date) : '–'],
    [t('work.created'), format.dateTime(order.created_at)],
    ...(order.completed_at ? ([[t('work.completedAt'), format.dateTime(order.completed_at)]] as [string, ReactNode][]) : []),
    ...(order.completion_notes ? ([[t('work.completionNotes'), order.completion_notes]] as [string, ReactNode][]) : []),
    ...(order.alert_id
      ? ([
          [
            t('work.alert'),
            <Link key="alert" to="/alerts/$alertId" params={{ alertId: order.alert_id }}>
              {t('work.openAlert')}
            </Link>,
            // leads nowhere on paper
            'no-print',
          ],
        ] as [string, ReactNode, string][])
      : []),
  ]
  return (
    <>
      <Failed query={query} />
      <p className="no-print mb-1 text-sm">
        <Link to="/work-orders">{t('nav.work')}</Link>
      </p>
      <PageHead
        title={titleOf(order)}
        lead={<Status tone={PRIORITY_TONES[order.priority]}>{t(`work.priorities.${order.priority}`)}</Status>}
      >
        <Button onPress={() => print()}>
          <Icon name="print" className="size-4.5" />
          {t('work.print')}
        </Button>
        {may('operator') ? <Actions order={order} /> : null}
      </PageHead>
      <Panels className="grid items-start gap-4 lg:grid-cols-2">
        <Panel title={t('work.facts')}>
          {order.description ? <p className="px-4 pt-4 whitespace-pre-wrap">{order.description}</p> : null}
          <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1.5 p-4">
            {facts.map(([name, value, className = '']) => (
              <div key={name} className={`contents ${className}`}>
                <dt className="text-soft">{name}</dt>
                <dd className="whitespace-pre-wrap">{value}</dd>
              </div>
            ))}
          </dl>
        </Panel>
        <Instructions order={order} />
        <Attachments of={{ work_order_id: order.id }} mayChange={may('operator') && order.signoff_count === 0} />
        <Signoffs order={order} />
        <Suspense>
          <Comments path="/work-orders/{work_order_id}/comments" params={{ work_order_id: order.id }} />
        </Suspense>
        <OrderHistory workOrderId={order.id} />
      </Panels>
    </>
  )
}

/** What an operator does with a work order. */
function Actions({ order }: { order: Schemas['WorkOrder'] }) {
  const t = useTranslations('work')
  const common = useTranslations('common')
  const [shown, setShown] = useState<'complete' | 'edit' | 'delete' | null>(null)
  const client = useQueryClient()
  const navigate = useNavigate()
  const change = useChangeStatus()
  const title = useOrderTitle()(order)
  const next = nextStatuses(order)
  const isOpen = order.status === 'open' || order.status === 'in_progress'
  const button = (to: (typeof next)[number], text: string, look?: 'primary') =>
    next.includes(to) ? (
      <Button look={look} isPending={change.isPending} onPress={() => change.mutate({ order, to })}>
        {text}
      </Button>
    ) : null
  return (
    <>
      {order.signoff_count === 0 ? (
        <>
          <Button onPress={() => setShown('edit')}>{common('edit')}</Button>
          {isOpen ? null : (
            <Button look="danger" onPress={() => setShown('delete')}>
              {t('deleteOrder')}
            </Button>
          )}
        </>
      ) : null}
      {isOpen ? button('cancelled', t('cancelOrder')) : null}
      {order.status === 'cancelled' ? button('open', t('reopen')) : null}
      {order.status === 'completed' ? button('in_progress', t('reopen')) : null}
      {next.includes('completed') ? (
        <Button look={order.status === 'open' ? 'plain' : 'primary'} onPress={() => setShown('complete')}>
          {t('complete')}
        </Button>
      ) : null}
      {order.status === 'open' ? button('in_progress', t('start'), 'primary') : null}
      <Suspense>
        {shown === 'complete' ? <CompleteDialog order={order} onClose={() => setShown(null)} /> : null}
        {shown === 'edit' ? <OrderDialog order={order} onClose={() => setShown(null)} /> : null}
        {shown === 'delete' ? (
          <ConfirmDialog
            title={t('deleteTitle', { title })}
            text={t('deleteText')}
            confirm={t('deleteOrder')}
            run={() => unwrap(api.DELETE('/work-orders/{work_order_id}', { params: { path: { work_order_id: order.id } } }))}
            onDone={async () => {
              await navigate({ to: '/work-orders' })
              toast('healthy', t('deleted'))
              client.removeQueries({ queryKey: ['/work-orders/{work_order_id}', { path: { work_order_id: order.id } }] })
            }}
            onClose={() => setShown(null)}
          />
        ) : null}
      </Suspense>
    </>
  )
}

function Signoffs({ order }: { order: Schemas['WorkOrder'] }) {
  const t = useTranslations('work')
  const tiers = useTranslations('roles.tiers')
  const roleName = (role: string) => (role === 'viewer' || role === 'operator' || role === 'admin' ? tiers(role) : role)
  const format = useFormat()
  const faultText = useFaultText()
  const { may } = useMe()
  const [isSigning, setSigning] = useState(false)
  const [isPending, setPending] = useState(false)
  const params = { path: { work_order_id: order.id } }
  const query = useQuery({ ...apiQuery('/work-orders/{work_order_id}/signoffs', { params }), ...POLLED })
  const { data } = query
  const reported = useReportedFault()
  const verify = useMutation({
    mutationFn: (signoffId: string) =>
      unwrap(
        api.GET('/work-orders/{work_order_id}/signoffs/{signoff_id}/verify', {
          params: { path: { work_order_id: order.id, signoff_id: signoffId } },
        }),
      ),
    onSuccess: ({ is_valid, detail, fault }) =>
      is_valid
        ? toast('healthy', t('signatureValid'))
        : toast('critical', t('signatureInvalid', { detail: reported(fault, detail) })),
    onError: (error) => toast('critical', faultText(error)),
  })
  const saveCertificate = async () => {
    setPending(true)
    await download(`/work-orders/${order.id}/certificate`, `certificate-${order.id}.pdf`).catch((error) =>
      toast('critical', faultText(error)),
    )
    setPending(false)
  }
  const canSign = order.status === 'completed' && may('operator')
  return (
    <Panel
      title={t('signoffs')}
      actions={
        <>
          {(data?.length ?? 0) > 0 ? (
            <Button isPending={isPending} onPress={saveCertificate}>
              {t('certificate')}
            </Button>
          ) : null}
          {canSign ? (
            <Button look="primary" onPress={() => setSigning(true)}>
              {t('sign')}
            </Button>
          ) : null}
        </>
      }
    >
      <Loaded query={query} label={t('signoffs')} rows={2}>
        {(data) =>
          data.length === 0 ? (
            <p className="p-4 text-soft">{t(order.status === 'completed' ? 'noSignoffs' : 'signAfterCompletion')}</p>
          ) : (
            <ol className="divide-y divide-line">
              {data.map((signoff) => (
                <li key={signoff.id} className="flex flex-wrap items-center justify-between gap-3 px-4 py-2.5">
                  <span>
                    <span className="font-medium">{signoff.signer_name}</span> · {roleName(signoff.signer_role)}
                    <span className="block text-sm text-soft">{format.seconds(signoff.signed_at)}</span>
                  </span>
                  <Button
                    onPress={() => verify.mutate(signoff.id)}
                    isPending={verify.isPending && verify.variables === signoff.id}
                  >
                    {t('verify')}
                  </Button>
                </li>
              ))}
            </ol>
          )
        }
      </Loaded>
      <Suspense>{isSigning ? <SignDialog order={order} onClose={() => setSigning(false)} /> : null}</Suspense>
    </Panel>
  )
}
