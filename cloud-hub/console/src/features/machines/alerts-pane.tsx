import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { apiQuery, type Schemas } from '../../api/client.ts'
import { Empty } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Pages } from '../../kit/pages.tsx'
import { AlertRow } from '../alerts/alert-row.tsx'

/** All alerts of one machine, the latest first. */
export function AlertsPane({ machine }: { machine: Schemas['Machine'] }) {
  const t = useTranslations('alerts')
  const [page, setPage] = useState(1)
  const query = useQuery({
    ...apiQuery('/alerts', { params: { query: { machine_id: machine.id, page, page_size: 20 } } }),
    placeholderData: keepPreviousData,
  })
  const { data } = query
  return (
    <div className="card max-w-300">
      <Loaded query={query} label={t('title')}>
        {(data) =>
          data.items.length === 0 ? (
            <Empty title={t('noneOfMachine')}>
              <p>{t('noneOfMachineText')}</p>
              <Link to="/rules">{t('toRules')}</Link>
            </Empty>
          ) : (
            <ul className="divide-y divide-line">
              {data.items.map((alert) => (
                <AlertRow key={alert.id} alert={alert} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {data ? <Pages pagination={data.pagination} onPage={setPage} /> : null}
    </div>
  )
}
