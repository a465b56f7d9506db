import type { Fault, ReadingColumns } from '@haltless/protocol'
import { Backoff } from '../../support/backoff.ts'
import { errorFault } from '../../support/error-message.ts'
import type { Collector, CollectorDeps, ProbeDeps, S7Source } from '../collector.ts'
import { ColumnsBuilder } from '../columns-builder.ts'
import { runCollector } from '../runner.ts'
import { StatusBoard } from '../status-board.ts'
import { readingValue, type Tag, tagOf } from '../tag.ts'
import { parseAddress, type S7Address } from './address.ts'
import { RequestFailed, S7Connection } from './connection.ts'
import { type RangeAnswer, refusal } from './frames.ts'
import { type AddressRange, packRequests, planRanges, split } from './plan.ts'

export const tagsOf = ({ config, machine }: S7Source): Tag[] => config.items.map((item) => tagOf(item, item.address, machine))

/** Requests that were divided are put together again after this time. */
const REPLAN_MS = 60_000

/** Reads the items of a PLC over one connection, which it opens when there is none. */
export class S7Reader {
  readonly #source: S7Source
  readonly #tags: readonly Tag[]
  readonly #addresses: readonly S7Address[]
  readonly #board: StatusBoard
  readonly #deps: ProbeDeps
  #connection: S7Connection | null = null
  #closing = new AbortController()
  #requests: AddressRange[][] = []
  /** monotonic ms */
  #replanAt = Number.POSITIVE_INFINITY

  constructor(source: S7Source, tags: readonly Tag[], board: StatusBoard, deps: ProbeDeps) {
    this.#source = source
    this.#tags = tags
    this.#addresses = source.config.items.map(({ address }) => parseAddress(address) as S7Address)
    this.#board = board
    this.#deps = deps
  }

  /** @throws ConnectionLost */
  async poll(): Promise<ReadingColumns> {
    try {
      const columns = new ColumnsBuilder(this.#tags)
      const connection = await this.#connect()
      if (this.#deps.clock.monotonic() >= this.#replanAt) this.#plan(connection)
      const at = this.#deps.clock.now()
      this.#requests = await this.#readAll(connection, this.#requests, at, columns)
      return columns.columns()
    } catch (error) {
      this.close()
      throw error
    }
  }

  /** Closes the connection, also one that is being made. */
  close(): void {
    this.#closing.abort()
    this.#closing = new AbortController()
    this.#connection = null
  }

  async #connect(): Promise<S7Connection> {
    if (this.#connection) return this.#connection
    const connection = await S7Connection.open(this.#source, this.#deps, this.#closing.signal)
    this.#connection = connection
    // A PLC that was connected again may run another program: what it refused is planned anew.
    this.#plan(connection)
    return connection
  }

  #plan({ pduBytes }: S7Connection): void {
    this.#requests = packRequests(planRanges(this.#addresses, pduBytes), pduBytes)
    this.#replanAt = Number.POSITIVE_INFINITY
  }

  /** What fails together is read again in parts at once. @returns the requests to read from now on */
  async #readAll(
    connection: S7Connection,
    requests: AddressRange[][],
    at: number,
    columns: ColumnsBuilder,
  ): Promise<AddressRange[][]> {
    const next: AddressRange[][] = []
    for (const ranges of requests) {
      const parts = await this.#read(connection, ranges, at, columns)
      if (parts.length === 0) next.push(ranges)
      else {
        // One odd answer divides a request: for a while, because each part costs a request of its own.
        this.#replanAt = Math.min(this.#replanAt, this.#deps.clock.monotonic() + REPLAN_MS)
        next.push(...(await this.#readAll(connection, parts, at, columns)))
      }
    }
    return next
  }

  /** @returns the requests to make instead, where the values of this one were not taken; none where they were */
  async #read(connection: S7Connection, ranges: AddressRange[], at: number, columns: ColumnsBuilder): Promise<AddressRange[][]> {
    let answers: RangeAnswer[]
    try {
      answers = await connection.read(ranges)
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error
      if (error.isAboutAll) {
        for (const range of ranges) this.#refuse(range, error.fault)
        return []
      }
      if (ranges.length > 1) return ranges.map((range) => [range])
      const [range] = ranges as [AddressRange]
      if (range.items.length > 1) return split(range).map((part) => [part])
      this.#refuse(range, error.fault)
      return []
    }
    const isShared = (range: AddressRange, i: number) => typeof answers[i] === 'number' && range.items.length > 1
    // Neighbours share a range, and one bad address fails all of them.
    if (ranges.some(isShared))
      return packRequests(
        ranges.flatMap((range, i) => (isShared(range, i) ? split(range) : [range])),
        connection.pduBytes,
      )
    for (const [i, range] of ranges.entries()) this.#take(range, answers[i] as RangeAnswer, at, columns)
    return []
  }

  #take(range: AddressRange, answer: RangeAnswer, at: number, columns: ColumnsBuilder): void {
    if (typeof answer === 'number') {
      this.#refuse(range, refusal(answer))
      return
    }
    for (const { index, start, length, decode } of range.items) {
      const raw = decode(answer.subarray(start - range.start, start - range.start + length))
      const value = readingValue(raw, this.#tags[index] as Tag)
      if (typeof value !== 'number') this.#board.bad(index, value.fault)
      else {
        this.#board.good(index)
        columns.add(index, at, value)
      }
    }
  }

  #refuse({ items }: AddressRange, reason: Fault): void {
    for (const { index } of items) this.#board.bad(index, reason)
  }
}

/** Polls a Siemens S7. Each collector has a connection of its own: a PLC of the 1200 series allows eight. */
export function createS7Collector(source: S7Source, deps: CollectorDeps): Collector {
  const tags = tagsOf(source)
  const board = new StatusBoard(tags, deps)
  const reader = new S7Reader(source, tags, board, deps)
  return runCollector(
    source.name,
    deps,
    board,
    async ({ signal, handOn }) => {
      const schedule = board.schedule(source.pollIntervalSeconds * 1_000)
      const backoff = new Backoff({ firstMs: 1_000, maxMs: 30_000, random: deps.random })
      while (!signal.aborted) {
        schedule.begin()
        try {
          const readings = await reader.poll()
          if (signal.aborted) return
          schedule.answered()
          board.reached(deps.clock.now())
          backoff.reset()
          await handOn(readings)
          const waitMs = schedule.msToNext()
          if (waitMs > 0) await deps.clock.sleep(waitMs, signal)
        } catch (error) {
          if (signal.aborted) return
          board.set('reconnecting', errorFault(error))
          await deps.clock.sleep(backoff.next(), signal)
        }
      }
    },
    () => reader.close(),
  )
}
