import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { FileChecker } from '../src/features/work/attachments/index.ts'
import { StorageAway } from '../src/features/work/attachments/storage/store.ts'
import { checkChains, signoffKeys } from '../src/features/work/signoffs/index.ts'
import { PASSWORD, plant, type TestUser, useHub } from './harness.ts'
import { upload, wrapStore } from './upload.ts'

const hub = useHub()

/** A signed work order with a file, and what everybody learns about it. */
async function signedWork(size = 100_000) {
  const { admin, machine } = await plant(hub)
  const { id } = (await admin.call('POST', 'work-orders', { machine_id: machine.id, title: 'Bearing' })).body
  const bytes = randomBytes(size)
  const { body } = await upload(hub, admin, `work_order_id=${id}`, { bytes, name: 'protocol.txt' })
  await admin.call('PATCH', `work-orders/${id}`, { status: 'completed' })
  const signoff = (await admin.call('POST', `work-orders/${id}/signoffs`, { password: PASSWORD })).body
  const [row] = await hub.owner`select storage_key from attachments where id = ${body.id}`
  const file = path.join(hub.config.dataDir, 'attachments', row?.storage_key)
  // A file whose times have just changed is not cached.
  const longAgo = new Date(Date.now() - 60_000)
  utimesSync(file, longAgo, longAgo)
  return {
    admin,
    id,
    bytes,
    file,
    key: row?.storage_key as string,
    attachmentId: body.id as string,
    signoffId: signoff.id as string,
  }
}
type Work = Awaited<ReturnType<typeof signedWork>>

const verify = ({ admin, id, signoffId }: Work) => admin.call('GET', `work-orders/${id}/signoffs/${signoffId}/verify`)
const range = async ({ admin, attachmentId }: Work, value = 'bytes=100-199') => {
  const init = { headers: { authorization: `Bearer ${admin.token}`, range: value } }
  const answer = await hub.app.request(`/api/v1/attachments/${attachmentId}/download`, init)
  return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) }
}
const page = async ({ admin, id }: Work) => {
  await admin.call('GET', `work-orders/${id}/certificate`)
  const [row] = await hub.owner`select reference from certificates where work_order_id = ${id}`
  return hub.call('GET', `/verify/${row?.reference}`)
}
const faults = async ({ admin }: Work) => {
  const { pools, box, files } = hub.deps
  const reports = await checkChains(pools.system, await signoffKeys(pools.system, box), files)
  return reports.find(({ tenantId }) => tenantId === admin.tenantId)?.faults
}
const certificateOf = async ({ admin, id }: { admin: TestUser; id: string }) =>
  (await admin.call('GET', `work-orders/${id}/certificate`)).status

/** Changes one byte; size and time of the last change stay. */
function changeByte(file: string, at = 150): void {
  const { atime, mtime } = statSync(file)
  const bytes = readFileSync(file)
  bytes[at] = (bytes[at] as number) ^ 1
  writeFileSync(file, bytes)
  utimesSync(file, atime, mtime)
}
const CHANGED = 'File: protocol.txt does not have the bytes that were signed.'
const MISSING = 'File: protocol.txt is missing from the storage.'

describe('the stored file of a signed attachment', () => {
  it('is read once while nobody changes it, also by ranges', async () => {
    const work = await signedWork()
    const { store } = hub.deps.files
    let [reads, identified] = [0, 0]
    const counting = wrapStore(store)
    counting.identify = (key) => {
      identified++
      return store.identify(key)
    }
    counting.read = (...given) => {
      reads++
      return store.read(...given)
    }
    const checker = new FileChecker()
    const [row] = await hub.owner<{ sha256: string }[]>`select sha256 from attachments where id = ${work.attachmentId}`
    const file = { tenantId: work.admin.tenantId, storageKey: work.key, sizeBytes: 100_000, sha256: row?.sha256 as string }
    // Its status has just changed, so this waits until the file system would show another change.
    await expect.poll(async () => (await store.identify(work.key))?.isSettled, { timeout: 10_000 }).toBe(true)
    for (let n = 0; n < 3; n++) expect(await checker.check(counting, file)).toMatchObject({ state: 'intact' })
    // before and in the turn of the first check, then once a check
    expect([reads, identified]).toEqual([1, 4])
    changeByte(work.file)
    expect(await checker.check(counting, file)).toEqual({ state: 'changed' })
  })

  it.each<[string, (work: Work) => void, string]>([
    ['one byte changed', ({ file }) => changeByte(file), CHANGED],
    ['a byte added', ({ file, bytes }) => writeFileSync(file, Buffer.concat([bytes, Buffer.from('x')])), CHANGED],
    [
      'another file of the same length in its place',
      ({ file }) => {
        const { atime, mtime } = statSync(file)
        writeFileSync(`${file}.new`, randomBytes(100_000))
        utimesSync(`${file}.new`, atime, mtime)
        renameSync(`${file}.new`, file)
      },
      CHANGED,
    ],
    ['nothing left of it', ({ file }) => rmSync(file), MISSING],
    [
      'a folder in its place',
      ({ file }) => {
        rmSync(file)
        mkdirSync(file)
      },
      MISSING,
    ],
  ])('makes the sign-off invalid everywhere with %s, and no range comes from it', async (_, change, detail) => {
    const work = await signedWork()
    expect((await verify(work)).body).toMatchObject({ is_valid: true })
    expect((await page(work)).body).toContain('all signatures are valid')
    expect(await faults(work)).toEqual([])
    const before = await range(work)
    expect([before.status, before.bytes.equals(work.bytes.subarray(100, 200))]).toEqual([206, true])
    change(work)
    const code = detail === MISSING ? 'signoff_file_missing' : 'signoff_file_changed'
    const fault = { code, params: { file: 'protocol.txt' }, detail }
    expect((await verify(work)).body).toMatchObject({ is_valid: false, detail, fault })
    const shown = await page(work)
    expect(shown.body).toContain('Do not rely on the document')
    expect(shown.body).toContain(detail)
    expect(await faults(work)).toEqual([`Work order ${work.id}, sign-off ${work.signoffId}: ${detail}`])
    expect((await range(work)).status).toBe(500)
    expect(await certificateOf(work)).toBe(200)
  })

  it('ends a range before its last byte when the file is changed while the range is sent', async () => {
    const size = 5_000_000
    const { admin, attachmentId, file } = await signedWork(size)
    const init = { headers: { authorization: `Bearer ${admin.token}`, range: 'bytes=1-' } }
    const answer = await hub.app.request(`/api/v1/attachments/${attachmentId}/download`, init)
    expect(answer.status).toBe(206)
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
    let received = 0
    const readAll = async () => {
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
        if (received === 0) changeByte(file, size - 10)
        received += piece.value.length
      }
    }
    await expect(readAll()).rejects.toThrow('was changed while it was read')
    expect(received).toBeLessThan(size - 1)
  })

  it('answers 503 while the storage is away, and the page says so', async () => {
    const work = await signedWork()
    await page(work)
    const { files } = hub.deps
    const { store } = files
    const away = () => Promise.reject(new StorageAway(new Error('off')))
    files.store = { ...wrapStore(store), identify: away, read: away }
    try {
      const answer = await verify(work)
      expect([answer.status, answer.body.code, answer.headers.get('retry-after')]).toEqual([503, 'storage_away', '30'])
      expect((await range(work)).status).toBe(503)
      const shown = await page(work)
      expect([shown.status, shown.headers.get('retry-after')]).toEqual([503, '10'])
      await expect(faults(work)).rejects.toMatchObject({ code: 'storage_away' })
    } finally {
      files.store = store
    }
    expect((await verify(work)).body).toMatchObject({ is_valid: true })
  })

  it('answers 503 when the whole folder of files is gone, as with a volume that is not mounted', async () => {
    const work = await signedWork()
    const folder = path.join(hub.config.dataDir, 'attachments')
    renameSync(folder, `${folder}.away`)
    try {
      expect((await verify(work)).status).toBe(503)
      mkdirSync(folder)
      expect((await verify(work)).status).toBe(503)
    } finally {
      rmSync(folder, { recursive: true, force: true })
      renameSync(`${folder}.away`, folder)
    }
  })
})

describe('strangers', () => {
  it('make the hub hash one file of a tenant at a time', async () => {
    const { store } = hub.deps.files
    const works = [await signedWork(), await signedWork()]
    const checker = new FileChecker()
    let [reading, most] = [0, 0]
    const slow = wrapStore(store)
    slow.read = async (...given) => {
      most = Math.max(most, ++reading)
      const source = await store.read(...given)
      return source.once('close', () => reading--)
    }
    const file = { tenantId: 'one', sizeBytes: 100_000, sha256: 'other' }
    const checks = works.flatMap(({ key: storageKey }) =>
      [1, 2].map(() => checker.check(slow, { ...file, storageKey }, { isStranger: true })),
    )
    expect((await Promise.all(checks)).map(({ state }) => state)).toEqual(['changed', 'changed', 'changed', 'changed'])
    expect(most).toBe(1)
  })
})
