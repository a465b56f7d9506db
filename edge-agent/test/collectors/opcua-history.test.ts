import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OpcUaConfig } from '@haltless/protocol'
import { type HistoryReadRequest, StatusCodes } from 'node-opcua'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Collector, type CollectorDeps, createCollector } from '../../src/collectors/index.ts'
import { systemClock } from '../../src/support/clock.ts'
import { DataType, OpcUaSimulator } from '../support/opcua-simulator.ts'
import { depsFor, Sink, until } from './support.ts'

let dir: string
let server: OpcUaSimulator
let relay: Relay
let collector: Collector
let sink: Sink
/** how many nodes each HistoryRead named */
let historyReads: number[]

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'haltless-history-'))
  server = await OpcUaSimulator.start({ dir, maxNodesPerHistoryReadData: 1 })
  for (const name of ['A', 'B', 'Live']) server.add(name, DataType.Double, 0)
  for (const name of ['A', 'B']) server.historize(name)
  historyReads = []
  server.server.on('request', (request) => {
    if (request.schema.name === 'HistoryReadRequest') historyReads.push((request as HistoryReadRequest).nodesToRead?.length ?? 0)
  })
  relay = new Relay(server.port)
  await relay.open()
  sink = new Sink()
})
afterEach(async () => {
  await collector.stop()
  await relay.close()
  await server.stop()
  await rm(dir, { recursive: true })
})

/** A network between agent and server that fails while the server goes on. */
class Relay {
  readonly #to: number
  readonly #sockets = new Set<Socket>()
  #server: Server | undefined
  port = 0

  constructor(to: number) {
    this.#to = to
  }

  open(): Promise<void> {
    const server = createServer((near) => {
      const far = connect(this.#to, '127.0.0.1')
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(one)
        one.on('error', () => {}).on('close', () => other.destroy())
        one.pipe(other)
      }
    })
    this.#server = server
    return new Promise((resolve) => {
      server.listen(this.port, '127.0.0.1', () => {
        this.port = (server.address() as { port: number }).port
        resolve()
      })
    })
  }

  close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#sockets.clear()
    return new Promise((resolve) => void (this.#server?.close(() => resolve()) ?? resolve()))
  }
}

function start(config: object, interval = 0.2, more: Partial<CollectorDeps> = {}): void {
  const source = {
    name: 'press',
    machine: 'press',
    protocol: 'opcua' as const,
    host: '127.0.0.1',
    port: relay.port,
    pollIntervalSeconds: interval,
    config: OpcUaConfig.parse({
      nodes: ['A', 'B', 'Live'].map((name) => ({ node_id: `ns=1;s=${name}`, metric_name: name, unit: 'u' })),
      ...config,
    }),
  }
  collector = createCollector(source, depsFor(sink, { pkiDir: join(dir, 'pki'), ...more }))
  collector.start()
}

/** Cuts the connection, and sets all variables meanwhile, `count` times at this distance. @returns the instant of the first value */
async function cut(count: number, distanceMs: number, aheadMs = 0): Promise<number> {
  await until('readings', () => ['A', 'B', 'Live'].every((name) => sink.of(name).length >= 2))
  await relay.close()
  await until('the loss is noticed', () => collector.status().state === 'reconnecting')
  const from = Date.now()
  await until('the time has passed', () => Date.now() > from + count * distanceMs)
  for (let i = 1; i <= count; i++) {
    const at = new Date(from + i * distanceMs + aheadMs)
    for (const name of ['A', 'B', 'Live']) server.set(name, DataType.Double, i, { at })
  }
  await relay.open()
  await until('it is back', () => ['A', 'B', 'Live'].every((name) => sink.values(name).includes(count)))
  return from
}

const instants = (name: string) => sink.of(name).map(({ timestamp }) => timestamp)

test('a subscription gets all values of the lost time from the history, each once, in requests that the server can take', async () => {
  start({ mode: 'subscribe' })
  const from = await cut(1_300, 1)
  await until('the history', () => ['A', 'B'].every((name) => new Set(sink.values(name)).size === 1_301))
  for (const name of ['A', 'B']) {
    const filled = sink.of(name).filter(({ timestamp }) => timestamp > from && timestamp < from + 1_300)
    expect(filled.map(({ value }) => value)).toEqual(Array.from({ length: 1_299 }, (_, i) => i + 1))
    expect(filled.every(({ value, timestamp }) => timestamp === from + value)).toBe(true)
    expect(new Set(instants(name)).size).toBe(instants(name).length)
  }
  // Without the right to read its history a node has only live values.
  expect(new Set(sink.values('Live'))).toEqual(new Set([0, 1_300]))
  expect(Math.max(...historyReads)).toBe(1)
  expect(historyReads.length).toBeGreaterThanOrEqual(6)
})

test('polling gets the history at about the distance of polls, without bad values, and only the newest hours', async () => {
  // 0.0005 h are 1.8 s
  start({ history_hours: 0.0005 }, 0.1)
  const from = await cut(40, 70)
  await until('the history', () => sink.values('A').includes(39) && sink.values('B').includes(39))
  const filled = sink.of('A').filter(({ timestamp }) => timestamp > from && timestamp < from + 40 * 70)
  expect(filled.every(({ value, timestamp }) => timestamp === from + 70 * value)).toBe(true)
  expect(filled[0]?.timestamp).toBeGreaterThanOrEqual(from + 40 * 70 - 1_800)
  expect(filled).toHaveLength(25)
  expect(new Set(instants('A')).size).toBe(instants('A').length)
})

test('a bad value in the history is left out, and a deadband and limits hold there too', async () => {
  const nodes = [
    { node_id: 'ns=1;s=A', metric_name: 'A', unit: 'u', deadband: 2, max: 500 },
    { node_id: 'ns=1;s=B', metric_name: 'B', unit: 'u', max: 500 },
    { node_id: 'ns=1;s=Live', metric_name: 'Live', unit: 'u' },
  ]
  start({ mode: 'subscribe', nodes })
  await until('readings', () => sink.of('B').length >= 2 && sink.of('A').length >= 1)
  await relay.close()
  await until('the loss is noticed', () => collector.status().state === 'reconnecting')
  const from = Date.now()
  await until('a moment later', () => Date.now() > from + 20)
  for (const name of ['A', 'B'])
    for (const [i, value] of [1, 3, 4, 666, 888, 7].entries())
      server.set(name, DataType.Double, value, {
        at: new Date(from + i + 1),
        status: value === 666 ? StatusCodes.BadSensorFailure : StatusCodes.Good,
      })
  await relay.open()
  await until('the history', () => sink.values('B').includes(4) && sink.values('A').includes(3))
  await until('live values', () => sink.values('A').includes(7) && sink.values('B').includes(7))
  expect(sink.values('A').filter((value) => value > 0)).toEqual(expect.arrayContaining([3, 7]))
  expect(new Set(sink.values('A'))).toEqual(new Set([0, 3, 7]))
  expect(new Set(sink.values('B'))).toEqual(new Set([0, 1, 3, 4, 7]))
})

test('history is requested in the time of the server, and dated in that of the agent; not before the difference is known', async () => {
  const hour = 3_600_000
  const clock = { ...systemClock, now: () => Date.now() - hour, offsetMs: null as number | null }
  start({ mode: 'subscribe' }, 0.2, { clock })
  await cut(20, 10)
  expect(historyReads).toEqual([])
  clock.offsetMs = hour
  const polls = sink.of('Live').length
  await until('values in the corrected time', () => sink.of('Live').length >= polls + 3)
  const from = await cut(50, 10)
  await until('the history', () => sink.of('A').some(({ value, timestamp }) => value === 49 && timestamp === from - hour + 490))
  for (let i = 21; i < 50; i++)
    expect(sink.of('A').filter(({ timestamp }) => timestamp === from - hour + 10 * i)).toMatchObject([{ value: i }])
})

test('the history of a server whose clock is wrong is dated by its corrected clock, and not read when that was set meanwhile', async () => {
  const behind = -3 * 3_600_000
  server.setClock(behind)
  start({ mode: 'subscribe' })
  const from = await cut(20, 20, behind)
  await until('the history', () => ['A', 'B'].every((name) => sink.values(name).includes(19)))
  for (let i = 1; i < 20; i++) {
    const [reading, ...others] = sink.of('A').filter(({ value }) => value === i)
    expect(others).toEqual([])
    // The clock was compared within a round trip.
    expect(Math.abs((reading?.timestamp as number) - (from + 20 * i))).toBeLessThan(1_000)
  }
  const count = historyReads.length
  await relay.close()
  await until('the loss is noticed', () => collector.status().state === 'reconnecting')
  server.setClock(0)
  for (const value of [50, 51]) server.set('A', DataType.Double, value)
  await relay.open()
  await until('the newest value', () => sink.values('A').includes(51))
  const polls = sink.of('Live').length
  await until('more readings', () => sink.of('Live').length >= polls + 3)
  expect(historyReads).toHaveLength(count)
})

test('with history_hours 0, and without a loss, no history is read', async () => {
  start({ history_hours: 0 }, 0.05)
  await cut(5, 50)
  const polls = sink.of('Live').length
  await until('more polls', () => sink.of('Live').length >= polls + 5)
  expect(historyReads).toEqual([])
  expect(new Set(sink.values('A'))).toEqual(new Set([0, 5]))
})
