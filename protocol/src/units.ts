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

/** How people write units that we know; `bool` and `count` have none. */
const SYMBOLS: Record<string, string> = {
  celsius: '°C',
  fahrenheit: '°F',
  kelvin: 'K',
  kpa: 'kPa',
  percent: '%',
  decibel: 'dB',
  db: 'dB',
  hertz: 'Hz',
  volt: 'V',
  ampere: 'A',
  watt: 'W',
  kilowatt: 'kW',
  bool: '',
  count: '',
}
/** The symbol of a unit, the label itself for a unit that has none here. Source: SI brochure, 9th edition, 5.2 */
export const unitSymbol = (unit: string): string => SYMBOLS[unit] ?? unit

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
