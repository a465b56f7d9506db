import type { Language } from './languages.ts'

/** A way from one unit to another: to = from * factor + offset. */
export interface Conversion {
  from_unit: string
  to_unit: string
  factor: number
  offset: number
}

/** Units by category. Any other unit label may be ingested too; only these convert. */
export const UNITS = {
  temperature: ['celsius', 'fahrenheit', 'kelvin'],
  pressure: ['psi', 'bar', 'kpa', 'atm'],
  vibration: ['mm/s', 'in/s'],
} as const
/** Labels that forms propose: units that convert, then those of values without one. */
export const PROPOSED_UNITS: readonly string[] = [...Object.values(UNITS).flat(), 'count', 'bool', 'none']
export type UnitCategory = keyof typeof UNITS

export const DEFAULT_UNIT_PREFERENCES: Record<UnitCategory, string> = {
  temperature: 'celsius',
  pressure: 'bar',
  vibration: 'mm/s',
}

/** value in the category's base unit (celsius, kpa, mm/s) = value * factor + offset. Sources: NIST SP 811, appendix B.8 */
const TO_BASE: Record<string, { factor: number; offset: number }> = {
  celsius: { factor: 1, offset: 0 },
  fahrenheit: { factor: 5 / 9, offset: -160 / 9 },
  kelvin: { factor: 1, offset: -273.15 },
  kpa: { factor: 1, offset: 0 },
  bar: { factor: 100, offset: 0 },
  psi: { factor: 6.894757293168361, offset: 0 },
  atm: { factor: 101.325, offset: 0 },
  'mm/s': { factor: 1, offset: 0 },
  'in/s': { factor: 25.4, offset: 0 },
}

/** Without what the arithmetic of binary fractions adds in the last digit: 1.8 and not 1.7999999999999998. */
const exact = (value: number) => Number(value.toPrecision(15))

/** How people write units that have another label on the wire. A value of the last ones is a bare number. */
const SYMBOLS = new Map([
  ['celsius', '°C'],
  ['fahrenheit', '°F'],
  ['kelvin', 'K'],
  ['kpa', 'kPa'],
  ['percent', '%'],
  ['decibel', 'dB'],
  ['db', 'dB'],
  ['hertz', 'Hz'],
  ['volt', 'V'],
  ['ampere', 'A'],
  ['watt', 'W'],
  ['kilowatt', 'kW'],
  ['ohm', 'Ω'],
  ['Ohm', 'Ω'],
  ['deg', '°'],
  ['um', 'µm'],
  ['us', 'µs'],
  ['uS/cm', 'µS/cm'],
  ...['bool', 'count', 'none', 'unknown', 'ratio', 'code', 'state'].map((label): [string, string] => [label, '']),
])
/** What a unit without a symbol is called, such as the title of a chart. */
const WORDS: Record<Language, Readonly<Record<string, string>>> = {
  en: { bool: 'on or off', none: 'no unit', unknown: 'unit unknown' },
  de: {
    bool: 'ein oder aus',
    count: 'Anzahl',
    none: 'ohne Einheit',
    unknown: 'Einheit unbekannt',
  },
}
const STATES: Record<Language, readonly [off: string, on: string]> = { en: ['off', 'on'], de: ['aus', 'ein'] }
/** Units that a language writes in other letters. */
const OWN_SYMBOLS: Record<Language, Readonly<Record<string, string>>> = {
  en: {},
  de: { rpm: 'U/min', pcs: 'Stk.', 'pcs/h': 'Stk./h' },
}
/** An area, a volume or an acceleration, such as `m3` in `Nm3/h`; the 2 of `CO2` is no exponent. */
const POWER = /(?<![\p{L}\d])(N?[kcdmµ]?m|s)\^?([23])(?![\p{L}\d.])/gu

/**
 * The symbol of a unit; the label itself for a unit that has none here. Exponents are raised: `m3/h` is m³/h.
 * Source: SI brochure, 9th edition, 5.2
 * @param language of the reader
 */
export const unitSymbol = (unit: string, language: Language = 'en'): string =>
  (Object.hasOwn(OWN_SYMBOLS[language], unit) ? OWN_SYMBOLS[language][unit] : undefined) ??
  SYMBOLS.get(unit) ??
  unit.replace(POWER, (_, base: string, exponent: string) => base + (exponent === '2' ? '²' : '³'))

/** What a unit is called where no value stands beside it: its symbol, or a word where it has none. */
export const unitLabel = (unit: string, language: Language = 'en'): string =>
  unitSymbol(unit, language) || (WORDS[language][unit] ?? unit)

/** `on` and `off` for a value of a signal of two states; null for any other value or unit, such as the mean of such a signal. */
export const stateWord = (value: number, unit: string, language: Language = 'en'): string | null =>
  unit === 'bool' ? (STATES[language][value] ?? null) : null

/** Every ordered pair of two units of one category. */
export function conversions(): Conversion[] {
  return Object.values(UNITS).flatMap((units: readonly string[]) =>
    units.flatMap((from) =>
      units
        .filter((to) => to !== from)
        .map((to) => {
          const a = TO_BASE[from] as { factor: number; offset: number }
          const b = TO_BASE[to] as { factor: number; offset: number }
          return {
            from_unit: from,
            to_unit: to,
            factor: exact(a.factor / b.factor),
            offset: exact((a.offset - b.offset) / b.factor),
          }
        }),
    ),
  )
}
