import { ModbusConfig } from '@haltless/protocol'
import { afterEach, expect, test } from 'vitest'
import { type Collector, createCollector } from '../../src/collectors/index.ts'
import { type Asked, rightAnswer, rtuFrame, type Script, ScriptedModbus } from '../support/scripted-modbus.ts'
import { depsFor, Sink, until } from './support.ts'

const devices: ScriptedModbus[] = []
const collectors: Collector[] = []
afterEach(async () => {
  await Promise.all(collectors.splice(0).map((collector) => collector.stop()))
  await Promise.all(devices.splice(0).map((device) => device.close()))
})

async function device(script: Script, framing: 'tcp' | 'rtu' = 'tcp'): Promise<ScriptedModbus> {
  const made = await new ScriptedModbus(script, framing).listen()
  devices.push(made)
  return made
}

function start(port: number, addresses: number[], config: Partial<ModbusConfig> = {}, table = 'holding'): Sink {
  const sink = new Sink()
  const collector = createCollector(
    {
      name: 'limited',
      machine: 'm',
      protocol: 'modbus',
      host: '127.0.0.1',
      port,
      pollIntervalSeconds: 0.02,
      config: ModbusConfig.parse({
        timeout_ms: 50,
        registers: addresses.map((address) => ({ table, address, metric_name: `m${address}`, unit: 'u' })),
        ...config,
      }),
    },
    depsFor(sink),
  )
  collectors.push(collector)
  collector.start()
  return sink
}

const LIMIT = 32
const run = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i)
/** 100 registers in one block, and 60 in another. */
const ADDRESSES = [...run(0, 100), ...run(1_000, 60)]
const allTrue = (sink: Sink) => sink.readings.every(({ metric, value }) => metric === `m${value}`)
const hasAll = (sink: Sink) => new Set(sink.readings.map(({ metric }) => metric)).size === ADDRESSES.length
const isTooLong = ({ quantity }: Asked) => quantity > LIMIT

test.each<[string, Script]>([
  ['closes the connection on', (_asked, _device, socket) => void socket.destroy()],
  ['ignores', () => {}],
  ['answers less than', (asked, _device, socket) => void socket.write(rightAnswer({ ...asked, quantity: LIMIT }))],
  ['cuts the answer short to', (asked, _device, socket) => void socket.write(rightAnswer(asked).subarray(0, 70))],
])('a device that %s a request beyond its limit is asked for less, and the limit is kept', async (_name, refuse) => {
  const limited = await device((asked, made, socket) => {
    if (isTooLong(asked)) return refuse(asked, made, socket)
    socket.write(rightAnswer(asked))
  })
  const sink = start(limited.port, ADDRESSES)
  await until('all registers', () => hasAll(sink))
  expect(allTrue(sink)).toBe(true)
  const tooLong = limited.asked.filter(isTooLong).length
  expect(tooLong).toBeLessThanOrEqual(8)
  const before = sink.of('m1000').length
  await until('more polls', () => sink.of('m1000').length >= before + 10)
  expect(limited.asked.filter(isTooLong)).toHaveLength(tooLong)
})

test('an RTU device that ignores a request beyond its limit is asked for less', async () => {
  const limited = await device((asked, _device, socket) => {
    if (!isTooLong(asked)) socket.write(rtuFrame(rightAnswer(asked)))
  }, 'rtu')
  const sink = start(limited.port, ADDRESSES, { framing: 'rtu' })
  await until('all registers', () => hasAll(sink))
  expect(allTrue(sink)).toBe(true)
})

test('max_registers and max_coils bound each request from the first one on', async () => {
  const limited = await device((asked, _device, socket) => void socket.write(rightAnswer(asked)))
  const sink = start(limited.port, ADDRESSES, { max_registers: 20 })
  const coils = start(limited.port, run(0, 200), { max_coils: 64 }, 'coil')
  await until('all values', () => hasAll(sink) && coils.readings.length >= 200)
  expect(Math.max(...limited.asked.filter(({ functionCode }) => functionCode === 3).map(({ quantity }) => quantity))).toBe(20)
  expect(Math.max(...limited.asked.filter(({ functionCode }) => functionCode === 1).map(({ quantity }) => quantity))).toBe(64)
})
