import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { apiQuery, type Schemas } from '../../api/client.ts'
import { useReportedFault } from '../../i18n/fault-text.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Empty, Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Pages } from '../../kit/pages.tsx'
import { Status } from '../../kit/status.tsx'
import { Table } from '../../kit/table.tsx'
import { AlertLink } from '../alerts/alert-link.tsx'

/** Every attempt to send something to a channel, the latest first. */
export function Deliveries({ channel }: { channel: Schemas['NotificationChannel'] }) {
  const t = useTranslations('rules')
  const format = useFormat()
  const reportedFault = useReportedFault()
  const [page, setPage] = useState(1)
  const title = t('deliveriesOf', { name: channel.name })
  const query = useQuery({
    ...apiQuery('/notification-channels/{channel_id}/deliveries', {
      params: { path: { channel_id: channel.id }, query: { page, page_size: 20 } },
    }),
    placeholderData: keepPreviousData,
  })
  const { data } = query
  return (
    <Panel title={title}>
      <Loaded query={query} label={title} rows={3}>
        {(data) =>
          data.items.length === 0 ? (
            <Empty title={t('noDeliveries')}>{t('noDeliveriesText')}</Empty>
          ) : (
            <Table label={title}>
              <thead>
                <tr>
                  <th>{t('at')}</th>
                  <th>{t('alert')}</th>
                  <th>{t('event')}</th>
                  <th>{t('outcome')}</th>
                  <th>{t('error')}</th>
                </tr>
              </thead>
              <tbody>
                {data.items.map((it) => (
                  <tr key={it.id}>
                    <td className="whitespace-nowrap">{format.seconds(it.attempted_at)}</td>
                    <td>{it.alert_id ? <AlertLink id={it.alert_id} fallback={t('alert')} /> : t('testMessage')}</td>
                    <td>{it.alert_id ? t(`events.${it.event}`) : null}</td>
                    <td>
                      <Status tone={it.status === 'delivered' ? 'healthy' : 'critical'}>
                        {t(it.status === 'delivered' ? 'delivered' : 'failed')}
                      </Status>
                    </td>
                    <td>{reportedFault(it.fault, it.error ?? '')}</td>
                  </tr>
                ))}
              </tbody>
            </Table>
          )
        }
      </Loaded>
      {data ? <Pages pagination={data.pagination} onPage={setPage} /> : null}
    </Panel>
  )
}
