import type { Refusal } from './machine.ts'
import type { LogLine } from './progress.ts'

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
