import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Clock } from '../support/clock.ts'

/** Times since the computer started, which a process shares with those before it. */
export interface BootTime {
  /** differs after every start of the computer; where the system does not tell it, after every start of the process */
  bootId: string
  /** ms since then: never set, never going back */
  elapsedMs(): number
}

/** CLOCK_MONOTONIC and the boot id of Linux. */
export const systemBootTime: BootTime = {
  bootId: readBootId(),
  elapsedMs: () => Number(process.hrtime.bigint()) / 1e6,
}

export function readBootId(file = '/proc/sys/kernel/random/boot_id'): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    // an id of this process: what it measures holds for its own readings
    return randomUUID()
  }
}

/** How often the two clocks are compared when a process starts. */
const COMPARISONS = 5

/**
 * The clock that dates readings: the wall clock as it was when the process started, continued by the monotonic clock. It never jumps, whatever
 * happens to the wall clock: no two readings get one instant because somebody set the clock back. How far it is off is measured at the
 * hub, and added when readings are sent.
 */
export class ProcessClock implements Clock {
  readonly #clock: Clock
  readonly #bootTime: BootTime
  /** of this clock at the start of the computer, Unix ms */
  readonly anchorMs: number
  #offsetMs: number | null = null

  constructor(clock: Clock, bootTime: BootTime = systemBootTime) {
    this.#clock = clock
    this.#bootTime = bootTime
    // On a busy computer the process may wait between reading one clock and the other, which makes the difference smaller.
    this.anchorMs = Math.max(...Array.from({ length: COMPARISONS }, () => clock.now() - bootTime.elapsedMs()))
  }

  get bootId(): string {
    return this.#bootTime.bootId
  }

  now(): number {
    return Math.floor(this.anchorMs + this.#bootTime.elapsedMs())
  }

  monotonic(): number {
    return this.#clock.monotonic()
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#clock.sleep(ms, signal)
  }

  /** What to add to {@link now} for the right time; null before it was measured. */
  get offsetMs(): number | null {
    return this.#offsetMs
  }

  setOffset(ms: number): void {
    this.#offsetMs = ms
  }
}
