import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { apiQuery, type Schemas } from '../../api/client.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Empty, Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Quantity } from '../../kit/quantity.tsx'

type MachineOee = Schemas['MachineOee']

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
          data.totals.planned_minutes === 0 ? (
            <Empty title={t('nothingPlanned')}>{t('nothingPlannedText')}</Empty>
          ) : (
            <Waterfall {...data} />
          )
        }
      </Loaded>
    </Panel>
  )
}

function Waterfall({ totals, weighted }: Pick<MachineOee, 'totals' | 'weighted'>) {
  const t = useTranslations('oee')
  const format = useFormat()
  const { planned_minutes: planned, ignored_dips: dips } = totals
  const bars = [
    ['planned', planned, 'bg-soft'],
    ['availability', -totals.availability_loss_minutes, 'bg-critical'],
    ['performance', -totals.performance_loss_minutes, 'bg-warning'],
    ['quality', -totals.quality_loss_minutes, 'bg-info'],
  ] as const
  let left = 0
  return (
    <div className="flex flex-col gap-4 p-4">
      <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        {(
          [
            ['oee', weighted.oee_pct],
            ['availability', weighted.availability_pct],
            ['performance', weighted.performance_pct],
            ['quality', weighted.quality_pct],
          ] as const
        ).map(([name, value]) => (
          <div key={name} className="flex flex-col-reverse">
            <dt className="text-sm text-soft">{t(name)}</dt>
            <dd className="tabular text-xl font-semibold">
              <Quantity>{value === null ? '–' : format.percent(value)}</Quantity>
            </dd>
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
      {dips > 0 ? <p className="text-sm text-soft">{t('ignoredDips', { count: dips })}</p> : null}
    </div>
  )
}
