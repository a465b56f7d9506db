import { parse } from 'smol-toml'
import { readModbus } from './telegraf-modbus.ts'
import { readOpcUa } from './telegraf-opcua.ts'
import { isTable, seconds, type Table, tables, tagsOf, text } from './telegraf-toml.ts'

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

/**
 * The Modbus and OPC UA inputs of a Telegraf configuration as collectors. Telegraf knows neither machines nor units: machines come from the tag `machine`,
 * else from the name of the input, and units are `unknown`. A key that is not imported is named in the notes. Sources: the documentation of its plugins
 * `modbus` (configuration types register, request and metric), `opcua` and `opcua_listener`, and their source where that says more.
 * @param machine of all of them; undefined: as above
 * @throws Error for a text that is no TOML
 */
export function importTelegraf(source: string, machine?: string): TelegrafImport {
  const file = parse(source.replace(/^\uFEFF/, '')) as Table
  const inputs = isTable(file.inputs) ? file.inputs : {}
  const into = new Importer(machine, seconds(tables(file.agent)[0]?.interval) ?? 10)
  for (const input of tables(inputs.modbus)) into.modbus(input)
  for (const input of tables(inputs.opcua)) into.opcua(input, 'poll')
  for (const input of tables(inputs.opcua_listener)) into.opcua(input, 'subscribe')
  for (const name of Object.keys(inputs))
    if (!['modbus', 'opcua', 'opcua_listener'].includes(name))
      into.notes.push(`inputs.${name} is neither Modbus nor OPC UA: left out`)
  for (const stage of ['processors', 'aggregators'])
    for (const name of Object.keys(tables(file[stage])[0] ?? {}))
      into.notes.push(`${stage}.${name} changes values on their way: left out`)
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
    if (url?.protocol !== 'tcp:' || !TCP_MODES.includes(mode ?? 'auto')) {
      this.notes.push(
        controller === ''
          ? `modbus ${name}: it has no controller such as tcp://host:502; left out`
          : `modbus ${name}: ${mode === undefined ? controller : `${controller} ${mode}`} is neither Modbus TCP nor RTU over TCP: put a gateway before it; left out`,
      )
      return
    }
    const { units, settings, notes } = readModbus(name, input, (tags) => this.#taggedMachine(tags))
    this.notes.push(...notes)
    if (units.size === 0) this.notes.push(`modbus ${name}: no register of it can be read; left out`)
    for (const [unit, registers] of units)
      this.#push({
        name: units.size > 1 ? `${name} ${unit}` : name,
        protocol: 'modbus',
        machine_identifier: this.#machineOf(input.tags, name),
        host: url.hostname.replace(/^\[|\]$/g, ''),
        port: Number(url.port) || 502,
        poll_interval_seconds: seconds(input.interval) ?? this.#interval,
        unit_id: unit,
        ...settings,
        registers: withUniqueNames(registers),
      })
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
    const { nodes, settings, notes } = readOpcUa(name, input, mode, (tags) => this.#taggedMachine(tags))
    this.notes.push(...notes)
    if (nodes.length === 0) return void this.notes.push(`opcua ${name}: no node of it can be read; left out`)
    const path = url.pathname.replace(/^\//, '')
    this.#push({
      name,
      protocol: 'opcua',
      machine_identifier: this.#machineOf(input.tags, name),
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: Number(url.port) || 4_840,
      ...(path && { endpoint_path: path }),
      poll_interval_seconds: seconds(input.interval) ?? this.#interval,
      ...settings,
      ...(mode === 'subscribe' && { mode }),
      nodes: withUniqueNames(nodes),
    })
  }

  #machineOf(tags: unknown, fallback: string): string {
    return this.#machine ?? text(tagsOf(tags).machine) ?? fallback
  }

  /** Of a value; one machine for all leaves none to it. */
  #taggedMachine(tags: unknown): string | undefined {
    return this.#machine === undefined ? text(tagsOf(tags).machine) : undefined
  }

  #push(collector: ImportedCollector): void {
    if (this.collectors.length === 200) this.notes.push('an agent runs at most 200 collectors; the others are left out')
    if (this.collectors.length >= 200) return
    const same = this.collectors.filter(({ name }) => name === collector.name || name.startsWith(`${collector.name} (`)).length
    this.collectors.push(same === 0 ? collector : { ...collector, name: `${collector.name} (${same + 1})` })
  }
}

const TCP_MODES = ['auto', 'TCP', 'RTUoverTCP']
const VARIABLE = 'is an environment variable of Telegraf: write the address in its place; left out'

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
