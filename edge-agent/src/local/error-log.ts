import type { AgentStatus } from '../agent.ts'
import { statusText } from '../collectors/collector.ts'

/** Something that was wrong, in plain words. */
export interface LoggedError {
  /** a collector by its name, `uplink`, `hub` or `disk` */
  what: string
  words: string
  /** Unix ms by the clock of this computer */
  since: number
  /** null: it still is */
  until: number | null
}

const KEPT = 50
const STARTING_MS = 5_000

/** The last errors of an agent, as long as it runs. */
export class ErrorLog {
  #errors: LoggedError[] = []
  readonly #startedAt: number

  /** @param startedAt Unix ms: what is not ready yet in the first moments is no error */
  constructor(startedAt: number) {
    this.#startedAt = startedAt
  }

  /** Compares with what was wrong before. @param now Unix ms */
  note(status: AgentStatus, now: number): void {
    const present = new Map(faultsOf(status))
    for (const error of this.#errors) {
      if (error.until !== null) continue
      if (present.get(error.what) === error.words) present.delete(error.what)
      else error.until = now
    }
    this.#errors = this.#errors.filter(({ until }) => until === null || until - this.#startedAt >= STARTING_MS)
    for (const [what, words] of present) this.#errors.push({ what, words, since: now, until: null })
    // What still is wrong stays, whatever came after it.
    while (this.#errors.length > KEPT)
      this.#errors.splice(
        Math.max(
          0,
          this.#errors.findIndex(({ until }) => until !== null),
        ),
        1,
      )
  }

  /** Newest first. */
  list(): LoggedError[] {
    return this.#errors.toReversed()
  }
}

function faultsOf({ uplink, hub, collectors, buffer }: AgentStatus): [string, string][] {
  const faults = Object.entries(collectors).flatMap(([name, status]): [string, string][] =>
    status.detail && status.state !== 'stopped' ? [[name, statusText(status)]] : [],
  )
  if (uplink.detail) faults.push(['uplink', uplink.detail])
  if (hub.detail) faults.push(['hub', hub.detail])
  if (buffer.fault) faults.push(['disk', `accepts no write (${buffer.fault.reason})`])
  return faults
}
