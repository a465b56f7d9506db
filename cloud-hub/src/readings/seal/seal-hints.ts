import type { MachineKey } from './machine.ts'

/** What this process has appended to the tail of a machine since the last report. */
export interface SealHint extends MachineKey {
  rows: number
  readings: number
  /** Unix ms of the oldest reading, where it is known */
  oldestAt?: number
}

/** Series whose arrivals share rows. */
export interface GroupKey {
  tenantId: string
  /** see `groupOf` */
  group: number
}

/** The same for arrivals of a group of series. */
export interface ArrivalHint extends GroupKey {
  rows: number
  readings: number
}

export interface HintsOfProcess {
  tail: SealHint[]
  arrivals: ArrivalHint[]
}

/** Machines, and groups of series, beyond this are left to the scan. */
const MAX_HINTS = 100_000

/** Counts what this process inserts, so that the sealer knows what has work without a scan. */
export class SealHints {
  #tail = new Map<string, SealHint>()
  /** by tenant and group */
  #arrivals = new Map<string, Map<number, ArrivalHint>>()
  #groups = 0

  /** Counts one row of the tail. */
  appended(tenantId: string, machineId: string, readings: number): void {
    const hint = this.#tail.get(machineId)
    if (hint) {
      hint.rows++
      hint.readings += readings
    } else if (this.#tail.size < MAX_HINTS) this.#tail.set(machineId, { tenantId, machineId, rows: 1, readings })
  }

  /** Counts one row of arrivals. */
  arrived(tenantId: string, group: number, readings: number): void {
    const its = this.#arrivals.get(tenantId)
    const hint = its?.get(group)
    if (hint) {
      hint.rows++
      hint.readings += readings
    } else if (this.#groups++ < MAX_HINTS) {
      const first = { tenantId, group, rows: 1, readings }
      if (its) its.set(group, first)
      else this.#arrivals.set(tenantId, new Map([[group, first]]))
    }
  }

  /** @returns the counts since the last call */
  drain(): HintsOfProcess {
    const hints = { tail: [...this.#tail.values()], arrivals: [...this.#arrivals.values()].flatMap((its) => [...its.values()]) }
    this.#tail = new Map()
    this.#arrivals = new Map()
    this.#groups = 0
    return hints
  }
}
