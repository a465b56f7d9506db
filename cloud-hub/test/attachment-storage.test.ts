import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { Secret } from '@haltless/edge-agent/secret'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { checkAttachments } from '../src/cli/doctor-attachments.ts'
import type { StoreSettings } from '../src/config.ts'
import { loadConfig } from '../src/config.ts'
import { type AttachmentStore, deleteFiles, FileChecker, openStore } from '../src/features/work/attachments/index.ts'
import { S3Store } from '../src/features/work/attachments/storage/s3.ts'
import { type FileIdentity, verified } from '../src/features/work/attachments/storage/store.ts'
import { plant, useHub } from './harness.ts'
import { prepareSwift, type Swift, swiftSkipped } from './support/swift.ts'
import { upload, wrapStore } from './upload.ts'

const hub = useHub()
const folder = mkdtempSync(path.join(os.tmpdir(), 'haltless attachments '))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A finished file, as the spool hands it over. */
function spooled(bytes: Buffer) {
  const file = path.join(folder, randomUUID())
  writeFileSync(file, bytes)
  return { path: file, size: bytes.length }
}
const keyOf = (tenant = randomUUID()) => `${tenant}/${randomUUID()}`
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** A way to a port that breaks the next `cuts` connections in the middle of a long request. */
async function cuttingWay(target: number) {
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1')
    for (const socket of [near, far]) socket.on('error', () => {}).on('close', () => [near, far].map((one) => one.destroy()))
    far.pipe(near)
    let sent = 0
    near.on('data', (chunk) => {
      sent += chunk.length
      if (sent > 1_000_000 && way.cuts > 0) {
        way.cuts--
        near.resetAndDestroy()
      } else if (!far.write(chunk)) {
        near.pause()
        far.once('drain', () => near.resume())
      }
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const way = { port: (server.address() as AddressInfo).port, cuts: 0, close: () => server.close() }
  return way
}

/** What both back ends promise. */
function keepsFiles(open: () => AttachmentStore): void {
  it('answers the bytes of a file, or a range of them, and its size', async () => {
    const [store, key, bytes] = [open(), keyOf(), randomBytes(300_000)]
    await store.put(key, spooled(bytes))
    expect(await store.size(key)).toBe(300_000)
    expect(bytes.equals(await buffer(await store.read(key)))).toBe(true)
    const range = await buffer(await store.read(key, { first: 100_000, last: 100_009 }))
    expect(range.equals(bytes.subarray(100_000, 100_010))).toBe(true)
  })

  it('gives a file another identity when its bytes are replaced, and then reads nothing under the old one', async () => {
    const [store, key] = [open(), keyOf()]
    expect(await store.identify(key)).toBe(null)
    await store.put(key, spooled(Buffer.from('first')))
    const before = (await store.identify(key)) as FileIdentity
    expect(before.size).toBe(5)
    expect(String(await buffer(await store.read(key, { first: 1, last: 2 }, before)))).toBe('ir')
    await store.put(key, spooled(Buffer.from('other')))
    const after = (await store.identify(key)) as FileIdentity
    expect([after.size, after.tag === before.tag]).toEqual([5, false])
    await expect(store.read(key, undefined, before)).rejects.toMatchObject({ name: 'FileDamaged' })
    expect(String(await buffer(await store.read(key, undefined, after)))).toBe('other')
  })

  it('compares a file with its SHA-256, reads it once, and finds a replaced and a missing one', async () => {
    const [store, key, checker] = [open(), keyOf(), new FileChecker()]
    const bytes = randomBytes(10_000)
    await store.put(key, spooled(bytes))
    await expect.poll(async () => (await store.identify(key))?.isSettled, { timeout: 10_000 }).toBe(true)
    const counting = wrapStore(store)
    let reads = 0
    counting.read = (...given) => {
      reads++
      return store.read(...given)
    }
    const file = { tenantId: 'one', storageKey: key, sizeBytes: bytes.length, sha256: sha256(bytes) }
    for (let n = 0; n < 3; n++) expect(await checker.check(counting, file)).toMatchObject({ state: 'intact' })
    expect(reads).toBe(1)
    await store.put(key, spooled(randomBytes(10_000)))
    expect(await checker.check(counting, file)).toEqual({ state: 'changed' })
    await store.remove(key)
    expect(await checker.check(counting, file)).toEqual({ state: 'missing' })
  })

  it('stores an empty file', async () => {
    const [store, key] = [open(), keyOf()]
    await store.put(key, spooled(Buffer.alloc(0)))
    expect([await store.size(key), (await buffer(await store.read(key))).length]).toEqual([0, 0])
  })

  it('stores several files at once', async () => {
    const store = open()
    const files = Array.from({ length: 8 }, () => ({ key: keyOf(), bytes: randomBytes(2_000_000) }))
    await Promise.all(files.map(({ key, bytes }) => store.put(key, spooled(bytes))))
    for (const { key, bytes } of files) expect(sha256(await buffer(await store.read(key)))).toBe(sha256(bytes))
  })

  it('reports a missing file, and removes a file any number of times', async () => {
    const [store, key] = [open(), keyOf()]
    expect(await store.size(key)).toBe(null)
    await expect(store.read(key)).rejects.toMatchObject({ name: 'FileDamaged' })
    await store.put(key, spooled(Buffer.from('abc')))
    await store.remove(key)
    await store.remove(key)
    expect(await store.size(key)).toBe(null)
  })

  it('stores nothing of a file with another size than announced', async () => {
    const [store, key] = [open(), keyOf()]
    const { path: file } = spooled(randomBytes(1_000))
    await expect(store.put(key, { path: file, size: 1_001 })).rejects.toMatchObject({ code: 'storage_away' })
    await store.remove(key)
    expect(await store.size(key)).toBe(null)
  })
}

describe('a directory of attachments', () => {
  let store: AttachmentStore
  const place = path.join(folder, 'store')
  beforeAll(async () => {
    store = await openStore({ kind: 'directory', folder: place })
  })
  keepsFiles(() => store)

  it('holds files that only the user of the hub can read, and no drafts', async () => {
    const [tenant, name] = [randomUUID(), randomUUID()]
    const file = spooled(Buffer.from('abc'))
    await store.put(`${tenant}/${name}`, file)
    expect(existsSync(file.path)).toBe(false)
    expect(readdirSync(path.join(place, tenant))).toEqual([name])
    expect(statSync(path.join(place, tenant)).mode & 0o077).toBe(0)
  })

  it('accepts no key that leads out of it', async () => {
    for (const key of ['../secret', 'a/../../b', '/etc/passwd', 'a//b', '', 'a.b'])
      await expect(store.read(key)).rejects.toThrow('is no key')
  })
})

describe('doctor', () => {
  it('reports where attachments are stored, and a directory that the hub may not write', async () => {
    const check = (store: string) => checkAttachments(loadConfig({ ATTACHMENT_STORE: store }))
    expect(await check(folder)).toMatchObject({ state: 'ok', detail: expect.stringContaining('GiB free') })
    expect(await check(path.join(folder, 'new'))).toMatchObject({ state: 'ok', detail: expect.stringContaining('creates it') })
    expect(await check('/proc/version/attachments')).toMatchObject({ state: 'fail', detail: expect.stringContaining('ENOTDIR') })
  })
})

describe('the reader of a whole file', () => {
  it('gets an error before the last byte when the stored bytes are not those that were uploaded', async () => {
    const store = await openStore({ kind: 'directory', folder: path.join(folder, 'damaged') })
    const bytes = randomBytes(200_000)
    const expected = { size: bytes.length, sha256: sha256(bytes) }
    const damages: [string, Buffer][] = [
      ['changed', Buffer.concat([bytes.subarray(0, -1), Buffer.from([(bytes.at(-1) as number) ^ 1])])],
      ['shorter', bytes.subarray(1)],
      ['longer', Buffer.concat([bytes, Buffer.from('x')])],
    ]
    for (const [damage, stored] of damages) {
      const key = keyOf()
      await store.put(key, spooled(stored))
      let read = 0
      const reading = (async () => {
        for await (const chunk of verified(key, await store.read(key), expected)) read += (chunk as Buffer).length
      })()
      await expect(reading, damage).rejects.toMatchObject({ name: 'FileDamaged' })
      expect(read).toBeLessThan(bytes.length)
    }
    const key = keyOf()
    await store.put(key, spooled(bytes))
    expect(bytes.equals(await buffer(verified(key, await store.read(key), expected)))).toBe(true)
  })
})

describe('the connection to an S3 storage', () => {
  /** An S3 storage at a server that answers by `respond`. */
  const storeAt = async (respond: RequestListener, silenceMs: number) => {
    const server = createHttpServer(respond)
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const keys = { accessKeyId: 'key', secretAccessKey: new Secret('secret') }
    const store = new S3Store({ bucket: 'b', prefix: '', endpoint, region: 'us-east-1', ...keys }, silenceMs)
    onTestFinished(() => {
      store.close()
      server.closeAllConnections()
      server.close()
    })
    return store
  }

  it('lasts longer than the limit for silence while something arrives', async () => {
    const bytes = randomBytes(1_000)
    const store = await storeAt(async (request, response) => {
      for await (const _ of request);
      if (request.method === 'PUT')
        for (let i = 0; i < 15; i++) {
          await delay(100)
          response.writeProcessing()
        }
      response.setHeader('content-length', request.method === 'HEAD' ? bytes.length : 0).end()
    }, 1_000)
    await store.put(keyOf(), spooled(bytes))
  })

  it('is given up when it is silent, also in the middle of a download', async () => {
    let requests = 0
    const store = await storeAt((request, response) => {
      requests++
      if (request.method === 'GET') response.setHeader('content-length', 1_000).write('half')
    }, 200)
    await expect(buffer(await store.read(keyOf()))).rejects.toThrow(/timed out/)
    requests = 0
    await expect(store.size(keyOf())).rejects.toMatchObject({ code: 'storage_away' })
    expect(requests).toBe(3)
  })

  it('reads nothing under an identity of before, also where the storage does not know If-Match', async () => {
    const store = await storeAt((_, response) => {
      response.setHeader('content-length', 4).setHeader('etag', '"new"').end('new!')
    }, 60_000)
    const identity = { size: 4, tag: '"old"', isSettled: true }
    await expect(store.read(keyOf(), undefined, identity)).rejects.toMatchObject({ name: 'FileDamaged' })
    expect(String(await buffer(await store.read(keyOf(), undefined, { ...identity, tag: '"new"' })))).toBe('new!')
  })

  it('is free for others while many readers are slow', async () => {
    const store = await storeAt((request, response) => {
      response.setHeader('content-length', 1_000)
      if (request.method === 'GET') response.write('half')
      else response.end()
    }, 60_000)
    const slow = await Promise.all(Array.from({ length: 60 }, () => store.read(keyOf())))
    expect(await store.size(keyOf())).toBe(1_000)
    for (const reader of slow) reader.on('error', () => {}).destroy()
  })
})

describe.skipIf(swiftSkipped)(`an S3 storage (OpenStack Swift)${swiftSkipped ? `: skipped, ${swiftSkipped}` : ''}`, () => {
  let swift: Swift
  const stores: AttachmentStore[] = []
  const settings = (changed: Partial<StoreSettings & { kind: 's3' }> = {}): StoreSettings => ({
    kind: 's3',
    bucket: 'attachments',
    prefix: 'hub-1',
    endpoint: swift.endpoint,
    region: 'us-east-1',
    accessKeyId: swift.accessKey,
    secretAccessKey: new Secret(swift.secret),
    ...changed,
  })
  const open = async (changed: Partial<StoreSettings & { kind: 's3' }> = {}) => {
    const store = await openStore(settings(changed))
    stores.push(store)
    return store
  }
  let store: AttachmentStore
  beforeAll(async () => {
    swift = await prepareSwift()
    await swift.start()
    const { endpoint, accessKey, secret } = swift
    const credentials = { accessKeyId: accessKey, secretAccessKey: secret }
    const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials })
    await client.send(new CreateBucketCommand({ Bucket: 'attachments' }))
    client.destroy()
    store = await open()
  })
  afterAll(async () => {
    for (const one of stores) one.close()
    await swift?.remove()
  })
  keepsFiles(() => store)

  it('is named without its credentials', () => expect(store.name).toBe('s3://attachments/hub-1'))

  it('refuses a wrong secret, a wrong bucket and a closed port with storage_away, and no error shows the secret', async () => {
    const wrong = [
      await open({ secretAccessKey: new Secret('not-the-secret') }),
      await open({ bucket: 'no-such-bucket' }),
      await open({ endpoint: 'http://127.0.0.1:9' }),
    ]
    for (const one of wrong) {
      const calls = [one.put(keyOf(), spooled(Buffer.from('abc'))), one.read(keyOf()), one.remove(keyOf())]
      for (const call of await Promise.allSettled(calls)) {
        const error = call.status === 'rejected' ? call.reason : null
        expect(error).toMatchObject({ status: 503, code: 'storage_away' })
        expect(JSON.stringify([error, String(error.cause), error.cause])).not.toMatch(/not-the-secret|testing|Signature=/)
      }
    }
  })

  it('receives the whole file again after the connection broke in the middle of it, and stores nothing half', async () => {
    const way = await cuttingWay(Number(new URL(swift.endpoint).port))
    try {
      const [behind, key, bytes] = [await open({ endpoint: `http://127.0.0.1:${way.port}` }), keyOf(), randomBytes(5_000_000)]
      way.cuts = 1
      await behind.put(key, spooled(bytes))
      expect(way.cuts).toBe(0)
      expect(sha256(await buffer(await store.read(key)))).toBe(sha256(bytes))
      way.cuts = 100
      const lost = keyOf()
      await expect(behind.put(lost, spooled(bytes))).rejects.toMatchObject({ code: 'storage_away' })
      expect(await store.size(lost)).toBe(null)
    } finally {
      way.close()
    }
  })

  it('is checked by doctor, whose finding names what is wrong and never the secret', async () => {
    const check = async (values: Record<string, string> = {}) => {
      const env = {
        ATTACHMENT_STORE: 's3://attachments/hub-1',
        S3_ENDPOINT: swift.endpoint,
        S3_ACCESS_KEY_ID: swift.accessKey,
        S3_SECRET_ACCESS_KEY: swift.secret,
        ...values,
      }
      return checkAttachments(loadConfig(env))
    }
    expect(await check()).toMatchObject({ state: 'ok', detail: expect.stringContaining('s3://attachments/hub-1') })
    const wrong = await check({ S3_SECRET_ACCESS_KEY: 'not-the-secret' })
    expect(wrong).toMatchObject({ state: 'fail', detail: expect.stringContaining('SignatureDoesNotMatch 403') })
    expect(wrong.detail).not.toContain('not-the-secret')
    const missing = await check({ ATTACHMENT_STORE: 's3://no-such-bucket' })
    expect(missing).toMatchObject({ state: 'fail', detail: expect.stringContaining('NoSuchBucket') })
  })

  it('serves a hub: whole files, ranges and deletions, and while it is stopped an upload is refused and leaves nothing', async () => {
    const { files, pools, logger } = hub.deps
    files.store = store
    const { admin, machine } = await plant(hub)
    const { id } = (await admin.call('POST', 'work-orders', { machine_id: machine.id, title: 'Bearing' })).body
    const bytes = randomBytes(500_000)
    const { body } = await upload(hub, admin, `work_order_id=${id}`, { bytes })
    const download = async (headers = {}) => {
      const init = { headers: { authorization: `Bearer ${admin.token}`, ...headers } }
      const answer = await hub.app.request(`/api/v1/attachments/${body.id}/download`, init)
      return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) }
    }
    expect(sha256((await download()).bytes)).toBe(body.sha256)
    const range = await download({ range: 'bytes=499990-' })
    expect([range.status, range.bytes.equals(bytes.subarray(-10))]).toEqual([206, true])
    await swift.end('SIGTERM')
    expect((await download({ range: 'bytes=499990-' })).status).toBe(503)
    const refused = await upload(hub, admin, `work_order_id=${id}`, { bytes })
    expect([refused.status, refused.body.code, (await download()).status]).toEqual([503, 'storage_away', 503])
    expect((await admin.call('DELETE', `attachments/${body.id}`)).status).toBe(204)
    const cleanUp = () =>
      deleteFiles({ allTenants: pools.system, store, logger, keptSince: null }, hub.clock.now(), new AbortController().signal)
    await cleanUp()
    const waiting = () => hub.owner`select storage_key, attempts from attachment_deletions`
    expect(await waiting()).toHaveLength(2)
    await swift.start()
    hub.clock.advance(60)
    await cleanUp()
    expect([await waiting(), await hub.owner`select from attachment_uploads`]).toEqual([[], []])
    expect((await admin.call('GET', `attachments/work-order/${id}`)).body).toEqual([])
  })

  it('has its files again after all servers were killed and started, and refuses in between', async () => {
    const [key, bytes] = [keyOf(), randomBytes(100_000)]
    await store.put(key, spooled(bytes))
    await swift.end('SIGKILL')
    await expect(store.read(key)).rejects.toMatchObject({ code: 'storage_away' })
    await expect(store.put(keyOf(), spooled(bytes))).rejects.toMatchObject({ code: 'storage_away' })
    await swift.start()
    expect(bytes.equals(await buffer(await store.read(key)))).toBe(true)
  })
})
