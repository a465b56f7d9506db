import type { ProtocolAdapter, S7Source } from '../collector.ts'
import { createS7Collector } from './collector.ts'
import { s7Contract } from './contract.ts'
import { probeS7 } from './probe.ts'

export const s7Adapter: ProtocolAdapter<S7Source> = {
  ...s7Contract,
  needsClientIdentity: false,
  browser: null,
  create: createS7Collector,
  probe: probeS7,
}
