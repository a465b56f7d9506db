import { clip, oneLine } from './notice-text.ts'
import { basic } from './vendor-address.ts'

/** Of what is kept about a failed attempt, in characters. */
const MAX_ERROR = 300
/** Of what is looked at: answers may be long, and so may lists of secrets. */
const MAX_LOOK = 4_000

/**
 * Why an attempt failed, as everybody in the tenant may read it: one short line, without the configuration's secrets. Receivers may say our own
 * credentials back to us, whole, in parts or encoded.
 */
export function readableError(error: string, secrets: readonly string[], config: Record<string, unknown>): string {
  const hidden = secretTexts(secrets, config).filter((text) => text.length >= 4)
  // first the longest, which may hold others
  hidden.sort((a, b) => b.length - a.length)
  const longest = hidden[0]?.length ?? 0
  const line = oneLine(error)
  const looked = line.slice(0, MAX_LOOK + longest)
  const shown = hidden.reduce((text, secret) => text.replaceAll(secret, '***'), looked)
  // a secret that the cut went through is not recognised, and stands at the end
  return clip(looked.length < line.length ? shown.slice(0, -longest || undefined) : shown, MAX_ERROR)
}

const isText = (value: unknown): value is string => typeof value === 'string'

function secretTexts(secrets: readonly string[], config: Record<string, unknown>): string[] {
  const values = secrets.flatMap((key) => {
    const value = config[key]
    return typeof value === 'object' && value !== null ? Object.values(value) : [value]
  })
  const users = Object.values(config).filter(isText)
  return values
    .filter(isText)
    .flatMap((value) => [...spellings(value), ...users.map((user) => basic(user, value).slice('Basic '.length))])
}

function spellings(value: string): string[] {
  const line = oneLine(value)
  const written = [value, line, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)]
  // of `Bearer xyz` and of a bot's `123:xyz` the second part is the secret too
  const words = line.split(/[\s:;,=]/)
  const url = URL.parse(value)
  const parts = url ? [url.pathname + url.search, ...url.pathname.split('/'), ...url.searchParams.values()] : words
  return [...written, ...parts.filter((part) => part.length >= 8)]
}
