import { deflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { generator, nodeDeflate, nodeInflate, nodeSha256, plantBatch, randomBatch } from '../../test/generator.ts'
import { type ReadingBatch, toColumns } from '../batch.ts'
import type { Series } from '../reading.ts'
import { decodeBatch, readBatchId } from './batch-codec.ts'
import { BATCH_ERROR_CODES, BatchError } from './batch-error.ts'
import { ByteReader, ByteWriter } from './bytes.ts'
import { crc32 } from './crc32.ts'
import { BatchDictionary, DICTIONARY_BYTES_MAX } from './dictionary.ts'
import { decodeDictionary, decodeDictionaryBatch, encodeDictionary, encodeDictionaryBatch, kindOf } from './dictionary-batch.ts'

const ID = '0b0e7f1c-93f4-4c1b-8f6f-3d6a5b1f2e90'
const AT = 1_790_000_000_000

const seriesOf = (machine: string, metric: string): Series => ({ machine, metric, unit: 'bar', rawTag: null })
const dictionaryOf = (series: readonly Series[]) => BatchDictionary.of(series, nodeSha256)
const inOrder = (series: readonly Series[]) => Uint32Array.from(series.keys())

const codeOf = (act: () => unknown): string => {
  try {
    act()
  } catch (error) {
    if (error instanceof BatchError) return error.code
    throw error
  }
  return 'no error'
}

function roundTrip(batch: ReadingBatch, dictionary = dictionaryOf(batch.series)): ReadingBatch {
  const got = decodeDictionaryBatch(encodeDictionaryBatch(batch, dictionary, inOrder(batch.series)), dictionary)
  expect(got.batchId).toBe(batch.batchId.toLowerCase())
  expect(Array.from(got.seriesIndex, (index) => got.series[index])).toEqual(
    Array.from(batch.seriesIndex, (index) => batch.series[index]),
  )
  expect(got.timestamps).toEqual(batch.timestamps)
  expect(got.values).toEqual(batch.values)
  return got
}

/** One instant of machines with ten metrics. */
const instant = (machines: number, valueAt: (series: number) => number, at = AT): ReadingBatch => ({
  batchId: ID,
  ...toColumns(
    Array.from({ length: machines * 10 }, (_, i) => ({
      machine: `press-${Math.floor(i / 10)}`,
      metric: `metric_${i % 10}`,
      unit: 'celsius',
      rawTag: `ns=2;s=Press${Math.floor(i / 10)}.Metric${i % 10}`,
      timestamp: at,
      value: valueAt(i),
    })),
  ),
})

describe('a batch of version 2 gives back what was encoded', () => {
  it('whatever its values and timestamps are, bit by bit', () => {
    const random = generator(20_261_124)
    for (let i = 0; i < 300; i++) {
      const batch = randomBatch(random)
      const isFar = batch.timestamps.some((at) => Math.abs(at) > 2 ** 50)
      if (isFar) expect(codeOf(() => roundTrip(batch))).toBe('bad_number')
      else roundTrip(batch)
    }
  })

  it('for one instant of every series, and of some of them', () => {
    const random = generator(4)
    for (const value of [
      () => 0,
      () => -0,
      () => Math.round(random.gauss() * 1e4) / 100,
      () => Math.fround(random.gauss()),
      random.gauss,
    ])
      for (const machines of [1, 7, 100]) {
        const batch = instant(machines, value)
        const dictionary = dictionaryOf(batch.series)
        expect(roundTrip(batch, dictionary).series).toBe(dictionary.series)
        const isKept = (_: unknown, i: number) => i % 3 > 0
        roundTrip(
          {
            ...batch,
            seriesIndex: batch.seriesIndex.filter(isKept),
            timestamps: batch.timestamps.filter(isKept),
            values: batch.values.filter(isKept),
          },
          dictionary,
        )
      }
  })

  it('for numbers of any size, alone and among others', () => {
    const numbers = [
      0,
      1,
      -1,
      2 ** 24,
      2 ** 30 - 1,
      2 ** 30,
      2 ** 31,
      -(2 ** 31) - 1,
      2 ** 48,
      2 ** 51,
      -(2 ** 51),
      2 ** 51 + 1,
      5e-324,
      1e300,
    ]
    for (const number of numbers) roundTrip(instant(1, (i) => (i === 4 ? number : i)))
    roundTrip(instant(10, (i) => numbers[i % numbers.length] as number))
    roundTrip({ ...instant(1, () => 1), timestamps: new Float64Array(10).map((_, i) => (i % 2 ? 2 ** 50 : -(2 ** 50))) })
  })

  it('with the order of readings when series alternate, and the same array for the same series', () => {
    const series = [seriesOf('a', 'x'), seriesOf('a', 'y')]
    const dictionary = dictionaryOf([...series, seriesOf('b', 'x')])
    const batch = {
      batchId: ID,
      series,
      seriesIndex: Uint32Array.of(0, 1, 0, 0, 1),
      timestamps: Float64Array.of(1, 1, 2, 3, 9),
      values: Float64Array.of(1.5, 2, 1.6, 1.7, 3),
    }
    const first = roundTrip(batch, dictionary)
    expect(roundTrip({ ...batch, values: Float64Array.of(9, 9, 9, 9, 9.25) }, dictionary).series).toBe(first.series)
    expect(first.series).toHaveLength(2)
  })

  it('in at most 6 bytes per reading of 10 tags and 1.8 of 1,000', () => {
    const random = generator(9)
    const noisy = () => (i: number) => Math.round((20 + 10 * (i % 10) + 5 * Math.sin(i) + random.gauss()) * 100) / 100
    for (const [machines, limit] of [
      [1, 6],
      [100, 1.8],
    ] as const) {
      const batch = instant(machines, noisy())
      const dictionary = dictionaryOf(batch.series)
      const bytes = encodeDictionaryBatch(batch, dictionary, inOrder(batch.series))
      expect(bytes.length / batch.values.length).toBeLessThan(limit)
    }
    roundTrip(plantBatch(random))
  })
})

describe('a dictionary', () => {
  const dictionary = dictionaryOf([seriesOf('a', 'x'), { ...seriesOf('Öl', '冲压'), rawTag: 'ns=2;s=T' }])

  it('is named by its content: the same series in the same order have the same name, others another', () => {
    expect(dictionaryOf(dictionary.series.map((series) => ({ ...series }))).id).toBe(dictionary.id)
    expect(dictionaryOf([...dictionary.series].reverse()).id).not.toBe(dictionary.id)
    expect(dictionary.id).toMatch(/^[0-9a-f]{32}$/)
  })

  it('comes out of its announcement as it went in', () => {
    const bytes = encodeDictionary(ID, dictionary, nodeDeflate)
    expect(kindOf(bytes)).toEqual({ kind: 'dictionary' })
    const got = decodeDictionary(bytes, nodeInflate, nodeSha256)
    expect([got.id, got.dictionary.id, got.dictionary.series]).toEqual([ID, dictionary.id, dictionary.series])
  })

  it('has a limit', () => {
    const long = Array.from({ length: 4_000 }, (_, i) => seriesOf(`m${i}`, 'x'.repeat(255)))
    expect(codeOf(() => dictionaryOf(long))).toBe('too_large')
    expect(codeOf(() => dictionaryOf([]))).toBe('malformed')
    const many = (count: number) => Array.from({ length: count }, (_, i) => seriesOf('m', `x${i}`))
    expect(dictionaryOf(many(25_000)).count).toBe(25_000)
    expect(codeOf(() => dictionaryOf(many(25_001)))).toBe('too_large')
    expect(dictionaryOf(long.slice(0, 3_000)).content.length).toBeLessThan(DICTIONARY_BYTES_MAX)
  })
})

describe('a batch is refused', () => {
  const batch = instant(3, (i) => i / 4)
  const dictionary = dictionaryOf(batch.series)
  const whole = encodeDictionaryBatch(batch, dictionary, inOrder(batch.series))

  it('by a reader of version 1 as an unknown version, with its id', () => {
    expect(() => decodeBatch(whole, nodeInflate)).toThrow(expect.objectContaining({ code: 'unknown_version', batchId: ID }))
    const announced = encodeDictionary(ID, dictionary, nodeDeflate)
    expect(() => decodeBatch(announced, nodeInflate)).toThrow(expect.objectContaining({ code: 'unknown_version', batchId: ID }))
  })

  it('with every other dictionary, even one of the same length', () => {
    const other = dictionaryOf(batch.series.map((series) => ({ ...series, unit: 'kelvin' })))
    expect(codeOf(() => decodeDictionaryBatch(whole, other))).toBe('damaged')
    const moved = whole.slice()
    moved.set(other.name.subarray(0, 4), 19)
    expect(codeOf(() => decodeDictionaryBatch(moved, other))).toBe('damaged')
  })

  it('wherever it is cut off, and whatever single bit is changed', () => {
    for (let length = 0; length < whole.length; length++)
      expect(
        codeOf(() => decodeDictionaryBatch(whole.subarray(0, length), dictionary)),
        `cut to ${length}`,
      ).not.toBe('no error')
    for (let bit = 0; bit < whole.length * 8; bit++) {
      const damaged = whole.slice()
      damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7))
      expect(
        codeOf(() => decodeDictionaryBatch(damaged, dictionary)),
        `bit ${bit}`,
      ).not.toBe('no error')
    }
  })

  it.each<[string, () => ReadingBatch]>([
    ['bad_number', () => instant(1, () => Number.NaN)],
    ['bad_number', () => ({ ...instant(1, () => 1), timestamps: new Float64Array(10).fill(1.5) })],
    ['too_large', () => instant(101, () => 1)],
    ['malformed', () => ({ ...instant(1, () => 1), seriesIndex: new Uint32Array(10).fill(10) })],
    ['malformed', () => ({ ...instant(1, () => 1), values: new Float64Array(9) })],
    ['malformed', () => ({ ...instant(1, () => 1), seriesIndex: new Uint32Array(0) })],
    ['malformed', () => ({ ...instant(1, () => 1), batchId: 'one' })],
  ])('by the encoder as %s', (code, make) => {
    const unsendable = make()
    const known = dictionaryOf(unsendable.series)
    expect(codeOf(() => encodeDictionaryBatch(unsendable, known, inOrder(unsendable.series)))).toBe(code)
  })

  it('or read as another valid batch when the damage has a right checksum, in bounded time', () => {
    const random = generator(77)
    for (let i = 0; i < 3_000; i++) {
      const body = whole.slice(27)
      for (let hits = 1 + random.below(4); hits > 0; hits--) body[random.below(body.length)] = random.below(256)
      const cut = body.subarray(0, random.below(8) === 0 ? random.below(body.length) : body.length)
      const bytes = withChecksum(Uint8Array.of(0x48, 2, random.below(4) * 2), cut)
      let got: ReadingBatch | undefined
      const code = codeOf(() => {
        got = decodeDictionaryBatch(bytes, dictionary)
      })
      expect(['no error', ...BATCH_ERROR_CODES]).toContain(code)
      if (got)
        for (const [j, value] of got.values.entries())
          expect(Number.isFinite(value) && Number.isInteger(got.timestamps[j])).toBe(true)
    }
  })

  it.each<[string, string, number[]]>([
    ['no stretch', 'malformed', [0]],
    ['more stretches than readings', 'malformed', [0xe9, 7]],
    ['an empty stretch', 'malformed', [1, 0, 0, 1]],
    ['an empty run', 'malformed', [1, 0, 1, 0]],
    ['a series before the first', 'malformed', [1, 1, 1, 1]],
    ['a series after the last', 'malformed', [1, 58, 2, 1]],
    ['too many readings', 'too_large', [1, 0, 30, 34]],
    ['a stretch of 2^50 series', 'too_large', [1, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 3, 1]],
    ['timestamps of a run that is none', 'malformed', [1, 0, 1, 1, 4]],
    ['timestamps of a machine that has none', 'malformed', [1, 0, 1, 1, 5]],
    ['timestamps for more runs than there are', 'malformed', [1, 0, 1, 1, 6, 2, 2]],
    ['no values', 'truncated', [1, 0, 1, 1, 3, 2]],
    ['bytes after the values', 'trailing_bytes', [1, 0, 1, 1, 3, 2, 1, 0, 0, 0]],
  ])('for %s', (_, code, body) => {
    expect(codeOf(() => decodeDictionaryBatch(withChecksum(Uint8Array.of(0x48, 2, 0), Uint8Array.from(body)), dictionary))).toBe(
      code,
    )
  })

  /** A batch of this body with a right header and checksum. */
  function withChecksum(start: Uint8Array, body: Uint8Array): Uint8Array {
    const head = Uint8Array.from([...start, ...new Uint8Array(16).fill(7), ...dictionary.name.subarray(0, 4)])
    return withCrc(head, crc32(body, crc32(dictionary.name, crc32(head))), body)
  }
})

const withCrc = (head: Uint8Array, checksum: number, body: Uint8Array): Uint8Array =>
  Uint8Array.from([...head, ...[0, 8, 16, 24].map((shift) => (checksum >>> shift) & 0xff), ...body])

describe('an announcement is refused', () => {
  const announced = encodeDictionary(ID, dictionaryOf(instant(3, () => 0).series), nodeDeflate)

  it('wherever it is cut off, and whatever byte is changed, unless the content stays the same', () => {
    const { dictionary } = decodeDictionary(announced, nodeInflate, nodeSha256)
    for (let at = 0; at < announced.length; at++) {
      const tried = [announced.subarray(0, at), announced.with(at, (announced[at] as number) ^ (1 << (at % 8)))]
      for (const bytes of tried) {
        let id = ''
        const code = codeOf(() => {
          id = decodeDictionary(bytes, nodeInflate, nodeSha256).dictionary.id
        })
        if (code === 'no error') expect(id).toBe(dictionary.id)
      }
    }
    expect(readBatchId(announced)).toBe(ID)
  })

  it('without inflating more than a dictionary may have', () => {
    const head = new ByteWriter()
    head.append(Uint8Array.from([0x48, 2, 0x81, ...new Uint8Array(16)]))
    head.varint(DICTIONARY_BYTES_MAX + 1)
    const large = withCrc(head.written(), 0, deflateRawSync(Buffer.alloc(50_000_000)))
    expect(codeOf(() => decodeDictionary(large, () => expect.unreachable(), nodeSha256))).toBe('too_large')
  })

  it.each<[string, string, number[]]>([
    ['nothing', 'truncated', []],
    ['no series', 'malformed', [0]],
    ['more series than bytes', 'malformed', [200, 1, 2, 0x61]],
    ['bytes after the last series', 'trailing_bytes', [1, 2, 0x61, 2, 0x61, 2, 0x61, 0, 0]],
    ['text that is no UTF-8', 'bad_text', [1, 2, 0xff, 2, 0x61, 2, 0x61, 0]],
  ])('for %s', (_, code, content) => {
    expect(codeOf(() => BatchDictionary.read(Uint8Array.from(content), nodeSha256))).toBe(code)
  })
})

it('a message is known by its kind', () => {
  const batch = instant(1, (i) => i)
  const dictionary = dictionaryOf(batch.series)
  const bytes = encodeDictionaryBatch(batch, dictionary, inOrder(batch.series))
  expect(kindOf(bytes)).toEqual({ kind: 'dictionary batch', reference: dictionary.reference })
  expect(kindOf(bytes.subarray(0, 10))).toEqual({ kind: 'other' })
  expect(kindOf(bytes.with(1, 1))).toEqual({ kind: 'other' })
  expect(new ByteReader(bytes).byte()).toBe(0x48)
})
