import { type Pools, poolLoad } from '../db/pools.ts'
import { exchangeFigures } from '../features/exchange/sync/index.ts'
import type { Metrics } from '../metrics.ts'
import type { Clock } from '../support/clock.ts'
import { shareInFlight } from '../support/share-in-flight.ts'
import { withTimeout } from '../support/timeout.ts'

/** Figures are cached for this long, so that frequent scrapes do not load the database. */
const KEEP_MS = 5_000
/** A scrape waits no longer than this for the database. */
const ASK_MS = 2_000
const COUNTED = 10_000

/** Adds figures of the database and its pools to `/metrics`. A figure that cannot be read is NaN. */
export function observeDatabase(metrics: Metrics, deps: { pools: Pools; clock: Clock; heartbeatSeconds: number }): void {
  const { app, ingest, system } = deps.pools
  const ask = shareInFlight(async () => figuresOf(deps).catch(() => UNKNOWN), KEEP_MS)
  metrics.beforeScrape(async () => {
    const { waiting, oldestSeconds, online, erp } = await withTimeout(ASK_MS, ask()).catch(() => UNKNOWN)
    metrics.outboxDeliveries.set(waiting)
    metrics.outboxOldestDueSeconds.set(oldestSeconds)
    metrics.agentsOnline.set(online)
    metrics.erpDueRecords.set(erp.due)
    metrics.erpOpenBreakers.set(erp.open)
    metrics.erpPausedConnections.set(erp.paused)
    metrics.erpOldestChangeSeconds.set(erp.oldestSeconds)
    for (const [pool, sql] of Object.entries({ app, ingest, system })) {
      const load = poolLoad(sql)
      metrics.poolConnections.set({ pool, state: 'size' }, load.size)
      metrics.poolConnections.set({ pool, state: 'in_use' }, load.inUse)
      metrics.poolWaiting.set({ pool }, load.waiting)
    }
  })
}

const UNKNOWN = {
  waiting: Number.NaN,
  oldestSeconds: Number.NaN,
  online: Number.NaN,
  erp: { due: Number.NaN, open: Number.NaN, paused: Number.NaN, oldestSeconds: Number.NaN },
}

/** Counts and the first due row come from indexes. Only the agents, which are few, are read row by row. */
async function figuresOf({ pools, clock, heartbeatSeconds }: Parameters<typeof observeDatabase>[1]): Promise<typeof UNKNOWN> {
  const now = clock.now()
  const onlineSince = new Date(now.getTime() - 2 * heartbeatSeconds * 1_000)
  const erp = await exchangeFigures(pools.system, now)
  const allTenants = pools.system
  const [row] = await allTenants<{ waiting: number; oldest: Date | null; online: number }[]>`
    select (select count(*)::int from (select from deliveries where status = 'waiting' limit ${COUNTED}) w) as waiting,
      (select min(due_at) from deliveries where status = 'waiting' and due_at <= ${now}) as oldest,
      (select count(*)::int from agents where last_seen > ${onlineSince}) as online`
  if (!row) return UNKNOWN
  const oldestSeconds = row.oldest ? Math.max(0, (now.getTime() - row.oldest.getTime()) / 1_000) : 0
  return { waiting: row.waiting, oldestSeconds, online: row.online, erp }
}
