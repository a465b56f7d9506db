import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ModbusConfig, OpcUaConfig } from '@haltless/protocol'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Collector, type CollectorSource, createCollector } from '../../src/collectors/index.ts'
import type { MissedPollSpan } from '../../src/collectors/missed-polls.ts'
import { systemClock } from '../../src/support/clock.ts'
import { DataType, OpcUaSimulator } from '../support/opcua-simulator.ts'
import { rightAnswer, ScriptedModbus } from '../support/scripted-modbus.ts'
import { depsFor, Sink, until } from './support.ts'

const INTERVAL_MS = 50
let dir: string
let server: OpcUaSimulator
let device: ScriptedModbus
/** requests that reached the server or the device */
let requests = 0
let collector: Collector | undefined

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'haltless-pause-'))
  server = await OpcUaSimulator.start({ dir })
  server.add('A', DataType.Double, 1)
  server.server.on('request', (request) => {
    // Clients close their sessions when they pause.
    if (!/Close|Delete/.test(request.schema.name)) requests++
  })
  device = await new ScriptedModbus((asked, _device, socket) => {
    requests++
    socket.write(rightAnswer(asked))
  }).listen()
})
afterEach(() => collector?.stop())
afterAll(async () => {
  await Promise.all([server.stop(), device.close()])
  await rm(dir, { recursive: true })
})

const base = { name: 'plc', machine: 'press', host: '127.0.0.1', pollIntervalSeconds: INTERVAL_MS / 1_000 }
const nodes = [{ node_id: 'ns=1;s=A', metric_name: 'a', unit: 'u' }]
const sources: [string, () => CollectorSource][] = [
  ['polled OPC UA server', () => ({ ...base, protocol: 'opcua', port: server.port, config: OpcUaConfig.parse({ nodes }) })],
  [
    'watched OPC UA server',
    () => ({ ...base, protocol: 'opcua', port: server.port, config: OpcUaConfig.parse({ nodes, mode: 'subscribe' }) }),
  ],
  [
    'Modbus unit',
    () => ({
      ...base,
      protocol: 'modbus',
      port: device.port,
      config: ModbusConfig.parse({ registers: [{ address: 10, metric_name: 'a', unit: 'u' }] }),
    }),
  ],
]

test.each(sources)(
  'a %s is not asked while there is no room for its answers; each poll is counted, and polling goes on',
  async (_, source) => {
    const sink = new Sink()
    const missed: MissedPollSpan[] = []
    let mayPoll = true
    const deps = {
      pkiDir: join(dir, 'pki'),
      mayPoll: () => mayPoll,
      onMissedPolls: (some: MissedPollSpan[]) => void missed.push(...some.filter(({ isOver }) => isOver)),
    }
    const running = createCollector(source(), depsFor(sink, deps))
    collector = running
    running.start()
    await until('readings', () => sink.readings.length >= 5)

    mayPoll = false
    await until('it pauses', () => running.status().state === 'paused')
    expect(running.status().detail).toBe('the buffer is full; polling goes on when it has room again')
    await until('the device is left alone', () => device.open === 0)
    await systemClock.sleep(200)
    const [asked, taken, skipped] = [requests, sink.readings.length, running.status().missedPolls.skipped]
    await systemClock.sleep(20 * INTERVAL_MS)
    expect([requests, sink.readings.length]).toEqual([asked, taken])
    expect(running.status().missedPolls.skipped - skipped).toBeGreaterThanOrEqual(19)

    mayPoll = true
    await until('it polls again', () => sink.readings.length > taken + 5)
    expect(running.status().state).toBe('running')
    await running.stop()
    // Those without an answer passed while it connected.
    const counted = (which: string) => missed.filter(({ reason }) => reason === which).reduce((sum, { count }) => sum + count, 0)
    expect({ skipped: counted('skipped'), failed: counted('no_answer') }).toEqual(running.status().missedPolls)
    expect(missed.every(({ metric, machine }) => metric === null && machine === 'press')).toBe(true)
  },
)
