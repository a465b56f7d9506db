import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OpcUaConfig } from '@haltless/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Collector, CollectorClock, OpcUaSource } from '../../src/collectors/collector.ts'
import { CollectorHosts } from '../../src/collectors/host/collector-hosts.ts'
import { createCollector, probe } from '../../src/collectors/index.ts'
import { KnownNamespaces } from '../../src/sources/known-namespaces.ts'
import { systemClock } from '../../src/support/clock.ts'
import { DataType, OpcUaSimulator } from '../support/opcua-simulator.ts'
import { depsFor, Sink, silent, until } from './support.ts'

const OVEN = 'urn:acme:oven'
const PRESS = 'urn:acme:press'
const LATHE = 'urn:acme:lathe'
/** Values of a node say whose they are: hundreds of the oven, tens of the press. */
const FIRST: Record<string, number> = { [OVEN]: 800, [PRESS]: 40, [LATHE]: 5 }
/** How often a collector asks for a namespace that the server lacks. */
const RECHECK_MS = 60_000
/** A child process loads node-opcua first. */
const PATIENCE_MS = 90_000

let dir: string
let server: OpcUaSimulator
let sink: Sink
let known: KnownNamespaces
let running: Collector[]
let port: number
let warnings: string[]
beforeEach(async () => {
  warnings = []
  dir = await mkdtemp(join(tmpdir(), 'haltless-namespaces-'))
  sink = new Sink()
  known = newMemory()
  running = []
  port = 0
})
afterEach(async () => {
  await Promise.all(running.map((collector) => collector.stop()))
  await server.stop()
  await rm(dir, { recursive: true, force: true, maxRetries: 5 })
})

const newMemory = () => new KnownNamespaces(join(dir, 'data'), { error: () => {} })

/** A server whose namespaces have these indexes from 2 on; at the address of the one before. */
async function serve(...namespaces: string[]): Promise<void> {
  server = await OpcUaSimulator.start({ dir, port, namespaces })
  port = server.port
  for (const uri of namespaces) server.set(uri, DataType.Double, FIRST[uri])
}

async function restart(...namespaces: string[]): Promise<void> {
  await server.stop()
  await serve(...namespaces)
}

const tag = (node_id: string, metric_name: string) => ({ node_id, metric_name, unit: 'celsius' })
const BY_INDEX = [tag('ns=2;s=Temp', 'oven'), tag('ns=3;s=Temp', 'press')]

const sourceOf = (config: object): OpcUaSource => ({
  protocol: 'opcua',
  name: 'hall',
  machine: 'hall',
  host: '127.0.0.1',
  port,
  pollIntervalSeconds: 0.1,
  config: OpcUaConfig.parse({ nodes: BY_INDEX, history_hours: 0, ...config }),
})

function start(config: object = {}, source = sourceOf(config), create: typeof createCollector = createCollector): Collector {
  const namespaces = known.namespaceStore(source)
  const logger = { ...silent, warn: (_: object, text: string) => void warnings.push(text) }
  const collector = create(source, depsFor(sink, { pkiDir: join(dir, 'pki'), logger, ...(namespaces && { namespaces }) }))
  running.push(collector)
  collector.start()
  return collector
}

const probeDeps = () => {
  const namespaces = known.namespaceStore(sourceOf({}))
  return depsFor(sink, { pkiDir: join(dir, 'pki'), ...(namespaces && { namespaces }) })
}

const newer = (metric: string, count: number) => sink.of(metric).length > count
async function moreOf(...metrics: string[]): Promise<void> {
  const before = metrics.map((metric) => sink.of(metric).length)
  await until(`readings of ${metrics}`, () => metrics.every((metric, i) => newer(metric, before[i] as number)), PATIENCE_MS)
}
const valuesOf = (metric: string) => [...new Set(sink.values(metric))]

describe('a server that renumbers its namespaces', () => {
  it.each(['poll', 'subscribe'])('does not mix the values of two nodes (%s)', async (mode) => {
    await serve(OVEN, PRESS)
    const collector = start({ mode })
    await moreOf('oven', 'press')
    await restart(PRESS, OVEN)
    server.set(OVEN, DataType.Double, 801)
    server.set(PRESS, DataType.Double, 41)
    await until('the new values', () => sink.values('oven').includes(801) && sink.values('press').includes(41))
    const note = 'the server has renumbered its namespaces: ns=2 is ns=3 now, ns=3 is ns=2 now'
    await until('the note', () => collector.status().detail === note)
    expect([collector.status().state, warnings.filter((text) => text === note)]).toEqual(['running', [note]])
    const found = await probe(sourceOf({ mode }), probeDeps())
    expect([found.ok, found.lines]).toEqual([true, expect.arrayContaining([note])])
    expect([Math.min(...valuesOf('oven')) >= 800, Math.max(...valuesOf('press')) < 100]).toEqual([true, true])
    expect(sink.of('oven').at(-1)?.rawTag).toBe('ns=2;s=Temp')
  })

  it('does not mix them either after a start of the agent', async () => {
    await serve(OVEN, PRESS)
    const collector = start()
    await moreOf('oven', 'press')
    await collector.stop()
    known = newMemory()
    await restart(PRESS, OVEN)
    start()
    await moreOf('oven', 'press')
    expect([valuesOf('oven'), valuesOf('press')]).toEqual([[800], [40]])
    expect(known.list()).toMatchObject([
      ['hall', { uris: [expect.anything(), expect.anything(), OVEN, PRESS], found: expect.arrayContaining([PRESS]) }],
    ])
  })

  it('does not mix them in a child process, nor after the end of that process', async () => {
    const hosts = new CollectorHosts()
    await serve(OVEN, PRESS)
    start({}, sourceOf({}), hosts.create)
    await moreOf('oven', 'press')
    await restart(PRESS, OVEN)
    await moreOf('oven', 'press')
    const [pid] = hosts.pids()
    process.kill(pid as number, 'SIGKILL')
    await until('another process', () => hosts.pids().some((other) => other !== pid), PATIENCE_MS)
    await moreOf('oven', 'press')
    expect([valuesOf('oven'), valuesOf('press')]).toEqual([[800], [40]])
    await Promise.all(running.splice(0).map((collector) => collector.stop()))
    hosts.close()
  })

  it('that adds namespaces behind the others changes nothing, and the longer array is remembered', async () => {
    await serve(OVEN)
    start()
    await moreOf('oven')
    await restart(OVEN, PRESS)
    await moreOf('oven', 'press')
    await restart(PRESS, OVEN)
    await moreOf('oven', 'press')
    expect([valuesOf('oven'), valuesOf('press')]).toEqual([[800], [40]])
  })
})

describe('a namespace that the server no longer has', () => {
  const GONE =
    /^ns=2 was urn:acme:oven, which the server no longer has; it has urn:\S+, urn:acme:lathe, urn:acme:press; correct the node id, or accept/

  it('refuses its tags with the reason, in status and check; other tags go on, and it may come back', async () => {
    await serve(OVEN, PRESS)
    const collector = start({ nodes: [...BY_INDEX, tag(`nsu=${PRESS};s=Temp`, 'by_uri'), tag('i=2258', 'clock')] })
    await moreOf('oven', 'press', 'by_uri')
    await restart(LATHE, PRESS)
    await moreOf('press', 'by_uri')
    const oven = () => collector.status().badTags.find(({ metric }) => metric === 'oven')?.reason
    expect(oven()).toMatch(GONE)
    const found = await probe(sourceOf({}), probeDeps())
    expect(found).toMatchObject({ ok: false, badTags: [{ metric: 'oven', reason: expect.stringMatching(GONE) }] })
    expect(valuesOf('oven')).toEqual([800])
    await restart(PRESS, OVEN)
    await moreOf('oven', 'press', 'by_uri')
    expect([valuesOf('oven'), valuesOf('press'), valuesOf('by_uri')]).toEqual([[800], [40], [40]])
  })

  it('is found when the server adds it while the session goes on', async () => {
    await serve(PRESS)
    const clock: CollectorClock = {
      ...systemClock,
      sleep: (ms, signal) => systemClock.sleep(ms === RECHECK_MS ? 50 : ms, signal),
    }
    const source = sourceOf({ nodes: [tag(`nsu=${PRESS};s=Temp`, 'press'), tag(`nsu=${OVEN};s=Temp`, 'oven')] })
    const collector = createCollector(source, depsFor(sink, { pkiDir: join(dir, 'pki'), clock }))
    running.push(collector)
    collector.start()
    await moreOf('press')
    expect(collector.status().badTags[0]?.reason).toMatch(
      /^the server has no namespace urn:acme:oven; it has urn:\S+, urn:acme:press$/,
    )
    server.addNamespace(OVEN)
    server.set(OVEN, DataType.Double, 800)
    await moreOf('press', 'oven')
    expect(valuesOf('oven')).toEqual([800])
  })

  it('is another after its array was accepted', async () => {
    await serve(OVEN, PRESS)
    await start().stop()
    running = []
    const collector = start()
    await moreOf('oven', 'press')
    expect(known.accept('hall')).toBeNull()
    await collector.stop()
    await restart(LATHE, PRESS)
    const other = start()
    await moreOf('press')
    expect(valuesOf('oven')).toEqual([800])
    expect(known.accept('hall')?.uris.slice(2)).toEqual([LATHE, PRESS])
    await other.stop()
    start()
    await until('the lathe', () => sink.values('oven').includes(FIRST[LATHE] as number))
  })

  it('of another endpoint is not remembered', async () => {
    await serve(OVEN, PRESS)
    await moreStopped()
    const there = { ...sourceOf({}), host: 'localhost' }
    expect([known.namespaceStore(sourceOf({}))?.remembered()?.length, known.namespaceStore(there)?.remembered()]).toEqual([
      4,
      null,
    ])
  })
  async function moreStopped(): Promise<void> {
    const collector = start()
    await moreOf('oven', 'press')
    await collector.stop()
  }
})

describe('history', () => {
  const sockets = new Set<Socket>()
  let relay: Server
  afterEach(() => cut())

  async function cut(): Promise<void> {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
    await new Promise<void>((resolve) => relay.close(() => resolve()))
  }
  /** @param at the port to listen on */
  async function relayTo(far: number, at = 0): Promise<number> {
    relay = createServer((near) => {
      const beyond = connect(far, '127.0.0.1')
      for (const socket of [near, beyond]) sockets.add(socket.on('error', () => {}))
      near.on('close', () => beyond.destroy()).pipe(beyond)
      beyond.on('close', () => near.destroy()).pipe(near)
    })
    await new Promise<void>((resolve) => relay.listen(at, '127.0.0.1', () => resolve()))
    return (relay.address() as { port: number }).port
  }

  /** A server with other indexes, which has recorded values of the time without a connection. */
  async function serveHistory(namespaces: string[], atMs: number[], step: number): Promise<void> {
    await server.stop()
    port = 0
    await serve(...namespaces)
    for (const uri of namespaces) {
      server.historize(uri)
      for (const at of atMs) server.set(uri, DataType.Double, (FIRST[uri] as number) + step, { at: new Date(at) })
      server.set(uri, DataType.Double, (FIRST[uri] as number) + 9)
    }
  }

  it('is read of the right node, also when a fill began before the namespaces were renumbered', async () => {
    await serve(OVEN, PRESS)
    const near = await relayTo(port)
    const collector = start({}, { ...sourceOf({ history_hours: 1 }), port: near })
    await moreOf('oven', 'press')
    await cut()
    await until('the loss is noticed', () => collector.status().state === 'reconnecting')
    const from = Date.now()
    await until('the time has passed', () => Date.now() > from + 1_000)
    await serveHistory([OVEN, PRESS], [from + 500], 1)
    let asked = 0
    Object.assign(server.server, { _on_HistoryReadRequest: () => void asked++ })
    await relayTo(port, near)
    await until('the history is requested', () => asked > 0)
    await cut()
    await until('the loss is noticed', () => collector.status().state === 'reconnecting')
    await serveHistory([PRESS, OVEN], [from + 500], 2)
    await relayTo(port, near)
    await until('the history', () => sink.values('oven').includes(802) && sink.values('press').includes(42))
    expect([Math.min(...valuesOf('oven')) >= 800, Math.max(...valuesOf('press')) < 100]).toEqual([true, true])
  })
})
