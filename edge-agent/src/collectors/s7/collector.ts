import type { ReadingColumns } from '@haltless/protocol'
import { Backoff } from '../../support/backoff.ts'
import { errorMessage } from '../../support/error-message.ts'
import type { Collector, CollectorDeps, ProbeDeps, S7Source } from '../collector.ts'
import { ColumnsBuilder } from '../columns-builder.ts'
import { runCollector } from '../runner.ts'
import { StatusBoard } from '../status-board.ts'
import { applyScale, type Tag, tagOf } from '../tag.ts'
import { S7Connection } from './connection.ts'

export const tagsOf = ({ config, machine }: S7Source): Tag[] => config.items.map((item) => tagOf(item, item.address, machine))

/** Reads the items of a PLC over one connection, which it opens when there is none. */
export class S7Reader {
  readonly #source: S7Source
  readonly #tags: readonly Tag[]
  readonly #board: StatusBoard
  readonly #deps: ProbeDeps
  #connection: S7Connection | null = null
  #isIsolating = false

  constructor(source: S7Source, tags: readonly Tag[], board: StatusBoard, deps: ProbeDeps) {
    this.#source = source
    this.#tags = tags
    this.#board = board
    this.#deps = deps
  }

  /** @throws ConnectionLost */
  async poll(): Promise<ReadingColumns> {
    let values = await this.#read()
    if (!this.#isIsolating && [...values.values()].some((value) => typeof value === 'string')) {
      // neighbours share a request, and one bad address fails all of them
      this.#isIsolating = true
      this.close()
      values = await this.#read()
    }
    const at = this.#deps.clock.now()
    const columns = new ColumnsBuilder(this.#tags)
    for (const [index, tag] of this.#tags.entries()) {
      const value = values.get(tag.rawTag) ?? 'the PLC gave no value'
      if (typeof value === 'string') this.#board.bad(index, value)
      else {
        this.#board.good(index)
        columns.add(index, at, applyScale(value, tag))
      }
    }
    return columns.columns()
  }

  close(): void {
    this.#connection?.close()
    this.#connection = null
  }

  async #read(): Promise<Map<string, number | string>> {
    try {
      const addresses = [...new Set(this.#tags.map(({ rawTag }) => rawTag))]
      this.#connection ??= await S7Connection.open(this.#source, addresses, this.#isIsolating, this.#deps)
      return await this.#connection.read()
    } catch (error) {
      this.close()
      throw error
    }
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
          board.set('reconnecting', errorMessage(error))
          await deps.clock.sleep(backoff.next(), signal)
        }
      }
    },
    () => reader.close(),
  )
}
