import type { Duplex } from 'node:stream'
import { AddressConnections } from '../support/http/address-connections.ts'

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
  /** of the client */
  readonly address: string
  isAnonymous: boolean
  loggedIn(): void
}

/**
 * Limits the number of connections, and the time before login. Where a limit is reached, the oldest connection that has not logged
 * in makes room for the new one, so that silent connections lock no agent out.
 */
export class Connections {
  readonly #limits: ConnectionLimits
  readonly #all: AddressConnections
  readonly #anonymous: AddressConnections
  readonly #loggedIn = new WeakSet<Duplex>()

  constructor(limits: ConnectionLimits, trustedProxies: readonly string[]) {
    const { perAddress, anonymousPerAddress, anonymous } = limits
    this.#limits = limits
    this.#all = new AddressConnections({ perAddress, trustedProxies, mayEnd: (stream) => !this.#loggedIn.has(stream) })
    this.#anonymous = new AddressConnections({ perAddress: anonymousPerAddress, total: anonymous, trustedProxies })
  }

  /** Admits a connection, or destroys it and returns null: its address has as many agents as it may have. */
  admit(stream: Duplex, address: string): Admission | null {
    if (!this.#all.admit(stream, address)) return null
    const leaveAnonymous = this.#anonymous.admit(stream, address)
    if (!leaveAnonymous) return null
    const timer = setTimeout(() => stream.destroy(), this.#limits.loginMs)
    stream.once('close', () => clearTimeout(timer))
    const admission: Admission = {
      address,
      isAnonymous: true,
      loggedIn: () => {
        admission.isAnonymous = false
        this.#loggedIn.add(stream)
        clearTimeout(timer)
        leaveAnonymous()
      },
    }
    return admission
  }
}
