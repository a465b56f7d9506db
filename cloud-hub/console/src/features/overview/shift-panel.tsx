import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { apiQuery, type Schemas } from '../../api/client.ts'
import { useMe } from '../../app/me.tsx'
import { usePlantZone, useSite } from '../../app/site.ts'
import { useFormat } from '../../i18n/format.tsx'
import { addDays, dayOf } from '../../i18n/wall-time.ts'
import { Empty, Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'

/** The OEE of a shift in progress is that of the same shift over so many days before. */
const MEAN_DAYS = 7

/**
 * OEE and downtime of the shifts of today, in the time zone of the site or of the plant, and of those of yesterday that are not over: the night shift.
 * A shift in progress has its downtime until now. The hub computes its OEE when its logs are completed, so that its row shows the
 * OEE of the same shift over the days before.
 */
export function ShiftPanel() {
  const t = useTranslations('overview')
  const format = useFormat()
  const { may } = useMe()
  const group_id = useSite()
  const [zone, plant] = usePlantZone()
  const today = zone && dayOf(Date.now(), zone)
  const query = useQuery({
    ...apiQuery('/shifts/comparison', { params: { query: { from_date: today, to_date: today, group_id } } }),
    enabled: today !== undefined,
    refetchInterval: 60_000,
  })
  const { data } = query
  const { data: active } = useQuery({
    ...apiQuery('/shifts/active', { params: { query: { group_id, first_of_each: true } } }),
    refetchInterval: 60_000,
  })
  const underWay = (active ?? []).filter(({ shift_date }) => today !== undefined && shift_date < today)
  const nightDate = underWay[0]?.shift_date
  const { data: night } = useQuery({
    ...apiQuery('/shifts/comparison', { params: { query: { from_date: nightDate, to_date: nightDate, group_id } } }),
    enabled: nightDate !== undefined,
    refetchInterval: 60_000,
  })
  const before = today && { from_date: addDays(today, -MEAN_DAYS), to_date: addDays(today, -1) }
  const running = shiftsInProgress(active ?? [])
  const { data: usual } = useQuery({
    ...apiQuery('/shifts/comparison', { params: { query: { ...before, group_id } } }),
    enabled: before !== undefined && running.length > 0,
  })
  const usualOee = (id: string) => usual?.shifts.find((shift) => shift.shift_definition_id === id)?.weighted.oee_pct ?? null
  const ofNight = (night?.shifts ?? []).filter((shift) =>
    underWay.some(({ shift_definition_id }) => shift_definition_id === shift.shift_definition_id),
  )
  const shifts = [...ofNight.map((shift) => ({ ...shift, isOfNight: true })), ...(data?.shifts ?? [])].filter(
    ({ record_count }) => record_count > 0,
  )
  return (
    <Panel title={t('shiftsToday')}>
      <Loaded query={query} after={plant} label={t('shiftsToday')} rows={2}>
        {() =>
          shifts.length + running.length === 0 ? (
            <Empty title={t('noShift')}>
              <p>{t('noShiftText')}</p>
              {may('operator') ? (
                <Link to="/operations" search={{ tab: 'shifts' }}>
                  {t('toShifts')}
                </Link>
              ) : null}
            </Empty>
          ) : (
            <table className="w-full text-sm">
              <thead className="text-soft">
                <tr>
                  <th className="px-4 py-2">{t('shift')}</th>
                  <th className="px-2 py-2 text-right whitespace-nowrap">{t('oee')}</th>
                  <th className="px-4 py-2 text-right whitespace-nowrap">{t('downtime')}</th>
                </tr>
              </thead>
              <tbody className="divide-y divide-line">
                {running.map((shift) => (
                  <RunningShift key={shift.id} shift={shift} usualOee={usualOee(shift.id)} />
                ))}
                {shifts.map((shift) => (
                  <tr key={`${shift.shift_definition_id} ${'isOfNight' in shift}`}>
                    <td className="px-4 py-2 font-medium">{shift.shift_name}</td>
                    <td className="tabular px-2 py-2 text-right">
                      {shift.weighted.oee_pct === null ? '–' : format.percent(shift.weighted.oee_pct)}
                    </td>
                    <td className="tabular px-4 py-2 text-right whitespace-nowrap">
                      {format.duration(shift.total_downtime_minutes)}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }
      </Loaded>
    </Panel>
  )
}

interface Running {
  id: string
  name: string
  start: string
}

/** One of each definition, from when its first machine began. @param logs by start; all of them from a hub of the version before */
function shiftsInProgress(logs: readonly Schemas['ActiveShiftLog'][]): Running[] {
  const shifts = new Map<string, Running>()
  for (const { shift_definition_id: id, shift_name: name, actual_start: start } of logs)
    if (!shifts.has(id)) shifts.set(id, { id, name, start })
  return [...shifts.values()]
}

function RunningShift({ shift, usualOee }: { shift: Running; usualOee: number | null }) {
  const t = useTranslations('overview')
  const format = useFormat()
  const { data } = useQuery({
    ...apiQuery('/fleet/downtime/pareto', {
      params: { query: { date_from: shift.start, micro_stop_minutes: 0, group_id: useSite() } },
    }),
    refetchInterval: 60_000,
  })
  return (
    <tr>
      <td className="px-4 py-2 font-medium">
        {shift.name}
        <span className="block font-normal text-soft">{t(usualOee === null ? 'shiftInProgress' : 'shiftUnderWay')}</span>
      </td>
      <td className="tabular px-2 py-2 text-right">
        {usualOee === null ? '–' : format.percent(usualOee)}
        {usualOee === null ? null : <span className="block text-soft">{t('meanOfDays', { days: String(MEAN_DAYS) })}</span>}
      </td>
      <td className="tabular px-4 py-2 text-right whitespace-nowrap">{data ? format.duration(data.total_minutes) : '–'}</td>
    </tr>
  )
}
