import type { OpcUaSource, ProtocolAdapter } from '../collector.ts'
import { nodeBrowser } from './browser.ts'
import { createOpcUaCollector } from './collector.ts'
import { opcUaContract } from './contract.ts'
import { probeOpcUa } from './probe.ts'

export const opcUaAdapter: ProtocolAdapter<OpcUaSource> = {
  ...opcUaContract,
  needsClientIdentity: true,
  create: createOpcUaCollector,
  probe: probeOpcUa,
  browser: nodeBrowser,
}
