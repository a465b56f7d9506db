import { READING_LIMITS, type ReadingColumns } from '@haltless/protocol'
import type { DataValue, HistoryData, HistoryReadRequest } from 'node-opcua'
import type { CollectorDeps, OpcUaSource } from '../collector.ts'
import { ColumnsBuilder } from '../columns-builder.ts'
import type { Tag } from '../tag.ts'
import type { ServerConnection } from './connection.ts'
import { isServiceFault } from './connection-errors.ts'
import type { Node } from './nodes.ts'
import type { ServerClock } from './server-clock.ts'
import { readingOf, type ValueConverter } from './values.ts'

/** One request asks for at most this many nodes, where the server names no lower limit, and values of each. */
const MAX_NODES = 20
const MAX_VALUES = 500
/** A gap whose history cannot be read is given up after this many sessions. */
const MAX_ATTEMPTS = 3
/** A clock that is off by so much more or less than in the session before was set. */
const CLOCK_SET_MS = 30_000
/** Bit of the UserAccessLevel attribute. Source: OPC 10000-3, 8.57 */
const HISTORY_READ = 4

/** What a node may have shown while nobody listened. */
interface Gap {
  /** of the newest session: in another one the same node may have another id */
  node: Node
  /** Unix ms of the newest reading before it, exclusive; moves on as history is handed on */
  from: number
  /** Unix ms of the first reading after it, exclusive */
  readonly to: number
  /** the newest reading's value, for the deadband */
  last: number
  attempts: number
}

/**
 * Reads what a server has recorded while the connection was lost, for nodes whose history this user may read. A history value lies
 * strictly between the last reading before the loss and the first one after it, so none is stored twice.
 */
export class HistoryFiller {
  readonly #source: OpcUaSource
  readonly #tags: readonly Tag[]
  readonly #values: ValueConverter
  readonly #deps: CollectorDeps
  #gaps: Gap[] = []
  #filling: Promise<void> = Promise.resolve()
  readonly #serverClock: ServerClock
  /** how far the clock of the server was off in the last session whose values were read */
  #offBefore: Pick<ServerClock, 'aheadMs' | 'correctionMs'> = { aheadMs: null, correctionMs: null }
  #isReading = false

  constructor(source: OpcUaSource, tags: readonly Tag[], values: ValueConverter, serverClock: ServerClock, deps: CollectorDeps) {
    this.#serverClock = serverClock
    this.#source = source
    this.#tags = tags
    this.#values = values
    this.#deps = deps
  }

  /** A session has ended. */
  end(): void {
    // One that ended before its first values may have found a clock that was set already.
    if (!this.#isReading) return
    this.#isReading = false
    const { aheadMs, correctionMs } = this.#serverClock
    this.#offBefore = { aheadMs, correctionMs }
  }

  /**
   * A session begins, and the clock of the server was read. @returns a function to call after its first readings: it fills the gaps before them, beside the live readings,
   * and never rejects
   */
  begin(connection: ServerConnection, nodes: readonly Node[]): (handOn: HandOn, ended: AbortSignal) => Promise<void> {
    if (this.#source.config.history_hours === 0) return async () => {}
    const before = nodes.map(({ index }) => this.#values.newest(index))
    const leastMs = this.#source.config.mode === 'poll' ? 1.5 * this.#intervalMs : 1
    const beganAt = this.#deps.clock.now()
    const isClockSet = this.#isClockSet()
    this.#isReading = true
    return async (handOn, ended) => {
      for (const [n, node] of nodes.entries()) {
        const from = before[n]?.at as number
        const to = this.#values.firstAt(node.index) ?? beganAt
        // NaN before the first reading of the node
        // A poll misses nothing in one interval, a subscription may.
        if (to - from > leastMs && !isClockSet) this.#gaps.push({ node, from, to, last: before[n]?.value as number, attempts: 0 })
      }
      try {
        // The fill of the session before ends soon, for its connection is lost.
        await this.#filling.catch(() => {})
        this.#gaps = this.#gaps.filter((gap) => isFound(gap, nodes))
        this.#filling = this.#fill(connection, handOn, ended)
        await this.#filling
      } catch (error) {
        if (isServiceFault(error)) this.#gaps = []
        this.#gaps = this.#gaps.filter((gap) => ++gap.attempts < MAX_ATTEMPTS)
        this.#deps.logger.warn({ err: error, gaps: this.#gaps.length }, 'the history of the server cannot be read')
      }
    }
  }

  /** A clock that was set during the gap dated some of its history right, and nobody knows which. */
  #isClockSet(): boolean {
    const [before, now] = [this.#offBefore, this.#serverClock]
    if (before.aheadMs === null || now.aheadMs === null) return false
    const isUncorrected = before.correctionMs === 0 && now.correctionMs === 0
    const byMs = now.aheadMs - before.aheadMs
    if (isUncorrected || Math.abs(byMs) <= CLOCK_SET_MS) return false
    this.#gaps = []
    this.#deps.logger.warn({ by_ms: Math.round(byMs) }, 'the clock of the server was set meanwhile, so its history is not read')
    return true
  }

  /** From the time of readings to that of the device, ms. A clock that is wrong dates history too, so its timestamps are corrected. */
  get #offsetMs(): number {
    return (this.#deps.clock.offsetMs ?? 0) + (this.#serverClock.correctionMs ?? 0)
  }

  get #intervalMs(): number {
    return this.#source.pollIntervalSeconds * 1_000
  }

  async #fill(connection: ServerConnection, handOn: HandOn, ended: AbortSignal): Promise<void> {
    // Before the offset is known, source timestamps tell nothing; a later session fills the gap.
    if (this.#gaps.length === 0 || this.#deps.clock.offsetMs === null || this.#serverClock.correctionMs === null) return
    const readable = await this.#readable(connection)
    this.#gaps = this.#gaps.filter(({ node }) => readable.has(node.index))
    if (this.#gaps.length === 0) return
    const limit = await connection.operationLimit('MaxNodesPerHistoryReadData')
    const size = Math.min(MAX_NODES, limit)
    const total = this.#gaps.length
    let count = 0
    while (this.#gaps.length > 0 && !ended.aborted) {
      const some = this.#gaps.slice(0, size)
      count += await this.#fillSome(connection, some, handOn, ended)
      if (!ended.aborted) this.#gaps = this.#gaps.filter((gap) => !some.includes(gap))
    }
    if (count > 0) this.#deps.logger.info({ count, nodes: total }, 'read the history of the time without a connection')
  }

  /** The nodes with a gap whose history this user may read. */
  async #readable(connection: ServerConnection): Promise<Set<number>> {
    const { ReadValueId, AttributeIds } = connection.opcua
    const indexes = [...new Map(this.#gaps.map(({ node }) => [node.index, node])).values()]
    const readable = new Set<number>()
    for (let i = 0; i < indexes.length; i += connection.nodesPerRead) {
      const some = indexes.slice(i, i + connection.nodesPerRead)
      const reads = some.map(({ read }) => new ReadValueId({ nodeId: read.nodeId, attributeId: AttributeIds.UserAccessLevel }))
      const answers = await connection.read(reads, REQUEST_TIMEOUT_MS)
      for (const [n, { index }] of some.entries()) if (Number(answers[n]?.value?.value) & HISTORY_READ) readable.add(index)
    }
    return readable
  }

  /** @returns how many readings were handed on */
  async #fillSome(connection: ServerConnection, gaps: readonly Gap[], handOn: HandOn, ended: AbortSignal): Promise<number> {
    const { opcua, session } = connection
    const newest = Math.max(...gaps.map(({ to }) => to))
    const oldest = Math.max(
      Math.min(...gaps.map(({ from }) => from)),
      newest - this.#source.config.history_hours * 3_600_000,
      this.#deps.clock.now() - READING_LIMITS.pastMs,
    )
    const historyReadDetails = new opcua.ReadRawModifiedDetails({
      isReadModified: false,
      startTime: new Date(oldest + this.#offsetMs),
      endTime: new Date(newest + this.#offsetMs),
      numValuesPerNode: MAX_VALUES,
      returnBounds: false,
    })
    let count = 0
    let open = gaps.map((gap) => ({ gap, continuationPoint: undefined as Buffer | undefined }))
    while (open.length > 0 && !ended.aborted) {
      const request: HistoryReadRequest = new opcua.HistoryReadRequest({
        historyReadDetails,
        timestampsToReturn: this.#values.isServerTime ? opcua.TimestampsToReturn.Server : opcua.TimestampsToReturn.Source,
        releaseContinuationPoints: false,
        nodesToRead: open.map(({ gap, continuationPoint }) => ({
          nodeId: gap.node.read.nodeId,
          indexRange: gap.node.read.indexRange,
          continuationPoint,
        })),
      })
      const { results } = await connection.paced(() => session.historyRead(request))
      const readings = new ColumnsBuilder(this.#tags)
      const more: typeof open = []
      for (const [n, { gap }] of open.entries()) {
        const result = results?.[n]
        if (!result || result.statusCode.value >>> 30 !== 0) continue
        this.#take(gap, (result.historyData as HistoryData | null)?.dataValues ?? [], oldest, readings)
        if (result.continuationPoint?.length) more.push({ gap, continuationPoint: result.continuationPoint })
      }
      open = more
      count += readings.count
      await handOn(readings.columns())
    }
    return count
  }

  /** Good values within the gap; of more than two in an interval only some, as a poll would have seen them. */
  #take(gap: Gap, dataValues: readonly DataValue[], oldest: number, out: ColumnsBuilder): void {
    const { index } = gap.node
    const { mode, nodes } = this.#source.config
    const deadband = nodes[index]?.deadband ?? 0
    const leastMs = mode === 'poll' ? this.#intervalMs / 2 : 0
    // The first live reading may come only now.
    const to = Math.min(gap.to, this.#values.firstAt(index) ?? Number.POSITIVE_INFINITY)
    for (const dataValue of dataValues) {
      const { statusCode, value } = dataValue
      const at = (this.#values.timestampOf(dataValue) ?? Number.NaN) - this.#offsetMs
      if (statusCode.value >>> 30 !== 0 || !(at > gap.from && at >= oldest && at < to) || at - gap.from < leastMs) continue
      const number = readingOf(value, this.#tags[index] as Tag, nodes[index]?.index_range !== undefined)
      if (typeof number !== 'number' || (deadband > 0 && Math.abs(number - gap.last) <= deadband)) continue
      gap.from = at
      gap.last = number
      this.#values.sawSource(index, at + (this.#serverClock.correctionMs ?? 0))
      out.add(index, at, number)
    }
  }
}

/** Whether this session has the node of a gap, by whose id the history is read. */
function isFound(gap: Gap, nodes: readonly Node[]): boolean {
  const node = nodes.find(({ index }) => index === gap.node.index)
  if (node) gap.node = node
  return node !== undefined
}

type HandOn = (readings: ReadingColumns) => Promise<void>

const REQUEST_TIMEOUT_MS = 10_000
