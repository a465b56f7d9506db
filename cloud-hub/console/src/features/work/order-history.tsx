import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { apiQuery, POLLED, type Schemas } from '../../api/client.ts'
import { useActorName } from '../../app/people.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Pages } from '../../kit/pages.tsx'

const PAGE_SIZE = 50
const FIELDS = {
  title: 'orderTitle',
  description: 'description',
  assigned_to: 'assignee',
  due_date: 'dueDate',
  completed_at: 'completedAt',
  completion_notes: 'completionNotes',
  completed_by: 'completedBy',
  body: 'stepBody',
  step_order: 'stepOrder',
  attachment_id: 'stepAttachment',
} as const
/** The values of these fields have names. */
const VALUES: Record<string, 'statuses' | 'priorities'> = { status: 'statuses', priority: 'priorities' }

/** These fields follow from the status and say nothing more than it. */
const OF_STATUS = ['completed_at', 'completed_by']

/** The fields to name in an entry. */
const namedChanges = (changes: NonNullable<Schemas['WorkOrderHistoryEntry']['changes']>) =>
  Object.entries(changes).filter(([field]) => !('status' in changes && OF_STATUS.includes(field)))

/** Every change of a work order, the first one first. */
export function OrderHistory({ workOrderId }: { workOrderId: string }) {
  const t = useTranslations('work')
  const format = useFormat()
  const actorName = useActorName()
  const [page, setPage] = useState(1)
  const query = useQuery({
    ...apiQuery('/work-orders/{work_order_id}/history', {
      params: { path: { work_order_id: workOrderId }, query: { page, page_size: PAGE_SIZE } },
    }),
    placeholderData: keepPreviousData,
    ...POLLED,
  })
  const change = (field: string, from: unknown, to: unknown) => {
    const values = VALUES[field]
    if (!values) return field in FIELDS ? t(FIELDS[field as keyof typeof FIELDS]) : format.metric(field)
    const [before, after] = [from, to].map((it) => t(`${values}.${it}` as 'statuses.open'))
    return `${before} › ${after}`
  }
  return (
    <Panel title={t('history')}>
      <Loaded query={query} label={t('history')} rows={3}>
        {(data) => (
          <>
            <ol className="divide-y divide-line">
              {data.items.map((entry, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: entries have no id, and are never reordered
                <li key={index} className="px-4 py-2">
                  <p className="flex flex-wrap justify-between gap-x-4">
                    <span>
                      <span className="font-medium">{t(`events.${entry.event}`)}</span>
                      {entry.subject?.name ? ` ${entry.subject.name}` : ''}
                      {actorName(entry.actor) ? <span className="text-soft"> · {actorName(entry.actor)}</span> : null}
                    </span>
                    <time dateTime={entry.at} className="text-sm text-soft">
                      {format.seconds(entry.at)}
                    </time>
                  </p>
                  {entry.changes ? (
                    <p className="text-sm text-soft">
                      {namedChanges(entry.changes)
                        .map(([field, { from, to }]) => change(field, from, to))
                        .join(', ')}
                    </p>
                  ) : null}
                </li>
              ))}
            </ol>
            <Pages pagination={{ total: data.total, page, page_size: PAGE_SIZE }} onPage={setPage} />
          </>
        )}
      </Loaded>
    </Panel>
  )
}
