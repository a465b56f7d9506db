import { type Fault, mapFaultTexts } from '@haltless/protocol'

/** characters of a summary */
export const MAX_SUMMARY = 500
const MASK = '***'

/** Removes the secrets of a connection from texts that people read. */
export interface Redactor {
  /** a secret that came later, such as an access token */
  add(secret: string): void
  /** at most 500 characters, without secrets and without line breaks */
  summary(text: string): string
  /** the whole text, without secrets */
  clean(text: string): string
  /** the fault, without secrets in its sentence and parameters */
  cleanFault(found: Fault): Fault
}

/** The forms in which an ERP may echo a secret: as it is, escaped for JSON, HTML and URLs, and in base64. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const json = JSON.stringify(secret).slice(1, -1)
  const html = secret.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
  const quoted = html.replace(/"/g, '&quot;')
  const url = encodeURIComponent(secret)
  const strict = url.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
  return [
    secret,
    json,
    json.replaceAll('/', '\\/'),
    html,
    quoted,
    quoted.replace(/'/g, '&#39;'),
    quoted.replace(/'/g, '&apos;'),
    url,
    strict,
    new URLSearchParams([['', secret]]).toString().slice(1),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    encodeURIComponent(bytes.toString('base64').replace(/=+$/, '')),
    bytes.toString('hex'),
  ]
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
const lowerPercents = (text: string) => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())

export function createRedactor(secrets: readonly string[]): Redactor {
  const forms = new Set<string>()
  let pattern: RegExp | null = null
  function add(secret: string): void {
    // Without its one letter no text could be read.
    if (secret.length < 2) return
    for (const form of formsOf(secret)) forms.add(form).add(lowerPercents(form))
    // A form that contains another one must go first.
    pattern = new RegExp(
      [...forms]
        .toSorted((a, b) => b.length - a.length)
        .map(escaped)
        .join('|'),
      'g',
    )
  }
  for (const secret of secrets) add(secret)
  const clean = (text: string) => (pattern ? text.replace(pattern, MASK) : text)
  return {
    add,
    clean,
    cleanFault: (found) => mapFaultTexts(found, clean),
    summary(text) {
      // The secrets go before the text is cut: a part of a secret would not be recognised.
      const line = clean(text)
        .replace(/[\s\p{Cc}]+/gu, ' ')
        .trim()
        .toWellFormed()
      return line.length <= MAX_SUMMARY ? line : `${line.slice(0, MAX_SUMMARY - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
    },
  }
}
