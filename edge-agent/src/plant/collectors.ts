import { type ModbusMachine, type OpcUaMachine, plantMachines } from './machines.ts'

export { type PlantMachine, plantMachines } from './machines.ts'
export { plantPast } from './past.ts'
export { type SeededRandom, seededRandom } from './random.ts'

/**
 * The `collectors:` list of an agent.yaml that polls the whole plant once a second: one OPC UA session that serves three machines, and one
 * collector for each Modbus unit. Plain objects, ready to be written as YAML.
 */
export function plantAgentCollectors({
  host,
  opcuaPort,
  modbusPort,
}: {
  host: string
  opcuaPort: number
  modbusPort: number
}): object[] {
  const opcua = plantMachines.filter((machine): machine is OpcUaMachine => machine.protocol === 'opc_ua')
  const modbus = plantMachines.filter((machine): machine is ModbusMachine => machine.protocol === 'modbus_tcp')
  return [
    {
      name: 'plant-opcua',
      protocol: 'opcua',
      machine_identifier: opcua[0]?.id,
      host,
      port: opcuaPort,
      poll_interval_seconds: 1,
      nodes: opcua.flatMap(({ id, tags }) =>
        tags.map(({ nodeId, metric, unit }) => ({ node_id: nodeId, metric_name: metric, unit, machine_identifier: id })),
      ),
    },
    ...modbus.map(({ id, unitId, tags }) => ({
      name: `plant-${id}`,
      protocol: 'modbus',
      machine_identifier: id,
      host,
      port: modbusPort,
      poll_interval_seconds: 1,
      unit_id: unitId,
      registers: tags.map(({ metric, unit, table, address, dataType, byteOrder, scale }) => ({
        table,
        address,
        data_type: dataType,
        byte_order: byteOrder,
        scale,
        metric_name: metric,
        unit,
      })),
    })),
  ]
}
