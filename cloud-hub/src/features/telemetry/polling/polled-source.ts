import { setTimeout as sleep } from 'node:timers/promises'
import {
  adapterOf,
  type Collector,
  type CollectorSource,
  type CollectorStatus,
  clockProblem,
  problemOf,
} from '@haltless/edge-agent/collectors'
import { type Fault, fault, type ReadingColumns } from '@haltless/protocol'
import { transientDbError } from '../../../db/errors.ts'
import { Unavailable } from '../../../support/errors.ts'
import { type Ingest, submissionFromBatch } from '../ingest/index.ts'
import { type CollectingDeps, hostsOf, prepareConnection, probeDeps } from './collecting.ts'
import { LEASE_SECONDS, type PolledSource, type SourceState } from './leases.ts'
import { openConfig, type SourceDeps } from './manage-source.ts'
import { rememberedNamespaces } from './namespaces.ts'
import { collectorSource } from './source-config.ts'
import { unreachableFault } from './test-connection.ts'

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
  const startedAt = performance.now()
  const stopping = new AbortController()
  let leaseEnd = startedAt + LEASE_SECONDS * 1000
  let rejected: Fault | null = null
  let saved = { lastPolledAt: row.lastPolledAt, lastError: row.lastError, lastFault: row.lastFault }
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
        rejected = errors[0] ? fault('readings_rejected', { count, all, reason: errors[0].error }) : null
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

  function create(): { fault: Fault } | { source: CollectorSource; collector: Collector } {
    if (row.tagCount === 0) return { fault: fault('source_without_tags', { list: adapterOf(row.protocol).tagList }) }
    try {
      const source = collectorSource(row, row.machine, openConfig(deps.box, row))
      const namespaces = rememberedNamespaces(deps.pools.system, log, row)
      const collectorDeps = { ...probeDeps({ ...deps, logger: log }, row.tenantId), namespaces, onReadings: store }
      return { source, collector: hostsOf(deps).create(source, collectorDeps) }
    } catch (error) {
      log.error({ err: error }, 'a source cannot be polled: its configuration cannot be used')
      return { fault: fault('source_config_unusable') }
    }
  }
  const made = create()
  const sinceMs = row.lastPolledAt ? clock.now().getTime() - row.lastPolledAt.getTime() : Number.POSITIVE_INFINITY
  const waitMs = isMoved && sinceMs >= 0 ? Math.max(0, row.pollIntervalSeconds * 1000 - sinceMs) : 0
  const timer = setTimeout(() => {
    const begin = () => {
      if (!stopping.signal.aborted && !('fault' in made)) made.collector.start()
    }
    // without the shared certificate, servers that require a trusted client refuse the connection, and their error is shown
    prepareConnection(deps, row.protocol).then(begin, (error) => {
      log.error({ err: error }, 'the OPC UA client certificate that all hubs share could not be prepared')
      begin()
    })
  }, waitMs)

  /** @returns undefined: nothing new is known */
  function faultNow(source: CollectorSource, status: CollectorStatus): Fault | null | undefined {
    if (status.state === 'stopped') return undefined
    const isAway = status.state === 'starting' || status.state === 'reconnecting'
    if (!isAway) return problemOf(status) ?? rejected ?? clockProblem(source, status.sourceClock)
    // what happens on the way to a device would show what listens where
    if (status.fault?.source === 'device') return status.fault
    const isKnown = status.lastAnswerAt !== null
    const isTime = isKnown ? status.state === 'reconnecting' : performance.now() - startedAt > waitMs + UNREACHABLE_MS
    return isTime ? unreachableFault(row) : undefined
  }
  function stateNow() {
    const status = 'fault' in made ? null : made.collector.status()
    const found = 'fault' in made ? made.fault : faultNow(made.source, made.collector.status())
    const { lastError, lastFault } = found === undefined ? saved : { lastError: found?.detail ?? null, lastFault: found }
    return { lastPolledAt: status?.lastAnswerAt ? new Date(status.lastAnswerAt) : saved.lastPolledAt, lastError, lastFault }
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
      const isSame = state.lastError === saved.lastError && state.lastFault?.code === saved.lastFault?.code
      const isOld = isSame && state.lastPolledAt?.getTime() === saved.lastPolledAt?.getTime()
      return isOld ? null : { id: row.id, version: row.version, ...state }
    },
    markSaved: ({ lastPolledAt, lastError, lastFault }) => {
      saved = { lastPolledAt, lastError, lastFault }
    },
    async stop() {
      clearTimeout(timer)
      stopping.abort()
      if (!('fault' in made)) await made.collector.stop()
    },
  }
}
