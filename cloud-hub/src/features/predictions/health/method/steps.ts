import { medianOf, noiseOf, type Points } from './points.ts'

/** Points on each side of an instant that decide whether it is a step, in two halves. */
const SIDE = 10
const HALF = SIDE / 2
/** A step exceeds the noise by this factor, and the change within either side by the next. */
const [NOISE_FACTOR, CHANGE_FACTOR] = [4, 3]

/**
 * The index of the first point after the last step; 0 without one. A step is a change of operating point, of sensor or of part:
 * the values jump between two points, and change little before and after. A degradation changes them on both sides alike.
 */
export function afterLastStep({ values }: Points): number {
  const noise = noiseOf(values)
  for (let k = values.length - SIDE; k >= SIDE; k--) {
    if (!isStep(values, k, noise)) continue
    // neighbours of the step pass too; it lies where the jump between two points is largest
    let at = k
    for (let i = k; i > k - HALF && i >= SIDE; i--) if (jumpAt(values, i) > jumpAt(values, at)) at = i
    return at
  }
  return 0
}

function isStep(values: readonly number[], k: number, noise: number): boolean {
  const part = (from: number, length = HALF) => medianOf(values.slice(k + from, k + from + length))
  const [beforeFirst, beforeLast, afterFirst, afterLast] = [part(-SIDE), part(-HALF), part(0), part(HALF)]
  const jump = Math.abs(afterFirst - beforeLast)
  const change = Math.max(Math.abs(beforeLast - beforeFirst), Math.abs(afterLast - afterFirst))
  // two idle days, as of a weekend, do not change the level of their side
  const lasting = Math.abs(part(0, SIDE) - part(-SIDE, SIDE))
  return jump > NOISE_FACTOR * noise && jump > CHANGE_FACTOR * change && lasting > jump / 2
}

const jumpAt = (values: readonly number[], k: number): number => Math.abs((values[k] as number) - (values[k - 1] as number))
