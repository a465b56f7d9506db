import { once } from 'node:events'
import { ModbusConfig } from '@haltless/protocol'
import Modbus, { type ServerTCP } from 'modbus-serial'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Collector, createCollector, type ModbusSource, probe } from '../../src/collectors/index.ts'
import { depsFor, Sink, until } from './support.ts'

// An independent peer: modbus-serial's server knows nothing of our client.

const registers = new Uint16Array(65_536)
let server: ServerTCP
let port: number
let collector: Collector | undefined

beforeEach(async () => {
  registers.fill(0)
  server = new Modbus.ServerTCP(
    {
      getHoldingRegister: (address: number) => registers[address] as number,
      getInputRegister: (address: number) => (registers[address] as number) + 1,
      getCoil: (address: number) => address % 3 === 0,
      getDiscreteInput: (address: number) => address % 3 === 1,
    },
    // the server replaces a falsy port by 502, which only root may open; the text '0' is a free port to Node
    { host: '127.0.0.1', port: '0' as unknown as number, unitID: 7 },
  )
  await once(server, 'initialized')
  port = ((server as unknown as { _server: { address(): { port: number } } })._server.address() as { port: number }).port
})
afterEach(async () => {
  await collector?.stop()
  collector = undefined
  await new Promise<void>((resolve) => server.close(() => resolve()))
})

const sourceOf = (config: unknown): ModbusSource => ({
  name: 'peer',
  machine: 'press-1',
  protocol: 'modbus',
  host: '127.0.0.1',
  port,
  pollIntervalSeconds: 0.05,
  config: ModbusConfig.parse({ unit_id: 7, timeout_ms: 500, ...(config as object) }),
})

test('all four tables of an independent server are read, scaled and named', async () => {
  registers.set([0x42f6, 0xe666], 100)
  registers[200] = 65_535
  const sink = new Sink()
  collector = createCollector(
    sourceOf({
      registers: [
        { address: 100, data_type: 'float32', metric_name: 'temperature', unit: 'celsius' },
        { address: 200, data_type: 'int16', scale: 0.5, offset: 10, metric_name: 'pressure', unit: 'bar' },
        { table: 'input', address: 5, metric_name: 'speed', unit: 'rpm', machine_identifier: 'pump-2' },
        { table: 'coil', address: 9, metric_name: 'running', unit: 'state' },
        { table: 'discrete', address: 9, metric_name: 'door', unit: 'state' },
        { address: 200, bit: 15, metric_name: 'alarm', unit: 'state' },
      ],
    }),
    depsFor(sink),
  )
  const before = Date.now()
  collector.start()
  await until('two polls', () => sink.of('alarm').length >= 2)
  const first = sink.readings.slice(0, 6)
  expect(Object.fromEntries(first.map(({ metric, value }) => [metric, value]))).toEqual({
    temperature: Math.fround(123.45),
    pressure: 9.5,
    speed: 1,
    running: 1,
    door: 0,
    alarm: 1,
  })
  expect(first.find(({ metric }) => metric === 'speed')).toMatchObject({ machine: 'pump-2', rawTag: 'input:5', unit: 'rpm' })
  expect(first.find(({ metric }) => metric === 'alarm')).toMatchObject({ machine: 'press-1', rawTag: 'holding:200.15' })
  expect(new Set(first.map(({ timestamp }) => timestamp)).size).toBe(1)
  expect(first[0]?.timestamp).toBeGreaterThanOrEqual(before)
  expect(collector.status()).toMatchObject({ state: 'running', detail: '', badTags: [] })
})

test('2,000 coils and 125 registers come in one request each and none is displaced', async () => {
  registers.set(
    Uint16Array.from({ length: 125 }, (_, i) => i * 500),
    1_000,
  )
  const sink = new Sink()
  collector = createCollector(
    sourceOf({
      registers: [
        ...Array.from({ length: 125 }, (_, i) => ({ address: 1_000 + i, metric_name: `r${i}`, unit: 'u' })),
        ...Array.from({ length: 2_000 }, (_, i) => ({ table: 'coil', address: 30 + i, metric_name: `c${i}`, unit: 'u' })),
      ],
    }),
    depsFor(sink),
  )
  collector.start()
  await until('one poll', () => sink.readings.length >= 2_125)
  const values = sink.readings.slice(0, 2_125).map(({ value }) => value)
  expect(values.slice(0, 125)).toEqual(Array.from({ length: 125 }, (_, i) => i * 500))
  expect(values.slice(125)).toEqual(Array.from({ length: 2_000 }, (_, i) => ((30 + i) % 3 === 0 ? 1 : 0)))
})

test('a probe says what it found, and a wrong unit id in plain words', async () => {
  registers[3] = 42
  const config = { registers: [{ address: 3, metric_name: 'level', unit: 'percent' }] }
  const { onReadings: _, ...deps } = depsFor(new Sink())
  expect(await probe(sourceOf(config), deps)).toMatchObject({
    ok: true,
    summary: `Modbus unit 7 at 127.0.0.1:${port} answers`,
    lines: ['holding:3 level: 42 percent'],
  })
  expect(await probe(sourceOf({}), deps)).toMatchObject({ ok: true, summary: `Modbus unit 7 at 127.0.0.1:${port} answers` })
  const wrong = await probe(sourceOf({ ...config, unit_id: 9, timeout_ms: 60 }), deps)
  expect(wrong).toMatchObject({ ok: false, readings: [] })
  expect(wrong.summary).toContain('unit 9 does not answer within 60 ms; check unit_id')
  const refused = await probe({ ...sourceOf(config), port: 1 }, deps)
  expect(refused.summary).toContain('connection refused; check host and port')
})
