import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import type { Schemas } from '../../api/client.ts'
import { useReportedFault } from '../../i18n/fault-text.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Icon } from '../../kit/icon.tsx'
import { Empty } from '../../kit/layout.tsx'
import { Pages } from '../../kit/pages.tsx'
import { SyncStatus } from './sync-status.tsx'

/** Attempts to exchange records, each with the call to the ERP and its answer. */
export function LogEntries({
  page,
  nameOf,
  isFiltered,
  onPage,
}: {
  page: Schemas['ErpSyncLogPage']
  /** the name of the connection, where entries are of several */
  nameOf?: (connectionId: string) => string
  isFiltered: boolean
  onPage(page: number): void
}) {
  const t = useTranslations('erp')
  if (page.items.length === 0)
    return <Empty title={t(isFiltered ? 'noneFiltered' : 'noEntries')}>{isFiltered ? null : t('noEntriesText')}</Empty>
  return (
    <>
      <ul aria-label={t('tabs.log')} className="divide-y divide-line">
        {page.items.map((entry) => (
          <Entry key={entry.id} entry={entry} connectionName={nameOf?.(entry.erp_connection_id)} />
        ))}
      </ul>
      <Pages pagination={page} onPage={onPage} />
    </>
  )
}

function Entry({ entry, connectionName }: { entry: Schemas['ErpSyncLog']; connectionName?: string | undefined }) {
  const t = useTranslations('erp')
  const format = useFormat()
  const reported = useReportedFault()
  const facts = [
    [t('request'), entry.request_summary],
    [t('answer'), entry.response_summary],
    [t('idInErp'), entry.external_id],
  ] as const
  return (
    <li>
      <details className="group">
        <summary className="flex cursor-pointer flex-wrap gap-x-4 gap-y-0.5 px-4 py-2.5 hover:bg-raised">
          <Icon name="right" className="mt-0.5 size-4 text-soft group-open:rotate-90" />
          <span className="tabular w-44 text-soft max-sm:flex-1">{format.seconds(entry.created_at)}</span>
          <span className="sm:w-36">
            <SyncStatus status={entry.status} />
          </span>
          <span className="min-w-0 flex-1 max-md:basis-full">
            <span className="font-medium">{t(`entities.${entry.entity_type}`)}</span>
            {connectionName ? <span className="text-soft"> · {connectionName}</span> : null}
            {entry.error_message ? <span className="block">{reported(entry.fault, entry.error_message)}</span> : null}
          </span>
        </summary>
        <dl className="grid gap-x-6 gap-y-1.5 px-4 pt-1 pb-4 text-sm sm:grid-cols-[auto_minmax(0,1fr)] sm:pl-12">
          {facts.map(([name, value]) =>
            value ? (
              <div key={name} className="contents">
                <dt className="text-soft">{name}</dt>
                <dd>
                  <code>{value}</code>
                </dd>
              </div>
            ) : null,
          )}
          {entry.entity_id && (entry.entity_type === 'work_order' || entry.entity_type === 'machine') ? (
            <div className="contents">
              <dt className="text-soft">{t('record')}</dt>
              <dd>
                {entry.entity_type === 'work_order' ? (
                  <Link to="/work-orders/$workOrderId" params={{ workOrderId: entry.entity_id }}>
                    {t('openRecord')}
                  </Link>
                ) : (
                  <Link to="/machines/$machineId" params={{ machineId: entry.entity_id }}>
                    {t('openRecord')}
                  </Link>
                )}
              </dd>
            </div>
          ) : null}
        </dl>
      </details>
    </li>
  )
}
