import { useTranslations } from 'use-intl'
import type { Schemas } from '../../api/client.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Quantity } from '../../kit/quantity.tsx'
import { type Figures, type FiguresRange, useTotals } from './use-figures.ts'

type Shown = 'oee_pct' | 'downtime_hours' | 'uptime_percent' | 'mtbf_hours'
const SHOWN: readonly Shown[] = ['oee_pct', 'downtime_hours', 'uptime_percent', 'mtbf_hours']
/** Less of it is better. */
const COSTS: readonly Shown[] = ['downtime_hours']

/** Four figures of a span in large type, and how they have changed against the same span before. */
export function KeyFigures({ days, ...range }: FiguresRange & { days: string }) {
  const t = useTranslations('operations')
  const query = useTotals(range)
  return (
    <Panel title={t('keyFigures')}>
      <Loaded query={query} label={t('keyFigures')} rows={2}>
        {({ items: [total] }) =>
          total ? (
            <dl className="grid grid-cols-2 gap-4 p-4 lg:grid-cols-4">
              {SHOWN.map((name) => (
                <div key={name} className="flex min-w-0 flex-col">
                  <dt className="text-sm text-soft">{t(`key.${name}`)}</dt>
                  <dd>
                    <KeyFigure name={name} figures={total.figures} change={changeOf(total, name)} days={days} />
                  </dd>
                </div>
              ))}
            </dl>
          ) : null
        }
      </Loaded>
    </Panel>
  )
}

/** Null also where the span before has neither shifts nor stops: nobody recorded anything then. */
function changeOf({ figures, change }: Schemas['FiguresEntry'], name: Shown): number | null {
  const isUnrecorded = change?.oee_pct == null && change?.downtime_hours === figures.downtime_hours
  return isUnrecorded ? null : (change?.[name] ?? null)
}

function KeyFigure(props: { name: Shown; figures: Figures; change: number | null; days: string }) {
  const { name, change } = props
  const t = useTranslations('operations')
  const format = useFormat()
  const isPercent = name === 'oee_pct' || name === 'uptime_percent'
  const value = props.figures[name]
  const show = (it: number) => (isPercent ? format.percent(it) : format.duration(it * 60))
  const isSame = change !== null && format.rounded(isPercent ? change : change * 60) === format.rounded(0)
  const size = change === null ? '' : isPercent ? format.rounded(Math.abs(change)) : format.duration(Math.abs(change) * 60)
  const isBetter = change !== null && change > 0 !== COSTS.includes(name)
  const against = { days: props.days }
  return (
    <>
      <span className="tabular block text-3xl font-semibold">
        <Quantity>{value === null ? '–' : show(value)}</Quantity>
      </span>
      <span className="block text-sm text-soft">
        {change === null ? (
          t('noComparison')
        ) : isSame ? (
          t('sameAsBefore', against)
        ) : (
          <>
            <span className={`tabular ${isBetter ? 'text-healthy' : 'text-critical'}`}>
              {t(isPercent ? 'changePoints' : 'changeSpan', { direction: change > 0 ? 'more' : 'less', size })}
            </span>{' '}
            {t('thanBefore', against)}
          </>
        )}
      </span>
    </>
  )
}
