import type { Duplex } from 'node:stream'
import { clientOf, inRanges } from './client-ip.ts'

export interface AddressConnectionsOptions {
  /** connections of one address; a trusted proxy serves many clients, so its own address has no limit */
  perAddress: number
  /** connections of all addresses; absent: no limit */
  total?: number
  trustedProxies: readonly string[]
  /** whether a connection may be ended for a newer one; absent: every one */
  mayEnd?(connection: Duplex): boolean
}

/**
 * The open connections of each address. Where a limit is reached, a newcomer takes the place of the oldest connection that may end:
 * of its own address, or, when all addresses together have too many, of the address that has most. So nobody locks others out by
 * holding connections.
 */
export class AddressConnections {
  readonly #options: AddressConnectionsOptions
  /** by address, the oldest first */
  readonly #open = new Map<string, Set<Duplex>>()
  #total = 0

  constructor(options: AddressConnectionsOptions) {
    this.#options = options
  }

  /** Adds a connection, and ends another one where there is no room. @returns what removes it; null: there is no room, and it was destroyed */
  admit(connection: Duplex, address: string): (() => void) | null {
    const client = clientOf(address)
    if (!this.#hasRoom(client, address)) {
      connection.destroy()
      return null
    }
    const its = this.#open.get(client) ?? new Set()
    this.#open.set(client, its.add(connection))
    this.#total++
    const remove = () => this.#remove(client, connection)
    connection.once('close', remove)
    return remove
  }

  #hasRoom(client: string, address: string): boolean {
    const { perAddress, total = Number.POSITIVE_INFINITY, trustedProxies } = this.#options
    const open = this.#open.get(client)?.size ?? 0
    if (open >= perAddress && !inRanges(address, trustedProxies)) return this.#endOldest(client)
    return this.#total < total || this.#endOldest(this.#largest())
  }

  #largest(): string {
    let [largest, most] = ['', 0]
    for (const [client, { size }] of this.#open) if (size > most) [largest, most] = [client, size]
    return largest
  }

  #endOldest(client: string): boolean {
    const { mayEnd = () => true } = this.#options
    for (const connection of this.#open.get(client) ?? []) {
      if (!mayEnd(connection)) continue
      this.#remove(client, connection)
      connection.destroy()
      return true
    }
    return false
  }

  #remove(client: string, connection: Duplex): void {
    const its = this.#open.get(client)
    if (!its?.delete(connection)) return
    this.#total--
    if (its.size === 0) this.#open.delete(client)
  }
}
