/** A unit is overdue after this time when its usual time is unknown. */
const FIRST_PATIENCE_MS = 250
const MIN_PATIENCE_MS = 20
/** A unit that keeps its neighbours waiting pauses for so many times as long as it took; longer when it stays silent. */
const SLOW_PAUSES = 4
const SILENT_PAUSES = 9
const MAX_PAUSE_MS = 60_000

/** A request under way. */
export interface Flight {
  readonly unitId: number
  /** as are all instants here, on `performance.now()` */
  readonly sentAt: number
  /** a later request was answered meanwhile and in good time: the gateway works on several requests at once */
  wasOvertaken: boolean
  /** a later request had to wait for this one */
  wasAwaited: boolean
}

interface UnitTimes {
  /** usual time of an answer, ms */
  roundTripMs: number
  /** requests in a row without an answer of the unit */
  silences: number
  /** requests in a row that cost a neighbour half its interval or more: one may be due to this computer */
  costly: number
  /** the last request took the bus for longer than half the interval of a neighbour */
  isLaggard: boolean
  pauseUntil: number
  /** end of its last request */
  endAt: number
}

/** Keeps account of the time that units take of the bus that they share, so that a slow or silent one does not cost its neighbours polls. */
export class BusUse {
  readonly #units = new Map<number, UnitTimes>()
  readonly #flights = new Set<Flight>()
  /** poll intervals of the collectors on this bus, ms */
  readonly #users = new Set<{ unitId: number; intervalMs: number }>()
  #lastEndAt = Number.NEGATIVE_INFINITY
  #lastAnswerAt = Number.NEGATIVE_INFINITY

  /** @returns a function that ends the use */
  join(unitId: number, intervalMs: number): () => void {
    const user = { unitId, intervalMs }
    this.#users.add(user)
    return () => this.#users.delete(user)
  }

  begin(unitId: number, sentAt: number): Flight {
    const flight = { unitId, sentAt, wasOvertaken: false, wasAwaited: false }
    this.#flights.add(flight)
    return flight
  }

  /**
   * @param answered the unit gave an answer; not: silence, or a gateway's word that it is silent
   * @param isAwaited whether other requests wait to be sent
   */
  end(flight: Flight, answered: boolean, isAwaited: boolean, now: number): void {
    this.#flights.delete(flight)
    const unit = this.#unit(flight.unitId)
    const tookMs = now - flight.sentAt
    const patienceMs = this.#shortestIntervalMs / 2
    const wasPassed = flight.wasOvertaken || flight.wasAwaited
    let isBehind = false
    for (const other of this.#flights) {
      if (other.sentAt > flight.sentAt) flight.wasAwaited ||= !flight.wasOvertaken
      else {
        isBehind = true
        if (tookMs > patienceMs) other.wasAwaited = true
        else if (answered) other.wasOvertaken = true
      }
    }
    // A serial line works on one request at a time: this one had the line since the one before ended.
    const busMs = wasPassed ? tookMs : now - Math.max(flight.sentAt, this.#lastEndAt)
    this.#lastEndAt = now
    if (answered) unit.roundTripMs += (tookMs - unit.roundTripMs) / 8
    unit.silences = answered ? 0 : unit.silences + 1
    unit.isLaggard = !isBehind && busMs > patienceMs
    // When no unit answers, the gateway hangs, and this unit costs its neighbours nothing.
    const isBusAlive = answered || this.#lastAnswerAt > unit.endAt
    const isCostly = isBusAlive && unit.isLaggard && (flight.wasAwaited || (isAwaited && !flight.wasOvertaken))
    if (answered) this.#lastAnswerAt = now
    unit.endAt = now
    unit.costly = isCostly ? unit.costly + 1 : 0
    const pauses = unit.silences > 1 ? SILENT_PAUSES : SLOW_PAUSES
    unit.pauseUntil = unit.costly > 1 ? now + Math.min(MAX_PAUSE_MS, pauses * busMs * this.#laggards()) : now
  }

  /** How long the answer of a unit may take before requests to other units are sent beside it, ms. */
  patienceMs(unitId: number): number {
    const { isLaggard, roundTripMs } = this.#unit(unitId)
    return isLaggard ? 0 : Math.max(MIN_PATIENCE_MS, 4 * roundTripMs)
  }

  isLaggard(unitId: number): boolean {
    return this.#unit(unitId).isLaggard
  }

  /** Requests under way to units that take long. */
  get laggardsInFlight(): number {
    let count = 0
    for (const { unitId } of this.#flights) if (this.isLaggard(unitId)) count++
    return count
  }

  /** How long the unit should not be polled, for the sake of its neighbours, ms; 0 or less: now. */
  pauseMs(unitId: number, now: number): number {
    return this.#unit(unitId).pauseUntil - now
  }

  #laggards(): number {
    let count = 0
    for (const { isLaggard } of this.#units.values()) if (isLaggard) count++
    return Math.max(1, count)
  }

  /** Without neighbours nobody waits. */
  get #shortestIntervalMs(): number {
    if (this.#users.size < 2) return Number.POSITIVE_INFINITY
    return Math.min(...Array.from(this.#users, ({ intervalMs }) => intervalMs))
  }

  #unit(unitId: number): UnitTimes {
    const known = this.#units.get(unitId)
    if (known) return known
    const never = Number.NEGATIVE_INFINITY
    const roundTripMs = FIRST_PATIENCE_MS / 4
    const unit = { roundTripMs, silences: 0, costly: 0, isLaggard: false, pauseUntil: never, endAt: never }
    this.#units.set(unitId, unit)
    return unit
  }
}
