import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { apiQuery } from '../../api/client.ts'
import { keepWithin, usePlantZone, useSite } from '../../app/site.ts'
import { useFormat } from '../../i18n/format.tsx'
import { addDays, dayOf } from '../../i18n/wall-time.ts'
import { Empty, Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import type { ExactRange } from '../../kit/range-fields.tsx'
import { Table } from '../../kit/table.tsx'
import { ShiftName } from './shift-definitions.tsx'

/** OEE and downtime of the shifts beside each other, over all machines or one. The figures are those of all logs as one. */
export function ShiftComparison({
  days = 0,
  range,
  machineId,
}: {
  /** until today */
  days?: number
  /** instead of `days` */
  range?: ExactRange
  machineId: string | undefined
}) {
  const t = useTranslations('shifts')
  const format = useFormat()
  const [zone, plant] = usePlantZone()
  const today = dayOf(Date.now(), zone ?? format.timeZone)
  // the days of own dates are those that the reader chose
  const [from_date, to_date] = range
    ? [dayOf(range.from, format.timeZone), dayOf(range.to - 1, format.timeZone)]
    : [addDays(today, 1 - days), today]
  const query = { machine_id: machineId, group_id: useSite(), from_date, to_date }
  const comparison = useQuery({
    ...apiQuery('/shifts/comparison', { params: { query } }),
    placeholderData: keepWithin(query.group_id),
    enabled: zone !== undefined,
  })
  const percent = (value: number | null) => (value === null ? '–' : format.percent(value))
  return (
    <Panel title={t('comparison')}>
      <Loaded query={comparison} after={plant} label={t('comparison')} rows={3}>
        {({ shifts }) =>
          shifts.length === 0 ? (
            <Empty title={t('none')}>{t('noneText')}</Empty>
          ) : (
            <Table label={t('comparison')}>
              <thead>
                <tr>
                  <th>{t('shift')}</th>
                  <th className="text-right">{t('logs')}</th>
                  <th>{t('oee')}</th>
                  <th className="text-right">{t('availability')}</th>
                  <th className="text-right">{t('performance')}</th>
                  <th className="text-right">{t('quality')}</th>
                  <th className="text-right">{t('downtime')}</th>
                </tr>
              </thead>
              <tbody>
                {shifts.map((shift) => (
                  <tr key={shift.shift_definition_id}>
                    <td className="font-medium">
                      <ShiftName name={shift.shift_name} color={shift.shift_color} />
                    </td>
                    <td className="tabular text-right">{format.count(shift.record_count)}</td>
                    <td>
                      <span className="flex items-center gap-2">
                        <span className="h-4 w-24 shrink-0 rounded bg-raised sm:w-40">
                          <span
                            className="block h-4 rounded bg-brand"
                            style={{ width: `${Math.min(100, shift.weighted.oee_pct ?? 0)}%` }}
                          />
                        </span>
                        <span className="tabular font-semibold whitespace-nowrap">{percent(shift.weighted.oee_pct)}</span>
                      </span>
                    </td>
                    <td className="tabular text-right">{percent(shift.weighted.availability_pct)}</td>
                    <td className="tabular text-right">{percent(shift.weighted.performance_pct)}</td>
                    <td className="tabular text-right">{percent(shift.weighted.quality_pct)}</td>
                    <td className="tabular text-right whitespace-nowrap">{format.duration(shift.total_downtime_minutes)}</td>
                  </tr>
                ))}
              </tbody>
            </Table>
          )
        }
      </Loaded>
    </Panel>
  )
}
