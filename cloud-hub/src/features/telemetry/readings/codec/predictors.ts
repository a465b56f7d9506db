import { POWERS } from './decimals.ts'
import type { Planes } from './planes.ts'
import { scratchIntegers } from './scratch.ts'

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

/** Decodes `count` values after `first`, from index `at` on, where the prediction is the last value. */
export function addToLast(planes: Planes, first: number, count: number, exponent: number, into: Float64Array, at: number): void {
  const { bytes, offset, width } = planes
  const power = POWERS[exponent] as number
  let integer = first
  if (width === 1)
    for (let i = 0; i < count; i++) {
      const residual = bytes[offset + i] as number
      integer += (residual >>> 1) ^ -(residual & 1)
      into[at + i] = integer / power
    }
  else if (width === 2)
    for (let i = 0, second = offset + count; i < count; i++) {
      const residual = (bytes[offset + i] as number) | ((bytes[second + i] as number) << 8)
      integer += (residual >>> 1) ^ -(residual & 1)
      into[at + i] = integer / power
    }
  else
    for (let i = 0; i < count; i++) {
      integer += differenceAt(bytes, offset + i, count, width)
      into[at + i] = integer / power
    }
}

/** With residuals of one byte, integers that begin below this have sums of 16 that fit 32 bits, for {@link MAX_READINGS}. */
const SMALL = 2 ** 24

/** Decodes `count` values after `first`, from index `at` on, where the prediction is a mean. */
export function addToMean(
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
  if (planes.width === 1 && Math.abs(first) < SMALL) addBytesToMean(planes, window, first, count, power, into, at)
  else addPlanesToMean(planes, window, first, count, power, into, at)
}

/** The common case in 32-bit arithmetic, where a shift divides. */
function addBytesToMean(
  { bytes, offset }: Planes,
  window: number,
  first: number,
  count: number,
  power: number,
  into: Float64Array,
  at: number,
): void {
  const shift = Math.log2(window)
  const mask = window - 1
  const last = new Int32Array(window)
  last[0] = first
  let [integer, sum] = [first, first]
  for (let i = 1; i <= count; i++) {
    const residual = bytes[offset + i - 1] as number
    const difference = (residual >>> 1) ^ -(residual & 1)
    integer = ((i >= window ? sum >> shift : integer) + difference) | 0
    sum = (sum + integer - (last[i & mask] as number)) | 0
    last[i & mask] = integer
    into[at + i - 1] = integer / power
  }
}

function addPlanesToMean(
  { bytes, offset, width }: Planes,
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
    const difference = differenceAt(bytes, offset + i - 1, count, width)
    if (i >= window) {
      integer = Math.floor(sum / window) + difference
      sum += integer - (integers[i - window] as number)
    } else {
      integer += difference
      sum += integer
    }
    integers[i] = integer
    into[at + i - 1] = integer / power
  }
}

/** Puts a residual of `width` planes together and undoes the zigzag. */
function differenceAt(bytes: Buffer, at: number, count: number, width: number): number {
  if (width === 2) {
    const residual = (bytes[at] as number) | ((bytes[at + count] as number) << 8)
    return (residual >>> 1) ^ -(residual & 1)
  }
  let residual = 0
  for (let w = width - 1; w >= 0; w--) residual = residual * 256 + (bytes[at + w * count] as number)
  return residual % 2 ? -(residual + 1) / 2 : residual / 2
}
