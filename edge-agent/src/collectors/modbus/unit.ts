import type { Fault, ModbusConfig, ModbusRegister, ReadingColumns } from '@haltless/protocol'
import { Backoff } from '../../support/backoff.ts'
import { errorFault } from '../../support/error-message.ts'
import type { FaultError } from '../../support/fault-error.ts'
import type { ProbeDeps } from '../collector.ts'
import { ColumnsBuilder } from '../columns-builder.ts'
import type { StatusBoard } from '../status-board.ts'
import { readingValue, type Tag } from '../tag.ts'
import { notFiniteFault } from './decode.ts'
import { ConnectionLost, InvalidResponse, ModbusException, ResponseTimeout } from './errors.ts'
import type { Gateway } from './gateway.ts'
import { type Block, bisect, firstOf, planReads } from './plan.ts'
import { addressee } from './request.ts'
import { RequestSizes } from './request-sizes.ts'
import { isText, textAt } from './text.ts'

/** A block that cannot be read is tried again after 1 s, then less and less often. */
const REST = { firstMs: 1_000, maxMs: 60_000 }

/** The unit gave no answer, or less than was asked for. */
const isSilence = (error: unknown): boolean =>
  error instanceof ResponseTimeout || error instanceof InvalidResponse || (error instanceof ConnectionLost && error.wasInFlight)

/** Halving 125 registers takes seven requests: a unit that is silent more often in a row is gone, and not asked for too much. */
const SILENCES_MAX = 8

/** A block with its own backoff, so that an unreadable block does not cost a request in every poll. */
interface PacedBlock extends Block {
  restUntil: number
  readonly rest: Backoff
  hasAnswered: boolean
}

/** What a poll came to. `failure` is set when the unit cannot be reached, and then some blocks were not tried. */
export interface PollOutcome {
  readings: ReadingColumns
  failure: FaultError | null
}

/** Reads the registers of one unit, and learns which of them it refuses. */
export class Unit {
  readonly #config: ModbusConfig
  readonly #tags: readonly Tag[]
  readonly #gateway: Gateway
  readonly #deps: Pick<ProbeDeps, 'clock' | 'random'>
  readonly #board: StatusBoard
  readonly #signal: AbortSignal
  readonly #notFiniteFault: readonly Fault[]
  readonly #sizes: RequestSizes
  #blocks: PacedBlock[]
  /** the last poll could not reach the unit: one request is enough to see whether it is back */
  #silent = false
  /** it answered since it was last out of reach */
  #alive = false
  /** this poll has shortened a block */
  #shortened = false
  #turn = 0
  /** requests without an answer in a row, in this poll */
  #silences = 0

  constructor(
    config: ModbusConfig,
    tags: readonly Tag[],
    gateway: Gateway,
    board: StatusBoard,
    deps: Pick<ProbeDeps, 'clock' | 'random'>,
    signal: AbortSignal,
  ) {
    this.#config = config
    this.#tags = tags
    this.#gateway = gateway
    this.#board = board
    this.#deps = deps
    this.#signal = signal
    this.#notFiniteFault = config.registers.map(notFiniteFault)
    this.#sizes = new RequestSizes(config)
    this.#blocks = this.#plan()
  }

  #plan(): PacedBlock[] {
    const { blocks, faults } = planReads(this.#config.registers, this.#sizes.limits, this.#config.max_registers)
    for (const { index, fault } of faults) this.#board.bad(index, fault)
    return blocks.map((block) => this.#paced(block))
  }

  /** Reads every block that is not resting. Never rejects. All readings carry the instant at which the poll began. */
  async poll(): Promise<PollOutcome> {
    const at = this.#deps.clock.now()
    const readings = new ColumnsBuilder(this.#tags)
    let answered = false
    let silences = 0
    this.#shortened = false
    this.#silences = 0
    for (const block of this.#inTurn()) {
      if (this.#signal.aborted) break
      if (block.restUntil > this.#deps.clock.monotonic()) continue
      try {
        if (this.#silent && !answered) answered = await this.#greet(block)
        await this.#readBlock(block, at, readings)
        answered = true
      } catch (error) {
        const isAboutTheUnit = error instanceof ModbusException && error.isAboutTheUnit
        if (error instanceof ConnectionLost || isAboutTheUnit || this.#silences > SILENCES_MAX) {
          return this.#unreachable(readings, error as FaultError)
        }
        // One silent block may be a firmware that ignores what it does not know; two, and nothing else, is a silent unit
        if (!answered && (++silences === 2 || this.#silent || this.#blocks.length === 1)) {
          return this.#unreachable(readings, error as FaultError)
        }
        this.#refuse(block, errorFault(error))
      }
    }
    this.#silent = false
    return { readings: readings.columns(), failure: null }
  }

  /** Rotates the first block while the unit does not answer, because the device may ignore only that block. */
  #inTurn(): PacedBlock[] {
    const first = this.#silent ? ++this.#turn % this.#blocks.length : 0
    return [...this.#blocks.slice(first), ...this.#blocks.slice(0, first)]
  }

  #unreachable(readings: ColumnsBuilder, failure: FaultError): PollOutcome {
    this.#silent = true
    this.#alive = false
    // A reconnected device may run another program, so its refused blocks are planned again.
    if (failure instanceof ConnectionLost && !this.#shortened) this.#blocks = this.#plan()
    // Clears the backoff of all blocks, so that the next poll notices when the unit answers again.
    else for (const block of this.#blocks) block.restUntil = 0
    return { readings: readings.columns(), failure }
  }

  /** Reads one item, before all of a block: what fails after that is no matter of the unit. @returns whether it answered */
  async #greet(block: PacedBlock): Promise<boolean> {
    if (block.items.length === 1) return false
    try {
      await this.#request(firstOf(block))
    } catch (error) {
      if (!(error instanceof ModbusException) || error.isAboutTheUnit) throw error
    }
    this.#alive = true
    return true
  }

  /** Throws errors about the unit or the connection; handles errors about the block. */
  async #readBlock(block: PacedBlock, at: number, readings: ColumnsBuilder): Promise<void> {
    const parts = this.#sizes.split(block)
    if (parts.length > 1) return this.#readInstead(block, parts, at, readings)
    try {
      this.#take(block, await this.#request(block, !this.#mayBeTooLong(block)), at, readings)
      block.rest.reset()
      this.#silences = 0
      block.hasAnswered = this.#alive = true
      this.#sizes.answered(block)
    } catch (error) {
      if (isSilence(error)) this.#silences++
      if (this.#silences <= SILENCES_MAX && this.#mayBeTooLong(block) && isSilence(error)) {
        this.#shortened = true
        return this.#readInstead(block, this.#sizes.shorten(block), at, readings)
      }
      if (!(error instanceof ModbusException) || error.isAboutTheUnit) throw error
      this.#alive = true
      if (!error.isAboutTheBlock || block.items.length === 1) return this.#refuse(block, error.fault)
      const parts = await this.#readParts(block, at, readings)
      // A device that refuses everything says nothing about these registers.
      if (parts.every((part) => part.restUntil > 0)) return this.#refuse(block, error.fault)
      this.#blocks.splice(this.#blocks.indexOf(block), 1, ...parts)
    }
  }

  /** A device may close, cut short or ignore what is beyond its own limit. */
  #mayBeTooLong(block: PacedBlock): boolean {
    return this.#alive && !block.hasAnswered && block.items.length > 1
  }

  /** Reads the parts of a block from now on; after two failures in a row the others wait for the next poll. */
  async #readInstead(block: PacedBlock, parts: readonly Block[], at: number, readings: ColumnsBuilder): Promise<void> {
    const paced = parts.map((part) => this.#paced(part))
    this.#blocks.splice(this.#blocks.indexOf(block), 1, ...paced)
    let failures = 0
    for (const part of paced) {
      try {
        await this.#readBlock(part, at, readings)
        failures = 0
      } catch (error) {
        if (error instanceof ConnectionLost || error instanceof ModbusException || this.#silences > SILENCES_MAX) throw error
        this.#refuse(part, errorFault(error))
        if (++failures === 2) return
      }
    }
  }

  /** Reads both halves of a refused block, and what is refused of them in halves again. @returns the blocks to read from now on */
  async #readParts(block: Block, at: number, readings: ColumnsBuilder): Promise<PacedBlock[]> {
    const parts: PacedBlock[] = []
    for (const half of bisect(block).map((each) => this.#paced(each))) {
      try {
        this.#take(half, await this.#request(half), at, readings)
        parts.push(half)
      } catch (error) {
        if (!(error instanceof ModbusException) || error.isAboutTheUnit) throw error
        if (error.isAboutTheBlock && half.items.length > 1) parts.push(...(await this.#readParts(half, at, readings)))
        else {
          this.#refuse(half, error.fault)
          parts.push(half)
        }
      }
    }
    return parts
  }

  /** A connection that was closed for idleness shows only when it is used: one more try on a fresh one. */
  async #request({ functionCode, address, quantity }: Block, mayRetry = true): Promise<Buffer> {
    const request = { ...addressee(this.#config), functionCode, address, quantity }
    try {
      return await this.#gateway.read(request)
    } catch (error) {
      if (!(error instanceof ConnectionLost && error.hadAnswered) || this.#signal.aborted || !mayRetry) throw error
      return await this.#gateway.read(request)
    }
  }

  #take(block: Block, data: Buffer, at: number, readings: ColumnsBuilder): void {
    const bits = block.functionCode <= 2
    for (const { index, address, decode } of block.items) {
      const start = bits ? address - block.address : (address - block.address) * 2
      const register = this.#config.registers[index] as ModbusRegister
      const raw = isText(register) ? textAt(data, start, register) : decode(data, start)
      const value = readingValue(raw, this.#tags[index] as Tag)
      if (typeof value === 'number') {
        this.#board.good(index)
        readings.add(index, at, value)
      } else this.#board.bad(index, Number.isNaN(raw) ? (this.#notFiniteFault[index] as Fault) : value.fault)
    }
  }

  #refuse(block: PacedBlock, reason: Fault): void {
    for (const { index } of block.items) this.#board.bad(index, reason)
    block.restUntil = this.#deps.clock.monotonic() + block.rest.next()
  }

  #paced(block: Block): PacedBlock {
    return { ...block, restUntil: 0, hasAnswered: false, rest: new Backoff({ ...REST, random: this.#deps.random }) }
  }
}
