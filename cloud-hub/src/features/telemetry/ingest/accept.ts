import type { IngestResult, Rejection } from '@haltless/protocol'
import { dbError, isLocked, retryCollisions, transientDbError } from '../../../db/errors.ts'
import { Unavailable } from '../../../support/errors.ts'
import type { Logger } from '../../../support/logger.ts'
import type { Flusher } from './flush.ts'
import { readingCount, TenantQueues } from './queue.ts'
import type { IngestRequest } from './request.ts'
import { type Submission, sliceSubmission } from './submission.ts'

interface QueuedRequest extends IngestRequest {
  resolve(rejections: Rejection[]): void
  reject(error: unknown): void
}

/** Maximum of readings that wait in memory. Beyond it requests are refused, and callers send again. */
const MAX_QUEUED_READINGS = 400_000
/** Maximum of one tenant, so that a busy tenant leaves room for the others. */
const MAX_TENANT_READINGS = 100_000

/** Data exceptions and violated constraints: the database refuses the value itself, unless its owner was deleted. */
const isRefusedValue = (error: unknown): boolean => /^2[23](?!503)/.test(dbError(error)?.code ?? '')

/**
 * The entry of all readings: `POST /ingest`, MQTT and polling call it. Requests that arrive during a flush share the next one.
 * Each request is answered after its readings and their alerts and deliveries are committed.
 */
export interface Ingest {
  /** @throws Unavailable when the queue is full or the database is unavailable; sending again is always safe */
  acceptReadings(tenantId: string, submission: Submission): Promise<IngestResult>
  /** Waits until every accepted request is answered. */
  drain(): Promise<void>
}

export interface IngestOptions {
  /** number of concurrent flushes */
  workers?: number
  observe?(readings: number, seconds: number): void
  /** the codes of the rejections of one submission */
  observeRejections?(codes: readonly string[]): void
}

/** The queue in front of the flushes, and the workers that flush it. */
export class IngestQueue implements Ingest {
  readonly #flusher: Pick<Flusher, 'flush'>
  readonly #logger: Logger
  readonly #options: IngestOptions
  readonly #queues = new TenantQueues<QueuedRequest>()
  #busyWorkers = 0
  #idle: (() => void)[] = []

  constructor(flusher: Pick<Flusher, 'flush'>, logger: Logger, options: IngestOptions = {}) {
    this.#flusher = flusher
    this.#logger = logger
    this.#options = options
  }

  async acceptReadings(tenantId: string, submission: Submission): Promise<IngestResult> {
    const size = readingCount({ tenantId, submission })
    if (size === 0) return this.#answer(submission, [])
    if (this.#queues.isRefused(tenantId))
      throw new Unavailable(
        'tenant_busy',
        'Another transaction, such as a change of rules, has locked the rows of this tenant; send the readings again in a few seconds.',
      )
    if (this.#queues.waiting + size > MAX_QUEUED_READINGS || this.#queues.waitingOf(tenantId) + size > MAX_TENANT_READINGS)
      throw new Unavailable('ingest_busy', 'The queue of readings is full; send these again in a few seconds.', 2)
    const rejections = await new Promise<Rejection[]>((resolve, reject) => {
      this.#queues.add({ tenantId, submission, resolve, reject })
      if (this.#busyWorkers < (this.#options.workers ?? 3)) this.#work()
    })
    return this.#answer(submission, rejections)
  }

  drain(): Promise<void> {
    return this.#busyWorkers === 0 && this.#queues.isEmpty ? Promise.resolve() : new Promise((done) => this.#idle.push(done))
  }

  #answer(submission: Submission, found: readonly Rejection[]): IngestResult {
    const errors = [...submission.rejections, ...found].sort((a, b) => a.index - b.index)
    if (errors.length > 0) this.#options.observeRejections?.(errors.map(({ code }) => code))
    return { accepted_count: submission.columns.timestamps.length - found.length, rejected_count: errors.length, errors }
  }

  /** A worker: flushes batches until the queue is empty. */
  async #work(): Promise<void> {
    this.#busyWorkers++
    try {
      for (let batch = this.#queues.next(); batch.requests.length > 0; batch = this.#queues.next()) {
        await this.#flushBatch(batch.requests)
        if (batch.probe) this.#queues.endProbe(batch.probe)
      }
    } finally {
      this.#busyWorkers--
      if (this.#busyWorkers === 0) {
        for (const done of this.#idle) done()
        this.#idle = []
      }
    }
  }

  /**
   * Flushes requests and answers all of them. When the database cannot store readings now, all fail. Otherwise one request must not fail the
   * others, so they are flushed again separately: by tenant when rows are locked, by request after other errors.
   */
  async #flushBatch(requests: readonly QueuedRequest[]): Promise<void> {
    const started = performance.now()
    try {
      const results = await retryCollisions(() => this.#flusher.flush(requests))
      for (const [i, request] of requests.entries()) request.resolve(results[i] as Rejection[])
      this.#queues.unlock(requests)
      this.#options.observe?.(
        requests.reduce((sum, request) => sum + readingCount(request), 0),
        (performance.now() - started) / 1000,
      )
    } catch (error) {
      if (isLocked(error)) return this.#handleLocked(requests, error)
      const hindered = transientDbError(error)
      if (hindered) {
        this.#logger.warn(
          { code: hindered.code, reason: (error as Error).message },
          'the database cannot store readings now; their senders send them again',
        )
        for (const request of requests) request.reject(error)
      } else if (requests.length > 1) {
        for (const request of requests) await this.#flushBatch([request])
      } else {
        const [request] = requests as [QueuedRequest]
        if (isRefusedValue(error)) return this.#bisect(request, error).then(request.resolve, request.reject)
        this.#logger.error({ err: error, tenant_id: request.tenantId }, 'a flush failed')
        request.reject(error)
      }
    }
  }

  /**
   * A transaction elsewhere holds locks on rows of one of these tenants. Each tenant is flushed separately while the other
   * workers go on. The readings of the locked tenant are refused for a while.
   */
  #handleLocked(requests: readonly QueuedRequest[], error: unknown): void {
    if (new Set(requests.map(({ tenantId }) => tenantId)).size > 1) {
      this.#queues.suspect(requests)
      return
    }
    const { tenantId } = requests[0] as QueuedRequest
    this.#logger.warn({ tenant_id: tenantId }, "a tenant's readings were not stored: another transaction has locked its rows")
    for (const request of [...requests, ...this.#queues.refuse(tenantId)]) request.reject(error)
  }

  /** Rejects only the value that the database refuses: flushes halves of the request until that value is alone. */
  async #bisect({ tenantId, submission }: IngestRequest, error: unknown): Promise<Rejection[]> {
    const size = submission.columns.timestamps.length
    if (size > 1) {
      const half = size >> 1
      return [
        ...(await this.#flushOrBisect({ tenantId, submission: sliceSubmission(submission, 0, half) })),
        ...(await this.#flushOrBisect({ tenantId, submission: sliceSubmission(submission, half, size) })),
      ]
    }
    this.#logger.warn({ tenant_id: tenantId, sqlstate: dbError(error)?.code }, 'the database refused a reading')
    const machine = submission.columns.series[submission.columns.seriesIndex[0] as number]?.machine ?? null
    return [
      {
        index: submission.index[0] as number,
        machine_identifier: machine,
        code: 'refused_by_storage',
        error: 'the database refused this reading',
      },
    ]
  }

  async #flushOrBisect(part: IngestRequest): Promise<Rejection[]> {
    try {
      const [rejections] = await retryCollisions(() => this.#flusher.flush([part]))
      return rejections ?? []
    } catch (error) {
      if (!isRefusedValue(error)) throw error
      return this.#bisect(part, error)
    }
  }
}
