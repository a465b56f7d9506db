import { fault } from '@haltless/protocol'
import type { DataValue, ReadValueId } from 'node-opcua'
import type { Clock } from '../../support/clock.ts'
import type { ColumnsBuilder } from '../columns-builder.ts'
import type { ServerConnection } from './connection.ts'
import type { Node } from './nodes.ts'
import type { ValueConverter } from './values.ts'

/** Status codes of servers that cannot answer so large a read, whatever their limits said. */
const TOO_MANY = /BadTooManyOperations|BadEncodingLimitsExceeded|BadRe(quest|sponse)TooLarge|BadTcpMessageTooLarge/

interface Portion {
  nodes: readonly Node[]
  reads: ReadValueId[]
}

/** Reads nodes in portions that the server can take, and learns when they are too large. */
export class NodeReader {
  readonly #connection: ServerConnection
  readonly #values: ValueConverter
  readonly #clock: Clock
  readonly #timeoutMs: number
  #portions: Portion[]

  /**
   * @param timeoutMs how long the server may take for one request
   * @param portionSize nodes of one request
   */
  constructor(
    connection: ServerConnection,
    nodes: readonly Node[],
    values: ValueConverter,
    clock: Clock,
    timeoutMs: number,
    portionSize = connection.nodesPerRead,
  ) {
    this.#timeoutMs = timeoutMs
    this.#connection = connection
    this.#values = values
    this.#clock = clock
    this.#portions = divide(nodes, portionSize)
  }

  /**
   * All nodes once; readings of good values go to `out`.
   * @param at the poll instant, Unix ms
   * @throws Error when the connection or the service fails
   */
  async readAll(at: number, out: ColumnsBuilder): Promise<void> {
    for (let i = 0; i < this.#portions.length; ) {
      const { nodes, reads } = this.#portions[i] as Portion
      try {
        this.#take(nodes, await this.#connection.read(reads, this.#timeoutMs, this.#values.isServerTime), at, out)
        i++
      } catch (error) {
        if (!(error instanceof Error && TOO_MANY.test(error.message)) || nodes.length === 1) throw error
        const rest = this.#portions.slice(i).flatMap((portion) => portion.nodes)
        this.#portions = [...this.#portions.slice(0, i), ...divide(rest, Math.ceil(nodes.length / 2))]
      }
    }
  }

  #take(nodes: readonly Node[], answers: DataValue[], at: number, out: ColumnsBuilder): void {
    const now = this.#clock.now()
    for (let n = 0; n < nodes.length; n++) {
      const answer = answers[n]
      const { index } = nodes[n] as Node
      if (answer) this.#values.take(index, answer, at, now, out)
      else this.#values.refuse(index, fault('opcua_node_left_out'))
    }
  }
}

function divide(nodes: readonly Node[], size: number): Portion[] {
  const portions: Portion[] = []
  for (let i = 0; i < nodes.length; i += size) {
    const some = nodes.slice(i, i + size)
    portions.push({ nodes: some, reads: some.map((node) => node.read) })
  }
  return portions
}
