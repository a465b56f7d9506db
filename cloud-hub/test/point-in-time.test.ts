import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { mkdir, rename, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { zstdDecompressSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import postgres from '../src/db/driver.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../src/db/embedded/index.ts'
import {
  type ArchiveSettings,
  archiving,
  type BaseBackup,
  compressSegments,
  fillDataDirectory,
  firstOf,
  folderSource,
  keptSince,
  listBaseBackups,
  makeBaseBackup,
  missingSegment,
  planRecovery,
  recoverySettings,
  removeOldBackups,
  replaceCluster,
  sourceOf,
  type Target,
  walFolder,
} from '../src/db/recovery/index.ts'
import { until } from './processes.ts'

let root: string
const running = new Set<EmbeddedPostgres>()
beforeAll(() => {
  // flushes cost nothing in memory, and these tests are not about power failures
  const { bavail, bsize } = existsSync('/dev/shm') ? statfsSync('/dev/shm') : { bavail: 0, bsize: 0 }
  root = mkdtempSync(path.join(bavail * bsize > 2 * 1024 ** 3 ? '/dev/shm' : tmpdir(), 'haltless-pitr-'))
  chmodSync(root, 0o755)
})
afterEach(async () => {
  for (const server of running) await server.stop()
  running.clear()
})
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }))

/** A cluster with an archive whose path has spaces and quotes. */
function place(name: string): { dataDir: string; archive: ArchiveSettings } {
  const folder = path.join(root, name, `the ar'ch"ive`)
  return { dataDir: path.join(root, name, 'postgres'), archive: { folder, archiveCommand: undefined, restoreCommand: undefined } }
}

async function start(dataDir: string, archive?: ArchiveSettings): Promise<EmbeddedPostgres> {
  await mkdir(path.dirname(dataDir), { recursive: true, mode: 0o755 })
  const server = await startEmbeddedPostgres({ dataDir, archive: archiving(archive), restart: false })
  running.add(server)
  return server
}
async function stop(server: EmbeddedPostgres): Promise<void> {
  await server.stop()
  running.delete(server)
}
async function query<T = { name: string }>(server: { url(): string }, text: string): Promise<T[]> {
  const sql = postgres(server.url(), { max: 1, onnotice: () => {} })
  return (await sql.unsafe(text).finally(() => sql.end({ timeout: 1 }))) as unknown as T[]
}
const rows = async (server: EmbeddedPostgres) =>
  (await query(server, 'select name from things order by name')).map(({ name }) => name)

const markOf = (name: string) => `the mark of ${name}`

/** Adds a row, and answers an instant after which there is no other transaction for a while. */
async function add(server: EmbeddedPostgres, name: string): Promise<Date> {
  await query(
    server,
    `create table if not exists things (name text, mark text); insert into things values ('${name}', '${markOf(name)}')`,
  )
  const [row] = await query<{ now: Date }>(server, 'select clock_timestamp() as now')
  await sleep(20)
  return new Date((row?.now.getTime() ?? 0) + 2)
}

const backUp = (server: EmbeddedPostgres, archive: ArchiveSettings, to?: string) =>
  makeBaseBackup(server.url(), archive, { to, hubVersion: 'test', keyMark: 'mark', secretKey: 'key', progress: () => {} })

function restore(
  dataDir: string,
  archive: ArchiveSettings,
  at: Target,
  {
    finish = async () => {},
    freeBytes,
    ...options
  }: { base?: string; timeline?: number; finish?: (url: string) => Promise<void>; freeBytes?: number } = {},
) {
  return replaceCluster({
    dataDir,
    log: () => {},
    async fill(folder, present) {
      const source = present ? firstOf(sourceOf(archive), folderSource(path.join(present.dataDir, 'pg_wal'))) : sourceOf(archive)
      const plan = await planRecovery({ archive, source, at, now: new Date(), present, progress: () => {}, ...options })
      await fillDataDirectory(plan, source, folder, () => {}, freeBytes)
      return recoverySettings(plan, at)
    },
    finish,
  })
}
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'no refusal',
    (error: Error) => error.message,
  )

/** A stopped cluster with a base backup and four rows, each in a segment of its own, and the instants between them. */
async function made(name: string) {
  const { dataDir, archive } = place(name)
  const server = await start(dataDir, archive)
  const beforeBackup = await add(server, 'a')
  const backup = await backUp(server, archive)
  const instants: Date[] = []
  for (const row of ['b', 'c', 'd', 'e']) {
    instants.push(await add(server, row))
    await query(server, 'select pg_switch_wal()')
  }
  await stop(server)
  const [afterB, afterC, afterD, afterE] = instants as [Date, Date, Date, Date]
  return { dataDir, archive, backup, beforeBackup, afterB, afterC, afterD, afterE }
}

const segmentsOf = (archive: ArchiveSettings) =>
  readdirSync(walFolder(archive))
    .filter((file) => /^[0-9A-F]{24}$/.test(file))
    .sort()
/** The segment with that row. */
function segmentWith(archive: ArchiveSettings, row: string, { segmentBytes }: BaseBackup): string {
  const found = segmentsOf(archive).findLast((name) => {
    const bytes = readFileSync(path.join(walFolder(archive), name))
    expect(bytes.length).toBe(segmentBytes)
    return bytes.includes(markOf(row))
  })
  if (!found) throw new Error(`no segment has the row ${row}`)
  return path.join(walFolder(archive), found)
}
const besides = (dataDir: string) =>
  readdirSync(path.dirname(dataDir))
    .filter((name) => name.startsWith('postgres.'))
    .sort()

describe('a restore to an instant', () => {
  it('brings back what was there then, keeps the database before it, and the next one can follow either history', async () => {
    const { dataDir, archive, afterC, afterE } = await made('instant')
    const { kept } = await restore(dataDir, archive, afterC)
    expect(existsSync(path.join(kept ?? '', 'PG_VERSION'))).toBe(true)
    const server = await start(dataDir, archive)
    expect(await rows(server)).toEqual(['a', 'b', 'c'])
    const afterF = await add(server, 'f')
    await add(server, 'g')
    await until('the new timeline is archived', () => existsSync(path.join(walFolder(archive), '00000002.history')))
    // as after a kill: what is not archived is read from the present database
    process.kill(server.pid, 'SIGKILL')
    await stop(server)

    await restore(dataDir, archive, afterF)
    const second = await start(dataDir, archive)
    expect(await rows(second)).toEqual(['a', 'b', 'c', 'f'])
    await stop(second)

    expect(await refusal(restore(dataDir, archive, afterE, { timeline: 1 }))).toContain('ends before that')
    await restore(dataDir, archive, 'latest', { timeline: 1 })
    const first = await start(dataDir, archive)
    expect(await rows(first)).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(besides(dataDir).length).toBe(3)
  })

  it('works from compressed segments and in an empty place, and a base backup elsewhere', async () => {
    const { dataDir, archive } = place('compressed')
    const server = await start(dataDir, archive)
    await add(server, 'a')
    const elsewhere = path.join(root, 'compressed', 'other disk')
    const backup = await backUp(server, archive, elsewhere)
    expect(path.dirname(backup.folder)).toBe(elsewhere)
    const afterB = await add(server, 'b')
    await add(server, 'c')
    await stop(server)
    const [first] = segmentsOf(archive)
    const bytes = readFileSync(path.join(walFolder(archive), first as string))
    for (const name of segmentsOf(archive)) await utimes(path.join(walFolder(archive), name), 0, 0)
    expect(await compressSegments(walFolder(archive), new AbortController().signal)).toBeGreaterThan(1)
    expect(segmentsOf(archive)).toEqual([])
    // PostgreSQL archives a segment again after a crash
    writeFileSync(path.join(walFolder(archive), first as string), bytes)
    const later = Date.now() + 60_000
    expect(await compressSegments(walFolder(archive), new AbortController().signal, later)).toBe(0)
    expect(segmentsOf(archive)).toEqual([])
    bytes[100] = 1 ^ (bytes[100] as number)
    writeFileSync(path.join(walFolder(archive), first as string), bytes)
    await expect(compressSegments(walFolder(archive), new AbortController().signal, later)).rejects.toThrow('differ')
    expect(segmentsOf(archive)).toEqual([first])
    rmSync(path.join(walFolder(archive), first as string))
    expect(zstdDecompressSync(readFileSync(path.join(walFolder(archive), `${first}.zst`))).length).toBe(backup.segmentBytes)

    const empty = path.join(root, 'compressed', 'new', 'postgres')
    await mkdir(path.dirname(empty), { mode: 0o755 })
    expect((await restore(empty, archive, afterB)).kept).toBe(null)
    expect(await rows(await start(empty))).toEqual(['a', 'b'])
  })
})

it('WAL that the restore itself writes, and what was not archived before, reach the archive', async () => {
  const { dataDir, archive } = place('written')
  const server = await start(dataDir, archive)
  await add(server, 'a')
  const backup = await backUp(server, archive)
  await stop(server)
  // nothing of this reaches the archive
  const unarchived = await startEmbeddedPostgres({
    dataDir,
    restart: false,
    flags: ['-c', 'archive_mode=on', '-c', 'archive_command=exit 1'],
  })
  running.add(unarchived)
  await query(unarchived, 'select pg_switch_wal()')
  const afterB = await add(unarchived, 'b')
  await query(unarchived, 'select pg_switch_wal()')
  await add(unarchived, 'c')
  await stop(unarchived)
  await restore(dataDir, archive, afterB, {
    async finish(url) {
      const written = { url: () => url }
      await query(written, 'create table big as select repeat(md5(g::text), 30) as t from generate_series(1, 40000) g')
      await query(written, 'checkpoint')
      await query(written, 'checkpoint')
    },
  })
  const second = await start(dataDir, archive)
  await add(second, 'd')
  const { current } = (await query<{ current: string }>(second, 'select pg_walfile_name(pg_switch_wal()) as current'))[0] ?? {}
  await until('the last segment is archived', () => existsSync(path.join(walFolder(archive), String(current))))
  expect(await missingSegment(archive, backup, 2)).toBe(null)
  const parts = segmentsOf(archive).filter((name) => name.startsWith('00000002'))
  expect(parts.length).toBeGreaterThan(2)
  await stop(second)
  const empty = path.join(root, 'written', 'new', 'postgres')
  await mkdir(path.dirname(empty), { mode: 0o755 })
  await restore(empty, archive, 'latest')
  expect(await rows(await start(empty))).toEqual(['a', 'b', 'd'])
  rmSync(path.join(walFolder(archive), parts[0] as string))
  expect(await missingSegment(archive, backup, 2)).toBe(parts[0])
})

it('a database whose archive is not mounted starts, keeps its WAL, and archives it after the next start with the mount', async () => {
  const { dataDir, archive: plain } = place('unmounted')
  const archive = { ...plain, claimFile: path.join(root, 'unmounted', 'wal-archive') }
  await stop(await start(dataDir, archive))
  await rename(archive.folder, `${archive.folder}.away`)
  const server = await start(dataDir, archive)
  await add(server, 'a')
  const { current } = (await query<{ current: string }>(server, 'select pg_walfile_name(pg_switch_wal()) as current'))[0] ?? {}
  await until('archiving fails', async () => {
    const [row] = await query<{ failed: number }>(server, 'select failed_count::int as failed from pg_stat_archiver')
    return (row?.failed ?? 0) > 0
  })
  expect(await refusal(backUp(server, archive))).toContain('is it mounted?')
  expect(existsSync(archive.folder)).toBe(false)
  await stop(server)
  await rename(`${archive.folder}.away`, archive.folder)
  const second = await start(dataDir, archive)
  await until('the segment is archived', () => existsSync(path.join(walFolder(archive), String(current))))
  expect(await rows(second)).toEqual(['a'])
})

it('a quiet database archives after the timeout, from its start on', async () => {
  const { dataDir, archive } = place('quiet')
  await stop(await start(dataDir, archive))
  const before = segmentsOf(archive)
  const server = await startEmbeddedPostgres({
    dataDir,
    archive: archiving(archive),
    restart: false,
    flags: ['-c', 'archive_timeout=1s'],
  })
  running.add(server)
  await add(server, 'a')
  await until('the segment with the row is archived', () => segmentsOf(archive).length > before.length, 30_000)
})

it('an archive behind commands is written and read by them', async () => {
  const { dataDir, archive: folder } = place('commands')
  const store = path.join(root, 'commands', 'store')
  await mkdir(store, { recursive: true, mode: 0o755 })
  chmodSync(store, 0o777)
  const archive = { ...folder, archiveCommand: `cp "%p" ${store}/%f`, restoreCommand: `cp ${store}/%f "%p" 2>/dev/null` }
  const server = await start(dataDir, archive)
  await add(server, 'a')
  await backUp(server, archive)
  const afterB = await add(server, 'b')
  await query(server, 'select pg_switch_wal()')
  await add(server, 'c')
  await stop(server)
  await restore(dataDir, archive, afterB)
  const second = await start(dataDir, archive)
  expect(await rows(second)).toEqual(['a', 'b'])
  await until('the new timeline is archived', () => existsSync(path.join(store, '00000002.history')))
  await stop(second)
  await restore(dataDir, archive, 'latest', { timeline: 1 })
  const third = await start(dataDir, archive)
  expect(await rows(third)).toEqual(['a', 'b', 'c'])
  await stop(third)
  const segments = readdirSync(store)
    .filter((name) => /^0000000100[0-9A-F]{14}$/.test(name))
    .sort()
  rmSync(path.join(store, segments.at(-2) as string))
  expect(await refusal(restore(dataDir, archive, 'latest', { timeline: 1 }))).toContain('is damaged in')
})

describe('a restore is refused, and changes nothing', () => {
  it('outside of what the archive has, on a running database, and beside another restore', async () => {
    const { dataDir, archive, beforeBackup, afterB, afterE } = await made('refused')
    const before = readFileSync(path.join(dataDir, 'global/pg_control'))
    expect(await refusal(restore(dataDir, archive, new Date(Date.now() + 60_000)))).toContain('is in the future')
    expect(await refusal(restore(dataDir, archive, beforeBackup))).toContain('before the end of the first base backup')
    const late = await refusal(restore(dataDir, archive, afterE))
    expect(late).toMatch(/ends before that\. The last instant that can be restored is \S+Z: --at \S+Z$/)
    expect(await refusal(restore(dataDir, archive, afterB, { freeBytes: 250 * 1_048_576 }))).toMatch(
      /0\.2 GiB free.* needs 0\.3 GiB/,
    )
    const both = await Promise.allSettled([restore(dataDir, archive, afterE), restore(dataDir, archive, afterE)])
    expect(both.map((one) => String((one as PromiseRejectedResult).reason.message)).join()).toContain('Another restore')
    expect(readFileSync(path.join(dataDir, 'global/pg_control'))).toEqual(before)
    expect(besides(dataDir)).toEqual([])

    const server = await start(dataDir, archive)
    expect(await refusal(restore(dataDir, archive, afterB))).toContain('is running on this DATA_DIR')
    expect(await rows(server)).toEqual(['a', 'b', 'c', 'd', 'e'])
    await stop(server)
    // the instant that the refusal names is one that works
    const [, last = ''] = /--at (\S+Z)$/.exec(late) ?? []
    await restore(dataDir, archive, new Date(last))
    expect(await rows(await start(dataDir, archive))).toEqual(['a', 'b', 'c', 'd'])
  })

  it('by a damaged or missing segment, with the last instant before it', async () => {
    const { dataDir, archive, backup, afterC, afterD } = await made('damaged')
    rmSync(path.join(dataDir, 'pg_wal'), { recursive: true })
    const [segment, whole] = [segmentWith(archive, 'd', backup), readFileSync(segmentWith(archive, 'd', backup))]
    const before = readFileSync(path.join(dataDir, 'global/pg_control'))
    const faults: [string, () => void][] = [
      [
        'does not match its checksum',
        () => {
          const at = whole.indexOf(markOf('d'))
          writeFileSync(segment, Buffer.from(whole.map((byte, i) => (i === at + 1 ? byte ^ 1 : byte))))
        },
      ],
      ['bytes', () => writeFileSync(segment, whole.subarray(0, 100_000))],
      [
        'another cluster',
        () => {
          const other = Buffer.from(whole)
          other[24] = 1 ^ (other[24] as number)
          writeFileSync(segment, other)
        },
      ],
      ['it is missing', () => rmSync(segment)],
    ]
    for (const [words, damage] of faults) {
      damage()
      const message = await refusal(restore(dataDir, archive, afterD))
      expect(message).toContain(`is damaged in ${path.basename(segment)}`)
      expect(message).toContain(words)
      const [, last = ''] = /--at (\S+Z)$/.exec(message) ?? []
      expect(new Date(last).getTime()).toBeLessThan(afterC.getTime())
      expect(await refusal(restore(dataDir, archive, 'latest'))).toContain('is damaged')
    }
    expect(await missingSegment(archive, backup)).toBe(path.basename(segment))
    expect(besides(dataDir)).toEqual([])
    expect(readFileSync(path.join(dataDir, 'global/pg_control'))).toEqual(before)
  })

  it('by a damaged base backup, and an older one can be named', async () => {
    const { dataDir, archive } = place('base')
    const server = await start(dataDir, archive)
    await add(server, 'a')
    const older = await backUp(server, archive)
    await sleep(1_000) // labels have seconds
    const newer = await backUp(server, archive)
    const afterB = await add(server, 'b')
    await add(server, 'c')
    await stop(server)
    const data = path.join(newer.folder, 'base.tar.zst')
    const bytes = readFileSync(data)
    for (const damaged of [bytes.subarray(0, bytes.length / 2), Buffer.from(bytes.map((b, i) => (i === 9_000 ? b ^ 4 : b)))]) {
      writeFileSync(data, damaged)
      const message = await refusal(restore(dataDir, archive, afterB))
      expect(message).toContain(`The base backup ${newer.folder} is damaged`)
      expect(besides(dataDir)).toEqual([])
    }
    await restore(dataDir, archive, afterB, { base: older.label })
    expect(await rows(await start(dataDir, archive))).toEqual(['a', 'b'])
  })

  it('with the archive of another cluster, into which this one does not archive either', async () => {
    const { archive, afterC } = await made('one')
    const { dataDir } = place('two')
    await stop(await start(dataDir))
    expect(await refusal(restore(dataDir, archive, afterC))).toContain('is of another database cluster')
    await expect(start(dataDir, archive)).rejects.toThrow('belongs to another database cluster')
  })
})

describe('an interruption', () => {
  it('between the recovery and the exchange of the databases is made up for at the next start', async () => {
    const { dataDir, archive, afterC } = await made('interrupted')
    const { kept } = await restore(dataDir, archive, afterC)
    await rename(dataDir, `${dataDir}.recovered`)
    // killed before, or after the present database was moved
    await rename(kept as string, dataDir)
    const server = await start(dataDir, archive)
    expect(await rows(server)).toEqual(['a', 'b', 'c'])
    await stop(server)
    await rename(dataDir, `${dataDir}.recovered`)
    expect(await rows(await start(dataDir, archive))).toEqual(['a', 'b', 'c'])
  })
})

describe('base backups', () => {
  it('are removed with the segments that no kept one needs, and files of attachments are kept since the oldest one', async () => {
    const { dataDir, archive } = place('retention')
    expect(await keptSince(archive)).toEqual(new Date(0))
    const server = await start(dataDir, archive)
    expect(await keptSince(archive)).toBe(null)
    await add(server, 'a')
    const first = await backUp(server, archive)
    expect(await keptSince(archive)).toEqual(new Date(first.startedAt))
    await sleep(1_000)
    const second = await backUp(server, archive)
    const afterB = await add(server, 'b')
    await add(server, 'c')
    const removed = await removeOldBackups(archive, 1)
    expect([removed.backups, removed.segments > 0]).toEqual([[first.label], true])
    expect((await listBaseBackups(archive)).map(({ label }) => label)).toEqual([second.label])
    expect(existsSync(first.folder)).toBe(false)
    expect(await missingSegment(archive, second)).toBe(null)
    await stop(server)
    await restore(dataDir, archive, afterB)
    expect(await rows(await start(dataDir, archive))).toEqual(['a', 'b'])
  })

  it('that are kept keep their segments after a restore to an earlier instant, too', async () => {
    const { dataDir, archive } = place('two histories')
    const server = await start(dataDir, archive)
    await add(server, 'a')
    const first = await backUp(server, archive)
    const afterB = await add(server, 'b')
    for (let n = 0; n < 4; n++) {
      await add(server, 'later')
      await query(server, 'select pg_switch_wal()')
    }
    const left = await backUp(server, archive)
    await stop(server)
    await restore(dataDir, archive, afterB)
    const second = await start(dataDir, archive)
    const newest = await backUp(second, archive)
    const afterC = await add(second, 'c')
    await add(second, 'd')
    await stop(second)
    expect(newest.startLsn < left.startLsn).toBe(true)
    expect((await removeOldBackups(archive, 2)).backups).toEqual([first.label])
    await restore(dataDir, archive, afterC)
    expect(await rows(await start(dataDir, archive))).toEqual(['a', 'b', 'c'])
  })

  it('are refused without archiving, with tablespaces, and without an archive that gets the WAL', async () => {
    const { dataDir, archive } = place('unready')
    const plain = await start(dataDir)
    expect(await refusal(backUp(plain, archive))).toContain('archive_mode is off')
    await stop(plain)
    const server = await start(dataDir, archive)
    const wrong = { ...archive, folder: path.join(root, 'unready', 'wrong') }
    const limited = { to: undefined, hubVersion: '', keyMark: '', secretKey: null, progress: () => {}, archivedWithinMs: 500 }
    expect(await refusal(makeBaseBackup(server.url(), wrong, limited))).toContain('did not get')
    expect(readdirSync(path.join(wrong.folder, 'base'))).toEqual([])
    await query(server, 'alter system set allow_in_place_tablespaces = on')
    await query(server, 'select pg_reload_conf()')
    await query(server, "create tablespace elsewhere location ''")
    expect(await refusal(backUp(server, archive))).toContain('tablespaces (elsewhere)')
  })

  it('that was interrupted leaves nothing behind after the next one', async () => {
    const { dataDir, archive } = place('killed')
    const server = await start(dataDir, archive)
    const draft = path.join(archive.folder, 'base', '20200101T000000Z.part')
    await mkdir(draft, { recursive: true })
    const backup = await backUp(server, archive)
    expect(readdirSync(path.dirname(draft)).sort()).toEqual([backup.label, `${backup.label}.json`])
    expect(readdirSync(backup.folder).sort()).toEqual(['backup_manifest', 'base.tar.zst', 'secret-key'])
  })
})
