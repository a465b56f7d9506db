import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Clock, systemClock } from '../support/clock.ts'
import { type OpcUaMachine, type PlantMachine, plantMachines } from './machines.ts'
import { modbusImage } from './modbus-image.ts'
import { type ModbusImage, startModbusServer } from './modbus-server.ts'
import { startOpcUaServer } from './opcua-server.ts'
import { createSimulation } from './simulation.ts'

export interface PlantOptions {
  /** the address that both servers listen on */
  host: string
  /** 0: any free one */
  opcuaPort: number
  modbusPort: number
  /** another seed, another course of events; default 1 */
  seed?: number
  /** plant seconds per second; default 1 */
  speed?: number
  /** plant seconds from a new bearing of the pump to the next one, at least 300; default 9,000 */
  bearingLife?: number
  clock?: Pick<Clock, 'now' | 'monotonic'>
  /** where the OPC UA server keeps its certificate; default a temporary folder, removed by `stop` */
  dataDir?: string
}

export interface Plant {
  opcua: { port: number; endpointUrl: string }
  modbus: { port: number }
  machines: readonly PlantMachine[]
  stop(): Promise<void>
}

/** Starts both protocol servers of the simulated plant. @throws with a sentence that names the port when it is in use */
export async function startPlant(options: PlantOptions): Promise<Plant> {
  const { host } = options
  const simulation = createSimulation(
    { seed: options.seed ?? 1, speed: options.speed ?? 1, bearingLife: options.bearingLife },
    options.clock ?? systemClock,
  )
  const units = new Map<number, () => ModbusImage>()
  for (const machine of plantMachines) {
    if (machine.protocol !== 'modbus_tcp') continue
    units.set(machine.unitId, () => modbusImage(machine, (metric) => simulation.readValue(machine.id, metric).value))
  }
  const temporary = options.dataDir === undefined ? await mkdtemp(path.join(tmpdir(), 'haltless-plant-')) : null
  const dataDir = options.dataDir ?? (temporary as string)
  const cleanUp = async () => {
    if (temporary) await rm(temporary, { recursive: true, force: true, maxRetries: 3 })
  }
  try {
    const modbus = await startModbusServer(host, options.modbusPort, units).catch(taken(host, options.modbusPort))
    try {
      const opcuaMachines = plantMachines.filter((machine): machine is OpcUaMachine => machine.protocol === 'opc_ua')
      const opcua = await startOpcUaServer(host, options.opcuaPort, dataDir, opcuaMachines, (machine, metric) =>
        simulation.readValue(machine.id, metric),
      ).catch(taken(host, options.opcuaPort))
      return {
        opcua: { port: opcua.port, endpointUrl: opcua.endpointUrl },
        modbus: { port: modbus.port },
        machines: plantMachines,
        async stop() {
          await Promise.all([opcua.stop(), modbus.stop()])
          await cleanUp()
        },
      }
    } catch (error) {
      await modbus.stop()
      throw error
    }
  } catch (error) {
    await cleanUp()
    throw error
  }
}

const taken = (host: string, port: number) => (error: NodeJS.ErrnoException) => {
  if (error.code === 'EADDRINUSE') throw new Error(`Port ${port} on ${host} is already in use.`)
  throw error
}
