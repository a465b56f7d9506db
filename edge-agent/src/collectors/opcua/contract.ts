import { OpcUaConfig, securityFaults } from '@haltless/protocol'
import { type CollectorContract, limitFaults } from '../contract.ts'

export const opcUaContract = {
  label: 'OPC UA',
  defaultPort: 4_840,
  config: OpcUaConfig,
  tagList: 'nodes',
  fileShape: {
    ...OpcUaConfig.shape,
    nodes: OpcUaConfig.shape.nodes.unwrap().element.strict().array().min(1).max(10_000),
  },
  configFaults: (config) => [
    ...securityFaults(config).map(({ key, fault }) => ({ path: key, message: fault })),
    ...limitFaults('nodes', config.nodes),
  ],
  machineProtocol: 'opc_ua',
  inBundle: ({ mode, security_mode, security_policy, username, timestamps }) => ({
    mode,
    security_mode,
    security_policy,
    has_user: username !== undefined,
    timestamps: timestamps ?? null,
  }),
  namesOf: ({ nodes }) => nodes.map(({ node_id }) => node_id),
} as const satisfies CollectorContract<'nodes', OpcUaConfig>
