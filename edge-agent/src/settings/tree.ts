import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseDocument, type YAMLParseError } from 'yaml'
import { fileErrorMessage } from '../support/error-message.ts'
import { keyPath } from './faults.ts'

/** What is wrong with a configuration: every fault, each with the key that it concerns. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly faults: readonly string[]
  /** there is no file, or it names no hub: enrolment writes both */
  readonly hasNoHub: boolean

  constructor(where: string, faults: readonly string[], { hasNoHub = false } = {}) {
    super(`${where} cannot be used:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`)
    this.faults = faults
    this.hasNoHub = hasNoHub
  }
}

/** Environment variables that come before the file. */
export const ENVIRONMENT = {
  HALTLESS_HUB_URL: ['hub', 'url'],
  HALTLESS_API_KEY: ['hub', 'api_key'],
  HALTLESS_ALLOW_PLAINTEXT: ['hub', 'allow_plaintext'],
  HALTLESS_AGENT_ID: ['agent_id'],
  HALTLESS_DATA_DIR: ['data_dir'],
  HALTLESS_CA_FILE: ['uplink', 'ca_file'],
  HALTLESS_LOG_LEVEL: ['log_level'],
} as const satisfies Record<string, readonly string[]>

/** A file's content; null for an empty one. @throws ConfigError that names the file */
export function readYaml(file: string): unknown {
  let source: string
  try {
    source = readFileSync(file, 'utf8')
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    const fault = isMissing ? 'there is no such file' : `it cannot be read: ${fileErrorMessage(error)}`
    throw new ConfigError(file, [fault], { hasNoHub: isMissing })
  }
  const document = parseDocument(source)
  if (document.errors.length > 0) throw new ConfigError(file, syntaxFaults(document.errors))
  try {
    return document.toJS({ maxAliasCount: 100 })
  } catch (error) {
    // An undefined alias, or nested aliases that expand beyond the limit.
    throw new ConfigError(file, [(error as Error).message])
  }
}

/** One tab lets the parser misread the lines after it, so it is the only fault that counts. */
function syntaxFaults(errors: readonly YAMLParseError[]): string[] {
  const tab = errors.find(({ code }) => code === 'TAB_AS_INDENT')
  if (tab) return [`line ${tab.linePos?.[0].line} is indented with a tab: YAML allows only spaces there`]
  return errors.map(({ message }) => (message.split('\n')[0] as string).replace(/:$/, ''))
}

/** Returns the value as an object. For any other type it reports a fault and returns an empty object. */
export function asObject(value: unknown, faults: string[]): Record<string, unknown> {
  if (value === null || value === undefined) return {}
  if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>
  faults.push('the file must hold keys and values')
  return {}
}

/** Overrides settings of the file with the environment variables of {@link ENVIRONMENT}. */
export function applyEnvironment(tree: Record<string, unknown>, env: NodeJS.ProcessEnv, faults: string[]): void {
  for (const [name, path] of Object.entries(ENVIRONMENT)) {
    const value = env[name]
    if (value === undefined || value === '') continue
    const [section, key] = path as readonly [string, string?]
    if (name === 'HALTLESS_ALLOW_PLAINTEXT' && value !== 'true' && value !== 'false') {
      faults.push(`${name} must be true or false`)
      continue
    }
    const set = name === 'HALTLESS_ALLOW_PLAINTEXT' ? value === 'true' : /_(DIR|FILE)$/.test(name) ? resolve(value) : value
    if (key === undefined) tree[section] = set
    else tree[section] = { ...asObject(tree[section], faults), [key]: set }
  }
}

/**
 * Replaces each `- file: opcua.yaml` by the collectors of that file: one collector or a list.
 * @returns the name of each collector in fault messages: `collectors[0]`, `/etc/opcua.yaml`, `/etc/plant.yaml[3]`
 */
export function includeCollectorFiles(
  tree: Record<string, unknown>,
  folder: string,
  read: (file: string) => unknown,
  faults: string[],
): string[] {
  if (!Array.isArray(tree.collectors)) return []
  const all = tree.collectors.flatMap((entry, i): { at: string; collector: unknown }[] => {
    const at = `collectors[${i}]`
    if (typeof entry !== 'object' || entry === null || !('file' in entry)) return [{ at, collector: entry }]
    const { file: given, ...others } = entry as { file: unknown }
    const file = resolve(folder, String(given))
    for (const key of Object.keys(others)) faults.push(`${at}.${key}: stands in ${file}, not beside its name`)
    try {
      const included = read(file)
      if (!Array.isArray(included)) return [{ at: file, collector: included }]
      return included.map((collector, n) => ({ at: `${file}[${n}]`, collector }))
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      faults.push(...error.faults.map((fault) => `${file}: ${fault}`))
      return []
    }
  })
  tree.collectors = all.map(({ collector }) => collector)
  return all.map(({ at }) => at)
}

/** Replaces `${NAME}` in every string by its environment variable. A key without a value counts as absent. */
export function expandVariables(
  value: unknown,
  path: (string | number)[],
  where: readonly string[],
  env: NodeJS.ProcessEnv,
  faults: string[],
): unknown {
  if (Array.isArray(value)) return value.map((item, i) => expandVariables(item, [...path, i], where, env, faults))
  if (typeof value === 'object' && value !== null) {
    const set = Object.entries(value).filter(([, item]) => item !== null)
    return Object.fromEntries(set.map(([key, item]) => [key, expandVariables(item, [...path, key], where, env, faults)]))
  }
  if (typeof value !== 'string') return value
  return value.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
    const found = env[name]
    if (found === undefined) faults.push(`${keyPath(path, where)}: the environment variable ${name} is not set`)
    return found ?? ''
  })
}
