import { setTimeout as sleep } from 'node:timers/promises'
import {
  adapterOf,
  type CollectorSource,
  type CollectorStatus,
  clockProblem,
  describeProblem,
} from '@haltless/edge-agent/collectors'
import type { ReadingColumns } from '@haltless/protocol'
import { transientDbError } from '../../../db/errors.ts'
import { Unavailable } from '../../../support/errors.ts'
import { type Ingest, submissionFromBatch } from '../ingest/index.ts'
import { type CollectingDeps, hostsOf, prepareConnection, probeDeps } from './collecting.ts'
import { LEASE_SECONDS, type PolledSource, type SourceState } from './leases.ts'
import { openConfig, type SourceDeps } from './manage-source.ts'
import { rememberedNamespaces } from './namespaces.ts'
import { collectorSource } from './source-config.ts'
import { unreachableMessage } from './test-connection.ts'

export interface PolledSourceDeps extends SourceDeps, CollectingDeps {
  ingest: Ingest
}

/** Readings are retried after this pause while the database is unavailable. */
const RETRY_MS = 1_000
/**
 * A device that never answered is reported as unreachable after this time and not earlier: a quicker report would reveal open
 * ports.
 */
const UNREACHABLE_MS = 12_000

/** A source while this hub polls it. */
export interface RunningSource {
  readonly id: string
  readonly version: number
  /** call this when the lease was renewed */
  renewLease(): void
  isLeaseExpired(): boolean
  /** the current state; null when it was saved already */
  unsavedState(): SourceState | null
  /** call this when a state was saved */
  markSaved(state: SourceState): void
  stop(): Promise<void>
}

/**
 * Polls a source until it is stopped. Its readings go through ingest like all others, and wait while the database is unavailable.
 * @param isMoved another hub polled it until now, so the next poll is due one interval after the last
 */
export function runSource(deps: PolledSourceDeps, row: PolledSource, isMoved: boolean): RunningSource {
  const { clock, ingest, logger } = deps
  const adapter = adapterOf(row.protocol)
  const startedAt = performance.now()
  const stopping = new AbortController()
  let leaseEnd = startedAt + LEASE_SECONDS * 1000
  let rejected: string | null = null
  let saved = { lastPolledAt: row.lastPolledAt, lastError: row.lastError }
  const log = logger.child({ source_id: row.id, tenant_id: row.tenantId })

  /** A hub stores nothing after its lease has expired: another hub may poll by then. */
  const mayStore = () => !stopping.signal.aborted && performance.now() < leaseEnd
  async function store(columns: ReadingColumns): Promise<void> {
    while (mayStore()) {
      try {
        const { errors, rejected_count: count } = await ingest.acceptReadings(
          row.tenantId,
          submissionFromBatch(columns, clock.now().getTime()),
        )
        const all = columns.values.length
        rejected = errors[0] ? `${count} of ${all} readings were rejected: ${errors[0].error}` : null
        return
      } catch (error) {
        if (!(error instanceof Unavailable) && !transientDbError(error)) throw error
        await sleep(RETRY_MS, undefined, { signal: stopping.signal }).catch(() => {})
      }
    }
    log.warn(
      { count: columns.values.length },
      'readings of a polled source were dropped: its polling ended before they could be stored',
    )
  }

  function create() {
    if (row.tagCount === 0) return `config names no ${adapter.tagList}, so there is nothing to read`
    try {
      const source = collectorSource(row, row.machine, openConfig(deps.box, row))
      const namespaces = rememberedNamespaces(deps.pools.system, log, row)
      const collectorDeps = { ...probeDeps({ ...deps, logger: log }, row.tenantId), namespaces, onReadings: store }
      return { source, collector: hostsOf(deps).create(source, collectorDeps) }
    } catch (error) {
      log.error({ err: error }, 'a source cannot be polled: its configuration cannot be used')
      return 'the configuration cannot be used: enter it again'
    }
  }
  const made = create()
  const sinceMs = row.lastPolledAt ? clock.now().getTime() - row.lastPolledAt.getTime() : Number.POSITIVE_INFINITY
  const waitMs = isMoved && sinceMs >= 0 ? Math.max(0, row.pollIntervalSeconds * 1000 - sinceMs) : 0
  const timer = setTimeout(() => {
    const begin = () => {
      if (!stopping.signal.aborted && typeof made !== 'string') made.collector.start()
    }
    // without the shared certificate, servers that require a trusted client refuse the connection, and their error is shown
    prepareConnection(deps, row.protocol).then(begin, (error) => {
      log.error({ err: error }, 'the OPC UA client certificate that all hubs share could not be prepared')
      begin()
    })
  }, waitMs)

  function errorOf(source: CollectorSource, status: CollectorStatus): string | null {
    if (status.state === 'stopped') return saved.lastError
    const isAway = status.state === 'starting' || status.state === 'reconnecting'
    if (!isAway) return describeProblem(status) ?? rejected ?? clockProblem(source, status.sourceClock)
    if (adapter.isSaidByDevice(status.detail)) return status.detail
    const isKnown = status.lastAnswerAt !== null
    const isTime = isKnown ? status.state === 'reconnecting' : performance.now() - startedAt > waitMs + UNREACHABLE_MS
    return isTime ? unreachableMessage(row) : saved.lastError
  }
  function stateNow() {
    if (typeof made === 'string') return { lastPolledAt: saved.lastPolledAt, lastError: made }
    const status = made.collector.status()
    return {
      lastPolledAt: status.lastAnswerAt === null ? saved.lastPolledAt : new Date(status.lastAnswerAt),
      lastError: errorOf(made.source, status),
    }
  }

  return {
    id: row.id,
    version: row.version,
    renewLease: () => {
      leaseEnd = performance.now() + LEASE_SECONDS * 1000
    },
    isLeaseExpired: () => performance.now() >= leaseEnd,
    unsavedState() {
      const state = stateNow()
      const isOld = state.lastError === saved.lastError && state.lastPolledAt?.getTime() === saved.lastPolledAt?.getTime()
      return isOld ? null : { id: row.id, version: row.version, ...state }
    },
    markSaved: ({ lastPolledAt, lastError }) => {
      saved = { lastPolledAt, lastError }
    },
    async stop() {
      clearTimeout(timer)
      stopping.abort()
      if (typeof made !== 'string') await made.collector.stop()
    },
  }
}
