import { READING_LIMITS, type TIMESTAMPS } from '@haltless/protocol'
import type { CollectorClock, Logger, SourceClockStatus } from './collector.ts'

/** Settings of a source that has a clock of its own. */
export interface ClockSettings {
  /** whose timestamps readings carry; absent: those of the source, while its clock is right */
  timestamps?: (typeof TIMESTAMPS)[number] | undefined
  max_clock_offset_seconds: number
}

/**
 * What tells the time of a source: its clock is `read`, messages carry the instant at which they are `published`, or only values in messages
 * and `lines` of files are `stamped`. The latter may be late for any reason, so they prove only a clock that is ahead.
 */
type Basis = 'read' | 'published' | 'stamped' | 'lines'

/** A source timestamp further ahead than this is not used, unless a setting says that the source is trusted. */
const AHEAD_MS = 1_000
/** About 3,000 years: what a source says may be any number, and more than this is of no use in a report. */
const OFFSET_MAX_MS = 1e14
/** Measurements in a row that change what is known of a clock. */
const CONFIRMATIONS = 3
/** Messages may be delayed: those of a whole minute have to agree, and the least delayed one of a minute counts. */
const WINDOW_MS = 60_000

/**
 * Decides whether the clock of a source dates its readings.
 *
 * ```
 * unknown -> right | wrong     (the first measurement)
 * right -> wrong               (beyond the limit, several times in a row)
 * wrong -> right               (below half of the limit, several times in a row)
 * ```
 * Where only values are stamped it begins as right: one of them may be ahead by itself, and is then not used alone.
 */
export class SourceClock {
  readonly #settings: ClockSettings
  readonly #basis: Basis
  readonly #clock: CollectorClock
  readonly #logger: Logger
  readonly #fields: object
  #isWrong: boolean | null
  /** measurements in a row that contradict, and the monotonic instant of the first one */
  #contradictions = 0
  #contradictedAt = 0
  /** ahead of the clock of this program, and the monotonic instant; the least delayed one of {@link WINDOW_MS} */
  #shown: { differenceMs: number; uncertaintyMs: number; at: number } | null = null
  /** a measurement from before the right time was known */
  #pending: { differenceMs: number; uncertaintyMs: number } | null = null

  /** @param fields for the journal: which of several clocks it is */
  constructor(settings: ClockSettings, basis: Basis, { clock, logger }: { clock: CollectorClock; logger: Logger }, fields = {}) {
    this.#settings = settings
    this.#basis = basis
    this.#isWrong = this.#isStamped ? false : null
    this.#clock = clock
    this.#logger = logger
    this.#fields = fields
  }

  /**
   * @param difference in ms, from the clock of this program, uncorrected, to that of the source
   * @param uncertaintyMs by which the difference may be wrong in both directions
   */
  measured(difference: number, uncertaintyMs = 0): void {
    if (Number.isNaN(difference)) return
    const differenceMs = Math.max(-OFFSET_MAX_MS, Math.min(difference, OFFSET_MAX_MS))
    const at = this.#clock.monotonic()
    const isNewest = this.#basis === 'read' || !this.#shown || at - this.#shown.at > WINDOW_MS
    if (isNewest || differenceMs >= (this.#shown?.differenceMs as number)) this.#shown = { differenceMs, uncertaintyMs, at }
    this.#pending = { differenceMs, uncertaintyMs }
    this.#evaluate()
  }

  get #isStamped(): boolean {
    return this.#basis === 'stamped' || this.#basis === 'lines'
  }

  /** Whether timestamps of the source date readings. */
  get isUsed(): boolean {
    const { timestamps } = this.#settings
    if (timestamps) return timestamps !== 'agent'
    if (this.#pending) this.#evaluate()
    return this.#isWrong !== true
  }

  /** The last measurement contradicted what is known, and more are needed. */
  get isDoubtful(): boolean {
    return this.#contradictions > 0
  }

  /** {@link aheadLimitMs} */
  get aheadLimitMs(): number {
    return aheadLimitMs(this.#settings, this.#basis === 'lines')
  }

  /** How far it is ahead of the right time, ms; null before it was measured, or while the right time is unknown. */
  get aheadMs(): number | null {
    const { offsetMs = 0 } = this.#clock
    return this.#shown && offsetMs !== null ? this.#shown.differenceMs - offsetMs : null
  }

  /** Whether its present counts. A clock that is further ahead than values may be dates only those that are late. */
  get #datesPresent(): boolean {
    const aheadMs = this.aheadMs ?? 0
    return this.isUsed && aheadMs - (this.#shown?.uncertaintyMs ?? 0) <= this.aheadLimitMs
  }

  /** What to subtract from its recorded timestamps for the right time, whole ms; null: its clock is not used, and nobody knows by how much it is off. */
  get correctionMs(): number | null {
    const { aheadMs } = this
    if (this.#datesPresent) return 0
    return aheadMs === null ? null : Math.round(aheadMs)
  }

  /** null: nothing is known yet */
  status(): SourceClockStatus | null {
    const { aheadMs } = this
    if (aheadMs === null) return null
    return { aheadMs: Math.round(aheadMs), isUsed: this.#datesPresent, isExact: !this.#isStamped || aheadMs > 0 }
  }

  #evaluate(): void {
    const { offsetMs = 0 } = this.#clock
    if (!this.#pending || offsetMs === null) return
    const { differenceMs, uncertaintyMs } = this.#pending
    this.#pending = null
    const finds = this.#found(differenceMs - offsetMs, uncertaintyMs)
    if (this.#isWrong === null) this.#conclude(finds === 'wrong')
    else if (finds === null || (finds === 'wrong') === this.#isWrong) this.#contradictions = 0
    else {
      const at = this.#clock.monotonic()
      if (this.#contradictions++ === 0) this.#contradictedAt = at
      const isSteady = this.#basis === 'read' || at - this.#contradictedAt >= WINDOW_MS
      if (this.#contradictions >= CONFIRMATIONS && isSteady) this.#conclude(finds === 'wrong')
    }
  }

  /** What a measurement proves; null: nothing. Between the limit and its half it proves nothing, so that a judgement does not flap. */
  #found(aheadMs: number, uncertaintyMs: number): 'right' | 'wrong' | null {
    const limitMs = this.#settings.max_clock_offset_seconds * 1_000
    const offMs = this.#isStamped ? aheadMs : Math.abs(aheadMs)
    if (offMs - uncertaintyMs > limitMs) return 'wrong'
    return offMs + uncertaintyMs < limitMs / 2 ? 'right' : null
  }

  #conclude(isWrong: boolean): void {
    const wasWrong = this.#isWrong === true
    this.#isWrong = isWrong
    this.#contradictions = 0
    if (isWrong === wasWrong || this.#settings.timestamps) return
    const fields = { ...this.#fields, ahead_ms: Math.round(this.aheadMs ?? 0) }
    if (isWrong) this.#logger.warn(fields, 'the clock of the source is wrong: the agent dates its readings')
    else this.#logger.info(fields, 'the clock of the source is right again: it dates its readings')
  }
}

/**
 * How far ahead of the right time a timestamp may be. A trusted source is limited only by what the hub accepts.
 * @param isFile lines may be ahead by as much as the clock may be off
 */
export function aheadLimitMs(
  { timestamps, max_clock_offset_seconds: seconds = 0 }: Partial<ClockSettings>,
  isFile = false,
): number {
  if (timestamps) return READING_LIMITS.futureMs
  return isFile ? seconds * 1_000 : AHEAD_MS
}

/** Whether a clock that is off by so much dates values that come at once. @param isFile {@link aheadLimitMs} */
export function isWithinLimits(settings: Partial<ClockSettings>, aheadMs: number, isFile: boolean): boolean {
  const { timestamps, max_clock_offset_seconds: seconds = 0 } = settings
  if (aheadMs > aheadLimitMs(settings, isFile)) return false
  return timestamps !== undefined || Math.abs(aheadMs) <= seconds * 1_000
}

/** The clocks of the sources behind one collector, by the name of each. */
export class SourceClocks {
  readonly #make: (name: string) => SourceClock
  readonly #clocks = new Map<string, SourceClock>()

  /** @param field of the journal, which has the name */
  constructor(settings: ClockSettings, basis: Basis, deps: { clock: CollectorClock; logger: Logger }, field: string) {
    this.#make = (name) => new SourceClock(settings, basis, deps, { [field]: name })
  }

  of(name: string): SourceClock {
    const clock = this.#clocks.get(name) ?? this.#make(name)
    this.#clocks.set(name, clock)
    return clock
  }

  /** That of the clock that matters most to a person: one that is not used before those that are, then the one that is off most. */
  status(): SourceClockStatus | null {
    const rank = ({ isUsed, aheadMs }: SourceClockStatus) => (isUsed ? 0 : Number.MAX_SAFE_INTEGER / 2) + Math.abs(aheadMs)
    let found: SourceClockStatus | null = null
    for (const clock of this.#clocks.values()) {
      const status = clock.status()
      if (status && (!found || rank(status) > rank(found))) found = status
    }
    return found
  }
}
