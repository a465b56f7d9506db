import { mkdirSync, writeFileSync } from 'node:fs'
import { type ReadingBatch, toColumns } from '../src/batch.ts'
import { BatchDictionary, encodeBatch, encodeDictionary, encodeDictionaryBatch } from '../src/codec/index.ts'
import type { Series } from '../src/reading.ts'
import { generator, nodeDeflate, nodeSha256, plantBatch, randomBatch } from './generator.ts'

/** Where the vectors stand. Running this file writes them; the test only reads them. */
export const VECTORS = new URL('../vectors/', import.meta.url)

const series = { machine: 'press-01', metric: 'temperature', unit: 'celsius', rawTag: 'ns=2;s=T' }
const at = 1_790_000_000_000
const column = (values: number[], step = 1_000) => values.map((value, i) => ({ ...series, value, timestamp: at + i * step }))

const BATCHES: Record<string, { why: string; batch: Omit<ReadingBatch, 'batchId'>; isPlain?: boolean }> = {
  'one-reading': { why: 'the smallest batch, not compressed', batch: toColumns(column([71.25])), isPlain: true },
  decimals: {
    why: 'value modes 0 to 9: whole numbers over a power of ten',
    batch: toColumns(column([71.2, 71.25, 71, -0.5, 0])),
  },
  singles: {
    why: 'value modes 16 to 25 and 33: what a PLC computes in float32',
    batch: toColumns([
      ...column([71.2, 71.25, 0.1].map(Math.fround)),
      ...column([Math.PI, Math.E, 1e-40].map(Math.fround)).map((r) => ({ ...r, metric: 'phase' })),
    ]),
  },
  noise: {
    why: 'value modes 64 more: differences Rice-coded in the bits behind the body, with an outlier written in full',
    batch: toColumns([
      ...column(Array.from({ length: 40 }, (_, i) => (i === 20 ? 4e12 : ((i * i * 7919) % 1_000) / 100))),
      ...column(Array.from({ length: 40 }, (_, i) => Math.fround(((i * i * 104_729) % 5_000) / 10))).map((r) => ({
        ...r,
        metric: 'single',
      })),
    ]),
  },
  doubles: {
    why: 'value mode 32: negative zero, the smallest and the largest float64',
    batch: toColumns(column([-0, 5e-324, Number.MAX_VALUE, -Math.PI, 0.1 + 0.2])),
  },
  timestamps: {
    why: 'shared columns (also a shorter one), irregular ones, going back, and raw ones beyond 2^50',
    batch: toColumns([
      ...column([1, 2, 3]),
      ...column([4, 5]).map((r) => ({ ...r, metric: 'pressure' })),
      ...[at + 7, at + 7, at - 1, 0].map((timestamp) => ({ ...series, metric: 'flow', value: 1, timestamp })),
      { ...series, metric: 'odd', value: 1, timestamp: -Number.MAX_SAFE_INTEGER },
      { ...series, metric: 'odd', value: 1, timestamp: Number.MAX_SAFE_INTEGER },
    ]),
  },
  names: {
    why: 'UTF-8 names, a byte order mark, an absent raw tag, a name longer than 126 bytes',
    batch: toColumns(
      ['Prüfstand-7', '冲压机', '\ufeffbom', '🏭', 'é'.repeat(255)].map((machine, i) => ({
        ...series,
        machine,
        rawTag: i % 2 ? null : series.rawTag,
        timestamp: at,
        value: i,
      })),
    ),
  },
  alternating: {
    why: 'series that take turns: runs of one reading, a series that comes back',
    batch: {
      series: [series, { ...series, metric: 'pressure' }],
      seriesIndex: Uint32Array.of(0, 1, 0, 0, 1),
      timestamps: Float64Array.of(at, at, at + 1, at + 2, at + 9),
      values: Float64Array.of(1.5, 2, 1.6, 1.7, 3),
    },
  },
  plant: { why: 'ten series of 100 seconds at 1 Hz', batch: plantBatch(generator(1)) },
  random: { why: 'anything', batch: randomBatch(generator(2)) },
}

/** What a reader must refuse, and with which code; the bytes are built by damaging `one-reading`. */
const REFUSED: Record<string, (whole: Uint8Array) => Uint8Array> = {
  'truncated-header': (whole) => whole.slice(0, 10),
  'truncated-body': (whole) => whole.slice(0, -1),
  trailing_bytes: (whole) => Uint8Array.from([...whole, 0]),
  not_a_batch: () => new TextEncoder().encode('{"readings":[]}'),
  unknown_version: (whole) => whole.with(1, 9),
  unknown_compression: (whole) => whole.with(2, 9),
  'too_large-body': (whole) => Uint8Array.from([...whole.slice(0, 19), 0xff, 0xff, 0xff, 0xff, 0x7f, ...whole.slice(20)]),
  'damaged-checksum': (whole) => whole.with(whole.length - 1, (whole.at(-1) as number) ^ 1),
  'damaged-deflate': (whole) => whole.with(2, 1),
}

/** Four series of two machines, and one of float32 and float64 values each. */
const DICTIONARY: Series[] = [
  ...['press-01', 'press-02'].flatMap((machine) => [
    { machine, metric: 'temperature', unit: 'celsius', rawTag: `ns=2;s=${machine}.T` },
    { machine, metric: 'pressure', unit: 'bar', rawTag: null },
  ]),
  { machine: 'press-02', metric: 'phase', unit: 'rad', rawTag: null },
  { machine: 'Prüfstand-7', metric: 'strain', unit: 'µm', rawTag: null },
]
const rows = (...readings: [series: number, timestamp: number, value: number][]): Omit<ReadingBatch, 'batchId'> => ({
  series: DICTIONARY,
  seriesIndex: Uint32Array.from(readings, ([number]) => number),
  timestamps: Float64Array.from(readings, ([, timestamp]) => timestamp),
  values: Float64Array.from(readings, ([, , value]) => value),
})
const float = Math.fround

/** Batches of version 2, which refer to that dictionary. */
const DICTIONARY_BATCHES: Record<string, { why: string; batch: Omit<ReadingBatch, 'batchId'> }> = {
  whole: {
    why: 'one reading of every series at one instant; decimals, a float32 and a float64',
    batch: rows([0, at, 71.25], [1, at, 6.1], [2, at, 68.75], [3, at, 6.2], [4, at, float(Math.PI)], [5, at, -Math.PI / 1e9]),
  },
  some: {
    why: 'some series, several readings each, timestamps shared with the run before and with the run of the machine before that',
    batch: rows(
      ...[0, 1, 2].map((i): [number, number, number] => [0, at + 1_000 * i, 71 + i / 4]),
      ...[0, 1, 2].map((i): [number, number, number] => [2, at + 1_003 * i, -0.5 * i]),
      ...[0, 1, 2].map((i): [number, number, number] => [1, at + 1_000 * i, float(6 + i / 10)]),
      [3, at, float(6.3)],
      [3, at + 1_003, float(6.4)],
      [5, at, -0],
      [5, at, 5e-324],
    ),
  },
}

const idOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

/** What a reader of version 2 must refuse; the bytes are built by damaging `whole`. */
const REFUSED_OF_DICTIONARY: Record<string, (whole: Uint8Array) => Uint8Array> = {
  'truncated-header': (whole) => whole.slice(0, 21),
  'damaged-body': (whole) => whole.with(whole.length - 1, (whole.at(-1) as number) ^ 1),
  'damaged-truncated': (whole) => whole.slice(0, -1),
  'damaged-reference': (whole) => whole.with(20, (whole[20] as number) ^ 1),
  'unknown_compression-flags': (whole) => whole.with(2, 0x26),
}

function writeDictionaryVectors(): void {
  const folder = new URL('dictionary/', VECTORS)
  mkdirSync(new URL('refused/', folder), { recursive: true })
  const dictionary = BatchDictionary.of(DICTIONARY, nodeSha256)
  writeFileSync(new URL('announced.bin', folder), encodeDictionary(idOf(100), dictionary, nodeDeflate))
  const told = { why: 'the message that announces the dictionary of the batches beside it', id: idOf(100), name: dictionary.id }
  writeFileSync(new URL('announced.json', folder), `${JSON.stringify({ ...told, series: DICTIONARY }, null, 2)}\n`)
  Object.entries(DICTIONARY_BATCHES).forEach(([name, { why, batch }], i) => {
    const named: ReadingBatch = { ...batch, batchId: idOf(101 + i) }
    const bytes = encodeDictionaryBatch(named, dictionary, Uint32Array.from(DICTIONARY.keys()))
    writeFileSync(new URL(`${name}.bin`, folder), bytes)
    writeFileSync(new URL(`${name}.json`, folder), jsonOf(why, named))
    if (name !== 'whole') return
    for (const [refused, damage] of Object.entries(REFUSED_OF_DICTIONARY))
      writeFileSync(new URL(`refused/${refused}.bin`, folder), damage(bytes))
  })
}

function jsonOf(why: string, batch: ReadingBatch): string {
  const readings = Array.from(batch.seriesIndex, (s, row) => [
    s,
    batch.timestamps[row],
    Object.is(batch.values[row], -0) ? '-0' : batch.values[row],
  ])
  const lines = readings.map((row) => `    ${JSON.stringify(row)}`).join(',\n')
  const head = JSON.stringify({ why, batch_id: batch.batchId, series: batch.series }, null, 2).slice(0, -2)
  return `${head},\n  "readings": [\n${lines}\n  ]\n}\n`
}

function writeVectors(): void {
  mkdirSync(new URL('refused/', VECTORS), { recursive: true })
  Object.entries(BATCHES).forEach(([name, { why, batch, isPlain }], i) => {
    const named: ReadingBatch = { ...batch, batchId: idOf(i + 1) }
    const bytes = encodeBatch(named, isPlain ? (plain) => plain : nodeDeflate)
    writeFileSync(new URL(`${name}.bin`, VECTORS), bytes)
    writeFileSync(new URL(`${name}.json`, VECTORS), jsonOf(why, named))
    if (name === 'one-reading') {
      for (const [refused, damage] of Object.entries(REFUSED))
        writeFileSync(new URL(`refused/${refused}.bin`, VECTORS), damage(bytes))
    }
  })
}

if (import.meta.main) {
  writeVectors()
  writeDictionaryVectors()
}
