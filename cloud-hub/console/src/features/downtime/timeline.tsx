import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { useFormat } from '../../i18n/format.tsx'
import { addDays, dayOf, instantOf } from '../../i18n/wall-time.ts'
import { Empty, Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { useRanking } from '../operations/use-figures.ts'
import { useReasonLabel } from './reason-label.ts'
import { type DowntimeRecord, endOf, type ReasonType, startOf, TYPES, useRecordsIn } from './records.ts'

const LOOKS: Record<ReasonType, string> = {
  unplanned: 'bg-critical',
  planned: 'bg-soft',
  changeover: 'bg-warning',
  maintenance: 'bg-info',
}
const LATE_TICK = 0.85
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const MACHINES_SHOWN = 20
const TICKS = 8

/**
 * When machines stood still, a row each: those with most downtime, as the API ranks and sums them. The list of records says the same in
 * words.
 */
export function Timeline({
  from,
  to,
  machineId,
  type,
  isOfFleet = false,
  onOpen,
}: {
  from: Date
  to: Date
  machineId?: string | undefined
  type?: ReasonType | undefined
  /** false: the only row is that of one machine */
  isOfFleet?: boolean
  /** undefined: the user may not change records */
  onOpen?: ((record: DowntimeRecord) => void) | undefined
}) {
  const t = useTranslations('downtime')
  const labelOf = useReasonLabel()
  const format = useFormat()
  const ranking = useRanking({ from, to, machineId }, 'downtime_hours', MACHINES_SHOWN)
  const ranked = ranking.data?.items.filter(({ figures }) => figures.downtime_hours > 0) ?? []
  const machineIds = ranking.data && ranked.flatMap(({ machine_id }) => machine_id ?? [])
  const found = useRecordsIn({ from, to: to.getTime() < Date.now() ? to : undefined, machineIds, type, isLongestFirst: true })
  const { data } = found
  const [start, end] = [from.getTime(), to.getTime()]
  const percent = (ms: number) => `${(ms / (end - start)) * 100}%`
  const byMachine = Map.groupBy(
    (data?.records ?? []).filter((record) => startOf(record) < end && endOf(record) > start),
    ({ machine_id }) => machine_id,
  )
  const rows = ranked.map(({ machine_id, name, figures }) => ({
    id: machine_id ?? '',
    name,
    records: byMachine.get(machine_id ?? '') ?? [],
    hours: figures.downtime_hours,
  }))
  // the text of a late tick stands before it, because it would end beyond the edge
  const isLate = (tick: number) => tick - start > (end - start) * LATE_TICK
  return (
    <Panel title={t('timeline')}>
      <Loaded query={found} after={ranking} label={t('timeline')} rows={3}>
        {({ isComplete }) =>
          rows.length === 0 ? (
            <Empty shape="bars" title={t('noRecords')}>
              {t('noRecordsText')}
            </Empty>
          ) : (
            <div className="p-4">
              <ul className="flex flex-col gap-2 md:gap-1">
                {rows.map(({ id, name, records, hours }) => (
                  <li
                    key={id}
                    className="grid items-center gap-x-3 md:grid-cols-[13rem_minmax(0,1fr)] xl:grid-cols-[18rem_minmax(0,1fr)]"
                  >
                    <p className="flex justify-between gap-2 text-sm">
                      {isOfFleet ? (
                        <Link
                          to="/machines/$machineId"
                          params={{ machineId: id }}
                          search={{ tab: 'downtime' }}
                          className="truncate"
                        >
                          {name}
                        </Link>
                      ) : (
                        t('lastWeek')
                      )}
                      <span className="tabular whitespace-nowrap text-soft">{type ? null : format.duration(hours * 60)}</span>
                    </p>
                    <div className="relative h-6 overflow-hidden rounded bg-raised" aria-hidden="true">
                      {records.map((record) => {
                        const begins = Math.max(start, startOf(record))
                        // what has just begun would lie beyond the edge
                        const left = `min(${percent(begins - start)}, 100% - 0.25rem)`
                        const style = { left, width: percent(Math.min(end, endOf(record)) - begins) }
                        const words = `${format.dateTime(record.started_at)} · ${record.reason_code ? labelOf(record.reason_code) : t(`types.${record.reason_type}`)} · ${record.duration_minutes === null ? t('ongoing') : format.duration(record.duration_minutes)}`
                        const look = `absolute inset-y-0 min-w-1 border-r border-paper ${LOOKS[record.reason_type]}`
                        return onOpen ? (
                          <button
                            key={record.id}
                            type="button"
                            tabIndex={-1}
                            title={words}
                            className={look}
                            style={style}
                            onClick={() => onOpen(record)}
                          />
                        ) : (
                          <span key={record.id} title={words} className={look} style={style} />
                        )
                      })}
                    </div>
                  </li>
                ))}
              </ul>
              <div className="relative mt-1 h-5 text-xs text-soft md:ml-[13.75rem] xl:ml-[18.75rem]" aria-hidden="true">
                {ticksOf(start, end, format.timeZone).map((tick) => (
                  <span
                    key={tick}
                    className={`absolute border-control whitespace-nowrap max-md:nth-[even]:hidden ${isLate(tick) ? 'border-r pr-1' : 'border-l pl-1'}`}
                    style={isLate(tick) ? { right: percent(end - tick) } : { left: percent(tick - start) }}
                  >
                    {end - start > 2 * DAY_MS ? format.dayMonth(new Date(tick)) : format.time(new Date(tick))}
                  </span>
                ))}
              </div>
              <ul className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-sm">
                {TYPES.map((it) => (
                  <li key={it} className="flex items-center gap-1.5">
                    <span className={`size-3 rounded-sm ${LOOKS[it]}`} />
                    {t(`types.${it}`)}
                  </li>
                ))}
              </ul>
              {isComplete ? null : <p className="mt-2 text-sm text-soft">{t('longestOnly')}</p>}
              {ranking.data && ranking.data.pagination.total > MACHINES_SHOWN ? (
                <p className="mt-2 text-sm text-soft">{t('topMachines', { count: String(MACHINES_SHOWN) })}</p>
              ) : null}
            </div>
          )
        }
      </Loaded>
    </Panel>
  )
}

/** Whole hours or local midnights, at most eight. */
function ticksOf(start: number, end: number, timeZone: string): number[] {
  const days = (end - start) / DAY_MS
  if (days <= 2) {
    const step = Math.ceil((days * 24) / TICKS) * HOUR_MS
    const first = Math.ceil(start / HOUR_MS) * HOUR_MS
    return [...Array(TICKS).keys()].map((n) => first + n * step).filter((tick) => tick < end - step / 2)
  }
  const step = Math.ceil(days / TICKS)
  const first = addDays(dayOf(start, timeZone), 1)
  return [...Array(TICKS).keys()]
    .map((n) => instantOf(`${addDays(first, n * step)}T00:00`, timeZone).getTime())
    .filter((tick) => tick < end - (step * DAY_MS) / 2)
}
