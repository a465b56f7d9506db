import type { z } from 'zod'
import { type FieldError, Unprocessable, fieldError } from '../errors.ts'
import { fieldErrors, validationMessage } from '../http/validation-message.ts'

/** A configuration with secrets that a tenant writes: of a notification channel or a polling source. */
export type Config = Record<string, unknown>
const MASK = '***'

/** The rules for one kind of configuration. */
export interface ConfigRules {
  config: z.ZodType<Config>
  /** keys whose values are masked; in a map, every value */
  secrets: readonly string[]
  /** the `secrets` that are URLs with a secret in the path: responses show their origin */
  secretUrls?: readonly string[]
  /** whether `config` has another target than `stored`, so that the user must enter the secrets again */
  isMoved(stored: Config, config: Config): boolean
  /** checks beyond the shape, such as a blocked address; paths are relative to the configuration */
  check?(config: Config): FieldError[]
}

const isMap = (value: unknown): value is Config => typeof value === 'object' && value !== null && !Array.isArray(value)

/** `https://host/***`; any other text is masked completely. */
const maskUrl = (value: unknown) => (typeof value === 'string' && URL.canParse(value) ? `${new URL(value).origin}/${MASK}` : MASK)

/** The configuration as responses show it: secrets and the values of secret maps are `***`, secret URLs keep their origin. */
export function maskConfig({ secrets, secretUrls = [] }: Pick<ConfigRules, 'secrets' | 'secretUrls'>, config: Config): Config {
  const mask = (value: unknown) => (isMap(value) ? Object.fromEntries(Object.keys(value).map((key) => [key, MASK])) : MASK)
  const shown = ([key, value]: [string, unknown]) =>
    secretUrls.includes(key) ? maskUrl(value) : secrets.includes(key) ? mask(value) : value
  return Object.fromEntries(Object.entries(config).map((entry) => [entry[0], shown(entry)]))
}

/** Treats a masked URL that the client sends back like `***`. */
function withoutMaskedUrls({ secretUrls = [] }: ConfigRules, stored: Config, change: Config): Config {
  const same = secretUrls.filter((key) => Object.hasOwn(stored, key) && own(change, key) === maskUrl(stored[key]))
  return { ...change, ...Object.fromEntries(same.map((key) => [key, MASK])) }
}

/** Merges a change into the stored configuration: absent keeps, `***` keeps a secret, null deletes. Maps merge one level deep. */
function merge(stored: Config, change: Config): Config {
  const merged = new Map(Object.entries(stored))
  for (const [key, value] of Object.entries(change)) {
    const before = merged.get(key)
    if (value === null) merged.delete(key)
    else if (value === MASK && before !== undefined) continue
    else if (isMap(value)) merged.set(key, merge(isMap(before) ? before : {}, value))
    else merged.set(key, value)
  }
  return Object.fromEntries(merged)
}

const secretLeaves = ({ secrets }: ConfigRules, config: Config): string[] =>
  secrets.flatMap((key) => {
    const value = config[key]
    return isMap(value) ? Object.keys(value).map((name) => `${key}.${name}`) : value === undefined ? [] : [key]
  })

/** Own properties only: every object inherits `constructor`, which may also be the name of a header. */
const own = (map: Config, key: string): unknown => (Object.hasOwn(map, key) ? map[key] : undefined)

const at = (config: Config, leaf: string): unknown => {
  if (Object.hasOwn(config, leaf)) return config[leaf]
  const [key, ...rest] = leaf.split('.')
  const map = own(config, key as string)
  return isMap(map) ? own(map, rest.join('.')) : undefined
}

/**
 * The configuration after a creation (`stored` null) or a change.
 * @throws Unprocessable for a wrong shape, a blocked address, a mask without a stored secret, or a changed target without its
 * secrets. Secrets are sent only to the address for which they were entered
 */
export function resolveConfig(rules: ConfigRules, stored: Config | null, given: Config): Config {
  const change = withoutMaskedUrls(rules, stored ?? {}, given)
  const merged = merge(stored ?? {}, change)
  const parsed = rules.config.safeParse(merged, { error: validationMessage })
  if (!parsed.success) throw refusal(fieldErrors(parsed.error))
  const config = parsed.data
  const isMasked = (leaf: string) =>
    at(config, leaf) === MASK || (rules.secretUrls?.includes(leaf) && at(config, leaf) === maskUrl(at(config, leaf)))
  const masked = secretLeaves(rules, config).filter(isMasked)
  if (masked.length > 0) throw refusal(masked.map((path) => (fieldError(path, 'secret_masked'))))
  const faults = rules.check?.(config) ?? []
  if (faults.length > 0) throw refusal(faults)
  if (stored && rules.isMoved(stored, config)) {
    const carried = secretLeaves(rules, stored).filter((leaf) => {
      const given = at(change, leaf)
      return at(config, leaf) !== undefined && (given === undefined || given === MASK)
    })
    if (carried.length > 0)
      throw refusal(
        carried.map((path) => (fieldError(path, 'secret_of_other_address'))),
      )
  }
  return config
}

const refusal = (faults: FieldError[]) =>
  new Unprocessable(faults.map((fault) => ({ ...fault, path: fault.path ? `body.config.${fault.path}` : 'body.config' })))
