import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { interpret, textIn } from '../../src/collectors/index.ts'
import { modbusSource } from '../../src/commands/device-address.ts'
import { formatProbe } from '../../src/commands/probe.ts'
import { type ModbusImage, type ModbusServer, startModbusServer } from '../../src/plant/modbus-server.ts'
import { rightAnswer, rtuFrame, ScriptedModbus } from '../support/scripted-modbus.ts'
import { agentCommand } from './agent-command.ts'

const float32 = (value: number) => {
  const data = Buffer.alloc(4)
  data.writeFloatBE(value)
  return [data.readUInt16BE(0), data.readUInt16BE(2)] as const
}
const [HIGH, LOW] = float32(72.9)
const registers = (start: number, ...values: number[]) => values.map((value, i) => [start + i, value] as const)

let device: ModbusServer
let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'haltless-probe-'))
  const image: ModbusImage = {
    holding: new Map([...registers(100, LOW, HIGH), ...registers(200, 587, 803, 12, 4)]),
    input: new Map(registers(0, 7)),
    coil: new Map([[5, 1]]),
    discrete: new Map(),
  }
  device = await startModbusServer('127.0.0.1', 0, new Map([[3, () => image]]))
})
afterAll(async () => {
  await device.stop()
  await rm(dir, { recursive: true })
})

const probe = (...args: string[]) =>
  agentCommand(['probe', `127.0.0.1:${device.port}`, ...args, '--timeout', '300', '--config', join(dir, 'none.yaml')])

describe('probe', () => {
  it('shows a register in every type and byte order, marks the likely ones, and gives the line for the settings', async () => {
    const { code, out } = await probe('100', '--unit', '3')
    expect(code).toBe(0)
    expect(out).toContain('holding 100 to 101: CCCD 4291')
    expect(out).toMatch(/float32 .*72\.9 \*/)
    expect(out).toContain('{ table: holding, address: 100, data_type: float32, byte_order: CDAB, metric_name: ..., unit: ... }')
  })

  it('explains how addresses count where there is no register, and names a missing collector where there is no host', async () => {
    expect((await probe('9000', '--unit', '3')).out).toMatch(/exception 02\)\n\nAddresses count from 0 in each table/)
    const { out } = await agentCommand(['probe', 'no-such-box', '1', '--config', join(dir, 'none.yaml')])
    expect(out).toMatch(/host name.*, and .*none\.yaml has no collector of this name, or is not complete\n$/)
  })

  it('reads a gateway of Modbus RTU whose device answers as another unit', async () => {
    const gateway = await new ScriptedModbus(
      (asked, _, socket) => void socket.write(rtuFrame(rightAnswer({ ...asked, unitId: 0 }))),
      'rtu',
    ).listen()
    try {
      const none = ['--timeout', '300', '--config', join(dir, 'none.yaml')]
      const address = ['probe', `127.0.0.1:${gateway.port}`, '100', '--framing', 'rtu']
      const { code, out } = await agentCommand([...address, '--unit', '3', '--answers-as', '0', ...none])
      expect([code, out]).toEqual([0, expect.stringMatching(/^Modbus unit 3 at .*: holding 100 to /)])
      expect((await agentCommand([...address, '--unit', '3', ...none])).out).not.toContain('holding 100 to ')
    } finally {
      await gateway.close()
    }
  })

  it('takes neighbouring small registers for values of their own', async () => {
    const { out } = await probe('200', '--unit', '3')
    expect(out).toContain('data_type: int16, byte_order: ABCD')
  })

  it('reads as far as the device has registers, and bits', async () => {
    expect((await probe('0', '--unit', '3', '--table', 'input')).out).toContain('input 0: 0007')
    expect((await probe('5', '--unit', '3', '--table', 'coil')).out).toContain('coil 5 is 1')
  })

  it('scans units only on request, and lists those that answer', async () => {
    const { out } = await probe('--scan-units', '2-4')
    expect(out).toMatch(/^unit 3: illegal data address.*\n$/)
    expect((await probe('--scan-units', '7')).out).toBe('No unit answered.\n')
  })

  it.each([
    [['100'], 1, /Modbus unit 1 at 127.0.0.1:\d+: holding 100: /],
    [['999', '--unit', '3'], 1, /the device has no such register/],
    [[], 1, /Which register\? Give its address/],
    [['70000'], 1, /from 0 to 65535/],
    [['0', '--unit', '256'], 1, /from 0 to 255/],
    [['--scan-units', '9-3'], 1, /a range such as 1-10/],
    [['--scan-units', '1-256'], 1, /a range such as 1-10/],
  ])('says what is wrong with %j', async (args, code, words) => {
    const result = await probe(...args)
    expect(result.code).toBe(code)
    expect(result.out + result.err).toMatch(words)
  })

  it('says how to name a device', async () => {
    const { code, err } = await agentCommand(['probe', 'http://x', '1', '--config', join(dir, 'none.yaml')])
    expect([code, err]).toEqual([
      1,
      'http://x is neither the name of a collector nor a Modbus address, such as 10.20.0.17:502.\n',
    ])
  })

  it('of registers that are all zero or all ones says nothing', () => {
    for (const byte of [0, 0xff])
      expect(interpret(Buffer.alloc(8, byte)).flatMap(({ values }) => values.filter(({ isLikely }) => isLikely))).toEqual([])
    const source = modbusSource('h', [], {})
    expect(formatProbe(source, { table: 'holding', address: 0 }, { data: Buffer.alloc(2) })).toMatch(/Nothing marks one of them/)
  })

  it('prefers a short number of 64 bits to half of it, and shows text', () => {
    const data = Buffer.alloc(8)
    data.writeDoubleBE(72.5)
    expect(formatProbe(modbusSource('h', [], {}), { table: 'holding', address: 0 }, { data })).toContain('data_type: float64')
    expect(textIn(Buffer.from('LOT 7\0\0\0'))).toBe('LOT 7')
    expect(textIn(Buffer.from([1, 2, 3, 4]))).toBeNull()
  })
})
