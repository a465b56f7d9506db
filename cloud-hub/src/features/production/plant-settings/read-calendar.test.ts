import { describe, expect, it } from 'vitest'
import { readCalendar } from './read-calendar.ts'

const calendar = (...properties: string[]) =>
  readCalendar(['BEGIN:VCALENDAR', 'BEGIN:VEVENT', ...properties, 'END:VEVENT', 'END:VCALENDAR'].join('\r\n'), 2025)
const datesOf = (...properties: string[]) => {
  const [found] = calendar(...properties)
  return found && ('error' in found ? found.error.message : found.days.map(({ date }) => date))
}
const may = 'DTSTART;VALUE=DATE:20260501'

describe('readCalendar', () => {
  it.each<[string, string[], string[]]>([
    ['an event without an end lasts a day', [may], ['2026-05-01']],
    ['the end is exclusive', [may, 'DTEND;VALUE=DATE:20260503'], ['2026-05-01', '2026-05-02']],
    ['an end equal to the start is a day', [may, 'DTEND;VALUE=DATE:20260501'], ['2026-05-01']],
    ['a duration counts days', [may, 'DURATION:P2D'], ['2026-05-01', '2026-05-02']],
    ['a yearly event ends with its count', [may, 'RRULE:FREQ=YEARLY;COUNT=2'], ['2026-05-01', '2027-05-01']],
    ['a yearly event ends with its last day', [may, 'RRULE:FREQ=YEARLY;UNTIL=20270501T000000Z'], ['2026-05-01', '2027-05-01']],
    [
      'a yearly event leaves excluded dates out',
      [may, 'RRULE:FREQ=YEARLY;COUNT=2', 'EXDATE;VALUE=DATE:20260501'],
      ['2027-05-01'],
    ],
    ['29 February repeats in leap years', ['DTSTART:20240229', 'RRULE:FREQ=YEARLY;COUNT=2'], ['2024-02-29', '2028-02-29']],
    [
      'a yearly event of decades ago repeats from last year',
      ['DTSTART:19701225', 'RRULE:FREQ=YEARLY'],
      Array.from({ length: 10 }, (_, n) => `${2024 + n}-12-25`),
    ],
    ['a count includes the years that are over', ['DTSTART:20201225', 'RRULE:FREQ=YEARLY;COUNT=6'], ['2024-12-25', '2025-12-25']],
    ['an alarm inside an event is not part of it', ['BEGIN:VALARM', 'DTSTART:20200101', 'END:VALARM', may], ['2026-05-01']],
  ])('%s', (_, properties, dates) => {
    expect(datesOf(...properties)).toEqual(dates)
  })

  it.each([
    ['a rule by weekday', [may, 'RRULE:FREQ=YEARLY;BYMONTH=5;BYDAY=1FR']],
    ['a weekly rule', [may, 'RRULE:FREQ=WEEKLY']],
    ['single further dates', [may, 'RDATE:20260601']],
    ['an interval that is no number', [may, 'RRULE:FREQ=YEARLY;INTERVAL=abc']],
    ['an interval beyond all years', [may, 'RRULE:FREQ=YEARLY;INTERVAL=99999999']],
    ['a count that is no number', [may, 'RRULE:FREQ=YEARLY;COUNT=abc']],
  ])('an event with %s is reported', (_, properties) => {
    expect(datesOf(...properties)).toMatch(/^repeats in another way/)
  })

  it.each([['DTSTART:20260501T080000'], ['DTSTART;VALUE=DATE:20260231'], ['SUMMARY:x'], ['DTSTART:20260501\nDURATION:P0D']])(
    'an event with %s is not of whole days',
    (one) => {
      expect(datesOf(one)).toBe('is not an event of whole days')
    },
  )

  it('an event of more than 366 days is reported', () => {
    expect(datesOf(may, 'DTEND;VALUE=DATE:20270502')).toHaveLength(366)
    expect(datesOf(may, 'DTEND;VALUE=DATE:20270503')).toBe('lasts more than 366 days')
  })

  it.each(['00001225', '09991225', '99991225'])('an event of %s is reported, because no such day can be stored', (date) => {
    expect(datesOf(`DTSTART:${date}`)).toBe('lies outside the years 1000 to 9998')
  })

  it('a repetition ends with the last year that can be stored', () => {
    expect(datesOf('DTSTART:99971225', 'RRULE:FREQ=YEARLY')).toEqual(['9997-12-25', '9998-12-25'])
  })

  it('a file of more than 10,000 days is refused before they are computed', () => {
    const years = ['BEGIN:VEVENT', 'DTSTART:20260101', 'DURATION:P366D', 'RRULE:FREQ=YEARLY', 'END:VEVENT']
    const file = ['BEGIN:VCALENDAR', ...Array.from({ length: 2_000 }, () => years).flat(), 'END:VCALENDAR'].join('\n')
    const begin = performance.now()
    expect(() => readCalendar(file, 2026)).toThrow('more than 10000 days')
    expect(performance.now() - begin).toBeLessThan(5_000)
  })

  it('a cancelled event is skipped', () => {
    expect(calendar(may, 'STATUS:CANCELLED')).toEqual([])
  })

  it('names are unescaped, and an event without one is a holiday', () => {
    const name = (...properties: string[]) => calendar(may, ...properties).map((found) => 'days' in found && found.days[0]?.name)
    expect(name('SUMMARY;LANGUAGE=de:Tag\\, der\\nArbeit')).toEqual(['Tag, der Arbeit'])
    expect(name()).toEqual(['Holiday'])
  })

  it('a file that is no calendar is refused', () => {
    expect(() => readCalendar('BEGIN:VCARD\nEND:VCARD', 2026)).toThrow('not an iCalendar file')
  })
})
