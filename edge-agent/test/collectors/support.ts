import { type Reading, type ReadingColumns, toReadings } from '@haltless/protocol'
import type { CollectorDeps, Logger } from '../../src/collectors/index.ts'
import { systemClock } from '../../src/support/clock.ts'

export const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** Collects what a collector hands on. */
export class Sink {
  readonly readings: Reading[] = []

  take = (readings: ReadingColumns): void => {
    this.readings.push(...toReadings(readings))
  }

  /** @throws Error when a timestamp has fractions, which no buffer sends */
  of(metric: string): Reading[] {
    const fractional = this.readings.find(({ timestamp }) => !Number.isInteger(timestamp))
    if (fractional) throw new Error(`a reading of ${fractional.metric} is dated ${fractional.timestamp}`)
    return this.readings.filter((reading) => reading.metric === metric)
  }

  values(metric: string): number[] {
    return this.of(metric).map((reading) => reading.value)
  }
}

export const depsFor = (sink: Sink, more: Partial<CollectorDeps> = {}): CollectorDeps => ({
  clock: systemClock,
  logger: silent,
  pkiDir: '/nonexistent',
  trustAdvice: (thumbprint) => `trust ${thumbprint}`,
  onReadings: sink.take,
  random: () => 0,
  ...more,
})

/** Waits until `condition` holds; fails with `what` after `limitMs`. */
export async function until(what: string, condition: () => boolean, limitMs = 15_000): Promise<void> {
  const deadline = performance.now() + limitMs
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`never came true: ${what}`)
    await systemClock.sleep(5)
  }
}
