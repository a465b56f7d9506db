import { compactionStart } from './compact-machine.ts'
import { HOUR_MS, hoursEnd, MINUTE_MS, type SealLimits, tailLimit } from './limits.ts'
import type { MachineKey } from './machine.ts'
import type { ArrivalHint, GroupKey, SealHint } from './seal-hints.ts'
import type { TailCount } from './tail-rows.ts'

/** A machine or a group of series with readings to move. All instants are Unix ms of the hub's clock. */
interface Waiting {
  readings: number
  oldestAt: number | null
  /** since when its readings have had to be moved */
  dueSince: number | null
  failures: number
  retryAt: number
}

/** What another process works on waits for this long. */
const BUSY_MS = 30_000
const [RETRY_MS, MAX_RETRY_MS] = [MINUTE_MS, HOUR_MS]

/** Another process works on it. */
export function waitWhileBusy(one: Waiting, now: Date): void {
  one.dueSince = null
  one.retryAt = now.getTime() + BUSY_MS
}

/** What fails waits longer each time, and the others go on. */
export function waitAfterFailure(one: Waiting, now: Date): void {
  one.retryAt = now.getTime() + Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** one.failures++)
}

/** Readings, the oldest one, and for how many seconds the longest waiting one has been due. */
export function figuresOf(
  all: Iterable<Waiting>,
  now: Date,
): { readings: number; oldestAt: number | null; behindSeconds: number } {
  let [readings, oldestAt, dueSince] = [0, Number.POSITIVE_INFINITY, now.getTime()]
  for (const one of all) {
    readings += one.readings
    oldestAt = Math.min(oldestAt, one.oldestAt ?? Number.POSITIVE_INFINITY)
    dueSince = Math.min(dueSince, one.dueSince ?? Number.POSITIVE_INFINITY)
  }
  return {
    readings,
    oldestAt: Number.isFinite(oldestAt) ? oldestAt : null,
    behindSeconds: (now.getTime() - dueSince) / 1_000,
  }
}

/** What a group of series has in arrivals. */
export interface ArrivalCount extends GroupKey {
  rows: number
  readings: number
  /** Unix ms of the oldest reading; null without rows */
  oldestAt: number | null
}

/** A group with arrivals, as far as this process knows. */
export interface QueuedGroup extends ArrivalCount, Waiting {
  /** arrivals of the hours before this instant have been divided. Unix ms, as all instants here */
  dividedUntil: number
  /** rows from which dividing may help again */
  divideFrom: number
  hintedAt: number
}

const keyOf = ({ tenantId, group }: GroupKey) => `${tenantId} ${group}`

/** Which groups of series have arrivals to divide. All instants are of the hub's clock. */
export class ArrivalQueue {
  readonly #groups = new Map<string, QueuedGroup>()
  readonly #limits: SealLimits

  constructor(limits: SealLimits) {
    this.#limits = limits
  }

  hint(hints: readonly ArrivalHint[], now: Date): void {
    for (const hint of hints) {
      // rows of the hour before may have been committed just now
      const group = this.#groups.get(keyOf(hint)) ?? this.#insert(hint, hoursEnd(new Date(now.getTime() - MINUTE_MS)))
      group.rows += hint.rows
      group.readings += hint.readings
      group.hintedAt = now.getTime()
    }
  }

  /** Takes over a scan of all arrivals, which began at an instant. */
  replace(counts: readonly ArrivalCount[], begun: Date): void {
    const found = new Set<string>()
    for (const count of counts) {
      found.add(keyOf(count))
      const group = this.#groups.get(keyOf(count)) ?? this.#insert(count, Number.NEGATIVE_INFINITY)
      const { rows, readings, oldestAt } = count
      Object.assign(group, { rows, readings, oldestAt })
    }
    for (const [key, { hintedAt }] of this.#groups) if (!found.has(key) && hintedAt < begun.getTime()) this.#groups.delete(key)
  }

  #insert({ tenantId, group }: GroupKey, dividedUntil: number): QueuedGroup {
    const never = Number.NEGATIVE_INFINITY
    const queued: QueuedGroup = {
      ...{ tenantId, group, rows: 0, readings: 0, oldestAt: null, dividedUntil },
      ...{ divideFrom: this.#limits.divideRows, failures: 0, retryAt: never, dueSince: null, hintedAt: never },
    }
    this.#groups.set(keyOf(queued), queued)
    return queued
  }

  /** Groups that have to be divided, the longest waiting first, and groups that readers would like divided, most rows first. */
  due(now: Date): { first: QueuedGroup[]; later: QueuedGroup[] } {
    const [first, later]: [QueuedGroup[], QueuedGroup[]] = [[], []]
    for (const group of this.#groups.values()) {
      if (group.retryAt > now.getTime()) continue
      if (group.dividedUntil < hoursEnd(now) || group.rows >= group.divideFrom + this.#limits.mostArrivals) {
        group.dueSince ??= now.getTime()
        first.push(group)
      } else if (group.rows >= group.divideFrom) later.push(group)
    }
    return {
      first: first.sort((a, b) => (a.dueSince as number) - (b.dueSince as number) || b.rows - a.rows),
      later: later.sort((a, b) => b.rows - a.rows),
    }
  }

  /** Notes a visit that left this. */
  visited(group: QueuedGroup, now: Date, left: Omit<ArrivalCount, keyof GroupKey>): void {
    group.failures = 0
    group.dueSince = null
    group.dividedUntil = hoursEnd(now)
    // damaged rows stay
    group.divideFrom = left.rows + this.#limits.divideRows
    Object.assign(group, left)
    if (left.rows === 0) this.#groups.delete(keyOf(group))
  }

  all(): Iterable<Waiting> {
    return this.#groups.values()
  }
}

/** A machine with readings in the tail, as far as this process knows. */
export interface QueuedMachine extends Omit<TailCount, 'oldestAt'>, Waiting {
  /** readings of the hours before this instant have been looked through. Unix ms, as all instants here */
  examinedUntil: number
  /** as of the last visit */
  seriesCount: number
  /** rows from which compaction may help again */
  compactFrom: number
  visitedAt: number
  /** the last visit moved readings of finished hours: more of them may come at any time */
  isBacklog: boolean
  /** since when late readings wait; null for none */
  lateSince: number | null
  hintedAt: number
}

export interface TailLeft {
  rows: number
  readings: number
  seriesCount: number
  oldestAt: number | null
}

/** A backlog is sealed at least this often. */
const BACKLOG_MS = 30_000
/** Late readings join their block after this at the latest. */
const LATE_MS = HOUR_MS
/** A tail that is still too large after a visit waits for this long. */
const RESEAL_MS = 5_000
/** New rows after which a tail may be compacted again. */
const COMPACT_AGAIN = 16

/** Which machines have work for the sealer. All instants are of the hub's clock. */
export class MachineQueue {
  readonly #machines = new Map<string, QueuedMachine>()
  readonly #limits: SealLimits

  constructor(limits: SealLimits) {
    this.#limits = limits
  }

  /** @param examinedUntil of machines that are new here */
  hint(hints: readonly SealHint[], now: Date, examinedUntil = hoursEnd(now)): void {
    for (const hint of hints) {
      const machine = this.#machines.get(hint.machineId) ?? this.#insert(hint, examinedUntil)
      machine.rows += hint.rows
      machine.readings += hint.readings
      if (hint.oldestAt !== undefined) machine.oldestAt = Math.min(machine.oldestAt ?? hint.oldestAt, hint.oldestAt)
      machine.hintedAt = now.getTime()
    }
  }

  /** Takes over a scan of the whole tail, which began at an instant. */
  replace(counts: readonly TailCount[], begun: Date): void {
    const found = new Set<string>()
    for (const count of counts) {
      found.add(count.machineId)
      const machine = this.#machines.get(count.machineId) ?? this.#insert(count, Number.NEGATIVE_INFINITY)
      const { rows, readings, oldestAt } = count
      Object.assign(machine, { rows, readings, oldestAt })
    }
    for (const [id, { hintedAt }] of this.#machines) if (!found.has(id) && hintedAt < begun.getTime()) this.#machines.delete(id)
  }

  #insert({ tenantId, machineId }: MachineKey, examinedUntil: number): QueuedMachine {
    const never = Number.NEGATIVE_INFINITY
    const machine: QueuedMachine = {
      ...{ tenantId, machineId, rows: 0, readings: 0, oldestAt: null, examinedUntil, visitedAt: never, isBacklog: false },
      ...{ seriesCount: 0, compactFrom: 0, lateSince: null, failures: 0, retryAt: never, dueSince: null, hintedAt: never },
    }
    this.#machines.set(machineId, machine)
    return machine
  }

  /** Machines to seal, largest first, and machines that are only to be compacted, most rows first. */
  due(now: Date): { seal: QueuedMachine[]; compact: QueuedMachine[] } {
    const [seal, compact]: [QueuedMachine[], QueuedMachine[]] = [[], []]
    for (const machine of this.#machines.values()) {
      if (machine.retryAt > now.getTime()) continue
      if (this.isSealDue(machine, now)) {
        machine.dueSince ??= now.getTime()
        seal.push(machine)
      } else if (machine.rows >= Math.max(machine.compactFrom, compactionStart(this.#limits, machine.seriesCount)))
        compact.push(machine)
    }
    return {
      seal: seal.sort((a, b) => b.readings - a.readings),
      compact: compact.sort((a, b) => b.rows - a.rows),
    }
  }

  isSealDue(machine: QueuedMachine, now: Date): boolean {
    return (
      this.#isFull(machine) ||
      machine.examinedUntil < hoursEnd(now) ||
      this.isLateDue(machine, now) ||
      (machine.isBacklog && machine.readings >= this.#limits.denseReadings && machine.visitedAt + BACKLOG_MS <= now.getTime())
    )
  }

  #isFull({ readings, seriesCount }: QueuedMachine): boolean {
    return readings > tailLimit(this.#limits, seriesCount)
  }

  isLateDue({ lateSince }: QueuedMachine, now: Date): boolean {
    return lateSince !== null && lateSince + LATE_MS <= now.getTime()
  }

  /** Notes a visit that left this in the tail. */
  visited(machine: QueuedMachine, now: Date, left: TailLeft): void {
    machine.visitedAt = now.getTime()
    machine.failures = 0
    machine.dueSince = null
    machine.compactFrom = left.rows + COMPACT_AGAIN
    Object.assign(machine, left)
    if (left.rows === 0) this.#machines.delete(machine.machineId)
    // rows that cannot be sealed stay, and would be tried again at once
    else if (this.#isFull(machine)) machine.retryAt = now.getTime() + RESEAL_MS
  }

  all(): Iterable<Waiting> {
    return this.#machines.values()
  }
}
