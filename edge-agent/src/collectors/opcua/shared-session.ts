import { fault } from '@haltless/protocol'
import { Backoff } from '../../support/backoff.ts'
import { FaultError } from '../../support/fault-error.ts'
import type { OpcUaSource, ProbeDeps } from '../collector.ts'
import { acquirePacer, type RequestPacer } from '../request-pacer.ts'
import { ServerConnection } from './connection.ts'
import { connectionFault, LoginRejected } from './connection-errors.ts'

/** A password that was refused is tried again once in five minutes. */
const LOGIN_RETRY_MS = 300_000

/**
 * The one session of all collectors that name the same server, security and user: many servers allow few sessions. It connects on
 * demand, and again after a loss within its backoff.
 */
export class SharedSession {
  readonly #source: OpcUaSource
  readonly #deps: ProbeDeps
  readonly #backoff: Backoff
  readonly #pacer: RequestPacer
  readonly #closing = new AbortController()
  /** open, or being opened */
  #connection: Promise<ServerConnection> | null = null
  /** resolves when the connection before has ended: the server may allow only one */
  #ended: Promise<void> = Promise.resolve()
  #fault = new FaultError(fault('opcua_not_connected'))
  #retryAt = Number.NEGATIVE_INFINITY

  /** @param source whose address, security and user count */
  constructor(source: OpcUaSource, deps: ProbeDeps, pacer: RequestPacer) {
    this.#pacer = pacer
    this.#source = source
    this.#deps = deps
    this.#backoff = new Backoff({ firstMs: 500, maxMs: 30_000, random: deps.random })
  }

  /** @throws OperatorActionRequired, or FaultError; at once while the next attempt is not due */
  connect(): Promise<ServerConnection> {
    if (!this.#connection && this.retryInMs > 0) return Promise.reject(this.#fault)
    this.#connection ??= this.#open()
    return this.#connection
  }

  /** Milliseconds until the next attempt is due, 0 or less: now. */
  get retryInMs(): number {
    return this.#retryAt - this.#deps.clock.monotonic()
  }

  /** The connection proved useful: the next loss begins a new backoff. */
  confirm(): void {
    this.#backoff.reset()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    const connection = await this.#connection?.catch(() => null)
    connection?.lose(fault('stopped'))
    await this.#ended
  }

  async #open(): Promise<ServerConnection> {
    try {
      await this.#ended
      const connection = await ServerConnection.open(this.#source, this.#deps, this.#closing.signal, this.#pacer)
      const lost = () => this.#lost(connection)
      if (connection.gone.aborted) lost()
      else connection.gone.addEventListener('abort', lost, { once: true })
      return connection
    } catch (error) {
      this.#connection = null
      this.#holdOff(connectionFault(error))
      throw this.#fault
    }
  }

  #lost(connection: ServerConnection): void {
    this.#connection = null
    this.#ended = connection.close()
    this.#holdOff(new FaultError(connection.reason))
  }

  #holdOff(found: FaultError): void {
    this.#fault = found
    const waitMs = Math.max(this.#backoff.next(), found instanceof LoginRejected ? LOGIN_RETRY_MS : 0)
    this.#retryAt = this.#deps.clock.monotonic() + waitMs
  }
}

interface Shared {
  session: SharedSession
  users: number
}

/** Keyed by `resolveHost`, because one function may allow an address that another one blocks. */
const shared = new WeakMap<object, Map<string, Shared>>()
const noGuard = {}

/**
 * Returns the session with the server of this source; collectors with the same server, security, user and `resolveHost` share it.
 * @returns with `release`; the last release closes the session
 */
export function acquireSession(source: OpcUaSource, deps: ProbeDeps): { session: SharedSession; release(): Promise<void> } {
  const guard = deps.resolveHost ?? noGuard
  const sessions = shared.get(guard) ?? new Map<string, Shared>()
  shared.set(guard, sessions)
  const key = keyOf(source, deps)
  const { pacer, release: releasePacer } = acquirePacer(source, deps)
  const entry = sessions.get(key) ?? { session: new SharedSession(source, deps, pacer), users: 0 }
  sessions.set(key, entry)
  entry.users++
  let released: Promise<void> | null = null
  const release = async () => {
    releasePacer()
    if (--entry.users > 0) return
    sessions.delete(key)
    await entry.session.close()
  }
  return {
    session: entry.session,
    release: () => {
      released ??= release()
      return released
    },
  }
}

function keyOf({ host, port, config }: OpcUaSource, { pkiDir }: ProbeDeps): string {
  const { endpoint_path, security_mode, security_policy, username, password, server_thumbprint } = config
  const security = [security_mode, security_policy, server_thumbprint, pkiDir]
  return JSON.stringify([host.toLowerCase(), port, endpoint_path, ...security, username, password])
}
