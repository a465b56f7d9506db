import { RecentMap } from '../../../support/recent-map.ts'
import type { ReportingMachine } from './machine-status.ts'
import type { Transitions } from './transitions.ts'

/** Machines that one process remembers, about 100 bytes each. */
const MAX_MACHINES = 200_000
/** Two hubs that change states of one machine at once may leave the lower status: it is wrong no longer than this. */
const CHECK_MS = 60_000

interface Settled {
  factsVersion: number
  /** Unix ms */
  checkedAt: number
  /** Unix ms of the newest reading in the last flush of this process */
  newestAt: number
}

/** The machines of a flush whose status it looks at. */
export interface StatusCheck {
  reporting: readonly ReportingMachine[]
  /** those to look at */
  unsettled: readonly ReportingMachine[]
  /** ids of machines with a changed rule state */
  moved: ReadonlySet<string>
}

/**
 * Machines whose status a flush need not look at. A machine is settled when a flush of this process found its status right, changed no
 * state of its rules, and no composite rule concerns it, because the level of a composite rule ends with time. It stays settled for a
 * minute, and until
 *
 * - a flush of this process changes a state of its rules; a flush of another process sets the status itself,
 * - a person sets its status or changes a rule, which raises `facts_version`,
 * - it has been silent for half of the time after which it is set offline, so that the clocks of hubs may differ.
 */
export class SettledMachines {
  readonly #machines = new RecentMap<Settled>(MAX_MACHINES, () => 1)
  readonly #silenceMs: number

  constructor(offlineAfterSeconds: number) {
    this.#silenceMs = (offlineAfterSeconds * 1_000) / 2
  }

  check(reporting: readonly ReportingMachine[], { thresholdStates, compositeStates }: Transitions, now: Date): StatusCheck {
    const moved = new Set<string>()
    for (const { machineId } of thresholdStates.keys()) moved.add(machineId)
    for (const { machineId } of compositeStates.keys()) moved.add(machineId)
    const at = now.getTime()
    const unsettled = reporting.filter(({ machineId, factsVersion }) => {
      const known = this.#machines.get(machineId)
      if (!known || known.factsVersion !== factsVersion || moved.has(machineId)) return true
      return at >= known.newestAt + this.#silenceMs || at >= known.checkedAt + CHECK_MS
    })
    return { reporting, unsettled, moved }
  }

  /** After the commit. @param right ids of the machines whose status was right, see {@link updateMachineStatus} */
  remember({ reporting, unsettled, moved }: StatusCheck, right: ReadonlySet<string>, now: Date): void {
    const checkedAt = now.getTime()
    for (const { machineId, factsVersion, newestAt } of unsettled)
      if (right.has(machineId) && !moved.has(machineId)) this.#machines.set(machineId, { factsVersion, checkedAt, newestAt })
      else this.#machines.delete(machineId)
    for (const { machineId, newestAt } of reporting) {
      const known = this.#machines.get(machineId)
      if (known) known.newestAt = Math.max(known.newestAt, newestAt)
    }
  }
}
