import { type DragEvent, useEffect, useRef, useState } from 'react'
import { useFormat } from '../../i18n/format.tsx'
import { addDays, instantOf, wallTime } from '../../i18n/wall-time.ts'
import { EventChip, type EventHandlers } from './event-chip.tsx'
import { type Interval, intervalOf, isMovable, type MaintenanceEvent, placeEvents } from './events.ts'

const STEP_MS = 15 * 60_000
const HOURS = [...Array(24).keys()]
/** The first hour that shows when the page opens. */
const FIRST_HOUR = 6

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
  const format = useFormat()
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
  return (
    <section
      ref={scroller}
      className="card relative max-h-[75dvh] overflow-y-auto"
      aria-label={format.weekday(bounds(days[0] as string).from)}
    >
      <div className="sticky top-0 z-20 grid grid-cols-[3.5rem_repeat(7,minmax(0,1fr))] border-b border-line bg-paper text-sm">
        <span />
        {days.map((day) => (
          <p
            key={day}
            className={`truncate border-l border-line px-2 py-1.5 ${day === today ? 'font-bold text-brand' : 'font-semibold'}`}
          >
            {format.weekday(bounds(day).from)}
            {holidays.has(day) ? <span className="block truncate text-xs font-normal text-soft">{holidays.get(day)}</span> : null}
          </p>
        ))}
      </div>
      <div className="grid grid-cols-[3.5rem_repeat(7,minmax(0,1fr))]">
        <div aria-hidden="true">
          {HOURS.map((hour) => (
            <p key={hour} className="tabular h-11 pr-1.5 text-right text-xs text-soft">
              {format.time(instantOf(`${days[0]}T${String(hour).padStart(2, '0')}:00`, format.timeZone))}
            </p>
          ))}
        </div>
        {days.map((day) => {
          const { from, to } = bounds(day)
          const length = to.getTime() - from.getTime()
          const percent = (ms: number) => `${(ms / length) * 100}%`
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
              {placeEvents(byDay.get(day) ?? [], { from, to }).map(({ event, part, lane, lanes }) => (
                <EventChip
                  key={event.id}
                  {...handlers}
                  event={event}
                  isSticky
                  onDrag={handlers.mayChange && isMovable(event) ? hold(event, part) : undefined}
                  className="absolute! min-h-5.5"
                  style={{
                    top: percent(part.from.getTime() - from.getTime()),
                    height: percent(part.to.getTime() - part.from.getTime()),
                    left: `${(lane / lanes) * 100}%`,
                    // all but the last reach below the next one, so that their titles can be read
                    width: `${(lane + 1 < lanes ? 160 : 100) / lanes}%`,
                  }}
                />
              ))}
            </div>
          )
        })}
      </div>
    </section>
  )
}
