import type { Refusal } from './machine.ts'

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

/** What the sealer could not do: logged, and counted for the hub's metrics. */
export class SealLog {
  readonly #log: (line: LogLine) => void
  /** damaged rows and blocks that are in the log already */
  readonly #refused = new Set<string>()
  failures = 0

  constructor(log: (line: LogLine) => void) {
    this.#log = log
  }

  /** Each row or block comes once, until {@link repeat}. */
  refuse(refused: readonly Refusal[]): void {
    for (const { what, reason, tenantId, machineId } of refused) {
      if (this.#refused.has(what)) continue
      this.#refused.add(what)
      this.failures++
      const fields = { tenant: tenantId, ...(machineId && { machine: machineId }), what, reason }
      this.#log({
        level: 'warn',
        fields,
        message: 'stored readings are damaged and stay as they are: restore them from a backup',
      })
    }
  }

  /** From now on all damaged rows and blocks are logged again. */
  repeat(): void {
    this.#refused.clear()
  }

  fail(error: unknown, fields: Record<string, unknown>, message: string): void {
    this.failures++
    const { name, message: reason, stack } = error as Error
    this.#log({ level: 'warn', fields: { ...fields, reason: `${name}: ${reason}`, stack }, message })
  }
}
