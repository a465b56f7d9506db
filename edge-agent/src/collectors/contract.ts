import { maxClockOffset, type ValueRules, valueRules } from '@haltless/protocol'
import { z } from 'zod'

/** The keys that every tag has, whatever its protocol. */
export interface TagSettings {
  metric_name: string
  unit: string
  /** of another machine than that of its collector */
  machine_identifier?: string | undefined
}

/** The mark before the decimals of a number. */
export type DecimalMark = '.' | ','
/** What may stand between groups of three digits. */
export type ThousandsMark = '.' | ',' | ' ' | "'"
/** How numbers are written in texts. */
export interface NumberFormat {
  decimal: DecimalMark
  /** absent: digits are not grouped */
  thousands?: ThousandsMark | undefined
}

/** The list of a configuration that names the tags. */
export type TagList = 'nodes' | 'registers' | 'items' | 'fields' | 'topics' | 'metrics'

type Config<Tags extends TagList> = { [K in Tags]: TagSettings[] }

/**
 * What a protocol's settings look like, without the code that speaks it: settings are read by commands that connect to nothing. A new
 * protocol is one folder with a contract and an adapter, an entry in `contracts.ts` and one in `registry.ts`.
 */
export interface CollectorContract<Tags extends TagList = TagList, Settings extends Config<Tags> = Config<Tags>> {
  /** for people */
  label: string
  /** TCP port that devices usually listen on; null: they are not reached over the network, and have no host and port */
  defaultPort: number | null
  config: z.ZodType<Settings> & { shape: Record<string, z.ZodType> }
  tagList: Tags
  /** the keys beside those of all collectors in agent.yaml, where a key that does not exist is a fault and a tag is required */
  fileShape: Record<string, z.ZodType>
  /** settings that contradict each other, by their path in the configuration: `registers.0` */
  configFaults(config: Settings): { path: string; message: string }[]
  /** what `POST /machines` takes as the protocol of a machine, for information */
  machineProtocol: string
  /** settings that a support bundle may show: no name, address or secret */
  inBundle(config: Settings): Record<string, unknown>
  /** names of the plant in the settings, beside those that every tag has: a support bundle hides them wherever they stand */
  namesOf(config: Settings): (string | undefined)[]
}

const text = (max: number) => z.string().min(1).max(max)

/** The keys of a tag in a collector that only agent.yaml configures: value = raw * scale + offset. */
export const tagShape = {
  metric_name: text(255),
  unit: text(64),
  machine_identifier: text(255).optional(),
  scale: z.number().default(1),
  offset: z.number().default(0),
  ...valueRules,
}

/** Settings of a source whose messages or lines may say when they were measured. @param why no server sets timestamps there */
export const stampShape = (why: string) => ({
  timestamps: z.enum(['source', 'agent'], { error: `must be source or agent, because ${why}` }).optional(),
  max_clock_offset_seconds: maxClockOffset,
})

interface StampSettings {
  timestamps?: 'source' | 'agent' | undefined
  timestamp?: object | undefined
}

/** Whether the timestamps that messages or lines carry are read. */
export const isStamped = ({ timestamp, timestamps }: StampSettings): boolean => timestamp !== undefined && timestamps !== 'agent'

export const stampFaults = ({ timestamp, timestamps }: StampSettings): { path: string; message: string }[] =>
  timestamps === 'source' && !timestamp ? [{ path: 'timestamps', message: 'source needs timestamp, which names its field' }] : []

/** Limits of tags that leave no value between them. @param list the key of the tags in the configuration */
export const limitFaults = (list: TagList, tags: readonly ValueRules[]): { path: string; message: string }[] =>
  tags.flatMap(({ min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }, i) =>
    min > max ? [{ path: `${list}.${i}.min`, message: 'must not be above max' }] : [],
  )
