import { deflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { type Generator, generator, nodeDeflate, nodeInflate, plantBatch, randomBatch } from '../../test/generator.ts'
import { type ReadingBatch, toColumns, toReadings } from '../batch.ts'
import { BATCH_BODY_BYTES_MAX, decodeBatch, encodeBatch, readBatchId } from './batch-codec.ts'
import { BATCH_ERROR_CODES, BatchError } from './batch-error.ts'
import { BitReader, BitWriter } from './bits.ts'
import { ByteReader, ByteWriter } from './bytes.ts'
import { crc32 } from './crc32.ts'
import type { KnownSeries } from './series-table.ts'

const ID = '0b0e7f1c-93f4-4c1b-8f6f-3d6a5b1f2e90'
const SERIES = { machine: 'press-01', metric: 'temperature', unit: 'celsius', rawTag: 'ns=2;s=T' }

const batchOf = (values: number[], timestamps = values.map((_, i) => 1_790_000_000_000 + i * 1_000)): ReadingBatch => ({
  batchId: ID,
  ...toColumns(values.map((value, i) => ({ ...SERIES, value, timestamp: timestamps[i] as number }))),
})

/** Compared with Object.is, so that 0 and -0 differ. */
const expectSame = (got: ReadingBatch, sent: ReadingBatch) => {
  expect(got.batchId).toBe(sent.batchId.toLowerCase())
  expect(got.series).toEqual(sent.series)
  expect(got.seriesIndex).toEqual(sent.seriesIndex)
  expect(got.timestamps).toEqual(sent.timestamps)
  expect(got.values).toEqual(sent.values)
}
const roundTrip = (batch: ReadingBatch) => expectSame(decodeBatch(encodeBatch(batch, nodeDeflate), nodeInflate), batch)

const codeOf = (act: () => unknown): string => {
  try {
    act()
  } catch (error) {
    if (error instanceof BatchError) return error.code
    throw error
  }
  return 'no error'
}

/** A batch of this body with a right header and checksum, so that the reader gets to the body. */
function packed(
  body: number[] | Uint8Array,
  head: Partial<{ version: number; compression: number; length: number; bits: number[] }> = {},
): Uint8Array {
  const plain = Uint8Array.from(body)
  const length = head.length ?? plain.length
  const bits = head.bits ?? []
  const writer = new ByteWriter()
  writer.varint(length)
  writer.varint(bits.length)
  const lengths = writer.written()
  const header = [0x48, head.version ?? 1, head.compression ?? 0, ...Array<number>(16).fill(7), ...lengths]
  const checksum = crc32(Uint8Array.from(bits), crc32(plain, crc32(Uint8Array.from(header))))
  const tail = [0, 8, 16, 24].map((shift) => (checksum >>> shift) & 0xff)
  return Uint8Array.from([...header, ...tail, ...(head.compression === 1 ? deflateRawSync(plain) : plain), ...bits])
}

/** A memory of series as the hub has one. */
const memory = () => new Map<string, KnownSeries>()
const namedBatch = (...metrics: string[]): ReadingBatch => ({
  batchId: ID,
  ...toColumns(metrics.map((metric, i) => ({ ...SERIES, metric, value: i, timestamp: 1_790_000_000_000 + i }))),
})

describe('a memory of series', () => {
  const decode = (batch: ReadingBatch, known: Map<string, KnownSeries>) =>
    decodeBatch(encodeBatch(batch, nodeDeflate), nodeInflate, known)

  it('gives the same array for the same series, and each batch its own readings', () => {
    const known = memory()
    const first = decode(namedBatch('a', 'b'), known)
    const again = decode({ ...namedBatch('a', 'b'), values: Float64Array.of(7, 8) }, known)
    expect(again.series).toBe(first.series)
    expectSame(again, { ...namedBatch('a', 'b'), values: Float64Array.of(7, 8) })
  })

  it.each([
    ['names another one at the end', ['a', 'b', 'x']],
    ['names fewer', ['a', 'b']],
    ['names more', ['a', 'b', 'c', 'd']],
    ['has a longer name at the end', ['a', 'b', 'c'.repeat(60)]],
  ])('reads a batch that %s', (_how, metrics) => {
    const known = memory()
    decode(namedBatch('a', 'b', 'c'), known)
    expectSame(decode(namedBatch(...metrics), known), namedBatch(...metrics))
    expectSame(decode(namedBatch('a', 'b', 'c'), known), namedBatch('a', 'b', 'c'))
  })

  it('keeps nothing of a batch whose series cannot be read', () => {
    const known = memory()
    expect(codeOf(() => decodeBatch(packed([1, 1, 2, 0]), nodeInflate, known))).not.toBe('no error')
    expect(known.size).toBe(0)
  })
})

describe('decode returns what encode received', () => {
  it('gives back every finite float64 bit by bit', () => {
    roundTrip(
      batchOf([0, -0, 1, -1, 0.1, 0.2, 0.1 + 0.2, 5e-324, -5e-324, Number.MAX_VALUE, -Number.MAX_VALUE, 2 ** 53, 2 ** 53 + 2]),
    )
    roundTrip(batchOf([-0]))
    roundTrip(batchOf([0, -0, 0]))
    roundTrip(batchOf([1.25, 71.5, 2 ** 51, -(2 ** 51)]))
    roundTrip(batchOf([2 ** 51 + 1, 2 ** 52, 2 ** 53]))
    roundTrip(batchOf([123456789.12345679, 1e-9, 1e22, 1e300, Math.PI]))
    roundTrip(batchOf([71.23, 71.24, 0.07].map(Math.fround)))
    roundTrip(batchOf([Math.fround(Math.PI), Math.fround(1e-40), 3]))
  })

  it('gives back every whole millisecond that a number can hold', () => {
    const limit = Number.MAX_SAFE_INTEGER
    roundTrip(batchOf([1, 2, 3, 4, 5], [0, limit, -limit, 8.64e15, -8.64e15]))
    roundTrip(batchOf([1, 2, 3, 4], [2 ** 50, -(2 ** 50), 2 ** 50, -1]))
    roundTrip(batchOf([1, 2, 3], [2 ** 50 + 1, 2 ** 50, 5]))
    roundTrip(batchOf([1, 2, 3, 4], [5, 5, 4, 1_790_000_000_000]))
  })

  it('gives back names of any language, long names and an absent raw tag', () => {
    const names = [
      'Prüfstand-7',
      '冲压机',
      '\ufeffbom',
      'é'.repeat(255),
      '🏭'.repeat(127),
      'a'.repeat(127),
      'a'.repeat(126),
      ' ',
      '',
    ]
    roundTrip({
      batchId: ID.toUpperCase(),
      ...toColumns(
        names.map((machine, i) => ({ machine, metric: 'm', unit: 'u', rawTag: i % 2 ? null : machine, timestamp: i, value: i })),
      ),
    })
  })

  it('gives back noise of any size, with outliers, and patterns that repeat', () => {
    const random = generator(31)
    for (const size of [1, 3, 10, 1_000, 1e6, 1e9, 1e12, 2 ** 50]) {
      const noise = Array.from({ length: 300 }, () => Math.round(random.gauss() * size) / 100)
      roundTrip(batchOf(noise))
      roundTrip(batchOf(noise.map((value, i) => (i % 50 === 7 ? Math.round(value * 1e6) / 100 : value))))
      roundTrip(batchOf(noise.map((_, i) => noise[i % 7] as number)))
      roundTrip(batchOf(noise.map(Math.fround)))
    }
    roundTrip(batchOf(Array.from({ length: 100 }, (_, i) => (i % 2 ? 2 ** 51 : -(2 ** 51)))))
  })

  it('keeps the order of readings even when series alternate', () => {
    const series = [SERIES, { ...SERIES, metric: 'pressure', rawTag: null }]
    roundTrip({
      batchId: ID,
      series,
      seriesIndex: Uint32Array.of(0, 1, 0, 0, 1),
      timestamps: Float64Array.of(1, 1, 2, 3, 9),
      values: Float64Array.of(1, 2, 3, 4, 5),
    })
  })

  it('holds for 400 random batches of every kind of value and timestamp', () => {
    const random = generator(20_260_101)
    for (let i = 0; i < 400; i++) roundTrip(randomBatch(random))
  })

  it('takes less than a byte per reading of plant-like data (1.2 are allowed), header and names included', () => {
    const random = generator(7)
    for (let i = 0; i < 20; i++) {
      const batch = plantBatch(random)
      const bytes = encodeBatch(batch, nodeDeflate)
      expect(bytes.length / batch.values.length).toBeLessThan(1)
      expectSame(decodeBatch(bytes, nodeInflate), batch)
    }
  })

  it('is left uncompressed when compression gains nothing', () => {
    const bytes = encodeBatch(batchOf([1]), (plain) => new Uint8Array(plain.length + 1))
    expect(bytes[2]).toBe(0)
    expectSame(
      decodeBatch(bytes, () => expect.unreachable()),
      batchOf([1]),
    )
  })
})

describe('an unencodable batch is refused by the encoder', () => {
  it.each<[string, () => ReadingBatch]>([
    ['bad_number', () => batchOf([Number.NaN])],
    ['bad_number', () => batchOf([1, Number.POSITIVE_INFINITY])],
    ['bad_number', () => batchOf([1], [1.5])],
    ['bad_number', () => batchOf([1], [2 ** 53])],
    ['too_large', () => batchOf(Array<number>(1_001).fill(1))],
    ['malformed', () => batchOf([])],
    ['malformed', () => ({ ...batchOf([1]), batchId: 'one' })],
    ['malformed', () => ({ ...batchOf([1]), values: Float64Array.of(1, 2) })],
    ['malformed', () => ({ ...batchOf([1]), seriesIndex: Uint32Array.of(1) })],
    ['malformed', () => ({ ...batchOf([1]), series: [SERIES, SERIES] })],
    ['bad_text', () => ({ ...batchOf([1]), series: [{ ...SERIES, machine: 'a\0' }] })],
    ['bad_text', () => ({ ...batchOf([1]), series: [{ ...SERIES, rawTag: '\ud800' }] })],
    ['too_large', () => ({ ...batchOf([1]), series: [{ ...SERIES, rawTag: 'a'.repeat(4_097) }] })],
  ])('%s', (code, make) => {
    expect(codeOf(() => encodeBatch(make(), nodeDeflate))).toBe(code)
  })
})

describe('damaged and hostile bytes are refused', () => {
  const whole = encodeBatch(plantBatch(generator(3)), nodeDeflate)
  const series = [2, 0x61, 2, 0x62, 2, 0x63, 0]

  it('wherever they are cut off', () => {
    for (let length = 0; length < whole.length; length++) {
      expect(
        codeOf(() => decodeBatch(whole.subarray(0, length), nodeInflate)),
        `cut to ${length}`,
      ).not.toBe('no error')
    }
  })

  it('whatever single bit is changed, unless it is padding and changes nothing', () => {
    const sent = decodeBatch(whole, nodeInflate)
    for (let at = 0; at < whole.length; at++) {
      const damaged = whole.slice()
      damaged[at] = (damaged[at] as number) ^ (1 << (at % 8))
      let got: ReadingBatch | undefined
      const code = codeOf(() => {
        got = decodeBatch(damaged, nodeInflate)
      })
      if (got) expect(got, `byte ${at}`).toEqual(sent)
      else expect(BATCH_ERROR_CODES).toContain(code)
    }
  })

  it('when the damage has a right checksum, with a named error or another valid batch, never with anything else', () => {
    const random = generator(99)
    const parts = partsOf(encodeBatch(plantBatch(random), (plain) => plain))
    for (let i = 0; i < 300; i++) expect(['no error', ...BATCH_ERROR_CODES]).toContain(codeOf(() => decodeDamaged(random, parts)))
  })

  it('when they are random', () => {
    const random = generator(5)
    for (let i = 0; i < 2_000; i++) {
      const bytes = Uint8Array.from({ length: random.below(80) }, () => random.below(256))
      bytes.set([0x48, 1, random.below(3)].slice(0, bytes.length))
      expect(codeOf(() => decodeBatch(bytes, nodeInflate))).not.toBe('no error')
    }
  })

  it('without inflating more than the header says', () => {
    const bomb = Uint8Array.from(deflateRawSync(Buffer.alloc(50_000_000)))
    let limit = 0
    const inflate = (bytes: Uint8Array, maxBytes: number) => {
      limit = maxBytes
      return nodeInflate(bytes, maxBytes)
    }
    const small = Uint8Array.from([...packed([], { compression: 1, length: 1_000 }).subarray(0, 26), ...bomb])
    expect(codeOf(() => decodeBatch(small, inflate))).toBe('damaged')
    expect(limit).toBe(1_000)
    const large = packed([], { compression: 1, length: BATCH_BODY_BYTES_MAX + 1 })
    expect(codeOf(() => decodeBatch(large, () => expect.unreachable()))).toBe('too_large')
  })

  it.each<[string, string, Uint8Array]>([
    ['nothing', 'truncated', new Uint8Array(0)],
    ['another first byte', 'not_a_batch', Uint8Array.of(0x7b, 0x22)],
    ['a version of the future', 'unknown_version', packed([1], { version: 2 })],
    ['an unknown compression', 'unknown_compression', packed([1], { compression: 9 })],
    ['bytes after the body', 'trailing_bytes', Uint8Array.from([...packed([1, 1, ...series, 1, 0, 1, 0, 0, 0, 2]), 0])],
    ['bytes after the last value', 'trailing_bytes', packed([1, 1, ...series, 1, 0, 1, 0, 0, 0, 2, 0])],
    ['no readings', 'malformed', packed([0, 0])],
    ['too many readings', 'too_large', packed([0xe9, 7, 1])],
    ['a count beyond 2^53', 'malformed', packed(Array<number>(9).fill(0xff))],
    ['more series than readings', 'malformed', packed([1, 2])],
    ['a text that says it is huge', 'too_large', packed([1, 1, 0xff, 0xff, 0xff, 0x7f])],
    ['a text longer than the body', 'truncated', packed([1, 1, 100, 0x61])],
    ['invalid UTF-8', 'bad_text', packed([1, 1, 2, 0xff, ...series.slice(2), 1, 0, 1, 0, 0, 0, 2])],
    ['a surrogate in UTF-8', 'bad_text', packed([1, 1, 4, 0xed, 0xa0, 0x80, ...series.slice(2), 1, 0, 1, 0, 0, 0, 2])],
    ['NUL', 'bad_text', packed([1, 1, 2, 0, ...series.slice(2), 1, 0, 1, 0, 0, 0, 2])],
    ['an absent machine', 'malformed', packed([1, 1, 0, ...series.slice(2), 1, 0, 1, 0, 0, 0, 2])],
    ['a series index out of range', 'malformed', packed([1, 1, ...series, 1, 1, 1, 0, 0, 0, 2])],
    ['an empty run', 'malformed', packed([1, 1, ...series, 1, 0, 0, 0, 0, 0, 2])],
    ['a run beyond the end', 'malformed', packed([1, 1, ...series, 1, 0, 2, 0, 0, 0, 2])],
    ['runs that do not cover', 'malformed', packed([2, 1, ...series, 1, 0, 1, 0, 0, 0, 2])],
    ['more runs than readings', 'malformed', packed([1, 1, ...series, 2, 0, 1, 0, 0, 0, 2])],
    ['timestamps shared with itself', 'malformed', packed([1, 1, ...series, 1, 0, 1, 2, 0, 2])],
    [
      'a timestamp that is no whole number',
      'bad_number',
      packed([1, 1, ...series, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f, 0, 2]),
    ],
    ['bits that nobody asked for', 'trailing_bytes', packed([1, 1, ...series, 1, 0, 1, 0, 0, 0, 2], { bits: [0] })],
    ['too few bits', 'truncated', packed([2, 1, ...series, 1, 0, 2, 0, 0, 2, 64, 3, 2])],
    ['bits after the last number', 'malformed', packed([2, 1, ...series, 1, 0, 2, 0, 0, 2, 64, 3, 2], { bits: [0b10000] })],
    ['an unknown Rice exponent', 'malformed', packed([2, 1, ...series, 1, 0, 2, 0, 0, 2, 64, 27, 2], { bits: [0] })],
    ['Rice-coded doubles', 'malformed', packed([1, 1, ...series, 1, 0, 1, 0, 0, 96, 3, 0, 0, 0, 0, 0, 0, 0, 0])],
    ['an unknown value mode', 'malformed', packed([1, 1, ...series, 1, 0, 1, 0, 0, 10, 2])],
    ['NaN', 'bad_number', packed([1, 1, ...series, 1, 0, 1, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f])],
    ['a single that is infinite', 'bad_number', packed([1, 1, ...series, 1, 0, 1, 0, 0, 33, 0, 0, 0x80, 0x7f])],
    ['no value', 'truncated', packed([1, 1, ...series, 1, 0, 1, 0, 0])],
  ])('%s', (_, code, bytes) => {
    expect(codeOf(() => decodeBatch(bytes, nodeInflate))).toBe(code)
  })

  it('by the id of the header, so that the sender can be told which one, in any version', () => {
    const future = packed([1], { version: 9 })
    const id = '07070707-0707-0707-0707-070707070707'
    expect(readBatchId(future)).toBe(id)
    expect(() => decodeBatch(future, nodeInflate)).toThrow(expect.objectContaining({ code: 'unknown_version', batchId: id }))
    expect(() => decodeBatch(packed([0, 0]), nodeInflate)).toThrow(expect.objectContaining({ code: 'malformed', batchId: id }))
    expect(readBatchId(Uint8Array.of(0x48, 1, 0, 1))).toBeNull()
  })

  /** The body and the bits of a batch that is not compressed. */
  function partsOf(bytes: Uint8Array): [Uint8Array, Uint8Array] {
    const from = new ByteReader(bytes)
    from.take(19)
    const lengths = [from.varint(), from.varint()] as const
    from.take(4)
    return [from.take(lengths[0]), from.take(lengths[1])]
  }

  function decodeDamaged(random: Generator, parts: readonly Uint8Array[]) {
    const [body, bits] = parts.map((part) => {
      const damaged = part.slice(0, random.below(20) === 0 ? random.below(part.length) : part.length)
      for (let hits = random.below(3); hits > 0; hits--) damaged[random.below(damaged.length)] = random.below(256)
      return damaged
    }) as [Uint8Array, Uint8Array]
    const got = decodeBatch(packed(body, { bits: [...bits] }), nodeInflate)
    // What is accepted must be a batch that can be sent on.
    for (const reading of toReadings(got))
      expect(Number.isFinite(reading.value) && Number.isSafeInteger(reading.timestamp)).toBe(true)
    roundTrip(got)
  }
})

it('the checksum is the one of zlib', () => {
  expect(crc32(new TextEncoder().encode('123456789'))).toBe(0xcbf43926)
  expect(crc32(new TextEncoder().encode('6789'), crc32(new TextEncoder().encode('12345')))).toBe(0xcbf43926)
})

it('bits come back as they went in, whatever their number', () => {
  const random = generator(8)
  const rows = Array.from({ length: 2_000 }, () => {
    const k = random.below(27)
    return {
      k,
      value: random.pick([
        Math.floor(random.next() * 2 ** random.below(54)),
        0,
        2 ** 53,
        2 ** k,
        23 * 2 ** k,
        24 * 2 ** k - 1,
        24 * 2 ** k,
      ]),
    }
  })
  const writer = new BitWriter()
  for (const { k, value } of rows) writer.rice(value, k)
  const reader = new BitReader(writer.written())
  for (const { k, value } of rows) expect(reader.rice(k)).toBe(value)
  reader.end()
})
