import type { Quantity } from './vocabulary.ts'

/** The range of a tag's values, from its description. */
export interface ValueRange {
  low: number
  high: number
}

// every repetition has a bound: the text comes from outside, and nested ones would take time by the cube of its length
const NUMBER = String.raw`([-+]?\d{1,15}(?:[.,]\d{1,15})?)`
const SPAN = new RegExp(String.raw`(?<![\w.,-])${NUMBER}\s*(?:\.{2,3}|…|–|-|\bto\b|\bbis\b)\s*${NUMBER}(?![\w.,]*\d)`, 'i')
const ENDS = new RegExp(String.raw`\bmin\w{0,20}\W{0,3}?${NUMBER}.{0,40}?\bmax\w{0,20}\W{0,3}?${NUMBER}`, 'i')

/** Parses `0..16`, `-40 to 150`, `0 - 3000 rpm`, `min 0 max 400`; null where there is none. */
export function rangeOf(text: string): ValueRange | null {
  const [, low, high] = ENDS.exec(text) ?? SPAN.exec(text) ?? []
  const [from, to] = [low, high].map((end) => Number(end?.replace(',', '.')))
  return from !== undefined && to !== undefined && from < to ? { low: from, high: to } : null
}

/** Maximum counts of analog inputs of PLCs. Such a value has no unit before it is scaled. */
const COUNTS: ReadonlySet<number> = new Set([4_095, 4_096, 16_383, 16_384, 27_648, 32_767, 32_768, 65_535, 65_536])
const SIGNAL = /(?:^|[^\d])4\s*(?:\.{2,3}|-|to|bis)\s*20\s*mA\b/i
/** Full scales of transmitters in the units of North America. */
const [FAHRENHEIT, PSI] = [
  new Set([212, 392, 572, 752, 932, 1_112, 1_832]),
  new Set([1_000, 1_500, 2_000, 3_000, 5_000, 6_000, 10_000]),
]

/** Lowest and highest possible values by unit. */
const POSSIBLE: Record<string, readonly [number, number]> = {
  celsius: [-273.15, 3_500],
  fahrenheit: [-459.67, 6_500],
  kelvin: [0, 3_800],
  bar: [-1, 6_000],
  '%': [-150, 200],
  ratio: [-1, 1],
  pH: [0, 14],
}

/** Whether a description names a raw converter count or a loop current. */
export const isUnscaled = (range: ValueRange, text: string): boolean => COUNTS.has(range.high) || SIGNAL.test(text)

/** Whether values of this unit can cover the range; true for unlisted units. */
export function isPossible({ low, high }: ValueRange, unit: string): boolean {
  const [least, most] = POSSIBLE[unit] ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
  return low >= least && high <= most
}

/** The unit that a range implies, where a quantity has several; null for an ambiguous range. */
export function unitByRange(quantity: Quantity, { low, high }: ValueRange): string | null {
  switch (quantity) {
    case 'temperature':
      if (low === 32 || FAHRENHEIT.has(high)) return 'fahrenheit'
      return Math.abs(low - 273.15) < 0.5 ? 'kelvin' : null
    case 'pressure':
      if (low >= 600 && high <= 1_100) return 'hPa'
      return low >= 0 && PSI.has(high) ? 'psi' : null
    case 'speed':
      if (low === 0 && (high === 50 || high === 60)) return 'Hz'
      return low === 0 && high === 100 ? '%' : null
    case 'level':
      return low === 0 && high > 200 ? 'mm' : null
    case 'humidity':
    case 'load':
    case 'valve_position':
      return low === 0 && high === 1 ? 'ratio' : null
    default:
      return null
  }
}
