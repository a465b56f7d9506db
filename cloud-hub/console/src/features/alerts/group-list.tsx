import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { apiQuery, type Schemas } from '../../api/client.ts'
import { useMe } from '../../app/me.tsx'
import { keepWithin } from '../../app/site.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Button } from '../../kit/button.tsx'
import { Empty } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Notice } from '../../kit/notice.tsx'
import { Pages } from '../../kit/pages.tsx'
import { Status } from '../../kit/status.tsx'
import { useFocusAfter } from '../../kit/use-focus-after.ts'
import { useAcknowledgeMatching } from './use-matching.ts'

const ConfirmDialog = lazy(() => import('../../kit/confirm-dialog.tsx').then((it) => ({ default: it.ConfirmDialog })))

/** From so many alerts on, one press does not acknowledge a group. */
const ASKED_FROM = 20

type Group = Schemas['AlertGroup']
type Filter = NonNullable<Schemas['BulkAcknowledge']['filter']>

/** The query of the page of alerts. */
interface GroupQuery extends Omit<Filter, 'created_before' | 'is_acknowledged'> {
  page: number
  page_size: number
  is_acknowledged?: boolean | undefined
}

/** Alerts by machine and rule, the one with the newest alert first. */
export function GroupList({
  query,
  isUnfiltered,
  onPage,
}: {
  query: GroupQuery
  /** all open alerts are shown */
  isUnfiltered: boolean
  onPage(page: number): void
}) {
  const t = useTranslations('alerts')
  const format = useFormat()
  const groups = useQuery({ ...apiQuery('/alerts/groups', { params: { query } }), placeholderData: keepWithin(query.group_id) })
  return (
    <div className="card max-w-300">
      <Loaded query={groups} label={t('title')} rows={8}>
        {({ items, is_complete }) =>
          items.length === 0 ? (
            <Empty title={t(isUnfiltered ? 'noneOpen' : 'none')}>{null}</Empty>
          ) : (
            <>
              {is_complete ? null : <Notice tone="info">{t('notAllGrouped', { limit: format.count(100_000) })}</Notice>}
              <ul className="divide-y divide-line">
                {items.map((group) => (
                  <GroupRow key={`${group.machine_id} ${group.rule_id}`} group={group} query={query} />
                ))}
              </ul>
            </>
          )
        }
      </Loaded>
      {groups.data ? <Pages pagination={groups.data.pagination} onPage={onPage} /> : null}
    </div>
  )
}

function GroupRow({ group, query }: { group: Group; query: GroupQuery }) {
  const t = useTranslations()
  const format = useFormat()
  const { may } = useMe()
  const row = useRef<HTMLLIElement>(null)
  useFocusAfter(row, () => row.current?.nextElementSibling?.querySelector('a'))
  const what = group.rule_name ?? format.metric(group.metric_name)
  const count = group.open_count
  return (
    <li ref={row} className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3 hover:bg-raised">
      <span className="w-24 shrink-0 max-sm:w-full">
        <Status tone={group.severity}>{t(`severity.${group.severity}`)}</Status>
      </span>
      <span className="min-w-0 flex-1 basis-60">
        <Link
          from="/alerts"
          to="/alerts"
          search={(known) => ({
            ...known,
            // the choice that is remembered may be the groups
            view: group.rule_id ? undefined : 'list',
            machine: group.machine_id,
            rule: group.rule_id ?? undefined,
            page: undefined,
          })}
          className="flex items-center font-medium text-ink no-underline hover:underline"
        >
          {t('alerts.titleOf', { machine: group.machine_name, metric: what })}
        </Link>
        <span className="flex flex-wrap gap-x-3 text-sm text-soft">
          <span>{t('alerts.countOf', { count: group.alert_count })}</span>
          {query.is_acknowledged === undefined && count > 0 ? <span>{t('alerts.openOf', { count })}</span> : null}
          <time dateTime={group.last_raised_at} title={format.seconds(group.last_raised_at)}>
            {t(group.alert_count > 1 ? 'alerts.lastOf' : 'alerts.onceAt', { ago: format.ago(group.last_raised_at) })}
          </time>
          {group.alert_count > 1 ? <span>{t('alerts.firstOf', { at: format.dateTime(group.first_raised_at) })}</span> : null}
        </span>
      </span>
      {may('operator') && count > 0 && group.rule_id ? <AcknowledgeGroup group={group} query={query} what={what} /> : null}
    </li>
  )
}

/** Acknowledges the open alerts of a group, after a question where they are many. */
function AcknowledgeGroup({ group, query, what }: { group: Group; query: GroupQuery; what: string }) {
  const t = useTranslations('alerts')
  const part = useRef<HTMLSpanElement>(null)
  // the row stays where all alerts are shown
  useFocusAfter(part, () => part.current?.closest('li')?.querySelector('a'))
  const [isAsking, setAsking] = useState(false)
  const acknowledge = useAcknowledgeMatching()
  const count = group.open_count
  const question = t('acknowledgeGroup', { count, machine: group.machine_name, metric: what })
  const acknowledgeGroup = () => {
    const { severity, start_date, end_date } = query
    // what is raised from now on was not seen
    const created_before = new Date(Date.parse(group.last_raised_at) + 1).toISOString()
    const filter = {
      machine_id: group.machine_id,
      rule_id: group.rule_id ?? undefined,
      severity,
      start_date,
      end_date,
      created_before,
    }
    acknowledge.mutate({ filter, total: count })
  }
  return (
    <span ref={part}>
      <Button
        isPending={acknowledge.isPending}
        aria-label={question}
        onPress={count < ASKED_FROM ? acknowledgeGroup : () => setAsking(true)}
      >
        {t('acknowledgeChosen', { count })}
      </Button>
      <Suspense>
        {isAsking ? (
          <ConfirmDialog
            title={question}
            text={t('acknowledgeGroupText')}
            confirm={t('acknowledgeChosen', { count })}
            run={async () => acknowledgeGroup()}
            onClose={() => setAsking(false)}
          />
        ) : null}
      </Suspense>
    </span>
  )
}
