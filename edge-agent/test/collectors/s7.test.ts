import NodeS7 from 'nodes7'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Collector, createCollector, probe, type S7Source } from '../../src/collectors/index.ts'
import { S7Config } from '../../src/collectors/s7/contract.ts'
import { AgentFile } from '../../src/config-schema.ts'
import { S7Server } from '../support/s7-server.ts'
import { depsFor, Sink, until } from './support.ts'

let plc: S7Server
let collector: Collector | undefined
let sink: Sink

/** Bytes 0 to 39 of data block 10; what they hold stands in GOLDEN. */
function block(): Buffer {
  const bytes = Buffer.alloc(40)
  bytes.writeFloatBE(72.5, 0)
  bytes.writeInt16BE(-1_234, 4)
  bytes.writeUInt16BE(54_321, 6)
  bytes.writeInt32BE(-70_000, 8)
  bytes.writeUInt32BE(4_000_000_000, 12)
  bytes[16] = 0b0000_0100
  bytes[17] = 200
  bytes.writeDoubleBE(Math.PI, 18)
  bytes.writeFloatBE(Number.NaN, 30)
  return bytes
}
const GOLDEN: [address: string, value: number][] = [
  ['DB10,REAL0', 72.5],
  ['DB10,INT4', -1_234],
  ['DB10,WORD6', 54_321],
  ['DB10,DINT8', -70_000],
  ['DB10,DWORD12', 4_000_000_000],
  ['DB10,X16.2', 1],
  ['DB10,X16.3', 0],
  ['DB10,BYTE17', 200],
  ['DB10,LREAL18', Math.PI],
  ['MW2', 515],
  ['M4.1', 1],
  ['MD4', 0x02_00_00_01],
  ['IB0', 7],
  ['QB1', 9],
  ['E0.0', 1],
  ['AB1', 9],
]

beforeEach(async () => {
  sink = new Sink()
  const markers = Buffer.alloc(16)
  markers.writeUInt16BE(515, 2)
  markers.writeUInt32BE(0x02_00_00_01, 4)
  plc = await S7Server.start({
    blocks: new Map([[10, block()]]),
    markers,
    inputs: Buffer.from([7, 0]),
    outputs: Buffer.from([0, 9]),
  })
})
afterEach(async () => {
  await collector?.stop()
  collector = undefined
  await plc.stop()
})

const sourceWith = (items: object[], more: object = {}): S7Source => ({
  protocol: 's7',
  name: 'plc',
  machine: 'press',
  host: '127.0.0.1',
  port: plc.port,
  pollIntervalSeconds: 0.05,
  config: S7Config.parse({ timeout_ms: 300, ...more, items }),
})
const itemOf = (address: string) => ({ address, metric_name: address, unit: 'u' })
function start(source: S7Source): Collector {
  collector = createCollector(source, depsFor(sink))
  collector.start()
  return collector
}

describe('a Siemens S7', () => {
  it('is read in every type and area', async () => {
    start(sourceWith(GOLDEN.map(([address]) => itemOf(address))))
    await until('all values are read', () => sink.readings.length >= GOLDEN.length)
    expect(sink.readings.slice(0, GOLDEN.length).map(({ rawTag, value }) => [rawTag, value])).toEqual(GOLDEN)
    expect(collector?.status()).toMatchObject({ state: 'running', detail: '', badTags: [] })
  })

  it('is read with scale and offset, for the machine that a tag names', async () => {
    start(sourceWith([{ ...itemOf('DB10,INT4'), scale: 0.1, offset: 200, machine_identifier: 'oven' }]))
    await until('a value is read', () => sink.readings.length > 0)
    expect(sink.readings[0]).toMatchObject({ machine: 'oven', value: 76.6, unit: 'u' })
  })

  it('loses no neighbour of an address that does not exist, and names that address', async () => {
    const running = start(sourceWith(['DB10,REAL0', 'DB10,INT38', 'DB10,INT40', 'DB99,INT0', 'DB10,REAL30'].map(itemOf)))
    await until('the good values are read', () => sink.readings.length >= 4)
    expect(new Set(sink.readings.map(({ rawTag }) => rawTag))).toEqual(new Set(['DB10,REAL0', 'DB10,INT38']))
    expect(running.status()).toMatchObject({ state: 'running', detail: '3 of 5 tags cannot be read' })
    expect(Object.fromEntries(running.status().badTags.map(({ rawTag, reason }) => [rawTag, reason]))).toEqual({
      'DB10,INT40': expect.stringContaining('refuses'),
      'DB99,INT0': expect.stringContaining('PUT/GET must be permitted'),
      'DB10,REAL30': 'its value is no finite number',
    })
  })

  it('is connected again after it was restarted, and after it was silent', async () => {
    const running = start(sourceWith([itemOf('DB10,REAL0')]))
    await until('a value is read', () => sink.readings.length > 0)
    plc.drop()
    await until('the loss is told', () => running.status().state === 'reconnecting')
    const before = sink.readings.length
    await until('values are read again', () => sink.readings.length > before)
    plc.answers = false
    await until('the silence is told', () => running.status().detail === 'the PLC stopped answering')
    plc.answers = true
    const then = sink.readings.length
    await until('values are read again', () => sink.readings.length > then)
    expect(plc.connections).toBe(1)
  })

  it('keeps one connection, and closes it on stop', async () => {
    const running = start(sourceWith([itemOf('DB10,REAL0')]))
    await until('several polls', () => plc.reads > 5)
    expect(plc.connections).toBe(1)
    await running.stop()
    await until('no connection is left', () => plc.connections === 0)
  })

  it('is never written to, whichever call of the library is made', async () => {
    const library = new NodeS7({ silent: true }) as unknown as Record<string, () => void>
    for (const name of ['writeItems', 'prepareWritePacket', 'sendWritePacket'])
      expect(() => library[name]?.()).toThrow('this agent never writes to a PLC')
    start(sourceWith(GOLDEN.map(([address]) => itemOf(address))))
    await until('several polls', () => plc.reads > 5)
    expect(plc.others).toEqual([])
  })
})

describe('check of a Siemens S7', () => {
  const deps = () => {
    const { onReadings: _, ...rest } = depsFor(sink)
    return rest
  }

  it('shows the value of each item', async () => {
    const found = await probe(sourceWith([itemOf('DB10,REAL0'), itemOf('DB10,INT99')]), deps())
    expect(found).toMatchObject({ ok: false, answered: true, summary: expect.stringContaining('1 of 2 tags cannot be read') })
    expect(found.lines).toEqual(['DB10,REAL0 DB10,REAL0: 72.5 u', expect.stringMatching(/^DB10,INT99 .*refuses/)])
  })

  it('reports what to check when nothing answers, or something that is no PLC', async () => {
    plc.answers = false
    const silent = await probe(sourceWith([itemOf('MW2')]), deps())
    expect(silent).toMatchObject({
      ok: false,
      answered: false,
      summary: expect.stringMatching(/does not answer; check host, rack/),
    })
    const source = sourceWith([itemOf('MW2')])
    await plc.stop()
    const refused = await probe(source, deps())
    expect(refused.summary).toMatch(/connection refused/)
    plc = await S7Server.start({})
  })
})

describe('settings of a Siemens S7', () => {
  const collectorWith = (more: object) =>
    AgentFile.safeParse({
      hub: { url: 'https://hub.example.com', api_key: 'hk_x' },
      collectors: [{ protocol: 's7', name: 'press', machine_identifier: 'press-01', host: '10.20.0.9', ...more }],
    })

  it('have defaults for an S7-1500', () => {
    expect(collectorWith({ items: [itemOf('db10,real4')] }).data?.collectors[0]).toMatchObject({
      port: 102,
      rack: 0,
      slot: 1,
      timeout_ms: 2_000,
      items: [{ address: 'DB10,REAL4', scale: 1, offset: 0 }],
    })
  })

  it.each(['DB10', 'DB10,REAL', 'DB10,X4', 'DB10,X4.8', 'DB10,STRING0.20', 'REAL4', 'T5', 'M0', 'DB10,REAL0.2'])(
    'refuse the address %s',
    (address) => {
      expect(collectorWith({ items: [itemOf(address)] }).error?.issues[0]).toMatchObject({
        path: ['collectors', 0, 'items', 0, 'address'],
        message: expect.stringContaining('such as DB10,REAL4'),
      })
    },
  )

  it('refuse a key that does not exist, and no items', () => {
    expect(collectorWith({ items: [{ ...itemOf('MW0'), scall: 2 }] }).success).toBe(false)
    expect(collectorWith({ items: [] }).success).toBe(false)
  })
})
