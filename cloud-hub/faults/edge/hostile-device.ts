import { readFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import path from 'node:path'
import mqtt from 'mqtt'
import { startLocalBroker } from '../../../edge-agent/test/support/local-broker.ts'
import { S7Server } from '../../../edge-agent/test/support/s7-server.ts'
import { rightAnswer, rtuFrame, ScriptedModbus } from '../../../edge-agent/test/support/scripted-modbus.ts'
import { metric, SparkplugPublisher } from '../../../edge-agent/test/support/sparkplug-publisher.ts'
import { startOpcUaProcess } from '../../../edge-agent/test/support/start-opcua-process.ts'
import { until } from '../../test/processes.ts'
import type { Random } from '../random.ts'
import type { FaultRow, RowContext } from '../row.ts'
import { type Site, startSite } from './site.ts'

const POLL_SECONDS = 0.2
const PUBLISH_MS = 100
/** Of so many answers one is changed. */
const CHANGED = 0.3
/** Of so many answers one is worse than changed. */
const WORSE = 0.02
const FLOOD_BYTES = 1_000_000
/** A child is restarted once for the device that ended it, and once more where nobody knows which one it was. */
const RESTARTS_MAX = 2

/** The headers of frames that announce 2 GB, of the protocols that can. */
const ENDLESS = [
  Buffer.from('MSGF\xff\xff\xff\x7f', 'latin1'),
  Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f]),
  Buffer.from([3, 0, 0xff, 0xff]),
]

/** What a device does to an answer: nothing, to change up to four bytes of it, or worse. */
function spoil(answer: Buffer, random: Random, to: Socket): Buffer {
  if (random.uniform() < WORSE) {
    const how = random.whole(0, 3)
    if (how === 0) return Buffer.alloc(FLOOD_BYTES, random.whole(0, 255))
    if (how === 1) return random.pick(ENDLESS)
    to.end(answer.subarray(0, random.whole(0, answer.length)))
    return Buffer.alloc(0)
  }
  if (random.uniform() >= CHANGED) return answer
  const changed = Buffer.from(answer)
  for (let n = random.whole(1, 4); n > 0; n--) changed[random.whole(0, changed.length - 1)] = random.whole(0, 255)
  return changed
}

/** A way to a device on which its answers are spoilt. @returns its port, and how many answers were not as they had been */
async function spoiledWay(context: RowContext, port: number): Promise<{ port: number; spoilt(): number }> {
  let spoilt = 0
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket)
      socket
        .on('error', () => {})
        .on('close', () => {
          open.delete(socket)
          other.destroy()
        })
    }
    near.on('data', (asked) => far.write(asked))
    far.on('data', (answer: Buffer) => {
      const given = spoil(answer, context.random, near)
      if (!given.equals(answer)) spoilt++
      if (given.length > 0 && near.writable) near.write(given)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  context.defer(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  return { port: (server.address() as { port: number }).port, spoilt: () => spoilt }
}

/** A device of each protocol, and the settings of a collector that reads it at a port. */
async function startDevices(context: RowContext) {
  const modbus = await new ScriptedModbus((asked, _, socket) => void socket.write(rightAnswer(asked))).listen()
  context.defer(() => modbus.close())
  const rtu = await new ScriptedModbus((asked, _, socket) => void socket.write(rtuFrame(rightAnswer(asked))), 'rtu').listen()
  context.defer(() => rtu.close())
  const s7 = await S7Server.start({ blocks: new Map([[10, Buffer.alloc(400, 1)]]) })
  context.defer(() => s7.stop())
  const opcua = await startOpcUaProcess({ dir: path.join(context.dir, 'opcua') }, 5)
  context.defer(() => opcua.stop())
  const broker = await startLocalBroker([], context.dir)
  context.defer(() => broker.remove())
  const client = mqtt.connect(`mqtt://127.0.0.1:${broker.port}`)
  context.defer(() => client.endAsync(true))
  const node = new SparkplugPublisher(broker.port, 'faults', 'edge-1', { '': [], press: [metric('pressure', 1, { alias: 1 })] })
  await node.connected()
  let count = 0
  const publishing = setInterval(() => {
    client.publish('plant/press', String(++count))
    node.data('press', [metric('', count, { alias: 1 })])
  }, PUBLISH_MS)
  context.defer(() => {
    clearInterval(publishing)
    node.die()
  })
  const named = { metric_name: 'value', unit: 'celsius' }
  const collector = (protocol: string, name: string, port: number, more: { framing?: string; [setting: string]: unknown }) => ({
    name: `${name}-${more.framing ?? protocol}`,
    protocol,
    machine_identifier: `${name}-${more.framing ?? protocol}`,
    host: '127.0.0.1',
    port,
    poll_interval_seconds: POLL_SECONDS,
    ...more,
  })
  const items = Array.from({ length: 25 }, (_, i) => ({ address: `DB10,INT${16 * i}`, metric_name: `v${i}`, unit: 'celsius' }))
  return [
    {
      port: modbus.port,
      settings: (name: string, port: number) =>
        collector('modbus', name, port, {
          timeout_ms: 500,
          registers: [{ table: 'holding', address: 5, data_type: 'uint16', ...named }],
        }),
    },
    {
      port: rtu.port,
      settings: (name: string, port: number) =>
        collector('modbus', name, port, {
          timeout_ms: 500,
          framing: 'rtu',
          // every other value counts as a bad one: the checksum must refuse each changed frame
          registers: [{ table: 'holding', address: 5, data_type: 'uint16', min: 5, max: 5, ...named }],
        }),
    },
    { port: s7.port, settings: (name: string, port: number) => collector('s7', name, port, { timeout_ms: 500, items }) },
    {
      port: opcua.port,
      settings: (name: string, port: number) => collector('opcua', name, port, { nodes: [{ node_id: 'ns=1;s=N0', ...named }] }),
    },
    {
      port: broker.port,
      settings: (name: string, port: number) => collector('mqtt', name, port, { topics: [{ topic: 'plant/press', ...named }] }),
    },
    {
      port: broker.port,
      settings: (name: string, port: number) =>
        collector('sparkplug', name, port, {
          group: 'faults',
          metrics: [{ node: 'edge-1', device: 'press', metric: 'pressure', ...named }],
        }),
    },
  ]
}

interface Status {
  state: string
  detail: string
  readingsTotal: number
  badValuesTotal: number
}

/** The collectors by name: their state, and what they brought so far; none before the first status of the agent. */
function statusesOf(site: Site): Record<string, Status> {
  try {
    const text = readFileSync(path.join(site.agent.dataDir, 'status.json'), 'utf8')
    return (JSON.parse(text) as { collectors: Record<string, Status> }).collectors
  } catch {
    return {}
  }
}
const goodOnes = (site: Site): [name: string, status: Status][] =>
  Object.entries(statusesOf(site)).filter(([name]) => name.startsWith('good-'))

/** How often the process of a collector ended. */
const restartsOf = (site: Site, name: string): number =>
  site.agent
    .logged('collector status')
    .filter((line) => line.includes(`"${name}"`) && line.includes('the process of this collector')).length

export const edgeHostileDevice: FaultRow = {
  name: 'edge.hostile-device',
  area: 'edge',
  what: 'devices of six protocols answer with changed bytes, floods, cut and endless frames, beside good devices of the same protocols',
  async run(context) {
    const devices = await startDevices(context)
    const ways = await Promise.all(devices.map(({ port }) => spoiledWay(context, port)))
    const collectors = devices.flatMap(({ port, settings }, i) => [
      settings('good', port),
      settings('hostile', (ways[i] as { port: number }).port),
    ])
    const site = await startSite(context, { plant: { units: 2, nodes: 0 }, collectors })
    const isRead = () =>
      goodOnes(site).length === devices.length && goodOnes(site).every(([, { readingsTotal }]) => readingsTotal > 0)
    await until('the good devices are read', isRead).catch((error: Error) => {
      throw new Error(`${error.message}: ${goodOnes(site).map(([name, { state, detail }]) => `${name} ${state} ${detail}`)}`)
    })
    for (let left = context.fullOrShort(300, 30); left > 0; left--) {
      context.say(`the devices are hostile for ${left} s more`)
      await context.sleep(1_000)
    }
    const before = new Map(goodOnes(site).map(([name, { readingsTotal }]) => [name, readingsTotal]))
    const goesOn = () =>
      goodOnes(site).every(([name, { state, readingsTotal }]) => state === 'running' && readingsTotal > (before.get(name) ?? 0))
    await until('the good devices are read on', goesOn).catch((error: Error) => context.reportFailure(error.message))
    const restarts = goodOnes(site).map(([name]) => [name, restartsOf(site, name)] as const)
    for (const [name, count] of restarts)
      if (count > RESTARTS_MAX) context.reportFailure(`${name} was restarted ${count} times for the faults of others`)
    for (const warning of site.agent.logged('Warning:')) context.reportFailure(`the agent printed ${warning}`)
    const passed = statusesOf(site)['hostile-rtu']?.badValuesTotal
    if (passed !== 0) context.reportFailure(`${passed} changed frames passed the checksum of Modbus RTU`)
    for (const [i, { spoilt }] of ways.entries())
      if (spoilt() === 0) context.reportFailure(`no answer of ${collectors[2 * i + 1]?.name} was spoilt`)
    const named = new Set(
      site.agent
        .logged('what the device sent ended the process')
        .map((line) => (JSON.parse(line) as { collector: string }).collector),
    )
    const found = await site.finish()
    const spoilt = ways.reduce((sum, way) => sum + way.spoilt(), 0)
    return {
      ...found,
      note: `${spoilt} answers spoilt; restarts of good ones: ${restarts.map(([name, count]) => `${name} ${count}`).join(', ')}; named: ${[...named].join(', ') || 'none'}`,
    }
  },
}
