import type { MachineKey } from './machine.ts'

/** What this process has appended to the tail of a machine since the last report. */
export interface SealHint extends MachineKey {
  rows: number
  readings: number
}

/** Machines beyond this are left to the scan of the tail. */
const MAX_MACHINES = 100_000

/** Counts what this process appends to the tail, so that the sealer knows which machines have work without a scan. */
export class SealHints {
  #byMachine = new Map<string, SealHint>()

  /** Counts one row of the tail. */
  appended(tenantId: string, machineId: string, readings: number): void {
    const hint = this.#byMachine.get(machineId)
    if (hint) {
      hint.rows++
      hint.readings += readings
    } else if (this.#byMachine.size < MAX_MACHINES) this.#byMachine.set(machineId, { tenantId, machineId, rows: 1, readings })
  }

  /** @returns the counts since the last call */
  drain(): SealHint[] {
    const hints = [...this.#byMachine.values()]
    this.#byMachine = new Map()
    return hints
  }
}
