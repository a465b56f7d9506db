import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { MACHINE_STATUSES } from '../../app/machine-status.ts'
import { useSite } from '../../app/site.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Dot } from '../../kit/status.tsx'
import { type MachineStatus, overviewQuery } from './overview-query.ts'

const FILLS = { critical: 'bg-critical', warning: 'bg-warning', offline: 'bg-offline', healthy: 'bg-healthy' } as const

/** Machines by status, a bar in proportion; each count leads to its machines. @param chosen whose link leads to all of them */
export function StatusBar({ chosen }: { chosen?: MachineStatus | undefined }) {
  const t = useTranslations('status')
  const overview = useTranslations('overview')
  const format = useFormat()
  const site = useSite()
  const { data } = useQuery(overviewQuery({ group_id: site }))
  return (
    <div className="card p-3">
      {/* the links below say the same in words */}
      <div className="flex h-2.5 gap-0.5 overflow-hidden rounded-full bg-raised" aria-hidden="true">
        {MACHINE_STATUSES.map((status) =>
          data?.counts[status] ? (
            <span key={status} className={`min-w-2 ${FILLS[status]}`} style={{ flexGrow: data.counts[status] }} />
          ) : null,
        )}
      </div>
      <ul className="mt-2 grid grid-cols-2 gap-1 sm:flex sm:flex-wrap sm:gap-2" aria-label={overview('byStatus')}>
        {MACHINE_STATUSES.map((status) => (
          <li key={status}>
            <Link
              to="/"
              search={({ find }: { find?: string }) => ({ find, site, status: chosen === status ? undefined : status })}
              aria-current={chosen === status ? 'true' : undefined}
              className="flex items-center gap-2 rounded-lg px-2 py-1 text-ink no-underline hover:bg-raised aria-[current]:outline-2 aria-[current]:outline-brand"
            >
              <Dot tone={status} />
              <span className="tabular text-xl leading-7 font-semibold whitespace-nowrap">
                {data ? format.count(data.counts[status]) : '–'}
              </span>
              <span className="text-sm text-soft">{t(status)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  )
}
