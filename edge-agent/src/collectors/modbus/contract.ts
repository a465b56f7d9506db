import { ModbusConfig } from '@haltless/protocol'
import { type CollectorContract, limitFaults } from '../contract.ts'
import { settingFault } from './decode.ts'

export const modbusContract = {
  label: 'Modbus TCP',
  defaultPort: 502,
  config: ModbusConfig,
  tagList: 'registers',
  fileShape: {
    ...ModbusConfig.shape,
    registers: ModbusConfig.shape.registers.unwrap().element.strict().array().min(1).max(10_000),
  },
  configFaults: ({ registers, max_registers }) => [
    ...registers.flatMap((register, i) => {
      const fault = settingFault(register, max_registers)
      return fault === null ? [] : [{ path: `registers.${i}`, message: fault.detail }]
    }),
    ...limitFaults('registers', registers),
  ],
  machineProtocol: 'modbus_tcp',
  inBundle: ({ unit_id, timeout_ms }) => ({ unit_id, timeout_ms }),
  namesOf: () => [],
} as const satisfies CollectorContract<'registers', ModbusConfig>
