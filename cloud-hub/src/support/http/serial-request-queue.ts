import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { AddressLimit } from './address-limit.ts'
import { ReadingTurns } from './reading-turns.ts'

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => unknown

interface Connection {
  isBusy: boolean
  waiting: { request: IncomingMessage; response: ServerResponse; release(): void }[]
}

export interface RequestQueueLimits {
  /** requests that may wait per connection */
  waiting: number
  /** requests that may wait per address, over all its connections */
  waitingPerAddress: number
  trustedProxies?: readonly string[]
}

/**
 * Handles the requests of a connection one after the other. Node's parser reads pipelined requests ahead and would run their
 * handlers concurrently. Each would keep a whole response in memory for a client that may read none. The next handler runs when
 * the kernel has accepted the previous response; until then the connection is paused. A client that sends more requests than may
 * wait loses its connection, and the connections of an address that sends very many take turns.
 */
export class SerialRequestQueue {
  readonly #connections = new WeakMap<Socket, Connection>()
  readonly #handle: RequestHandler
  readonly #limits: RequestQueueLimits
  readonly #waiting: AddressLimit
  readonly #turns: ReadingTurns

  constructor(handle: RequestHandler, limits: RequestQueueLimits) {
    this.#handle = handle
    this.#limits = limits
    this.#waiting = new AddressLimit(limits.waitingPerAddress, limits.trustedProxies)
    this.#turns = new ReadingTurns(limits.trustedProxies ?? [], (socket) => this.#reads(socket))
  }

  /** Must be called for each connection before its first request. */
  add(socket: Socket): void {
    const connection: Connection = { isBusy: false, waiting: [] }
    this.#connections.set(socket, connection)
    socket.once('close', () => {
      for (const { release } of connection.waiting.splice(0)) release()
    })
    this.#turns.add(socket)
  }

  /** For a connection that became a WebSocket. */
  remove(socket: Socket): void {
    this.#turns.remove(socket)
  }

  /** Whether a response on this connection is unfinished. */
  isBusy(socket: Socket): boolean {
    return this.#connections.get(socket)?.isBusy ?? false
  }

  readonly listener = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request
    const connection = this.#connections.get(socket)
    // Node goes on with what it has read of a connection that was destroyed.
    if (!connection || socket.destroyed) return
    this.#turns.count(socket)
    if (!connection.isBusy) {
      this.#answer(connection, request, response)
      return
    }
    const release = connection.waiting.length < this.#limits.waiting ? this.#waiting.acquire(socket.remoteAddress ?? '') : null
    if (!release) {
      socket.destroy()
      return
    }
    connection.waiting.push({ request, response, release })
    // Node resumes the socket at the end of each message that it parses, so the pause comes after the chunk.
    if (connection.waiting.length === 1)
      process.nextTick(() => {
        if (!this.#reads(socket)) socket.pause()
      })
  }

  /** Whether the connection may read on as far as its own requests are concerned. */
  #reads(socket: Socket): boolean {
    return this.#connections.get(socket)?.waiting.length === 0
  }

  #answer(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    connection.isBusy = true
    response.once('close', () => {
      connection.isBusy = false
      const next = connection.waiting.shift()
      next?.release()
      if (this.#reads(request.socket)) this.#turns.resume(request.socket)
      // Other connections run in between.
      if (next) {
        connection.isBusy = true
        setImmediate(() => {
          if (!next.request.socket.destroyed) this.#answer(connection, next.request, next.response)
        })
      }
    })
    this.#handle(request, response)
  }
}
