import { type FieldError, Unprocessable } from '../../support/errors.ts'
import type { GuardedClient } from '../../support/net/guarded-client.ts'
import type { Channel } from './channel.ts'

export type Config = Record<string, unknown>
export const MASK = '***'

const isMap = (value: unknown): value is Config => typeof value === 'object' && value !== null && !Array.isArray(value)

/** As answered: secret texts are `***`, of a secret map every value is. */
export function maskConfig(channel: Channel<Config>, config: Config): Config {
  const mask = (value: unknown) => (isMap(value) ? Object.fromEntries(Object.keys(value).map((key) => [key, MASK])) : MASK)
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => [key, channel.secrets.includes(key) ? mask(value) : value]),
  )
}

/** Merges a change into what is stored: absent keeps, `***` keeps a secret, null deletes; one level deep in maps. */
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

const secretLeaves = (channel: Channel<Config>, config: Config): string[] =>
  channel.secrets.flatMap((key) => {
    const value = config[key]
    return isMap(value) ? Object.keys(value).map((name) => `${key}.${name}`) : value === undefined ? [] : [key]
  })

/** Only what was written there: every object inherits a `constructor`, and a header may be called so. */
const own = (map: Config, key: string): unknown => (Object.hasOwn(map, key) ? map[key] : undefined)

const at = (config: Config, leaf: string): unknown => {
  if (Object.hasOwn(config, leaf)) return config[leaf]
  const [key, ...rest] = leaf.split('.')
  const map = own(config, key as string)
  return isMap(map) ? own(map, rest.join('.')) : undefined
}

/**
 * The configuration that results from a creation (`stored` null) or a change.
 * @throws Unprocessable for a wrong shape, an address that is not allowed, a mask where nothing is stored, or a changed target without
 *   its secrets: they are never sent to an address other than the one they were entered for
 */
export function resolveConfig(channel: Channel<Config>, http: GuardedClient, stored: Config | null, change: Config): Config {
  const merged = merge(stored ?? {}, change)
  const parsed = channel.config.safeParse(merged)
  if (!parsed.success) throw refusal(parsed.error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message })))
  const config = parsed.data
  const masked = secretLeaves(channel, config).filter((leaf) => at(config, leaf) === MASK)
  if (masked.length > 0) throw refusal(masked.map((path) => ({ path, message: 'is masked here and unknown: enter it' })))
  const faults = channel.judge?.(config, http) ?? []
  if (faults.length > 0) throw refusal(faults)
  if (stored && channel.target(stored) !== channel.target(config)) {
    const carried = secretLeaves(channel, stored).filter((leaf) => {
      const given = at(change, leaf)
      return at(config, leaf) !== undefined && (given === undefined || given === MASK)
    })
    if (carried.length > 0)
      throw refusal(
        carried.map((path) => ({ path, message: 'was entered for another address: enter it again, or delete it with null' })),
      )
  }
  return config
}

const refusal = (faults: FieldError[]) =>
  new Unprocessable(faults.map(({ path, message }) => ({ path: path ? `body.config.${path}` : 'body.config', message })))
