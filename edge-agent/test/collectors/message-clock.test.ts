import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { connectAsync, type MqttClient } from 'mqtt'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { FileConfig } from '../../src/collectors/file/contract.ts'
import { type Collector, type CollectorSource, createCollector, probe } from '../../src/collectors/index.ts'
import { MqttConfig } from '../../src/collectors/mqtt/contract.ts'
import { SparkplugConfig } from '../../src/collectors/sparkplug/contract.ts'
import { AgentFile } from '../../src/settings/schema.ts'
import { systemClock } from '../../src/support/clock.ts'
import { type LocalBroker, startLocalBroker } from '../support/local-broker.ts'
import { metric, SparkplugPublisher } from '../support/sparkplug-publisher.ts'
import { depsFor, Sink, until } from './support.ts'

const HOUR = 3_600_000
let broker: LocalBroker
let publisher: MqttClient
let collector: Collector | undefined
let node: SparkplugPublisher | undefined
let sink: Sink
let dir: string
/** added to the monotonic clock */
let skipped: number

beforeAll(async () => {
  broker = await startLocalBroker()
})
afterAll(() => broker.remove())
beforeEach(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'clocks-'))
  sink = new Sink()
  skipped = 0
  offsetMs = 0
  publisher = await connectAsync({ host: '127.0.0.1', port: broker.port })
})
afterEach(async () => {
  await collector?.stop()
  node?.stop()
  collector = node = undefined
  await publisher.endAsync(true)
  rmSync(dir, { recursive: true })
})

/** null: no hub has answered yet */
let offsetMs: number | null
/** how often a collector asked whether one has */
let looks = 0
const clock = {
  ...systemClock,
  monotonic: () => systemClock.monotonic() + skipped,
  get offsetMs() {
    looks++
    return offsetMs
  },
}
const deps = () => depsFor(sink, { clock, checkpoints: () => new Map() })
function start(source: CollectorSource): void {
  collector = createCollector(source, deps())
  collector.start()
}
const base = () => ({ name: 'line', machine: 'm', host: '127.0.0.1', port: broker.port, pollIntervalSeconds: 0.05 })
const tag = { metric_name: 't', unit: 'u' }
/** By how much a reading is older than now. */
const ageOf = (value: number): number =>
  Date.now() - (sink.of('t').find((reading) => reading.value === value)?.timestamp as number)
const came = (value: number) => until(`the value ${value}`, () => sink.values('t').includes(value))
const status = () => collector?.status().sourceClock
async function lookedAgain(): Promise<void> {
  const before = looks
  await until('it waits for a hub', () => looks >= before + 5)
}
/** The age of a reading in hours; `+ 0` makes 0 of -0, which is the age of one that is a little ahead. */
const hoursOf = (value: number) => Math.round(ageOf(value) / HOUR) + 0
const hours = () => Math.round((status()?.aheadMs as number) / HOUR)

describe('the clock of a Sparkplug node', () => {
  const sparkplug = (more: object = {}): CollectorSource => ({
    ...base(),
    protocol: 'sparkplug',
    config: SparkplugConfig.parse({ group: 'g', metrics: [{ node: 'n', metric: 't', ...tag }], ...more }),
  })
  /** A node whose births and data are published `aheadMs` by its clock. */
  async function nodeAt(aheadMs: number, birth: object = {}): Promise<(value: number, more?: object) => void> {
    node = new SparkplugPublisher(broker.port, 'g', 'n', { '': [metric('t', 0, birth)] })
    node.aheadMs = aheadMs
    await node.connected()
    return (value, more = {}) => node?.data('', [metric('t', value, { timestamp: Date.now() + aheadMs, ...more })])
  }

  it('that is 3 h behind dates nothing, and what it recorded is corrected by its offset', async () => {
    const publish = await nodeAt(-3 * HOUR)
    start(sparkplug())
    await came(0)
    publish(1)
    publish(2, { isHistorical: true, timestamp: Date.now() - 5 * HOUR })
    await came(2)
    expect([ageOf(0) < HOUR, ageOf(1) < HOUR, hoursOf(2)]).toEqual([true, true, 2])
    expect([status()?.isUsed, status()?.isExact, hours()]).toEqual([false, true, -3])
  })

  it('that is right leaves values late, and timestamps: source trusts one that is wrong', async () => {
    const publish = await nodeAt(0, { timestamp: Date.now() - 4 * HOUR })
    start(sparkplug())
    await came(0)
    publish(1, { timestamp: Date.now() - 3 * HOUR })
    await came(1)
    expect([0, 1].map((value) => hoursOf(value))).toEqual([4, 3])
    await collector?.stop()
    node?.stop()
    const wrong = await nodeAt(-2 * HOUR)
    start(sparkplug({ timestamps: 'source' }))
    await until('it is born', () => (collector?.status().lastReadAt ?? null) !== null)
    wrong(5)
    await came(5)
    expect(hoursOf(5)).toBe(2)
  })

  it('is in the result of check', async () => {
    await nodeAt(-3 * HOUR)
    const { onReadings: _, ...probeDeps } = deps()
    const { clockAheadMs } = await probe(sparkplug(), probeDeps)
    expect(Math.round((clockAheadMs as number) / HOUR)).toBe(-3)
  })
})

describe('the timestamps of messages', () => {
  const mqtt = (more: object = {}): CollectorSource => ({
    ...base(),
    protocol: 'mqtt',
    config: MqttConfig.parse({
      timestamp: { field: 'at', format: 'unix_ms' },
      topics: ['a', 'b'].map((topic) => ({ topic, field: 't', ...tag, unit: topic })),
      ...more,
    }),
  })
  const publish = (topic: string, value: number, aheadMs: number) =>
    publisher.publishAsync(topic, JSON.stringify({ t: value, at: Date.now() + aheadMs }), { qos: 1 })
  const running = () => until('it runs', () => collector?.status().state === 'running')

  it('that are ahead are not used, and late ones count; each topic has its own clock', async () => {
    start(mqtt())
    await running()
    await publish('a', 1, 2 * HOUR)
    await publish('a', 2, HOUR)
    await publish('a', 3, -HOUR)
    await publish('b', 4, -HOUR)
    await came(4)
    expect([1, 2, 3, 4].map((value) => hoursOf(value))).toEqual([0, 0, 1, 1])
    expect([status()?.isUsed, status()?.isExact, hours()]).toEqual([false, true, 2])
  })

  it('that are late count, because lateness proves nothing, and the smallest lateness is shown', async () => {
    start(mqtt())
    await running()
    await publish('a', 1, -5 * HOUR)
    await publish('a', 2, -3 * HOUR)
    await publish('a', 3, -4 * HOUR)
    await came(3)
    expect([1, 2, 3].map((value) => hoursOf(value))).toEqual([5, 3, 4])
    expect([status()?.isUsed, status()?.isExact, hours()]).toEqual([true, false, -3])
  })

  it('of a persistent session wait for the hub after a start, which tells those that are ahead', async () => {
    const source = mqtt({ persistent_session: true, client_id: 'waits' })
    start(source)
    await running()
    await collector?.stop()
    await publish('a', 1, HOUR)
    await publish('a', 2, -HOUR)
    offsetMs = null
    start(source)
    await publish('b', 3, 0)
    await lookedAgain()
    expect([collector?.status().state, sink.readings.length]).toEqual(['starting', 0])
    offsetMs = 0
    await came(3)
    expect([1, 2, 3].map((value) => hoursOf(value))).toEqual([0, 1, 0])
  })

  it('do not count with timestamps: agent', async () => {
    start(mqtt({ timestamps: 'agent' }))
    await running()
    await publish('a', 1, -3 * HOUR)
    await came(1)
    expect(ageOf(1)).toBeLessThan(HOUR)
  })

  it('are not used after a minute of messages that are ahead, and used again after a minute of others', async () => {
    start(mqtt())
    await running()
    let value = 0
    const publishForAMinute = async (aheadMs: number) => {
      for (const skip of [0, 60_001, 0]) {
        skipped += skip
        await publish('a', ++value, aheadMs)
        await came(value)
      }
    }
    await publishForAMinute(HOUR)
    await publish('a', 50, -3 * HOUR)
    await came(50)
    await publishForAMinute(-20)
    await publish('a', 51, -3 * HOUR)
    await came(51)
    expect([50, 51].map((late) => hoursOf(late))).toEqual([0, 3])
    expect(status()?.isUsed).toBe(true)
  })
})

describe('the timestamps of lines', () => {
  const file = () => path.join(dir, 'log.csv')
  const line = (value: number, aheadMs: number) => `${new Date(Date.now() + aheadMs).toISOString()},${value}\n`
  const source = (more: object = {}): CollectorSource => ({
    protocol: 'file',
    name: 'log',
    machine: 'm',
    pollIntervalSeconds: 0.01,
    config: FileConfig.parse({ path: file(), timestamp: { field: 'time' }, fields: [{ field: 't', ...tag }], ...more }),
  })

  it('count however old they are, and those ahead get the time at which they are read, each its own', async () => {
    writeFileSync(file(), `time,t\n${line(1, -3 * HOUR)}`)
    start(source())
    await came(1)
    appendFileSync(file(), `${line(2, HOUR)}${line(3, HOUR)}${line(4, 20_000)}`)
    await came(4)
    // Of several at one instant a later one is dated a millisecond ahead: -0 is 0 here.
    expect([1, 2, 3].map((value) => hoursOf(value))).toEqual([3, 0, 0])
    expect(ageOf(4)).toBeLessThan(0)
    expect(new Set(sink.readings.map(({ timestamp }) => timestamp)).size).toBe(4)
    expect(hours()).toBe(1)
  })

  it('wait for the hub after a start, which tells those that are ahead; without a hub they are read half a minute later', async () => {
    offsetMs = null
    writeFileSync(file(), `time,t\n${line(1, HOUR)}`)
    start(source())
    await lookedAgain()
    expect([collector?.status().state, sink.readings.length]).toEqual(['starting', 0])
    offsetMs = 0
    await came(1)
    expect(hoursOf(1)).toBe(0)
    await collector?.stop()
    offsetMs = null
    sink.readings.length = 0
    start(source())
    skipped += 30_001
    await came(1)
  })

  it('are passed over with timestamps: agent, like what was there before', async () => {
    writeFileSync(file(), `time,t\n${line(1, -3 * HOUR)}`)
    start(source({ timestamps: 'agent' }))
    await until('it runs', () => collector?.status().state === 'running')
    appendFileSync(file(), line(2, -3 * HOUR))
    await came(2)
    expect(sink.values('t')).toEqual([2])
    expect(ageOf(2)).toBeLessThan(HOUR)
  })
})

describe('the setting timestamps', () => {
  const faultsOf = (collector: object): string[] =>
    AgentFile.safeParse({
      hub: { url: 'https://hub.example.com', api_key: 'hk_x' },
      collectors: [{ name: 'c', machine_identifier: 'm', ...collector }],
    }).error?.issues.map(({ message }) => message) ?? []
  const modbus = { protocol: 'modbus', host: 'h', registers: [{ address: 1, ...tag }] }
  const s7 = { protocol: 's7', host: 'h', items: [{ address: 'DB1,REAL0', ...tag }] }
  const mqtt = { protocol: 'mqtt', host: 'h', topics: [{ topic: 'a', ...tag }] }
  const file = { protocol: 'file', path: '/a', fields: [{ field: 't', ...tag }] }
  const sparkplug = { protocol: 'sparkplug', host: 'h', group: 'g', metrics: [{ node: 'n', metric: 't', ...tag }] }

  it.each([
    [{ ...modbus, timestamps: 'source' }, 'must be agent, because Modbus devices send no timestamps'],
    [{ ...s7, timestamps: 'server' }, 'must be agent, because S7 devices send no timestamps'],
    [{ ...mqtt, timestamps: 'server' }, 'must be source or agent, because a broker sets no timestamps'],
    [{ ...sparkplug, timestamps: 'server' }, 'must be source or agent, because a broker sets no timestamps'],
    [{ ...file, timestamps: 'server' }, 'must be source or agent, because no server sets the timestamps of a file'],
  ])('refuses %j', (collector, message) => {
    expect(faultsOf(collector)).toEqual([message])
  })

  it.each([modbus, s7, mqtt, sparkplug, file])('accepts agent for %j', (collector) => {
    expect(faultsOf({ ...collector, timestamps: 'agent' })).toEqual([])
  })
})
