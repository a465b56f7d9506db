import { setTimeout as sleep } from 'node:timers/promises'
import type postgres from 'postgres'
import { type Generator, generator } from '../../../protocol/test/generator.ts'
import { dbError, STALE_CACHE } from '../../src/db/errors.ts'
import { appendLive, isLive } from '../../src/readings/append.ts'
import { claim } from '../../src/readings/claim.ts'
import { indexOfPlace, newestAt, rowOfPlace } from '../../src/readings/latest/entries.ts'
import { type LatestRow, latestKey, loadLatestRows } from '../../src/readings/latest/rows.ts'
import { applySaved } from '../../src/readings/latest/save.ts'
import { columnsOfRange } from '../../src/readings/query/columns.ts'
import { bucketsOf, totalsOf } from '../../src/readings/query/statistics.ts'
import { compactMachine } from '../../src/readings/seal/compact-machine.ts'
import { divideArrivals, scanArrivals } from '../../src/readings/seal/divide-arrivals.ts'
import { mergeDay } from '../../src/readings/seal/merge-day.ts'
import { sealMachine } from '../../src/readings/seal/seal-machine.ts'
import type { SeriesSpan, SortedReadings } from '../../src/readings/sorted-readings.ts'
import { DAY, DAYS, iso, largest, prepareSeries, remember, type Series, STEP } from './store-property-series.ts'
import { INSERTS } from './stored-readings.ts'

/** A promise of the store that did not hold. */
export class BrokenPromise extends Error {}

export interface PropertyCounts {
  /** readings that writers sent, repeats included, and distinct ones that are stored */
  sent: number
  stored: number
  live: number
  claimed: number
  /** flushes that found what they knew out of date */
  stale: number
  deadlocks: number
  divided: number
  sealed: number
  merged: number
  reads: number
}

const HOUR = 3_600_000
const WRITERS = 5

/**
 * Writers, sealers and readers work at random on the same few series for some seconds, each writer with a memory of its
 * own, as in replicas. What was acknowledged must be readable ever after with the same value, and nothing else may appear.
 * @param owner a database with the present schema and without readings
 * @throws BrokenPromise
 */
export async function runStoreProperty(owner: postgres.Sql, options: { seed: number; seconds: number }): Promise<PropertyCounts> {
  const start = Math.floor(Date.now() / DAY) * DAY - (DAYS + 2) * DAY
  const counts: PropertyCounts = {
    sent: 0,
    stored: 0,
    live: 0,
    claimed: 0,
    stale: 0,
    deadlocks: 0,
    divided: 0,
    sealed: 0,
    merged: 0,
    reads: 0,
  }
  const series = await prepareSeries(owner, start)
  const property = new Property(owner, series, start, counts, performance.now() + options.seconds * 1_000)
  const seeds = (first: number) => generator(options.seed * 1_000 + first)
  const all = [
    ...Array.from({ length: WRITERS }, (_, w) => property.write(seeds(w))),
    property.seal(seeds(500)),
    property.seal(seeds(501)),
    property.read(seeds(900)),
    property.read(seeds(901)),
  ]
  const results = await Promise.allSettled(all.map((work) => work.catch((error) => property.fail(error))))
  for (const result of results) if (result.status === 'rejected') throw result.reason
  await property.checkAtRest()
  return counts
}

class Property {
  readonly #sql: postgres.Sql
  readonly #series: readonly Series[]
  readonly #start: number
  readonly #counts: PropertyCounts
  #until: number

  constructor(sql: postgres.Sql, series: readonly Series[], start: number, counts: PropertyCounts, until: number) {
    this.#sql = sql
    this.#series = series
    this.#start = start
    this.#counts = counts
    this.#until = until
  }

  /** Ends all work. */
  fail(error: unknown): never {
    this.#until = 0
    throw error
  }

  #goesOn = () => performance.now() < this.#until
  #now = () => new Date(this.#start + (DAYS + 2) * DAY)

  async write(random: Generator): Promise<void> {
    /** what this writer knows of the newest readings, as a replica does */
    const memory = new Map<string, LatestRow>()
    while (this.#goesOn()) {
      const isRace = random.below(2) === 0
      const chosen = this.#series.filter(() => random.below(isRace ? 5 : 2) === 0)
      const batches = chosen.map((one) => ({ one, points: this.#invent(one, random, isRace) }))
      for (const { one, points } of batches) for (const [at, value] of points) remember(one, at, value)
      for (let times = random.below(8) === 0 ? 2 : 1; times > 0 && batches.length > 0; times--) {
        await this.#flush(batches, memory)
        for (const { one, points } of batches) {
          one.top = Math.max(one.top, points.at(-1)?.[0] ?? 0)
          for (const [at] of points) one.acknowledged.add(at)
          this.#counts.sent += points.length
        }
      }
    }
  }

  /** Readings after the newest ones, in a race with others, or anywhere; some instants twice. */
  #invent(one: Series, random: Generator, isRace: boolean): (readonly [number, number])[] {
    const end = this.#start + DAYS * DAY - 1
    const isLate = !isRace && random.below(10) > 6
    const jump = !isRace && random.below(200) === 0 ? 3 * HOUR : 0
    const some: (readonly [number, number])[] = []
    for (let i = 1 + random.below(random.below(10) === 0 ? 400 : 40); i > 0; i--) {
      const at = isLate
        ? this.#start + STEP * random.below(Math.max(2, (one.top - this.#start) / STEP + 50))
        : one.top + jump + STEP * (some.length + 1)
      some.push([Math.min(at, end), Math.round(random.gauss() * 1_000) / 100])
      if (!isRace && random.below(30) === 0) some.push([Math.min(at, end), 12_345.67])
    }
    return some.sort((a, b) => a[0] - b[0])
  }

  async #flush(
    batches: readonly { one: Series; points: readonly (readonly [number, number])[] }[],
    memory: Map<string, LatestRow>,
  ) {
    for (let isRepeated = false; ; isRepeated = true) {
      const readings = await this.#readingsOf(batches, memory)
      const late = new Set(readings.spans.filter((span) => !isLive(readings, span)))
      const inserts = { ...INSERTS, sharedFrom: () => (batches.length > 1 ? 1 : Number.POSITIVE_INFINITY) }
      try {
        if (late.size === 0) {
          const saved = await this.#sql.begin(async (tx) => ({ saved: appendLive(tx, readings, isRepeated, inserts) }))
          await applySaved(saved.saved)
          this.#counts.live++
        } else {
          const { saved } = await this.#sql.begin((tx) => claim(tx, readings, late, inserts))
          await applySaved(saved)
          this.#counts.claimed++
        }
        return
      } catch (error) {
        const code = dbError(error)?.code
        if (code !== STALE_CACHE && code !== '40P01') throw error
        this.#counts[code === STALE_CACHE ? 'stale' : 'deadlocks']++
        memory.clear()
      }
    }
  }

  async #readingsOf(
    batches: readonly { one: Series; points: readonly (readonly [number, number])[] }[],
    memory: Map<string, LatestRow>,
  ): Promise<SortedReadings> {
    const keys = batches.map(({ one }) => ({ tenantId: one.tenantId, machineId: one.machineId, chunk: rowOfPlace(one.place) }))
    const unknown = keys.filter((key) => !memory.has(latestKey(key)))
    if (unknown.length > 0)
      for (const [key, row] of await this.#sql.begin((tx) => loadLatestRows(tx, unknown))) memory.set(key, row)
    const all = batches.flatMap(({ points }) => points)
    let from = 0
    const spans = batches.map(({ one, points }, i): SeriesSpan => {
      const row = memory.get(latestKey(keys[i] as (typeof keys)[number])) as LatestRow
      const latest = { row, index: indexOfPlace(one.place) }
      const span = {
        slot: i,
        seriesId: one.id,
        from,
        to: from + points.length,
        latest,
        newestAt: newestAt(row.body, latest.index),
        needsNewest: one.place === 0,
      }
      from += points.length
      return span
    })
    return {
      spans,
      timestamps: Float64Array.from(all, ([at]) => at),
      values: Float64Array.from(all, ([, value]) => value),
      rawTags: new Array<null>(all.length).fill(null),
    }
  }

  async seal(random: Generator): Promise<void> {
    while (this.#goesOn()) {
      try {
        await this.#move(random)
      } catch (error) {
        if (error instanceof RangeError) throw new BrokenPromise(`series hold what cannot be moved: ${error.message}`)
        throw error
      }
      await sleep(random.below(60))
    }
  }

  async #move(random: Generator): Promise<void> {
    const { tenantId, machineId } = random.pick(this.#series)
    const machine = { tenantId, machineId }
    const what = random.below(13)
    if (what < 4) await compactMachine(this.#sql, machine, { limits: { compactRows: 2 } })
    else if (what < 8) this.#counts.sealed += (await sealMachine(this.#sql, machine, this.#now(), { movesLate: true })).sealed
    else if (what < 10) {
      await mergeDay(this.#sql, machine, this.#start + random.below(DAYS) * DAY, this.#now())
      this.#counts.merged++
    } else {
      for (const group of await scanArrivals(this.#sql)) {
        const { machines } = await divideArrivals(this.#sql, group, { arrivalPortion: 4 })
        for (const { readings } of machines) this.#counts.divided += readings
      }
    }
  }

  async read(random: Generator): Promise<void> {
    while (this.#goesOn()) {
      const one = random.pick(this.#series)
      const known = [...one.acknowledged]
      const from = this.#start + random.below(DAYS * DAY)
      await this.#check(one, known, from, from + random.below(2 * DAY) + 1)
      const other = { tenantId: crypto.randomUUID(), seriesIds: [one.id], from, until: from + DAY }
      const [strange] = await this.#sql.begin((tx) => columnsOfRange(tx, other, 10))
      if (strange?.length) throw new BrokenPromise(`another tenant sees series ${one.id}`)
      this.#counts.reads++
      await sleep(random.below(10))
    }
  }

  async #check(one: Series, known: readonly number[], from: number, until: number): Promise<number> {
    const range = { tenantId: one.tenantId, seriesIds: [one.id], from, until }
    const [columns] = await this.#sql.begin((tx) => columnsOfRange(tx, range, Number.MAX_SAFE_INTEGER))
    const { length, times, values } = columns as { length: number; times: Float64Array; values: Float64Array }
    for (let i = 0; i < length; i++) {
      const [at, value] = [times[i] as number, values[i] as number]
      if (i > 0 && at <= (times[i - 1] as number)) throw new BrokenPromise(`series ${one.id} has ${iso(at)} twice`)
      if (!one.sent.get(at)?.has(value))
        throw new BrokenPromise(`series ${one.id} has ${value} at ${iso(at)}, which was never sent`)
      const before = one.seen.get(at)
      if (before !== undefined && before !== value)
        throw new BrokenPromise(`series ${one.id} had ${before} at ${iso(at)} and has ${value}`)
      one.seen.set(at, value)
    }
    const found = new Set(times.subarray(0, length))
    for (const at of known)
      if (at >= from && at < until && !found.has(at))
        throw new BrokenPromise(`series ${one.id} lost ${iso(at)}, which was acknowledged`)
    return length
  }

  /** Exact wherever the readings are; then all are divided, sealed and merged. */
  async checkAtRest(): Promise<void> {
    const machines = [...new Map(this.#series.map(({ tenantId, machineId }) => [machineId, { tenantId, machineId }])).values()]
    for (const pass of ['as they are', 'divided', 'sealed', 'merged']) {
      if (pass === 'divided') for (const group of await scanArrivals(this.#sql)) await divideArrivals(this.#sql, group)
      for (const machine of machines) {
        if (pass === 'sealed') await sealMachine(this.#sql, machine, this.#now(), { movesLate: true })
        if (pass === 'merged')
          for (let day = 0; day < DAYS; day++) await mergeDay(this.#sql, machine, this.#start + day * DAY, this.#now())
      }
      this.#counts.stored = 0
      for (const one of this.#series) {
        const stored = await this.#check(one, [...one.acknowledged], this.#start - DAY, this.#start + (DAYS + 1) * DAY)
        if (stored !== one.acknowledged.size)
          throw new BrokenPromise(
            `${pass}: series ${one.id} has ${stored} readings, and ${one.acknowledged.size} were acknowledged`,
          )
        this.#counts.stored += stored
        await this.#checkLatest(one)
        await this.#checkBuckets(one)
      }
    }
  }

  async #checkLatest({ id, seen, ...one }: Series): Promise<void> {
    const key = { ...one, chunk: rowOfPlace(one.place) }
    const row = (await this.#sql.begin((tx) => loadLatestRows(tx, [key]))).get(latestKey(key)) as LatestRow
    const [stored, newest] = [newestAt(row.body, indexOfPlace(one.place)), largest(seen.keys())]
    if (stored !== newest)
      throw new BrokenPromise(`the newest reading of series ${id} is of ${iso(stored)}, not of ${iso(newest)}`)
  }

  async #checkBuckets({ id, tenantId, seen }: Series): Promise<void> {
    for (const [bucketMs, from, until] of [
      [HOUR, this.#start + 1_234_567, this.#start + 3 * DAY + 77_777],
      [60_000, this.#start + DAY, this.#start + 2 * DAY],
      [DAY, this.#start, this.#start + DAYS * DAY],
    ] as const) {
      const range = { tenantId, seriesIds: [id], from, until }
      const buckets = await this.#sql.begin((tx) => bucketsOf(tx, range, bucketMs))
      const inRange = [...seen].filter(([at]) => at >= from && at < until)
      const model = Map.groupBy(inRange, ([at]) => Math.floor(at / bucketMs) * bucketMs)
      if (buckets.length !== model.size)
        throw new BrokenPromise(`series ${id} has ${buckets.length} buckets instead of ${model.size}`)
      for (const { at, n, mean } of buckets) {
        const values = (model.get(at) ?? []).map(([, value]) => value)
        const exact = values.reduce((sum, value) => sum + value, 0) / values.length
        if (n !== values.length || !(Math.abs(mean - exact) <= 1e-9 * (1 + Math.abs(exact))))
          throw new BrokenPromise(`series ${id} has a wrong bucket at ${iso(at)}`)
      }
      const [total] = await this.#sql.begin((tx) => totalsOf(tx, range))
      const values = inRange.map(([, value]) => value)
      const isRight =
        values.length === 0
          ? !total
          : total?.n === values.length && total.low === -largest(values.map((value) => -value)) && total.high === largest(values)
      if (!isRight) throw new BrokenPromise(`series ${id} has wrong totals from ${iso(from)}`)
    }
  }
}
