import { DataType, DataValue, type ReadRequest, type ReadResponse, StatusCodes, Variant } from 'node-opcua'
import { startModbusServer } from '../../src/plant/modbus-server.ts'
import { OpcUaSimulator } from './opcua-simulator.ts'

/** A value that left for a client. */
export interface ServedValue {
  machine: string
  metric: string
  unit: string
  /** unique in its series, and different from what any other series ever shows */
  value: number
  /** Unix ms, when it was looked up; what OPC UA gives as source timestamp */
  at: number
}

/** One answer to one request: a whole poll of the device. */
export interface ServedPoll {
  device: string
  protocol: 'modbus' | 'opcua'
  values: readonly ServedValue[]
}

export interface CountingPlantOptions {
  /** certificates go here */
  dir: string
  /** Modbus units, each a machine, all behind one port; then one OPC UA server that is one machine more */
  units: number
  /** at most 62: what one request can read */
  tagsPerUnit: number
  nodes: number
  pollSeconds: number
  /** of Modbus; default 30 s, because an answer that comes too late was served all the same */
  timeoutMs?: number
  /** called before an answer leaves */
  onServed(poll: ServedPoll): void
}

export interface CountingPlant {
  /** the `collectors:` list of an agent.yaml that polls all of it */
  collectors: object[]
  /** machine identifiers: `m0`, `m1`, ... */
  machines: string[]
  /** from now on devices answer that they have no values */
  quiet(): void
  stop(): Promise<void>
}

/** Between the values of one poll and the next, so that tags keep apart. */
const STEP = 64

/** A plant whose tags count how often they were asked, so that every value served can be told from every other. */
export async function startCountingPlant(options: CountingPlantOptions): Promise<CountingPlant> {
  const { units, tagsPerUnit, nodes, pollSeconds, timeoutMs = 30_000, onServed } = options
  let isQuiet = false
  const numbers = Array.from({ length: units }, (_, i) => i + 1)
  const modbus = await startModbusServer(
    '127.0.0.1',
    0,
    new Map(numbers.map((unit) => [unit, countingUnit(`m${unit - 1}`, tagsPerUnit, () => isQuiet, onServed)])),
  )
  const opcua = nodes > 0 ? await countingServer(options, `m${units}`, () => isQuiet) : null
  const tag = (i: number) => ({ metric_name: `metric_${i}`, unit: 'celsius' })
  const common = { host: '127.0.0.1', poll_interval_seconds: pollSeconds }
  return {
    machines: Array.from({ length: units + (opcua ? 1 : 0) }, (_, i) => `m${i}`),
    collectors: [
      ...numbers.map((unit) => ({
        ...common,
        name: `m${unit - 1}`,
        protocol: 'modbus',
        machine_identifier: `m${unit - 1}`,
        port: modbus.port,
        unit_id: unit,
        timeout_ms: timeoutMs,
        registers: Array.from({ length: tagsPerUnit }, (_, i) => ({ address: 2 * i, data_type: 'uint32', ...tag(i) })),
      })),
      ...(opcua
        ? [
            {
              ...common,
              name: `m${units}`,
              protocol: 'opcua',
              machine_identifier: `m${units}`,
              port: opcua.port,
              nodes: Array.from({ length: nodes }, (_, i) => ({ node_id: `ns=1;s=tag${i}`, ...tag(i) })),
            },
          ]
        : []),
    ],
    quiet: () => {
      isQuiet = true
    },
    stop: async () => {
      await Promise.all([modbus.stop(), opcua?.stop()])
    },
  }
}

function countingUnit(machine: string, tags: number, isQuiet: () => boolean, onServed: CountingPlantOptions['onServed']) {
  let polls = 0
  const none = new Map<number, number>()
  return () => {
    const holding = new Map<number, number>()
    const values: ServedValue[] = []
    if (!isQuiet()) {
      polls++
      const at = Date.now()
      for (let i = 0; i < tags; i++) {
        const value = polls * STEP + i
        holding.set(2 * i, value >>> 16).set(2 * i + 1, value & 0xffff)
        values.push({ machine, metric: `metric_${i}`, unit: 'celsius', value, at })
      }
      onServed({ device: machine, protocol: 'modbus', values })
    }
    return { holding, input: none, coil: none, discrete: none }
  }
}

/** Values are counted when they are read, and noted when the answer leaves: then it is known what was in it. */
async function countingServer(
  { dir, nodes, onServed }: CountingPlantOptions,
  machine: string,
  isQuiet: () => boolean,
): Promise<{ port: number; stop(): Promise<void> }> {
  const simulator = await OpcUaSimulator.start({ dir })
  for (let i = 0; i < nodes; i++) {
    let reads = 0
    simulator.addComputed(`tag${i}`, DataType.Double, () => {
      if (isQuiet()) return new DataValue({ statusCode: StatusCodes.BadOutOfService })
      const value = new Variant({ dataType: DataType.Double, value: ++reads * STEP + i + 0.5 })
      return new DataValue({ value, statusCode: StatusCodes.Good, sourceTimestamp: new Date() })
    })
  }
  const asked = new Map<number, ReadRequest>()
  const { server } = simulator
  server.on('request', (request) => {
    if (request.schema.name === 'ReadRequest') asked.set(request.requestHeader.requestHandle, request as ReadRequest)
  })
  server.on('response', (response) => {
    if (response.schema.name !== 'ReadResponse') return
    const request = asked.get(response.responseHeader.requestHandle)
    asked.delete(response.responseHeader.requestHandle)
    const values: ServedValue[] = []
    for (const [i, { statusCode, value, sourceTimestamp }] of ((response as ReadResponse).results ?? []).entries()) {
      const name = /^tag(\d+)$/.exec(String(request?.nodesToRead?.[i]?.nodeId.value))?.[1]
      if (name === undefined || !statusCode.isGood()) continue
      const at = sourceTimestamp?.getTime() ?? Date.now()
      values.push({ machine, metric: `metric_${name}`, unit: 'celsius', value: value.value, at })
    }
    if (values.length > 0) onServed({ device: machine, protocol: 'opcua', values })
  })
  return { port: simulator.port, stop: () => simulator.stop() }
}
