import { type ArchiveSettings, sourceOf } from './archive.ts'
import { RecoveryRefused } from './base-backup.ts'
import { type BaseBackup, listBaseBackups } from './catalogue.ts'
import { historyName, type Lsn, parseLsn, segmentName } from './lsn.ts'
import { usedBytes } from './sparse.ts'
import { isLaterSegment, readHistory, segmentNames, type TimelineSpan } from './timelines.ts'
import { type ScanStop, WalScanner } from './wal-scanner.ts'
import { DamagedFile, type WalSource } from './wal-source.ts'

/** An instant, or `latest`: as far as the archive leads. */
export type Target = Date | 'latest'

/** What a recovery needs, verified. */
export interface RecoveryPlan {
  backup: BaseBackup
  /** the timeline that is followed, and its history */
  timeline: number
  spans: TimelineSpan[]
  /** the first and the last segment */
  segments: { first: number; last: number }
  /** the room that these need, without the zeros at their ends */
  walBytes: number
  /** the end of the last transaction that is recovered, in milliseconds; null: there was none since the base backup */
  lastTransactionAt: Date | null
}

export interface PlanOptions {
  archive: ArchiveSettings
  source: WalSource
  at: Target
  now: Date
  /** a base backup, by its label; default: the newest one before the instant */
  base?: string
  /** default: that of the present cluster, otherwise the newest one */
  timeline?: number
  /** of the cluster that is replaced; null: there is none */
  present: { systemId: string; timeline: number } | null
  progress: (name: string) => void
}

/**
 * Finds the base backup for an instant and verifies the WAL from there to the instant, before anything is written.
 * @throws RecoveryRefused, which names the last instant that can be restored
 */
export async function planRecovery(options: PlanOptions): Promise<RecoveryPlan> {
  const { archive, source, at, now, present } = options
  if (at !== 'latest' && at > now) throw new RecoveryRefused(`${at.toISOString()} is in the future.`)
  const all = await listBaseBackups(archive)
  if (all.length === 0)
    throw new RecoveryRefused(`There is no base backup in ${archive.folder}: \`npm run hub -- base-backup\` makes one.`)
  for (const { systemId, folder } of all)
    if (present && systemId !== present.systemId)
      throw new RecoveryRefused(
        `${folder} is of another database cluster (${systemId}) than the present one (${present.systemId}). Nothing was restored. ` +
          'To restore it all the same, use an empty DATA_DIR.',
      )
  const timeline = options.timeline ?? present?.timeline ?? Math.max(1, ...(await source.timelines()))
  const spans = await readHistory(source, timeline).catch((error) => {
    throw new RecoveryRefused(`The archive ${source.name} does not have what a restore needs: ${(error as Error).message}.`)
  })
  const backup = chooseBackup(all, spans, options)
  return { backup, timeline, spans, ...(await verifyWal(backup, spans, options)) }
}

const isOnPath = (backup: BaseBackup, spans: TimelineSpan[]): boolean =>
  spans.some((span) => span.timeline === backup.timeline && parseLsn(backup.endLsn) <= span.until)

function chooseBackup(all: BaseBackup[], spans: TimelineSpan[], { at, base, timeline }: PlanOptions): BaseBackup {
  const named = base === undefined ? all.filter((one) => isOnPath(one, spans)) : all.filter(({ label }) => label === base)
  const [oldest] = named
  if (!oldest)
    throw new RecoveryRefused(
      base === undefined
        ? `No base backup lies on timeline ${timeline ?? spans.at(-1)?.timeline}; --timeline names another one.`
        : `There is no base backup ${base}.`,
    )
  const found = at === 'latest' ? named.at(-1) : named.findLast(({ endedAt }) => new Date(endedAt) <= at)
  if (!found)
    throw new RecoveryRefused(
      `${(at as Date).toISOString()} is before the end of the ${base === undefined ? 'first ' : ''}base backup, ${oldest.endedAt}: ` +
        'earlier instants cannot be restored.',
    )
  return found
}

/** Reads every segment that the recovery needs. */
async function verifyWal(
  backup: BaseBackup,
  spans: TimelineSpan[],
  { source, at, progress }: PlanOptions,
): Promise<Pick<RecoveryPlan, 'segments' | 'walBytes' | 'lastTransactionAt'>> {
  const { segmentBytes } = backup
  const scanner = new WalScanner(parseLsn(backup.startLsn), {
    systemId: BigInt(backup.systemId),
    segmentBytes,
    untilUs: at === 'latest' ? null : BigInt(at.getTime()) * 1_000n,
    endOf: (timeline) => spans.find((span) => span.timeline === timeline)?.until ?? Number.POSITIVE_INFINITY,
  })
  const first = Math.floor(scanner.position / segmentBytes)
  let walBytes = 0
  const upTo = (last: number) => ({ segments: { first, last }, walBytes, lastTransactionAt: instantOf(scanner) })
  for (let segment = first; ; segment++) {
    const found = await readSegment(source, segmentNames(spans, segment, segmentBytes))
    const name = found?.name ?? segmentName(spans.at(-1)?.timeline ?? 1, segment, segmentBytes)
    progress(name)
    if (Buffer.isBuffer(found?.bytes)) walBytes += usedBytes(found.bytes)
    const stop = found ? scanSegment(scanner, found, segment) : missing(scanner.position)
    if (scanner.isPast) return upTo(segment)
    if (!stop) continue
    const hasMore = await hasSegmentAfter(source, spans, segment, segmentBytes)
    const isBeforeBackupEnd = scanner.position < parseLsn(backup.endLsn)
    const isEnd = !hasMore && !isBeforeBackupEnd && stop.kind === 'end'
    if (isEnd && at === 'latest') return upTo(found ? segment : segment - 1)
    throw refusalOf({ stop, name, isEnd, isUsable: !isBeforeBackupEnd, scanner, source, backup })
  }
}

const missing = (lsn: Lsn): ScanStop => ({ kind: 'end', lsn, detail: 'it is missing' })

const scanSegment = (
  scanner: WalScanner,
  { bytes, timeline }: { bytes: Buffer | DamagedFile; timeline: number },
  segment: number,
) =>
  bytes instanceof DamagedFile
    ? ({ kind: 'damaged', lsn: scanner.position, detail: bytes.message } as const)
    : scanner.feed(bytes, segment, timeline)

/** @returns the first file that exists */
async function readSegment(
  source: WalSource,
  names: string[],
): Promise<{ name: string; timeline: number; bytes: Buffer | DamagedFile } | null> {
  for (const name of names) {
    const bytes = await source.read(name).catch((error) => {
      if (error instanceof DamagedFile) return error
      throw error
    })
    if (bytes) return { name, timeline: Number.parseInt(name.slice(0, 8), 16), bytes }
  }
  return null
}

/** Whether the archive goes on after a segment, so that it is not its end. */
async function hasSegmentAfter(
  source: WalSource,
  spans: TimelineSpan[],
  segment: number,
  segmentBytes: number,
): Promise<boolean> {
  const all = await source.segments()
  if (!all) return (await readSegment(source, segmentNames(spans, segment + 1, segmentBytes))) !== null
  return all.some((name) => isLaterSegment(name, spans, segment, segmentBytes))
}

const instantOf = ({ lastTransactionUs }: WalScanner): Date | null =>
  lastTransactionUs === null ? null : new Date(Number(lastTransactionUs / 1_000n))

/** PostgreSQL stops at the first transaction after the target, so the target has to be before the last one. */
function lastTarget({ lastTransactionUs }: WalScanner, backup: BaseBackup): Date | null {
  if (lastTransactionUs === null) return null
  const ms = lastTransactionUs / 1_000n - (lastTransactionUs % 1_000n === 0n ? 1n : 0n)
  const last = new Date(Number(ms))
  return last >= new Date(backup.endedAt) ? last : null
}

function refusalOf({
  stop,
  name,
  isEnd,
  isUsable,
  scanner,
  source,
  backup,
}: {
  stop: ScanStop
  name: string
  isEnd: boolean
  isUsable: boolean
  scanner: WalScanner
  source: WalSource
  backup: BaseBackup
}): RecoveryRefused {
  const last = isUsable ? lastTarget(scanner, backup) : null
  const advice = last
    ? `The last instant that can be restored is ${last.toISOString()}: --at ${last.toISOString()}`
    : `No instant after the base backup of ${backup.endedAt} can be restored: --base names an older one`
  return new RecoveryRefused(
    isEnd
      ? `The archive ${source.name} ends before that. ${advice}`
      : `The archive ${source.name} is damaged in ${name}: ${stop.detail}. Nothing was restored. ${advice}`,
  )
}

/** The names of the files that the recovery reads, with the histories of all timelines, so that PostgreSQL chooses a number that is free. */
export async function filesOf(plan: RecoveryPlan, source: WalSource): Promise<{ histories: string[]; segments: string[][] }> {
  const { first, last } = plan.segments
  const segments: string[][] = []
  for (let n = first; n <= last; n++) segments.push(segmentNames(plan.spans, n, plan.backup.segmentBytes))
  return { histories: (await source.timelines()).map(historyName), segments }
}

/**
 * The first file after a base backup that a restore along a timeline needs and the archive lacks, although it has later ones; null: there is
 * none, or it cannot be listed.
 */
export async function missingSegment(
  archive: ArchiveSettings,
  { startLsn, segmentBytes, timeline: own }: BaseBackup,
  timeline = own,
): Promise<string | null> {
  const source = sourceOf(archive)
  const all = await source.segments()
  if (!all) return null
  const spans = await readHistory(source, timeline).catch(() => null)
  if (!spans) return historyName(timeline)
  const there = new Set(all)
  for (let n = Math.floor(parseLsn(startLsn) / segmentBytes); ; n++) {
    const [name] = segmentNames(spans, n, segmentBytes)
    if (name === undefined || there.has(name)) continue
    return all.some((other) => isLaterSegment(other, spans, n, segmentBytes)) ? name : null
  }
}

/** Whether a restore along a timeline can begin with a base backup. */
export async function isOnTimeline(archive: ArchiveSettings, backup: BaseBackup, timeline: number): Promise<boolean> {
  return isOnPath(backup, await readHistory(sourceOf(archive), timeline).catch(() => []))
}
