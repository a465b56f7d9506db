import type { IngestResult, Rejection } from '@haltless/protocol'
import { dbError, hindrance, isLocked, retryCollisions } from '../../../db/errors.ts'
import { Unavailable } from '../../../support/errors.ts'
import type { Logger } from '../../../support/logger.ts'
import type { Flush } from './flush.ts'
import type { Request } from './request.ts'
import { partOf, type Submission } from './submission.ts'

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

/** A tenant whose rows are locked is not tried again for so long, and then apart from the others. */
const LOCKED_MS = 3_000

/** Data exceptions and violated constraints: the value itself is what the database refuses, unless what it belongs to has gone. */
const isRefusal = (error: unknown): boolean => /^2[23](?!503)/.test(dbError(error)?.code ?? '')

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
  options: {
    lanes?: number
    observe?(readings: number, seconds: number): void
    /** the codes of what one submission was rejected for */
    observeRejections?(codes: readonly string[]): void
  } = {},
): Ingest {
  /** Requests by tenant, taken in turns. */
  const queues = new Map<string, Waiting[]>()
  const waitingOf = new Map<string, number>()
  /** tenants whose rows were found locked, and the performance.now() until which their readings are refused */
  const locked = new Map<string, number>()
  /** those of them that a lane is trying again */
  const probed = new Set<string>()
  let waiting = 0
  let busy = 0
  let idle: (() => void)[] = []

  /** The requests of one flush; none of a tenant whose rows were locked, or only that tenant's, by one lane at a time. */
  function take(): { taken: Waiting[]; probe?: string } {
    const taken: Waiting[] = []
    let readings = 0
    for (let before = -1; readings < FLUSH_READINGS && taken.length > before; ) {
      before = taken.length
      for (const [tenantId, queue] of [...queues]) {
        const isProbe = locked.has(tenantId)
        if (isProbe && (taken.length > 0 || probed.has(tenantId))) continue
        const next = queue.shift() as Waiting
        if (queue.length === 0) queues.delete(tenantId)
        taken.push(next)
        const size = next.submission.columns.timestamps.length
        readings += size
        leave(tenantId, size)
        if (isProbe) {
          probed.add(tenantId)
          return { taken, probe: tenantId }
        }
        if (readings >= FLUSH_READINGS) break
      }
    }
    return { taken }
  }

  function enter(request: Waiting): void {
    const { tenantId, submission } = request
    const size = submission.columns.timestamps.length
    const queue = queues.get(tenantId) ?? []
    queue.push(request)
    queues.set(tenantId, queue)
    waiting += size
    waitingOf.set(tenantId, (waitingOf.get(tenantId) ?? 0) + size)
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
      for (let { taken, probe } = take(); taken.length > 0; { taken, probe } = take()) {
        await settle(taken)
        if (probe) probed.delete(probe)
      }
    } finally {
      busy--
      if (busy === 0) {
        for (const done of idle) done()
        idle = []
      }
    }
  }

  /**
   * Flushes, and answers everyone. What hinders all fails all; otherwise one request must not fail its neighbours, so they are flushed
   * again apart: by tenant when one of them is locked, by request for any other fault.
   */
  async function settle(requests: readonly Waiting[]): Promise<void> {
    const started = performance.now()
    try {
      const results = await retryCollisions(() => flush(requests))
      for (const [i, request] of requests.entries()) request.resolve(results[i] as Rejection[])
      for (const { tenantId } of locked.size > 0 ? requests : []) locked.delete(tenantId)
      options.observe?.(
        requests.reduce((sum, r) => sum + r.submission.columns.timestamps.length, 0),
        (performance.now() - started) / 1000,
      )
    } catch (error) {
      if (isLocked(error)) return settleLocked(requests, error)
      const hindered = hindrance(error)
      if (hindered) {
        logger.warn({ code: hindered.code, reason: (error as Error).message }, 'nothing could be stored')
        for (const request of requests) request.reject(error)
      } else if (requests.length > 1) {
        for (const request of requests) await settle([request])
      } else {
        const [request] = requests as [Waiting]
        if (isRefusal(error)) return halve(request, error).then(request.resolve, request.reject)
        logger.error({ err: error, tenant_id: request.tenantId }, 'a flush failed')
        request.reject(error)
      }
    }
  }

  /**
   * Somebody keeps a lock of one of these tenants. Which one is found out by trying each apart, in a flush of its own, while the other lanes
   * go on; that one's readings are refused for a while.
   */
  function settleLocked(requests: readonly Waiting[], error: unknown): void {
    const tenants = new Set(requests.map(({ tenantId }) => tenantId))
    if (tenants.size > 1) {
      for (const tenantId of tenants) locked.set(tenantId, Number.NEGATIVE_INFINITY)
      for (const request of requests) enter(request)
      return
    }
    const tenantId = (requests[0] as Waiting).tenantId
    locked.set(tenantId, performance.now() + LOCKED_MS)
    logger.warn({ tenant_id: tenantId }, "a tenant's readings cannot be stored: something keeps its rows locked")
    const queued = queues.get(tenantId) ?? []
    queues.delete(tenantId)
    for (const { submission } of queued) leave(tenantId, submission.columns.timestamps.length)
    for (const request of [...requests, ...queued]) request.reject(error)
  }

  /** A value that the database refuses fails only itself: the request is flushed by halves, until the culprit is alone. */
  async function halve({ tenantId, submission }: Request, error: unknown): Promise<Rejection[]> {
    const size = submission.columns.timestamps.length
    if (size > 1) {
      const half = size >> 1
      return [
        ...(await flushOrHalve({ tenantId, submission: partOf(submission, 0, half) })),
        ...(await flushOrHalve({ tenantId, submission: partOf(submission, half, size) })),
      ]
    }
    logger.warn({ tenant_id: tenantId, sqlstate: dbError(error)?.code }, 'the database refused a reading')
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

  async function flushOrHalve(part: Request): Promise<Rejection[]> {
    try {
      const [rejections] = await retryCollisions(() => flush([part]))
      return rejections ?? []
    } catch (error) {
      if (!isRefusal(error)) throw error
      return halve(part, error)
    }
  }

  return {
    async acceptReadings(tenantId, submission) {
      const size = submission.columns.timestamps.length
      const answer = (found: readonly Rejection[]): IngestResult => {
        const errors = [...submission.rejections, ...found].sort((a, b) => a.index - b.index)
        if (errors.length > 0) options.observeRejections?.(errors.map(({ code }) => code))
        return { accepted_count: size - found.length, rejected_count: errors.length, errors }
      }
      if (size === 0) return answer([])
      if (performance.now() < (locked.get(tenantId) ?? 0))
        throw new Unavailable(
          'tenant_busy',
          'Something keeps what belongs to these readings locked, such as a change of rules; send them again in a few seconds.',
        )
      if (waiting + size > QUEUE_READINGS || (waitingOf.get(tenantId) ?? 0) + size > TENANT_READINGS) {
        throw new Unavailable(
          'ingest_busy',
          'More readings are waiting than can be stored right now; send these again in a few seconds.',
          2,
        )
      }
      const rejections = await new Promise<Rejection[]>((resolve, reject) => {
        enter({ tenantId, submission, resolve, reject })
        if (busy < (options.lanes ?? 3)) lane()
      })
      return answer(rejections)
    },
    drain: () => (busy === 0 && queues.size === 0 ? Promise.resolve() : new Promise((done) => idle.push(done))),
  }
}
