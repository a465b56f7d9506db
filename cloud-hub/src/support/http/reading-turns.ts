import type { Socket } from 'node:net'
import { clientOf, inRanges } from './client-ip.ts'

/** Requests of one address in one turn of the event loop: about 10 ms of parsing. */
const BURST = 256
/** A turn of the event loop that took longer is followed by as long a time without a held connection, in ms. */
const SHORT_MS = 5
const LONGEST_PAUSE_MS = 100

interface Address {
  /** requests in this turn of the event loop */
  requests: number
  open: Set<Socket>
  /** paused until their turn */
  held: Set<Socket>
}

/**
 * Gives turns between addresses that send very many requests at once, possibly over a thousand connections: Node would parse all of
 * them before anybody else is served. When an address has sent `BURST` requests in one turn of the event loop, its connections are
 * paused. Then one connection of one such address reads a piece at a time, in at most half of the time. A trusted proxy serves many
 * clients and is never paused.
 */
export class ReadingTurns {
  readonly #addresses = new Map<string, Address>()
  readonly #ofSocket = new WeakMap<Socket, Address>()
  readonly #counted = new Set<Address>()
  /** those with paused connections, the next one first */
  readonly #held = new Set<Address>()
  readonly #trustedProxies: readonly string[]
  readonly #mayRead: (socket: Socket) => boolean
  #isScheduled = false
  #isPausing = false

  /** @param mayRead whether nothing else keeps this connection paused */
  constructor(trustedProxies: readonly string[], mayRead: (socket: Socket) => boolean) {
    this.#trustedProxies = trustedProxies
    this.#mayRead = mayRead
  }

  add(socket: Socket): void {
    const { remoteAddress = '' } = socket
    if (inRanges(remoteAddress, this.#trustedProxies)) return
    const client = clientOf(remoteAddress)
    const address = this.#addresses.get(client) ?? { requests: 0, open: new Set(), held: new Set() }
    this.#addresses.set(client, address)
    this.#ofSocket.set(socket, address)
    address.open.add(socket)
    if (address.held.size > 0) this.#hold(socket, address)
    socket.once('close', () => {
      this.remove(socket)
      if (address.open.size === 0) this.#addresses.delete(client)
    })
  }

  /** For a connection that carries no requests any more. */
  remove(socket: Socket): void {
    const address = this.#ofSocket.get(socket)
    this.#ofSocket.delete(socket)
    address?.open.delete(socket)
    if (address?.held.delete(socket) && !socket.destroyed) socket.resume()
  }

  /** Counts a request that Node has just parsed. */
  count(socket: Socket): void {
    const address = this.#ofSocket.get(socket)
    if (!address) return
    address.requests++
    this.#counted.add(address)
    this.#schedule()
    if (address.requests !== BURST) return
    for (const each of address.open) this.#hold(each, address)
    // Node resumes the connection at the end of each message that it parses, so this pause comes after the piece.
    process.nextTick(() => {
      if (address.held.has(socket)) socket.pause()
    })
  }

  /** Resumes a connection, now or when its turn comes. */
  resume(socket: Socket): void {
    if (!socket.destroyed && !this.#ofSocket.get(socket)?.held.has(socket)) socket.resume()
  }

  #hold(socket: Socket, address: Address): void {
    address.held.add(socket)
    this.#held.add(address)
    socket.pause()
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    const began = performance.now()
    setImmediate(() => {
      this.#isScheduled = false
      for (const address of this.#counted) address.requests = 0
      this.#counted.clear()
      if (this.#held.size === 0 || this.#isPausing) return
      const spent = performance.now() - began
      if (spent > SHORT_MS) this.#pause(Math.min(spent, LONGEST_PAUSE_MS))
      else this.#resumeNext()
    })
  }

  #pause(ms: number): void {
    this.#isPausing = true
    setTimeout(() => {
      this.#isPausing = false
      this.#resumeNext()
    }, ms)
  }

  #resumeNext(): void {
    for (const address of this.#held) {
      this.#held.delete(address)
      for (const socket of address.held) {
        address.held.delete(socket)
        if (socket.destroyed || !this.#mayRead(socket)) continue
        if (address.held.size > 0) this.#held.add(address)
        socket.resume()
        // looks again when the piece has been read
        this.#schedule()
        return
      }
    }
  }
}
