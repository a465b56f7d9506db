import { OpcUaConfig, securityFaults } from '@haltless/protocol'
import type { OpcUaSource, ProtocolAdapter } from '../collector.ts'
import { createOpcUaCollector } from './collector.ts'
import { probeOpcUa } from './probe.ts'

export const opcUaAdapter: ProtocolAdapter<OpcUaSource> = {
  label: 'OPC UA',
  defaultPort: 4840,
  config: OpcUaConfig,
  tagList: 'nodes',
  configFaults: (config) => securityFaults(config).map(({ key, fault }) => ({ path: key, message: fault })),
  needsClientIdentity: true,
  isSaidByDevice: (detail) => /allows no more sessions|shutting down|licence/.test(detail),
  create: createOpcUaCollector,
  probe: probeOpcUa,
}
