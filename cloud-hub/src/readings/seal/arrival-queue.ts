import { hoursEnd, MINUTE_MS, type SealLimits } from './limits.ts'
import type { ArrivalHint, GroupKey } from './seal-hints.ts'
import type { Waiting } from './waiting.ts'

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
