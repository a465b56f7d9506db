import { scratchIntegers } from './scratch.ts'

/** Powers of ten that doubles represent exactly, by exponent. */
export const POWERS: readonly number[] = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]
/** Integers stay below this, so that their differences are exact. */
const LIMIT = 2 ** 50

/**
 * Searches an exponent e such that round(value * 10^e) / 10^e returns every value bit by bit. The integers are in
 * `scratchIntegers` afterwards.
 * @param guess tried first; 0 finds the smallest exponent
 * @returns -1 where there is none: -0, values beyond 2^50, more than nine decimals
 */
export function findExponent(values: Float64Array, from: number, to: number, guess: number): number {
  const integers = scratchIntegers(to - from)
  let exponent = guess
  let tries = 0
  for (let i = from; i < to; ) {
    const value = values[i] as number
    const power = POWERS[exponent] as number
    const integer = Math.round(value * power)
    if (integer / power === value && integer < LIMIT && integer > -LIMIT && !(integer === 0 && Object.is(value, -0))) {
      integers[i - from] = integer
      i++
      continue
    }
    tries++
    exponent = tries === 1 && guess > 0 ? 0 : exponent + 1
    if (exponent === POWERS.length) return -1
    i = from
  }
  return exponent
}
