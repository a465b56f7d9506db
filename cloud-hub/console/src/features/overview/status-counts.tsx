import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { MACHINE_STATUSES } from '../../app/machine-status.ts'
import { useSite } from '../../app/site.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Dot } from '../../kit/status.tsx'
import { overviewQuery } from './overview-query.ts'

const route = getRouteApi('/app/')

/** Machines by status; each count filters the machines below. */
export function StatusCounts() {
  const t = useTranslations('status')
  const overview = useTranslations('overview')
  const format = useFormat()
  const chosen = route.useSearch().status
  const { data } = useQuery(overviewQuery({ group_id: useSite() }))
  return (
    <ul className="grid grid-cols-2 gap-3 sm:grid-cols-4" aria-label={overview('byStatus')}>
      {MACHINE_STATUSES.map((status) => (
        <li key={status}>
          <Link
            from="/"
            to="/"
            search={(known) => ({ ...known, status: chosen === status ? undefined : status })}
            aria-current={chosen === status ? 'true' : undefined}
            className="card flex items-center gap-3 px-4 py-3 text-ink no-underline hover:bg-raised aria-[current]:outline-2 aria-[current]:outline-brand"
          >
            <Dot tone={status} className="size-4" />
            <span className="min-w-0">
              <span className="tabular block text-2xl leading-7 font-bold">{data ? format.count(data.counts[status]) : '–'}</span>
              <span className="text-sm text-soft">{t(status)}</span>
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
