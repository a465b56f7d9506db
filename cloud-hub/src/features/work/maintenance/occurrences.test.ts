import { describe, expect, it } from 'vitest'
import { filledUntil, firstOccurrenceFrom, occurrenceStart, occurrencesUntil, type Recurrence } from './occurrences.ts'

const recurrence = (rule: Recurrence['rule'], start: string, timeZone = 'UTC'): Recurrence => ({
  rule,
  start: new Date(start),
  timeZone,
})
const starts = (given: Recurrence, ...ns: number[]) => ns.map((n) => occurrenceStart(given, n).toISOString().slice(0, 16))

describe('the n-th child', () => {
  it('keeps the local time of its parent over both changes of daylight saving', () => {
    expect(starts(recurrence('daily', '2026-03-28T07:00Z', 'Europe/Berlin'), 1, 2)).toEqual([
      '2026-03-29T06:00',
      '2026-03-30T06:00',
    ])
    expect(starts(recurrence('weekly', '2026-10-20T06:00Z', 'Europe/Berlin'), 1)).toEqual(['2026-10-27T07:00'])
    expect(starts(recurrence('weekly', '2026-03-29T00:00Z', 'Australia/Sydney'), 1)).toEqual(['2026-04-05T01:00'])
  })

  it('clamps to the end of a short month, and does not stay there', () => {
    expect(starts(recurrence('monthly', '2026-01-31T08:00Z'), 1, 2, 3, 12, 25)).toEqual([
      '2026-02-28T08:00',
      '2026-03-31T08:00',
      '2026-04-30T08:00',
      '2027-01-31T08:00',
      '2028-02-29T08:00',
    ])
    expect(starts(recurrence('quarterly', '2026-11-30T08:00Z'), 1, 2, 4)).toEqual([
      '2027-02-28T08:00',
      '2027-05-30T08:00',
      '2027-11-30T08:00',
    ])
  })

  it('clamps by the local day, which may differ from the UTC day', () => {
    expect(starts(recurrence('monthly', '2026-01-30T23:30Z', 'Europe/Berlin'), 1)).toEqual(['2026-02-27T23:30'])
  })

  it('moves a time that daylight saving skips to the next valid one, and the next child back', () => {
    expect(starts(recurrence('daily', '2026-03-28T01:30Z', 'Europe/Berlin'), 1, 2)).toEqual([
      '2026-03-29T01:30',
      '2026-03-30T00:30',
    ])
    expect(starts(recurrence('daily', '2026-03-07T07:30Z', 'America/New_York'), 1, 2)).toEqual([
      '2026-03-08T07:30',
      '2026-03-09T06:30',
    ])
    // half an hour is skipped on Lord Howe Island
    expect(starts(recurrence('daily', '2026-10-02T15:45Z', 'Australia/Lord_Howe'), 1)).toEqual(['2026-10-03T15:45'])
  })

  it('takes the first of a time that occurs twice', () => {
    expect(starts(recurrence('daily', '2026-10-24T00:30Z', 'Europe/Berlin'), 1, 2)).toEqual([
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ])
  })

  it('starts on a day that a zone skipped, on the day after', () => {
    // Samoa skipped 30 December 2011
    expect(starts(recurrence('daily', '2011-12-29T20:00Z', 'Pacific/Apia'), 1)).toEqual(['2011-12-30T20:00'])
  })
})

describe('children', () => {
  it.each([
    ['daily', 3651],
    ['weekly', 522],
    ['monthly', 121],
    ['quarterly', 41],
  ] as const)('of a %s recurrence begin with the first that is not in the past', (rule, first) => {
    const given = recurrence(rule, '2016-01-01T08:00Z')
    const now = new Date(occurrenceStart(given, first).getTime() - 1)
    expect(firstOccurrenceFrom(given, now)).toBe(first)
    expect(firstOccurrenceFrom(given, occurrenceStart(given, first))).toBe(first)
    expect(firstOccurrenceFrom(given, new Date(occurrenceStart(given, first).getTime() + 1))).toBe(first + 1)
  })

  it('begin with the second occurrence when the parent is in the future', () => {
    expect(firstOccurrenceFrom(recurrence('daily', '2030-01-01T08:00Z'), new Date('2026-01-01T00:00Z'))).toBe(1)
  })

  it('of a start a thousand years ago are found at once', () => {
    expect(firstOccurrenceFrom(recurrence('daily', '1000-01-01T08:00Z'), new Date('2026-01-01T08:00Z'))).toBe(374_739)
  })

  it('reach 12 months ahead, the last instant included', () => {
    const until = filledUntil(new Date('2026-02-01T08:00Z'))
    expect(until.toISOString()).toBe('2027-02-01T08:00:00.000Z')
    expect(filledUntil(new Date('2028-02-29T08:00Z')).toISOString()).toBe('2029-02-28T08:00:00.000Z')
    const { made, next } = occurrencesUntil(recurrence('monthly', '2026-02-01T08:00Z'), 1, until)
    expect(made.map(({ n }) => n)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
    expect(next).toEqual({ n: 13, start: new Date('2027-03-01T08:00Z') })
    expect(occurrencesUntil(recurrence('monthly', '2026-02-01T08:00Z'), 1, new Date(until.getTime() - 1)).made).toHaveLength(11)
  })
})
