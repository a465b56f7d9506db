import type { Telemetry } from '@haltless/protocol'
import type { ClaimedBatch, ReadingBuffer } from '../buffer/buffer.ts'
import { Backoff } from '../support/backoff.ts'
import type { Clock } from '../support/clock.ts'
import type { Logger } from '../support/logger.ts'
import { plainError } from '../support/plain-error.ts'
import { WakeUp } from '../support/wake-up.ts'
import { type Clearance, tokenLifetimeMs } from './clearance.ts'
import type { Connector } from './connector.ts'
import { type Link, LinkError, type LinkKind, type SendOutcome } from './link.ts'
import { MqttLink } from './mqtt-link.ts'
import { Pace } from './pace.ts'

export interface UplinkOptions {
  buffer: ReadingBuffer
  clearance: Clearance
  connector: Connector
  clock: Clock
  logger: Logger
  /** batches that may wait for their receipts at the same time */
  maxInFlight: number
  backlogReadingsPerSecond: number
  receiptTimeoutMs: number
  /** asks for a heartbeat now: the broker refused the password */
  onCredentialRefused: () => void
  /** the first wait before a better way is tried again, ms */
  retryUpMs?: number
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
  via: LinkKind | null
  /** Unix ms of the last receipt, null before the first */
  lastReceiptAt: number | null
  /** readings that the hub has said are stored, since start */
  storedTotal: number
}

/** How often waiting readings are looked at when nothing wakes the loop: they turn from live to backlog by age alone. */
const LOOK_MS = 1_000
/** A session is renewed when three quarters of its token's life are over. */
const RENEW_AT = 0.75
const RETRY_UP_MS = 30_000
const RETRY_UP_MAX_MS = 600_000
/** A machine that the hub does not know has every batch rejected: the log says so once a minute, each dead letter says why. */
const SAY_REJECTED_MS = 60_000
/** Attempts under way get this long to end when a link is given up on purpose. */
const DRAIN_MS = 3_000

/** Carries readings from the buffer to the hub, over whichever way is open, and lets go of them only by receipt. */
export class Uplink {
  readonly #options: UplinkOptions
  readonly #wakeUp = new WakeUp()
  readonly #stopping = new AbortController()
  readonly #backoff: Backoff
  readonly #retryUp: Backoff
  readonly #pace: Pace
  #status: UplinkStatus = {
    state: 'waiting',
    detail: 'no heartbeat was answered yet',
    via: null,
    lastReceiptAt: null,
    storedTotal: 0,
  }
  #link: Link | null = null
  #loop: Promise<void> = Promise.resolve()
  #inFlight = { live: 0, backlog: 0 }
  /** monotonic ms */
  #pausedUntil = 0
  /** since the last receipt */
  #wasToldToWait = false
  #lastReceiptAt = 0
  /** rejected since the log last said so */
  #rejected = 0
  #sayRejectedAt = Number.NEGATIVE_INFINITY

  constructor(options: UplinkOptions) {
    this.#options = options
    const { random, clock, clearance, retryUpMs = RETRY_UP_MS } = options
    this.#backoff = new Backoff({ firstMs: 500, maxMs: 60_000, random })
    this.#retryUp = new Backoff({ firstMs: retryUpMs, maxMs: RETRY_UP_MAX_MS, random })
    this.#pace = new Pace(options.backlogReadingsPerSecond, clock.monotonic())
    clearance.onChange(() => this.#wakeUp.wake())
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
    if (!(this.#link instanceof MqttLink) || this.#link.brokenBy !== null) return false
    this.#link.sendTelemetry(telemetry)
    return true
  }

  status(): UplinkStatus {
    return this.#status
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#loop
    this.#say('stopped', '', null)
  }

  /** Ends only when it is told to: what goes wrong here (a failing disk) is said, and tried again. */
  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        await this.#connectAndSend()
      } catch (error) {
        this.#options.logger.error({ error }, 'the uplink failed and starts anew')
        await this.#link?.close()
        this.#link = null
        await this.#pause(this.#backoff.next())
      }
    }
  }

  async #connectAndSend(): Promise<void> {
    const { clearance } = this.#options
    let next: Link | null = null
    while (!this.#stopping.signal.aborted) {
      const { state } = clearance
      if (state.kind !== 'granted') {
        if (state.kind === 'held') this.#say('held', state.detail, null)
        await this.#sleep(LOOK_MS * 60)
        continue
      }
      const link: Link | null = next ?? (await this.#connect())
      next = null
      if (link) {
        next = await this.#sendOver(link, state.grantedAt)
        if (next) continue
      }
      // Whatever ended the link: the hub is not hammered. A renewed session comes back at once.
      if (!link || (link.brokenBy !== 'closed' && !this.#stopping.signal.aborted)) await this.#pause(this.#backoff.next())
    }
    await next?.close()
  }

  async #connect(): Promise<Link | null> {
    const { clearance, connector, logger, onCredentialRefused } = this.#options
    this.#say('connecting', this.#status.detail, null)
    const access = clearance.state.kind === 'granted' ? clearance.state.access : null
    try {
      return await this.#unlessStopped(connector.open(access, () => this.#wakeUp.wake()))
    } catch (error) {
      this.#say('connecting', plainError(error), null)
      logger.warn({ error: plainError(error) }, 'no way to the hub')
      if (error instanceof LinkError && error.isCredential) onCredentialRefused()
      return null
    }
  }

  /** A way that nobody answers on takes seconds to be given up; whoever stops us does not wait for that. */
  #unlessStopped(opening: Promise<Link | null>): Promise<Link | null> {
    const { signal } = this.#stopping
    return new Promise((resolve, reject) => {
      const stopped = () => {
        resolve(null)
        void opening.then((link) => link?.close()).catch(() => {})
      }
      signal.addEventListener('abort', stopped)
      opening.then(resolve, reject).finally(() => signal.removeEventListener('abort', stopped))
    })
  }

  /** Sends until the link breaks, the clearance goes, the token ages or a better way opens. @returns that better way */
  async #sendOver(link: Link, grantedAt: number): Promise<Link | null> {
    const { clock, clearance, logger } = this.#options
    this.#link = link
    this.#say('sending', '', link.kind)
    logger.info({ via: link.kind }, 'connected to the hub')
    const attempts = new Set<Promise<void>>()
    const renewAt = this.#renewAt(link, grantedAt)
    let better: Link | null = null
    let looking = false
    let ended = false
    let lookAt = link.kind === 'mqtt' ? Number.POSITIVE_INFINITY : clock.monotonic() + this.#retryUp.next()
    while (link.brokenBy === null && !this.#stopping.signal.aborted && !better && clearance.state.kind === 'granted') {
      const now = clock.monotonic()
      if (now >= renewAt && clearance.state.grantedAt > grantedAt) break
      if (now >= lookAt && !looking) {
        looking = true
        void this.#lookForBetter(link).then((found) => {
          if (ended) return found?.close()
          looking = false
          better = found
          lookAt = clock.monotonic() + this.#retryUp.next()
          this.#wakeUp.wake()
        })
      }
      const batch = this.#claim(now)
      if (!batch) {
        await this.#sleep(
          Math.min(LOOK_MS, ...[lookAt, renewAt].map((at) => (at > now ? at - now : LOOK_MS)), this.#claimableIn(now)),
        )
        continue
      }
      const attempt = this.#attempt(link, batch).finally(() => attempts.delete(attempt))
      attempts.add(attempt)
    }
    ended = true
    const isReplaced: boolean = better !== null || (link.brokenBy === null && clearance.state.kind === 'granted')
    if (link.brokenBy !== null) logger.warn({ via: link.kind, error: link.brokenBy }, 'lost the connection to the hub')
    // A receipt that is under way saves sending the batch again.
    const drained = new AbortController()
    const settled = Promise.allSettled(attempts).then(() => drained.abort())
    if (link.brokenBy === null) await Promise.race([settled, clock.sleep(DRAIN_MS, drained.signal)])
    await link.close()
    await Promise.allSettled(attempts)
    this.#link = null
    if (better) this.#retryUp.reset()
    if (!isReplaced) this.#say('connecting', link.brokenBy ?? '', null)
    return better
  }

  #renewAt(link: Link, grantedAt: number): number {
    const { state } = this.#options.clearance
    const password = state.kind === 'granted' ? state.access?.password : undefined
    const lifetime = link.kind === 'http' || password === undefined ? null : tokenLifetimeMs(password)
    return lifetime === null ? Number.POSITIVE_INFINITY : grantedAt + lifetime * RENEW_AT
  }

  async #lookForBetter(link: Link): Promise<Link | null> {
    const { state } = this.#options.clearance
    if (state.kind !== 'granted') return null
    return this.#options.connector.open(state.access, () => this.#wakeUp.wake(), link.kind).catch(() => null)
  }

  /** The next batch to send: live readings first, the backlog beside them at its pace, never in the last free slot. */
  #claim(now: number): (ClaimedBatch & { which: 'live' | 'backlog' }) | null {
    const { buffer } = this.#options
    const { live, backlog } = this.#inFlight
    // a hub that said "not now" is asked with one batch, not with eight
    const maxInFlight = this.#wasToldToWait ? 1 : this.#options.maxInFlight
    if (now < this.#pausedUntil || live + backlog >= maxInFlight) return null
    const first = buffer.claim(1_000, 'live')
    if (first) return { ...first, which: 'live' }
    if (backlog >= Math.max(1, maxInFlight - 1) || this.#pace.waitMs(now) > 0) return null
    const second = buffer.claim(1_000, 'backlog')
    if (!second) return null
    this.#pace.take(second.count)
    return { ...second, which: 'backlog' }
  }

  #claimableIn(now: number): number {
    if (now < this.#pausedUntil) return this.#pausedUntil - now
    return this.#pace.waitMs(now) || LOOK_MS
  }

  async #attempt(link: Link, batch: ClaimedBatch & { which: 'live' | 'backlog' }): Promise<void> {
    const sentAt = this.#options.clock.monotonic()
    this.#inFlight[batch.which]++
    let isInDoubt = true
    try {
      const outcome = await link.send(batch, this.#options.receiptTimeoutMs)
      isInDoubt = outcome.kind === 'silent'
      await this.#act(link, batch, outcome, sentAt)
    } catch (error) {
      this.#options.logger.error({ error }, 'a batch could not be settled')
    } finally {
      this.#options.buffer.release(batch.batchId, isInDoubt)
      this.#inFlight[batch.which]--
      this.#wakeUp.wake()
    }
  }

  async #act(link: Link, batch: ClaimedBatch, outcome: SendOutcome, sentAt: number): Promise<void> {
    const { buffer, clock, clearance, logger } = this.#options
    if (outcome.kind === 'receipt') {
      const settled = buffer.settle(outcome.receipt)
      if (settled === 'settled') return this.#onSettled(outcome.receipt.accepted_count, batch, outcome)
      logger.error({ batch: batch.batchId, receipt: outcome.receipt, settled }, 'a receipt let nothing go')
      return this.#pauseUntil(clock.monotonic() + this.#backoff.next(), 'the hub sent a receipt that cannot be right')
    }
    logger.warn({ batch: batch.batchId, readings: batch.count, why: outcome.why }, 'a batch will be sent again')
    if (outcome.kind === 'held') return clearance.hold(outcome.reason, outcome.why)
    if (outcome.kind === 'busy') {
      const now = clock.monotonic()
      // Batches that were under way together are refused together: that is one failure, not eight.
      const ownMs = now < this.#pausedUntil ? 0 : this.#backoff.next()
      this.#wasToldToWait = true
      return this.#pauseUntil(now + Math.max(outcome.waitMs ?? 0, ownMs), outcome.why)
    }
    // Nothing at all came back since: the session may be dead without knowing it. A new one is cheap.
    if (link.brokenBy === null && this.#lastReceiptAt < sentAt && link instanceof MqttLink) link.abandon(outcome.why)
  }

  #onSettled(accepted: number, batch: ClaimedBatch, { receipt }: Extract<SendOutcome, { kind: 'receipt' }>): void {
    const { clock, logger } = this.#options
    this.#backoff.reset()
    this.#wasToldToWait = false
    this.#lastReceiptAt = clock.monotonic()
    this.#status = { ...this.#status, lastReceiptAt: clock.now(), storedTotal: this.#status.storedTotal + accepted }
    if (this.#status.state === 'pausing') this.#say('sending', '', this.#link?.kind ?? null)
    const first = receipt.refused?.detail ?? receipt.errors[0]?.error
    if (first === undefined) return
    this.#rejected += batch.count - accepted
    if (this.#lastReceiptAt < this.#sayRejectedAt) return
    logger.warn(
      { batch: batch.batchId, rejected: this.#rejected, first },
      'the hub rejected readings; they are parked as dead letters',
    )
    this.#rejected = 0
    this.#sayRejectedAt = this.#lastReceiptAt + SAY_REJECTED_MS
  }

  #pauseUntil(at: number, why: string): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, at)
    this.#say('pausing', why, this.#link?.kind ?? null)
  }

  /** Waits out a backoff; a change of clearance or a new reading does not shorten it. */
  async #pause(ms: number): Promise<void> {
    await this.#options.clock.sleep(ms, this.#stopping.signal)
  }

  #sleep(ms: number): Promise<void> {
    return this.#wakeUp.sleep(this.#options.clock, ms, this.#stopping.signal)
  }

  #say(state: UplinkState, detail: string, via: LinkKind | null): void {
    this.#status = { ...this.#status, state, detail, via }
  }
}
