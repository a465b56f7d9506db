import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import type { Schemas } from '../../api/client.ts'
import { useFormat } from '../../i18n/format.tsx'
import { useAlertText } from '../alerts/alert-text.ts'
import { useReasonLabel } from '../downtime/reason-label.ts'
import type { Range } from './series.ts'

/** Something that a chart marks. `from` and `to` are ms since 1970; `to` is infinite while it goes on. */
export type ChartEvent = Range &
  (
    | { kind: 'alert'; alert: Schemas['Alert'] }
    | { kind: 'downtime'; record: Schemas['DowntimeRecord'] }
    | { kind: 'maintenance'; event: Schemas['MaintenanceEvent'] }
    | { kind: 'loss'; gap: Schemas['DataGap'] }
  )

const SHOWN = 20
const LOOKS = { alert: 'bg-warning', downtime: 'bg-critical/60', maintenance: 'bg-info/60', loss: 'bg-offline/60' } as const
const TONES = { info: 'bg-info', warning: 'bg-warning', critical: 'bg-critical' } as const

/** In words what the charts of a range mark, the latest first. */
export function ChartEvents({ events, range }: { events: readonly ChartEvent[]; range: Range }) {
  const t = useTranslations('charts')
  const format = useFormat()
  const describe = useDescription()
  const inRange = events.filter(({ from, to }) => to >= range.from && from <= range.to).toSorted((a, b) => b.from - a.from)
  if (inRange.length === 0) return null
  return (
    <section aria-label={t('events')} className="max-w-300">
      <h3 className="mb-1 font-semibold">{t('events')}</h3>
      <ul className="divide-y divide-line text-sm">
        {inRange.slice(0, SHOWN).map((event) => (
          <li
            key={`${event.kind} ${event.from} ${event.to} ${idOf(event)}`}
            className="flex items-baseline gap-x-3 py-1.5 max-sm:flex-wrap"
          >
            <span
              className={`size-2.5 shrink-0 rounded-sm ${event.kind === 'alert' ? TONES[event.alert.severity] : LOOKS[event.kind]}`}
            />
            <time className="tabular w-36 shrink-0 text-soft" dateTime={new Date(event.from).toISOString()}>
              {format.dateTime(new Date(event.from))}
            </time>
            <span className="min-w-0 max-sm:basis-full">
              {describe(event)}
              {event.to > event.from ? (
                <span className="text-soft">
                  {' · '}
                  {Number.isFinite(event.to) ? format.duration((event.to - event.from) / 60_000) : t('goesOn')}
                </span>
              ) : null}
            </span>
          </li>
        ))}
      </ul>
      {inRange.length > SHOWN ? <p className="text-sm text-soft">{t('moreEvents', { count: inRange.length - SHOWN })}</p> : null}
    </section>
  )
}

function idOf(event: ChartEvent): string {
  if (event.kind === 'alert') return event.alert.id
  if (event.kind === 'downtime') return event.record.id
  return event.kind === 'maintenance' ? event.event.id : event.gap.id
}

function useDescription(): (event: ChartEvent) => ReactNode {
  const t = useTranslations()
  const format = useFormat()
  const alertText = useAlertText()
  const reasonOf = useReasonLabel()
  return (event) => {
    if (event.kind === 'alert')
      return (
        <Link to="/alerts/$alertId" params={{ alertId: event.alert.id }}>
          {alertText(event.alert)}
        </Link>
      )
    if (event.kind === 'maintenance')
      return (
        <Link to="/maintenance/$eventId" params={{ eventId: event.event.id }}>
          {t('charts.maintenanceOf', { title: event.event.title })}
        </Link>
      )
    if (event.kind === 'downtime') {
      const { reason_code, reason_type } = event.record
      return t('charts.downtimeOf', { reason: reason_code ? reasonOf(reason_code) : t(`downtime.types.${reason_type}`) })
    }
    const { metric_name, count } = event.gap
    return t('charts.lossOf', { count, metric: metric_name ? format.metric(metric_name) : t('data.allMetrics') })
  }
}
