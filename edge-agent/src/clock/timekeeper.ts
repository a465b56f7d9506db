import type { ReadingBuffer } from '../buffer/buffer.ts'
import type { Clock } from '../support/clock.ts'
import type { Logger } from '../support/logger.ts'
import type { ProcessClock } from './process-clock.ts'

/** Below this the clocks agree: the wall clock of a computer with NTP is better than a measurement over a slow line. */
const TOLERANCE_MS = 2_000

export interface TimekeeperOptions {
  processClock: ProcessClock
  /** of this computer, which people and NTP set */
  wallClock: Clock
  buffer: ReadingBuffer
  logger: Logger
}

/**
 * Measures how far the clocks are from that of the hub, at every heartbeat. The first answer settles the timestamps of everything that waits in the
 * buffer, before any of it is sent: what was sent once keeps its timestamps.
 */
export class Timekeeper {
  readonly #options: TimekeeperOptions
  #wallOffsetMs: number | null = null

  constructor(options: TimekeeperOptions) {
    this.#options = options
  }

  /** How far the hub is ahead of the clock of this computer, ms; null before it was measured, or when the hub does not tell its time. */
  get wallOffsetMs(): number | null {
    return this.#wallOffsetMs
  }

  /**
   * The hub has answered. The middle of the exchange is when it did so, give or take half of its duration.
   * @param hubTime Unix ms; null from a hub that does not tell
   * @param roundTripMs duration of the exchange, which has just ended
   */
  answered(hubTime: number | null, roundTripMs: number): void {
    const { processClock, wallClock, buffer, logger } = this.#options
    const known = processClock.offsetMs
    if (hubTime === null) {
      if (known !== null) return
      processClock.setOffset(0)
      buffer.settleClock(null)
      return
    }
    const hubNow = hubTime + roundTripMs / 2
    const tolerance = TOLERANCE_MS + roundTripMs / 2
    const measured = Math.round(hubNow - processClock.now())
    this.#wallOffsetMs = Math.round(hubNow - wallClock.now())
    if (known === null) {
      const offset = Math.abs(measured) < tolerance ? 0 : measured
      processClock.setOffset(offset)
      buffer.settleClock({ bootId: processClock.bootId, anchorMs: processClock.anchorMs + offset, toleranceMs: tolerance })
      if (offset !== 0) logger.warn({ offset_ms: offset }, `the clock of this computer is wrong: ${CORRECTED}`)
    } else if (Math.abs(measured - known) >= tolerance) {
      processClock.setOffset(measured)
      buffer.changeClockOffset(measured)
      logger.warn(
        { offset_ms: measured, before_ms: known },
        `the clocks of this computer and the hub have drifted apart: ${CORRECTED}`,
      )
    }
  }
}

const CORRECTED = 'readings are sent with the time of the hub, which is later by offset_ms'
