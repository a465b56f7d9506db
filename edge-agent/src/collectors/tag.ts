import type { Series } from '@haltless/protocol'

/** One configured value: the series it becomes, and how. */
export interface Tag extends Series {
  /** never null here: an OPC UA node id, or `holding:100` */
  readonly rawTag: string
  /** value = raw * scale + offset */
  readonly scale: number
  readonly offset: number
}

interface TagConfig {
  metric_name: string
  unit: string
  machine_identifier?: string
  scale: number
  offset: number
}

export function tagOf(config: TagConfig, rawTag: string, defaultMachine: string): Tag {
  return {
    machine: config.machine_identifier ?? defaultMachine,
    metric: config.metric_name,
    unit: config.unit,
    rawTag,
    scale: config.scale,
    offset: config.offset,
  }
}
