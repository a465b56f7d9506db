import { describe, expect, it } from 'vitest'
import { decodeBlock, decodeBlockTimes, encodeBlocks, findBlockTimes, mergeColumns, sortColumns, verifyBlock } from './block.ts'
import { ByteReader } from './byte-reader.ts'
import { ByteWriter } from './byte-writer.ts'
import type { Columns } from './columns.ts'
import { CorruptReadings } from './corrupt.ts'
import type { Form } from './format.ts'
import { decodeInstants, encodeInstants } from './instants.ts'
import { decodeStatistics, encodeStatistics, statisticsOf } from './statistics.ts'
import { encodeTailBody, readTailBody } from './tail-body.ts'
import { decodeTimes, encodeTimes, skipTimes } from './times.ts'
import { decodeValues, encodeValues, skipValues } from './values.ts'

let state = 7
/** 0 <= x < 1, the same in every run. Source: mulberry32 */
function random(): number {
  state = (state + 0x6d2b79f5) >>> 0
  let t = Math.imul(state ^ (state >>> 15), 1 | state)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
}
const below = (n: number) => Math.floor(random() * n)
const gauss = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T

const EXTREMES = [0, -0, 5e-324, Number.MAX_VALUE, -Number.MAX_VALUE, 2 ** 51, 2 ** 53, -(2 ** 51) - 1, 0.1, 1e21]
const VALUES: Record<string, (i: number) => number> = {
  'two decimals': () => Math.round(gauss() * 10_000) / 100,
  bits: () => below(2),
  constant: () => 5,
  doubles: gauss,
  singles: () => Math.fround(gauss() * 100),
  counter: (i) => Math.floor(i / 12),
  extremes: () => pick(EXTREMES),
  wave: (i) => Math.round((50 + 10 * Math.sin(i / 100) + random()) * 100) / 100,
  'large integers': () => Math.round(gauss() * 1e12),
  'nine decimals': () => Math.round(gauss() * 1e9) / 1e9,
  'long runs': (i) => (i % 300 ? 1 : 0),
  'large offset': () => 1e8 + Math.round(gauss() * 1e5),
  'integers near 2^50': () => Math.round(gauss() * 2 ** 48),
}
const STEPS: (() => number)[] = [
  () => 1_000,
  () => 1_000 + below(20),
  () => (below(40) ? 1_000 : 5_000),
  () => 1 + below(1e6),
  () => 1 + Math.floor(random() * 1e10),
  () => 100,
]

function columnsOf(length: number, value: (i: number) => number, step = pick(STEPS)): Columns {
  const [times, values] = [new Float64Array(length), new Float64Array(length)]
  let at = 1.79e12 - below(1e9)
  for (let i = 0; i < length; i++) {
    times[i] = at
    at += step()
    values[i] = value(i)
  }
  return { length, times, values }
}

/** Compares bit by bit; far faster than a matcher. */
function firstDifference(a: Float64Array, b: Float64Array): number {
  if (a.length !== b.length) return Math.min(a.length, b.length)
  for (let i = 0; i < a.length; i++) if (!Object.is(a[i], b[i])) return i
  return -1
}

const LENGTHS = [1, 2, 3, 17, 63, 64, 65, 100, 300, 2_500]
const END = 77

it('integers that are predicted by a mean come back also where sums of 16 leave 32 bits', () => {
  const ramp = (i: number) => 2 ** 26 - 2_000 + Math.max(0, i - 35_000) * 3_700 + Math.round(gauss() * 300)
  const { values } = columnsOf(60_000, ramp)
  const out = new ByteWriter()
  encodeValues(out, values, 0, values.length, 'sealed')
  const decoded = new Float64Array(values.length)
  decodeValues(new ByteReader(out.take()), decoded, 0, values.length, 'sealed')
  expect(firstDifference(decoded, values)).toBe(-1)
})

describe.each(Object.entries(VALUES))('series of %s', (_, value) => {
  it.each(['hot', 'sealed'] as const)('come back bit by bit in the %s form', (form: Form) => {
    for (const length of [...LENGTHS, 17_000]) {
      const { times, values } = columnsOf(length, value)
      const out = new ByteWriter()
      encodeTimes(out, times, 0, length, form)
      const middle = out.length
      encodeValues(out, values, 0, length, form, below(10))
      out.byte(END)
      const bytes = out.take()

      const input = new ByteReader(bytes)
      const back = { times: new Float64Array(length), values: new Float64Array(length) }
      decodeTimes(input, back.times, 0, length, form)
      expect(input.position).toBe(middle)
      decodeValues(input, back.values, 0, length, form)
      expect(input.byte()).toBe(END)
      expect([firstDifference(times, back.times), firstDifference(values, back.values)]).toEqual([-1, -1])

      const skipped = new ByteReader(bytes)
      skipTimes(skipped, length, form)
      expect(skipped.position).toBe(middle)
      skipValues(skipped, length, form)
      expect(skipped.byte()).toBe(END)
    }
  })
})

describe('a block', () => {
  it('never crosses a UTC day nor exceeds 131,072 readings, and holds every reading', () => {
    const columns = columnsOf(
      200_000,
      (i) => i % 7,
      () => 500,
    )
    const blocks = encodeBlocks(3, columns)
    let from = 0
    for (const block of blocks) {
      verifyBlock(block, columns, from)
      expect(Math.floor(block.t0 / 86_400_000)).toBe(Math.floor(block.t1 / 86_400_000))
      expect([block.t0, block.t1]).toEqual([columns.times[from], columns.times[from + block.n - 1]])
      expect(block.n).toBeLessThanOrEqual(131_072)
      expect(firstDifference(decodeBlockTimes(block.n, block.times), columns.times.slice(from, from + block.n))).toBe(-1)
      from += block.n
    }
    expect(from).toBe(columns.length)
  })

  it('that differs from the readings fails its verification', () => {
    const columns = columnsOf(100, gauss)
    const [block] = encodeBlocks(3, columns)
    columns.values[0] = -0
    expect(() => verifyBlock(block!, columns, 0)).toThrow(CorruptReadings)
  })

  it.each([
    ['a constant step', () => 1_000],
    ['a step with exceptions', () => (below(40) === 0 ? 1_000 * (2 + below(5)) : 1_000)],
    ['irregular steps', () => 1 + below(3_000)],
  ])('of %s tells which of some instants it has', (_, step) => {
    for (const length of [1, 2, 64, 5_000]) {
      let at = 1.728e12
      const stored = Float64Array.from({ length }, () => (at += step()))
      const [block] = encodeBlocks(3, { length, times: stored, values: new Float64Array(length) })
      const [first, last] = [stored[0]!, stored.at(-1)!]
      const wanted = Float64Array.from({ length: 400 }, (_, i) =>
        i % 2 ? stored[below(length)]! : first - 1_500 + below(last - first + 3_000),
      ).sort()
      const found: number[] = []
      findBlockTimes(length, block!.times, { times: wanted, from: 10, to: 390 }, (i) => found.push(i))
      const all = new Set(stored)
      expect(found).toEqual(Array.from(wanted.keys()).filter((i) => i >= 10 && i < 390 && all.has(wanted[i]!)))
    }
  })

  it('of a day at 1 Hz takes ten bytes for its times', () => {
    const times = Float64Array.from({ length: 86_400 }, (_, i) => 1.728e12 + i * 1_000)
    const [block] = encodeBlocks(3, { length: times.length, times, values: times })
    expect(block!.times.length).toBeLessThanOrEqual(16)
  })

  it.each([0, -1, 0.5, 131_073, Number.NaN])('of %d readings is refused', (n) => {
    expect(() => decodeBlock(n, Buffer.from([1]), Buffer.from([1]))).toThrow(CorruptReadings)
  })
})

it('parts merge by time, whether they follow or interleave', () => {
  const whole = columnsOf(1_000, gauss)
  for (const partOf of [(i: number) => i >> 8, (i: number) => i % 3]) {
    const parts = [0, 1, 2, 3].map((part): Columns => {
      const own = Array.from({ length: 1_000 }, (_, i) => i).filter((i) => partOf(i) === part)
      return {
        length: own.length,
        times: Float64Array.from(own, (i) => whole.times[i]!),
        values: Float64Array.from(own, (i) => whole.values[i]!),
      }
    })
    expect(mergeColumns(parts.reverse())).toEqual(whole)
  }
})

describe('a tail body', () => {
  const { times, values } = columnsOf(
    900,
    () => Math.round(gauss() * 100) / 10,
    () => 1_000 + below(20),
  )
  times.copyWithin(300, 0, 300)
  const sections = [4, 9, 12].map((seriesId, i) => ({ seriesId, from: i * 300, to: i * 300 + 300 }))

  it('sorts any order of readings by time, of one instant in their order', () => {
    for (const order of [[], [7], [1, 2, 3], [3, 2, 1], [1, 5, 2, 5, 2, 9, 0], [4, 4, 1, 1, 4], [9, 1, 2, 3, 0, 5, 4]]) {
      const columns = { length: order.length, times: Float64Array.from(order), values: Float64Array.from(order, (_, i) => i) }
      const sorted = sortColumns(columns)
      const wanted = order.map((time, i) => [time, i] as const).sort(([a], [b]) => a - b)
      expect([...sorted.times].map((time, i) => [time, sorted.values[i]])).toEqual(wanted)
      expect([...columns.times]).toEqual(order)
    }
  })

  it('names its range and gives back the wanted sections', () => {
    const { body, ...range } = encodeTailBody(sections, times, values)
    expect(range).toEqual({ t0: times[0], t1: times[899], s0: 4, s1: 12, n: 900 })
    for (const withValues of [true, false]) {
      const seen: number[] = []
      const visit = (seriesId: number, at: Float64Array, sent: Float64Array) => {
        const { from, to } = sections.find((section) => section.seriesId === seriesId)!
        expect(firstDifference(at, times.slice(from, to))).toBe(-1)
        expect(firstDifference(sent, values.slice(from, withValues ? to : from))).toBe(-1)
        seen.push(seriesId)
      }
      readTailBody(body, (id) => id > 4, visit, withValues)
      expect(seen).toEqual([9, 12])
    }
  })

  it('stores equal times once', () => {
    const separate = sections.map((section) => encodeTailBody([section], times, values).body.length)
    const both = encodeTailBody(sections.slice(0, 2), times, values).body.length
    expect(both).toBeLessThan(separate[0]! + separate[1]! - 250)
  })

  it('divides sections of more than 131,072 readings', () => {
    const long = columnsOf(
      300_000,
      (i) => i,
      () => 20,
    )
    const { body, n } = encodeTailBody([{ seriesId: 1, from: 0, to: 300_000 }], long.times, long.values)
    const parts: Columns[] = []
    readTailBody(
      body,
      () => true,
      (_, at, sent) => parts.push({ length: at.length, times: at, values: sent }),
    )
    expect([n, parts.length]).toEqual([300_000, 3])
    const back = mergeColumns(parts)
    expect([firstDifference(back.times, long.times), firstDifference(back.values, long.values)]).toEqual([-1, -1])
  })
})

it('instants of any number come back', () => {
  for (const length of [0, 1, 1_000, 150_000]) {
    const { times } = columnsOf(length, () => 0)
    expect(firstDifference(decodeInstants(encodeInstants(times)), times)).toBe(-1)
  }
})

it.each([
  ['equal instants', [1, 1]],
  ['descending instants', [2, 1]],
  ['a descending one among many', [...Array(40).keys(), 38]],
  ['fractions of a millisecond', [0, 1.5, 2]],
  ['an infinite instant', [0, Number.POSITIVE_INFINITY]],
  ['no instant', []],
])('the encoder refuses %s', (_, instants) => {
  const times = Float64Array.from(instants)
  expect(() => encodeTimes(new ByteWriter(), times, 0, times.length, 'hot')).toThrow(RangeError)
})

it.each([Number.NaN, Number.POSITIVE_INFINITY])('the encoder refuses the value %d', (value) => {
  expect(() => encodeValues(new ByteWriter(), Float64Array.of(1, value), 0, 2, 'hot')).toThrow(RangeError)
})

describe('altered bytes', () => {
  /** Reads bytes to the end. @returns false when they are refused. Every other exception fails the test. */
  function isAccepted(read: () => void): boolean {
    try {
      read()
      return true
    } catch (error) {
      if (!(error instanceof CorruptReadings)) throw error
      return false
    }
  }

  function assertValid(times: Float64Array, values: Float64Array): void {
    for (let i = 0; i < times.length; i++)
      if (!Number.isSafeInteger(times[i]) || (i > 0 && times[i]! <= times[i - 1]!)) throw new Error('times are invalid')
    for (let i = 0; i < values.length; i++) if (!Number.isFinite(values[i])) throw new Error('values are invalid')
  }

  const samples = Object.values(VALUES).flatMap((value) => {
    const columns = columnsOf(pick([1, 3, 40, 90]), value)
    const [block] = encodeBlocks(8, columns)
    const hours = statisticsOf(columns.times, columns.values, 0, columns.length, 3_600_000)
    const sections = [1, 2].map((seriesId) => ({ seriesId, from: 0, to: columns.length }))
    const { body } = encodeTailBody(sections, columns.times, columns.values)
    const { n, times, vals } = block!
    return [
      {
        bytes: body,
        read: (bytes: Buffer) =>
          readTailBody(
            bytes,
            () => true,
            (_, t, v) => assertValid(t, v),
          ),
      },
      {
        bytes: body,
        read: (bytes: Buffer) =>
          readTailBody(
            bytes,
            (id) => id === 2,
            (_, t, v) => assertValid(t, v),
            false,
          ),
      },
      { bytes: times, read: (bytes: Buffer) => assertValid(decodeBlockTimes(n, bytes), new Float64Array()) },
      {
        bytes: times,
        read: (bytes: Buffer) => findBlockTimes(n, bytes, { times: columns.times, from: 0, to: columns.length }, () => undefined),
      },
      { bytes: vals, read: (bytes: Buffer) => assertValid(new Float64Array(), decodeBlock(n, times, bytes).values) },
      {
        bytes: encodeStatistics(hours, 3_600_000),
        read: (bytes: Buffer) => {
          for (const hour of decodeStatistics(bytes, 3_600_000))
            assertValid(Float64Array.of(hour.at, hour.lastAt + 1), Float64Array.of(hour.mean, hour.m2 ?? 0, hour.low, hour.high))
        },
      },
      { bytes: encodeInstants(columns.times), read: (bytes: Buffer) => assertValid(decodeInstants(bytes), new Float64Array()) },
    ]
  })

  it('are refused where they end early', () => {
    for (const { bytes, read } of samples) {
      expect(isAccepted(() => read(bytes))).toBe(true)
      for (let length = 1; length < bytes.length; length++) {
        const isValid = isAccepted(() => read(bytes.subarray(0, length)))
        // instants have no count: they may end after a piece, and a format byte alone holds none
        if (isValid) expect(decodeInstants(bytes.subarray(0, length))).toHaveLength(0)
      }
    }
  })

  it('are refused or read as different valid readings, and throw nothing else', () => {
    for (const { bytes, read } of samples)
      for (let round = 0; round < 60; round++) {
        const altered = Buffer.from(bytes)
        for (let flips = 1 + below(3); flips > 0; flips--) altered[below(altered.length)]! ^= 1 << below(8)
        isAccepted(() => read(altered))
      }
  })

  it('are refused at once where they claim too many readings', () => {
    const many = new ByteWriter()
    for (const x of [1, 1, 5, 2 ** 40]) many.varint(x)
    expect(() =>
      readTailBody(
        many.take(),
        () => true,
        () => {},
      ),
    ).toThrow(/items where/)
  })
})
