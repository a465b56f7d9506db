import sparkplug from 'sparkplug-payload'
import { decodeBatch, encodeBatch } from '../src/codec/index.ts'
import { generator, nodeDeflate, nodeInflate, plantBatch } from '../test/generator.ts'
import { type BenchRow, runRows, seconds } from './rounds.ts'

/** The same readings as Sparkplug B would carry them after a birth certificate: aliases instead of names, a timestamp each. */
const codec = sparkplug.get('spBv1.0')
if (!codec) throw new Error('sparkplug-payload has no spBv1.0')
const batches = Array.from({ length: 20 }, (_, i) => plantBatch(generator(i + 1)))
const payloads = batches.map((batch) => ({
  timestamp: batch.timestamps[0] as number,
  seq: 1,
  metrics: Array.from(batch.values, (value, i) => ({
    alias: (batch.seriesIndex[i] as number) + 1,
    timestamp: batch.timestamps[i] as number,
    type: 'Double' as const,
    value,
  })),
}))
const readings = batches.reduce((sum, batch) => sum + batch.values.length, 0)
const ITERATIONS = 20

const rows: BenchRow[] = [
  {
    row: 'codec.bytes',
    against: 'Sparkplug B with aliases',
    unit: 'bytes per reading',
    prepare: async () => ({
      ours: () => batches.reduce((sum, batch) => sum + encodeBatch(batch, nodeDeflate).length, 0) / readings,
      theirs: () => payloads.reduce((sum, payload) => sum + codec.encodePayload(payload as never).length, 0) / readings,
    }),
  },
  {
    row: 'codec.cpu',
    against: 'Sparkplug B with aliases, encode and decode',
    unit: 'microseconds per reading',
    prepare: async () => {
      const time = (once: () => void) => async () =>
        ((await seconds(() => {
          for (let i = 0; i < ITERATIONS; i++) once()
        })) *
          1e6) /
        (ITERATIONS * readings)
      return {
        ours: time(() => {
          for (const batch of batches) decodeBatch(encodeBatch(batch, nodeDeflate), nodeInflate)
        }),
        theirs: time(() => {
          for (const payload of payloads) codec.decodePayload(codec.encodePayload(payload as never))
        }),
      }
    },
  },
]

await runRows(rows, process.argv.slice(2))
