import type { Receipt } from '@haltless/protocol'
import type { ClaimedBatch, ReadingBuffer } from '../buffer/buffer.ts'
import type { Backoff } from '../support/backoff.ts'
import type { Clock } from '../support/clock.ts'
import type { Logger } from '../support/logger.ts'
import type { Authorization } from './authorization.ts'
import { MqttTransport } from './mqtt-transport.ts'
import { RateLimiter } from './rate-limiter.ts'
import type { Announcement } from './series-list.ts'
import type { SendOutcome, Transport } from './transport.ts'
import type { EncodedBatch, WireFormat } from './wire-format.ts'

export interface BatchSenderOptions {
  buffer: ReadingBuffer
  authorization: Authorization
  wireFormat: WireFormat
  clock: Clock
  logger: Logger
  /** batches that may wait for their receipts at the same time */
  maxInFlight: number
  backlogReadingsPerSecond: number
  receiptTimeoutMs: number
  /** shared with the connection attempts: a receipt resets it */
  backoff: Backoff
  /** a receipt settled a batch; `accepted` readings are stored */
  onSettled: (accepted: number, queue: QueuedBatch['queue']) => void
  /** the hub or its receipt makes sending wait */
  onPaused: (why: string) => void
  /** an attempt ended, so that another one may start */
  onEnded: () => void
}

export interface QueuedBatch {
  batch: ClaimedBatch
  queue: 'live' | 'backlog'
}

/** When a machine is unknown, the hub rejects every batch. The log reports that once a minute; each dead letter has its reason. */
const REJECTED_LOG_INTERVAL_MS = 60_000
const READINGS_PER_BATCH = 1_000

/** Claims batches from the buffer, sends them over a transport, and acts on the outcome. Only a receipt deletes readings. */
export class BatchSender {
  readonly #options: BatchSenderOptions
  readonly #rateLimiter: RateLimiter
  #inFlight = { live: 0, backlog: 0 }
  /** monotonic ms */
  #pausedUntil = 0
  /** since the last receipt */
  #isBackingOff = false
  /** monotonic ms */
  #lastReceiptAt = 0
  /** when the first batch was sent since the last receipt, monotonic ms */
  #unconfirmedSince: number | null = null
  /** readings rejected since the last log line about them */
  #rejected = 0
  #logRejectedAt = Number.NEGATIVE_INFINITY

  constructor(options: BatchSenderOptions) {
    this.#options = options
    this.#rateLimiter = new RateLimiter(options.backlogReadingsPerSecond, options.clock.monotonic())
  }

  /** The next batch: live readings first; the backlog beside them within its rate, never in the last free slot. Null for none. */
  claim(now: number): QueuedBatch | null {
    const { buffer } = this.#options
    const { live, backlog } = this.#inFlight
    // While the hub asks for backoff, only one batch is in flight.
    const maxInFlight = this.#isBackingOff ? 1 : this.#options.maxInFlight
    if (now < this.#pausedUntil || live + backlog >= maxInFlight) return null
    const first = buffer.claim(READINGS_PER_BATCH, 'live')
    if (first) return { batch: first, queue: 'live' }
    if (backlog >= Math.max(1, maxInFlight - 1) || this.#rateLimiter.waitMs(now) > 0) return null
    const second = buffer.claim(READINGS_PER_BATCH, 'backlog')
    if (!second) return null
    this.#rateLimiter.take(second.count)
    return { batch: second, queue: 'backlog' }
  }

  /** Milliseconds until {@link claim} may succeed; 0 when only readings or a free slot are missing. */
  waitMs(now: number): number {
    return now < this.#pausedUntil ? this.#pausedUntil - now : this.#rateLimiter.waitMs(now)
  }

  /** How long the hub has confirmed nothing although something was sent, ms; 0 while receipts come. */
  unconfirmedMs(now: number): number {
    return this.#unconfirmedSince === null ? 0 : now - this.#unconfirmedSince
  }

  /** Sends one batch and settles or releases it. Never rejects. */
  async attempt(transport: Transport, { batch, queue }: QueuedBatch): Promise<void> {
    const { buffer, clock, logger, onEnded, receiptTimeoutMs, wireFormat } = this.#options
    const sentAt = clock.monotonic()
    this.#inFlight[queue]++
    this.#unconfirmedSince ??= sentAt
    let isUnconfirmed = true
    try {
      const { batchId, count, columns } = batch
      let encoded: EncodedBatch | null = null
      const encode = () => {
        encoded = wireFormat.encode(batch)
        return encoded.bytes
      }
      const outcome = await transport.send({ batchId, count, columns, encode }, receiptTimeoutMs)
      isUnconfirmed = outcome.kind === 'silent'
      if (!this.#isSentAgainWithNames(outcome, encoded)) this.#handleOutcome(transport, { batch, queue }, outcome, sentAt)
    } catch (error) {
      logger.error({ error }, 'a batch could not be settled')
    } finally {
      buffer.release(batch.batchId, isUnconfirmed)
      this.#inFlight[queue]--
      onEnded()
    }
  }

  /** Announces a dictionary. Never rejects. */
  async announce(transport: MqttTransport, announcement: Announcement): Promise<void> {
    const { logger, onEnded, receiptTimeoutMs, wireFormat } = this.#options
    let receipt: Receipt | null = null
    try {
      const outcome = await transport.send(announcement, receiptTimeoutMs)
      if (outcome.kind === 'receipt') receipt = outcome.receipt
    } catch (error) {
      logger.error({ error }, 'a series dictionary could not be announced')
    } finally {
      wireFormat.answered(announcement, receipt)
      onEnded()
    }
  }

  /**
   * A batch with numbers that the hub does not take says nothing about its readings. Neither does a version that it does not read: an older hub may be
   * among its replicas for a while.
   */
  #isSentAgainWithNames(outcome: SendOutcome, encoded: EncodedBatch | null): boolean {
    if (outcome.kind !== 'receipt' || !outcome.receipt.refused || !encoded) return false
    const { code, detail } = outcome.receipt.refused
    const { dictionary } = encoded
    if (dictionary) this.#options.wireFormat.refused(dictionary, code)
    else if (code === 'unknown_version') this.#backOff(0, detail)
    return dictionary !== null || code === 'unknown_version'
  }

  #handleOutcome(transport: Transport, { batch, queue }: QueuedBatch, outcome: SendOutcome, sentAt: number): void {
    if (outcome.kind !== 'receipt')
      this.#options.logger.warn({ batch: batch.batchId, readings: batch.count, why: outcome.why }, 'a batch will be sent again')
    switch (outcome.kind) {
      case 'receipt':
        this.#handleReceipt({ batch, queue }, outcome.receipt)
        break
      case 'held':
        this.#options.authorization.hold(outcome.reason, outcome.why)
        break
      case 'busy':
        this.#backOff(outcome.waitMs ?? 0, outcome.why)
        break
      case 'silent':
        // No receipt at all arrived since: the session may be dead without any sign of it. A new one is cheap.
        if (transport.brokenBy === null && this.#lastReceiptAt < sentAt && transport instanceof MqttTransport)
          transport.abandon(outcome.why)
    }
  }

  #handleReceipt({ batch, queue }: QueuedBatch, receipt: Receipt): void {
    const { backoff, buffer, clock, logger } = this.#options
    const result = buffer.settle(receipt)
    if (result === 'settled') this.#handleSettled({ batch, queue }, receipt)
    else {
      logger.error(
        { batch: batch.batchId, receipt, settled: result },
        'the receipt does not match the batch; its readings stay in the buffer',
      )
      this.#pauseUntil(clock.monotonic() + backoff.next(), 'the hub sent a receipt that cannot be right')
    }
  }

  #backOff(hubWaitMs: number, why: string): void {
    const { backoff, clock } = this.#options
    const now = clock.monotonic()
    // Refusals of batches that were in flight together count as one failure.
    const ownMs = now < this.#pausedUntil ? 0 : backoff.next()
    this.#isBackingOff = true
    this.#pauseUntil(now + Math.max(hubWaitMs, ownMs), why)
  }

  #handleSettled({ batch, queue }: QueuedBatch, receipt: Receipt): void {
    const { backoff, clock, logger, onSettled } = this.#options
    backoff.reset()
    this.#isBackingOff = false
    this.#lastReceiptAt = clock.monotonic()
    this.#unconfirmedSince = null
    onSettled(receipt.accepted_count, queue)
    const first = receipt.refused?.detail ?? receipt.errors[0]?.error
    if (first === undefined) return
    this.#rejected += batch.count - receipt.accepted_count
    if (this.#lastReceiptAt < this.#logRejectedAt) return
    logger.warn(
      { batch: batch.batchId, rejected: this.#rejected, first },
      'the hub rejected readings; they are parked as dead letters',
    )
    this.#rejected = 0
    this.#logRejectedAt = this.#lastReceiptAt + REJECTED_LOG_INTERVAL_MS
  }

  #pauseUntil(at: number, why: string): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, at)
    this.#options.onPaused(why)
  }
}
