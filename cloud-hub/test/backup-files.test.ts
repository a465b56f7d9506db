import { randomBytes } from 'node:crypto'
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openBackup, restoreBackup, writeBackup } from '../src/db/backup/index.ts'
import { DirectoryStore } from '../src/features/work/attachments/storage/directory.ts'
import { StorageAway } from '../src/features/work/attachments/storage/store.ts'
import { plant, useDatabase, useHub } from './harness.ts'
import { upload } from './upload.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'backup files '))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const hub = useHub()
const [first, second, third, fourth] = [useDatabase(), useDatabase(), useDatabase(), useDatabase()]

const filesBelow = (place: string): string[] => {
  try {
    return readdirSync(place, { recursive: true, withFileTypes: true }).flatMap((e) =>
      e.isFile() ? [path.join(path.relative(place, e.parentPath), e.name)] : [],
    )
  } catch {
    return []
  }
}
const back = async (name: string, store = hub.deps.files.store) => {
  const file = path.join(folder, name)
  const about = { hubVersion: 'test', keyMark: 'test', secretKey: null }
  return await writeBackup(new URL(hub.config.databaseUrl?.reveal() ?? '').href, file, about, store, () => {})
}
const restoreInto = async (url: string, file: string, place: string, store = new DirectoryStore(place)) => {
  const backup = await openBackup(file)
  const target = { store, folder }
  return restoreBackup(url, backup, target, () => {}).finally(() => backup.close())
}

/** It does not respond any more when the restored files are verified. */
class AwayLater extends DirectoryStore {
  #sizes = 0
  override async size(key: string): Promise<number | null> {
    if (++this.#sizes > 4) throw new StorageAway('gone')
    return super.size(key)
  }
}

/** As an object storage: its files are not part of a backup. */
class Elsewhere extends DirectoryStore {
  override readonly isIncluded = false
}

describe('a backup', () => {
  it('holds the files of a directory, names what is missing or damaged, and leaves nothing of a restore that fails', async () => {
    const { admin, machine } = await plant(hub)
    const order = (await admin.call('POST', 'work-orders', { machine_id: machine.id, title: 'Bearing' })).body
    const contents = [randomBytes(2_500_000), Buffer.alloc(0), randomBytes(10), randomBytes(10)]
    for (const bytes of contents) expect((await upload(hub, admin, `work_order_id=${order.id}`, { bytes })).status).toBe(201)
    const keys = (await hub.owner<{ key: string }[]>`select storage_key as key from attachments order by created_at, id`).map(
      ({ key }) => key,
    )
    const place = path.join(hub.config.dataDir, 'attachments')
    const whole = await back('whole')
    expect(whole.files).toEqual({ count: 4, bytes: 2_500_020, faulty: [] })
    expect(whole.bytes).toBeGreaterThan(2_500_000)

    const restored = path.join(folder, 'restored')
    expect((await restoreInto(first.url, whole.file, restored)).files).toEqual(whole.files)
    expect(filesBelow(restored).sort()).toEqual([...keys].sort())
    for (const [i, key] of keys.entries()) expect(contents[i]?.equals(readFileSync(path.join(restored, key)))).toBe(true)

    const bytes = readFileSync(whole.file)
    const cut = path.join(folder, 'cut')
    writeFileSync(cut, bytes.subarray(0, bytes.length - 200))
    await expect(restoreInto(second.url, cut, path.join(folder, 'failed'))).rejects.toThrow('This backup is damaged')
    expect(filesBelow(path.join(folder, 'failed'))).toEqual([])
    expect(readdirSync(folder).filter((name) => name.startsWith('restore-'))).toEqual([])
    // Files that were there before stay, because only the database may have been lost.
    await expect(restoreInto(second.url, cut, restored)).rejects.toThrow('This backup is damaged')
    expect(filesBelow(restored).sort()).toEqual([...keys].sort())

    appendFileSync(path.join(place, keys[2] as string), 'x')
    rmSync(path.join(place, keys[3] as string))
    const faulty = await back('faulty')
    expect(faulty.files.faulty.sort()).toEqual([keys[2], keys[3]].sort())
    const outcome = await restoreInto(second.url, faulty.file, path.join(folder, 'faulty files'))
    expect(outcome.files.faulty.sort()).toEqual([keys[2], keys[3]].sort())

    const kept = path.join(folder, 'kept')
    await expect(restoreInto(fourth.url, whole.file, kept, new AwayLater(kept))).rejects.toThrow()
    expect(filesBelow(kept).sort()).toEqual([...keys].sort())
  })

  it('refers to files elsewhere, and verifies that they are there, when it is written and when it is restored', async () => {
    const store = new Elsewhere(path.join(hub.config.dataDir, 'attachments'))
    const { file, files, bytes } = await back('referenced', store)
    expect([files.count, files.faulty.length, bytes < 2_000_000]).toEqual([4, 2, true])
    const { files: found } = await restoreInto(third.url, file, store.name)
    expect(found).toEqual(files)
  })
})
