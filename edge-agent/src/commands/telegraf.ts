import { type ModbusConfig, type OpcUaConfig, SECURITY_POLICIES } from '@haltless/protocol'
import { parse } from 'smol-toml'
import { metricName } from './add-nodes.ts'
import { PASSWORD_VARIABLE } from './password-variable.ts'

/** A collector as agent.yaml has it. */
export type ImportedCollector = Record<string, unknown> & {
  name: string
  machine_identifier: string
  protocol: 'opcua' | 'modbus'
}

export interface TelegrafImport {
  collectors: ImportedCollector[]
  /** what was left out or needs a check by a person, in plain words */
  notes: string[]
}

type Table = Record<string, unknown>
type Node = Partial<OpcUaConfig['nodes'][number]>
type Register = Partial<ModbusConfig['registers'][number]>

const isTable = (value: unknown): value is Table => typeof value === 'object' && value !== null && !Array.isArray(value)
/** `[[inputs.modbus]]`; `[inputs.modbus]` is a list of one. */
const tables = (value: unknown): Table[] => (isTable(value) ? [value] : Array.isArray(value) ? value.filter(isTable) : [])
const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== ''
    ? value
    : typeof value === 'number' || typeof value === 'bigint'
      ? String(value)
      : undefined
const number = (value: unknown): number | undefined =>
  (typeof value === 'number' || typeof value === 'string') && value !== '' && Number.isFinite(Number(value))
    ? Number(value)
    : undefined

/** Seconds in a duration of Go, such as `1m30s`; undefined for none. */
function seconds(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  const units: Record<string, number> = { ms: 0.001, s: 1, m: 60, h: 3_600 }
  const parts = typeof value === 'string' ? [...value.matchAll(/([\d.]+)(ms|s|m|h)/g)] : []
  return parts.length === 0
    ? undefined
    : parts.reduce((sum, [, count, unit]) => sum + Number(count) * (units[unit as string] as number), 0)
}

/**
 * The Modbus and OPC UA inputs of a Telegraf configuration as collectors. Telegraf knows neither machines nor units: machines come from the tag `machine`,
 * else from the name of the input, and units are `unknown`. Sources: the documentation of its plugins `modbus` (styles register and request), `opcua` and
 * `opcua_listener`.
 * @param machine of all of them; undefined: as above
 * @throws Error for a text that is no TOML
 */
export function importTelegraf(source: string, machine?: string): TelegrafImport {
  const file = parse(source.replace(/^\uFEFF/, '')) as { agent?: Table; inputs?: Table }
  const into = new Importer(machine, seconds(file.agent?.interval) ?? 10)
  for (const input of tables(file.inputs?.modbus)) into.modbus(input)
  for (const input of tables(file.inputs?.opcua)) into.opcua(input, 'poll')
  for (const input of tables(file.inputs?.opcua_listener)) into.opcua(input, 'subscribe')
  for (const name of Object.keys(file.inputs ?? {}))
    if (!['modbus', 'opcua', 'opcua_listener'].includes(name))
      into.notes.push(`inputs.${name} is neither Modbus nor OPC UA: left out`)
  return { collectors: into.collectors, notes: into.notes }
}

class Importer {
  readonly collectors: ImportedCollector[] = []
  readonly notes: string[] = []
  readonly #machine: string | undefined
  readonly #interval: number

  constructor(machine: string | undefined, interval: number) {
    this.#machine = machine
    this.#interval = interval
  }

  modbus(input: Table): void {
    const name = text(input.name) ?? 'modbus'
    const controller = text(input.controller) ?? ''
    const url = URL.canParse(controller) ? new URL(controller) : null
    const mode = text(input.transmission_mode)
    if (controller.includes('$')) return void this.notes.push(`modbus ${name}: ${controller} ${VARIABLE}`)
    if (url?.protocol !== 'tcp:' || (mode !== undefined && mode !== 'TCP' && mode !== 'auto')) {
      this.notes.push(
        controller === ''
          ? `modbus ${name}: it has no controller such as tcp://host:502; left out`
          : `modbus ${name}: ${mode === undefined ? controller : `${controller} ${mode}`} is not Modbus TCP: put a gateway before it; left out`,
      )
      return
    }
    const units = new Map<number, Register[]>()
    const add = (unit: number, register: Register | null) => {
      if (register) units.set(unit, [...(units.get(unit) ?? []), register])
    }
    const own = number(input.slave_id) ?? 1
    if ((text(input.configuration_type) ?? 'register') === 'register') {
      for (const [key, table] of Object.entries(REGISTER_LISTS))
        for (const field of tables(input[key]))
          add(
            own,
            this.#register(
              name,
              table,
              field,
              text(field.byte_order),
              field.data_type,
              Array.isArray(field.address) ? field.address[0] : field.address,
            ),
          )
    } else {
      // `metric` lists fields with a register each, `request` gives it once for all
      for (const request of [...tables(input.request), ...tables(input.metric)])
        for (const field of tables(request.fields)) {
          if (field.omit === true) continue
          const table = text(field.register) ?? text(request.register) ?? 'holding'
          const register = this.#register(name, table, field, text(request.byte_order), field.type, field.address)
          const tagged = this.#machineOf(request.tags, undefined)
          add(
            number(request.slave_id) ?? own,
            register && { ...register, ...(tagged !== undefined && { machine_identifier: tagged }) },
          )
        }
    }
    if (units.size === 0) this.notes.push(`modbus ${name}: no register of it can be read; left out`)
    const workarounds = input.workarounds as Table | undefined
    const pause = seconds(workarounds?.pause_between_requests)
    for (const [unit, registers] of units)
      this.#push({
        name: units.size > 1 ? `${name} ${unit}` : name,
        protocol: 'modbus',
        machine_identifier: this.#machineOf(input.tags, name) as string,
        host: url.hostname.replace(/^\[|\]$/g, ''),
        port: Number(url.port) || 502,
        poll_interval_seconds: seconds(input.interval) ?? this.#interval,
        unit_id: unit,
        timeout_ms: Math.round((seconds(input.timeout) ?? 1) * 1_000),
        ...(pause && { pause_ms: Math.round(pause * 1_000) }),
        registers: withUniqueNames(registers),
      })
  }

  #register(
    input: string,
    table: string,
    field: Table,
    order: string | undefined,
    type: unknown,
    address: unknown,
  ): Register | null {
    const name = text(field.name) ?? 'value'
    const at = number(address)
    const known = ['holding', 'input', 'coil', 'discrete'].includes(table)
    const isBit = table === 'coil' || table === 'discrete'
    const count = Array.isArray(field.address) ? field.address.length : undefined
    const found = isBit ? 'bool' : dataTypeOf(text(type) ?? '', count)
    if (!known || at === undefined || found === null) {
      this.notes.push(`modbus ${input}: ${name} (${text(type) ?? table}) has no equal here; left out`)
      return null
    }
    const byteOrder = ORDERS[order ?? 'ABCD'] ?? 'ABCD'
    const scale = number(field.scale)
    return {
      table: table as Register['table'],
      address: at,
      data_type: found,
      ...(!isBit && byteOrder !== 'ABCD' && { byte_order: byteOrder }),
      ...(!isBit && field.bit !== undefined && { bit: number(field.bit) }),
      ...(scale !== undefined && scale !== 1 && scale !== 0 && !isBit && { scale }),
      metric_name: metricName([name]),
      unit: isBit ? 'bool' : 'unknown',
    }
  }

  opcua(input: Table, mode: 'poll' | 'subscribe'): void {
    const name = text(input.name) ?? 'opcua'
    const endpoint = text(input.endpoint) ?? ''
    const url = URL.canParse(endpoint) ? new URL(endpoint) : null
    if (endpoint.includes('$')) return void this.notes.push(`opcua ${name}: ${endpoint} ${VARIABLE}`)
    if (url?.protocol !== 'opc.tcp:') {
      const fault = endpoint === '' ? 'it has no endpoint' : `${endpoint} is no address`
      this.notes.push(`opcua ${name}: ${fault} such as opc.tcp://host:4840; left out`)
      return
    }
    const groups = [{ nodes: input.nodes } as Table, ...tables(input.group)]
    const nodes = groups.flatMap((group) => tables(group.nodes).flatMap((node) => this.#node(name, group, node) ?? []))
    if (nodes.length === 0) return void this.notes.push(`opcua ${name}: no node of it can be read; left out`)
    const path = url.pathname.replace(/^\//, '')
    this.#push({
      name,
      protocol: 'opcua',
      machine_identifier: this.#machineOf(input.tags, name) as string,
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: Number(url.port) || 4_840,
      ...(path && { endpoint_path: path }),
      poll_interval_seconds: seconds(input.interval) ?? seconds(input.subscription_interval) ?? this.#interval,
      ...this.#security(name, input),
      ...(mode === 'subscribe' && { mode }),
      nodes: withUniqueNames(nodes),
    })
  }

  #node(input: string, group: Table, node: Table): Node | null {
    const [namespace, type, identifier] = [
      text(node.namespace) ?? text(group.namespace),
      text(node.identifier_type) ?? text(group.identifier_type),
      text(node.identifier),
    ]
    const uri = text(node.namespace_uri) ?? (namespace === undefined ? text(group.namespace_uri) : undefined)
    const space = uri !== undefined ? `nsu=${uri};` : namespace !== undefined ? `ns=${namespace};` : ''
    const id = text(node.id) ?? (type && identifier ? `${space}${type}=${identifier}` : undefined)
    if (id === undefined) {
      this.notes.push(`opcua ${input}: the node ${text(node.name) ?? ''} has no identifier; left out`)
      return null
    }
    const tagged = this.#machineOf({ ...(group.default_tags as Table), ...(node.default_tags as Table) }, undefined)
    return {
      node_id: id,
      metric_name: metricName([text(node.name) ?? id]),
      unit: 'unknown',
      ...(tagged !== undefined && { machine_identifier: tagged }),
    }
  }

  #security(name: string, input: Table): Table {
    const [mode, policy, username] = [
      text(input.security_mode) ?? 'auto',
      text(input.security_policy) ?? 'auto',
      text(input.username),
    ]
    const hasUser = text(input.auth_method) === 'UserName' && username !== undefined
    if (text(input.auth_method) === 'Certificate')
      this.notes.push(`opcua ${name}: a login by certificate has no equal here; it becomes anonymous`)
    const needed = hasUser ? 'SignAndEncrypt' : mode === 'auto' ? 'None' : mode
    if (mode === 'auto' && !hasUser)
      this.notes.push(`opcua ${name}: security "auto" becomes None; set security_mode where the server is encrypted`)
    if (needed === 'None') return {}
    const known = (SECURITY_POLICIES as readonly string[]).includes(policy) && policy !== 'None'
    if (!known && policy !== 'auto') this.notes.push(`opcua ${name}: ${policy} is not safe any more; it becomes Basic256Sha256`)
    if (hasUser)
      this.notes.push(`opcua ${name}: set the environment variable ${PASSWORD_VARIABLE}, or write the password into the settings`)
    this.notes.push(`opcua ${name}: trust the certificate of the server: haltless-agent trust`)
    return {
      security_mode: needed,
      security_policy: known ? policy : 'Basic256Sha256',
      ...(hasUser && { username, password: `\${${PASSWORD_VARIABLE}}` }),
    }
  }

  #machineOf(tags: unknown, fallback: string | undefined): string | undefined {
    return this.#machine !== undefined
      ? fallback === undefined
        ? undefined
        : this.#machine
      : (text((tags as Table | undefined)?.machine) ?? fallback)
  }

  #push(collector: ImportedCollector): void {
    if (this.collectors.length === 200) this.notes.push('an agent runs at most 200 collectors; the others are left out')
    if (this.collectors.length >= 200) return
    const same = this.collectors.filter(({ name }) => name === collector.name || name.startsWith(`${collector.name} (`)).length
    this.collectors.push(same === 0 ? collector : { ...collector, name: `${collector.name} (${same + 1})` })
  }
}

const VARIABLE = 'is an environment variable of Telegraf: write the address in its place; left out'
const REGISTER_LISTS = {
  holding_registers: 'holding',
  input_registers: 'input',
  coils: 'coil',
  discrete_inputs: 'discrete',
} as const
/** `AB` and `BA` are its names for 16 bits. */
const ORDERS: Record<string, Register['byte_order']> = {
  AB: 'ABCD',
  ABCD: 'ABCD',
  BA: 'DCBA',
  DCBA: 'DCBA',
  BADC: 'BADC',
  CDAB: 'CDAB',
}
const TYPES: Record<string, Register['data_type']> = {
  INT16: 'int16',
  UINT16: 'uint16',
  INT32: 'int32',
  UINT32: 'uint32',
  INT64: 'int64',
  UINT64: 'uint64',
  'FLOAT32-IEEE': 'float32',
  'FLOAT64-IEEE': 'float64',
  FLOAT64: 'float64',
  BIT: 'uint16',
}

/** In the register style FIXED, UFIXED and FLOAT32 are integers of as many registers as are listed. @param count undefined: in the request style */
function dataTypeOf(type: string, count: number | undefined): Register['data_type'] | null {
  if (type === 'FLOAT32' && count === undefined) return 'float32'
  const isSigned = type === 'FIXED'
  if (isSigned || type === 'UFIXED' || type === 'FLOAT32')
    return (
      ({ 1: isSigned ? 'int16' : 'uint16', 2: isSigned ? 'int32' : 'uint32', 4: isSigned ? 'int64' : 'uint64' } as const)[
        count ?? 1
      ] ?? null
    )
  return TYPES[type] ?? null
}

/** Telegraf tells fields of one name apart by other tags; a collector cannot. */
function withUniqueNames<T extends { metric_name?: string; machine_identifier?: string }>(tags: readonly T[]): T[] {
  const used = new Set<string>()
  return tags.map((tag) => {
    const key = (metric: string) => `${tag.machine_identifier}\0${metric}`
    let metric = tag.metric_name as string
    for (let n = 2; used.has(key(metric)); n++) metric = `${tag.metric_name}_${n}`
    used.add(key(metric))
    return { ...tag, metric_name: metric }
  })
}
