import type { Schemas } from '../../api/client.ts'
import { MAINTENANCE_EVENT_RECURRENCE_RULE, MAINTENANCE_EVENT_STATUS } from '../../api/enums.ts'
import { dayOf } from '../../i18n/wall-time.ts'

export type MaintenanceEvent = Schemas['MaintenanceEvent']

export const STATUSES = MAINTENANCE_EVENT_STATUS
export const RECURRENCES = MAINTENANCE_EVENT_RECURRENCE_RULE

export const isOpen = ({ status }: MaintenanceEvent): boolean => status === 'scheduled' || status === 'in_progress'
/** Only what has not begun can be planned anew. */
export const isMovable = ({ status }: MaintenanceEvent): boolean => status === 'scheduled'

export interface Interval {
  from: Date
  to: Date
}

export const intervalOf = ({ scheduled_start, scheduled_end }: MaintenanceEvent): Interval => ({
  from: new Date(scheduled_start),
  to: new Date(scheduled_end),
})

export const overlap = (a: Interval, b: Interval): boolean => a.from < b.to && b.from < a.to

/** For each open event the others that are open on its machine at the same time. */
export function conflictsOf(events: readonly MaintenanceEvent[]): Map<string, MaintenanceEvent[]> {
  const found = new Map<string, MaintenanceEvent[]>()
  const note = (event: MaintenanceEvent, other: MaintenanceEvent) => found.set(event.id, [...(found.get(event.id) ?? []), other])
  for (const ofMachine of Map.groupBy(events.filter(isOpen), ({ machine_id }) => machine_id).values()) {
    const open = ofMachine
      .map((event) => ({ event, ...intervalOf(event) }))
      .toSorted((a, b) => a.from.getTime() - b.from.getTime())
    for (const [index, { event, to }] of open.entries())
      for (let n = index + 1; n < open.length; n++) {
        const { event: other, from } = open[n] as (typeof open)[number]
        if (from >= to) break
        note(event, other)
        note(other, event)
      }
  }
  return found
}

/** The events of each day; one that lasts for several days is on all of them. */
export function eventsByDay(
  events: readonly MaintenanceEvent[],
  days: readonly string[],
  timeZone: string,
): Map<string, MaintenanceEvent[]> {
  const found = new Map<string, MaintenanceEvent[]>(days.map((day) => [day, []]))
  for (const event of events) {
    const begins = dayOf(event.scheduled_start, timeZone)
    const ends = dayOf(Date.parse(event.scheduled_end) - 1, timeZone)
    for (const day of days) if (begins <= day && day <= ends) found.get(day)?.push(event)
  }
  return found
}

export interface Placed {
  event: MaintenanceEvent
  /** the part of the event inside of the day */
  part: Interval
  lane: number
  lanes: number
}

/** Events of a day for which there is no room beside the others. */
export interface Hidden {
  events: MaintenanceEvent[]
  /** from the first begin to the last end of their parts inside of the day */
  part: Interval
}

/** So many events are beside each other; where there are more, the last lane stands for all others. */
export const MAX_LANES = 3

/** Places the events of a day beside each other where they overlap. */
export function placeEvents(events: readonly MaintenanceEvent[], day: Interval): { placed: Placed[]; hidden: Hidden[] } {
  const within = ({ from, to }: Interval): Interval => ({
    from: new Date(Math.max(from.getTime(), day.from.getTime())),
    to: new Date(Math.min(to.getTime(), day.to.getTime())),
  })
  const parts = events
    .map((event) => ({ event, part: within(intervalOf(event)) }))
    .toSorted((a, b) => a.part.from.getTime() - b.part.from.getTime())
  const placed: Placed[] = []
  const hidden: Hidden[] = []
  let group: Placed[] = []
  let groupEnd = 0
  const closeGroup = () => {
    const needed = Math.max(0, ...group.map(({ lane }) => lane)) + 1
    const lanes = Math.min(needed, MAX_LANES)
    const isShown = ({ lane }: Placed) => needed <= MAX_LANES || lane < MAX_LANES - 1
    placed.push(...group.filter(isShown).map((it) => ({ ...it, lanes })))
    const others = group.filter((it) => !isShown(it))
    if (others.length > 0) hidden.push({ events: others.map(({ event }) => event), part: spanOf(others) })
    group = []
  }
  for (const { event, part } of parts) {
    if (part.from.getTime() >= groupEnd) closeGroup()
    const taken = group.filter((other) => other.part.to > part.from).map(({ lane }) => lane)
    const lane = [...Array(taken.length + 1).keys()].find((it) => !taken.includes(it)) as number
    group.push({ event, part, lane, lanes: 1 })
    groupEnd = Math.max(groupEnd, part.to.getTime())
  }
  closeGroup()
  return { placed, hidden }
}

const spanOf = (placed: readonly Placed[]): Interval => ({
  from: new Date(Math.min(...placed.map(({ part }) => part.from.getTime()))),
  to: new Date(Math.max(...placed.map(({ part }) => part.to.getTime()))),
})
