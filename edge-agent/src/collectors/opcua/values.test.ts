import { OpcUaConfig, toReadings } from '@haltless/protocol'
import type { DataValue } from 'node-opcua'
import { beforeEach, expect, test } from 'vitest'
import { systemClock } from '../../support/clock.ts'
import { ColumnsBuilder } from '../columns-builder.ts'
import { StatusBoard } from '../status-board.ts'
import { tagOf } from '../tag.ts'
import { ValueConverter } from './values.ts'

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
const NOON = Date.UTC(2026, 0, 1, 12)
const DOUBLE = 11

let out: ColumnsBuilder
let board: StatusBoard
beforeEach(() => {
  out = new ColumnsBuilder([{ machine: 'm', metric: 'a', unit: 'u', rawTag: 'ns=1;s=A' }])
})

const TRUSTED = { isUsed: true, aheadLimitMs: 1_000 }

function valuesOf(
  deadband = 0,
  scale = 1,
  offsetMs: number | null = 0,
  rules: object = {},
  serverClock: { timestamps?: string; isUsed: boolean; aheadLimitMs: number } = TRUSTED,
): ValueConverter {
  const node = { node_id: 'ns=1;s=A', metric_name: 'a', unit: 'u', deadband, scale, ...rules }
  const config = OpcUaConfig.parse({ nodes: [node], timestamps: serverClock.timestamps })
  const tags = config.nodes.map((node) => tagOf(node, node.node_id, 'm'))
  board = new StatusBoard(tags, { logger: silent, clock: systemClock })
  return new ValueConverter(config, tags, board, { offsetMs }, serverClock)
}

const said = (value: unknown, sourceAt: number | null = null, status = 0, dataType = DOUBLE) =>
  ({
    value: { dataType, arrayType: 0, value },
    statusCode: { value: status, name: 'X' },
    sourceTimestamp: sourceAt === null ? null : new Date(sourceAt),
  }) as unknown as DataValue
const got = () => toReadings(out.columns())
const stamps = () => got().map(({ timestamp }) => timestamp - NOON)

test('a source timestamp counts when it is newer than the last, however old; else the poll instant', () => {
  const values = valuesOf()
  values.take(0, said(1, NOON - 9_000_000), NOON, NOON, out)
  values.take(0, said(1, NOON - 9_000_000), NOON + 1_000, NOON + 1_000, out)
  values.take(0, said(2, NOON + 1_500), NOON + 2_000, NOON + 2_000, out)
  values.take(0, said(2, NOON + 1_500), NOON + 3_000, NOON + 3_000, out)
  expect(stamps()).toEqual([-9_000_000, 1_000, 1_500, 3_000])
})

test('a source timestamp is turned into the time of a clock that is wrong, and not used while nobody knows by how much', () => {
  const hour = 3_600_000
  const behind = valuesOf(0, 1, hour)
  behind.take(0, said(1, NOON + hour - 5), NOON, NOON + 10, out)
  behind.take(0, said(1, NOON + hour + 5_000), NOON + 1_000, NOON + 1_010, out)
  valuesOf(0, 1, null).take(0, said(1, NOON - 5), NOON, NOON + 10, out)
  expect(stamps()).toEqual([-5, 1_000, 0])
})

test('values of a server whose clock is not used get the poll instant, and several at one instant a millisecond more each', () => {
  const values = valuesOf(0, 1, 0, {}, { isUsed: false, aheadLimitMs: 1_000 })
  for (const [i, at] of [NOON, NOON, NOON + 1, NOON + 100].entries()) values.take(0, said(i, NOON - 9_000_000 + i), at, at, out)
  values.take(0, said(4), NOON - 3_600_000, NOON - 3_600_000, out)
  expect(stamps()).toEqual([0, 1, 2, 100, -3_600_000])
})

test('when a wrong clock is right again, what stood still meanwhile is not dated by the timestamp of the wrong one', () => {
  const serverClock = { isUsed: false, aheadLimitMs: 1_000 }
  const values = valuesOf(0, 1, 0, {}, serverClock)
  values.take(0, said(1, NOON - 9_000_000), NOON, NOON, out)
  serverClock.isUsed = true
  values.take(0, said(1, NOON - 9_000_000), NOON + 1_000, NOON + 1_000, out)
  values.take(0, said(2, NOON + 1_500), NOON + 2_000, NOON + 2_000, out)
  expect(stamps()).toEqual([0, 1_000, 1_500])
})

test('a source that is trusted may be as far ahead as the hub accepts', () => {
  const values = valuesOf(0, 1, 0, {}, { isUsed: true, aheadLimitMs: 300_000, timestamps: 'source' })
  values.take(0, said(1, NOON + 299_000), NOON, NOON, out)
  values.take(0, said(1, NOON + 400_000), NOON + 1_000, NOON + 1_000, out)
  expect(stamps()).toEqual([299_000, 1_000])
})

test('with timestamps: server the server timestamp counts', () => {
  const values = valuesOf(0, 1, 0, {}, { ...TRUSTED, timestamps: 'server' })
  values.take(0, { ...said(1, NOON - 9_000_000), serverTimestamp: new Date(NOON - 5) } as DataValue, NOON, NOON, out)
  expect(stamps()).toEqual([-5])
})

test('a source clock that was set back dates again as soon as it advances', () => {
  const values = valuesOf()
  values.take(0, said(1, NOON), NOON, NOON, out)
  values.take(0, said(1, NOON - 50_000), NOON + 1_000, NOON + 1_000, out)
  values.take(0, said(1, NOON - 49_000), NOON + 2_000, NOON + 2_000, out)
  expect(stamps()).toEqual([0, 1_000, -49_000])
})

test('no source timestamp, one from the future and one from before 2016 give way to the poll instant', () => {
  const values = valuesOf()
  values.take(0, said(1), NOON, NOON, out)
  values.take(0, said(1, NOON + 5_000), NOON + 1_000, NOON + 1_000, out)
  values.take(0, said(1, 0), NOON + 2_000, NOON + 2_000, out)
  expect(stamps()).toEqual([0, 1_000, 2_000])
})

test('a value within its deadband is repeated once a minute, also when the clock is set back', () => {
  const values = valuesOf(0.5)
  for (const seconds of [0, 30, 59, 60, 61]) values.take(0, said(1), NOON + seconds * 1_000, NOON, out)
  expect(stamps()).toEqual([0, 60_000])
  values.take(0, said(1), NOON - 3_600_000, NOON, out)
  expect(got()).toHaveLength(3)
})

test('the deadband is in the unit after scaling', () => {
  const values = valuesOf(0.5, 0.1)
  for (const raw of [100, 104, 106]) values.take(0, said(raw), NOON, NOON, out)
  expect(got().map(({ value }) => value)).toEqual([10, 10.6])
})

test.each([
  [0x80000000, 'bad quality (X)'],
  [0x40000000, 'uncertain quality (X)'],
])('quality %i is not handed on, nor repeated', (status, reason) => {
  const values = valuesOf()
  values.take(0, said(1), NOON, NOON, out)
  values.take(0, said(2, null, status), NOON + 1_000, NOON + 1_000, out)
  values.repeat(0, NOON + 1_000, NOON + 2_000, out)
  expect(got()).toHaveLength(1)
  expect(board.badTags()).toEqual([
    {
      rawTag: 'ns=1;s=A',
      metric: 'a',
      reason,
      fault: expect.objectContaining({ detail: reason, source: 'device' }),
      missedPolls: 0,
    },
  ])
})

test('good values with further bits set, such as an override by hand, are good', () => {
  const values = valuesOf()
  values.take(0, said(1, null, 0x00960000), NOON, NOON, out)
  expect(got()).toHaveLength(1)
})

test.each([
  [8, [0, 5], 5],
  [8, [0xffffffff, 0xffffffff], -1],
  [8, [0x80000000, 0], Number.NaN],
  [9, [0x001fffff, 0xffffffff], Number.MAX_SAFE_INTEGER],
  [9, [0x00200000, 0], Number.NaN],
  [1, true, 1],
  [7, 4_294_967_295, 4_294_967_295],
  [10, Number.POSITIVE_INFINITY, Number.NaN],
  [12, '5', Number.NaN],
])('type %i of %o is %d', (dataType, raw, value) => {
  const values = valuesOf()
  values.take(0, said(raw, null, 0, dataType), NOON, NOON, out)
  expect(got().map((reading) => reading.value)).toEqual(Number.isNaN(value) ? [] : [value])
})

test('a value that the tag rules out is bad quality, counted, and not repeated', () => {
  const values = valuesOf(0, 0.1, 0, { invalid: [32_767], max: 100 })
  for (const [i, raw] of [500, 32_767, 1_001].entries()) values.take(0, said(raw), NOON + i * 1_000, NOON + i * 1_000, out)
  values.repeat(0, NOON + 2_000, NOON + 3_000, out)
  expect(got().map(({ value }) => value)).toEqual([50])
  expect(board.snapshot()).toMatchObject({ badValuesTotal: 2, badTags: [{ reason: 'the value is above max 100' }] })
})

test('a String and a LocalizedText become the numbers that values names for them', () => {
  const values = valuesOf(0, 1, 0, { values: { RUNNING: 1, STOPPED: 0 } })
  const [STRING, LOCALIZED_TEXT] = [12, 21]
  values.take(0, said('RUNNING', null, 0, STRING), NOON, NOON, out)
  values.take(0, said({ text: 'STOPPED', locale: 'en' }, null, 0, LOCALIZED_TEXT), NOON + 1_000, NOON + 1_000, out)
  expect(got().map(({ value }) => value)).toEqual([1, 0])
  values.take(0, said('JAMMED', null, 0, STRING), NOON + 2_000, NOON + 2_000, out)
  expect(board.badTags()).toMatchObject([{ reason: '"JAMMED" is neither in values nor a number' }])
  values.take(0, said(null, null, 0, STRING), NOON + 3_000, NOON + 3_000, out)
  expect(board.badTags()).toMatchObject([{ reason: 'the node holds a text, not a number' }])
})

test('an index range picks one element of an array or a matrix, and what a server sends beyond that is refused', () => {
  const [SCALAR, ARRAY, MATRIX] = [0, 1, 2]
  const values = valuesOf(0, 0.1, 0, { index_range: '1,2', max: 100 })
  const element = (arrayType: number, value: unknown) => {
    const { statusCode, sourceTimestamp } = said(null)
    return { value: { dataType: DOUBLE, arrayType, value }, statusCode, sourceTimestamp } as unknown as DataValue
  }
  values.take(0, element(MATRIX, Float64Array.of(60)), NOON, NOON, out)
  values.take(0, element(ARRAY, [70]), NOON + 1_000, NOON + 1_000, out)
  values.take(0, element(SCALAR, 80), NOON + 2_000, NOON + 2_000, out)
  expect(got().map(({ value }) => value)).toEqual([6, 7, 8])
  values.take(0, element(ARRAY, [1, 2]), NOON + 3_000, NOON + 3_000, out)
  expect(board.badTags()).toMatchObject([{ reason: 'the node holds an array, not a single number' }])
  values.take(0, element(ARRAY, [1_001]), NOON + 4_000, NOON + 4_000, out)
  expect(board.badTags()).toMatchObject([{ reason: 'the value is above max 100' }])
})

test('what stands still is repeated once per instant, and not in a new session before it was heard of', () => {
  const values = valuesOf()
  values.repeat(0, NOON, NOON, out)
  values.take(0, said(1), NOON + 500, NOON + 500, out)
  values.repeat(0, NOON, NOON + 1_000, out)
  values.repeat(0, NOON + 1_000, NOON + 2_000, out)
  values.repeat(0, NOON + 2_000, NOON + 3_000, out)
  expect(stamps()).toEqual([500, 2_000, 3_000])
  values.forget()
  values.repeat(0, NOON + 3_000, NOON + 4_000, out)
  expect(got()).toHaveLength(3)
})

test('a scaled value is the one that the device shows, without the noise of binary fractions; an unscaled one stays as it is', () => {
  const values = valuesOf(0, 0.1)
  values.take(0, said(906), NOON, NOON, out)
  const unscaled = valuesOf()
  unscaled.take(0, said(0.1 + 0.2), NOON, NOON, out)
  expect(got().map(({ value }) => value)).toEqual([90.6, 0.1 + 0.2])
})
