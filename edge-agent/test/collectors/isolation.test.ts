import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { OpcUaConfig } from '@haltless/protocol'
import { DataType } from 'node-opcua'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { CollectorDeps, OpcUaSource } from '../../src/collectors/collector.ts'
import { CollectorHosts } from '../../src/collectors/host/collector-hosts.ts'
import type { MissedPollSpan } from '../../src/collectors/missed-polls.ts'
import { OpcUaSimulator } from '../support/opcua-simulator.ts'
import { depsFor, Sink, until } from './support.ts'

/** Loading node-opcua in a child takes a while on a busy machine. */
const PATIENCE_MS = 90_000
/** An acknowledgement that grants chunks of no bytes: node-opcua divides by it. Source: OPC 10000-6, 7.1.2.4 */
const CHUNKS_OF_NOTHING = Buffer.concat([Buffer.from('ACKF'), Buffer.from(new Uint32Array([28, 0, 0, 0, 0, 0]).buffer)])

let dir: string
let plant: OpcUaSimulator
let hosts: CollectorHosts
const running: { stop(): Promise<void> }[] = []
const servers: Server[] = []

beforeAll(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'haltless-isolation-'))
  plant = await OpcUaSimulator.start({ dir })
  plant.add('Temperature', DataType.Double, 21.5)
  plant.addTo(plant.folder('Press'), 'Pressure', DataType.Double, 3)
})
afterEach(async () => {
  await Promise.all(running.splice(0).map((collector) => collector.stop()))
  hosts.close()
  for (const server of servers.splice(0)) server.close()
})
afterAll(async () => {
  await plant.stop()
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
})

async function serverThatAnswers(answer: Buffer): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {}).once('data', () => socket.write(answer))
  })
  servers.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return (server.address() as { port: number }).port
}

const sourceOf = (name: string, port: number): OpcUaSource => ({
  protocol: 'opcua',
  name,
  machine: name,
  host: '127.0.0.1',
  port,
  pollIntervalSeconds: 0.2,
  config: OpcUaConfig.parse({ nodes: [{ node_id: 'ns=1;s=Temperature', metric_name: 'temperature', unit: 'celsius' }] }),
})

function start(name: string, port: number, more: Partial<CollectorDeps> = {}) {
  const sink = new Sink()
  const collector = hosts.create(sourceOf(name, port), depsFor(sink, { pkiDir: path.join(dir, 'pki'), ...more }))
  running.push(collector)
  collector.start()
  return { collector, sink }
}
const eventually = (what: string, condition: () => boolean) => until(what, condition, PATIENCE_MS)

describe('collectors whose library parses what devices send', () => {
  it('run in a process of their own, and hand on readings, statuses and their end', async () => {
    hosts = new CollectorHosts()
    const { collector, sink } = start('good', plant.port)
    await eventually('values are read', () => sink.readings.length > 3)
    expect(sink.readings[0]).toMatchObject({ machine: 'good', metric: 'temperature', value: 21.5, unit: 'celsius' })
    expect(new Set(sink.readings.map(({ timestamp }) => timestamp)).size).toBe(sink.readings.length)
    await eventually('the status arrives', () => collector.status().state === 'running')
    expect(hosts.pids()).toHaveLength(1)
    expect(hosts.pids()).not.toContain(process.pid)
    await collector.stop()
    expect(collector.status().state).toBe('stopped')
    const count = sink.readings.length
    await eventually('the process ends', () => hosts.pids().length === 0)
    expect(sink.readings).toHaveLength(count)
  })

  it('lose one restart to a device that ends their process, which is named and runs alone from then on', async () => {
    hosts = new CollectorHosts()
    const good = start('good', plant.port)
    await eventually('values are read', () => good.sink.readings.length > 0)
    const [first] = hosts.pids()
    const hostile = start('hostile', await serverThatAnswers(CHUNKS_OF_NOTHING))
    await eventually('the hostile device is named', () => hostile.collector.status().state === 'failing')
    expect(hostile.collector.status().detail).toMatch(
      /^what the device sent ended the process of this collector \(.+\); it starts again in \d+ s$/,
    )
    await eventually('another process runs', () => hosts.pids().some((pid) => pid !== first))
    const before = good.sink.readings.length
    await eventually(
      'the good device is read again',
      () => good.sink.readings.length > before && good.collector.status().state === 'running',
    )
    const second = good.collector.status().readingsTotal
    expect(second).toBeGreaterThan(before)
    const ends = () => hostile.collector.status().detail
    await eventually(
      'the hostile device ended its process again',
      () => hosts.pids().length === 1 && ends().includes('starts again in'),
    )
    const later = good.sink.readings.length
    await eventually('the good device goes on', () => good.sink.readings.length > later + 10)
    expect(good.collector.status()).toMatchObject({ state: 'running', detail: '' })
  })

  it('count the polls that a process missed which was killed, and go on', async () => {
    hosts = new CollectorHosts()
    const spans: MissedPollSpan[] = []
    const { collector, sink } = start('good', plant.port, {
      onMissedPolls: (given) => spans.push(...given.filter(({ isOver }) => isOver)),
    })
    await eventually('values are read', () => sink.readings.length > 0)
    const before = collector.status().readingsTotal
    process.kill(hosts.pids()[0] as number, 'SIGKILL')
    await eventually('the status names the end', () => collector.status().detail.includes('it was ended by SIGKILL'))
    const count = sink.readings.length
    await eventually('values are read again', () => sink.readings.length > count && collector.status().state === 'running')
    expect(spans).toContainEqual(expect.objectContaining({ machine: 'good', metric: null, reason: 'no_answer' }))
    expect(collector.status().missedPolls.failed).toBeGreaterThan(0)
    expect(collector.status().readingsTotal).toBeGreaterThanOrEqual(before)
  })

  it('are taken from a process that stands still', async () => {
    hosts = new CollectorHosts({ silenceMs: 20_000 })
    const { collector, sink } = start('good', plant.port)
    await eventually('values are read', () => sink.readings.length > 0)
    process.kill(hosts.pids()[0] as number, 'SIGSTOP')
    await eventually('the status names the end', () => collector.status().detail.includes('it stood still'))
    const count = sink.readings.length
    await eventually('values are read again', () => sink.readings.length > count)
  })

  it('of a tenant leave the shared process together with the one that ended it, and a question never ends it', async () => {
    hosts = new CollectorHosts({ hasTenants: true })
    const [mine, theirs] = [async () => '127.0.0.1', async () => '127.0.0.1']
    const good = start('good', plant.port, { resolveHost: mine })
    const other = start('other', plant.port, { resolveHost: theirs })
    await eventually('values are read', () => good.sink.readings.length > 0 && other.sink.readings.length > 0)
    const [shared] = hosts.pids()
    const { onReadings: _, ...deps } = depsFor(new Sink(), { pkiDir: path.join(dir, 'pki'), resolveHost: theirs })
    const port = await serverThatAnswers(CHUNKS_OF_NOTHING)
    const found = await hosts.probe(sourceOf('asked', port), deps, AbortSignal.timeout(PATIENCE_MS))
    expect(found).toMatchObject({ answered: false, summary: 'the process that read the device ended' })
    expect(hosts.pids()).toEqual([shared])

    const hostile = start('hostile', port, { resolveHost: theirs })
    await eventually('the hostile device is named', () => hostile.collector.status().state === 'failing')
    await eventually(
      'the good device is read again',
      () => good.collector.status().state === 'running' && !hosts.pids().includes(shared as number),
    )
    const before = good.sink.readings.length
    const ended = () => other.collector.status().detail
    await eventually('the other device of the tenant shares its fate', () =>
      ended().startsWith('the process of this collector ended'),
    )
    await eventually('the good device goes on', () => good.sink.readings.length > before + 10)
    expect(good.collector.status()).toMatchObject({ state: 'running', detail: '' })
  })

  it('wait for the disk: a process hands on no more than is stored', async () => {
    hosts = new CollectorHosts()
    const waiting: (() => void)[] = []
    const { collector } = start('good', plant.port, {
      onReadings: () => new Promise<void>((stored) => waiting.push(stored)),
    })
    await eventually('eight polls wait', () => waiting.length === 8)
    await new Promise((done) => setTimeout(done, 1_000))
    expect(waiting).toHaveLength(8)
    for (const stored of waiting.splice(0)) stored()
    await eventually('it goes on', () => waiting.length > 0)
    const stopping = collector.stop()
    for (const stored of waiting.splice(0)) stored()
    await stopping
  })

  it('dial only what their agent allows', async () => {
    hosts = new CollectorHosts()
    const { collector } = start('good', plant.port, {
      resolveHost: async (host, port) => {
        throw new Error(`${host}:${port} is not allowed here`)
      },
    })
    await eventually('it is told', () => collector.status().detail.includes(`127.0.0.1:${plant.port} is not allowed here`))
  })

  it('stop at once while their process waits to start again', async () => {
    hosts = new CollectorHosts()
    const { collector } = start('hostile', await serverThatAnswers(CHUNKS_OF_NOTHING))
    await eventually('it ended its process', () => collector.status().state === 'failing')
    await collector.stop()
    expect(collector.status().state).toBe('stopped')
  })
})

describe('a person who looks at a device', () => {
  const look = (port: number) => {
    const source = {
      protocol: 'opcua' as const,
      name: 'x',
      machine: 'x',
      host: '127.0.0.1',
      port,
      pollIntervalSeconds: 1,
      config: OpcUaConfig.parse({}),
    }
    const { onReadings: _, ...deps } = depsFor(new Sink(), { pkiDir: path.join(dir, 'pki') })
    return hosts.browse(
      source,
      { search: 'pressure', page: 1, page_size: 100, table: 'holding' },
      1_000,
      deps,
      AbortSignal.timeout(PATIENCE_MS),
    )
  }

  it('sees its nodes through the process, which ends afterwards', async () => {
    hosts = new CollectorHosts({ idleMs: 100 })
    const { error, nodes } = await look(plant.port)
    expect(error).toBeNull()
    expect(nodes.map(({ path: names }) => names.at(-1))).toEqual(['Pressure'])
    await eventually('the process ends', () => hosts.pids().length === 0)
  })

  it('is told when the device ends the process', async () => {
    hosts = new CollectorHosts()
    expect((await look(await serverThatAnswers(CHUNKS_OF_NOTHING))).error).toBe('the process that read the device ended')
  })
})
