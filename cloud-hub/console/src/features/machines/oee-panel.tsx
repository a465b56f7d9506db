import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { apiQuery, type Schemas } from '../../api/client.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Empty, Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'

type Period = Schemas['MachineOee']['periods'][number]

/** OEE of the last 24 hours as a waterfall: planned time, and what each loss takes from it. */
export function OeePanel({ machineId }: { machineId: string }) {
  const t = useTranslations('oee')
  const query = useQuery({
    ...apiQuery('/machines/{machine_id}/oee', { params: { path: { machine_id: machineId }, query: { interval: '1h' } } }),
    refetchInterval: 60_000,
  })
  return (
    <Panel title={t('title')}>
      <Loaded query={query} label={t('title')}>
        {(data) =>
          data.periods.every(({ planned_minutes }) => planned_minutes === 0) ? (
            <Empty title={t('nothingPlanned')}>{t('nothingPlannedText')}</Empty>
          ) : (
            <Waterfall periods={data.periods} />
          )
        }
      </Loaded>
    </Panel>
  )
}

function Waterfall({ periods }: { periods: readonly Period[] }) {
  const t = useTranslations('oee')
  const format = useFormat()
  const sum = (of: (period: Period) => number) => periods.reduce((total, period) => total + of(period), 0)
  const planned = sum(({ planned_minutes }) => planned_minutes)
  // the mean of hours that have a figure, weighted by their planned time
  const mean = (of: (period: Period) => number | null) => {
    const known = periods.filter((period) => of(period) !== null && period.planned_minutes > 0)
    const weight = known.reduce((total, { planned_minutes }) => total + planned_minutes, 0)
    return weight === 0
      ? null
      : known.reduce((total, period) => total + (of(period) as number) * period.planned_minutes, 0) / weight
  }
  const availability = mean((period) => period.availability_pct)
  const performance = mean((period) => period.performance_pct)
  const quality = mean((period) => period.quality_pct)
  const oee = mean((period) => period.oee_pct)
  const bars = [
    ['planned', planned, 'bg-soft'],
    ['availability', -sum(({ losses }) => losses.availability_loss_minutes), 'bg-critical'],
    ['performance', -sum(({ losses }) => losses.performance_loss_minutes), 'bg-warning'],
    ['quality', -sum(({ losses }) => losses.quality_loss_minutes), 'bg-info'],
  ] as const
  let left = 0
  return (
    <div className="flex flex-col gap-4 p-4">
      <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        {(
          [
            ['oee', oee],
            ['availability', availability],
            ['performance', performance],
            ['quality', quality],
          ] as const
        ).map(([name, value]) => (
          <div key={name} className="flex flex-col-reverse">
            <dt className="text-sm text-soft">{t(name)}</dt>
            <dd className="tabular text-xl font-bold">{value === null ? '–' : format.percent(value)}</dd>
          </div>
        ))}
      </dl>
      <ul className="flex flex-col gap-1.5">
        {bars.map(([name, minutes, look]) => {
          const width = (Math.abs(minutes) / planned) * 100
          const start = minutes > 0 ? 0 : left - width
          left = minutes > 0 ? width : start
          return (
            <li
              key={name}
              className="grid grid-cols-[7rem_minmax(0,1fr)_4.5rem] items-center gap-3 sm:grid-cols-[9rem_minmax(0,1fr)_5rem] text-sm"
            >
              <span>{name === 'planned' ? t('plannedTime') : t(`losses.${name}`)}</span>
              <span className="relative h-5 rounded bg-raised">
                <span
                  className={`absolute inset-y-0 rounded ${look}`}
                  style={{ left: `${Math.max(0, start)}%`, width: `${Math.max(0.3, width)}%` }}
                />
              </span>
              <span className="tabular text-right">{format.duration(Math.abs(minutes))}</span>
            </li>
          )
        })}
      </ul>
    </div>
  )
}
