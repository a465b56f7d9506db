import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { apiQuery } from '../../api/client.ts'
import { useMe } from '../../app/me.tsx'
import { keepWithin, useSite } from '../../app/site.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Button } from '../../kit/button.tsx'
import { SelectField, TextField } from '../../kit/field.tsx'
import { Filters } from '../../kit/filters.tsx'
import { Empty, PageHead } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Pages } from '../../kit/pages.tsx'
import { Status } from '../../kit/status.tsx'
import { ViewLinks } from '../../kit/view-links.tsx'
import { Board } from './board.tsx'
import { isOverdue, PRIORITIES, PRIORITY_TONES, STATUSES, type WorkOrder } from './order-status.ts'
import { useOrderTitle } from './order-title.ts'

const OrderDialog = lazy(() => import('./order-dialog.tsx').then((it) => ({ default: it.OrderDialog })))

const route = getRouteApi('/app/work-orders')
const PAGE_SIZE = 30

/** Work orders by status, priority and assignee. */
export function WorkOrdersPage() {
  const t = useTranslations()
  const { may, user } = useMe()
  const { view = 'list', page = 1, find, status, priority, mine, overdue, machine } = route.useSearch()
  const site = useSite()
  const navigate = useNavigate({ from: '/work-orders' })
  const [isAdding, setAdding] = useState(false)
  const criteria = {
    search: find,
    priority: priority ? [priority] : undefined,
    assigned_to: mine ? user.id : undefined,
    overdue: overdue ? true : undefined,
    machine_id: machine,
    group_id: site,
  }
  const isFiltered = [find, status, priority, mine, overdue, machine].some(Boolean)
  const query = {
    ...criteria,
    page,
    page_size: PAGE_SIZE,
    status: status ? [status] : undefined,
    sort_by: 'created_at',
    sort_dir: 'desc',
  } as const
  const list = useQuery({
    ...apiQuery('/work-orders', { params: { query } }),
    placeholderData: keepWithin(site),
    enabled: view === 'list',
  })
  const { data } = list
  const filter = (change: Record<string, string | undefined>) =>
    navigate({ search: (known) => ({ ...known, ...change, page: undefined }), replace: true })
  return (
    <>
      <PageHead title={t('work.title')} lead={view === 'list' && data ? t('work.count', { count: data.total }) : undefined}>
        {may('operator') ? (
          <Button look="primary" onPress={() => setAdding(true)}>
            {t('work.add')}
          </Button>
        ) : null}
      </PageHead>
      <Filters
        chosen={[status, priority, mine, overdue].filter(Boolean).length}
        always={
          <TextField
            label={t('work.find')}
            type="search"
            defaultValue={find}
            className="col-span-2 md:w-72"
            onChange={({ target }) => filter({ find: target.value || undefined })}
          />
        }
      >
        {view === 'list' ? (
          <SelectField
            label={t('work.status')}
            value={status ?? ''}
            onChange={({ target }) => filter({ status: target.value || undefined })}
            options={[['', t('filter.all')], ...STATUSES.map((it) => [it, t(`work.statuses.${it}`)] as const)]}
          />
        ) : null}
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
        <ViewLinks
          label={t('maintenance.view')}
          chosen={view}
          views={[
            ['list', t('work.list')],
            ['board', t('work.board')],
          ]}
        />
      </Filters>
      {view === 'board' ? (
        <Board filter={criteria} />
      ) : (
        <div className="card max-w-300">
          <Loaded query={list} label={t('work.title')} rows={8}>
            {(data) =>
              data.items.length === 0 ? (
                <Empty title={t(isFiltered ? 'work.noneFound' : 'work.none')}>
                  {isFiltered ? null : <p>{t(may('operator') ? 'work.noneText' : 'work.noneOther')}</p>}
                </Empty>
              ) : (
                <ul className="divide-y divide-line">
                  {data.items.map((order) => (
                    <OrderRow key={order.id} order={order} />
                  ))}
                </ul>
              )
            }
          </Loaded>
          {data ? (
            <Pages
              pagination={{ total: data.total, page, page_size: PAGE_SIZE }}
              onPage={(next) => navigate({ search: (known) => ({ ...known, page: next }) })}
            />
          ) : null}
        </div>
      )}
      <Suspense>{isAdding ? <OrderDialog onClose={() => setAdding(false)} /> : null}</Suspense>
    </>
  )
}

function OrderRow({ order }: { order: WorkOrder }) {
  const titleOf = useOrderTitle()
  const t = useTranslations('work')
  const format = useFormat()
  const late = isOverdue(order)
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-1 px-4 py-3 hover:bg-raised">
      <span className="w-24">
        <Status tone={PRIORITY_TONES[order.priority]}>{t(`priorities.${order.priority}`)}</Status>
      </span>
      <span className="min-w-0 flex-1 basis-60">
        <Link
          to="/work-orders/$workOrderId"
          params={{ workOrderId: order.id }}
          className="block font-medium text-ink no-underline hover:underline"
        >
          {titleOf(order)}
        </Link>
        <span className="flex flex-wrap gap-x-3 text-sm text-soft">
          <span>{order.machine_name}</span>
          {order.due_date ? (
            <span className={late ? 'font-medium text-critical' : ''}>
              {t(late ? 'wasDue' : 'due', { at: format.dateTime(order.due_date) })}
            </span>
          ) : (
            <span>{t('createdAt', { at: format.date(order.created_at) })}</span>
          )}
        </span>
      </span>
      <span className="text-sm font-medium">{t(`statuses.${order.status}`)}</span>
    </li>
  )
}
