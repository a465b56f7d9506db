import { shortError } from '../../support/short-error.ts'
import type { CollectorClock, Logger } from '../collector.ts'
import { HeldValues } from '../held-values.ts'
import type { MessageHandler } from '../mqtt/broker-collector.ts'
import type { PendingReadings } from '../pending-readings.ts'
import { aheadLimitMs, type SourceClocks } from '../source-clock.ts'
import type { StatusBoard } from '../status-board.ts'
import { type Tag, tagOf } from '../tag.ts'
import type { SparkplugConfig } from './contract.ts'
import { type MetricTag, SparkplugNode } from './node.ts'
import { type Payload, readPayload, rebirthCommand } from './payload.ts'

const NAMESPACE = 'spBv1.0'
/** NCMD and DCMD are for the nodes. */
const TYPES = new Set(['NBIRTH', 'NDATA', 'NDEATH', 'DBIRTH', 'DDATA', 'DDEATH'])

export const metricTags = ({ machine, config }: { machine: string; config: SparkplugConfig }): Tag[] =>
  config.metrics.map((tag) => {
    const where = tag.device === undefined ? tag.node : `${tag.node}/${tag.device}`
    return tagOf(tag, `${where} ${tag.metric}`.slice(0, 500), machine)
  })

/** The edge nodes of a group, as far as metrics of them are wanted. Values hold until others are reported, and are handed on at every interval. */
export class SparkplugGroup implements MessageHandler {
  readonly filters: readonly string[]
  readonly qos = 0
  readonly isPersistent = false
  readonly #config: SparkplugConfig
  readonly #values: HeldValues
  readonly #clock: CollectorClock
  readonly #logger: Logger
  readonly #pending: PendingReadings
  readonly #nodes = new Map<string, SparkplugNode>()
  readonly #count: number
  #publish: (topic: string, payload: Uint8Array) => void = () => {}
  #since: number

  constructor(
    config: SparkplugConfig,
    tags: readonly Tag[],
    board: StatusBoard,
    { clock, logger }: { clock: CollectorClock; logger: Logger },
    clocks: SourceClocks,
    pending: PendingReadings,
  ) {
    this.#config = config
    this.#clock = clock
    this.#logger = logger
    this.#pending = pending
    this.#count = tags.length
    this.#since = clock.now()
    this.#values = new HeldValues(new Array(tags.length).fill(0), tags, board, clock, aheadLimitMs(config))
    const wanted = config.metrics.map(({ node, device = '', metric }, index) => ({ node, index, device, metric }))
    for (const [node, metrics] of Map.groupBy(wanted, ({ node }) => node))
      this.#nodes.set(node, this.#node(node, metrics, tags, board, clocks))
    this.filters = [...this.#nodes.keys()].map((node) => `${NAMESPACE}/${config.group}/+/${node}/#`)
  }

  /** Whether every node was born. */
  get isComplete(): boolean {
    return [...this.#nodes.values()].every(({ isBorn }) => isBorn)
  }

  reset(): void {
    this.#publish = () => {}
    this.#values.forget()
    for (const node of this.#nodes.values()) node.reset()
  }

  connected(publish: (topic: string, payload: Uint8Array) => void): void {
    this.#publish = publish
    for (const node of this.#nodes.values()) node.connected()
  }

  interval(): null {
    for (const node of this.#nodes.values()) node.interval()
    const at = this.#clock.now()
    for (let index = 0; index < this.#count; index++) this.#values.repeat(index, this.#since, at, this.#pending.out)
    this.#since = at
    return null
  }

  message(topic: string, bytes: Buffer, isRetained: boolean): void {
    // the node that it tells of may be dead. Source: Eclipse Sparkplug 3.0.0: births and deaths of nodes are never retained
    if (isRetained) return
    const [, , type = '', name = '', device = ''] = topic.split('/')
    const node = this.#nodes.get(name)
    if (!node || !TYPES.has(type)) return
    let payload: Payload
    try {
      payload = readPayload(bytes)
    } catch (error) {
      // the next message shows by its number that one is missing
      this.#logger.warn({ topic: topic.slice(0, 500), error: shortError(error) }, 'a message is no Sparkplug B payload')
      return
    }
    node.message(type, device, payload, this.#pending)
  }

  #node(
    name: string,
    metrics: readonly MetricTag[],
    tags: readonly Tag[],
    board: StatusBoard,
    clocks: SourceClocks,
  ): SparkplugNode {
    const { group, request_rebirths } = this.#config
    return new SparkplugNode(name, metrics, {
      tags,
      values: this.#values,
      board,
      clock: this.#clock,
      sourceClock: clocks.of(name),
      requestRebirth: () => {
        if (!request_rebirths) return
        this.#logger.info({ node: name }, 'the node is requested to publish its birth')
        this.#publish(`${NAMESPACE}/${group}/NCMD/${name}`, rebirthCommand(Date.now()))
      },
    })
  }
}
