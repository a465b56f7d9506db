import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Collector, createCollector, probe, type S7Source } from '../../src/collectors/index.ts'
import { S7Config } from '../../src/collectors/s7/contract.ts'
import { AgentFile } from '../../src/settings/schema.ts'
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

/** Block 11: what newer CPUs know beside that, and texts. */
function moreTypes(): Buffer {
  const bytes = Buffer.alloc(120)
  bytes.writeInt8(-5, 0)
  bytes.writeBigInt64BE(-9_007_199_254_740_991n, 2)
  bytes.writeBigUInt64BE(4_000_000_046n, 10)
  bytes.write('7', 18)
  bytes.set([10, 4], 20)
  bytes.write('12.5', 22)
  bytes.writeUInt16BE(5, 40)
  bytes.writeUInt16BE(2, 42)
  bytes.set(Buffer.from('42', 'utf16le').swap16(), 44)
  bytes.writeInt32BE(-1_500, 60)
  // 12.7 s: 127 of 0.1 s
  bytes.writeUInt16BE(0x1127, 64)
  bytes.set([0x26, 0x11, 0x27, 0x15, 0x30, 0x59, 0x12, 0x36], 66)
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
  ['M,DINT4', 0x02_00_00_01],
  ['DB11,SINT0', -5],
  ['DB11,LINT2', -9_007_199_254_740_991],
  ['DB11,ULINT10', 4_000_000_046],
  ['DB11,CHAR18', 7],
  ['DB11,STRING20.10', 12.5],
  ['DB11,WSTRING40.5', 42],
  ['DB11,TIME60', -1_500],
  ['DB11,S5TIME64', 12_700],
  ['DB11,DATE_AND_TIME66', Date.UTC(2026, 10, 27, 15, 30, 59, 123) / 1_000],
  ['T1', 30_000],
  ['C2', 999],
]

beforeEach(async () => {
  sink = new Sink()
  const markers = Buffer.alloc(16)
  markers.writeUInt16BE(515, 2)
  markers.writeUInt32BE(0x02_00_00_01, 4)
  plc = await S7Server.start({
    blocks: new Map([
      [10, block()],
      [11, moreTypes()],
    ]),
    timers: Buffer.from([0, 0, 0x20, 0x30]),
    counters: Buffer.from([0, 0, 0, 0, 0x09, 0x99]),
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
    const read = new Map(sink.readings.map(({ rawTag, value }) => [rawTag, value]))
    expect(GOLDEN.map(([address]) => [address, read.get(address)])).toEqual(GOLDEN)
    expect(collector?.status()).toMatchObject({ state: 'running', detail: '', badTags: [] })
  })

  it('is read with scale and offset, for the machine that a tag names', async () => {
    start(sourceWith([{ ...itemOf('DB10,INT4'), scale: 0.1, offset: 200, machine_identifier: 'oven' }]))
    await until('a value is read', () => sink.readings.length > 0)
    expect(sink.readings[0]).toMatchObject({ machine: 'oven', value: 76.6, unit: 'u' })
  })

  it('has no reading of a value that its tag rules out, and maps texts', async () => {
    plc.memory.blocks.set(12, Buffer.from('\x0a\x07RUNNING\0\0\0\x7f\xff\x0a\x06JAMMED', 'latin1'))
    const values = { RUNNING: 1, STOPPED: 0 }
    const items = [
      { ...itemOf('DB12,STRING0.10'), values },
      { ...itemOf('DB12,STRING14.6'), values },
      { ...itemOf('DB12,INT12'), invalid: [32_767] },
      { ...itemOf('DB10,INT4'), scale: 0.1, min: -100 },
    ]
    start(sourceWith(items))
    await until('three polls', () => sink.of('DB12,STRING0.10').length >= 3)
    expect(new Set(sink.readings.map(({ rawTag, value }) => `${rawTag} ${value}`))).toEqual(new Set(['DB12,STRING0.10 1']))
    expect(Object.fromEntries(collector?.status().badTags.map(({ rawTag, reason }) => [rawTag, reason]) ?? [])).toEqual({
      'DB12,STRING14.6': '"JAMMED" is neither in values nor a number',
      'DB12,INT12': 'the device sent 32767, which is listed as invalid',
      'DB10,INT4': 'the value is below min -100',
    })
    expect(collector?.status().badValuesTotal).toBeGreaterThanOrEqual(9)
    const { lines } = await probe(sourceWith([itemOf('DB12,INT12')]), depsFor(sink))
    expect(lines).toEqual(['DB12,INT12 DB12,INT12: 32767 u; devices often send 32767 for no value: if so, set invalid: [32767]'])
  })

  it('loses no neighbour of an address that does not exist, and names that address', async () => {
    const running = start(sourceWith(['DB10,REAL0', 'DB10,INT38', 'DB10,INT40', 'DB99,INT0', 'DB10,REAL30'].map(itemOf)))
    await until('the good values are read', () => sink.readings.length >= 4)
    expect(new Set(sink.readings.map(({ rawTag }) => rawTag))).toEqual(new Set(['DB10,REAL0', 'DB10,INT38']))
    expect(running.status()).toMatchObject({ state: 'running', detail: '3 of 5 tags cannot be read' })
    expect(Object.fromEntries(running.status().badTags.map(({ rawTag, reason }) => [rawTag, reason]))).toEqual({
      'DB10,INT40': expect.stringContaining('behind the end of its block'),
      'DB99,INT0': expect.stringContaining('PUT/GET must be permitted'),
      'DB10,REAL30': 'the value is not a finite number',
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

  it('is read within the size of requests and answers that it grants', async () => {
    plc.pduBytes = 240
    const wide = Array.from({ length: 9 }, (_, i) => `DB${20 + i},REAL${400 * (i % 2)}`)
    for (const [i] of wide.entries()) plc.memory.blocks.set(20 + i, Buffer.alloc(404))
    const dense = Array.from({ length: 300 }, (_, i) => `DB12,INT${2 * i}`)
    plc.memory.blocks.set(12, Buffer.alloc(600, 1))
    start(sourceWith([...wide, ...dense].map(itemOf)))
    await until('all values are read', () => sink.readings.length >= 309)
    expect(collector?.status()).toMatchObject({ state: 'running', detail: '' })
    // 600 bytes in three answers of at most 222 bytes, the last of them shared with single values.
    expect(plc.reads).toBeLessThanOrEqual(4 * Math.ceil(sink.readings.length / 309))
  })

  it('gives no value of an answer that contradicts its request, and reads on', async () => {
    const good = sourceWith([itemOf('DB10,REAL0'), itemOf('M0.1')])
    const running = start(good)
    await until('a value is read', () => sink.readings.length > 0)
    plc.spoil = (answer) => {
      answer.writeUInt16BE(answer.readUInt16BE(16) + 8, 16)
    }
    await until('it is told', () => running.status().badTags.length === 2)
    expect(running.status().badTags[0]?.reason).toBe('the answer of the PLC contradicts the request')
    const before = sink.readings.length
    plc.spoil = null
    await until('values are read again', () => sink.readings.length > before)
    expect(sink.readings.every(({ rawTag, value }) => value === (rawTag === 'M0.1' ? 0 : 72.5))).toBe(true)
  })

  it.each([
    ['a reference that nobody asked with', (answer: Buffer) => answer.writeUInt16BE(0xffff, 4)],
    ['another protocol', (answer: Buffer) => answer.writeUInt8(0x33, 0)],
    ['lengths that do not fit', (answer: Buffer) => answer.writeUInt16BE(0x7fff, 8)],
  ])('is connected anew after an answer with %s', async (_, spoil) => {
    const running = start(sourceWith([itemOf('DB10,REAL0')]))
    await until('a value is read', () => sink.readings.length > 0)
    plc.spoil = spoil
    await until('the loss is told', () => running.status().detail === 'the device sent something that is not S7')
    const before = sink.readings.length
    plc.spoil = null
    await until('values are read again', () => sink.readings.length > before)
    expect(new Set(sink.readings.map(({ value }) => value))).toEqual(new Set([72.5]))
  })

  it.each([
    ['what is no packet', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['a packet of no length', Buffer.from([3, 0, 0, 0])],
    ['a packet without end', Buffer.from([3, 0, 0xff, 0xff, ...Buffer.alloc(200)])],
    ['a header that is longer than its packet', Buffer.from([3, 0, 0, 7, 0xff, 0xf0, 0x80])],
    ['an empty header', Buffer.from([3, 0, 0, 7, 0, 0xf0, 0x80])],
    [
      'parts of a PDU that never ends',
      Buffer.concat(Array.from({ length: 500 }, () => Buffer.from([3, 0, 0, 9, 2, 0xf0, 0, 1, 1]))),
    ],
  ])('that sends %s is connected anew, with the reason', async (_, bytes) => {
    const running = start(sourceWith([itemOf('DB10,REAL0')]))
    await until('a value is read', () => sink.readings.length > 0)
    plc.unasked = bytes
    await until('it is told', () => running.status().detail === 'the device sent something that is not S7')
    plc.unasked = null
    const before = sink.readings.length
    await until('values are read again', () => sink.readings.length > before)
  })

  it('that permits nothing, or ends the connection, is told with what to do', async () => {
    plc.spoil = (answer) => answer.writeUInt16BE(0x8104, 10)
    const running = start(sourceWith([itemOf('DB10,REAL0')]))
    await until('it is told', () => running.status().state === 'failing')
    expect(running.status().detail).toContain('PUT/GET must be permitted')
    plc.spoil = null
    plc.refusesConnections = true
    plc.drop()
    await until('it is told', () => running.status().detail.includes('check rack and slot'))
  })

  it('names texts, times and counters that hold no number', async () => {
    const bad = Buffer.alloc(80, 0xff)
    bad.set([10, 3, 0x52, 0x55, 0x4e], 0)
    plc.memory.blocks.set(13, bad)
    const running = start(sourceWith(['DB13,STRING0.10', 'DB13,STRING12.20', 'DB13,S5TIME40', 'DB13,DT50', 'M0.0'].map(itemOf)))
    await until('a value is read', () => sink.readings.length > 0)
    expect(Object.fromEntries(running.status().badTags.map(({ rawTag, reason }) => [rawTag, reason]))).toEqual({
      'DB13,STRING0.10': '"RUN" is no number',
      'DB13,STRING12.20': 'the text is longer than its declaration',
      'DB13,S5TIME40': 'the value is no S5TIME',
      'DB13,DT50': 'the value is no date',
    })
  })

  it('keeps one connection, and closes it on stop', async () => {
    const running = start(sourceWith([itemOf('DB10,REAL0')]))
    await until('several polls', () => plc.reads > 5)
    expect(plc.connections).toBe(1)
    await running.stop()
    await until('no connection is left', () => plc.connections === 0)
  })

  it('is only ever asked to connect and to read', async () => {
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

  it.each([
    ...[
      'DB10',
      'DB10,REAL',
      'DB10,X4',
      'DB10,X4.8',
      'DB10,STRING0',
      'DB10,STRING0.255',
      'DB10,STRING0.0',
      'REAL4',
      'T2048',
      'M0',
    ],
    ...['DB10,REAL0.2', 'DB65536,INT0', 'DB10,INT65535', 'DB10,COUNTER0', 'M,FOO1', 'MX1'],
  ])('refuse the address %s', (address) => {
    expect(collectorWith({ items: [itemOf(address)] }).error?.issues[0]).toMatchObject({
      path: ['collectors', 0, 'items', 0, 'address'],
      message: expect.stringContaining('such as DB10,REAL4'),
    })
  })

  it('refuse a key that does not exist, and no items', () => {
    expect(collectorWith({ items: [{ ...itemOf('MW0'), scall: 2 }] }).success).toBe(false)
    expect(collectorWith({ items: [] }).success).toBe(false)
  })
})
