import type { ModbusSource, ProtocolAdapter } from '../collector.ts'
import { registerBrowser } from './browser.ts'
import { createModbusCollector } from './collector.ts'
import { modbusContract } from './contract.ts'
import { probeModbus } from './probe.ts'

export const modbusAdapter: ProtocolAdapter<ModbusSource> = {
  ...modbusContract,
  needsClientIdentity: false,
  create: createModbusCollector,
  probe: probeModbus,
  browser: registerBrowser,
}
