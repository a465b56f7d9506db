import { clientOf, inRanges } from './client-ip.ts'

/**
 * Limits how many connections or requests one address has open. A trusted proxy serves many clients, so its own address has no
 * limit.
 */
export class AddressLimit {
  readonly #open = new Map<string, number>()
  readonly #max: number
  readonly #trustedProxies: readonly string[]

  constructor(max: number, trustedProxies: readonly string[] = []) {
    this.#max = max
    this.#trustedProxies = trustedProxies
  }

  /** @returns a function that releases the slot and may be called twice; null when the address has reached its limit */
  acquire(address: string): (() => void) | null {
    const client = clientOf(address)
    const open = this.#open.get(client) ?? 0
    if (open >= this.#max && !inRanges(address, this.#trustedProxies)) return null
    this.#open.set(client, open + 1)
    let isOpen = true
    return () => {
      if (!isOpen) return
      isOpen = false
      const left = (this.#open.get(client) ?? 1) - 1
      if (left > 0) this.#open.set(client, left)
      else this.#open.delete(client)
    }
  }

  open(address: string): number {
    return this.#open.get(clientOf(address)) ?? 0
  }
}
