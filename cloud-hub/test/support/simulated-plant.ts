import { plantAgentCollectors } from '@haltless/edge-agent/plant'
import { run, until } from '../processes.ts'

/** Plant seconds per second: the bearing of the pump fails within five seconds, and again every fifteen. */
const SPEED = '20'
const BEARING_LIFE = '300'

export interface SimulatedPlant {
  modbusPort: number
  /** for the settings of an agent that polls all machines */
  collectors: Record<string, unknown>[]
}

/** Runs the simulated plant as a process of its own, which `endAll` ends. @param dataDir of its OPC UA server */
export async function startSimulatedPlant(dataDir: string): Promise<SimulatedPlant> {
  const ports = ['--opcua-port', '0', '--modbus-port', '0']
  const plant = run('edge-agent/src/plant/main.ts', [
    ...ports,
    '--speed',
    SPEED,
    '--bearing-life',
    BEARING_LIFE,
    '--data-dir',
    dataDir,
  ])
  const found = await until('the plant runs', () => /opc\.tcp:\/\/[^:]+:(\d+).*Modbus TCP at [^:]+:(\d+)/.exec(plant.out()))
  const [opcuaPort, modbusPort] = found.slice(1).map(Number) as [number, number]
  const collectors = plantAgentCollectors({ host: '127.0.0.1', opcuaPort, modbusPort }) as Record<string, unknown>[]
  return { modbusPort, collectors }
}
