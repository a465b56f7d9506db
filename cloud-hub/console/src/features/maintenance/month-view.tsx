import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { useFormat } from '../../i18n/format.tsx'
import { dayOf, instantOf, wallTime } from '../../i18n/wall-time.ts'
import { EventChip, type EventHandlers } from './event-chip.tsx'
import { type Interval, intervalOf, isMovable, type MaintenanceEvent } from './events.ts'

/** More are on the page of the week. */
const SHOWN_A_DAY = 4

/** The weeks of a month; an event moves to the day on which it is dropped, at its time. */
export function MonthView({
  days,
  month,
  today,
  byDay,
  holidays,
  onMove,
  onAdd,
  ...handlers
}: EventHandlers & {
  days: readonly string[]
  /** such as `2026-11`: days of other months are paler; undefined: none are */
  month: string | undefined
  today: string
  byDay: ReadonlyMap<string, readonly MaintenanceEvent[]>
  holidays: ReadonlyMap<string, string>
  onMove(event: MaintenanceEvent, to: Interval): void
  onAdd(day: string): void
}) {
  const t = useTranslations('maintenance')
  const format = useFormat()
  const [dragged, setDragged] = useState<MaintenanceEvent | null>(null)
  const [target, setTarget] = useState<string | null>(null)
  const noon = (day: string) => instantOf(`${day}T12:00`, format.timeZone)
  const drop = (day: string) => {
    if (!dragged || day === dayOf(dragged.scheduled_start, format.timeZone)) return
    const { from, to } = intervalOf(dragged)
    const start = instantOf(`${day}T${wallTime(from, format.timeZone).slice(11)}`, format.timeZone)
    onMove(dragged, { from: start, to: new Date(start.getTime() + to.getTime() - from.getTime()) })
  }
  return (
    <div className="card overflow-hidden">
      <div className="grid grid-cols-7 border-b border-line text-sm font-medium text-soft" aria-hidden="true">
        {days.slice(0, 7).map((day) => (
          <span key={day} className="px-2 py-1.5">
            {format.weekdayName(noon(day))}
          </span>
        ))}
      </div>
      <ol className="grid grid-cols-7">
        {days.map((day) => {
          const events = byDay.get(day) ?? []
          const shown = events.length > SHOWN_A_DAY ? events.slice(0, SHOWN_A_DAY - 1) : events
          const holiday = holidays.get(day)
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the button of the page adds an event by keyboard
            <li
              key={day}
              className={`min-h-30 min-w-0 border-line not-nth-[7n]:border-r nth-[n+8]:border-t ${target === day ? 'bg-raised outline-2 -outline-offset-2 outline-brand' : ''} ${holiday ? 'bg-raised' : ''}`}
              onDragOver={(drag) => {
                if (!dragged) return
                drag.preventDefault()
                setTarget(day)
              }}
              onDragLeave={() => setTarget((known) => (known === day ? null : known))}
              onDrop={(drag) => {
                drag.preventDefault()
                drop(day)
                setTarget(null)
              }}
              onClick={({ target: clicked, currentTarget }) => {
                if (handlers.mayChange && clicked === currentTarget) onAdd(day)
              }}
            >
              <p className="pointer-events-none flex items-baseline gap-1.5 truncate px-1.5 pt-1 text-sm">
                <Link
                  from="/maintenance"
                  to="/maintenance"
                  search={(known) => ({ ...known, view: 'week', date: day })}
                  aria-label={format.weekday(noon(day))}
                  aria-current={day === today ? 'date' : undefined}
                  className={`pointer-events-auto inline-block min-w-6 rounded-full px-1 text-center no-underline hover:underline ${day === today ? 'bg-brand font-medium text-on-brand' : (month === undefined ? day > today : day.startsWith(month)) ? 'font-medium text-ink' : 'text-soft'}`}
                >
                  {day.endsWith('-01') ? format.dayMonth(noon(day)) : Number(day.slice(8))}
                </Link>
                {holiday ? <span className="truncate text-xs text-soft">{holiday}</span> : null}
              </p>
              <ul className="pointer-events-none flex flex-col gap-0.5 p-1">
                {shown.map((event) => (
                  <li key={event.id} className="pointer-events-auto min-w-0">
                    <EventChip
                      {...handlers}
                      event={event}
                      isClamped
                      onDrag={handlers.mayChange && isMovable(event) ? (drag) => setDragged(drag ? event : null) : undefined}
                    />
                  </li>
                ))}
                {events.length > shown.length ? (
                  <li className="pointer-events-auto">
                    <Link
                      from="/maintenance"
                      to="/maintenance"
                      search={(known) => ({ ...known, view: 'week', date: day })}
                      className="px-1.5 text-sm font-medium"
                    >
                      {t('more', { count: events.length - shown.length })}
                    </Link>
                  </li>
                ) : null}
              </ul>
            </li>
          )
        })}
      </ol>
    </div>
  )
}
