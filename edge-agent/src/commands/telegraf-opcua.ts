import { type OpcUaConfig, SECURITY_POLICIES } from '@haltless/protocol'
import { commandName } from '../support/agent-command.ts'
import { metricName } from './add-nodes.ts'
import { PASSWORD_VARIABLE } from './password-variable.ts'
import {
  FILTER_KEYS,
  GROUP_KEYS,
  LeftOutKeys,
  MONITORING_KEYS,
  NODE_KEYS,
  OPCUA_KEYS,
  OPCUA_WORKAROUND_KEYS,
} from './telegraf-keys.ts'
import { isTable, milliseconds, seconds, type Table, tables, tagsOf, text } from './telegraf-toml.ts'

export type Node = Partial<OpcUaConfig['nodes'][number]>

/** Telegraf's `timestamp`: when it gathers, or that of the server; that of the source is the default here. */
const TIMESTAMPS: Readonly<Record<string, Table>> = {
  gather: { timestamps: 'agent' },
  server: { timestamps: 'server' },
  source: {},
}

export interface OpcUaInput {
  nodes: Node[]
  settings: Table
  notes: string[]
}

/**
 * @param mode how the input reads, which decides on the keys it has
 * @param machineOf the machine that tags name, if any
 */
export function readOpcUa(
  name: string,
  input: Table,
  mode: 'poll' | 'subscribe',
  machineOf: (tags: unknown) => string | undefined,
): OpcUaInput {
  const reader = new OpcUaReader(`opcua ${name}`, machineOf)
  reader.group({ nodes: input.nodes }, '')
  for (const group of tables(input.group)) {
    reader.left.check(group, GROUP_KEYS, 'group.')
    reader.group(group, 'group.')
  }
  reader.left.check(input, OPCUA_KEYS[mode])
  for (const key of ['workarounds', 'request_workarounds'])
    for (const table of tables(input[key])) reader.left.check(table, OPCUA_WORKAROUND_KEYS, `${key}.`)
  reader.left.checkTags(input.tags, 'tags.')
  const interval = mode === 'subscribe' ? seconds(input.subscription_interval) : undefined
  if (interval !== undefined && input.interval !== undefined) reader.left.add('interval', 'subscription_interval is imported')
  const timeout = seconds(input.request_timeout)
  const given = text(input.timestamp)
  const timestamps = TIMESTAMPS[given ?? 'source']
  if (!timestamps) reader.left.add('timestamp', `${given} has no equal here`)
  const settings = {
    ...(interval !== undefined && { poll_interval_seconds: Math.max(0.01, interval) }),
    ...timestamps,
    ...(timeout !== undefined && { timeout_ms: milliseconds(timeout, 500) }),
    ...(reader.nodes.length > 0 && reader.security(input)),
  }
  return { nodes: reader.nodes, settings, notes: [...reader.notes, ...reader.left.notes(`opcua ${name}`)] }
}

class OpcUaReader {
  readonly nodes: Node[] = []
  readonly notes: string[] = []
  readonly left = new LeftOutKeys()
  readonly #input: string
  readonly #machineOf: (tags: unknown) => string | undefined

  constructor(input: string, machineOf: (tags: unknown) => string | undefined) {
    this.#input = input
    this.#machineOf = machineOf
  }

  group(group: Table, path: string): void {
    this.left.checkTags(group.default_tags, `${path}default_tags.`)
    this.left.checkTags(group.tags, `${path}tags.`)
    for (const node of tables(group.nodes)) {
      this.left.check(node, NODE_KEYS, `${path}nodes.`)
      this.left.checkTags(node.default_tags, `${path}nodes.default_tags.`)
      this.left.checkTags(node.tags, `${path}nodes.tags.`)
      this.#add(group, node, path)
    }
  }

  #add(group: Table, node: Table, path: string): void {
    const [namespace, type, identifier] = [
      text(node.namespace) ?? text(group.namespace),
      text(node.identifier_type) ?? text(group.identifier_type),
      text(node.identifier),
    ]
    const uri = text(node.namespace_uri) ?? (namespace === undefined ? text(group.namespace_uri) : undefined)
    const space = uri !== undefined ? `nsu=${uri};` : namespace !== undefined ? `ns=${namespace};` : ''
    const id = text(node.id) ?? (type && identifier ? `${space}${type}=${identifier}` : undefined)
    if (id === undefined) {
      this.notes.push(`${this.#input}: the node ${text(node.name) ?? ''} has no identifier; left out`)
      return
    }
    const machine = this.#machineOf({
      ...tagsOf(group.default_tags),
      ...tagsOf(group.tags),
      ...tagsOf(node.default_tags),
      ...tagsOf(node.tags),
    })
    this.nodes.push({
      node_id: id,
      metric_name: metricName([text(node.name) ?? id]),
      unit: 'unknown',
      ...(machine !== undefined && { machine_identifier: machine }),
      ...this.#deadband(node.monitoring_params, `${path}nodes.monitoring_params.`),
    })
  }

  #deadband(params: unknown, path: string): Table {
    if (!isTable(params)) return {}
    this.left.check(params, MONITORING_KEYS, path)
    const filter = params.data_change_filter
    if (!isTable(filter)) return {}
    this.left.check(filter, FILTER_KEYS, `${path}data_change_filter.`)
    const { deadband_type: type, deadband_value: value } = filter
    if (type === 'Absolute' && typeof value === 'number' && value > 0) return { deadband: value }
    if (type === 'Percent')
      this.left.add(`${path}data_change_filter.deadband_value`, 'deadbands are in the unit of the value, not in percent')
    return {}
  }

  security(input: Table): Table {
    const [mode, policy, username] = [
      text(input.security_mode) ?? 'auto',
      text(input.security_policy) ?? 'auto',
      text(input.username),
    ]
    const hasUser = text(input.auth_method) === 'UserName' && username !== undefined
    const note = (words: string) => void this.notes.push(`${this.#input}: ${words}`)
    if (text(input.auth_method) === 'Certificate') note('a login by certificate has no equal here; it becomes anonymous')
    if (!hasUser && (username !== undefined || input.password !== undefined))
      note('username and password are left out, because auth_method is not UserName')
    const needed = hasUser ? 'SignAndEncrypt' : mode === 'auto' ? 'None' : mode
    if (mode === 'auto' && !hasUser) note('security "auto" becomes None; set security_mode where the server is encrypted')
    if (hasUser && mode !== 'auto' && mode !== needed) note(`security_mode ${mode} becomes ${needed}, for the password`)
    if (needed === 'None') return {}
    const known = (SECURITY_POLICIES as readonly string[]).includes(policy) && policy !== 'None'
    if (!known && policy !== 'auto') note(`${policy} is not safe any more; it becomes Basic256Sha256`)
    if (hasUser) note(`set the environment variable ${PASSWORD_VARIABLE}, or write the password into the settings`)
    note(`trust the certificate of the server: ${commandName()} trust`)
    return {
      security_mode: needed,
      security_policy: known ? policy : 'Basic256Sha256',
      ...(hasUser && { username, password: `\${${PASSWORD_VARIABLE}}` }),
    }
  }
}
