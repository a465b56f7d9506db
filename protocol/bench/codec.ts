import { randomUUID } from 'node:crypto'
import sparkplug from 'sparkplug-payload'
import { BatchDictionary, decodeBatch, encodeBatch, encodeDictionary, encodeDictionaryBatch } from '../src/codec/index.ts'
import { generator, nodeDeflate, nodeInflate, nodeSha256, plantBatch } from '../test/generator.ts'
import { plantPoll, plantTags } from './plant-values.ts'
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

/** Seconds between two connections. Each begins with an announcement, and with batches that name their series until that is confirmed. */
const RECONNECT_SECONDS = 600
/** Batches that an agent at 1 Hz sends meanwhile, at a round trip of a second. */
const NAMED_BATCHES = 1

/** Bytes per reading of one connection with a poll each second, everything counted that is published. */
function liveBytes(tags: number): number {
  const series = plantTags(tags)
  const dictionary = BatchDictionary.of(series, nodeSha256)
  const numbers = Uint32Array.from(series.keys())
  let bytes = encodeDictionary(randomUUID(), dictionary, nodeDeflate).length
  for (let second = 0; second < RECONNECT_SECONDS; second++) {
    const batch = { batchId: randomUUID(), ...plantPoll(series, second) }
    bytes +=
      second < NAMED_BATCHES ? encodeBatch(batch, nodeDeflate).length : encodeDictionaryBatch(batch, dictionary, numbers).length
  }
  return bytes / (RECONNECT_SECONDS * tags)
}

/** The same as Sparkplug B: a birth certificate with the names at each connection, then aliases and one timestamp for the message. */
function sparkplugLiveBytes(tags: number): number {
  const series = plantTags(tags)
  const metricsOf = (second: number, isBirth: boolean) =>
    Array.from(plantPoll(series, second).values, (value, i) => {
      const { machine, metric } = series[i] as (typeof series)[0]
      return { ...(isBirth && { name: `${machine}/${metric}` }), alias: i, type: 'Double' as const, value }
    })
  let bytes = 0
  for (let second = 0; second < RECONNECT_SECONDS; second++) {
    const payload = { timestamp: 1_790_000_000_000 + second * 1_000, seq: second % 256, metrics: metricsOf(second, second === 0) }
    bytes += codec?.encodePayload(payload as never).length ?? 0
  }
  return bytes / (RECONNECT_SECONDS * tags)
}

const liveRow = (row: string, tags: number): BenchRow => ({
  row,
  against: 'Sparkplug B with aliases, without timestamps of metrics',
  unit: `bytes per reading, polls of ${tags.toLocaleString('en')} tags`,
  rounds: 1,
  prepare: async () => ({ ours: () => liveBytes(tags), theirs: () => sparkplugLiveBytes(tags) }),
})

const rows: BenchRow[] = [
  liveRow('wire.live', 1_000),
  liveRow('wire.live10', 10),
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
