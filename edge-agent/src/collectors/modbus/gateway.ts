import { type Fault, fault, type ModbusConfig } from '@haltless/protocol'
import { Backoff } from '../../support/backoff.ts'
import { errorFault } from '../../support/error-message.ts'
import type { ModbusSource, ProbeDeps } from '../collector.ts'
import { dial } from '../dial.ts'
import { RequestPacer } from '../request-pacer.ts'
import { BusUse } from './bus-use.ts'
import { Connection } from './connection.ts'
import { ConnectionLost, ModbusException } from './errors.ts'
import type { ReadRequest } from './request.ts'
import { RtuConnection } from './rtu-connection.ts'

/** How many requests may be under way when the older ones are overdue: a gateway queues a few, not many. */
const MAX_IN_FLIGHT = 4
/** Of these, requests to units that take long; the others stay free for their neighbours. */
const MAX_LAGGARDS_IN_FLIGHT = 2
const MIN_CONNECT_TIMEOUT_MS = 1_000

/** Where a gateway is, and what it speaks. */
type GatewayAddress = Pick<ModbusSource, 'host' | 'port'> & { config: Pick<ModbusConfig, 'framing'> }
type GatewayDeps = Pick<ProbeDeps, 'clock' | 'random' | 'resolveHost'>

interface Queued {
  request: ReadRequest
  resolve(data: Buffer): void
  reject(error: Error): void
}

/**
 * One device address with one connection that all collectors of its units share, because many gateways accept only one. It
 * connects on the first request, and again after a loss within its backoff.
 *
 * It sends one request at a time, as serial lines behind gateways need. Only when an answer is overdue (four times the usual
 * time of the unit), or the unit is known to take long, it sends requests for other units, so that a dead unit does not block them
 * for its whole timeout. With RTU framing there is one request at a time always, and after a request without an answer it stays
 * quiet on the next connection for its timeout: a serial server passes a late answer on to a new connection too.
 */
export class Gateway {
  readonly #host: string
  readonly #port: number
  readonly #isRtu: boolean
  readonly #deps: GatewayDeps
  readonly #backoff: Backoff
  readonly #queue: Queued[] = []
  readonly #closing = new AbortController()
  readonly bus = new BusUse()
  readonly pacer = new RequestPacer()
  #connection: Connection | RtuConnection | null = null
  #connecting = false
  #downReason = fault('stopped')
  #connectNotBefore = Number.NEGATIVE_INFINITY
  /** a request of the connection before had no answer: it may still come, with RTU framing on the next connection */
  #owedMs = 0
  /** no request before this instant, on `performance.now()` */
  #quietUntil = Number.NEGATIVE_INFINITY
  #pumpTimer: NodeJS.Timeout | undefined

  constructor({ host, port, config }: GatewayAddress, deps: GatewayDeps) {
    this.#host = host
    this.#port = port
    this.#isRtu = config.framing === 'rtu'
    this.#deps = deps
    this.#backoff = new Backoff({ firstMs: 500, maxMs: 30_000, random: deps.random })
  }

  /**
   * @returns the data bytes of the answer
   * @throws ModbusException, ResponseTimeout, InvalidResponse; ConnectionLost at once while the next connection attempt is not due
   */
  read(request: ReadRequest): Promise<Buffer> {
    const connection = this.#connection
    const isFree = connection?.inFlight === 0 && this.#queue.length === 0 && this.#waitMs(performance.now()) <= 0
    if (connection && isFree) return this.#send(connection, request)
    return new Promise((resolve, reject) => {
      if (this.#closing.signal.aborted) return reject(new ConnectionLost(fault('stopped'), 0))
      this.#queue.push({ request, resolve, reject })
      if (connection) this.#pump()
      else void this.#connect(request.timeoutMs)
    })
  }

  close(): void {
    this.#closing.abort()
    clearTimeout(this.#pumpTimer)
    this.#connection?.close(fault('stopped'))
    this.#refuseQueue(new ConnectionLost(fault('stopped'), 0))
  }

  /** Milliseconds until the line may be used again, 0 or less: now. */
  #waitMs(now: number): number {
    return Math.max(this.pacer.waitMs(now), this.#quietUntil - now)
  }

  async #send(connection: Connection | RtuConnection, request: ReadRequest): Promise<Buffer> {
    const flight = this.bus.begin(request.unitId, performance.now())
    this.pacer.sent(flight.sentAt)
    let answered = false
    try {
      const data = await connection.read(request)
      answered = true
      this.#backoff.reset()
      return data
    } catch (error) {
      answered = error instanceof ModbusException && !error.isAboutTheUnit
      // Also where the connection was lost: the serial server may pass the answer on to the next one.
      if (this.#isRtu && !(error instanceof ModbusException)) this.#owedMs = Math.max(this.#owedMs, request.timeoutMs)
      if (!(error instanceof ConnectionLost)) throw error
      throw new ConnectionLost(
        error.fault,
        Math.max(0, this.#connectNotBefore - this.#deps.clock.monotonic()),
        error.hadAnswered,
        true,
      )
    } finally {
      const now = performance.now()
      this.bus.end(flight, answered, this.#queue.length > 0, now)
      this.pacer.ended(now)
      if (this.#queue.length > 0) this.#pump()
    }
  }

  #pump(): void {
    const connection = this.#connection
    if (!connection) return
    clearTimeout(this.#pumpTimer)
    while (this.#queue.length > 0) {
      const youngest = connection.youngest
      if (connection.inFlight >= (this.#isRtu || this.pacer.isSerial ? 1 : MAX_IN_FLIGHT)) return
      const now = performance.now()
      const overdueInMs = youngest ? youngest.sentAt + this.bus.patienceMs(youngest.unitId) - now : 0
      const waitMs = Math.max(overdueInMs, this.#waitMs(now))
      if (waitMs > 0) {
        this.#pumpTimer = setTimeout(() => this.#pump(), waitMs)
        return
      }
      const next = this.#queue.findIndex(({ request }) => this.#maySend(connection, request))
      if (next < 0) return
      const [{ request, resolve, reject }] = this.#queue.splice(next, 1) as [Queued]
      this.#send(connection, request).then(resolve, reject)
    }
  }

  /** One request at a time for each unit, and a few for units that take long. */
  #maySend(connection: Connection | RtuConnection, { unitId }: ReadRequest): boolean {
    if (connection.isWaitingFor(unitId)) return false
    return !this.bus.isLaggard(unitId) || this.bus.laggardsInFlight < MAX_LAGGARDS_IN_FLIGHT
  }

  async #connect(timeoutMs: number): Promise<void> {
    if (this.#connecting) return
    const { clock, resolveHost } = this.#deps
    const waitMs = this.#connectNotBefore - clock.monotonic()
    if (waitMs > 0) return this.#refuseQueue(new ConnectionLost(this.#downReason, waitMs))
    this.#connecting = true
    try {
      const address = resolveHost ? await resolveHost(this.#host, this.#port) : this.#host
      const timeout = Math.max(timeoutMs, MIN_CONNECT_TIMEOUT_MS)
      const { signal } = this.#closing
      const socket = await dial(address, this.#port, timeout, signal)
      if (this.#owedMs > 0) this.#quietUntil = performance.now() + this.#owedMs
      this.#owedMs = 0
      const onClose = (lost: ConnectionLost) => this.#lost(lost)
      this.#connection = this.#isRtu ? new RtuConnection(socket, onClose) : new Connection(socket, onClose)
    } catch (error) {
      this.#holdOff(errorFault(error))
    } finally {
      this.#connecting = false
    }
    if (this.#connection) this.#pump()
    else this.#refuseQueue(new ConnectionLost(this.#downReason, this.#connectNotBefore - clock.monotonic()))
  }

  /**
   * A connection that had answered is reopened at once; a device that accepts and closes gets the same backoff as one that
   * refuses.
   */
  #lost({ fault: reason, hadAnswered }: ConnectionLost): void {
    this.#connection = null
    clearTimeout(this.#pumpTimer)
    if (this.#closing.signal.aborted) return
    if (!hadAnswered) this.#holdOff(reason)
    const [first] = this.#queue
    if (first) void this.#connect(first.request.timeoutMs)
  }

  #holdOff(reason: Fault): void {
    this.#downReason = reason
    this.#connectNotBefore = this.#deps.clock.monotonic() + this.#backoff.next()
  }

  #refuseQueue(error: ConnectionLost): void {
    for (const { reject } of this.#queue.splice(0)) reject(error)
  }
}

interface Shared {
  gateway: Gateway
  users: number
}

/** Keyed by `resolveHost`, because one function may allow an address that another one blocks. */
const shared = new WeakMap<object, Map<string, Shared>>()
const noGuard = {}

/**
 * Returns the gateway of this address and framing; collectors with the same `resolveHost` share it.
 * @returns with `release`; the last release closes the connection
 */
export function acquireGateway(address: GatewayAddress, deps: GatewayDeps): { gateway: Gateway; release(): void } {
  const guard = deps.resolveHost ?? noGuard
  const gateways = shared.get(guard) ?? new Map<string, Shared>()
  shared.set(guard, gateways)
  const key = `${address.host.toLowerCase()} ${address.port} ${address.config.framing}`
  const entry = gateways.get(key) ?? { gateway: new Gateway(address, deps), users: 0 }
  gateways.set(key, entry)
  entry.users++
  let released = false
  return {
    gateway: entry.gateway,
    release: () => {
      if (released) return
      released = true
      if (--entry.users > 0) return
      gateways.delete(key)
      entry.gateway.close()
    },
  }
}
