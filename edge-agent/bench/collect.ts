import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { ModbusConfig, OpcUaConfig } from '@haltless/protocol'
import { type BenchRow, runRows, type Side } from '@haltless/protocol/bench'
import Modbus from 'modbus-serial'
import { AttributeIds, OPCUAClient, TimestampsToReturn } from 'node-opcua'
import { ReadingBuffer } from '../src/buffer/buffer.ts'
import { WriteCoalescer } from '../src/buffer/write-coalescer.ts'
import { type CollectorSource, createCollector } from '../src/collectors/index.ts'
import { systemClock } from '../src/support/clock.ts'
import { createLogger } from '../src/support/logger.ts'
import { NODES, REGISTERS } from './device.ts'
import { startDevice } from './start-device.ts'

/** Values per second from a device into the durable buffer, against a bare client that reads the same and keeps nothing. */
const ROUND_MS = 2_000
const PER_READ = 125

/** A collector that polls without pause, into a buffer on disk, for one round. @returns readings per second that are on disk */
function collecting(dir: string, source: CollectorSource): Side {
  let round = 0
  return async () => {
    const logger = createLogger('silent')
    const buffer = new ReadingBuffer({
      file: path.join(dir, `round-${round++}.sqlite`),
      maxBytes: 2 ** 32,
      maxAgeMs: null,
      clock: systemClock,
      logger,
    })
    const coalescer = new WriteCoalescer(buffer, systemClock, () => {})
    const collector = createCollector(source, {
      clock: systemClock,
      logger,
      pkiDir: path.join(dir, 'pki'),
      trustAdvice: (thumbprint) => `trust ${thumbprint}`,
      onReadings: (readings) => coalescer.append(readings),
    })
    collector.start()
    while (buffer.stats().buffered === 0) await systemClock.sleep(20)
    const [before, started] = [buffer.stats().buffered, performance.now()]
    await systemClock.sleep(ROUND_MS)
    const rate = (buffer.stats().buffered - before) / ((performance.now() - started) / 1_000)
    await collector.stop()
    await coalescer.close()
    buffer.close()
    return rate
  }
}

/** Reads again and again for one round. @returns values per second */
const reading = (once: () => Promise<number>) => async () => {
  let values = 0
  const started = performance.now()
  while (performance.now() - started < ROUND_MS) values += await once()
  return values / ((performance.now() - started) / 1_000)
}

const tag = (i: number) => ({
  metric_name: `metric_${i % 10}`,
  unit: 'celsius',
  machine_identifier: `machine-${Math.floor(i / 10)}`,
})

const modbus: BenchRow = {
  row: 'collect.modbus',
  against: 'modbus-serial reading the same registers, 125 at a time, keeping nothing',
  unit: 'values per second',
  prepare: async () => {
    const dir = mkdtempSync(path.join(os.tmpdir(), 'haltless-bench-'))
    const device = await startDevice('modbus')
    const registers = Array.from({ length: REGISTERS }, (_, address) => ({ address, ...tag(address) }))
    const config = ModbusConfig.parse({ registers })
    const client = new Modbus.default()
    await client.connectTCP('127.0.0.1', { port: device.port })
    client.setID(1)
    return {
      ours: collecting(dir, {
        name: 'bench',
        machine: 'm',
        protocol: 'modbus',
        host: '127.0.0.1',
        port: device.port,
        pollIntervalSeconds: 0,
        config,
      }),
      theirs: reading(async () => {
        for (let address = 0; address < REGISTERS; address += PER_READ) await client.readHoldingRegisters(address, PER_READ)
        return REGISTERS
      }),
      close: () => {
        client.close(() => {})
        device.stop()
        rmSync(dir, { recursive: true, force: true })
      },
    }
  },
}

const opcua: BenchRow = {
  row: 'collect.opcua',
  against: 'node-opcua reading the same 1,000 nodes at a time, keeping nothing',
  unit: 'values per second',
  prepare: async () => {
    const dir = mkdtempSync(path.join(os.tmpdir(), 'haltless-bench-'))
    const device = await startDevice('opcua', dir)
    const nodes = Array.from({ length: NODES }, (_, i) => ({ node_id: `ns=1;s=Bench.Value${i}`, ...tag(i) }))
    const config = OpcUaConfig.parse({ nodes })
    const client = OPCUAClient.create({ connectionStrategy: { maxRetry: 0 }, endpointMustExist: false })
    await client.connect(`opc.tcp://127.0.0.1:${device.port}`)
    const session = await client.createSession()
    const wanted = nodes.map(({ node_id }) => ({
      nodeId: node_id,
      attributeId: AttributeIds.Value,
      timestampsToReturn: TimestampsToReturn.Source,
    }))
    return {
      ours: collecting(dir, {
        name: 'bench',
        machine: 'm',
        protocol: 'opcua',
        host: '127.0.0.1',
        port: device.port,
        pollIntervalSeconds: 0,
        config,
      }),
      theirs: reading(async () => (await session.read(wanted)).length),
      close: async () => {
        await session.close()
        await client.disconnect()
        device.stop()
        rmSync(dir, { recursive: true, force: true })
      },
    }
  },
}

await runRows([modbus, opcua], process.argv.slice(2))
process.exit()
