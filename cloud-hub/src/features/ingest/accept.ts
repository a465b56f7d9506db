import type { IngestResult, Rejection } from '@haltless/protocol'
import { dbError, isDatabaseAway } from '../../db/errors.ts'
import { Unavailable } from '../../support/errors.ts'
import type { Logger } from '../../support/logger.ts'
import type { Flush } from './flush.ts'
import { partOf, type Submission } from './submission.ts'

/** One caller's readings on their way into a flush. */
export interface Request {
  tenantId: string
  submission: Submission
}

interface Waiting extends Request {
  resolve(rejections: Rejection[]): void
  reject(error: unknown): void
}

/** Readings of one flush at most; more wait for the next. */
const FLUSH_READINGS = 20_000
/** Readings waiting in memory at most; beyond that callers are asked to come back. */
const QUEUE_READINGS = 400_000
/** Of one tenant at most, so that a noisy one leaves room for the others. */
const TENANT_READINGS = 100_000
const MAX_TRIES = 5

/**
 * The one door of readings: `POST /ingest` and MQTT meet here. Requests that arrive while a flush is under way share the next; each is
 * answered after its own rows are committed, with the alerts and deliveries they caused.
 */
export interface Ingest {
  /** @throws Unavailable when the queue is full or the database is away: nothing was stored, or it is safe to send again */
  acceptReadings(tenantId: string, submission: Submission): Promise<IngestResult>
  /** Waits until everything that was let in is answered. */
  drain(): Promise<void>
}

export function createIngest(
  flush: Flush,
  logger: Logger,
  options: { lanes?: number; observe?(readings: number, seconds: number): void } = {},
): Ingest {
  /** Requests by tenant, taken in turns. */
  const queues = new Map<string, Waiting[]>()
  const waitingOf = new Map<string, number>()
  let waiting = 0
  let busy = 0
  let idle: (() => void)[] = []

  function take(): Waiting[] {
    const taken: Waiting[] = []
    let readings = 0
    while (queues.size > 0 && readings < FLUSH_READINGS) {
      for (const [tenantId, queue] of [...queues]) {
        const next = queue.shift() as Waiting
        if (queue.length === 0) queues.delete(tenantId)
        taken.push(next)
        const size = next.submission.columns.timestamps.length
        readings += size
        leave(tenantId, size)
        if (readings >= FLUSH_READINGS) break
      }
    }
    return taken
  }

  function leave(tenantId: string, size: number): void {
    waiting -= size
    const left = (waitingOf.get(tenantId) ?? 0) - size
    if (left > 0) waitingOf.set(tenantId, left)
    else waitingOf.delete(tenantId)
  }

  async function lane(): Promise<void> {
    busy++
    try {
      for (let requests = take(); requests.length > 0; requests = take()) await settle(requests)
    } finally {
      busy--
      if (busy === 0) {
        for (const done of idle) done()
        idle = []
      }
    }
  }

  async function settle(requests: Waiting[]): Promise<void> {
    const started = performance.now()
    try {
      const results = await flushOrSplit(requests)
      for (const [i, request] of requests.entries()) request.resolve(results[i] as Rejection[])
      options.observe?.(
        requests.reduce((sum, r) => sum + r.submission.columns.timestamps.length, 0),
        (performance.now() - started) / 1000,
      )
    } catch (error) {
      if (!isDatabaseAway(error)) logger.error({ err: error }, 'a flush failed')
      for (const request of requests) request.reject(error)
    }
  }

  /** A value that the database refuses fails only itself: the flush is split by request, then by halves, until the culprit is alone. */
  async function flushOrSplit(requests: readonly Request[]): Promise<Rejection[][]> {
    try {
      return await flushAgain(requests)
    } catch (error) {
      const refused = /^2[23]/.test(dbError(error)?.code ?? '')
      if (!refused) throw error
      if (requests.length > 1) {
        const results: Rejection[][] = []
        for (const request of requests) results.push(...(await flushOrSplit([request])))
        return results
      }
      const { tenantId, submission } = requests[0] as Request
      const size = submission.columns.timestamps.length
      if (size > 1) {
        const half = size >> 1
        const [low] = await flushOrSplit([{ tenantId, submission: partOf(submission, 0, half) }])
        const [high] = await flushOrSplit([{ tenantId, submission: partOf(submission, half, size) }])
        return [[...(low ?? []), ...(high ?? [])]]
      }
      logger.warn({ tenant_id: tenantId, sqlstate: dbError(error)?.code }, 'the database refused a reading')
      const machine = submission.columns.series[submission.columns.seriesIndex[0] as number]?.machine ?? null
      return [
        [
          {
            index: submission.index[0] as number,
            machine_identifier: machine,
            code: 'refused_by_storage',
            error: 'the database refused this reading',
          },
        ],
      ]
    }
  }

  /** Deadlocks and serialization failures are nobody's fault: the same flush goes again. */
  async function flushAgain(requests: readonly Request[]): Promise<Rejection[][]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await flush(requests)
      } catch (error) {
        const code = dbError(error)?.code
        if (attempt >= MAX_TRIES || (code !== '40P01' && code !== '40001')) throw error
        await new Promise((again) => setTimeout(again, Math.random() * 20 * attempt))
      }
    }
  }

  return {
    async acceptReadings(tenantId, submission) {
      const size = submission.columns.timestamps.length
      const answer = (found: readonly Rejection[]): IngestResult => {
        const errors = [...submission.rejections, ...found].sort((a, b) => a.index - b.index)
        return { accepted_count: size - found.length, rejected_count: errors.length, errors }
      }
      if (size === 0) return answer([])
      if (waiting + size > QUEUE_READINGS || (waitingOf.get(tenantId) ?? 0) + size > TENANT_READINGS) {
        throw new Unavailable(
          'ingest_busy',
          'More readings are waiting than can be stored right now; send these again in a few seconds.',
          2,
        )
      }
      const rejections = await new Promise<Rejection[]>((resolve, reject) => {
        const queue = queues.get(tenantId) ?? []
        queue.push({ tenantId, submission, resolve, reject })
        queues.set(tenantId, queue)
        waiting += size
        waitingOf.set(tenantId, (waitingOf.get(tenantId) ?? 0) + size)
        if (busy < (options.lanes ?? 4)) lane()
      })
      return answer(rejections)
    },
    drain: () => (busy === 0 && queues.size === 0 ? Promise.resolve() : new Promise((done) => idle.push(done))),
  }
}
