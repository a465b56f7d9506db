import { describe, expect, it } from 'vitest'
import { occurrencesIn, type ShiftTimes } from './occurrences.ts'

const NIGHT: ShiftTimes = { startTime: '22:00:00', endTime: '06:00:00' }
const HOUR = 3_600_000
const at = (instant: string) => Date.parse(instant)
const shown = (from: string, to: string, times: ShiftTimes, zone: string, days: string[] = []) =>
  occurrencesIn({ start: at(from), end: at(to) }, times, zone, new Set(days)).map(({ date, start, end }) => [
    date,
    new Date(start).toISOString(),
    (end - start) / HOUR,
  ])

describe('occurrencesIn', () => {
  // Berlin: clocks go forward on 2026-03-29 at 02:00, back on 2026-10-25 at 03:00. Worked out by hand.
  it.each<[string, string, ShiftTimes, string, number]>([
    ['an early shift in winter', '2026-01-30', { startTime: '06:00:00', endTime: '14:00:00' }, '2026-01-30T05:00:00.000Z', 8],
    ['an early shift in summer', '2026-07-30', { startTime: '06:00:00', endTime: '14:00:00' }, '2026-07-30T04:00:00.000Z', 8],
    ['a night shift across midnight', '2026-01-30', NIGHT, '2026-01-30T21:00:00.000Z', 8],
    ['the night when clocks go forward', '2026-03-28', NIGHT, '2026-03-28T21:00:00.000Z', 7],
    ['the night when clocks go back', '2026-10-24', NIGHT, '2026-10-24T20:00:00.000Z', 9],
    [
      'a start in the skipped hour',
      '2026-03-29',
      { startTime: '02:30:00', endTime: '10:00:00' },
      '2026-03-29T01:30:00.000Z',
      6.5,
    ],
    [
      'a start in the repeated hour',
      '2026-10-25',
      { startTime: '02:30:00', endTime: '10:00:00' },
      '2026-10-25T00:30:00.000Z',
      8.5,
    ],
    ['a whole day', '2026-01-30', { startTime: '06:00:00', endTime: '06:00:00' }, '2026-01-30T05:00:00.000Z', 24],
    ['a whole day of 23 hours', '2026-03-29', { startTime: '00:00:00', endTime: '00:00:00' }, '2026-03-28T23:00:00.000Z', 23],
  ])('%s has the hours between its local times', (_, date, times, start, hours) => {
    const noon = at(`${date}T12:00:00Z`)
    const found = occurrencesIn({ start: noon - 36 * HOUR, end: noon + 36 * HOUR }, times, 'Europe/Berlin', new Set())
    const one = found.find((occurrence) => occurrence.date === date)
    expect(one && [new Date(one.start).toISOString(), (one.end - one.start) / HOUR]).toEqual([start, hours])
  })

  it('a shift that lies in skipped time as a whole does not take place', () => {
    const skipped = { startTime: '02:00:00', endTime: '02:30:00' }
    const times = shown('2026-03-28T00:00Z', '2026-03-31T00:00Z', skipped, 'Europe/Berlin').map(([date]) => date)
    expect(times).toEqual(['2026-03-28', '2026-03-29', '2026-03-30'])
    const none = { startTime: '02:00:00', endTime: '03:00:00' }
    expect(shown('2026-03-28T00:00Z', '2026-03-31T00:00Z', none, 'Europe/Berlin').map(([date]) => date)).toEqual([
      '2026-03-28',
      '2026-03-30',
    ])
  })

  it('shifts that touch the window are found, also one that began the day before', () => {
    expect(shown('2026-01-31T00:00Z', '2026-01-31T21:00Z', NIGHT, 'UTC').map(([date]) => date)).toEqual(['2026-01-30'])
    expect(shown('2026-01-31T06:00Z', '2026-01-31T22:00Z', NIGHT, 'UTC')).toEqual([])
    expect(shown('2026-01-31T06:00Z', '2026-01-31T22:00:00.001Z', NIGHT, 'UTC')).toHaveLength(1)
  })

  it('a shift that begins on a non-production day does not take place, one that ends on it does', () => {
    const days = shown('2026-12-24T00:00Z', '2026-12-27T00:00Z', NIGHT, 'UTC', ['2026-12-25']).map(([date]) => date)
    expect(days).toEqual(['2026-12-23', '2026-12-24', '2026-12-26'])
  })
})
