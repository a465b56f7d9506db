import ipaddr from 'ipaddr.js'
import { inRanges } from './client-ip.ts'

/** Counts what each address has open. A trusted proxy stands for many clients, so its own address is not limited. */
export class PerAddress {
  readonly #open = new Map<string, number>()
  readonly #max: number
  readonly #trustedProxies: readonly string[]

  constructor(max: number, trustedProxies: readonly string[] = []) {
    this.#max = max
    this.#trustedProxies = trustedProxies
  }

  /** @returns a function that gives the slot back and may be called twice; null when the address has as many open as it may */
  acquire(address: string): (() => void) | null {
    const client = clientOf(address)
    const open = this.#open.get(client) ?? 0
    if (open >= this.#max && !inRanges(address, this.#trustedProxies)) return null
    this.#open.set(client, open + 1)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      const left = (this.#open.get(client) ?? 1) - 1
      if (left > 0) this.#open.set(client, left)
      else this.#open.delete(client)
    }
  }

  open(address: string): number {
    return this.#open.get(clientOf(address)) ?? 0
  }
}

/** Whom an address stands for: of IPv6 a network of 64 bits, which one client has whole (RFC 6177). IPv4-mapped IPv6 counts as IPv4. */
function clientOf(address: string): string {
  if (!address.includes(':') || !ipaddr.isValid(address)) return address
  const ip = ipaddr.process(address)
  return ip.kind() === 'ipv4' ? ip.toString() : `${(ip as ipaddr.IPv6).parts.slice(0, 4).join(':')}/64`
}
