import { POWERS } from './decimals.ts'
import type { Planes } from './planes.ts'
import { scratchDifferences, scratchIntegers } from './scratch.ts'

/** How many values the prediction of the next one is the mean of, by kind. Kind 1: the last value. */
const WINDOWS = [0, 1, 4, 16]
export const LAST_VALUE = 1
export const MAX_KIND = WINDOWS.length - 1
/** Values of the sample that chooses the kind. */
const SAMPLE = 512

/** Chooses the kind whose residuals are smallest on a sample of at least 64 integers. */
export function bestPredictor(integers: Float64Array, count: number): number {
  const from = Math.max(16, (count >> 1) - SAMPLE / 2)
  const to = Math.min(count, from + SAMPLE)
  let [best, least] = [LAST_VALUE, Number.POSITIVE_INFINITY]
  for (let kind = LAST_VALUE; kind <= MAX_KIND; kind++) {
    const window = WINDOWS[kind] as number
    let sum = 0
    for (let i = from - window; i < from; i++) sum += integers[i] as number
    let bits = 0
    for (let i = from; i < to; i++) {
      bits += Math.log2(1 + Math.abs((integers[i] as number) - Math.floor(sum / window)))
      sum += (integers[i] as number) - (integers[i - window] as number)
    }
    // wider windows decode more slowly
    if (bits < least * 0.995) [best, least] = [kind, bits]
  }
  return best
}

/** Computes what the prediction misses of all integers but the first, zigzag. @returns the largest residual */
export function residualsOf(integers: Float64Array, count: number, kind: number, residuals: Float64Array): number {
  const window = WINDOWS[kind] as number
  let [max, sum] = [0, integers[0] as number]
  for (let i = 1; i < count; i++) {
    const integer = integers[i] as number
    const isMean = kind !== LAST_VALUE && i >= window
    const difference = integer - (isMean ? Math.floor(sum / window) : (integers[i - 1] as number))
    const residual = difference < 0 ? -2 * difference - 1 : 2 * difference
    residuals[i - 1] = residual
    if (residual > max) max = residual
    sum += isMean ? integer - (integers[i - window] as number) : integer
  }
  return max
}

/**
 * Decodes `count` values after `first`, from index `at` on.
 * @param kind of {@link bestPredictor}
 */
export function addToPredictions(
  planes: Planes,
  kind: number,
  first: number,
  count: number,
  exponent: number,
  into: Float64Array,
  at: number,
): void {
  const window = WINDOWS[kind] as number
  const power = POWERS[exponent] as number
  if (planes.width <= 2) {
    const differences = smallDifferences(planes, count)
    if (kind === LAST_VALUE) addToLast(differences, first, count, power, into, at)
    else if (!addToSmallMean(differences, window, first, count, power, into, at))
      addToMean((i) => differences[i] as number, window, first, count, power, into, at)
    return
  }
  const { bytes, offset, width } = planes
  const difference = (i: number) => differenceAt(bytes, offset + i, count, width)
  if (kind === LAST_VALUE)
    for (let i = 0, integer = first; i < count; i++) {
      integer += difference(i)
      into[at + i] = integer / power
    }
  else addToMean(difference, window, first, count, power, into, at)
}

/** Joins up to two planes and undoes the zigzag. */
function smallDifferences({ bytes, offset, width }: Planes, count: number): Int32Array {
  const differences = scratchDifferences(count)
  if (width === 0) differences.fill(0, 0, count)
  else if (width === 1)
    for (let i = 0; i < count; i++) {
      const residual = bytes[offset + i] as number
      differences[i] = (residual >>> 1) ^ -(residual & 1)
    }
  else
    for (let i = 0, second = offset + count; i < count; i++) {
      const residual = (bytes[offset + i] as number) | ((bytes[second + i] as number) << 8)
      differences[i] = (residual >>> 1) ^ -(residual & 1)
    }
  return differences
}

function addToLast(differences: Int32Array, first: number, count: number, power: number, into: Float64Array, at: number): void {
  let integer = first
  for (let i = 0; i < count; i++) {
    integer += differences[i] as number
    into[at + i] = integer / power
  }
}

/** Sums of 16 integers that lie between -SMALL and SMALL fit 32 bits, and so does what a difference of two planes adds. */
const SMALL = 2 ** 26

/**
 * The common case in 32-bit arithmetic, where a shift divides.
 * @returns false where an integer is not small; the values are wrong then
 */
function addToSmallMean(
  differences: Int32Array,
  window: number,
  first: number,
  count: number,
  power: number,
  into: Float64Array,
  at: number,
): boolean {
  if (Math.abs(first) >= SMALL) return false
  const shift = Math.log2(window)
  const mask = window - 1
  const last = new Int32Array(window)
  last[0] = first
  let [integer, sum, bits] = [first | 0, first | 0, 0]
  for (let i = 1; i <= count; i++) {
    integer = ((i >= window ? sum >> shift : integer) + (differences[i - 1] as number)) | 0
    sum = (sum + integer - (last[i & mask] as number)) | 0
    last[i & mask] = integer
    // the bits of the integer, or of its complement where it is negative
    bits |= integer ^ (integer >> 31)
    into[at + i - 1] = integer / power
  }
  return bits < SMALL
}

function addToMean(
  difference: (i: number) => number,
  window: number,
  first: number,
  count: number,
  power: number,
  into: Float64Array,
  at: number,
): void {
  const integers = scratchIntegers(count + 1)
  integers[0] = first
  let [integer, sum] = [first, first]
  for (let i = 1; i <= count; i++) {
    if (i >= window) {
      integer = Math.floor(sum / window) + difference(i - 1)
      sum += integer - (integers[i - window] as number)
    } else {
      integer += difference(i - 1)
      sum += integer
    }
    integers[i] = integer
    into[at + i - 1] = integer / power
  }
}

/** Joins the planes of a residual and undoes the zigzag. */
function differenceAt(bytes: Buffer, at: number, count: number, width: number): number {
  let residual = 0
  for (let w = width - 1; w >= 0; w--) residual = residual * 256 + (bytes[at + w * count] as number)
  return residual % 2 ? -(residual + 1) / 2 : residual / 2
}
