import type { Sql } from '../../../../db/pools.ts'
import { type LogLine, Progress } from '../seal/progress.ts'
import { dropPacked, type PackingLeft, packingLeft, packSome } from './pack-readings.ts'
import { packStatistics } from './pack-statistics.ts'

/** Another replica may be packing: the next look comes after this. */
const LOOK_MS = 10_000

/** Packs the rows of hubs before the packed store, a little at a time. It ends for good when nothing is left. */
export class Packer {
  readonly #sql: Sql
  readonly #log: (line: LogLine) => void
  readonly #progress: Progress
  #left: PackingLeft | null = null
  #isDone = false
  #lookedAt = Number.NEGATIVE_INFINITY
  /** readings that this process has packed */
  #readings = 0

  constructor(sql: Sql, log: (line: LogLine) => void) {
    this.#sql = sql
    this.#log = log
    this.#progress = new Progress(log, 'the readings of the version before are being packed')
  }

  /** null before the first look */
  get left(): PackingLeft | null {
    return this.#left
  }

  /** Works for about as long as `forMs`. */
  async run(now: Date, forMs: number, signal: AbortSignal): Promise<void> {
    if (this.#isDone || performance.now() - this.#lookedAt < LOOK_MS) return
    if (this.#left === null) await this.#begin()
    try {
      await this.#pack(now, forMs, signal)
    } catch (error) {
      // sealing goes on
      this.#lookedAt = performance.now()
      const reason = (error as Error).message
      this.#log({
        level: 'warn',
        fields: { reason, ...this.#left },
        message: 'old readings could not be packed; they stay readable, and the next try comes soon',
      })
    }
  }

  async #pack(now: Date, forMs: number, signal: AbortSignal): Promise<void> {
    const until = performance.now() + forMs
    while (!signal.aborted && performance.now() < until) {
      const readings = await packSome(this.#sql, now)
      if (readings === null && !(await packStatistics(this.#sql))) return this.#look()
      this.#readings += readings ?? 0
      this.#progress.report({ readings: this.#readings, ...this.#left })
    }
    this.#left = await packingLeft(this.#sql)
  }

  async #begin(): Promise<void> {
    this.#left = await packingLeft(this.#sql)
    if (this.#left.partitions > 0)
      this.#log({
        level: 'info',
        fields: { ...this.#left },
        message: 'packing the readings of the version before; they can be read meanwhile',
      })
  }

  /** Nothing was left for this process: is it done, or does another replica hold the rest? */
  async #look(): Promise<void> {
    this.#lookedAt = performance.now()
    await dropPacked(this.#sql)
    this.#left = await packingLeft(this.#sql)
    this.#isDone = this.#left.partitions + this.#left.packed + this.#left.removed === 0
    if (this.#isDone && this.#readings > 0)
      this.#log({ level: 'info', fields: { readings: this.#readings }, message: 'the readings of the version before are packed' })
  }
}
