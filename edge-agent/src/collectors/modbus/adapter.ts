import { ModbusConfig } from '@haltless/protocol'
import type { ModbusSource, ProtocolAdapter } from '../collector.ts'
import { createModbusCollector } from './collector.ts'
import { settingFault } from './decode.ts'
import { probeModbus } from './probe.ts'

export const modbusAdapter: ProtocolAdapter<ModbusSource> = {
  label: 'Modbus TCP',
  defaultPort: 502,
  config: ModbusConfig,
  tagList: 'registers',
  configFaults: ({ registers }) =>
    registers.flatMap((register, i) => {
      const message = settingFault(register)
      return message === null ? [] : [{ path: `registers.${i}`, message }]
    }),
  needsClientIdentity: false,
  isSaidByDevice: (detail) => /\(exception \d\d\)/.test(detail),
  create: createModbusCollector,
  probe: probeModbus,
}
