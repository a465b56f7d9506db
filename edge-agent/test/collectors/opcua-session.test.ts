import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OpcUaConfig } from '@haltless/protocol'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Collector, type CollectorDeps, createCollector, type OpcUaSource } from '../../src/collectors/index.ts'
import { DataType, OpcUaSimulator } from '../support/opcua-simulator.ts'
import { type OpcUaProcess, startOpcUaProcess } from '../support/start-opcua-process.ts'
import { depsFor, Sink, until } from './support.ts'

const collectors: Collector[] = []
const servers: { stop(): Promise<void> }[] = []
let dir: string

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'haltless-session-'))
})
afterEach(async () => {
  await Promise.all(collectors.splice(0).map((collector) => collector.stop()))
  await Promise.all(servers.splice(0).map((server) => server.stop()))
})
afterAll(() => rm(dir, { recursive: true }))

const sourceOf = (name: string, port: number, names: string[], interval: number, config: object = {}): OpcUaSource => ({
  name,
  machine: name,
  protocol: 'opcua',
  host: '127.0.0.1',
  port,
  pollIntervalSeconds: interval,
  config: OpcUaConfig.parse({
    nodes: names.map((each) => ({ node_id: `ns=1;s=${each}`, metric_name: each, unit: 'u' })),
    ...config,
  }),
})

function run(source: OpcUaSource, more: Partial<CollectorDeps> = {}): { sink: Sink; collector: Collector } {
  const sink = new Sink()
  const collector = createCollector(source, depsFor(sink, { pkiDir: join(dir, 'pki'), ...more }))
  collectors.push(collector)
  collector.start()
  return { sink, collector }
}

async function simulator(options: Partial<Parameters<typeof OpcUaSimulator.start>[0]> = {}): Promise<OpcUaSimulator> {
  const server = await OpcUaSimulator.start({ dir, ...options })
  servers.push(server)
  return server
}

async function serverProcess(nodes: number, slowMs = 0): Promise<OpcUaProcess> {
  const server = await startOpcUaProcess({ dir: join(dir, 'process') }, nodes, slowMs)
  servers.push(server)
  return server
}

for (const mode of ['poll', 'subscribe'] as const)
  for (const interval of [0.5, 3])
    test(`a server that hangs is noticed within 5 s or two intervals, whichever is longer, and read again afterwards: ${mode} every ${interval} s`, async () => {
      const server = await serverProcess(1)
      const { sink, collector } = run(sourceOf('press', server.port, ['N0'], interval, { mode }))
      await until('two readings', () => sink.readings.length >= 2)
      server.freeze()
      const frozenAt = performance.now()
      await until('the hang is noticed', () => collector.status().state === 'reconnecting')
      // A loaded computer may be late; the promise itself is kept with a tenth to spare.
      expect(performance.now() - frozenAt).toBeLessThan(Math.max(5_000, 2_000 * interval) + 250)
      const before = sink.readings.length
      server.thaw()
      await until('readings', () => sink.readings.length >= before + 2)
      expect(collector.status().state).toBe('running')
    })

test('a server that is only slow is asked for fewer nodes at once, and then read', async () => {
  const server = await serverProcess(30, 12)
  const names = Array.from({ length: 30 }, (_, i) => `N${i}`)
  const { sink, collector } = run(sourceOf('press', server.port, names, 0.5, { timeout_ms: 500 }))
  await until('two polls', () => sink.readings.length >= 60)
  expect(sink.readings.slice(0, 30).map(({ value }) => value)).toEqual(names.map((_, i) => i))
  expect(collector.status().state).toBe('running')
})

test('collectors of one server share a session, and the last one that stops closes it', async () => {
  const server = await simulator({ maxSessions: 1 })
  for (const name of ['A', 'B', 'C']) server.add(name, DataType.Double, 1)
  const polled = run(sourceOf('polled', server.port, ['A'], 0.1))
  const watched = run(sourceOf('watched', server.port, ['B'], 0.1, { mode: 'subscribe' }))
  const rare = run(sourceOf('rare', server.port, ['C', 'Missing'], 60))
  const all = [polled, watched, rare]
  await until('readings of all', () => all.every(({ sink }) => sink.readings.length > 0))
  expect(server.sessions).toBe(1)
  expect(rare.collector.status().badTags).toMatchObject([{ metric: 'Missing' }])

  await watched.collector.stop()
  await until('no subscription is left', () => server.subscriptions === 0)
  const before = polled.sink.readings.length
  await until('the others go on', () => polled.sink.readings.length >= before + 3)
  expect(server.sessions).toBe(1)
  await rare.collector.stop()
  await polled.collector.stop()
  expect(server.sessions).toBe(0)
})

test('another user, or another security, has a session of its own', async () => {
  const server = await simulator()
  server.add('A', DataType.Double, 1)
  const one = run(sourceOf('one', server.port, ['A'], 0.1))
  const other = run(sourceOf('other', server.port, ['A'], 0.1), { pkiDir: join(dir, 'other-pki') })
  await until('readings', () => [one, other].every(({ sink }) => sink.readings.length > 0))
  expect(server.sessions).toBe(2)
})

test('collectors that share a session reconnect together after the server restarts, with one attempt at a time', async () => {
  let server = await OpcUaSimulator.start({ dir, maxSessions: 1 })
  const { port } = server
  server.add('A', DataType.Double, 1)
  const both = ['one', 'two'].map((name) => run(sourceOf(name, port, ['A'], 0.1)))
  await until('readings', () => both.every(({ sink }) => sink.readings.length > 0))
  await server.stop()
  await until('loss noticed', () => both.every(({ collector }) => collector.status().state === 'reconnecting'))
  server = await simulator({ maxSessions: 1, port })
  server.add('A', DataType.Double, 2)
  await until('new values', () => both.every(({ sink }) => sink.values('A').includes(2)))
  expect(server.sessions).toBe(1)
})

test('12,000 nodes of one server are read in one session, within what the server takes in one request', async () => {
  const server = await simulator({ maxSessions: 1, maxNodesPerRead: 500, maxMonitoredItemsPerCall: 400 })
  const names = Array.from({ length: 12_000 }, (_, i) => `N${i}`)
  for (const [i, name] of names.entries()) server.add(name, DataType.Double, i)
  const largest = { read: 0, monitored: 0 }
  server.server.on('request', (request) => {
    const { nodesToRead, itemsToCreate } = request as unknown as { nodesToRead?: unknown[]; itemsToCreate?: unknown[] }
    largest.read = Math.max(largest.read, nodesToRead?.length ?? 0)
    largest.monitored = Math.max(largest.monitored, itemsToCreate?.length ?? 0)
  })
  const polled = run(sourceOf('polled', server.port, names.slice(0, 10_000), 1))
  const watched = run(sourceOf('watched', server.port, names.slice(10_000), 1, { mode: 'subscribe' }))
  await until('one poll', () => polled.sink.readings.length >= 10_000 && watched.sink.readings.length >= 2_000)
  for (const [i, { value }] of polled.sink.readings.slice(0, 10_000).entries()) expect(value).toBe(i)
  expect(new Set(watched.sink.readings.map(({ value }) => value)).size).toBe(2_000)
  expect(server.sessions).toBe(1)
  expect(largest).toEqual({ read: 500, monitored: 400 })
})
