import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../../db/pools.ts'
import { openDays } from './blocks.ts'
import { compactMachine } from './compact-machine.ts'
import { arrivalsOf, divideArrivals, scanArrivals } from './divide-arrivals.ts'
import { hoursEnd, MINUTE_MS, mergeEnd, SEAL_LIMITS, type SealLimits } from './limits.ts'
import { isCollision, isDatabaseAway, type MachineKey } from './machine.ts'
import { mergeDay } from './merge-day.ts'
import type { Retention } from './old-data.ts'
import {
  ArrivalQueue,
  figuresOf,
  MachineQueue,
  type QueuedGroup,
  type QueuedMachine,
  type TailLeft,
  waitAfterFailure,
  waitWhileBusy,
} from './queues.ts'
import { removeExpired } from './remove-expired.ts'
import type { HintsOfProcess } from './seal-hints.ts'
import { type LogLine, Progress, SealLog } from './seal-log.ts'
import { sealMachine } from './seal-machine.ts'
import { type MachineTail, machineTail, scanTail } from './tail-rows.ts'

/** For the hub's metrics: what the tail holds, and counts since the last report. */
export interface SealReport {
  /** null before the first scan */
  tail: { readings: number; oldestAt: number | null; behindSeconds: number } | null
  sealed: number
  seconds: number
  failures: number
}

/** The tail, and arrivals, are scanned this often for what other processes inserted. */
const [SCAN_MS, SCAN_ARRIVALS_MS] = [10 * MINUTE_MS, MINUTE_MS]
/** A day is merged when no block of it has come for this long. */
const QUIET_MS = 10 * MINUTE_MS
/** After this long, the queue is sorted again. */
const ROUND_MS = 5_000
/**
 * What only saves time of readers rests after each piece of work, for a multiple of its time. Compaction can do without; all arrivals
 * have to be divided in the end.
 */
const [DIVIDING_REST, COMPACTING_REST, MAX_REST_MS] = [1, 4, 500]
/**
 * Machines are sealed when all arrivals of their hour are divided: those that are not join their blocks later, which rewrites them. When
 * dividing is behind for so long, it gets this part of each round.
 */
const [DIVIDING_FIRST_MS, DIVIDING_SHARE] = [MINUTE_MS, 0.6]
/** The pause after a failure that concerns all machines. */
const REST_MS = 10_000

/** Divides arrivals, then seals, compacts and merges what has work, one machine after another. The hub's clock comes with each tick. */
export class SealRunner {
  readonly #sql: Sql
  readonly #write: (line: LogLine) => void
  readonly #log: SealLog
  readonly #limits: SealLimits
  readonly #queue: MachineQueue
  readonly #arrivals: ArrivalQueue
  readonly #stopping = new AbortController()
  /** see `removeExpired` */
  readonly #retained = new Map<string, string>()
  #now = new Date(0)
  #scannedAt: number | null = null
  #scannedArrivalsAt = Number.NEGATIVE_INFINITY
  #merges: (MachineKey & { day: number })[] = []
  #round: Promise<void> | null = null
  /** as `performance.now()`: when work starts again after a failure */
  #restsUntil = 0
  #counts = { sealed: 0, seconds: 0 }

  constructor(sql: Sql, log: (line: LogLine) => void, limits: SealLimits = SEAL_LIMITS) {
    this.#sql = sql
    this.#write = log
    this.#log = new SealLog(log)
    this.#limits = limits
    this.#queue = new MachineQueue(limits)
    this.#arrivals = new ArrivalQueue(limits)
  }

  /** Takes over the time and the hints, and starts to work unless a round is under way. */
  tick(now: Date, hints: HintsOfProcess): SealReport {
    this.#now = now
    this.#queue.hint(hints.tail, now)
    this.#arrivals.hint(hints.arrivals, now)
    this.#round ??= this.#work().finally(() => {
      this.#round = null
    })
    const report = {
      tail: this.#scannedAt === null ? null : figuresOf([...this.#queue.all(), ...this.#arrivals.all()], now),
      ...this.#counts,
      failures: this.#log.failures,
    }
    this.#counts = { sealed: 0, seconds: 0 }
    this.#log.failures = 0
    return report
  }

  /** Waits for the transaction under way. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#round
  }

  /** @returns the number of readings that retention removed */
  async removeExpired(now: Date, retention: Retention): Promise<number> {
    const progress = new Progress(this.#write, 'retention is removing readings')
    const { removed, refused } = await removeExpired(this.#sql, now, retention, {
      signal: this.#stopping.signal,
      finished: this.#retained,
      progress: (readings) => progress.report({ readings }),
    })
    this.#log.refuse(refused)
    return removed
  }

  async #work(): Promise<void> {
    const started = performance.now()
    if (started < this.#restsUntil) return
    try {
      if (this.#now.getTime() - this.#scannedArrivalsAt >= SCAN_ARRIVALS_MS) await this.#scanArrivals()
      if (this.#scannedAt === null || this.#now.getTime() - this.#scannedAt >= SCAN_MS) await this.#scan()
      const progress = new Progress(this.#write, 'sealing has much to do')
      while (!this.#stopping.signal.aborted && (await this.#workOnce(progress)));
    } catch (error) {
      this.#fail(error, {}, 'sealing has stopped for 10 seconds; readings stay where they are')
      this.#restsUntil = performance.now() + REST_MS
    } finally {
      this.#counts.seconds += (performance.now() - started) / 1_000
    }
  }

  async #scanArrivals(): Promise<void> {
    const begun = this.#now
    this.#arrivals.replace(await scanArrivals(this.#sql), begun)
    this.#scannedArrivalsAt = begun.getTime()
  }

  async #scan(): Promise<void> {
    const begun = this.#now
    this.#log.repeat()
    this.#queue.replace(await scanTail(this.#sql), begun)
    const quietSince = new Date(begun.getTime() - QUIET_MS)
    this.#merges = [...(await openDays(this.#sql, new Date(mergeEnd(begun)), quietSince))]
    this.#scannedAt = begun.getTime()
  }

  /** @returns whether the queue has to be sorted again first */
  async #workOnce(progress: Progress): Promise<boolean> {
    const begun = performance.now()
    const isOver = (share = 1) => performance.now() > begun + share * ROUND_MS || this.#stopping.signal.aborted
    const arrivals = this.#arrivals.due(this.#now)
    const { seal, compact } = this.#queue.due(this.#now)
    let left = arrivals.first.length
    const dueSince = arrivals.first[0]?.dueSince ?? Number.POSITIVE_INFINITY
    const share = dueSince + DIVIDING_FIRST_MS < this.#now.getTime() ? DIVIDING_SHARE : 1
    for (const group of arrivals.first) {
      if (isOver(share)) break
      await this.#divide(group)
      left--
    }
    for (const [done, machine] of seal.entries()) {
      if (isOver()) return true
      await this.#visit(machine)
      progress.report({ machines: seal.length - done - 1, days: this.#merges.length })
    }
    while (this.#merges.length > 0) {
      if (isOver()) return true
      await this.#merge(this.#merges.shift() as MachineKey & { day: number })
      progress.report({ machines: 0, days: this.#merges.length })
    }
    // alternately, so that a long list of one kind does not delay the other kind
    for (let i = 0; i < Math.max(arrivals.later.length, compact.length); i++) {
      const [group, machine] = [arrivals.later[i], compact[i]]
      if (isOver()) return true
      if (group) await this.#withRest(() => this.#divide(group), DIVIDING_REST)
      if (machine) await this.#withRest(() => this.#visit(machine), COMPACTING_REST)
    }
    return left > 0
  }

  async #withRest(work: () => Promise<void>, rest: number): Promise<void> {
    const before = performance.now()
    await work()
    const pause = Math.min(MAX_REST_MS, rest * (performance.now() - before))
    await sleep(pause, undefined, { signal: this.#stopping.signal }).catch(() => undefined)
  }

  /** Divides the arrivals of a group. @throws when none can be divided now */
  async #divide(group: QueuedGroup): Promise<void> {
    const now = this.#now
    try {
      const { machines, refused, isBusy } = await divideArrivals(this.#sql, group, this.#limits)
      this.#log.refuse(refused)
      // Machines that are new here may have readings of finished hours.
      this.#queue.hint(machines, now, Number.NEGATIVE_INFINITY)
      if (isBusy) waitWhileBusy(group, now)
      else this.#arrivals.visited(group, now, await arrivalsOf(this.#sql, group))
    } catch (error) {
      if (isCollision(error)) return waitWhileBusy(group, now)
      waitAfterFailure(group, now)
      if (isDatabaseAway(error)) throw error
      const fields = { tenant: group.tenantId, series_group: group.group }
      this.#fail(error, fields, 'the arrivals of some series could not be divided; they stay where they are for now')
    }
  }

  /** Seals a machine, or compacts its tail. @throws when no machine can be sealed now */
  async #visit(machine: QueuedMachine): Promise<void> {
    const now = this.#now
    try {
      const tail = await machineTail(this.#sql, machine)
      const until = hoursEnd(now)
      const finished = tail.rows.reduce((sum, { t1, n }) => (t1 < until ? sum + n : sum), 0)
      const seals = this.#queue.isSealDue(machine, now) || finished >= this.#limits.denseReadings * Math.max(1, tail.seriesCount)
      const isBusy = seals ? await this.#seal(machine, now) : await this.#compact(machine, tail)
      if (isBusy) waitWhileBusy(machine, now)
      else this.#queue.visited(machine, now, leftOf(await machineTail(this.#sql, machine)))
    } catch (error) {
      if (isCollision(error)) return waitWhileBusy(machine, now)
      waitAfterFailure(machine, now)
      if (isDatabaseAway(error)) throw error
      this.#fail(error, namesOf(machine), 'the readings of a machine could not be sealed; they stay in the tail for now')
    }
  }

  async #seal(machine: QueuedMachine, now: Date): Promise<boolean> {
    const movesLate = this.#queue.isLateDue(machine, now)
    const { sealed, late, refused, isBusy } = await sealMachine(this.#sql, machine, now, { movesLate, limits: this.#limits })
    this.#counts.sealed += sealed
    this.#log.refuse(refused)
    if (isBusy) return true
    machine.examinedUntil = hoursEnd(now)
    machine.isBacklog = sealed > 0
    machine.lateSince = late === 0 ? null : movesLate || machine.lateSince === null ? now.getTime() : machine.lateSince
    return false
  }

  async #compact(machine: MachineKey, tail: MachineTail): Promise<boolean> {
    const { refused, isBusy } = await compactMachine(this.#sql, machine, { limits: this.#limits, tail })
    this.#log.refuse(refused)
    return isBusy
  }

  async #merge({ day, ...machine }: MachineKey & { day: number }): Promise<void> {
    try {
      const { refused } = await mergeDay(this.#sql, machine, day, this.#now, { limits: this.#limits })
      this.#log.refuse(refused)
    } catch (error) {
      if (isCollision(error)) return
      if (isDatabaseAway(error)) throw error
      const names = { ...namesOf(machine), day: new Date(day).toISOString().slice(0, 10) }
      this.#fail(error, names, 'the blocks of a day could not be merged; the next scan tries again')
    }
  }

  #fail(error: unknown, fields: Record<string, unknown>, message: string): void {
    if (this.#stopping.signal.aborted) return
    this.#log.fail(error, fields, message)
  }
}

const namesOf = ({ tenantId, machineId }: MachineKey) => ({ tenant: tenantId, machine: machineId })

const leftOf = ({ rows, readings, seriesCount }: MachineTail): TailLeft => ({
  rows: rows.length,
  readings,
  seriesCount,
  oldestAt: rows.length === 0 ? null : rows.reduce((oldest, { t0 }) => Math.min(oldest, t0), Number.POSITIVE_INFINITY),
})
