import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { claimArchive, missingArchiveFault } from '../db/recovery/archive.ts'
import { type ArchiverState, type BaseBackup, keptSince } from '../db/recovery/index.ts'
import { checkArchiver, checkBackups } from './doctor-archive.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'haltless-archive-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const archive = { folder, archiveCommand: undefined, restoreCommand: undefined }
const now = new Date('2026-11-28T12:00:00Z')
const healthy: ArchiverState = {
  isOn: true,
  timeoutSeconds: 60,
  systemId: '7',
  timeline: 1,
  failing: null,
  lastArchivedAt: now,
  waiting: 0,
}

it.each<[string, Partial<ArchiverState>, string, string]>([
  ['works', {}, 'ok', '2026-11-28T12:00:00.000Z'],
  ['is off', { isOn: false }, 'fail', 'archive_mode'],
  ['fails', { failing: { file: '0000', since: now } }, 'fail', 'could not archive 0000'],
  ['keeps up', { waiting: 4 }, 'ok', ''],
  ['is behind', { waiting: 5 }, 'warn', '5 segments wait'],
  ['waits for full segments', { timeoutSeconds: 0 }, 'warn', 'archive_timeout is 0'],
  ['is of another cluster', { systemId: '8' }, 'fail', 'another database cluster (7; this one is 8)'],
])('doctor tells when archiving %s', async (_what, change, state, words) => {
  await claimArchive(archive, '7')
  const finding = await checkArchiver({ ...healthy, ...change }, archive, false)
  expect([finding.state, finding.detail]).toEqual([state, expect.stringContaining(words)])
})

const backup = (change: Partial<BaseBackup> = {}) =>
  ({
    label: 'L',
    systemId: '7',
    endedAt: now.toISOString(),
    startLsn: '0/2000028',
    endLsn: '0/2000100',
    segmentBytes: 16_777_216,
    timeline: 1,
    keyMark: 'aa',
    ...change,
  }) as BaseBackup

it('doctor tells when there is no base backup, and when the newest one is older than eight days', async () => {
  const check = async (days: number | null) => {
    const endedAt = new Date(now.getTime() - (days ?? 0) * 86_400_000).toISOString()
    return (await checkBackups(days === null ? [] : [backup({ endedAt })], healthy, archive, now.getTime(), 'aa')).state
  }
  expect([await check(null), await check(8), await check(8.01)]).toEqual(['warn', 'ok', 'warn'])
})

it('doctor tells when the newest base backup is of another secret key, or of a history that a restore has left', async () => {
  const check = (change: Partial<BaseBackup>, mark: string | null) =>
    checkBackups([backup(change)], healthy, archive, now.getTime(), mark)
  expect(await check({}, 'bb')).toMatchObject({
    state: 'warn',
    detail: expect.stringContaining('another SECRET_KEY (aa; this one is bb)'),
  })
  expect((await check({}, null)).state).toBe('ok')
  expect(await check({ timeline: 2 }, 'aa')).toMatchObject({
    state: 'warn',
    detail: expect.stringContaining('a restore has left'),
  })
})

it('an archive that is gone, as without its mount, is not taken for a new one', async () => {
  const [place, claimFile] = [path.join(folder, 'mount'), path.join(folder, 'data', 'wal-archive')]
  const claimed = { ...archive, folder: place, claimFile }
  expect(await missingArchiveFault(claimed)).toBe(null)
  await claimArchive(claimed, '7')
  await claimArchive(claimed, '7')
  rmSync(place, { recursive: true })
  await expect(claimArchive(claimed, '7')).rejects.toThrow('is it mounted?')
  expect(existsSync(place)).toBe(false)
  expect(await keptSince(claimed)).toEqual(new Date(0))
  expect(await checkArchiver(healthy, claimed, true)).toMatchObject({
    state: 'fail',
    detail: expect.stringContaining('is it mounted?'),
  })
  // as the sentence says
  rmSync(claimFile)
  await claimArchive(claimed, '7')
  expect((await checkArchiver(healthy, claimed, true)).state).toBe('ok')
  // a new cluster in the same DATA_DIR
  rmSync(place, { recursive: true })
  await claimArchive(claimed, '8')
  await expect(claimArchive(claimed, '7')).rejects.toThrow('another database cluster')
})
