/** Working memory of the codec, reused by every call. The codec never awaits, so no two calls use it at once. */
let integers = new Float64Array(1 << 12)
let residuals = new Float64Array(1 << 12)
let differences = new Int32Array(1 << 12)
let bytes = Buffer.alloc(1 << 16)

/** For values as integers. @returns an array of at least `count` elements with arbitrary content */
export function scratchIntegers(count: number): Float64Array {
  if (integers.length < count) integers = new Float64Array(count * 2)
  return integers
}

/** For what planes store. @returns an array of at least `count` elements with arbitrary content */
export function scratchResiduals(count: number): Float64Array {
  if (residuals.length < count) residuals = new Float64Array(count * 2)
  return residuals
}

/** For residuals of up to two planes. @returns an array of at least `count` elements with arbitrary content */
export function scratchDifferences(count: number): Int32Array {
  if (differences.length < count) differences = new Int32Array(count * 2)
  return differences
}

/** For planes. @returns at least `count` bytes with arbitrary content */
export function scratchBytes(count: number): Buffer {
  if (bytes.length < count) bytes = Buffer.alloc(count * 2)
  return bytes
}
