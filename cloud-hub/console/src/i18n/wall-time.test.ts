import { describe, expect, it } from 'vitest'
import { addDays, dayEnd, dayOf, dayStart, firstOfMonth, instantOf, mondayOf, wallTime } from './wall-time.ts'

describe('a wall time', () => {
  it.each([
    ['2026-01-15T08:00', 'Europe/Berlin', '2026-01-15T07:00:00.000Z'],
    ['2026-07-15T08:00', 'Europe/Berlin', '2026-07-15T06:00:00.000Z'],
    ['2026-03-29T03:00', 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
    ['2026-10-25T04:00', 'Europe/Berlin', '2026-10-25T03:00:00.000Z'],
    ['2026-01-15T00:00', 'Pacific/Auckland', '2026-01-14T11:00:00.000Z'],
    ['2026-01-15T08:00', 'Asia/Kolkata', '2026-01-15T02:30:00.000Z'],
  ])('%s in %s is one instant, and back', (wall, timeZone, instant) => {
    expect(instantOf(wall, timeZone).toISOString()).toBe(instant)
    expect(wallTime(instant, timeZone)).toBe(wall)
  })

  it('that daylight saving skips becomes a valid one within the hour', () => {
    const at = instantOf('2026-03-29T02:30', 'Europe/Berlin').getTime()
    expect(Math.abs(at - Date.parse('2026-03-29T01:00Z'))).toBeLessThanOrEqual(3_600_000)
  })
})

describe('a day', () => {
  it('is that of the time zone', () => expect(dayOf('2026-11-23T23:30Z', 'Europe/Berlin')).toBe('2026-11-24'))
  it('lasts from midnight to midnight of the time zone, also where daylight saving ends', () => {
    const zone = 'Europe/Berlin'
    expect([dayStart('2026-10-25', zone), dayEnd('2026-10-25', zone)]).toEqual([
      '2026-10-24T22:00:00.000Z',
      '2026-10-25T22:59:59.999Z',
    ])
  })
  it('has a week that begins on Monday', () => {
    expect([mondayOf('2026-11-23'), mondayOf('2026-11-29'), mondayOf('2026-03-01')]).toEqual([
      '2026-11-23',
      '2026-11-23',
      '2026-02-23',
    ])
  })
  it('moves over the ends of months and years', () => {
    expect([addDays('2026-12-31', 1), addDays('2026-03-01', -1)]).toEqual(['2027-01-01', '2026-02-28'])
    expect([firstOfMonth('2026-12-31', 1), firstOfMonth('2026-01-31', -1), firstOfMonth('2026-05-20')]).toEqual([
      '2027-01-01',
      '2025-12-01',
      '2026-05-01',
    ])
  })
})
