import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { apiQuery, type Schemas } from '../../api/client.ts'
import { useFaultText } from '../../app/fault-text.ts'
import { useMachineNames } from '../../app/machine-names.ts'
import { useMe } from '../../app/me.tsx'
import { useFormat } from '../../i18n/format.tsx'
import { Button } from '../../kit/button.tsx'
import { SelectField, TextField } from '../../kit/field.tsx'
import { Empty, PageHead, SkeletonRows } from '../../kit/layout.tsx'
import { Notice } from '../../kit/notice.tsx'
import { Pages } from '../../kit/pages.tsx'
import { Status, type Tone } from '../../kit/status.tsx'

const AddOrderDialog = lazy(() => import('./add-order-dialog.tsx').then((it) => ({ default: it.AddOrderDialog })))

const route = getRouteApi('/app/work-orders')
const PAGE_SIZE = 30
const STATUSES = ['open', 'in_progress', 'completed', 'cancelled'] as const
const PRIORITIES = ['critical', 'high', 'medium', 'low'] as const
export const PRIORITY_TONES: Record<Schemas['WorkOrder']['priority'], Tone> = {
  critical: 'critical',
  high: 'warning',
  medium: 'info',
  low: 'offline',
}

/** Work orders by status, priority and assignee. */
export function WorkOrdersPage() {
  const t = useTranslations()
  const faultText = useFaultText()
  const { may, user } = useMe()
  const { page = 1, find, status, priority, mine, overdue, machine } = route.useSearch()
  const navigate = useNavigate({ from: '/work-orders' })
  const [isAdding, setAdding] = useState(false)
  const names = useMachineNames()
  const query = {
    page,
    page_size: PAGE_SIZE,
    search: find,
    status: status ? [status] : undefined,
    priority: priority ? [priority] : undefined,
    assigned_to: mine ? user.id : undefined,
    overdue: overdue ? true : undefined,
    machine_id: machine,
    sort_by: 'created_at',
    sort_dir: 'desc',
  } as const
  const { data, error } = useQuery({ ...apiQuery('/work-orders', { params: { query } }), placeholderData: keepPreviousData })
  const filter = (change: Record<string, string | undefined>) =>
    navigate({ search: (known) => ({ ...known, ...change, page: undefined }), replace: true })
  return (
    <>
      <PageHead title={t('work.title')} lead={data ? t('work.count', { count: data.total }) : undefined}>
        {may('operator') ? (
          <Button look="primary" onPress={() => setAdding(true)}>
            {t('work.add')}
          </Button>
        ) : null}
      </PageHead>
      <div className="mb-4 grid grid-cols-2 items-end gap-3 md:flex md:flex-wrap">
        <TextField
          label={t('work.find')}
          type="search"
          defaultValue={find}
          className="col-span-2 md:w-72"
          onChange={({ target }) => filter({ find: target.value || undefined })}
        />
        <SelectField
          label={t('work.status')}
          value={status ?? ''}
          onChange={({ target }) => filter({ status: target.value || undefined })}
          options={[['', t('filter.all')], ...STATUSES.map((it) => [it, t(`work.statuses.${it}`)] as const)]}
        />
        <SelectField
          label={t('work.priority')}
          value={priority ?? ''}
          onChange={({ target }) => filter({ priority: target.value || undefined })}
          options={[['', t('filter.all')], ...PRIORITIES.map((it) => [it, t(`work.priorities.${it}`)] as const)]}
        />
        <label className="flex min-h-9.5 items-center gap-2">
          <input type="checkbox" checked={mine === '1'} onChange={() => filter({ mine: mine ? undefined : '1' })} />
          {t('work.mine')}
        </label>
        <label className="flex min-h-9.5 items-center gap-2">
          <input type="checkbox" checked={overdue === '1'} onChange={() => filter({ overdue: overdue ? undefined : '1' })} />
          {t('work.overdue')}
        </label>
      </div>
      <div className="card">
        {error && !data ? (
          <div className="p-4">
            <Notice tone="critical">{faultText(error)}</Notice>
          </div>
        ) : !data ? (
          <SkeletonRows rows={8} label={t('work.title')} />
        ) : data.items.length === 0 ? (
          <Empty title={t('work.none')}>{may('operator') ? <p>{t('work.noneText')}</p> : null}</Empty>
        ) : (
          <ul className="divide-y divide-line">
            {data.items.map((order) => (
              <OrderRow key={order.id} order={order} machineName={names.get(order.machine_id)} />
            ))}
          </ul>
        )}
        {data ? (
          <Pages
            pagination={{ total: data.total, page, page_size: PAGE_SIZE }}
            onPage={(next) => navigate({ search: (known) => ({ ...known, page: next }) })}
          />
        ) : null}
      </div>
      <Suspense>{isAdding ? <AddOrderDialog onClose={() => setAdding(false)} /> : null}</Suspense>
    </>
  )
}

function OrderRow({ order, machineName }: { order: Schemas['WorkOrder']; machineName: string | undefined }) {
  const t = useTranslations('work')
  const format = useFormat()
  const isOpen = order.status === 'open' || order.status === 'in_progress'
  const isOverdue = isOpen && order.due_date !== null && Date.parse(order.due_date) < Date.now()
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-1 px-4 py-3 hover:bg-raised">
      <span className="w-24">
        <Status tone={PRIORITY_TONES[order.priority]}>{t(`priorities.${order.priority}`)}</Status>
      </span>
      <span className="min-w-0 flex-1 basis-60">
        <Link
          to="/work-orders/$workOrderId"
          params={{ workOrderId: order.id }}
          className="block font-semibold text-ink no-underline hover:underline"
        >
          {order.title}
        </Link>
        <span className="flex flex-wrap gap-x-3 text-sm text-soft">
          {machineName ? <span>{machineName}</span> : null}
          <span>{format.date(order.created_at)}</span>
          {order.due_date ? (
            <span className={isOverdue ? 'font-semibold text-critical' : ''}>
              {t(isOverdue ? 'wasDue' : 'due', { at: format.dateTime(order.due_date) })}
            </span>
          ) : null}
        </span>
      </span>
      <span className="text-sm font-medium">{t(`statuses.${order.status}`)}</span>
    </li>
  )
}
