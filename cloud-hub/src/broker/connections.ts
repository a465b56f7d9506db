import type { Duplex } from 'node:stream'
import { AddressLimit } from '../support/http/address-limit.ts'

export interface ConnectionLimits {
  /** connections of one address */
  perAddress: number
  /** connections of one address before login */
  anonymousPerAddress: number
  /** connections of all addresses before login */
  anonymous: number
  /** from the connection to the end of the login, including the TLS handshake */
  loginMs: number
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  perAddress: 1_000,
  anonymousPerAddress: 64,
  anonymous: 2_000,
  loginMs: 10_000,
}

/** A counted connection: anonymous until login, and counted for its address until it ends. */
export interface Admission {
  isAnonymous: boolean
  loggedIn(): void
}

/** Limits the number of connections, and the time before login. */
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

  /** Admits a connection, or destroys it and returns null. */
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
