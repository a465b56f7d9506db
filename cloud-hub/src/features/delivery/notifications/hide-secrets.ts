import { FAULT_LIMITS, type Fault, mapFaultTexts } from '@haltless/protocol/faults'
import { oneLine, truncateLine } from './notice-text.ts'
import { basicAuth } from './vendor-address.ts'

/** The length of a stored error, in characters. */
const MAX_ERROR = 300
/** Longer answers are truncated before secrets are masked, because the list of secrets may be long too. */
const MAX_LOOK = 4_000

/** The same for a fault: its text, its parameters, and the faults in it. */
export const readableFault = (fault: Fault, secrets: readonly string[], config: Record<string, unknown>): Fault =>
  mapFaultTexts(fault, (text) => readableError(text, secrets, config, text.length >= FAULT_LIMITS.paramChars))

/**
 * Masks secrets in the error of an attempt and shortens it to one line, because everybody in the tenant may read it. Receivers
 * may echo our credentials, whole, in parts or encoded.
 * @param isCut the end of the error is missing already
 */
export function readableError(error: string, secrets: readonly string[], config: Record<string, unknown>, isCut = false): string {
  const hidden = secretTexts(secrets, config).filter((text) => text.length >= 4)
  // the longest first, because it may contain others
  hidden.sort((a, b) => b.length - a.length)
  const longest = hidden[0]?.length ?? 0
  const line = oneLine(error)
  const looked = line.slice(0, MAX_LOOK + longest)
  const shown = hidden.reduce((text, secret) => text.replaceAll(secret, '***'), looked)
  return truncateLine(isCut || looked.length < line.length ? withoutCutSecret(shown, hidden) : shown, MAX_ERROR)
}

/** A secret that was truncated is not recognised: where the text ends with the beginning of one, that end is dropped. */
function withoutCutSecret(text: string, secrets: readonly string[]): string {
  const lengths = secrets.map((secret) => {
    let length = Math.min(secret.length, text.length)
    while (length > 0 && !text.endsWith(secret.slice(0, length))) length--
    return length
  })
  const longest = Math.max(0, ...lengths)
  return longest === 0 ? text : text.slice(0, -longest)
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
    .flatMap((value) => [...spellings(value), ...users.map((user) => basicAuth(user, value).slice('Basic '.length))])
}

function spellings(value: string): string[] {
  const line = oneLine(value)
  const written = [value, line, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)]
  // the second part of `Bearer xyz` and of a bot's `123:xyz` is a secret too
  const words = line.split(/[\s:;,=]/)
  const url = URL.parse(value)
  const parts = url ? [url.pathname + url.search, ...url.pathname.split('/'), ...url.searchParams.values()] : words
  return [...written, ...parts.filter((part) => part.length >= 8)]
}
