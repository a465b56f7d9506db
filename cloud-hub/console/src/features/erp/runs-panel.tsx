import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { apiQuery } from '../../api/client.ts'
import { useReportedFault } from '../../i18n/fault-text.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Empty, Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Pages } from '../../kit/pages.tsx'
import { Table } from '../../kit/table.tsx'
import { SyncStatus } from './sync-status.tsx'

const PAGE_SIZE = 10
const RUNNING_MS = 2_000
/** Automatic runs do not come over the stream. */
const IDLE_MS = 15_000

/** Runs by hand and by themselves, with their progress and why one ended early. */
export function RunsPanel({ connectionId }: { connectionId: string }) {
  const t = useTranslations('erp')
  const format = useFormat()
  const reported = useReportedFault()
  const [page, setPage] = useState(1)
  const runs = useQuery({
    ...apiQuery('/erp/connections/{connection_id}/runs', {
      params: { path: { connection_id: connectionId }, query: { page, page_size: PAGE_SIZE } },
    }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.items.some(({ status }) => status === 'running') ? RUNNING_MS : IDLE_MS),
  })
  return (
    <Panel title={t('runs')}>
      <Loaded query={runs} label={t('runs')}>
        {(data) =>
          data.items.length === 0 ? (
            <Empty title={t('noRuns')}>{t('noRunsText')}</Empty>
          ) : (
            <>
              <Table label={t('runs')}>
                <thead>
                  <tr>
                    <th>{t('began')}</th>
                    <th>{t('entity')}</th>
                    <th>{t('outcome')}</th>
                    <th className="text-right">{t('records')}</th>
                  </tr>
                </thead>
                <tbody>
                  {data.items.map((run) => (
                    <tr key={run.id}>
                      <td className="whitespace-nowrap">
                        <Link to="/erp/$connectionId" params={{ connectionId }} search={{ run: run.id }} resetScroll={false}>
                          {format.dateTime(run.started_at)}
                        </Link>
                        <span className="block text-sm text-soft">{t(`triggers.${run.trigger}`)}</span>
                      </td>
                      <td>{t(`entities.${run.entity_type}`)}</td>
                      <td className="min-w-40">
                        <SyncStatus status={run.status} />
                        {run.error_message ? (
                          <span className="block text-sm">{reported(run.fault, run.error_message)}</span>
                        ) : null}
                      </td>
                      <td className="tabular text-right whitespace-nowrap">
                        {t('counts', {
                          succeeded: format.count(run.succeeded),
                          total: run.total === null ? '?' : format.count(run.total),
                        })}
                        {run.failed > 0 ? (
                          <span className="block text-sm text-critical">{t('failedCount', { count: run.failed })}</span>
                        ) : null}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </Table>
              <Pages pagination={data} onPage={setPage} />
            </>
          )
        }
      </Loaded>
    </Panel>
  )
}
