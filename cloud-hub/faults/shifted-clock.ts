import { readFileSync } from 'node:fs'

/**
 * Preloaded into an agent or a hub: shifts its wall clock by the milliseconds in the file `FAULTS_CLOCK`, from the moment that the file
 * changes. Intervals use the monotonic clock, which stays right.
 */
const file = process.env.FAULTS_CLOCK as string
const POLL_INTERVAL_MS = 10
let offset = 0
const look = () => {
  offset = Number(readFileSync(file, 'utf8')) || 0
}
look()
setInterval(look, POLL_INTERVAL_MS).unref()

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
