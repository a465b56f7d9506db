import { randomUUID } from 'node:crypto'
import type { Sql } from '../../../db/pools.ts'
import { repeat } from '../../../support/jobs.ts'
import {
  claimSources,
  type Lease,
  loadSources,
  registerPoller,
  releaseLeases,
  renewLeases,
  saveSourceStates,
  unregisterPoller,
} from './leases.ts'
import { type PolledSourceDeps, type RunningSource, runSource } from './polled-source.ts'

export interface PollingDeps extends PolledSourceDeps {
  pools: { system: Sql; listen: Sql }
}

/** The NOTIFY channel of every change of sources. The payload is `tenant/agent`, or empty for sources that hubs poll. */
export const SOURCES_CHANNEL = 'haltless_sources'
/** Interval at which leases are renewed and states saved; every change also triggers a run. */
const RUN_SECONDS = 2

/**
 * Polls this hub's share of the sources without an agent. A lease in the database assigns each source to one hub. Leases of a
 * killed hub expire, and a hub that joins gets its share.
 * @returns stops polling, saves the states and releases the leases
 */
export async function startPolling(deps: PollingDeps): Promise<() => Promise<void>> {
  const { logger } = deps
  const { system: sql, listen } = deps.pools
  const hubId = randomUUID()
  const running = new Map<string, RunningSource>()
  /** sources that are stopping; runs do not wait for them, because a device may hang */
  const ending = new Set<string>()
  let isStopping = false

  function end(source: RunningSource): void {
    running.delete(source.id)
    ending.add(source.id)
    const ended = () => {
      ending.delete(source.id)
      runSoon()
    }
    source.stop().then(ended, ended)
  }

  async function saveStates(): Promise<void> {
    const news = [...running.values()].flatMap((source) => source.unsavedState() ?? [])
    if (news.length === 0) return
    const written = new Set(await saveSourceStates(sql, hubId, news))
    for (const state of news) if (written.has(state.id)) running.get(state.id)?.markSaved(state)
  }

  async function assignSources(): Promise<void> {
    // this hub hung, or its database was unavailable: other hubs poll these sources by now
    for (const source of [...running.values()]) if (source.isLeaseExpired()) end(source)
    // a state that cannot be saved must not cost the leases of all sources
    await saveStates().catch((error: unknown) => logger.error({ err: error }, 'the states of polling sources could not be saved'))
    const share = await registerPoller(sql, hubId)
    const held = await renewLeases(sql, hubId)
    for (const lease of held) if (lease.renewed) running.get(lease.id)?.renewLease()
    const [kept, excess] = [held.slice(0, share), held.slice(share)]
    const taken = kept.length < share ? await claimSources(sql, hubId, share - kept.length) : []
    const wanted = new Map<string, Lease>([...kept, ...taken].map((lease) => [lease.id, lease]))
    for (const source of [...running.values()]) if (wanted.get(source.id)?.version !== source.version) end(source)
    const isIdle = ({ id }: Lease) => !running.has(id) && !ending.has(id)
    const given = excess.filter(isIdle).map(({ id }) => id)
    if (given.length > 0) await releaseLeases(sql, hubId, given)
    const isTaken = new Set(taken.map(({ id }) => id))
    const missing = [...wanted.values()].filter(isIdle).map(({ id }) => id)
    for (const row of missing.length > 0 ? await loadSources(sql, missing) : [])
      running.set(row.id, runSource(deps, row, isTaken.has(row.id)))
  }

  let again = false
  let turning: Promise<void> | null = null
  /** Runs once at a time. A call during a run makes another run follow. */
  const run = (): Promise<void> => {
    again = true
    turning ??= (async () => {
      try {
        while (again && !isStopping) {
          again = false
          await assignSources()
        }
      } finally {
        turning = null
      }
    })()
    return turning
  }
  const runSoon = () => {
    if (!isStopping)
      run().catch((error) => logger.warn({ err: error }, 'assigning polling sources failed; the next run tries again'))
  }
  const subscription = await listen.listen(SOURCES_CHANNEL, (payload) => {
    if (payload === '') runSoon()
  })
  const stopRepeating = repeat('poll_sources', RUN_SECONDS, logger, run)
  return async () => {
    isStopping = true
    await subscription.unlisten().catch(() => {})
    await stopRepeating()
    await turning
    await Promise.all([...running.values()].map((source) => source.stop()))
    await saveStates().catch(() => {})
    await unregisterPoller(sql, hubId).catch((error) =>
      logger.warn({ err: error }, 'the leases of polling sources were not released; they expire by themselves'),
    )
  }
}
