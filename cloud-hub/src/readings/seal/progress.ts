/** A line for the hub's log. */
export interface LogLine {
  level: 'info' | 'warn'
  fields: Record<string, unknown>
  message: string
}

const EVERY_MS = 30_000

/** Logs the progress of long work every 30 seconds; short work logs nothing. */
export class Progress {
  readonly #log: (line: LogLine) => void
  readonly #message: string
  #at = performance.now()

  constructor(log: (line: LogLine) => void, message: string) {
    this.#log = log
    this.#message = message
  }

  report(fields: Record<string, unknown>): void {
    if (performance.now() - this.#at < EVERY_MS) return
    this.#at = performance.now()
    this.#log({ level: 'info', fields, message: this.#message })
  }
}
