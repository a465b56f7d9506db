import { type Pools, poolLoad } from '../db/pools.ts'
import { type ArchiveSettings, listBaseBackups, missingArchiveFault, readArchiverState } from '../db/recovery/index.ts'
import { exchangeFigures } from '../features/exchange/sync/index.ts'
import {
  type FullTenant,
  fullLimits,
  LIMIT_KINDS,
  type LimitKind,
  type Standards,
  shareOf,
} from '../features/people/limits/index.ts'
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
export function observeDatabase(
  metrics: Metrics,
  deps: { pools: Pools; clock: Clock; heartbeatSeconds: number; standards: Standards; walArchive: ArchiveSettings | undefined },
): void {
  const { app, ingest, system } = deps.pools
  const ask = shareInFlight(async () => figuresOf(deps).catch(() => UNKNOWN), KEEP_MS)
  metrics.beforeScrape(async () => {
    const { waiting, oldestSeconds, online, erp, limits, archive } = await withTimeout(ASK_MS, ask()).catch(() => UNKNOWN)
    metrics.outboxDeliveries.set(waiting)
    metrics.outboxOldestDueSeconds.set(oldestSeconds)
    metrics.agentsOnline.set(online)
    for (const kind of LIMIT_KINDS) {
      metrics.fullLimits.set({ kind, state: 'near' }, limits?.[kind]?.near ?? Number.NaN)
      metrics.fullLimits.set({ kind, state: 'reached' }, limits?.[kind]?.reached ?? Number.NaN)
    }
    metrics.erpDueRecords.set(erp.due)
    metrics.erpOpenBreakers.set(erp.open)
    metrics.erpPausedConnections.set(erp.paused)
    metrics.erpOldestChangeSeconds.set(erp.oldestSeconds)
    metrics.walArchiveFailing.set(archive.failing)
    metrics.walArchiveWaitingSegments.set(archive.waiting)
    metrics.walArchivedTimestampSeconds.set(archive.archivedAt)
    metrics.baseBackupTimestampSeconds.set(archive.baseBackupAt)
    for (const [pool, sql] of Object.entries({ app, ingest, system })) {
      const load = poolLoad(sql)
      metrics.poolConnections.set({ pool, state: 'size' }, load.size)
      metrics.poolConnections.set({ pool, state: 'in_use' }, load.inUse)
      metrics.poolWaiting.set({ pool }, load.waiting)
    }
  })
}

type LimitFigures = Record<LimitKind, { near: number; reached: number }>

interface Figures {
  waiting: number
  oldestSeconds: number
  online: number
  erp: { due: number; open: number; paused: number; oldestSeconds: number }
  limits: LimitFigures | null
  archive: typeof NO_ARCHIVE
}

const NO_ARCHIVE = { failing: Number.NaN, waiting: Number.NaN, archivedAt: Number.NaN, baseBackupAt: Number.NaN }
const UNKNOWN: Figures = {
  limits: null,
  archive: NO_ARCHIVE,
  waiting: Number.NaN,
  oldestSeconds: Number.NaN,
  online: Number.NaN,
  erp: { due: Number.NaN, open: Number.NaN, paused: Number.NaN, oldestSeconds: Number.NaN },
}

const seconds = (at: Date | string | null | undefined) => (at ? new Date(at).getTime() / 1_000 : 0)

/** Of WAL_ARCHIVE. */
async function archiveFigures({
  pools,
  walArchive,
}: Pick<Parameters<typeof observeDatabase>[1], 'pools' | 'walArchive'>): Promise<typeof NO_ARCHIVE> {
  if (!walArchive) return NO_ARCHIVE
  const [state, backups, fault] = await Promise.all([
    readArchiverState(pools.system),
    listBaseBackups(walArchive),
    missingArchiveFault(walArchive),
  ])
  return {
    failing: state.failing || fault || !state.isOn ? 1 : 0,
    waiting: state.waiting,
    archivedAt: seconds(state.lastArchivedAt),
    baseBackupAt: seconds(backups.at(-1)?.endedAt),
  }
}

/** Counts and the first due row come from indexes. Only the agents, which are few, are read row by row. */
async function figuresOf({
  pools,
  clock,
  heartbeatSeconds,
  standards,
  walArchive,
}: Parameters<typeof observeDatabase>[1]): Promise<Figures> {
  const now = clock.now()
  const onlineSince = new Date(now.getTime() - 2 * heartbeatSeconds * 1_000)
  const erp = await exchangeFigures(pools.system, now)
  const allTenants = pools.system
  const full = await fullLimits(allTenants, standards)
  const [row] = await allTenants<{ waiting: number; oldest: Date | null; online: number }[]>`
    select (select count(*)::int from (select from deliveries where status = 'waiting' limit ${COUNTED}) w) as waiting,
      (select min(due_at) from deliveries where status = 'waiting' and due_at <= ${now}) as oldest,
      (select count(*)::int from agents where last_seen > ${onlineSince}) as online`
  if (!row) return UNKNOWN
  const oldestSeconds = row.oldest ? Math.max(0, (now.getTime() - row.oldest.getTime()) / 1_000) : 0
  const archive = await archiveFigures({ pools, walArchive }).catch(() => NO_ARCHIVE)
  return { waiting: row.waiting, oldestSeconds, online: row.online, erp, limits: countFull(full), archive }
}

function countFull(full: readonly FullTenant[]): LimitFigures {
  const counted = (kind: LimitKind) => {
    const of = full.filter((one) => one.kind === kind)
    return { near: of.length, reached: of.filter((one) => shareOf(one) >= 1).length }
  }
  return Object.fromEntries(LIMIT_KINDS.map((kind) => [kind, counted(kind)])) as LimitFigures
}
