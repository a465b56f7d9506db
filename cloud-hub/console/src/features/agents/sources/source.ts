import { UNITS, unitSymbol } from '@haltless/protocol/units'
import { api, type Schemas, unwrap } from '../../../api/client.ts'
import type { ValueRules } from './value-rules.ts'

type Listed = Schemas['IngestSource']
export type Protocol = Listed['protocol']
export type DataType = NonNullable<Schemas['SourceBrowseAnswer']['registers']>['values'][number]['data_type']
export type ByteOrder = NonNullable<Schemas['SourceBrowseAnswer']['registers']>['values'][number]['byte_order']
export type RegisterTable = Schemas['SourceBrowse']['table']

interface Named extends ValueRules {
  metric_name: string
  unit: string
}
/** An entry of `config.nodes`; keys that this page does not edit are kept. */
export interface OpcUaNode extends Named {
  node_id: string
  index_range?: number | string
}
/** An entry of `config.registers`. */
export interface Register extends Named {
  table?: RegisterTable
  address: number
  data_type?: DataType
  byte_order?: ByteOrder
}

/** A source with the part of its configuration that the console edits. The document describes it in words, because it differs by protocol. */
export interface Source extends Omit<Listed, 'config'> {
  config: {
    agent_id?: string
    endpoint_path?: string
    security_mode?: string
    security_policy?: string
    username?: string
    password?: string
    timestamps?: 'source' | 'server' | 'agent'
    max_clock_offset_seconds?: number
    nodes?: OpcUaNode[]
    unit_id?: number
    answers_as?: number
    framing?: 'tcp' | 'rtu'
    max_registers?: number
    max_coils?: number
    timeout_ms?: number
    registers?: Register[]
  }
}

export const toSource = (listed: Listed): Source => listed as Source
/** The source as it is now; undefined where it is gone. */
export const findSource = async ({ id }: Pick<Source, 'id'>): Promise<Listed | undefined> =>
  (await unwrap(api.GET('/ingest-sources'))).find((source) => source.id === id)
/** For a request. */
export const toConfig = (config: object): Record<string, never> => config as Record<string, never>

/** `OilTemperature` is `oil_temperature`, the usual form of a metric. */
export const metricOf = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 255)

/** The label that is converted, where there is one: `°C` is celsius. */
export const unitLabelOf = (symbol: string): string =>
  Object.values(UNITS)
    .flat()
    .find((label) => unitSymbol(label) === symbol) ?? symbol

/** What a count is called in a name, in English or German. */
const COUNT =
  /(?:^|_)(?:count|counts|counter|cnt|parts?|pieces|pcs|zaehler|zähler|anzahl|stueck|stück|teile|gutteile|ausschuss)(?:_|$)/

/** The unit of a value whose device names none: that of its type or of its name, else none. @param type of OPC UA or of a register */
export const proposedUnit = (type: string | null | undefined, metric: string): string => {
  if (type === 'Boolean' || type === 'bool') return 'bool'
  return COUNT.test(metric) ? 'count' : 'none'
}
