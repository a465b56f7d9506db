import type { CollectorDeps, OpcUaSource } from '../collector.ts'
import { SourceClock } from '../source-clock.ts'
import type { ServerConnection } from './connection.ts'
import { isServiceFault } from './connection-errors.ts'

/** The clock of the server is read this often: one that somebody sets is noticed within a minute. */
const INTERVAL_MS = 60_000

/** A server may refuse to tell its time, and answers other requests. */
function unlessServiceFault(error: unknown): null {
  if (isServiceFault(error)) return null
  throw error
}

/** Compares the clock of a server with the right time: before the first values of a session, and then regularly. */
export class ServerClock extends SourceClock {
  readonly #monotonic: () => number
  readonly #timeoutMs: number
  #dueAt = Number.NEGATIVE_INFINITY

  constructor({ config }: OpcUaSource, deps: Pick<CollectorDeps, 'clock' | 'logger'>, timeoutMs: number) {
    super(config, 'read', deps)
    this.#monotonic = () => deps.clock.monotonic()
    this.#timeoutMs = timeoutMs
  }

  /** Reads it again at once while it contradicts what is known. A server without a clock changes nothing. @throws Error of the connection */
  async read(connection: ServerConnection): Promise<void> {
    this.#dueAt = this.#monotonic() + INTERVAL_MS
    do {
      const found = await connection.clockDifference(this.#timeoutMs).catch(unlessServiceFault)
      if (!found) return
      this.measured(found.differenceMs, found.uncertaintyMs)
    } while (this.isDoubtful)
  }

  /** {@link read}, when the last time is long enough ago. */
  async readWhenDue(connection: ServerConnection): Promise<void> {
    if (this.#monotonic() >= this.#dueAt) await this.read(connection)
  }
}
