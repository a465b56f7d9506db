import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { apiQuery, type Schemas } from '../../api/client.ts'
import { useSite } from '../../app/site.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Empty, Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import type { ExactRange } from '../../kit/range-fields.tsx'
import { useReasonLabel } from '../downtime/reason-label.ts'

const REASONS_SHOWN = 12

/** The reasons of downtime by duration, with their own and their cumulative share. Micro-stops have no share: they come last. */
export function Pareto({
  days,
  range,
  machineId,
}: {
  /** until now */
  days?: number
  /** instead of `days` */
  range?: ExactRange
  machineId: string | undefined
}) {
  const t = useTranslations()
  const format = useFormat()
  const labelOf = useReasonLabel()
  const nameOf = ({ reason_code, reason_type }: Schemas['ParetoReason']) =>
    reason_code ? labelOf(reason_code) : t(`downtime.types.${reason_type}`)
  const span = range && { date_from: new Date(range.from).toISOString(), date_to: new Date(range.to).toISOString() }
  const query = useQuery(
    apiQuery('/fleet/downtime/pareto', {
      params: { query: { days, ...span, machine_id: machineId, group_id: useSite(), top: REASONS_SHOWN } },
    }),
  )
  const { data } = query
  const longest =
    Math.max(
      0,
      data?.micro_stops.minutes ?? 0,
      data?.other?.minutes ?? 0,
      ...(data?.reasons ?? []).map(({ minutes }) => minutes),
    ) || 1
  return (
    <Panel title={t('operations.pareto')}>
      <Loaded query={query} label={t('operations.pareto')}>
        {(data) =>
          data.total_count + data.micro_stops.count === 0 ? (
            <Empty shape="bars" title={t('downtime.noRecords')}>
              {t('downtime.noRecordsText')}
            </Empty>
          ) : (
            <div className="flex flex-col gap-3 p-4">
              <p className="text-sm text-soft">
                {t('operations.paretoSum', {
                  total: format.duration(data.total_minutes),
                  count: data.total_count,
                })}
              </p>
              <p className="hidden justify-end gap-x-3 text-sm text-soft sm:flex" aria-hidden="true">
                <span>{t('operations.duration')}</span>
                <span className="w-14 text-right">{t('operations.share')}</span>
                <span className="w-20 text-right">{t('operations.cumulative')}</span>
              </p>
              <ol className="flex flex-col gap-1.5">
                {data.reasons.map((reason) => (
                  <Cost
                    key={`${reason.reason_type} ${nameOf(reason)}`}
                    name={nameOf(reason)}
                    share={reason.minutes / longest}
                    figures={format.duration(reason.minutes)}
                    shares={[reason.share_percent, reason.cumulative_percent]}
                  />
                ))}
                {data.other ? (
                  <Cost
                    name={t('operations.otherReasons', { count: String(data.other.reason_count) })}
                    share={data.other.minutes / longest}
                    look="bg-soft"
                    figures={format.duration(data.other.minutes)}
                    shares={[data.other.share_percent, 100]}
                  />
                ) : null}
                {data.micro_stops.count > 0 ? (
                  <Cost
                    name={t('operations.microStops', { limit: format.number(data.micro_stop_minutes) })}
                    share={data.micro_stops.minutes / longest}
                    look="bg-soft"
                    figures={format.duration(data.micro_stops.minutes)}
                    note={t('operations.stops', { count: data.micro_stops.count })}
                  />
                ) : null}
              </ol>
            </div>
          )
        }
      </Loaded>
    </Panel>
  )
}

/**
 * @param props.share of the longest bar, 0 to 1
 * @param props.shares of all downtime: its own, and with those before it
 */
function Cost(props: { name: string; share: number; figures: string; shares?: [number, number]; note?: string; look?: string }) {
  const t = useTranslations('operations')
  const format = useFormat()
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 gap-y-1 text-sm sm:grid-cols-[minmax(7rem,14rem)_minmax(0,1fr)_17rem]">
      <span>{props.name}</span>
      <span className="h-5 rounded bg-raised max-sm:order-last max-sm:col-span-2 max-sm:h-2">
        <span className={`block h-full rounded ${props.look ?? 'bg-brand'}`} style={{ width: `${props.share * 100}%` }} />
      </span>
      <span className="tabular flex flex-wrap gap-x-3 whitespace-nowrap max-sm:col-span-2 sm:justify-end sm:text-right">
        <span className="font-medium">{props.figures}</span>
        {props.shares ? (
          <>
            <span className="sm:w-14">
              <span className="text-soft sm:sr-only">{t('share')} </span>
              {format.percent(props.shares[0])}
            </span>
            <span className="text-soft sm:w-20">
              <span className="sm:sr-only">{t('cumulative')} </span>
              {format.percent(props.shares[1])}
            </span>
          </>
        ) : (
          <span className="text-soft sm:w-36">{props.note}</span>
        )}
      </span>
    </li>
  )
}
