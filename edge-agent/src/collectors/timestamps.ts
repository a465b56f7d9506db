import { z } from 'zod'

/** `dd.MM.yyyy HH:mm:ss` and its like: what stands between the fields must stand in the text too. */
const TOKENS: Record<string, string> = {
  yyyy: '(?<yyyy>\\d{4})',
  yy: '(?<yy>\\d{2})',
  MM: '(?<MM>\\d{1,2})',
  dd: '(?<dd>\\d{1,2})',
  HH: '(?<HH>\\d{1,2})',
  hh: '(?<hh>\\d{1,2})',
  a: '(?<a>[AaPp])\\.?\\s?[Mm]\\.?',
  mm: '(?<mm>\\d{1,2})',
  ss: '(?<ss>\\d{1,2})',
  SSS: '(?<SSS>\\d{1,9})',
}
const TIMESTAMP_CHARS_MAX = 100
const TOKEN = /yyyy|yy|MM|dd|HH|hh|mm|SSS|ss/g
/** Of a clock of 12 hours, where `a` stands for AM or PM. */
const TOKEN_OF_12_HOURS = /yyyy|yy|MM|dd|hh|mm|SSS|ss|a(?![A-Za-z])/g
/** Days from 1899-12-30, where a sheet begins to count, to 1970. */
const EXCEL_DAYS_TO_1970 = 25_569
/** 1900-03-01, before which a sheet counts a day that never was, and the end of the year 9999 */
const [EXCEL_FIRST, EXCEL_LAST] = [61, 2_958_466]
/** ISO 8601 with a space for the T, and without a zone, which is then the one of the settings. */
const ISO = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(Z|[+-]\d{2}:?\d{2})?)?$/

const PLAIN_FORMATS = ['iso', 'unix', 'unix_ms', 'excel']
const isPattern = (text: string): boolean => /yy/.test(text) && text.includes('MM') && text.includes('dd')
const hasWholeHours = (text: string): boolean => !text.includes('hh') || (/a(?![A-Za-z])/.test(text) && !text.includes('HH'))

export const TimestampFormat = z
  .string()
  .max(60)
  .default('iso')
  .refine((text) => PLAIN_FORMATS.includes(text) || isPattern(text), {
    error: 'must be iso, unix, unix_ms, excel, or a pattern such as dd.MM.yyyy HH:mm:ss',
  })
  .refine(hasWholeHours, { error: 'hh needs an a for AM or PM, as in MM/dd/yyyy hh:mm:ss a; without them write HH' })

export const TimeZone = z.string().max(60).default('local').refine(isTimeZone, {
  error: 'must be local, UTC, or a time zone such as Europe/Berlin',
})

function isTimeZone(name: string): boolean {
  if (name === 'local') return true
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== null
  } catch {
    return false
  }
}

/** Reads timestamps as devices and programs write them. */
export class TimestampReader {
  readonly #format: string
  readonly #pattern: RegExp | null
  readonly #zone: Zone

  /** @param format {@link TimestampFormat} @param zone {@link TimeZone}, of timestamps that name none */
  constructor(format: string, zone: string) {
    this.#format = format
    this.#pattern = PLAIN_FORMATS.includes(format) ? null : patternOf(format)
    this.#zone = zoneOf(zone)
  }

  /**
   * @param after the timestamp before, Unix ms; 0: there is none. The hour that a clock repeats in autumn is the first one, or the second where
   * the first would go back behind it by more than a minute.
   * @param now Unix ms: the second hour does not come before its time, and is meant by what has just been written where no timestamp is before
   * @returns Unix ms, whole; null for what is no timestamp of this format
   */
  read(given: unknown, after = 0, now = Number.POSITIVE_INFINITY): number | null {
    const text = typeof given === 'number' ? String(given) : typeof given === 'string' ? given.trim() : ''
    if (text === '' || text.length > TIMESTAMP_CHARS_MAX) return null
    if (this.#format === 'unix' || this.#format === 'unix_ms') {
      const number = /^-?\d+([.,]\d+)?$/.test(text) ? Number(text.replace(',', '.')) : Number.NaN
      return whole(this.#format === 'unix' ? number * 1_000 : number)
    }
    if (this.#format === 'excel') {
      const utc = excelUtc(text)
      return utc === null ? null : this.#zone(utc, after, now)
    }
    const fields = this.#pattern ? fieldsOf(this.#pattern.exec(text)) : isoFields(text)
    if (!fields) return null
    const utc = utcOf(fields)
    if (utc === null) return null
    return fields.offsetMs === null ? this.#zone(utc, after, now) : utc - fields.offsetMs
  }
}

interface Fields {
  date: [year: number, month: number, day: number]
  time: [hour: number, minute: number, second: number, ms: number]
  /** what its zone is ahead of UTC; null: it names none */
  offsetMs: number | null
}

const whole = (ms: number): number | null => (Number.isFinite(ms) ? Math.floor(ms) : null)
const msOf = (fraction = '0'): number => Math.floor(Number(`0.${fraction}`) * 1_000 + 1e-6)

/** What a sheet shows for a serial number of days, as if it were UTC; null for what is none. */
function excelUtc(text: string): number | null {
  const days = /^\d{1,7}([.,]\d+)?$/.test(text) ? Number(text.replace(',', '.')) : Number.NaN
  return days >= EXCEL_FIRST && days < EXCEL_LAST ? Math.round((days - EXCEL_DAYS_TO_1970) * 86_400_000) : null
}

function patternOf(format: string): RegExp {
  const token = format.includes('hh') ? TOKEN_OF_12_HOURS : TOKEN
  // Programs write several blanks before AM.
  const parts = format.split(token).map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(' ', '\\s'))
  const tokens = format.match(token) ?? []
  // a token that stands twice would be two groups of one name
  const seen = new Set<string>()
  const source = parts.map((text, i) => {
    const token = tokens[i]
    if (token === undefined) return text
    const group = seen.has(token) ? '\\d+' : (TOKENS[token] as string)
    seen.add(token)
    return text + group
  })
  return new RegExp(`^${source.join('')}$`)
}

function fieldsOf(match: RegExpExecArray | null): Fields | null {
  if (!match) return null
  const { yyyy, yy, MM, dd, mm = '0', ss = '0', SSS } = match.groups ?? {}
  const year = yyyy === undefined ? 2_000 + Number(yy) : Number(yyyy)
  return {
    date: [year, Number(MM), Number(dd)],
    time: [hourOf(match.groups ?? {}), Number(mm), Number(ss), msOf(SSS)],
    offsetMs: null,
  }
}

/** 12 AM is midnight, and 12 PM noon. NaN for an hour that a clock of 12 hours does not show. */
function hourOf({ HH = '0', hh, a = 'A' }: Record<string, string | undefined>): number {
  if (hh === undefined) return Number(HH)
  return Number(hh) > 12 ? Number.NaN : (Number(hh) % 12) + (a.toUpperCase() === 'P' ? 12 : 0)
}

function isoFields(text: string): Fields | null {
  const match = ISO.exec(text)
  if (!match) return null
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction, zone] = match
  return {
    date: [Number(year), Number(month), Number(day)],
    time: [Number(hour), Number(minute), Number(second), msOf(fraction)],
    offsetMs: zone === undefined ? null : zone === 'Z' ? 0 : offsetOf(zone),
  }
}

const offsetOf = (zone: string): number =>
  (zone.startsWith('-') ? -1 : 1) * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2))) * 60_000

/** These fields as if they were UTC; null for a day or time that does not exist. */
function utcOf({ date: [year, month, day], time: [hour, minute, second, ms] }: Fields): number | null {
  if (!(hour <= 23) || minute > 59 || second > 60) return null
  const at = Date.UTC(year, month - 1, day, hour, minute, second, ms)
  const there = new Date(Date.UTC(year, month - 1, day))
  return there.getUTCMonth() === month - 1 && there.getUTCDate() === day ? at : null
}

/** Lines that stand a little out of order do not begin the second of two equal hours. */
const DISORDER_MS = 60_000
/** Times that go back by more are no disorder. */
const DISORDER_MAX_MS = 30 * 60_000

/** @param utc what a clock of the zone shows, as if it were UTC @returns Unix ms */
type Zone = (utc: number, after: number, now: number) => number
/** What was written so long ago was written just now. */
const FRESH_MS = 5 * 60_000

function zoneOf(name: string): Zone {
  if (name === 'UTC') return (utc) => utc
  const timeZone = name === 'local' ? Intl.DateTimeFormat().resolvedOptions().timeZone : name
  const format = new Intl.DateTimeFormat('en-u-hc-h23', {
    timeZone,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  const aheadMs = (at: number): number => {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
    const { year, month, day, hour, minute, second } = parts as Record<string, number>
    return Date.UTC(year as number, (month as number) - 1, day, hour, minute, second) - Math.floor(at / 1_000) * 1_000
  }
  return (utc, after, now) => {
    // a day before and after lie on both sides of a change of the clock
    const before = utc - aheadMs(utc - 86_400_000)
    const later = utc - aheadMs(utc + 86_400_000)
    const [first, second] = before <= later ? [before, later] : [later, before]
    const isReal = (at: number) => at + aheadMs(at) === utc
    if (isReal(first) && isReal(second) && first !== second) {
      const backMs = after > 0 ? after - first : 0
      // The clock of the file may be ahead, so that only a little disorder is no second hour because its time has not come.
      if (backMs > DISORDER_MAX_MS) return second
      if (second > now + DISORDER_MS) return first
      const isSecond = after > 0 ? backMs > DISORDER_MS : now - second <= FRESH_MS
      return isSecond ? second : first
    }
    if (isReal(first)) return first
    // in spring the clock never shows this hour: what it would be without the change
    return isReal(second) ? second : before
  }
}
