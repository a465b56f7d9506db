import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ModbusConfig, OpcUaConfig } from '@haltless/protocol'
import {
  AttributeIds,
  type ClientSession,
  MessageSecurityMode,
  OPCUACertificateManager,
  OPCUAClient,
  SecurityPolicy,
} from 'node-opcua'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Plant, plantAgentCollectors, plantMachines, startPlant } from '../src/plant/main.ts'
import { createPlantPhysics, type PlantValues } from '../src/plant/physics.ts'

const SEED = 5
/** seconds after the start of the plant; it stands still unless a test moves it on. At first the bearing is almost gone */
let moment = 110

let dir: string
let plant: Plant

beforeAll(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'plant-test-'))
  let started = false
  // in the middle of a step, so that rounding cannot decide which one it is
  const monotonic = () => (started ? moment * 1_000 + 50 : 0)
  const clock = { now: () => 1_700_000_000_000 + monotonic(), monotonic }
  plant = await startPlant({
    host: '127.0.0.1',
    opcuaPort: 0,
    modbusPort: 0,
    seed: SEED,
    clock,
    dataDir: path.join(dir, 'plant'),
  })
  started = true
})
afterAll(async () => {
  await plant.stop()
  rmSync(dir, { recursive: true, force: true })
})

/** What the servers must show at this moment. */
function now(): PlantValues {
  const physics = createPlantPhysics(SEED)
  while (physics.time < moment) physics.step()
  return physics.values
}

async function withSession<T>(
  security: { securityMode: MessageSecurityMode; securityPolicy: SecurityPolicy },
  use: (session: ClientSession) => Promise<T>,
): Promise<T> {
  const client = OPCUAClient.create({
    ...security,
    connectionStrategy: { maxRetry: 0 },
    clientCertificateManager: new OPCUACertificateManager({
      rootFolder: path.join(dir, 'client'),
      automaticallyAcceptUnknownCertificate: true,
    }),
  })
  return client.withSessionAsync(plant.opcua.endpointUrl, use)
}
const open = { securityMode: MessageSecurityMode.None, securityPolicy: SecurityPolicy.None }

describe('the OPC UA server of the plant', () => {
  test('serves press, oven and packaging line through one session, each value as the physics has it', async () => {
    const machines = plantMachines.filter((machine) => machine.protocol === 'opc_ua')
    expect(machines.map(({ id }) => id)).toEqual(['press-01', 'oven-01', 'packaging-01'])
    const expected = now()
    await withSession(open, async (session) => {
      for (const { id, tags } of machines) {
        const index = (await session.readNamespaceArray()).indexOf('urn:haltless:plant')
        const nodeIds = tags.map(({ nodeId }) => nodeId.replace('nsu=urn:haltless:plant', `ns=${index}`))
        const values = await session.read(nodeIds.map((nodeId) => ({ nodeId, attributeId: AttributeIds.Value })))
        tags.forEach(({ metric, nodeId }, index) => {
          expect(values[index]?.statusCode.name, nodeId).toBe('Good')
          expect(Number(values[index]?.value.value), nodeId).toBe(expected[id][metric])
        })
      }
    })
  })

  test('speaks Basic256Sha256, signed and encrypted', async () => {
    const security = { securityMode: MessageSecurityMode.SignAndEncrypt, securityPolicy: SecurityPolicy.Basic256Sha256 }
    const value = await withSession(security, (session) => session.read({ nodeId: 'ns=2;s=Press.IdealCycleSeconds' }))
    expect(value.value.value).toBe(4)
  })

  test('dates a value by its last change', async () => {
    const read = () =>
      withSession(open, (session) =>
        session.read([{ nodeId: 'ns=2;s=Oven.TemperatureSetpoint' }, { nodeId: 'ns=2;s=Oven.HeaterPower' }]),
      )
    const [setpoint, power] = await read()
    moment += 5
    const [setpointLater, powerLater] = await read()
    expect(setpointLater?.sourceTimestamp).toEqual(setpoint?.sourceTimestamp)
    expect(Number(powerLater?.sourceTimestamp) - Number(power?.sourceTimestamp)).toBe(5_000)
  })
})

/** Sends bytes and waits for `frames` whole answers. */
async function modbus(bytes: Buffer | Buffer[], frames = 1): Promise<Buffer[]> {
  const socket: Socket = connect(plant.modbus.port, '127.0.0.1')
  try {
    return await new Promise((resolve, reject) => {
      let pending = Buffer.alloc(0)
      const answers: Buffer[] = []
      socket.once('error', reject)
      socket.once('close', () => reject(new Error('closed')))
      socket.on('data', (chunk) => {
        pending = Buffer.concat([pending, chunk])
        while (pending.length >= 6 && pending.length >= 6 + pending.readUInt16BE(4)) {
          answers.push(pending.subarray(0, 6 + pending.readUInt16BE(4)))
          pending = pending.subarray(6 + pending.readUInt16BE(4))
        }
        if (answers.length >= frames) resolve(answers)
      })
      socket.once('connect', async () => {
        for (const part of [bytes].flat()) {
          socket.write(part)
          await new Promise((next) => setTimeout(next, 5))
        }
      })
    })
  } finally {
    socket.destroy()
  }
}
const request = (unit: number, code: number, address: number, count: number, transaction = 0x1234) =>
  Buffer.from([
    transaction >> 8,
    transaction & 0xff,
    0,
    0,
    0,
    6,
    unit,
    code,
    address >> 8,
    address & 0xff,
    count >> 8,
    count & 0xff,
  ])

describe('the Modbus server of the plant', () => {
  test('pump: input registers in whole hundredths and tenths, with the bearing beyond its critical limit', async () => {
    const [frame] = await modbus(request(1, 4, 0, 6))
    expect(frame?.subarray(0, 9)).toEqual(Buffer.from([0x12, 0x34, 0, 0, 0, 15, 1, 4, 12]))
    const registers = Array.from({ length: 6 }, (_, index) => frame?.readUInt16BE(9 + 2 * index) as number)
    const {
      discharge_pressure: pressure,
      bearing_temperature: temperature,
      vibration,
      speed,
    } = now()['pump-01'] as Record<string, number>
    expect(registers[0]).toBe(Math.round(pressure! / 0.01))
    expect(registers[2]! * 0.1).toBeCloseTo(temperature!, 0)
    expect(registers[3]! * 0.01).toBeCloseTo(vibration!, 1)
    expect(registers[3]! * 0.01).toBeGreaterThan(7.1)
    expect(registers[5]).toBe(Math.round(speed!))
  })

  test('compressor: singles in both word orders and a 32-bit count', async () => {
    const [frame] = await modbus(request(2, 3, 0, 12))
    const words = frame?.subarray(9) as Buffer
    const swapped = (offset: number) =>
      Buffer.concat([words.subarray(offset + 2, offset + 4), words.subarray(offset, offset + 2)])
    const values = now()['compressor-01'] as Record<string, number>
    expect(words.readFloatBE(0)).toBeCloseTo(values.outlet_pressure!, 5)
    expect(swapped(4).readFloatBE()).toBeCloseTo(values.discharge_temperature!, 4)
    expect(words.readFloatBE(12)).toBeCloseTo(values.vibration!, 5)
    expect(swapped(20).readUInt32BE()).toBe(moment)
  })

  test('coils and discrete inputs come as bits, the first one lowest', async () => {
    const [coil] = await modbus(request(2, 1, 0, 1))
    expect(coil?.subarray(7)).toEqual(Buffer.from([1, 1, now()['compressor-01'].loaded as number]))
    const [discrete] = await modbus(request(1, 2, 0, 1))
    expect(discrete?.subarray(7)).toEqual(Buffer.from([2, 1, 1]))
  })

  test.each([
    ['an unknown function', request(1, 6, 0, 1), 0x86, 1],
    ['an address that is not there', request(1, 4, 5, 2), 0x84, 2],
    ['a table that is empty', request(1, 3, 0, 1), 0x83, 2],
    ['an address beyond the last', request(1, 4, 0xffff, 2), 0x84, 2],
    ['no registers at all', request(1, 4, 0, 0), 0x84, 3],
    ['more than 125 registers', request(1, 4, 0, 126), 0x84, 3],
    ['more than 2,000 bits', request(1, 2, 0, 2_001), 0x82, 3],
    ['a unit that is not there', request(9, 4, 0, 1), 0x84, 11],
  ])('%s answers exception %#', async (_name, bytes, code, exception) => {
    const [frame] = await modbus(bytes)
    expect(frame?.subarray(4)).toEqual(Buffer.from([0, 3, bytes[6] as number, code, exception]))
  })

  test('requests in pieces and several at once are answered one by one, each with its own transaction id', async () => {
    const [a, b] = [request(1, 4, 0, 1, 7), request(2, 3, 0, 2, 8)]
    const both = Buffer.concat([a, b])
    for (const parts of [[both], [both.subarray(0, 3), both.subarray(3, 15), both.subarray(15)]]) {
      const frames = await modbus(parts, 2)
      expect(frames.map((frame) => [frame.readUInt16BE(0), frame[6]])).toEqual([
        [7, 1],
        [8, 2],
      ])
    }
  })

  test('bytes that are not Modbus end the connection, and the next one works', async () => {
    await expect(modbus(Buffer.from('GET / HTTP/1.1\r\n\r\n'))).rejects.toThrow('closed')
    expect(await modbus(request(1, 4, 0, 1))).toHaveLength(1)
  })
})

describe('what the plant tells about itself', () => {
  test('its collectors are valid polling settings that name every tag of every machine', () => {
    const collectors = plantAgentCollectors({ host: '127.0.0.1', opcuaPort: 4840, modbusPort: 5020 }) as Record<string, unknown>[]
    const seen = collectors.flatMap((collector) => {
      const tags = collector.protocol === 'opcua' ? OpcUaConfig.parse(collector).nodes : ModbusConfig.parse(collector).registers
      return tags.map((tag) => `${tag.machine_identifier ?? collector.machine_identifier} ${tag.metric_name} ${tag.unit}`)
    })
    expect(seen.sort()).toEqual(
      plantMachines.flatMap(({ id, tags }) => tags.map(({ metric, unit }) => `${id} ${metric} ${unit}`)).sort(),
    )
    expect(new Set(collectors.map(({ name }) => name)).size).toBe(3)
  })

  test('a port that is taken is named in a sentence, and nothing is left running', async () => {
    const again = (opcuaPort: number, modbusPort: number) =>
      startPlant({ host: '127.0.0.1', opcuaPort, modbusPort, dataDir: path.join(dir, 'second') })
    await expect(again(0, plant.modbus.port)).rejects.toThrow(`Port ${plant.modbus.port} on 127.0.0.1 is already in use.`)
    await expect(again(plant.opcua.port, 0)).rejects.toThrow(`Port ${plant.opcua.port} on 127.0.0.1 is already in use.`)
  })
})
