import { expect, it } from 'vitest'
import { csvWriter } from './csv.ts'

const series = { id: 1, metric: 'm', unit: 'u' } as never
const times = (timeZone: string, ...instants: string[]) =>
  csvWriter({ timeZone, hasMark: false, fileName: 'x.csv' })({
    series,
    times: Float64Array.from(instants, (at) => Date.parse(at)),
    values: new Float64Array(instants.length).fill(1),
  })
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(',')[0])

it.each([
  ['UTC', '2026-01-31T12:00:00.005Z', '2026-01-31 12:00:00.005'],
  ['Europe/Berlin', '2026-01-31T23:30:00Z', '2026-02-01 00:30:00.000'],
  ['Asia/Kathmandu', '2026-01-31T00:00:00Z', '2026-01-31 05:45:00.000'],
  ['America/St_Johns', '2026-01-31T00:00:00Z', '2026-01-30 20:30:00.000'],
])('in %s %s is %s', (zone, at, local) => expect(times(zone, at)).toEqual([local]))

it('clocks that go forward skip an hour, clocks that go back repeat one', () => {
  expect(times('Europe/Berlin', '2026-03-29T00:59:59Z', '2026-03-29T01:00:00Z')).toEqual([
    '2026-03-29 01:59:59.000',
    '2026-03-29 03:00:00.000',
  ])
  expect(times('Europe/Berlin', '2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z')).toEqual([
    '2026-10-25 02:30:00.000',
    '2026-10-25 02:30:00.000',
  ])
})

it.each([
  ['a;b', '"a;b"'],
  ['a;=1+1', '"a;=1+1"'],
  ['a\tb', '"a\tb"'],
  ['a "b"', '"a ""b"""'],
  ['=1+1', "'=1+1"],
  ['plain name', 'plain name'],
])('the name %j is the cell %s', (metric, cell) => {
  const write = csvWriter({ timeZone: undefined, hasMark: false, fileName: 'x.csv' })
  const line = write({ series: { id: 1, metric, unit: 'u' } as never, times: Float64Array.of(0), values: Float64Array.of(1) })
  expect(line).toBe(`1970-01-01T00:00:00.000Z,${cell},u,1\r\n`)
})
