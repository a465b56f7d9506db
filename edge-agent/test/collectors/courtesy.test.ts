import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ModbusConfig, OpcUaConfig } from '@haltless/protocol'
import { MessageSecurityMode, SecurityPolicy } from 'node-opcua'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  type Collector,
  type CollectorSource,
  createCollector,
  fetchServerCertificate,
  type ModbusSource,
  type OpcUaSource,
  probe,
  trustServer,
} from '../../src/collectors/index.ts'
import { systemClock } from '../../src/support/clock.ts'
import { DataType, OpcUaSimulator } from '../support/opcua-simulator.ts'
import { rightAnswer, ScriptedModbus } from '../support/scripted-modbus.ts'
import { depsFor, Sink, until } from './support.ts'

const collectors: Collector[] = []
let dir: string
let pkiDir: string
let server: OpcUaSimulator
/** services that the server was asked for, with the instant */
const services: { name: string; at: number }[] = []

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'haltless-courtesy-'))
  pkiDir = join(dir, 'pki')
  server = await OpcUaSimulator.start({
    dir,
    maxNodesPerRead: 2,
    securityModes: [MessageSecurityMode.None, MessageSecurityMode.SignAndEncrypt],
    securityPolicies: [SecurityPolicy.None, SecurityPolicy.Basic256Sha256],
  })
  for (const name of ['A', 'B', 'C', 'D']) server.add(name, DataType.Double, 1)
  server.server.on('request', (request) => void services.push({ name: request.schema.name, at: performance.now() }))
})
afterEach(async () => {
  await Promise.all(collectors.splice(0).map((collector) => collector.stop()))
})
afterAll(async () => {
  await server.stop()
  await rm(dir, { recursive: true })
})

const opcUa = (name: string, names: string[], config: object = {}): OpcUaSource => ({
  name,
  machine: name,
  protocol: 'opcua',
  host: '127.0.0.1',
  port: server.port,
  pollIntervalSeconds: 0.05,
  config: OpcUaConfig.parse({
    nodes: names.map((each) => ({ node_id: `ns=1;s=${each}`, metric_name: each, unit: 'u' })),
    ...config,
  }),
})
const modbus = (port: number, unit: number, config: object = {}): ModbusSource => ({
  name: `unit ${unit}`,
  machine: `machine-${unit}`,
  protocol: 'modbus',
  host: '127.0.0.1',
  port,
  pollIntervalSeconds: 0.02,
  config: ModbusConfig.parse({
    unit_id: unit,
    registers: [{ address: 10, metric_name: 'm', unit: 'u' }],
    ...config,
  }),
})

function run(source: CollectorSource): { sink: Sink; collector: Collector } {
  const sink = new Sink()
  const collector = createCollector(source, depsFor(sink, { pkiDir }))
  collectors.push(collector)
  collector.start()
  return { sink, collector }
}

const probing = (source: CollectorSource) => probe(source, { ...depsFor(new Sink()), pkiDir })
/** Times between one request and the next, ms. */
const gaps = (times: readonly number[]) => times.slice(1).map((at, i) => at - (times[i] as number))
/** Mean of these: a single one may be short, when a loaded computer delays the arrival of a request. */
const meanGap = (times: readonly number[]) => ((times.at(-1) as number) - (times[0] as number)) / (times.length - 1)

/** Everything that reads. Above all not among them: Write, Call, AddNodes, DeleteNodes, HistoryUpdate, and Browse, which would be a scan. */
// `opcua-history.test.ts` shows when HistoryRead is used.
const HARMLESS = [
  'GetEndpoints',
  'CreateSession',
  'ActivateSession',
  'CloseSession',
  'CloseSecureChannel',
  'Read',
  'HistoryRead',
  'CreateSubscription',
  'DeleteSubscriptions',
  'CreateMonitoredItems',
  'Publish',
]

test('collecting, check and trust call no OPC UA service that writes, runs a method or browses', async () => {
  services.length = 0
  const secured = { security_mode: 'SignAndEncrypt', security_policy: 'Basic256Sha256' }
  const source = opcUa('secured', ['A', 'Missing'], secured)
  const { thumbprint } = await fetchServerCertificate(source, { ...depsFor(new Sink()), pkiDir })
  await trustServer(pkiDir, thumbprint)
  await probing(source)
  const all = [
    run(source),
    run(opcUa('polled', ['A', 'B', 'C', 'D'])),
    run(opcUa('watched', ['A', 'B'], { mode: 'subscribe' })),
    run(opcUa('by uri', [], { nodes: [{ node_id: `nsu=${server.namespaceUri};s=A`, metric_name: 'a', unit: 'u' }] })),
  ]
  await until('readings', () => all.every(({ sink }) => sink.readings.length >= 10))
  for (const { collector } of all) await collector.stop()
  const called = new Set(services.map(({ name }) => name.replace(/Request$/, '')))
  expect([...called].filter((name) => !HARMLESS.includes(name))).toEqual([])
  expect(called).toContain('CreateMonitoredItems')
})

test('collecting and check use no Modbus function that writes, and read no register that nothing names', async () => {
  const device = await new ScriptedModbus((asked, _device, socket) => void socket.write(rightAnswer(asked))).listen()
  try {
    const registers = (['holding', 'input', 'coil', 'discrete'] as const).map((table, i) => ({
      table,
      address: 10 + i,
      metric_name: table,
      unit: 'u',
    }))
    await probing(modbus(device.port, 1, { registers }))
    await probing(modbus(device.port, 1, { registers: [] }))
    const { sink } = run(modbus(device.port, 1, { registers }))
    await until('readings', () => sink.readings.length >= 20)
    expect([...new Set(device.asked.map(({ functionCode }) => functionCode))].sort()).toEqual([1, 2, 3, 4])
    // Without registers the probe reads one: holding register 0.
    const reads = new Set(device.asked.map((each) => `${each.functionCode} ${each.address} ${each.quantity}`))
    expect([...reads].sort()).toEqual(['1 12 1', '2 13 1', '3 0 1', '3 10 1', '4 11 1'])
  } finally {
    await device.close()
  }
})

test('units of one Modbus address together keep to the lowest of their limits', async () => {
  const times: number[] = []
  const device = await new ScriptedModbus((asked, _device, socket) => {
    times.push(performance.now())
    socket.write(rightAnswer(asked))
  }).listen()
  try {
    const units = [{ max_requests_per_second: 20 }, { max_requests_per_second: 50 }, {}]
    const all = units.map((limits, i) => run(modbus(device.port, i + 1, limits)))
    await until('requests', () => times.length >= 12)
    expect(meanGap(times)).toBeGreaterThan(40)
    // When the strictest one stops, the next one counts.
    await all[0]?.collector.stop()
    times.length = 0
    await until('faster requests', () => gaps(times).some((gap) => gap < 40))
  } finally {
    await device.close()
  }
})

test('with a pause a Modbus device gets one request at a time, and rests after each answer', async () => {
  const answeredAt: number[] = []
  const askedAt: number[] = []
  let inFlight = 0
  let most = 0
  const device = await new ScriptedModbus(async (asked, _device, socket) => {
    askedAt.push(performance.now())
    most = Math.max(most, ++inFlight)
    await systemClock.sleep(60)
    inFlight--
    answeredAt.push(performance.now())
    socket.write(rightAnswer(asked))
  }).listen()
  try {
    for (const unit of [1, 2, 3]) run(modbus(device.port, unit, unit === 2 ? { pause_ms: 50 } : {}))
    await until('requests', () => askedAt.length >= 10)
    expect(most).toBe(1)
    for (let i = 1; i < 10; i++) expect((askedAt[i] as number) - (answeredAt[i - 1] as number)).toBeGreaterThan(45)
  } finally {
    await device.close()
  }
})

test.each([
  ['max_requests_per_second', { max_requests_per_second: 20 }],
  ['pause_ms', { pause_ms: 50 }],
])('collectors of one OPC UA server together keep to %s', async (_name, limits) => {
  const all = [run(opcUa('one', ['A', 'B', 'C', 'D'], limits)), run(opcUa('two', ['A', 'B', 'C']))]
  services.length = 0
  await until('readings', () => all.every(({ sink }) => sink.readings.length >= 6))
  const reads = services.filter(({ name }) => name === 'ReadRequest').map(({ at }) => at)
  expect(reads.length).toBeGreaterThanOrEqual(8)
  expect(meanGap(reads)).toBeGreaterThan(40)
})
