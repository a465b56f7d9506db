import { describe, expect, it, test } from 'vitest'
import { TimestampFormat, TimestampReader } from './timestamps.ts'

const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())

it.each([
  ['iso', 'UTC', '2026-11-24T10:11:12Z', '2026-11-24T10:11:12.000Z'],
  ['iso', 'UTC', '2026-11-24 10:11:12.5', '2026-11-24T10:11:12.500Z'],
  ['iso', 'UTC', '2026-11-24T10:11:12,123456', '2026-11-24T10:11:12.123Z'],
  ['iso', 'UTC', '2026-11-24T10:11:12+01:30', '2026-11-24T08:41:12.000Z'],
  ['iso', 'Asia/Kolkata', '2026-11-24T10:11', '2026-11-24T04:41:00.000Z'],
  ['iso', 'UTC', '2026-11-24', '2026-11-24T00:00:00.000Z'],
  ['iso', 'UTC', '2026-02-30 00:00:00', null],
  ['iso', 'UTC', '24.11.2026', null],
  ['unix', 'UTC', '1790000000.25', '2026-09-21T14:13:20.250Z'],
  ['unix', 'UTC', 1_790_000_000, '2026-09-21T14:13:20.000Z'],
  ['unix_ms', 'UTC', '1790000000001', '2026-09-21T14:13:20.001Z'],
  ['unix_ms', 'UTC', 'now', null],
  ['dd.MM.yyyy HH:mm:ss', 'UTC', '1.2.2026 3:04:05', '2026-02-01T03:04:05.000Z'],
  ['MM/dd/yy HH:mm:ss.SSS', 'UTC', '02/01/26 03:04:05.7', '2026-02-01T03:04:05.700Z'],
  ['yyyyMMddHHmmss', 'UTC', '20260201030405', '2026-02-01T03:04:05.000Z'],
  ['dd.MM.yyyy HH:mm:ss', 'UTC', '32.1.2026 00:00:00', null],
  ['dd.MM.yyyy HH:mm:ss', 'UTC', '1.1.2026 24:00:00', null],
  ['dd.MM.yyyy HH:mm:ss', 'UTC', '1.1.2026', null],
  ['MM/dd/yyyy hh:mm:ss a', 'UTC', '11/24/2026 01:02:03 PM', '2026-11-24T13:02:03.000Z'],
  ['MM/dd/yyyy hh:mm:ss a', 'UTC', '11/24/2026 12:00:01 AM', '2026-11-24T00:00:01.000Z'],
  ['MM/dd/yyyy hh:mm:ss a', 'UTC', '11/24/2026 12:00:01 pm', '2026-11-24T12:00:01.000Z'],
  ['MM/dd/yyyy hh:mm:ss a', 'UTC', '11/24/2026 1:02:03\u202fp.m.', '2026-11-24T13:02:03.000Z'],
  ['MM/dd/yyyy hh:mma', 'UTC', '1/2/2026 9:05AM', '2026-01-02T09:05:00.000Z'],
  ['MM/dd/yyyy hh:mm:ss a', 'UTC', '11/24/2026 13:00:00 PM', null],
  ['MM/dd/yyyy hh:mm:ss a', 'UTC', '11/24/2026 01:02:03', null],
  ['excel', 'UTC', '46350', '2026-11-24T00:00:00.000Z'],
  ['excel', 'UTC', '46350.4244444444', '2026-11-24T10:11:12.000Z'],
  ['excel', 'UTC', '46350,5', '2026-11-24T12:00:00.000Z'],
  ['excel', 'Europe/Berlin', 46_350.5, '2026-11-24T11:00:00.000Z'],
  ['excel', 'UTC', '12', null],
  ['excel', 'UTC', '1790000000', null],
  ['excel', 'UTC', '24.11.2026', null],
])('%s in %s: %s is %s', (format, zone, given, expected) => {
  expect(iso(new TimestampReader(format, zone).read(given))).toBe(expected)
})

it('the hour that autumn repeats is read in the order of the lines, and that of spring as the clock goes on', () => {
  const reader = new TimestampReader('iso', 'Europe/Berlin')
  const read = (text: string, after?: number) => iso(reader.read(text, after))
  const first = reader.read('2026-10-25 02:59:00') as number
  expect(iso(first)).toBe('2026-10-25T00:59:00.000Z')
  expect(read('2026-10-25 02:01:00', first)).toBe('2026-10-25T01:01:00.000Z')
  expect(read('2026-10-25 03:00:00', first)).toBe('2026-10-25T02:00:00.000Z')
  // a line that stands a little out of order is still of the first hour
  expect(read('2026-10-25 02:58:30', first)).toBe('2026-10-25T00:58:30.000Z')
  expect(read('2026-03-29 01:59:00')).toBe('2026-03-29T00:59:00.000Z')
  expect(read('2026-03-29 02:30:00')).toBe('2026-03-29T01:30:00.000Z')
  expect(read('2026-03-29 03:00:00')).toBe('2026-03-29T01:00:00.000Z')
  expect(read('2026-07-01 12:00:00')).toBe('2026-07-01T10:00:00.000Z')
})

it.each([
  ['MM/dd/yyyy hh:mm:ss a', true],
  ['MM/dd/yyyy hh:mm:ss', false],
  ['MM/dd/yyyy HH:mm:ss a hh', false],
  ['excel', true],
  ['days', false],
])('the format %s is accepted: %s', (format, isAccepted) => {
  expect(TimestampFormat.safeParse(format).success).toBe(isAccepted)
})

it('the repeated hour is that of any format, in the order of the lines', () => {
  const twice = (format: string, texts: (string | number)[]) => {
    const reader = new TimestampReader(format, 'America/New_York')
    let after = 0
    return texts.map((text) => {
      after = reader.read(text, after) as number
      return iso(after)
    })
  }
  const hours = ['2026-11-01T05:30:00.000Z', '2026-11-01T05:50:00.000Z', '2026-11-01T06:10:00.000Z', '2026-11-01T07:10:00.000Z']
  const times = ['01:30 AM', '01:50 AM', '01:10 AM', '02:10 AM']
  expect(
    twice(
      'MM/dd/yyyy hh:mm a',
      times.map((time) => `11/1/2026 ${time}`),
    ),
  ).toEqual(hours)
  expect(
    twice(
      'excel',
      [90, 110, 70, 130].map((minutes) => 46_327 + minutes / 1_440),
    ),
  ).toEqual(hours)
})

describe('the hour that autumn repeats', () => {
  const reader = new TimestampReader('yyyy-MM-dd HH:mm:ss', 'Europe/Berlin')
  const read = (time: string, after: string | null, now?: string) =>
    iso(
      reader.read(
        `2026-10-25 ${time}`,
        after === null ? 0 : Date.parse(`2026-10-25T${after}Z`),
        now === undefined ? undefined : Date.parse(`2026-10-25T${now}Z`),
      ),
    )

  test.each([
    ['is the first one where nothing says otherwise', '02:10:00', null, undefined, '00:10:00'],
    ['is the second one where times go back', '02:10:00', '00:50:00', undefined, '01:10:00'],
    ['is the second one for what is written in it, where nothing is before', '02:10:00', null, '01:10:05', '01:10:00'],
    ['is the first one for what is written in it', '02:10:00', null, '00:10:05', '00:10:00'],
    ['is the first one for what was written long ago', '02:10:00', null, '09:00:00', '00:10:00'],
    ['is the first one for lines out of order before the second', '02:04:00', '00:10:00', '00:11:00', '00:04:00'],
    ['is the second one by a clock that is ahead, where times go back', '02:00:05', '00:59:58', '00:58:05', '01:00:05'],
  ])('%s', (_, time, after, now, expected) => {
    expect(read(time, after, now)).toBe(`2026-10-25T${expected}.000Z`)
  })
})

test('an a within a word of the format is no AM or PM', () => {
  const reader = new TimestampReader('dd.MM.yyyy at hh:mm a', 'UTC')
  expect(iso(reader.read('24.11.2026 at 01:30 PM'))).toBe('2026-11-24T13:30:00.000Z')
})
