import { createHash } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { type ReadingBatch, toColumns } from '../src/batch.ts'
import type { Reading, Series } from '../src/reading.ts'

/** The handed-in compression as a Node program gives it. */
export const nodeDeflate = (bytes: Uint8Array): Uint8Array => deflateRawSync(bytes, { windowBits: 12, memLevel: 5 })

export function nodeInflate(bytes: Uint8Array, maxBytes: number): Uint8Array {
  const { buffer, engine } = inflateRawSync(bytes, { maxOutputLength: Math.max(1, maxBytes), info: true }) as unknown as {
    buffer: Buffer
    engine: { bytesWritten: number }
  }
  if (engine.bytesWritten !== bytes.length) throw new Error('bytes follow the end of the stream')
  return buffer
}

export const nodeSha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest()

export interface Generator {
  /** 0 <= x < 1 */
  next(): number
  /** a whole number from 0 to n - 1 */
  below(n: number): number
  /** standard normal */
  gauss(): number
  pick<T>(items: readonly T[]): T
}

/** The same numbers for the same seed, everywhere. Source: mulberry32 */
export function generator(seed: number): Generator {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (n: number) => Math.floor(next() * n)
  return {
    next,
    below,
    gauss: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
    pick: (items) => items[below(items.length)]!,
  }
}

const uuid = (random: Generator): string =>
  '********-****-4***-8***-************'.replaceAll('*', () => random.below(16).toString(16))

const anyDouble = (random: Generator): number => {
  const view = new DataView(new ArrayBuffer(8))
  for (let i = 0; i < 8; i++) view.setUint8(i, random.below(256))
  const value = view.getFloat64(0)
  return Number.isFinite(value) ? value : 0
}

const VALUES: ((random: Generator) => number)[] = [
  (r) => Math.round(r.gauss() * 10_000) / 100,
  (r) => Math.round(r.gauss() * 1e6) / 10 ** r.below(12),
  (r) => r.below(2),
  (r) => r.gauss(),
  (r) => Math.fround(r.gauss() * 100),
  (r) => Math.fround(Math.round(r.gauss() * 1_000) / 10),
  anyDouble,
  (r) => r.pick([0, -0, 5e-324, Number.MAX_VALUE, 2 ** 51, 2 ** 53, -(2 ** 51) - 1, 0.1, 1e21]),
]

const STEPS: ((random: Generator) => number)[] = [
  () => 1_000,
  (r) => 1_000 + r.below(21) - 10,
  (r) => r.below(3) - 1,
  (r) => Math.floor(r.gauss() * 1e12),
  (r) => Math.floor(r.gauss() * 1e15),
]

const TEXTS = ['press-01', 'Öl', '冲压', '🏭', 'a', 'ns=2;s=Line1.Press.Temperature', ' ', '\ufeff']

/** Readings of any kind: whole and fractional, regular and wild, shared timestamps or own ones. */
export function randomBatch(random: Generator): ReadingBatch {
  const readings: Reading[] = []
  const seriesCount = 1 + random.below(12)
  const shared: number[] = []
  for (let s = 0; s < seriesCount; s++) {
    const series: Series = {
      machine: random.pick(TEXTS),
      metric: `${random.pick(TEXTS)}${s}`,
      unit: random.pick(TEXTS),
      rawTag: random.below(3) ? random.pick(TEXTS) : null,
    }
    const value = random.pick(VALUES)
    const step = random.pick(STEPS)
    const ownTimes = random.below(2) === 0
    let at = 1_790_000_000_000
    for (let i = 0, count = 1 + random.below(80); i < count; i++) {
      at = Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, at + step(random)))
      if (!ownTimes && shared.length <= i) shared.push(at)
      readings.push({ ...series, timestamp: ownTimes ? at : (shared[i] as number), value: value(random) })
    }
  }
  return { batchId: uuid(random), ...toColumns(readings.slice(0, 1_000)) }
}

const ANALOG = [
  { metric: 'temperature', unit: 'celsius', start: 71.2, noise: 0.05 },
  { metric: 'pressure', unit: 'bar', start: 6.1, noise: 0.02 },
  { metric: 'vibration', unit: 'mm/s', start: 2.2, noise: 0.15 },
  { metric: 'current', unit: 'ampere', start: 14, noise: 0.2 },
  { metric: 'flow', unit: 'l/min', start: 120, noise: 0.8 },
  { metric: 'speed', unit: 'rpm', start: 1_480, noise: 2 },
]

/**
 * 100 seconds at 1 Hz of ten series of one machine: six analog values (random walk under sensor noise, two decimals), one slow
 * level, one set point, one counter, one state.
 */
export function plantBatch(random: Generator): ReadingBatch {
  const readings: Reading[] = []
  const walk = ANALOG.map(({ start }) => start)
  let level = 55.2
  let parts = 123_456
  const add = (metric: string, unit: string, second: number, value: number) =>
    readings.push({
      machine: 'press-01',
      metric,
      unit,
      rawTag: `ns=2;s=Press01.${metric}`,
      timestamp: 1_790_000_000_000 + second * 1_000,
      value,
    })
  for (let second = 0; second < 100; second++) {
    ANALOG.forEach(({ metric, unit, noise }, i) => {
      walk[i] = walk[i]! + random.gauss() * noise * 0.3
      add(metric, unit, second, Math.round((walk[i]! + random.gauss() * noise) * 100) / 100)
    })
    if (random.next() < 0.1) level -= 0.1
    if (random.next() < 0.4) parts++
    add('tank_level', 'percent', second, Math.round(level * 10) / 10)
    add('setpoint', 'celsius', second, second < 60 ? 70 : 72.5)
    add('parts', 'count', second, parts)
    add('state', 'state', second, second > 30 && second < 45 ? 2 : 1)
  }
  return { batchId: uuid(random), ...toColumns(readings) }
}
