import type { PlantMachineId } from './physics.ts'

interface TagBase {
  /** metric_name of its readings, and its name in the physics */
  metric: string
  unit: string
  /** what a healthy or ailing machine can show */
  range: [low: number, high: number]
}
/** Of all nodes of the plant. */
export const PLANT_NAMESPACE = 'urn:haltless:plant'

export interface OpcUaTag extends TagBase {
  nodeId: string
  dataType: 'Double' | 'Boolean' | 'UInt32'
}
export interface ModbusTag extends TagBase {
  table: 'holding' | 'input' | 'coil' | 'discrete'
  /** zero-based */
  address: number
  dataType: 'bool' | 'int16' | 'uint16' | 'uint32' | 'float32'
  byteOrder: 'ABCD' | 'CDAB'
  /** value = raw * scale */
  scale: number
}

/** A threshold rule that suits the machine; critical below warning watches for low values. */
interface SuggestedRule {
  name: string
  metric: string
  warning: number
  critical: number
}

interface MachineBase {
  /** machine_identifier */
  id: PlantMachineId
  name: string
  location: string
  rules: SuggestedRule[]
}
export interface OpcUaMachine extends MachineBase {
  protocol: 'opc_ua'
  tags: OpcUaTag[]
}
export interface ModbusMachine extends MachineBase {
  protocol: 'modbus_tcp'
  unitId: number
  tags: ModbusTag[]
}
export type PlantMachine = OpcUaMachine | ModbusMachine

const pascal = (text: string) => text.replace(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** The tags of one machine in the OPC UA server: nodes such as `nsu=urn:haltless:plant;s=Press.OilTemperature`. */
function nodes(
  folder: string,
  tags: [metric: string, unit: string, range: [number, number], dataType?: OpcUaTag['dataType']][],
): OpcUaTag[] {
  return tags.map(([metric, unit, range, dataType = 'Double']) => ({
    metric,
    unit,
    range,
    dataType,
    nodeId: `nsu=${PLANT_NAMESPACE};s=${folder}.${pascal(metric)}`,
  }))
}

/** 16-bit input registers in a row, each a whole number of `scale`. */
const packed = (
  address: number,
  metric: string,
  unit: string,
  scale: number,
  range: [number, number],
  dataType: 'int16' | 'uint16' = 'uint16',
): ModbusTag => ({
  metric,
  unit,
  range,
  table: 'input',
  address,
  dataType,
  byteOrder: 'ABCD',
  scale,
})
const float = (
  address: number,
  metric: string,
  unit: string,
  range: [number, number],
  byteOrder: 'ABCD' | 'CDAB',
): ModbusTag => ({
  metric,
  unit,
  range,
  table: 'holding',
  address,
  dataType: 'float32',
  byteOrder,
  scale: 1,
})
const bit = (table: 'coil' | 'discrete', address: number, metric: string): ModbusTag => ({
  metric,
  unit: 'bool',
  range: [0, 1],
  table,
  address,
  dataType: 'bool',
  byteOrder: 'ABCD',
  scale: 1,
})

const COUNTERS: Parameters<typeof nodes>[1] = [
  ['running', 'bool', [0, 1], 'Boolean'],
  ['total_count', 'count', [0, 1e9], 'UInt32'],
  ['good_count', 'count', [0, 1e9], 'UInt32'],
]

/** The five machines as their protocol servers show them, and rules that suit them. Three share one OPC UA server. */
export const plantMachines: readonly PlantMachine[] = [
  {
    id: 'press-01',
    name: 'Hydraulic press 1',
    location: 'Hall A, forming',
    protocol: 'opc_ua',
    tags: nodes('Press', [
      ['hydraulic_pressure', 'bar', [0, 220]],
      ['press_force', 'kN', [0, 1_300]],
      ['oil_temperature', 'celsius', [20, 65]],
      ['vibration', 'mm/s', [0, 4]],
      ...COUNTERS,
      ['ideal_cycle_seconds', 's', [4, 4]],
    ]),
    rules: [
      { name: 'Press oil too hot', metric: 'oil_temperature', warning: 60, critical: 70 },
      { name: 'Press vibration', metric: 'vibration', warning: 4.5, critical: 7.1 },
    ],
  },
  {
    id: 'pump-01',
    name: 'Cooling water pump 1',
    location: 'Utilities, pump room',
    protocol: 'modbus_tcp',
    unitId: 1,
    tags: [
      packed(0, 'discharge_pressure', 'bar', 0.01, [0, 8]),
      packed(1, 'flow_rate', 'm3/h', 0.1, [0, 110]),
      packed(2, 'bearing_temperature', 'celsius', 0.1, [15, 110], 'int16'),
      packed(3, 'vibration', 'mm/s', 0.01, [0, 12]),
      packed(4, 'motor_current', 'A', 0.1, [0, 45]),
      packed(5, 'speed', 'rpm', 1, [0, 1_500]),
      bit('discrete', 0, 'running'),
    ],
    rules: [
      { name: 'Pump vibration', metric: 'vibration', warning: 4.5, critical: 7.1 },
      { name: 'Pump bearing too hot', metric: 'bearing_temperature', warning: 75, critical: 90 },
    ],
  },
  {
    id: 'compressor-01',
    name: 'Air compressor 1',
    location: 'Utilities, compressor room',
    protocol: 'modbus_tcp',
    unitId: 2,
    tags: [
      float(0, 'outlet_pressure', 'bar', [6.5, 8.7], 'ABCD'),
      float(2, 'discharge_temperature', 'celsius', [60, 106], 'CDAB'),
      float(4, 'motor_current', 'A', [30, 125], 'CDAB'),
      float(6, 'vibration', 'mm/s', [0, 4], 'ABCD'),
      float(8, 'oil_pressure', 'bar', [1.8, 2.6], 'ABCD'),
      { ...float(10, 'operating_seconds', 's', [0, 1e9], 'CDAB'), dataType: 'uint32' },
      bit('coil', 0, 'loaded'),
      bit('discrete', 0, 'running'),
    ],
    rules: [
      { name: 'Compressed air too low', metric: 'outlet_pressure', warning: 6.5, critical: 6 },
      { name: 'Compressor too hot', metric: 'discharge_temperature', warning: 100, critical: 110 },
    ],
  },
  {
    id: 'oven-01',
    name: 'Tunnel oven 1',
    location: 'Hall A, baking',
    protocol: 'opc_ua',
    tags: nodes('Oven', [
      ['zone_1_temperature', 'celsius', [150, 200]],
      ['zone_2_temperature', 'celsius', [150, 200]],
      ['temperature_setpoint', 'celsius', [180, 180]],
      ['heater_power', 'kW', [0, 95]],
      ['exhaust_temperature', 'celsius', [90, 150]],
      ['belt_speed', 'm/min', [1, 1.4]],
      ['door_open', 'bool', [0, 1], 'Boolean'],
    ]),
    rules: [
      { name: 'Oven zone 1 too hot', metric: 'zone_1_temperature', warning: 200, critical: 215 },
      { name: 'Oven zone 2 too cold', metric: 'zone_2_temperature', warning: 160, critical: 145 },
    ],
  },
  {
    id: 'packaging-01',
    name: 'Packaging line 1',
    location: 'Hall B, packing',
    protocol: 'opc_ua',
    tags: nodes('Packaging', [
      ['line_speed', 'packs/min', [0, 42]],
      ['seal_temperature', 'celsius', [130, 160]],
      ['air_pressure', 'bar', [5.2, 6.5]],
      ['film_tension', 'N', [20, 50]],
      ...COUNTERS,
      ['ideal_cycle_seconds', 's', [1.5, 1.5]],
    ]),
    rules: [{ name: 'Packaging air too low', metric: 'air_pressure', warning: 5.5, critical: 5 }],
  },
]
