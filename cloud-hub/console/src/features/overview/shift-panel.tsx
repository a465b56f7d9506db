import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { apiQuery } from '../../api/client.ts'
import { useMe } from '../../app/me.tsx'
import { useFormat } from '../../i18n/format.tsx'
import { Empty, Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'

/** OEE and downtime of the shifts of today, in the plant's time zone, and of those of yesterday that are not over: the night shift. */
export function ShiftPanel() {
  const t = useTranslations('overview')
  const format = useFormat()
  const { may } = useMe()
  const plant = useQuery(apiQuery('/settings/plant'))
  const today = plant.data ? dateIn(plant.data.time_zone) : undefined
  const query = useQuery({
    ...apiQuery('/shifts/comparison', { params: { query: { from_date: today, to_date: today } } }),
    enabled: today !== undefined,
    refetchInterval: 60_000,
  })
  const { data } = query
  const { data: active } = useQuery({ ...apiQuery('/shifts/active'), refetchInterval: 60_000 })
  const underWay = (active ?? []).filter(({ shift_date }) => today !== undefined && shift_date < today)
  const nightDate = underWay[0]?.shift_date
  const { data: night } = useQuery({
    ...apiQuery('/shifts/comparison', { params: { query: { from_date: nightDate, to_date: nightDate } } }),
    enabled: nightDate !== undefined,
    refetchInterval: 60_000,
  })
  const ofNight = (night?.shifts ?? []).filter((shift) =>
    underWay.some(({ shift_definition_id }) => shift_definition_id === shift.shift_definition_id),
  )
  const shifts = [...ofNight.map((shift) => ({ ...shift, isOfNight: true })), ...(data?.shifts ?? [])].filter(
    ({ record_count }) => record_count > 0,
  )
  return (
    <Panel title={t('shiftsToday')}>
      <Loaded query={query} label={t('shiftsToday')} rows={2}>
        {() =>
          shifts.length === 0 ? (
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
                  <th className="px-2 py-2 text-right">{t('oee')}</th>
                  <th className="px-4 py-2 text-right">{t('downtime')}</th>
                </tr>
              </thead>
              <tbody className="divide-y divide-line">
                {shifts.map((shift) => (
                  <tr key={`${shift.shift_definition_id} ${'isOfNight' in shift}`}>
                    <td className="px-4 py-2 font-medium">{shift.shift_name}</td>
                    <td className="tabular px-2 py-2 text-right">
                      {shift.avg_oee_pct === null ? '–' : format.percent(shift.avg_oee_pct)}
                    </td>
                    <td className="tabular px-4 py-2 text-right">{format.duration(shift.total_downtime_minutes)}</td>
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

/** Today's date (ISO 8601) in a time zone. */
const dateIn = (timeZone: string) =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(new Date())
