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

/**
 * 906 at a scale of 0.1 is 90.6, as the device's own display shows it: the last binary digits of the product are noise, because
 * no measurement has 16 digits. An unscaled value is unchanged.
 */
export const applyScale = (raw: number, { scale, offset }: Pick<Tag, 'scale' | 'offset'>): number =>
  scale === 1 && offset === 0 ? raw : Number((raw * scale + offset).toPrecision(15))
