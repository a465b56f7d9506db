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
  /** the last event that the client saw; null for a new client */
  lastEventId: string | null
  /** closes the connection of a client that has stopped reading */
  destroySocket(): void
}

/** The stream of one client. It has a cursor and no queue of missed events. */
export class Stream {
  readonly request: StreamRequest
  /** equal for streams that get the readings of the same machines */
  readonly readingsKey: string
  seen: Cursor
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
    this.#controller = controller
    controller.enqueue(readyEvent(isResumed, seen))
    this.#sentAt = performance.now()
  }

  send(bytes: Uint8Array): void {
    this.#controller.enqueue(bytes)
    this.#sentAt = performance.now()
  }

  keepAlive(): void {
    this.send(heartbeat(this.seen))
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
