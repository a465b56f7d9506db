import type { Telemetry } from '@haltless/protocol'
import { Backoff } from '../support/backoff.ts'
import { shortError } from '../support/short-error.ts'
import { WakeUp } from '../support/wake-up.ts'
import { tokenLifetimeMs } from './authorization.ts'
import { BatchSender, type BatchSenderOptions, type QueuedBatch } from './batch-sender.ts'
import type { Connector } from './connector.ts'
import { MqttTransport } from './mqtt-transport.ts'
import { type Transport, TransportError, type TransportKind } from './transport.ts'

export interface UplinkOptions extends Omit<BatchSenderOptions, 'backoff' | 'onSettled' | 'onPaused' | 'onEnded'> {
  connector: Connector
  /** asks for a heartbeat now: the broker refused the password */
  onCredentialRefused: () => void
  /** the first wait before a better way is tried again, ms */
  betterRetryMs?: number
  random?: () => number
}

/**
 * ```
 * waiting (for the first heartbeat) -> connecting -> sending <-> pausing (the hub asked for patience)
 *                                          ^  any -> held (402, revoked key, agent id in use) -> connecting
 * ```
 */
export type UplinkState = 'waiting' | 'connecting' | 'sending' | 'pausing' | 'held' | 'stopped'

export interface UplinkStatus {
  state: UplinkState
  /** plain words, '' when there is nothing to say */
  detail: string
  via: TransportKind | null
  /** Unix ms of the last receipt, null before the first */
  lastReceiptAt: number | null
  /** readings that receipts confirmed as stored, since start */
  storedTotal: number
  /** those of them that this process collected, and not one before it */
  liveStoredTotal: number
}

const NOTHING_CONFIRMED = 'the hub confirms nothing of what is sent, so it stays in the buffer'
/** How often the loop checks for waiting readings without a wake-up: they turn from live to backlog by age alone. */
const TICK_MS = 1_000
/** A session is renewed when three quarters of its token's life are over. */
const RENEW_AT = 0.75
const BETTER_RETRY_MS = 30_000
const BETTER_RETRY_MAX_MS = 600_000
/** Attempts under way get this long to end when a transport is given up on purpose. */
const DRAIN_MS = 3_000

/** Sends readings from the buffer to the hub over the best open transport, and deletes them only by receipt. */
export class Uplink {
  readonly #options: UplinkOptions
  readonly #wakeUp = new WakeUp()
  readonly #stopping = new AbortController()
  readonly #backoff: Backoff
  readonly #betterRetry: Backoff
  readonly #sender: BatchSender
  #status: UplinkStatus = {
    state: 'waiting',
    detail: 'no heartbeat was answered yet',
    via: null,
    lastReceiptAt: null,
    storedTotal: 0,
    liveStoredTotal: 0,
  }
  #transport: Transport | null = null
  #loop: Promise<void> = Promise.resolve()

  constructor(options: UplinkOptions) {
    this.#options = options
    const { random, authorization, betterRetryMs = BETTER_RETRY_MS } = options
    this.#backoff = new Backoff({ firstMs: 500, maxMs: 60_000, random })
    this.#betterRetry = new Backoff({ firstMs: betterRetryMs, maxMs: BETTER_RETRY_MAX_MS, random })
    this.#sender = new BatchSender({
      ...options,
      backoff: this.#backoff,
      onSettled: (accepted, queue) => this.#addStored(accepted, queue),
      onPaused: (why) => this.#setStatus('pausing', why, this.#transport?.kind ?? null),
      onEnded: () => this.#wakeUp.wake(),
    })
    authorization.onChange(() => this.#wakeUp.wake())
  }

  start(): void {
    this.#loop = this.#run()
  }

  /** Readings were appended. */
  wake(): void {
    this.#wakeUp.wake()
  }

  /** Tells telemetry over MQTT. @returns false when no MQTT session is open */
  sendTelemetry(telemetry: Telemetry): boolean {
    if (!(this.#transport instanceof MqttTransport) || this.#transport.brokenBy !== null) return false
    this.#transport.sendTelemetry(telemetry)
    return true
  }

  status(): UplinkStatus {
    const { clock, receiptTimeoutMs } = this.#options
    const isUnconfirmed = this.#sender.unconfirmedMs(clock.monotonic()) > receiptTimeoutMs
    return this.#status.state === 'sending' && isUnconfirmed ? { ...this.#status, detail: NOTHING_CONFIRMED } : this.#status
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#loop
    this.#setStatus('stopped', '', null)
  }

  /** Ends only on stop: a failure here (a failing disk) is logged and retried. */
  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        await this.#connectAndSend()
      } catch (error) {
        this.#options.logger.error({ error }, 'the uplink failed and starts anew')
        await this.#transport?.close()
        this.#transport = null
        await this.#pause(this.#backoff.next())
      }
    }
  }

  async #connectAndSend(): Promise<void> {
    const { authorization } = this.#options
    let next: Transport | null = null
    while (!this.#stopping.signal.aborted) {
      const { state } = authorization
      if (state.kind !== 'granted') {
        if (state.kind === 'held') this.#setStatus('held', state.detail, null)
        await this.#sleep(TICK_MS * 60)
        continue
      }
      const transport: Transport | null = next ?? (await this.#connect())
      next = null
      if (transport) {
        next = await this.#sendOver(transport, state.grantedAt)
        if (next) continue
      }
      // Whatever ended the transport: the hub is not hammered. A renewed session comes back at once.
      if (!transport || (transport.brokenBy !== 'closed' && !this.#stopping.signal.aborted))
        await this.#pause(this.#backoff.next())
    }
    await next?.close()
  }

  async #connect(): Promise<Transport | null> {
    const { authorization, connector, logger, onCredentialRefused } = this.#options
    this.#setStatus('connecting', this.#status.detail, null)
    const access = authorization.state.kind === 'granted' ? authorization.state.access : null
    try {
      return await this.#unlessStopped(connector.open(access, () => this.#wakeUp.wake()))
    } catch (error) {
      this.#setStatus('connecting', shortError(error), null)
      logger.warn({ error: shortError(error) }, 'no way to the hub')
      if (error instanceof TransportError && error.isCredential) onCredentialRefused()
      return null
    }
  }

  /** A transport without an answer takes seconds to time out; a stop does not wait for that. */
  #unlessStopped(opening: Promise<Transport | null>): Promise<Transport | null> {
    const { signal } = this.#stopping
    return new Promise((resolve, reject) => {
      const stopped = () => {
        resolve(null)
        void opening.then((transport) => transport?.close()).catch(() => {})
      }
      signal.addEventListener('abort', stopped)
      opening.then(resolve, reject).finally(() => signal.removeEventListener('abort', stopped))
    })
  }

  /** Sends until the transport breaks, the authorization goes, the token ages or a better way opens. @returns that better way */
  async #sendOver(transport: Transport, grantedAt: number): Promise<Transport | null> {
    const { clock, authorization, logger } = this.#options
    this.#transport = transport
    this.#setStatus('sending', '', transport.kind)
    logger.info({ via: transport.kind }, 'connected to the hub')
    const attempts = new Set<Promise<void>>()
    const track = (work: Promise<void>) => {
      const attempt = work.finally(() => attempts.delete(attempt))
      attempts.add(attempt)
    }
    const renewAt = this.#renewAt(transport, grantedAt)
    let better: Transport | null = null
    let isRetrying = false
    let ended = false
    let retryAt = transport.kind === 'mqtt' ? Number.POSITIVE_INFINITY : clock.monotonic() + this.#betterRetry.next()
    while (transport.brokenBy === null && !this.#stopping.signal.aborted && !better && authorization.state.kind === 'granted') {
      const now = clock.monotonic()
      if (now >= renewAt && authorization.state.grantedAt > grantedAt) break
      if (now >= retryAt && !isRetrying) {
        isRetrying = true
        void this.#openBetterTransport(transport).then((found) => {
          if (ended) return found?.close()
          isRetrying = false
          better = found
          retryAt = clock.monotonic() + this.#betterRetry.next()
          this.#wakeUp.wake()
        })
      }
      const announcement = transport instanceof MqttTransport ? this.#options.wireFormat.announcement(now) : null
      if (announcement) track(this.#sender.announce(transport as MqttTransport, announcement))
      const batch = this.#sender.claim(now)
      if (!batch) {
        await this.#sleep(
          Math.min(
            TICK_MS,
            ...[retryAt, renewAt].map((at) => (at > now ? at - now : TICK_MS)),
            this.#sender.waitMs(now) || TICK_MS,
          ),
        )
        continue
      }
      track(this.#sender.attempt(transport, batch))
    }
    ended = true
    const isReplaced: boolean = better !== null || (transport.brokenBy === null && authorization.state.kind === 'granted')
    if (transport.brokenBy !== null)
      logger.warn({ via: transport.kind, error: transport.brokenBy }, 'lost the connection to the hub')
    // A receipt that is under way saves sending the batch again.
    const drained = new AbortController()
    const settled = Promise.allSettled(attempts).then(() => drained.abort())
    if (transport.brokenBy === null) await Promise.race([settled, clock.sleep(DRAIN_MS, drained.signal)])
    await transport.close()
    await Promise.allSettled(attempts)
    this.#transport = null
    if (better) this.#betterRetry.reset()
    if (!isReplaced) this.#setStatus('connecting', transport.brokenBy ?? '', null)
    return better
  }

  #renewAt(transport: Transport, grantedAt: number): number {
    const { state } = this.#options.authorization
    const password = state.kind === 'granted' ? state.access?.password : undefined
    const lifetime = transport.kind === 'http' || password === undefined ? null : tokenLifetimeMs(password)
    return lifetime === null ? Number.POSITIVE_INFINITY : grantedAt + lifetime * RENEW_AT
  }

  async #openBetterTransport(transport: Transport): Promise<Transport | null> {
    const { state } = this.#options.authorization
    if (state.kind !== 'granted') return null
    return this.#options.connector.open(state.access, () => this.#wakeUp.wake(), transport.kind).catch(() => null)
  }

  #addStored(accepted: number, queue: QueuedBatch['queue']): void {
    const storedTotal = this.#status.storedTotal + accepted
    const liveStoredTotal = this.#status.liveStoredTotal + (queue === 'live' ? accepted : 0)
    this.#status = { ...this.#status, lastReceiptAt: this.#options.clock.now(), storedTotal, liveStoredTotal }
    if (this.#status.state === 'pausing') this.#setStatus('sending', '', this.#transport?.kind ?? null)
  }

  /** Waits out a backoff; a change of authorization or a new reading does not shorten it. */
  async #pause(ms: number): Promise<void> {
    await this.#options.clock.sleep(ms, this.#stopping.signal)
  }

  #sleep(ms: number): Promise<void> {
    return this.#wakeUp.sleep(this.#options.clock, ms, this.#stopping.signal)
  }

  #setStatus(state: UplinkState, detail: string, via: TransportKind | null): void {
    this.#status = { ...this.#status, state, detail, via }
  }
}
