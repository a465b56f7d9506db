import { DataType } from 'node-opcua'
import { startModbusServer } from '../src/plant/modbus-server.ts'
import { OpcUaSimulator } from '../test/support/opcua-simulator.ts'

/** The devices that `collect.ts` reads, in a process of their own. Arguments: `modbus`, or `opcua` and a folder. Prints the port. */
export const REGISTERS = 2_500
export const NODES = 1_000

if (import.meta.main) {
  const [kind, dir] = process.argv.slice(2)
  const port = kind === 'modbus' ? await modbus() : await opcua(dir as string)
  process.stdout.write(`${port}\n`)
}

async function modbus(): Promise<number> {
  const holding = new Map(Array.from({ length: REGISTERS }, (_, address) => [address, (address * 7) % 65_536]))
  const image = { holding, input: new Map(), coil: new Map(), discrete: new Map() }
  return (await startModbusServer('127.0.0.1', 0, new Map([[1, () => image]]))).port
}

async function opcua(dir: string): Promise<number> {
  const simulator = await OpcUaSimulator.start({ dir })
  for (let i = 0; i < NODES; i++) simulator.add(`Bench.Value${i}`, DataType.Double, i / 4)
  return simulator.port
}
