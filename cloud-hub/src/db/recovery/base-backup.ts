import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { constants, createZstdCompress } from 'node:zlib'
import { ADVISORY_LOCKS } from '../advisory-locks.ts'
import postgres from '../driver.ts'
import { sessionAttrs } from '../hosts.ts'
import { asOwner } from '../owner.ts'
import type { Sql } from '../pools.ts'
import { type ArchiveSettings, baseFolder, claimArchive, makeArchive, sourceOf, syncFolder, writeDurably } from './archive.ts'
import { type BaseBackup, DATA_FILE, entryFile, KEY_FILE, MANIFEST } from './catalogue.ts'
import { parseLsn, segmentName } from './lsn.ts'

/** The command cannot proceed; the message is for a terminal. */
export class RecoveryRefused extends Error {}

export interface BaseBackupOptions {
  /** the folder for its folder; default: `base` in the archive */
  to: string | undefined
  hubVersion: string
  keyMark: string
  /** the key that the hub generated; null when the operator sets SECRET_KEY */
  secretKey: string | null
  progress: (bytes: number) => void
  /** how long the archive may take for the last segment; default 2 minutes */
  archivedWithinMs?: number
}

/**
 * Copies the whole cluster through PostgreSQL's replication protocol while it runs, and waits until the archive has what the copy
 * needs. The list gets its entry last, so a backup that was interrupted does not exist.
 * @throws RecoveryRefused, ForeignArchive
 */
export function makeBaseBackup(url: string, archive: ArchiveSettings, options: BaseBackupOptions): Promise<BaseBackup> {
  return asOwner(url, 'base backup', async (owner) => {
    const server = await examine(owner)
    const [lock] = await owner<[{ ok: boolean }]>`select pg_try_advisory_lock(${ADVISORY_LOCKS.baseBackup}) as ok`
    if (!lock.ok) throw new RecoveryRefused('Another base backup of this database is being made.')
    await makeArchive(archive, server.systemId)
    const parent = path.resolve(options.to ?? baseFolder(archive))
    await mkdir(baseFolder(archive), { recursive: true, mode: 0o700 })
    await mkdir(parent, { recursive: true, mode: 0o700 })
    await removeDrafts(parent)
    const startedAt = server.now
    const label = `${startedAt.toISOString().replaceAll(/[-:]|\.\d+/g, '')}`
    const [draft, folder] = [path.join(parent, `${label}${DRAFT}`), path.join(parent, label)]
    if (await stat(folder).catch(() => null)) throw new RecoveryRefused(`${folder} exists already.`)
    await mkdir(draft, { mode: 0o700 })
    try {
      const manifest = await copyCluster(url, draft, options.progress)
      const { timeline, startLsn, endLsn } = walRange(manifest)
      const [end] = await owner<[{ now: Date; failures: string }]>`
        select clock_timestamp() as now, coalesce((select sum(checksum_failures) from pg_stat_database), 0)::text as failures`
      if (end.failures !== server.checksumFailures)
        throw new RecoveryRefused(
          'PostgreSQL has found damaged pages while it was copied: its log names them. No base backup was made.',
        )
      await writeDurably(path.join(draft, MANIFEST), manifest)
      if (options.secretKey) await writeDurably(path.join(draft, KEY_FILE), `${options.secretKey}\n`)
      const last = segmentName(timeline, Math.floor((parseLsn(endLsn) - 1) / server.segmentBytes), server.segmentBytes)
      await waitForSegment(owner, archive, last, options.archivedWithinMs ?? 120_000)
      // not before: an empty directory without its mount does not get the segment
      await claimArchive(archive, server.systemId)
      await syncFolder(draft)
      await rename(draft, folder)
      await syncFolder(parent)
      const entry: BaseBackup = {
        label,
        folder,
        startedAt: startedAt.toISOString(),
        endedAt: end.now.toISOString(),
        timeline,
        startLsn,
        endLsn,
        systemId: server.systemId,
        segmentBytes: server.segmentBytes,
        hubVersion: options.hubVersion,
        postgresVersion: server.version,
        keyMark: options.keyMark,
        hasSecretKey: options.secretKey !== null,
        bytes: (await stat(path.join(folder, DATA_FILE))).size,
        manifestSha256: createHash('sha256').update(manifest).digest('hex'),
      }
      await writeDurably(entryFile(archive, label), `${JSON.stringify(entry, null, 2)}\n`)
      return entry
    } catch (error) {
      await rm(draft, { recursive: true, force: true })
      throw error
    }
  })
}

const DRAFT = '.part'

/** What an interrupted backup left. The lock says that no other one is being made. */
async function removeDrafts(parent: string): Promise<void> {
  for (const name of await readdir(parent))
    if (/^\d{8}T\d{6}Z\.part$/.test(name)) await rm(path.join(parent, name), { recursive: true, force: true })
}

async function examine(owner: Sql) {
  const [server] = await owner<
    [
      {
        now: Date
        version: string
        segmentBytes: number
        archiveMode: string
        systemId: string
        tablespaces: string[]
        checksumFailures: string
        role: string
        mayReplicate: boolean
      },
    ]
  >`
    select clock_timestamp() as now, current_setting('server_version') as version,
      (select setting::int from pg_settings where name = 'wal_segment_size') as "segmentBytes",
      current_setting('archive_mode') as "archiveMode",
      (select system_identifier::text from pg_control_system()) as "systemId",
      array(select spcname::text from pg_tablespace where spcname not in ('pg_default', 'pg_global') order by 1) as tablespaces,
      coalesce((select sum(checksum_failures) from pg_stat_database), 0)::text as "checksumFailures",
      quote_ident(current_user) as role, (select rolsuper or rolreplication from pg_roles where rolname = current_user) as "mayReplicate"`
  if (server.archiveMode === 'off')
    throw new RecoveryRefused(
      'PostgreSQL does not archive its WAL (archive_mode is off), without which a base backup leads to no instant. Set WAL_ARCHIVE and start ' +
        'the hub again, or set archive_mode on the server that DATABASE_URL names and restart it.',
    )
  if (server.tablespaces.length > 0)
    throw new RecoveryRefused(
      `The cluster has tablespaces (${server.tablespaces.join(', ')}), which base backups do not support.`,
    )
  if (!server.mayReplicate)
    throw new RecoveryRefused(
      `${server.role} may not copy the cluster. As an administrator: alter role ${server.role} replication`,
    )
  return server
}

/** The first byte of each message of BASE_BACKUP. Source: PostgreSQL, 54.4 (streaming replication protocol) */
const [NEW_ARCHIVE, MANIFEST_BEGINS, DATA, PROGRESS] = ['n', 'm', 'd', 'p'].map((letter) => letter.charCodeAt(0))

/** @returns the manifest */
async function copyCluster(url: string, folder: string, progress: (bytes: number) => void): Promise<Buffer> {
  const replication = postgres(url, {
    ...sessionAttrs(url),
    max: 1,
    fetch_types: false,
    onnotice: () => {},
    connection: { application_name: 'haltless base backup', replication: 'database' } as Record<string, string>,
  })
  const file = path.join(folder, DATA_FILE)
  const zstd = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } })
  const written = pipeline(zstd, createWriteStream(file, { mode: 0o600, flags: 'wx' }))
  written.catch(() => {})
  try {
    const command = `BASE_BACKUP (LABEL 'haltless', CHECKPOINT 'fast', MANIFEST 'yes', MANIFEST_CHECKSUMS 'SHA256', WAIT false)`
    const stream = (await replication.unsafe(command).readable()) as Readable
    const manifest: Buffer[] = []
    let [bytes, isManifest] = [0, false]
    await new Promise<void>((resolve, reject) => {
      written.catch(reject)
      // Flowing: each chunk is one message.
      stream.on('data', (message: Buffer) => {
        const [kind, content] = [message[0], message.subarray(1)]
        if (kind === MANIFEST_BEGINS) isManifest = true
        else if (kind === DATA && isManifest) manifest.push(Buffer.from(content))
        else if (kind === DATA) {
          bytes += content.length
          progress(bytes)
          if (!zstd.write(content)) {
            stream.pause()
            zstd.once('drain', () => stream.resume())
          }
        } else if (kind !== NEW_ARCHIVE && kind !== PROGRESS) reject(new Error(`BASE_BACKUP sent an unknown message (${kind})`))
      })
      stream.once('end', resolve).once('error', reject)
      stream.once('close', () => reject(new Error('the connection of the base backup has ended')))
    })
    zstd.end()
    await written
    const handle = await open(file, 'r+')
    await handle.sync().finally(() => handle.close())
    return Buffer.concat(manifest)
  } finally {
    zstd.destroy()
    await replication.end({ timeout: 5 })
  }
}

function walRange(manifest: Buffer): { timeline: number; startLsn: string; endLsn: string } {
  const { 'WAL-Ranges': ranges } = JSON.parse(manifest.toString()) as {
    'WAL-Ranges': { Timeline: number; 'Start-LSN': string; 'End-LSN': string }[]
  }
  const range = ranges.at(-1)
  if (!range) throw new Error('the manifest of the base backup names no WAL')
  return { timeline: range.Timeline, startLsn: range['Start-LSN'], endLsn: range['End-LSN'] }
}

/** @throws RecoveryRefused when the archive does not get the segment in time */
async function waitForSegment(owner: Sql, archive: ArchiveSettings, name: string, limitMs: number): Promise<void> {
  const source = sourceOf(archive)
  for (const end = Date.now() + limitMs; !(await source.read(name)); await sleep(250)) {
    if (Date.now() < end) continue
    const [state] = await owner<[{ failed: string | null }]>`
      select case when last_failed_time > coalesce(last_archived_time, '-infinity') then last_failed_wal end as failed from pg_stat_archiver`
    throw new RecoveryRefused(
      `${source.name} did not get ${name} within ${limitMs / 1_000} s` +
        (state.failed
          ? `: PostgreSQL cannot archive ${state.failed}, and its log says why.`
          : '. Is it where PostgreSQL archives to?') +
        ' No base backup was made.',
    )
  }
}
