import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OpcUaConfig } from '@haltless/protocol'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  type Collector,
  type CollectorDeps,
  createCollector,
  type Logger,
  type OpcUaSource,
  probe,
} from '../../src/collectors/index.ts'
import { systemClock } from '../../src/support/clock.ts'
import { DataType, OpcUaSimulator } from '../support/opcua-simulator.ts'
import { depsFor, Sink, until } from './support.ts'

const HOUR = 3_600_000
let dir: string
let server: OpcUaSimulator
let sink: Sink
let journal: string[]
let collector: Collector | undefined
/** added to the monotonic clock, so that what happens each minute happens now */
let skipped: number

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'haltless-clock-'))
  server = await OpcUaSimulator.start({ dir })
  server.add('T', DataType.Double, 0)
  sink = new Sink()
  journal = []
  skipped = 0
})
afterEach(async () => {
  await collector?.stop()
  collector = undefined
  await server.stop()
  await rm(dir, { recursive: true })
})

const sourceOf = (config: object): OpcUaSource => ({
  name: 'press',
  machine: 'press',
  protocol: 'opcua',
  host: '127.0.0.1',
  port: server.port,
  pollIntervalSeconds: 0.1,
  config: OpcUaConfig.parse({ nodes: [{ node_id: 'ns=1;s=T', metric_name: 'T', unit: 'u' }], ...config }),
})

function deps(more: Partial<CollectorDeps> = {}): CollectorDeps {
  const line = (_: object, message: string) => void (/clock of the source/.test(message) && journal.push(message))
  const logger: Logger = { debug: line, info: line, warn: line, error: line }
  const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + skipped }
  return depsFor(sink, { pkiDir: join(dir, 'pki'), logger, clock, ...more })
}

function start(config: object = {}, more: Partial<CollectorDeps> = {}): Collector {
  collector = createCollector(sourceOf(config), deps(more))
  collector.start()
  return collector
}

/** The server sets its clock, and dates a value by it. */
function setClock(aheadMs: number, value: number): void {
  server.setClock(aheadMs)
  server.set('T', DataType.Double, value, { at: new Date(Date.now() + aheadMs) })
}

/** How long ago the first reading of a value was, by its timestamp. */
const ageOf = (value: number): number =>
  Date.now() - (sink.of('T').find((reading) => reading.value === value)?.timestamp as number)
const came = (value: number) => until(`the value ${value}`, () => sink.values('T').includes(value))

test.each(['poll', 'subscribe'])('%s: a server that is 3 h behind dates no reading, from the first one on', async (mode) => {
  setClock(-3 * HOUR, 1)
  start({ mode })
  await came(1)
  setClock(-3 * HOUR, 2)
  await came(2)
  expect(Math.min(...sink.readings.map(({ timestamp }) => timestamp))).toBeGreaterThan(Date.now() - HOUR)
  expect(collector?.status().sourceClock).toMatchObject({ isUsed: false, isExact: true })
  expect(Math.round((collector?.status().sourceClock?.aheadMs as number) / 60_000)).toBe(-180)
  expect(journal).toHaveLength(1)
})

test('values that are late stay so while the clock of the server is right, however late they are', async () => {
  server.set('T', DataType.Double, 1, { at: new Date(Date.now() - 3 * HOUR) })
  start()
  await came(1)
  expect(ageOf(1)).toBeGreaterThan(2.9 * HOUR)
  expect(collector?.status().sourceClock?.isUsed).toBe(true)
})

test('timestamps: source trusts a wrong clock, and agent uses none that is right', async () => {
  setClock(-3 * HOUR, 1)
  start({ timestamps: 'source' })
  await came(1)
  expect(ageOf(1)).toBeGreaterThan(2.9 * HOUR)
  expect(collector?.status().sourceClock?.isUsed).toBe(true)
  await collector?.stop()
  server.setClock(0)
  server.set('T', DataType.Double, 2, { at: new Date(Date.now() - 3 * HOUR) })
  start({ timestamps: 'agent' })
  await came(2)
  expect(ageOf(2)).toBeLessThan(HOUR)
})

test('timestamps: server dates by the server, however old the value of the source is', async () => {
  server.set('T', DataType.Double, 1, { at: new Date(Date.now() - 3 * HOUR) })
  start({ timestamps: 'server' })
  await came(1)
  expect(ageOf(1)).toBeLessThan(HOUR)
})

test('a clock that somebody sets is noticed at the next reading of it, and each change is in the journal once', async () => {
  start()
  await until('readings', () => sink.readings.length > 2)
  setClock(-3 * HOUR, 1)
  skipped += 60_001
  await until('it is wrong', () => collector?.status().sourceClock?.isUsed === false)
  setClock(-3 * HOUR, 2)
  await came(2)
  expect(ageOf(2)).toBeLessThan(HOUR)
  const count = sink.readings.length
  skipped += 60_001
  await until('more readings', () => sink.readings.length > count + 3)
  expect(journal).toHaveLength(1)
  setClock(0, 3)
  skipped += 60_001
  await until('it is right', () => collector?.status().sourceClock?.isUsed === true)
  expect(journal).toHaveLength(2)
})

test('a server without a clock is believed, and nothing is shown', async () => {
  server.setClock(null)
  server.set('T', DataType.Double, 1, { at: new Date(Date.now() - 3 * HOUR) })
  start()
  await came(1)
  expect(ageOf(1)).toBeGreaterThan(2.9 * HOUR)
  expect(collector?.status().sourceClock).toBeUndefined()
})

test('a wrong clock of this computer blames no server', async () => {
  const clock = { ...systemClock, now: () => Date.now() - 3 * HOUR, offsetMs: 3 * HOUR }
  setClock(0, 1)
  start({}, { clock })
  await came(1)
  expect(collector?.status().sourceClock?.isUsed).toBe(true)
})

test('a probe reports the clock, and dates its values like a collector', async () => {
  setClock(-3 * HOUR, 1)
  const { clockAheadMs, readings } = await probe(sourceOf({}), deps())
  expect(Math.round((clockAheadMs as number) / 60_000)).toBe(-180)
  expect(readings.map(({ timestamp }) => Date.now() - timestamp < HOUR)).toEqual([true])
})
