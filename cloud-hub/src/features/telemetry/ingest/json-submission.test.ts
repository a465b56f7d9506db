import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { parseTimestamp, submissionFromJson } from './json-submission.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const item = (metric: unknown, values: object = {}) => ({
  machine_identifier: 'm1',
  metric_name: metric,
  unit: 'bar',
  value: 1,
  timestamp: '2026-11-21T11:59:00Z',
  ...values,
})
/** A request of a tenant of its own or, after others, of the same. */
const sender = () => {
  const tenantId = randomUUID()
  return (...items: unknown[]) => submissionFromJson(tenantId, items, now)
}
const named = (...metrics: string[]) => metrics.map((metric) => item(metric))
const metricsOf = ({ columns: { series, seriesIndex } }: ReturnType<typeof submissionFromJson>) =>
  Array.from(seriesIndex, (slot) => series[slot]?.metric)

describe('the series of a request in JSON', () => {
  it('are the array of an earlier request that named the same', () => {
    const send = sender()
    const first = send(...named('a', 'b', 'c'))
    const second = send(...named('a', 'b', 'c'))
    expect(second.columns.series).toBe(first.columns.series)
    expect(metricsOf(second)).toEqual(['a', 'b', 'c'])
  })

  it.each([
    ['by series', ['a', 'a', 'a', 'b', 'b', 'b']],
    ['by instant', ['a', 'b', 'a', 'b', 'a', 'b']],
    ['in another order', ['a', 'b', 'b', 'a', 'a', 'b']],
  ])('are reported for each reading, %s', (_order, metrics) => {
    const send = sender()
    expect(metricsOf(send(...named(...metrics)))).toEqual(metrics)
    const again = send(...named(...metrics))
    expect(metricsOf(again)).toEqual(metrics)
    expect(again.columns.series.map(({ metric }) => metric)).toEqual(['a', 'b'])
  })

  it.each([
    ['a part', ['a', 'b', 'a', 'b'], ['a', 'b']],
    ['others at the end', ['a', 'b', 'c', 'x'], ['a', 'b', 'c', 'x']],
    ['others in between', ['a', 'x', 'b', 'c'], ['a', 'x', 'b', 'c']],
  ])('are its own where it names %s', (_which, metrics, series) => {
    const send = sender()
    send(...named('a', 'b', 'c', 'd'))
    const other = send(...named(...metrics))
    expect(metricsOf(other)).toEqual(metrics)
    expect(other.columns.series.map(({ metric }) => metric)).toEqual(series)
  })

  it.each([
    ['machine', { machine_identifier: 'm2' }],
    ['unit', { unit: 'psi' }],
    ['raw tag', { raw_tag: 'ns=2;s=A' }],
  ])('differ where only the %s differs', (_what, values) => {
    const send = sender()
    const first = send(item('a'), item('b'))
    const second = send(item('a'), item('b', values))
    expect(second.columns.series).not.toBe(first.columns.series)
    expect(second.columns.series[1]).not.toEqual(first.columns.series[1])
  })

  it('have no tag where it is empty or null', () => {
    const send = sender()
    const first = send(item('a', { raw_tag: '' }), item('b'))
    const second = send(item('a'), item('b', { raw_tag: null }))
    expect(second.columns.series).toBe(first.columns.series)
    expect(second.columns.series.map(({ rawTag }) => rawTag)).toEqual([null, null])
  })

  it('are checked where they differ from the ones before: faults name the item', () => {
    const send = sender()
    send(...named('a', 'b', 'c'))
    const { rejections, columns } = send(item('a', { value: 'x' }), item('', {}), 7, item('c', { raw_tag: 0 }), item('c'))
    expect(rejections.map(({ index, code }) => [index, code])).toEqual([
      [0, 'invalid_value'],
      [1, 'invalid_metric_name'],
      [2, 'invalid_reading'],
      [3, 'invalid_raw_tag'],
    ])
    expect([columns.values.length, columns.series.at(-1)?.metric]).toEqual([1, 'c'])
  })
})

describe('the timestamps of a request', () => {
  const times = (...timestamps: unknown[]) =>
    sender()(...timestamps.map((timestamp, i) => item(`m${i}`, { timestamp }))).columns.timestamps

  it('are exact in every form, whichever came before', () => {
    const texts = [
      ...['2026-11-21T11:59:00.000Z', '2026-11-21T11:59:59.999Z', '2026-11-21T00:00:00.000Z', '2026-11-21T11:59:00Z'],
      ...['2026-11-21T11:59:00.1234Z', '2026-11-21T12:59:00.000+01:00', '2026-11-20T23:59:59.999Z', '2026-11-21T11:59:00.001Z'],
      ...['2026-11-21T11:59Z', '2026-11-21T06:29:00.000-05:30', '2026-11-20T24:00:00.000Z', '2026-11-20T01:00:00.000Z'],
    ]
    for (const order of [texts, texts.toReversed()]) expect([...times(...order)]).toEqual(order.map((text) => Date.parse(text)))
  })

  it.each([
    '2026-11-21T24:00:00.000Z',
    '2026-11-21T11:60:00.000Z',
    '2026-11-21T11:59:60.000Z',
    '2026-11-21T11:59:0a.000Z',
    '2026-11-21T11:59:00.00 Z',
    '2026-11-21T11-59:00.000Z',
    '2026-11-21T11:59:00.000z',
  ])('are checked like the first: %s behind an instant of that day', (timestamp) => {
    const good = '2026-11-21T11:00:00.000Z'
    const alone = sender()(item('a', { timestamp }))
    const behind = sender()(item('a', { timestamp: good }), item('b', { timestamp }))
    expect([...behind.columns.timestamps]).toEqual([Date.parse(good), ...alone.columns.timestamps])
    expect(behind.rejections.map(({ code }) => code)).toEqual(alone.rejections.map(({ code }) => code))
  })
})

it.each(['machine_identifier', 'metric_name', 'unit', 'raw_tag'])(
  'an object as %s rejects its own reading, also as the first one',
  (name) => {
    const send = sender()
    for (const strange of [{ toString: 1 }, { toString: null, valueOf: null }, [], 7, true]) {
      const { rejections, columns } = send(item('a', { [name]: strange }), item('b'))
      expect(rejections).toMatchObject([{ index: 0 }])
      expect(columns.timestamps).toHaveLength(1)
    }
  },
)

describe('the timestamp of a reading in JSON', () => {
  it.each([
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
    ['2016-12-31t23:59:60.500z', '2017-01-01T00:00:00.500Z'],
    ['2017-01-01T00:59:60+01:00', '2017-01-01T00:00:00.000Z'],
    ['2026-11-21t11:59:00z', '2026-11-21T11:59:00.000Z'],
    ['2026-11-21T11:59:00.123z', '2026-11-21T11:59:00.123Z'],
    ['2026-11-21t11:59:00.123Z', '2026-11-21T11:59:00.123Z'],
    ['2026-11-21t11:59:00.1239+02:00', '2026-11-21T09:59:00.123Z'],
    ['2026-11-21T11:59Z', '2026-11-21T11:59:00.000Z'],
    ['2026-02-28T23:59:60Z', '2026-03-01T00:00:00.000Z'],
  ])('%s is %s', (text, expected) => {
    expect(new Date(parseTimestamp(text)).toISOString()).toBe(expected)
  })

  it.each([
    '2026-11-21T11:59:61Z',
    '2026-11-21T11:60:60Z',
    '2026-02-30t10:00:00z',
    '2026-02-30T23:59:60Z',
    '2026-11-21 11:59:00Z',
    '2026-11-21T11:59:00',
  ])('%s is refused', (text) => {
    expect(parseTimestamp(text)).toBeNaN()
  })
})
