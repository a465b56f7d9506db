import { writeSync } from 'node:fs'
import { DataValue, StatusCodes, Variant } from 'node-opcua'
import { DataType, OpcUaSimulator, type SimulatorOptions } from './opcua-simulator.ts'

/**
 * An OPC UA server in a process of its own, for tests that stop or kill it. Arguments: its options as JSON, and how many variables
 * `N0`, `N1`, ... it has, and how many milliseconds of its one thread each read of one takes (twice, for the library looks at it twice). It writes its port as its first line.
 */
const [options = '{}', nodes = '1', slowMs = '0'] = process.argv.slice(2)
const simulator = await OpcUaSimulator.start(JSON.parse(options) as SimulatorOptions)
for (let i = 0; i < Number(nodes); i++) {
  if (slowMs === '0') simulator.add(`N${i}`, DataType.Double, i)
  else
    simulator.addComputed(`N${i}`, DataType.Double, () => {
      for (const until = performance.now() + Number(slowMs); performance.now() < until; );
      return new DataValue({ value: new Variant({ dataType: DataType.Double, value: i }), statusCode: StatusCodes.Good })
    })
}
writeSync(1, `${simulator.port}\n`)
process.on('disconnect', () => process.exit())
