import { ModbusConfig } from '@haltless/protocol'
import { afterEach, expect, test } from 'vitest'
import { type Collector, createCollector, type ModbusSource, probe } from '../../src/collectors/index.ts'
import { crc16 } from '../../src/collectors/modbus/rtu-connection.ts'
import { exceptionAnswer, rightAnswer, rtuFrame, type Script, ScriptedModbus } from '../support/scripted-modbus.ts'
import { depsFor, Sink, until } from './support.ts'

const devices: ScriptedModbus[] = []
const collectors: Collector[] = []
afterEach(async () => {
  await Promise.all(collectors.splice(0).map((collector) => collector.stop()))
  await Promise.all(devices.splice(0).map((device) => device.close()))
})

async function device(script: Script, framing: 'tcp' | 'rtu' = 'rtu'): Promise<ScriptedModbus> {
  const made = await new ScriptedModbus(script, framing).listen()
  devices.push(made)
  return made
}

const sourceOf = (port: number, config: Partial<ModbusConfig> = {}, addresses = [10]): ModbusSource => ({
  name: `unit ${config.unit_id ?? 1}`,
  machine: `machine-${config.unit_id ?? 1}`,
  protocol: 'modbus',
  host: '127.0.0.1',
  port,
  pollIntervalSeconds: 0.02,
  config: ModbusConfig.parse({
    framing: 'rtu',
    timeout_ms: 100,
    registers: addresses.map((address) => ({ address, metric_name: `m${address}`, unit: 'u' })),
    ...config,
  }),
})

function start(source: ModbusSource): { sink: Sink; collector: Collector } {
  const sink = new Sink()
  const collector = createCollector(source, depsFor(sink))
  collectors.push(collector)
  collector.start()
  return { sink, collector }
}

const probed = (source: ModbusSource) => {
  const { onReadings: _, ...deps } = depsFor(new Sink())
  return probe(source, deps)
}

/** Registers of a scripted device hold their own address. */
const allTrue = (sink: Sink) => sink.readings.every(({ metric, value }) => metric === `m${value}`)

test('the checksum is the one of the Modbus specification', () => {
  expect(crc16(Buffer.from('01030000000a', 'hex'))).toBe(0xcdc5)
})

test('RTU frames over TCP are read, also in single bytes and behind noise', async () => {
  const meter = await device(async (asked, _device, socket) => {
    const frame = rtuFrame(rightAnswer(asked))
    if (asked.nth % 3 === 1) socket.write(Buffer.concat([Buffer.from([0, 1, 0xff]), frame]))
    else if (asked.nth % 3 === 2) for (const byte of frame) await new Promise((sent) => socket.write(Buffer.from([byte]), sent))
    else socket.write(frame)
  })
  const { sink, collector } = start(sourceOf(meter.port, {}, [10, 11, 200]))
  await until('readings', () => sink.readings.length >= 30)
  expect(allTrue(sink)).toBe(true)
  expect(meter.connections).toBe(1)
  expect(collector.status().badValuesTotal).toBe(0)
})

test('a late RTU answer is never taken for the next one', async () => {
  // The answer to every third request comes with the next request, on every connection that is still open
  const sockets = new Set<Parameters<Script>[2]>()
  let late: Buffer | null = null
  const slow = await device((asked, _device, socket) => {
    sockets.add(socket)
    if (late) for (const each of sockets) if (!each.destroyed && each !== socket) each.write(late)
    late = asked.nth % 3 === 0 ? rtuFrame(rightAnswer(asked, { bytes: Buffer.from([0xde, 0xad]) })) : null
    if (asked.nth % 3 !== 0) socket.write(rtuFrame(rightAnswer(asked)))
  })
  const { sink } = start(sourceOf(slow.port, { timeout_ms: 50 }))
  await until('readings after unanswered requests', () => sink.readings.length >= 6 && slow.connections >= 3)
  expect(allTrue(sink)).toBe(true)
})

test('a late RTU answer that a serial server passes on to the new connection is skipped', async () => {
  const late = rtuFrame(rightAnswer({ unitId: 1, functionCode: 3 } as never, { id: 0, bytes: Buffer.from([0xde, 0xad]) }))
  const server = await device((asked, _device, socket) => {
    if (asked.connection === 1 && asked.onConnection === 2) return
    socket.write(rtuFrame(rightAnswer(asked)))
  })
  server.onConnection = (socket, connection) => void (connection === 2 && socket.write(late))
  const { sink } = start(sourceOf(server.port, { timeout_ms: 50 }))
  await until('readings on the second connection', () => server.connections === 2 && sink.readings.length >= 5)
  expect(allTrue(sink)).toBe(true)
})

test.each<[string, (asked: Parameters<Script>[0]) => Buffer, string]>([
  ['a wrong checksum', (asked) => rtuFrame(rightAnswer(asked), 1), 'wrong checksum (CRC)'],
  ['another unit', (asked) => rtuFrame(rightAnswer(asked, { unitId: 5 })), 'asked unit 1, but unit 5 answered'],
  ['another function', (asked) => rtuFrame(rightAnswer(asked, { functionCode: 4 })), 'asked function 3, but function 4'],
  ['another length', (asked) => rtuFrame(rightAnswer(asked, { bytes: Buffer.alloc(6) })), 'asked for 2 bytes, but 6 were'],
  ['half its bytes', (asked) => rtuFrame(rightAnswer(asked)).subarray(0, 4), 'ends after 4 of 7 bytes'],
])('an RTU answer with %s is refused and said so', async (_name, wrong, words) => {
  const wrongful = await device((asked, _device, socket) => void socket.write(wrong(asked)))
  expect((await probed(sourceOf(wrongful.port))).summary).toContain(words)
})

test('an exception of an RTU device is reported, and its unit is there', async () => {
  const without = await device((asked, _device, socket) => void socket.write(rtuFrame(exceptionAnswer(asked, 2))))
  expect(await probed(sourceOf(without.port))).toMatchObject({
    answered: true,
    badTags: [{ reason: expect.stringContaining('illegal data address') }],
  })
})

test('units on one RTU line are requested one at a time, and a silent one does not stop the other', async () => {
  let waiting = 0
  let overlaps = 0
  const line = await device(async (asked, _device, socket) => {
    if (++waiting > 1 && asked.unitId === 1) overlaps++
    await new Promise((later) => setImmediate(later))
    waiting--
    if (asked.unitId === 1) socket.write(rtuFrame(rightAnswer(asked)))
  })
  const alive = start(sourceOf(line.port, { timeout_ms: 50 }))
  start(sourceOf(line.port, { timeout_ms: 50, unit_id: 2 }))
  await until('both were requested', () => line.asked.some(({ unitId }) => unitId === 2) && alive.sink.readings.length >= 10)
  expect(overlaps).toBe(0)
  expect(allTrue(alive.sink)).toBe(true)
})

test('bytes without an end close an RTU connection within a bound', async () => {
  const mad = await device((_asked, _device, socket) => void socket.write(Buffer.alloc(4_096, 0x55)))
  expect((await probed(sourceOf(mad.port, { timeout_ms: 60_000 }))).summary).toContain('something that is not Modbus RTU')
})

test.each(['tcp', 'rtu'] as const)('a device that answers as unit 0 is read over %s when answers_as says so', async (framing) => {
  const zero = await device((asked, _device, socket) => {
    const frame = rightAnswer(asked, { unitId: 0 })
    socket.write(framing === 'rtu' ? rtuFrame(frame) : frame)
  }, framing)
  expect((await probed(sourceOf(zero.port, { framing, unit_id: 7 }))).summary).toContain('asked unit 7, but unit 0 answered')
  expect(await probed(sourceOf(zero.port, { framing, unit_id: 7, answers_as: 0 }))).toMatchObject({ ok: true })
})
