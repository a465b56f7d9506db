import { type Fault, fault } from '@haltless/protocol/faults'
import type { NumberFormat, ThousandsMark } from './contract.ts'

/** A value that becomes no reading, and why. */
export class NoNumber {
  readonly fault: Fault

  constructor(found: Fault) {
    this.fault = found
  }

  /** in plain words */
  get reason(): string {
    return this.fault.detail
  }
}

const SHOWN = 40
/** A longer text is no number, and not worth the time of a pattern. */
const NUMBER_CHARS_MAX = 64
/** A text in a message: its first characters, in quotation marks. */
export const shownText = (text: string): string => JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN)}...` : text)

/** Digits with at most one point, and an exponent. No thousands separator, unless the settings name one: 1.234 is either, depending on the country. */
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?$/

/** Groups of three digits, the first of which begins with no zero, by what stands between them and by the decimal mark. Programs write several blanks and apostrophes. */
const GROUPS: Record<ThousandsMark, string> = { '.': '\\.', ',': ',', ' ': '[ \\u00a0\\u2009\\u202f]', "'": "['\u2019]" }
const groupedBy = (thousands: ThousandsMark, decimal: string): RegExp =>
  new RegExp(`^[+-]?[1-9]\\d{0,2}(?:${GROUPS[thousands]}\\d{3})+(?:\\${decimal}\\d*)?$`)

/** The text without the marks between its groups; as it is where its digits are not grouped rightly. */
function ungrouped(text: string, { decimal, thousands }: NumberFormat): string {
  if (thousands === undefined || !groupedBy(thousands, decimal).test(text)) return text
  return text.replace(new RegExp(GROUPS[thousands], 'g'), '')
}

/**
 * The number that a text holds; `true` and `false` are 1 and 0.
 * @returns undefined for an empty text
 */
export function numberIn(text: string, format: NumberFormat = { decimal: '.' }): number | NoNumber | undefined {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  if (trimmed.length > NUMBER_CHARS_MAX) return new NoNumber(fault('text_is_no_number', { text: shownText(trimmed) }))
  if (/^true$/i.test(trimmed)) return 1
  if (/^false$/i.test(trimmed)) return 0
  const plain = ungrouped(trimmed, format)
  const isComma = format.decimal === ','
  const pointed = isComma ? plain.replace(',', '.') : plain
  if (!NUMBER.test(pointed) || (isComma && plain.includes('.')))
    return new NoNumber(fault('text_is_no_number', { text: shownText(trimmed) }))
  return checked(Number(pointed))
}

/**
 * The number or the text that a value of JSON is.
 * @returns undefined for null, what is not there, and a text of nothing but spaces
 */
export function scalarOfJson(value: unknown): number | string | NoNumber | undefined {
  if (value === null || value === undefined) return undefined
  if (typeof value === 'number') return checked(value)
  if (typeof value === 'boolean') return Number(value)
  if (typeof value === 'string') return value.trim() === '' ? undefined : value
  return new NoNumber(Array.isArray(value) ? fault('value_is_list') : fault('value_is_object'))
}

function checked(value: number): number | NoNumber {
  if (!Number.isFinite(value)) return new NoNumber(fault('value_not_finite'))
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return new NoNumber(fault('integer_too_large'))
  return value
}

/**
 * What a field of a JSON value holds: `temperature`, or the way to it as in `data.oil.0.temperature`. A key that has points itself is found too.
 * @returns undefined when it is not there
 */
export function fieldOf(value: unknown, field: string): unknown {
  if (field === '') return value
  if (typeof value !== 'object' || value === null) return undefined
  if (Object.hasOwn(value, field)) return (value as Record<string, unknown>)[field]
  const dot = field.indexOf('.')
  if (dot < 0) return undefined
  const key = field.slice(0, dot)
  return Object.hasOwn(value, key) ? fieldOf((value as Record<string, unknown>)[key], field.slice(dot + 1)) : undefined
}
