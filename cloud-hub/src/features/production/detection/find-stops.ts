import { isStopped, type StopSignal } from '../../telemetry/series/index.ts'

/** Time during which a machine is stopped, Unix ms. */
export interface Stop {
  from: number
  /** null: it has not ended */
  until: number | null
}

/** What a {@link StopFinder} knows at an instant. */
export interface Found {
  stops: Stop[]
  /** Unix ms: unless a reading comes before, a stop begins to count then; null: only a reading changes anything */
  checkAt: number | null
}

/**
 * Finds the stops of a machine in the readings of its signal, given in the order of time. A value holds until the next reading, so
 * the result depends on the readings only, and not on when they arrived.
 *
 * - A state or level: a stop lasts from the first reading that shows one to the next that does not, if that is long enough.
 * - A count: the machine is stopped while fewer parts than the limit were made in the last `forMs`. The stop begins `forMs` before
 *   that shows, which is at a part, and ends at the reading that completes the limit. An increase belongs to the instant of the later
 *   reading. As in OEE, a drop counts the new value, unless the next reading is again at or above the old one. The machine counts as
 *   running up to the first reading.
 * - A gap of at least `silentMs` between two readings is a stop, whatever its length.
 */
export class StopFinder {
  readonly #signal: StopSignal
  readonly #forMs: number
  readonly #stops: Stop[] = []
  readonly #recent: Parts
  #last: { at: number; value: number } | null = null
  /** a count below the last one, until the next reading shows whether it is a dip */
  #drop: { at: number; value: number } | null = null
  /** the start of a stop, of a state or level only if it lasts long enough */
  #since: number | null = null
  /** a silent gap belongs to the stop */
  #hasGap = false

  /** @param forMs a stop that is shorter does not count */
  constructor(signal: StopSignal, forMs: number) {
    this.#signal = signal
    this.#forMs = forMs
    this.#recent = new Parts(signal.kind === 'count' ? signal.limit : 0, forMs)
  }

  /** Whether the last reading leaves a stop open. */
  get isOpen(): boolean {
    return this.#since !== null
  }

  /** The next reading. @param at Unix ms, not before that of the last one */
  add(at: number, value: number): void {
    this.#endDrop(value)
    if (this.#signal.kind === 'count' && this.#last && value < this.#last.value) this.#drop = { at, value }
    else this.#step(at, value)
  }

  /** @param next null: there is none */
  #endDrop(next: number | null): void {
    const [drop, last] = [this.#drop, this.#last]
    this.#drop = null
    if (!drop || !last) return
    const isDip = next !== null && next >= last.value
    this.#step(drop.at, isDip ? last.value : drop.value)
  }

  #step(at: number, value: number): void {
    const last = this.#last
    const { silentMs } = this.#signal
    if (last && silentMs !== null && at - last.at >= silentMs) {
      this.#since ??= last.at
      this.#hasGap = true
    }
    const isStill = this.#signal.kind === 'count' ? this.#addCount(at, value) : isStopped(this.#signal, value)
    if (isStill) this.#since ??= at
    else this.#end(at)
    this.#last = { at, value }
  }

  /** @returns whether the machine is stopped after this reading */
  #addCount(at: number, value: number): boolean {
    const last = this.#last
    const short = this.#recent.expire(at)
    this.#since ??= short
    this.#recent.add(at, !last ? this.#recent.limit : value >= last.value ? value - last.value : value)
    return !this.#recent.isEnough
  }

  #end(at: number): void {
    const from = this.#since
    const isLong = from !== null && (this.#hasGap || this.#signal.kind === 'count' || at - from >= this.#forMs)
    if (isLong && at > from) this.#stops.push({ from, until: at })
    this.#since = null
    this.#hasGap = false
  }

  /** The stops so far, the last one perhaps open, when no reading follows up to this instant. Nothing can be added after. @param now Unix ms */
  found(now: number): Found {
    this.#endDrop(null)
    const last = this.#last
    if (!last) return { stops: [], checkAt: null }
    const { silentMs, kind } = this.#signal
    const silentAt = silentMs === null ? Number.POSITIVE_INFINITY : last.at + silentMs
    const short = this.#recent.expire(now)
    this.#since ??= short
    const isLong = this.#since !== null && (this.#hasGap || kind === 'count' || now - this.#since >= this.#forMs)
    if (isLong || silentAt <= now)
      return { stops: [...this.#stops, { from: this.#since ?? last.at, until: null }], checkAt: null }
    const longAt =
      kind === 'count' ? this.#recent.shortAt : this.#since === null ? Number.POSITIVE_INFINITY : this.#since + this.#forMs
    const checkAt = Math.min(silentAt, longAt)
    return { stops: [...this.#stops], checkAt: Number.isFinite(checkAt) ? checkAt : null }
  }
}

/** The parts of a trailing window. */
class Parts {
  readonly limit: number
  readonly #windowMs: number
  readonly #made: { at: number; n: number }[] = []
  #first = 0
  #sum = 0

  constructor(limit: number, windowMs: number) {
    this.limit = limit
    this.#windowMs = windowMs
  }

  get isEnough(): boolean {
    return this.#sum >= this.limit
  }

  add(at: number, n: number): void {
    if (n > 0) this.#made.push({ at, n })
    this.#sum += n
  }

  /** Moves the end of the window to an instant. @returns the instant of the part after which too few followed; null: enough did */
  expire(at: number): number | null {
    const wasEnough = this.isEnough
    let short: number | null = null
    for (let one = this.#made[this.#first]; one && one.at + this.#windowMs <= at; one = this.#made[this.#first]) {
      this.#sum = ++this.#first === this.#made.length ? 0 : this.#sum - one.n
      if (wasEnough && !this.isEnough) short ??= one.at
    }
    if (this.#first > 1_000) {
      this.#made.splice(0, this.#first)
      this.#first = 0
    }
    return short
  }

  /** Unix ms: without further parts there are too few from then on. */
  get shortAt(): number {
    let sum = this.#sum
    for (let i = this.#first; i < this.#made.length; i++) {
      const { at, n } = this.#made[i] as { at: number; n: number }
      sum -= n
      if (sum < this.limit) return at + this.#windowMs
    }
    return Number.POSITIVE_INFINITY
  }
}

/**
 * The gaps that remain where no series has a reading: of these gaps, the parts of at least `silentMs` between readings of one more
 * series. The order of series does not matter.
 * @param gaps disjoint, ascending; Unix ms
 * @param times instants of the readings of a series, ascending
 */
export function narrowGaps(gaps: readonly Stop[], times: Iterable<number>, silentMs: number): Stop[] {
  const kept: Stop[] = []
  const iterator = times[Symbol.iterator]()
  let next = iterator.next()
  for (const { from, until } of gaps) {
    let start = from
    const end = until ?? Number.POSITIVE_INFINITY
    for (; !next.done && next.value <= end; next = iterator.next()) {
      if (next.value <= start) continue
      if (next.value - start >= silentMs) kept.push({ from: start, until: next.value })
      start = next.value
    }
    if (until === null) kept.push({ from: start, until: null })
    else if (end - start >= silentMs) kept.push({ from: start, until })
  }
  return kept
}
