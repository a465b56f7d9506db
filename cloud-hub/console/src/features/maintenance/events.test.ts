import { describe, expect, it } from 'vitest'
import { conflictsOf, eventsByDay, type MaintenanceEvent, placeEvents } from './events.ts'

const event = (id: string, from: string, to: string, more: Partial<MaintenanceEvent> = {}) =>
  ({
    id,
    machine_id: 'm1',
    status: 'scheduled',
    scheduled_start: `2026-11-${from}:00Z`,
    scheduled_end: `2026-11-${to}:00Z`,
    ...more,
  }) as MaintenanceEvent
const names = (events: readonly MaintenanceEvent[] | undefined) => (events ?? []).map(({ id }) => id)

describe('maintenance events', () => {
  it('conflict when they are open on one machine at the same time', () => {
    const conflicts = conflictsOf([
      event('a', '02T08:00', '02T10:00'),
      event('b', '02T09:00', '02T11:00'),
      event('next', '02T11:00', '02T12:00'),
      event('done', '02T09:00', '02T11:00', { status: 'completed' }),
      event('elsewhere', '02T09:00', '02T11:00', { machine_id: 'm2' }),
    ])
    expect([...conflicts.keys()].toSorted()).toEqual(['a', 'b'])
    expect([names(conflicts.get('a')), names(conflicts.get('b'))]).toEqual([['b'], ['a']])
  })

  it('are on every local day that they last, and not on the one that they end with', () => {
    const days = eventsByDay(
      [event('long', '01T23:30', '03T23:00'), event('short', '03T08:00', '03T09:00')],
      ['2026-11-02', '2026-11-03', '2026-11-04'],
      'Europe/Berlin',
    )
    expect([...days].map(([day, found]) => [day, names(found)])).toEqual([
      ['2026-11-02', ['long']],
      ['2026-11-03', ['long', 'short']],
      ['2026-11-04', []],
    ])
  })

  it('share the width of a day only with those that they overlap', () => {
    const day = { from: new Date('2026-11-02T00:00Z'), to: new Date('2026-11-03T00:00Z') }
    const { placed, hidden } = placeEvents(
      [
        event('a', '01T20:00', '02T10:00'),
        event('b', '02T09:00', '02T11:00'),
        event('c', '02T10:00', '02T12:00'),
        event('d', '02T12:00', '02T13:00'),
      ],
      day,
    )
    expect(placed.map(({ event, lane, lanes }) => [event.id, lane, lanes])).toEqual([
      ['a', 0, 2],
      ['b', 1, 2],
      ['c', 0, 2],
      ['d', 0, 1],
    ])
    expect(placed[0]?.part.from).toEqual(day.from)
    expect(hidden).toEqual([])
  })

  it('stand in the last of three lanes together where more than three overlap', () => {
    const day = { from: new Date('2026-11-02T00:00Z'), to: new Date('2026-11-03T00:00Z') }
    const { placed, hidden } = placeEvents(
      [
        event('a', '02T06:00', '02T12:00'),
        event('b', '02T07:00', '02T12:00'),
        event('c', '02T08:00', '02T11:00'),
        event('d', '02T09:00', '02T13:00'),
        event('e', '02T13:00', '02T14:00'),
      ],
      day,
    )
    expect(placed.map(({ event, lane, lanes }) => [event.id, lane, lanes])).toEqual([
      ['a', 0, 3],
      ['b', 1, 3],
      ['e', 0, 1],
    ])
    expect(hidden.map(({ events, part }) => [names(events), part])).toEqual([
      [['c', 'd'], { from: new Date('2026-11-02T08:00Z'), to: new Date('2026-11-02T13:00Z') }],
    ])
  })
})
