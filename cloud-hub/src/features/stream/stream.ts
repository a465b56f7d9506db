import type { TenantScope } from '../../db/scope.ts'
import type { StreamCredential } from '../people/accounts/index.ts'
import type { Wanted } from './changes.ts'
import type { Cursor } from './cursor.ts'
import { type EndReason, endEvent, heartbeat, readyEvent } from './events.ts'

export interface StreamRequest {
  scope: TenantScope
  held: StreamCredential
  wanted: Wanted
  /** the machines among them whose readings are sent; null: all of them */
  readingsOf: readonly string[] | null
  /** seconds between two rounds of readings */
  readingsInterval: number
  /** the last event that the client saw; null for a new client */
  lastEventId: string | null
  /** closes the connection of a client that has stopped reading */
  destroySocket(): void
}

/** The stream of one client. It has a position and no queue of missed events. */
export class Stream {
  readonly request: StreamRequest
  /** equal for streams that get the readings of the same machines */
  readonly readingsKey: string
  /** up to where it got all but readings */
  seen: Cursor
  /**
   * Up to where it got readings: between two rounds older than `seen`. It is the id of all events, so a client that resumes gets a few
   * other changes once more, and misses no reading.
   */
  seenReadings: Cursor
  #lastRound = Number.NaN
  readonly #controller: ReadableStreamDefaultController<Uint8Array>
  #sentAt: number
  /** performance.now() at which the client stopped reading; null while it reads */
  #stuckSince: number | null = null

  constructor(
    request: StreamRequest,
    controller: ReadableStreamDefaultController<Uint8Array>,
    { seen, isResumed }: { seen: Cursor; isResumed: boolean },
  ) {
    this.request = request
    this.readingsKey = request.readingsOf?.toSorted().join() ?? 'all'
    this.seen = seen
    this.seenReadings = seen
    this.#controller = controller
    controller.enqueue(readyEvent(isResumed, seen))
    this.#sentAt = performance.now()
  }

  send(bytes: Uint8Array): void {
    this.#controller.enqueue(bytes)
    this.#sentAt = performance.now()
  }

  keepAlive(): void {
    this.send(heartbeat(this.seenReadings))
  }

  /** The round of readings at this time, in Unix ms. Streams with the same interval have them together, so that they share what is sent. */
  #roundAt(now: number): number {
    return Math.floor(now / (this.request.readingsInterval * 1_000))
  }

  /** Whether a poll at this time sends readings too. With an interval of a second each poll does. */
  wantsReadings(now: number): boolean {
    return this.request.readingsInterval === 1 || this.#roundAt(now) !== this.#lastRound
  }

  /** Moves the stream to a snapshot whose changes it got. @param now of the poll; null where it got no readings */
  moveTo(until: Cursor, now: number | null): void {
    this.seen = until
    if (now === null) return
    this.seenReadings = until
    this.#lastRound = this.#roundAt(now)
  }

  /** Milliseconds since the last event or heartbeat was sent. */
  get silentMs(): number {
    return performance.now() - this.#sentAt
  }

  isReading(): boolean {
    if ((this.#controller.desiredSize ?? 0) > 0) this.#stuckSince = null
    else this.#stuckSince ??= performance.now()
    return this.#stuckSince === null
  }

  /** Milliseconds for which the client has read nothing, as of the last call of `isReading`. */
  get stuckMs(): number {
    return this.#stuckSince === null ? 0 : performance.now() - this.#stuckSince
  }

  /** Sends the reason and ends the stream. Closes the connection of a client that has stopped reading. */
  end(reason: EndReason): void {
    this.#controller.enqueue(endEvent(reason))
    this.#controller.close()
    if (this.#stuckSince !== null) this.request.destroySocket()
  }
}
