import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { apiQuery, type Schemas } from '../../api/client.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Empty, Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { useReasonLabel } from '../downtime/reason-label.ts'

const REASONS_SHOWN = 12

/** The reasons of downtime by what they cost, with their cumulative share. */
export function Pareto({ days, machineId }: { days: number; machineId: string | undefined }) {
  const t = useTranslations()
  const format = useFormat()
  const labelOf = useReasonLabel()
  const nameOf = ({ reason_code, reason_type }: Schemas['ParetoReason']) =>
    reason_code ? labelOf(reason_code) : t(`downtime.types.${reason_type}`)
  const query = useQuery(apiQuery('/fleet/downtime/pareto', { params: { query: { days, machine_id: machineId } } }))
  const { data } = query
  const longest = Math.max(0, ...(data?.reasons ?? []).map(({ minutes }) => minutes)) || 1
  return (
    <Panel title={t('operations.pareto')}>
      <Loaded query={query} label={t('operations.pareto')}>
        {(data) =>
          data.total_count + data.micro_stops.count === 0 ? (
            <Empty title={t('downtime.noRecords')}>{t('downtime.noRecordsText')}</Empty>
          ) : (
            <div className="flex flex-col gap-3 p-4">
              <p className="text-sm text-soft">
                {t('operations.paretoSum', {
                  total: format.duration(data.total_minutes),
                  count: data.total_count,
                  micro: data.micro_stops.count,
                  limit: format.number(data.micro_stop_minutes),
                })}
              </p>
              <ol className="flex flex-col gap-1.5">
                {data.reasons.slice(0, REASONS_SHOWN).map((reason) => (
                  <li
                    key={`${reason.reason_type} ${nameOf(reason)}`}
                    className="grid grid-cols-[minmax(0,1fr)_9.5rem] items-center gap-x-3 gap-y-1 text-sm sm:grid-cols-[minmax(7rem,14rem)_minmax(0,1fr)_9.5rem]"
                  >
                    <span>{nameOf(reason)}</span>
                    <span className="h-5 rounded bg-raised max-sm:order-last max-sm:col-span-2 max-sm:h-2">
                      <span className="block h-full rounded bg-brand" style={{ width: `${(reason.minutes / longest) * 100}%` }} />
                    </span>
                    <span className="tabular text-right whitespace-nowrap">
                      {format.duration(reason.minutes)} · {format.percent(reason.cumulative_percent)}
                    </span>
                  </li>
                ))}
              </ol>
            </div>
          )
        }
      </Loaded>
    </Panel>
  )
}
