import type { Duplex } from 'node:stream'
import { AddressLimit } from '../support/http/address-limit.ts'

export interface ConnectionLimits {
  /** connections of one address */
  perAddress: number
  /** of these, the ones that have not logged in */
  anonymousPerAddress: number
  /** the same of all addresses */
  anonymous: number
  /** from the connection to the end of the login, a TLS handshake included */
  loginMs: number
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  perAddress: 1_000,
  anonymousPerAddress: 64,
  anonymous: 2_000,
  loginMs: 10_000,
}

/** What a connection counts as: anonymous until it has logged in, and one of its address until it ends. */
export interface Admission {
  isAnonymous: boolean
  loggedIn(): void
}

/** Bounds how many connections the broker holds, and for how long one may stay without a login. */
export class Connections {
  readonly #limits: ConnectionLimits
  readonly #total: AddressLimit
  readonly #anonymous: AddressLimit
  #anonymousOfAll = 0

  constructor(limits: ConnectionLimits, trustedProxies: readonly string[]) {
    this.#limits = limits
    this.#total = new AddressLimit(limits.perAddress, trustedProxies)
    this.#anonymous = new AddressLimit(limits.anonymousPerAddress, trustedProxies)
  }

  /** Lets a connection in, or destroys it and returns null. */
  admit(stream: Duplex, address: string): Admission | null {
    const total = this.#anonymousOfAll < this.#limits.anonymous ? this.#total.acquire(address) : null
    const anonymous = total && this.#anonymous.acquire(address)
    if (!anonymous) {
      total?.()
      stream.destroy()
      return null
    }
    this.#anonymousOfAll++
    const timer = setTimeout(() => stream.destroy(), this.#limits.loginMs)
    const admission: Admission = {
      isAnonymous: true,
      loggedIn: () => {
        if (!admission.isAnonymous) return
        admission.isAnonymous = false
        clearTimeout(timer)
        anonymous()
        this.#anonymousOfAll--
      },
    }
    stream.once('close', () => {
      admission.loggedIn()
      total()
    })
    return admission
  }
}
