import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { apiQuery, type Schemas } from '../../api/client.ts'
import { Empty, SkeletonRows } from '../../kit/layout.tsx'
import { Pages } from '../../kit/pages.tsx'
import { AlertRow } from '../alerts/alert-row.tsx'

/** All alerts of one machine, the latest first. */
export function AlertsPane({ machine }: { machine: Schemas['Machine'] }) {
  const t = useTranslations('alerts')
  const [page, setPage] = useState(1)
  const { data } = useQuery({
    ...apiQuery('/alerts', { params: { query: { machine_id: machine.id, page, page_size: 20 } } }),
    placeholderData: keepPreviousData,
  })
  return (
    <div className="card">
      {!data ? (
        <SkeletonRows label={t('title')} />
      ) : data.items.length === 0 ? (
        <Empty title={t('noneOfMachine')} />
      ) : (
        <ul className="divide-y divide-line">
          {data.items.map((alert) => (
            <AlertRow key={alert.id} alert={alert} />
          ))}
        </ul>
      )}
      {data ? <Pages pagination={data.pagination} onPage={setPage} /> : null}
    </div>
  )
}
