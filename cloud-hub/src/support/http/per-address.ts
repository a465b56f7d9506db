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
    const open = this.#open.get(address) ?? 0
    if (open >= this.#max && !inRanges(address, this.#trustedProxies)) return null
    this.#open.set(address, open + 1)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      const left = (this.#open.get(address) ?? 1) - 1
      if (left > 0) this.#open.set(address, left)
      else this.#open.delete(address)
    }
  }

  open(address: string): number {
    return this.#open.get(address) ?? 0
  }
}
