import { adapterOf, type CollectorSource } from '@haltless/edge-agent/collectors'
import { AgentId, type SourceProtocol } from '@haltless/protocol'
import type { FieldError } from '../../../support/errors.ts'
import { fieldError } from '../../../support/errors.ts'
import { z } from '../../../support/http/z.ts'
import type { Config, ConfigRules } from '../../../support/secrets/secret-config.ts'

/** The configuration schema of a source: that of its collector, and the agent that polls it. */
export const shapeOf = (protocol: SourceProtocol) =>
  z.object({ ...adapterOf(protocol).config.shape, agent_id: AgentId.optional() })

export const SECRETS = ['password'] as const

/** The address of a source. Its secrets are valid for this address only. */
export interface SourceAddress {
  host: string
  port: number
}

/** The rules for the configuration of a source. @param before the former address; null for a new source */
export function configRules(protocol: SourceProtocol, before: SourceAddress | null, after: SourceAddress): ConfigRules {
  const hostMoved = before !== null && (before.host.toLowerCase() !== after.host.toLowerCase() || before.port !== after.port)
  return {
    config: shapeOf(protocol) as z.ZodType<Config>,
    secrets: SECRETS,
    // the same address in another agent's network is another device
    isMoved: (stored, config) => hostMoved || stored.agent_id !== config.agent_id,
    check: (config) => [...settingFaults(protocol, config), ...hiddenTags(protocol, config)],
  }
}

function settingFaults(protocol: SourceProtocol, config: Config): FieldError[] {
  const adapter = adapterOf(protocol)
  return adapter.configFaults(adapter.config.parse(config)).map(({ path, message }) => fieldError(path, 'invalid', { message }))
}

interface Tag {
  machine_identifier?: string | undefined
  metric_name: string
  unit: string
}
function tagsOf(protocol: SourceProtocol, config: Config): Tag[] {
  const adapter = adapterOf(protocol)
  return adapter.config.parse(config)[adapter.tagList] as unknown as Tag[]
}

/** Reports tags with the metric and unit of an earlier tag, whose readings they would overwrite. */
function hiddenTags(protocol: SourceProtocol, config: Config): FieldError[] {
  const [list, seen] = [adapterOf(protocol).tagList, new Map<string, number>()]
  return tagsOf(protocol, config).flatMap((tag, i) => {
    const series = JSON.stringify([tag.machine_identifier ?? '', tag.metric_name, tag.unit])
    const earlier = seen.get(series)
    if (earlier === undefined) seen.set(series, i)
    return earlier === undefined ? [] : [fieldError(`${list}.${i}`, 'duplicate_series', { other: `${list}.${earlier}` })]
  })
}

/** The number of values that a source reads. */
export const tagCount = (protocol: SourceProtocol, config: Config): number => tagsOf(protocol, config).length

/** Converts a row to the source of a collector. @param config with decrypted secrets */
export function collectorSource(
  row: { id: string; protocol: SourceProtocol; host: string; port: number; pollIntervalSeconds: number },
  machine: string,
  config: Config,
): CollectorSource {
  const { id: name, host, port, pollIntervalSeconds } = row
  const base = { name, machine, host, port, pollIntervalSeconds }
  return { ...base, protocol: row.protocol, config: adapterOf(row.protocol).config.parse(config) } as CollectorSource
}

/** A copy of the source with its first tags only. */
export function firstTags(source: CollectorSource, count: number): CollectorSource {
  const { tagList } = adapterOf(source.protocol)
  const tags = source.config[tagList] as unknown as Tag[]
  return { ...source, config: { ...source.config, [tagList]: tags.slice(0, count) } } as CollectorSource
}
