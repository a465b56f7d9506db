import { type DragEvent, useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { useFormat } from '../../i18n/format.tsx'
import { addDays, instantOf, wallTime } from '../../i18n/wall-time.ts'
import { Dialog } from '../../kit/dialog.tsx'
import { EventChip, type EventHandlers } from './event-chip.tsx'
import { type Interval, intervalOf, isMovable, MAX_LANES, type MaintenanceEvent, placeEvents } from './events.ts'

const STEP_MS = 15 * 60_000
const HOURS = [...Array(24).keys()]
/** The first hour that shows when the page opens. */
const FIRST_HOUR = 6

/** A day with events beside each other is wider; where the page has no room for it, the week scrolls. */
const LANE_MIN_REM = 5.5
/** The width of the times of day. */
const HOURS_REM = 4

/** Seven days by hour; an event moves to the quarter of an hour at which it is dropped. */
export function WeekView({
  days,
  today,
  byDay,
  holidays,
  onMove,
  onAdd,
  ...handlers
}: EventHandlers & {
  days: readonly string[]
  today: string
  byDay: ReadonlyMap<string, readonly MaintenanceEvent[]>
  holidays: ReadonlyMap<string, string>
  onMove(event: MaintenanceEvent, to: Interval): void
  onAdd(day: string, time: string): void
}) {
  const t = useTranslations('maintenance')
  const format = useFormat()
  const [listed, setListed] = useState<{ day: string; events: readonly MaintenanceEvent[] } | null>(null)
  const scroller = useRef<HTMLElement>(null)
  // how far below the start of the event the pointer holds it
  const [dragged, setDragged] = useState<{ event: MaintenanceEvent; heldMs: number } | null>(null)
  useEffect(() => {
    const { current } = scroller
    const hours = current?.lastElementChild
    if (hours) current.scrollTop = (hours.clientHeight / HOURS.length) * FIRST_HOUR
  }, [])
  const bounds = (day: string): Interval => ({
    from: instantOf(`${day}T00:00`, format.timeZone),
    to: instantOf(`${addDays(day, 1)}T00:00`, format.timeZone),
  })
  const instantAt = (day: string, { currentTarget, clientY }: { currentTarget: Element; clientY: number }, heldMs = 0) => {
    const { top, height } = currentTarget.getBoundingClientRect()
    const { from, to } = bounds(day)
    const at = from.getTime() + ((clientY - top) / height) * (to.getTime() - from.getTime()) - heldMs
    return new Date(Math.round(at / STEP_MS) * STEP_MS)
  }
  const drop = (day: string, drag: DragEvent<HTMLElement>) => {
    drag.preventDefault()
    if (!dragged) return
    const { from, to } = intervalOf(dragged.event)
    const start = instantAt(day, drag, dragged.heldMs)
    if (start.getTime() !== from.getTime())
      onMove(dragged.event, { from: start, to: new Date(start.getTime() + to.getTime() - from.getTime()) })
  }
  const hold = (event: MaintenanceEvent, part: Interval) => (drag: DragEvent<HTMLElement> | null) => {
    if (!drag) return setDragged(null)
    const { top, height } = drag.currentTarget.getBoundingClientRect()
    const share = (drag.clientY - top) / height
    const inPart = share * (part.to.getTime() - part.from.getTime())
    setDragged({ event, heldMs: part.from.getTime() - intervalOf(event).from.getTime() + inPart })
  }
  const openListed = (event: MaintenanceEvent) => {
    setListed(null)
    handlers.onOpen(event)
  }
  const placements = days.map((day) => ({ day, ...placeEvents(byDay.get(day) ?? [], bounds(day)) }))
  const widths = placements.map(({ placed }) => Math.max(1, ...placed.map(({ lanes }) => lanes)))
  const laneCount = widths.reduce((sum, lanes) => sum + lanes, 0)
  const columns = {
    minWidth: `${HOURS_REM + laneCount * LANE_MIN_REM}rem`,
    gridTemplateColumns: [`${HOURS_REM}rem`, ...widths.map((lanes) => `minmax(0, ${lanes}fr)`)].join(' '),
  }
  return (
    <section
      ref={scroller}
      className="card relative max-h-[75dvh] overflow-auto"
      aria-label={format.weekday(bounds(days[0] as string).from)}
    >
      <div className="sticky top-0 z-20 grid border-b border-line bg-paper text-sm" style={columns}>
        <span />
        {days.map((day) => (
          <p
            key={day}
            className={`truncate border-l border-line px-1 py-2 text-xs 2xl:px-2 2xl:py-1.5 2xl:text-sm ${day === today ? 'font-medium text-brand' : 'font-medium'}`}
          >
            {format.weekday(bounds(day).from)}
            {holidays.has(day) ? <span className="block truncate text-xs font-normal text-soft">{holidays.get(day)}</span> : null}
          </p>
        ))}
      </div>
      <div className="grid" style={columns}>
        <div aria-hidden="true">
          {HOURS.map((hour) => (
            <p key={hour} className="tabular h-11 pr-1.5 text-right text-xs whitespace-nowrap text-soft">
              {format.time(instantOf(`${days[0]}T${String(hour).padStart(2, '0')}:00`, format.timeZone))}
            </p>
          ))}
        </div>
        {placements.map(({ day, placed, hidden }) => {
          const { from, to } = bounds(day)
          const length = to.getTime() - from.getTime()
          const percent = (ms: number) => `${(ms / length) * 100}%`
          const rows = (part: Interval) => ({
            top: percent(part.from.getTime() - from.getTime()),
            height: percent(part.to.getTime() - part.from.getTime()),
          })
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the button of the page adds an event by keyboard
            // biome-ignore lint/a11y/noStaticElementInteractions: the dialog of an event moves it by keyboard
            <div
              key={day}
              className={`hour-lines relative border-l border-line ${holidays.has(day) ? 'bg-raised' : ''}`}
              onDragOver={(drag) => (dragged ? drag.preventDefault() : undefined)}
              onDrop={(drag) => drop(day, drag)}
              onClick={(click) => {
                if (!handlers.mayChange || click.target !== click.currentTarget) return
                onAdd(day, wallTime(instantAt(day, click), format.timeZone).slice(11))
              }}
            >
              {placed.map(({ event, part, lane, lanes }) => (
                <EventChip
                  key={event.id}
                  {...handlers}
                  event={event}
                  isSticky
                  onDrag={handlers.mayChange && isMovable(event) ? hold(event, part) : undefined}
                  className="absolute! min-h-5.5"
                  style={{ ...rows(part), left: `${(lane / lanes) * 100}%`, width: `${100 / lanes}%` }}
                />
              ))}
              {hidden.map(({ events, part }) => (
                <button
                  key={events[0]?.id}
                  type="button"
                  aria-haspopup="dialog"
                  onClick={() => setListed({ day, events })}
                  className="absolute right-0 min-h-5.5 rounded border border-control bg-paper text-sm font-medium text-brand hover:bg-raised"
                  style={{ ...rows(part), width: `${100 / MAX_LANES}%` }}
                >
                  {t('more', { count: events.length })}
                </button>
              ))}
            </div>
          )
        })}
      </div>
      {listed ? (
        <Dialog title={format.weekday(bounds(listed.day).from)} onClose={() => setListed(null)}>
          <ul className="flex flex-col gap-1">
            {listed.events.map((event) => (
              <li key={event.id}>
                <EventChip {...handlers} event={event} onOpen={openListed} className="py-2.5" />
              </li>
            ))}
          </ul>
        </Dialog>
      ) : null}
    </section>
  )
}
