import { readFileSync } from 'node:fs'

/**
 * Loaded into an agent before it starts: its wall clock is off by as many milliseconds as the file `FAULTS_CLOCK` holds, from the moment that
 * the file says so. Intervals are measured on the monotonic clock, which nobody can set.
 */
const file = process.env.FAULTS_CLOCK as string
const LOOK_MS = 10
let offset = 0
const look = () => {
  offset = Number(readFileSync(file, 'utf8')) || 0
}
look()
setInterval(look, LOOK_MS).unref()

const Real = Date
class ShiftedDate extends Real {
  constructor(...given: unknown[]) {
    if (given.length === 0) super(Real.now() + offset)
    else super(...(given as [number]))
  }

  static override now(): number {
    return Real.now() + offset
  }
}
globalThis.Date = ShiftedDate as DateConstructor
