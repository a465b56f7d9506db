import { languageOf } from '@haltless/protocol/languages'
import { metricLabel } from '@haltless/protocol/metric-names'
import { conversions, DEFAULT_UNIT_PREFERENCES, stateWord, UNITS, unitLabel, unitSymbol } from '@haltless/protocol/units'

export interface Preferences {
  locale: string
  timeZone: string
  /** preferred unit by category, as `GET /settings/units` answers */
  units: Record<string, string>
}

const CONVERSIONS = conversions()

/** @returns the unit in which the user reads values of `unit`, and the conversion to it */
function preferredUnit(unit: string, units: Record<string, string>) {
  const category = Object.entries(UNITS).find(([, members]) => (members as readonly string[]).includes(unit))?.[0]
  const wanted = category ? (units[category] ?? DEFAULT_UNIT_PREFERENCES[category as keyof typeof UNITS]) : unit
  const way = CONVERSIONS.find(({ from_unit, to_unit }) => from_unit === unit && to_unit === wanted)
  return way ? { unit: wanted, factor: way.factor, offset: way.offset } : { unit, factor: 1, offset: 0 }
}

/** Numbers from here on, and those below, have more digits than a person reads. */
const [LARGE, SMALL] = [1e12, 1e-6]
/** Significant digits of a converted value: those that a person reads, and those that are kept. */
const [SHOWN_DIGITS, STORED_DIGITS] = [6, 12]
const MINUTE = 60_000
const STEPS = [
  ['day', 1_440 * MINUTE],
  ['hour', 60 * MINUTE],
  ['minute', MINUTE],
] as const

/** A number and its unit stay on one line: the space between them does not break. */
const withSymbol = (number: string, symbol: string): string => (symbol ? `${number}\u00a0${symbol}` : number)

/** Formats numbers, units and times as the signed-in user reads them. */
export function createFormat({ locale, timeZone, units }: Preferences) {
  const date = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, { timeZone, ...options })
  const dateTime = date({ dateStyle: 'medium', timeStyle: 'short' })
  const seconds = date({ dateStyle: 'medium', timeStyle: 'medium' })
  const day = date({ dateStyle: 'medium' })
  const time = date({ timeStyle: 'short' })
  const clock = date({ timeStyle: 'medium' })
  const month = date({ month: 'long', year: 'numeric' })
  const dayMonth = date({ day: 'numeric', month: 'short' })
  const weekdayName = date({ weekday: 'short' })
  const weekday = date({ weekday: 'short', day: 'numeric', month: 'short' })
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' })
  const integer = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 })
  const one = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })
  const signed = new Intl.NumberFormat(locale, { maximumFractionDigits: 1, signDisplay: 'exceptZero' })
  const precise = new Intl.NumberFormat(locale, { maximumSignificantDigits: 4 })
  const days = new Intl.NumberFormat(locale, { style: 'unit', unit: 'day', unitDisplay: 'long', maximumFractionDigits: 1 })
  const sizes = (['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const).map(
    (unit) =>
      new Intl.NumberFormat(locale, {
        style: 'unit',
        unit,
        unitDisplay: unit === 'byte' ? 'long' : 'short',
        maximumFractionDigits: 1,
      }),
  )
  const language = languageOf(locale)
  const known = new Map<string, ReturnType<typeof preferredUnit>>()
  const unitOf = (unit: string) => {
    const found = known.get(unit) ?? preferredUnit(unit, units)
    known.set(unit, found)
    return found
  }
  const scientific = new Intl.NumberFormat(locale, { maximumSignificantDigits: 4, notation: 'scientific' })
  const number = (value: number) => {
    const size = Math.abs(value)
    if (size >= LARGE || (size < SMALL && size > 0)) return scientific.format(value)
    return (size >= 1_000 ? integer : precise).format(value)
  }
  const limit = (value: number, unit: string): string => {
    const { factor, offset, unit: wanted } = unitOf(unit)
    return withSymbol(number(value * factor + offset), unitSymbol(wanted, language))
  }
  return {
    locale,
    timeZone,
    /** the time zone as people name it, such as "CET" */
    timeName:
      date({ timeZoneName: 'short' })
        .formatToParts(new Date())
        .find(({ type }) => type === 'timeZoneName')?.value ?? timeZone,
    number,
    /** with its sign, such as "+1.6" */
    signed: (value: number) => signed.format(value),
    count: (value: number) => integer.format(value),
    /** with one digit behind the point, where that is not 0 */
    rounded: (value: number) => one.format(value),
    /** the size of a file, such as "12.5 kB" */
    bytes(size: number): string {
      // what rounds to a thousand is one of the next unit
      const power = Math.min(sizes.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, size * 1.00005)) / 3)))
      return (sizes[power] as Intl.NumberFormat).format(size / 1_000 ** power)
    },
    percent: (value: number) => withSymbol(one.format(value), '%'),
    dateTime: (at: string | Date) => dateTime.format(new Date(at)),
    seconds: (at: string | Date) => seconds.format(new Date(at)),
    date: (at: string | Date) => day.format(new Date(at)),
    time: (at: string | Date) => time.format(new Date(at)),
    clock: (at: string | Date) => clock.format(new Date(at)),
    month: (at: string | Date) => month.format(new Date(at)),
    dayMonth: (at: string | Date) => dayMonth.format(new Date(at)),
    weekdayName: (at: string | Date) => weekdayName.format(new Date(at)),
    /** such as "Mon, 23 Nov" */
    weekday: (at: string | Date) => weekday.format(new Date(at)),
    /** such as "5 min. ago" */
    ago(at: string | Date, now = Date.now()): string {
      const span = new Date(at).getTime() - now
      const [unit, size] = STEPS.find(([, step]) => Math.abs(span) >= step) ?? (['second', 1_000] as const)
      return relative.format(Math.round(span / size), unit)
    },
    duration(minutes: number): string {
      if (minutes < 1) return `${Math.round(minutes * 60)} s`
      const whole = Math.round(minutes)
      if (whole < 60) return `${whole} min`
      return whole < 48 * 60 ? `${Math.floor(whole / 60)} h ${whole % 60} min` : days.format(minutes / 1_440)
    },
    /** the number of a value in the user's unit */
    inUnit: (value: number, unit: string) => {
      const { factor, offset } = unitOf(unit)
      return value * factor + offset
    },
    /** the number of the machine for a number in the user's unit, without what the arithmetic adds in the last digits */
    fromUnit: (value: number, unit: string) => {
      const { factor, offset } = unitOf(unit)
      return factor === 1 && offset === 0 ? value : Number(((value - offset) / factor).toPrecision(STORED_DIGITS))
    },
    /** the number in the user's unit for an input field: every digit of a value that is not converted */
    inputText: (value: number, unit: string) => {
      const { factor, offset } = unitOf(unit)
      return String(factor === 1 && offset === 0 ? value : Number((value * factor + offset).toPrecision(SHOWN_DIGITS)))
    },
    /** converts many values as `inUnit` does */
    converter: (unit: string): ((value: number) => number) => {
      const { factor, offset } = unitOf(unit)
      return (value) => value * factor + offset
    },
    /** the symbol of a unit as a machine reports it */
    machineUnitName: (unit: string) => unitSymbol(unit, language),
    machineUnitLabel: (unit: string) => unitLabel(unit, language),
    unitName: (unit: string) => unitSymbol(unitOf(unit).unit, language),
    /** what the user's unit is called where no value stands beside it */
    unitLabel: (unit: string) => unitLabel(unitOf(unit).unit, language),
    /** a value as a machine reports it, with the symbol of its unit */
    machineValue: (value: number, unit: string) =>
      stateWord(value, unit, language) ?? withSymbol(number(value), unitSymbol(unit, language)),
    /** a value with the symbol of the user's unit; "on" and "off" for signals of two states */
    value: (value: number, unit: string): string => stateWord(value, unit, language) ?? limit(value, unit),
    /** a threshold with the symbol of the user's unit: always a number */
    limit,
    /** `value` for a number that is in the user's unit already, as those of charts are */
    converted: (value: number, unit: string) =>
      stateWord(value, unit, language) ?? withSymbol(number(value), unitSymbol(unitOf(unit).unit, language)),
    /** a number of a scale: without its unit, and of a signal of two states only these */
    tick: (value: number, unit: string) => (unit === 'bool' ? (stateWord(value, unit, language) ?? '') : number(value)),
    /** a difference of values, which has no offset: 9 degrees Fahrenheit are 5 degrees Celsius */
    spread(value: number, unit: string): string {
      const { factor, unit: wanted } = unitOf(unit)
      return withSymbol(number(value * factor), unitSymbol(wanted, language))
    },
    /** such as "Bearing temperature" for `bearing_temperature`, in German "Lagertemperatur" */
    metric: (name: string) => metricLabel(name, language),
  }
}

export type Format = ReturnType<typeof createFormat>
