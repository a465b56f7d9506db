import { parseArgs } from 'node:util'
import { AGENT_VERSION } from '../support/version.ts'
import { startPlant } from './plant.ts'

export { plantAgentCollectors } from './collectors.ts'
export { plantMachines } from './machines.ts'
export { type Plant, type PlantOptions, startPlant } from './plant.ts'

const USAGE = `Usage: npm run plant -- [--opcua-port 4840] [--modbus-port 5020] [--host 127.0.0.1] [--seed 1] [--speed 1]
  [--bearing-life 9000] [--data-dir DIR]
Runs a simulated plant: three machines on an OPC UA server, two on a Modbus TCP server. The bearing of its pump fails soon after the start,
and every --bearing-life seconds.`

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      'opcua-port': { type: 'string', default: '4840' },
      'modbus-port': { type: 'string', default: '5020' },
      host: { type: 'string', default: '127.0.0.1' },
      seed: { type: 'string', default: '1' },
      speed: { type: 'string', default: '1' },
      'bearing-life': { type: 'string', default: '9000' },
      'data-dir': { type: 'string' },
      help: { type: 'boolean', default: false },
      version: { type: 'boolean', default: false },
    },
  })
  if (values.help) return void process.stdout.write(`${USAGE}\n`)
  if (values.version) return void process.stdout.write(`${AGENT_VERSION}\n`)
  const number = (name: 'opcua-port' | 'modbus-port' | 'seed' | 'speed' | 'bearing-life', low: number, high: number) => {
    const value = Number(values[name])
    if (values[name].trim() === '' || !(value >= low && value <= high))
      throw new Error(`--${name} must be a number from ${low} to ${high}.`)
    return value
  }
  const plant = await startPlant({
    host: values.host,
    opcuaPort: number('opcua-port', 0, 65_535),
    modbusPort: number('modbus-port', 0, 65_535),
    seed: number('seed', 0, 2 ** 32 - 1),
    speed: number('speed', 0.01, 1_000),
    bearingLife: number('bearing-life', 300, 1e9),
    dataDir: values['data-dir'],
  })
  process.stdout.write(
    `The plant runs: OPC UA at ${plant.opcua.endpointUrl}, Modbus TCP at ${values.host}:${plant.modbus.port} (units 1 and 2).\n`,
  )
  const stop = () => {
    // a second signal ends it at once
    for (const signal of ['SIGINT', 'SIGTERM']) process.removeListener(signal, stop)
    plant.stop().then(() => process.exit(0))
  }
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, stop)
}

if (import.meta.main) {
  main().catch((error: Error) => {
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  })
}
