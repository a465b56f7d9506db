import { writeSync } from 'node:fs'
import { DataType, OpcUaSimulator, type SimulatorOptions } from './opcua-simulator.ts'

/**
 * An OPC UA server in a process of its own, for tests that stop or kill it. Arguments: its options as JSON, and how many variables
 * `N0`, `N1`, ... it has. It writes its port as its first line.
 */
const [options = '{}', nodes = '1'] = process.argv.slice(2)
const simulator = await OpcUaSimulator.start(JSON.parse(options) as SimulatorOptions)
for (let i = 0; i < Number(nodes); i++) simulator.add(`N${i}`, DataType.Double, i)
writeSync(1, `${simulator.port}\n`)
process.on('disconnect', () => process.exit())
