import { type CollectorSource, registerFault } from '@haltless/edge-agent/collectors'
import { AgentId, ModbusConfig, OpcUaConfig, type SourceProtocol, securityFaults } from '@haltless/protocol'
import type { FieldError } from '../../../support/errors.ts'
import { z } from '../../../support/http/z.ts'
import type { Config, ConfigRules } from '../../../support/secrets/secret-config.ts'

const agentId = { agent_id: AgentId.optional() }
const Shapes = {
  opcua: z.object({ ...OpcUaConfig.shape, ...agentId }),
  modbus: z.object({ ...ModbusConfig.shape, ...agentId }),
} satisfies Record<SourceProtocol, z.ZodType>

export const SECRETS = ['password'] as const

/** Where a source is: its secrets are for this place only. */
export interface Place {
  host: string
  port: number
}

/** What holds for the configuration of a source, given where it was (null: it is new) and where it will be. */
export function configRules(protocol: SourceProtocol, before: Place | null, after: Place): ConfigRules {
  const hostMoved = before !== null && (before.host.toLowerCase() !== after.host.toLowerCase() || before.port !== after.port)
  return {
    config: Shapes[protocol] as z.ZodType<Config>,
    secrets: SECRETS,
    // the same address is another device in another agent's network
    isMoved: (stored, config) => hostMoved || stored.agent_id !== config.agent_id,
    judge: (config) => [...settingFaults(protocol, config), ...hiddenTags(protocol, config)],
  }
}

function settingFaults(protocol: SourceProtocol, config: Config): FieldError[] {
  if (protocol === 'opcua')
    return securityFaults(OpcUaConfig.parse(config)).map(({ key, fault }) => ({ path: key, message: fault }))
  return ModbusConfig.parse(config).registers.flatMap((register, i) => {
    const fault = registerFault(register)
    return fault === null ? [] : [{ path: `registers.${i}`, message: fault }]
  })
}

interface Tag {
  machine_identifier?: string | undefined
  metric_name: string
  unit: string
}
const tagsOf = (protocol: SourceProtocol, config: Config): Tag[] =>
  protocol === 'opcua' ? OpcUaConfig.parse(config).nodes : ModbusConfig.parse(config).registers

/** Two tags of one series: one would hide the other. */
function hiddenTags(protocol: SourceProtocol, config: Config): FieldError[] {
  const [list, seen] = [protocol === 'opcua' ? 'nodes' : 'registers', new Map<string, number>()]
  return tagsOf(protocol, config).flatMap((tag, i) => {
    const series = JSON.stringify([tag.machine_identifier ?? '', tag.metric_name, tag.unit])
    const earlier = seen.get(series)
    if (earlier === undefined) seen.set(series, i)
    return earlier === undefined ? [] : [{ path: `${list}.${i}`, message: `has the metric and unit of ${list}.${earlier}` }]
  })
}

/** How many values a source reads. */
export const tagCount = (protocol: SourceProtocol, config: Config): number => tagsOf(protocol, config).length

/** What a source reads and how, for a collector; `config` with its secrets. */
export function collectorSource(
  row: { id: string; protocol: SourceProtocol; host: string; port: number; pollIntervalSeconds: number },
  machine: string,
  config: Config,
): CollectorSource {
  const { id: name, host, port, pollIntervalSeconds } = row
  const base = { name, machine, host, port, pollIntervalSeconds }
  return row.protocol === 'opcua'
    ? { ...base, protocol: 'opcua', config: OpcUaConfig.parse(config) }
    : { ...base, protocol: 'modbus', config: ModbusConfig.parse(config) }
}
