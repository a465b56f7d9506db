import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { appendFileSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'content-disposition'
import { describe, expect, it } from 'vitest'
import { ADVISORY_LOCKS } from '../src/db/advisory-locks.ts'
import { deleteFiles } from '../src/features/work/attachments/index.ts'
import type { AttachmentStore } from '../src/features/work/attachments/storage/store.ts'
import { plant, type TestUser, useHub } from './harness.ts'
import { makeEvent, upload, wrapStore } from './upload.ts'

const [MAX, QUOTA] = [100_000, 1_000_000]
const hub = useHub({ ATTACHMENT_MAX_BYTES: String(MAX), ATTACHMENT_TENANT_BYTES: String(QUOTA) })
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex')

async function workshop() {
  const made = await plant(hub)
  const { admin, machine } = made
  const [operator, viewer] = [await hub.colleague(admin, 'operator'), await hub.colleague(admin, 'viewer')]
  const order = async () =>
    (await operator.call('POST', 'work-orders', { machine_id: machine.id, title: 'Bearing' })).body.id as string
  const event = () => makeEvent(hub, admin, machine.id)
  return { ...made, operator, viewer, order, event }
}
const codeOf = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]

/** Keys of all stored files of a tenant. */
const stored = ({ tenantId }: TestUser): string[] => {
  try {
    return readdirSync(path.join(hub.config.dataDir, 'attachments', tenantId)).map((name) => `${tenantId}/${name}`)
  } catch {
    return []
  }
}
const spooled = () =>
  readdirSync(path.join(hub.config.dataDir, 'spool'), { recursive: true, withFileTypes: true }).filter((e) => e.isFile()).length
const cleanUp = (store: AttachmentStore = hub.deps.files.store, keptSince: Date | null = null) =>
  deleteFiles(
    { allTenants: hub.deps.pools.system, store, logger: hub.deps.logger, keptSince },
    hub.clock.now(),
    new AbortController().signal,
  )

/** The raw answer to a download. */
const fetchFile = (by: TestUser, id: string, headers: Record<string, string> = {}, method = 'GET') =>
  hub.app.request(
    `/api/v1/attachments/${id}/download`,
    { method, headers: { authorization: `Bearer ${by.token}`, ...headers } },
    { incoming: { socket: { remoteAddress: '10.1.1.2' } } },
  )

describe('an attachment', () => {
  it('belongs to a work order or a maintenance event, and is listed there with what its bytes show', async () => {
    const { operator, viewer, order, event } = await workshop()
    const [orderId, eventId] = [await order(), await event()]
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    )
    const { status, body } = await upload(hub, operator, `work_order_id=${orderId}`, {
      bytes: png,
      name: 'C:\\photos\\Lager.pdf',
    })
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(String),
        work_order_id: orderId,
        maintenance_event_id: null,
        uploaded_by: operator.userId,
        filename: 'Lager.pdf',
        content_type: 'image/png',
        size_bytes: png.length,
        sha256: sha256(png),
        created_at: expect.any(String),
        updated_at: body.created_at,
      },
    ])
    const other = (await upload(hub, operator, `maintenance_event_id=${eventId}`, { name: 'a.csv' })).body
    expect(other).toMatchObject({ work_order_id: null, maintenance_event_id: eventId, content_type: 'text/csv' })
    expect((await viewer.call('GET', `attachments/work-order/${orderId}`)).body).toEqual([body])
    expect((await viewer.call('GET', `attachments/maintenance/${eventId}`)).body).toEqual([other])
    expect((await viewer.call('GET', `attachments/${body.id}`)).body).toEqual(body)
    expect((await viewer.call('GET', `work-orders/${orderId}/history`)).body.items.at(-1)).toMatchObject({
      event: 'attachment_added',
      subject: { id: body.id, name: 'Lager.pdf' },
    })
  })

  it('is refused without exactly one owner, for unknown owners, without the file, and as a viewer', async () => {
    const { operator, viewer, order, event } = await workshop()
    const stranger = await workshop()
    const id = await order()
    const query = `work_order_id=${id}`
    expect((await upload(hub, operator, '')).status).toBe(422)
    expect((await upload(hub, operator, `${query}&maintenance_event_id=${await event()}`)).status).toBe(422)
    expect((await upload(hub, operator, 'work_order_id=x')).status).toBe(422)
    expect(codeOf(await upload(hub, operator, `work_order_id=${randomUUID()}`))).toEqual([404, 'work_order_not_found'])
    expect(codeOf(await upload(hub, stranger.operator, query))).toEqual([404, 'work_order_not_found'])
    const theirs = `maintenance_event_id=${await stranger.event()}`
    expect(codeOf(await upload(hub, operator, theirs))).toEqual([404, 'maintenance_event_not_found'])
    expect(codeOf(await upload(hub, operator, query, { part: 'other' }))).toEqual([422, 'validation_failed'])
    expect(codeOf(await upload(hub, viewer, query))).toEqual([403, 'role_insufficient'])
    for (const owner of [id, randomUUID()])
      expect(codeOf(await operator.call('POST', `attachments?work_order_id=${owner}`, {}))).toEqual([
        415,
        'unsupported_media_type',
      ])
    expect((await operator.call('GET', `attachments/work-order/${id}`)).body).toEqual([])
    expect([stored(operator), spooled()]).toEqual([[], 0])
  })

  it('has at most the configured size, to the byte', async () => {
    const { operator, order } = await workshop()
    const query = `work_order_id=${await order()}`
    expect((await upload(hub, operator, query, { bytes: randomBytes(MAX) })).body.size_bytes).toBe(MAX)
    expect(codeOf(await upload(hub, operator, query, { bytes: randomBytes(MAX + 1) }))).toEqual([413, 'payload_too_large'])
    expect([stored(operator).length, spooled()]).toEqual([1, 0])
  })

  it('can neither be added to a signed work order nor be deleted from it', async () => {
    const { admin, operator, order } = await workshop()
    const id = await order()
    const { body } = await upload(hub, operator, `work_order_id=${id}`)
    await hub.owner`
      insert into signoffs (tenant_id, work_order_id, number, sequence, signed_by, signer_name, signer_email, signer_role, names,
        payload_version, payload, key_id, signature_hash, signed_at)
      values (${admin.tenantId}, ${id}, 1, 1, ${admin.userId}, 'Ada', 'a@example.com', 'admin', '{}', 1, '{}', 'k', 'h', now())`
    expect(codeOf(await upload(hub, operator, `work_order_id=${id}`))).toEqual([409, 'work_order_signed'])
    expect(codeOf(await operator.call('DELETE', `attachments/${body.id}`))).toEqual([409, 'work_order_signed'])
  })

  it('is deleted once, is cleared from instructions, and its file goes after the commit', async () => {
    const { operator, viewer, order } = await workshop()
    const id = await order()
    const { body } = await upload(hub, operator, `work_order_id=${id}`)
    const steps = `work-orders/${id}/instructions`
    const step = (await operator.call('POST', steps, { step_order: 1, title: 'See', attachment_id: body.id })).body
    expect(step.attachment_id).toBe(body.id)
    const other = await order()
    const wrong = await operator.call('POST', `work-orders/${other}/instructions`, {
      step_order: 1,
      title: 'See',
      attachment_id: body.id,
    })
    expect([wrong.status, wrong.body.errors?.[0]?.path]).toEqual([422, 'body.attachment_id'])
    const answers = await Promise.all([1, 2].map(() => operator.call('DELETE', `attachments/${body.id}`)))
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404])
    expect((await viewer.call('GET', `${steps}/${step.id}`)).body.attachment_id).toBe(null)
    expect((await fetchFile(viewer, body.id)).status).toBe(404)
    expect(stored(operator)).toHaveLength(1)
    await cleanUp()
    expect(stored(operator)).toHaveLength(0)
  })

  it('loses its file with its work order and with its maintenance event', async () => {
    const { operator, order, event } = await workshop()
    const [orderId, eventId] = [await order(), await event()]
    await upload(hub, operator, `work_order_id=${orderId}`)
    await upload(hub, operator, `maintenance_event_id=${eventId}`)
    await operator.call('DELETE', `work-orders/${orderId}`)
    await cleanUp()
    expect(stored(operator)).toHaveLength(1)
    await hub.owner`delete from maintenance_events where id = ${eventId}`
    await cleanUp()
    expect(stored(operator)).toHaveLength(0)
  })

  it('keeps its file while a base backup is older than its deletion, which a restore may undo', async () => {
    const { operator, order } = await workshop()
    await upload(hub, operator, `work_order_id=${await order()}`)
    await hub.owner`delete from attachments where tenant_id = ${operator.tenantId}`
    const [row] = await hub.owner<{ created: Date }[]>`
      select created_at as created from attachment_deletions where tenant_id = ${operator.tenantId}`
    const deletedAt = (row as { created: Date }).created
    const { store } = hub.deps.files
    await cleanUp(store, deletedAt)
    expect(stored(operator)).toHaveLength(1)
    // the oldest base backup is a newer one now
    await hub.owner`update attachment_deletions set due_at = now() where tenant_id = ${operator.tenantId}`
    await cleanUp(store, new Date(deletedAt.getTime() + 1))
    expect(stored(operator)).toHaveLength(0)
  })

  it('loses its file although many others, which are due before it, are kept', async () => {
    const { operator, order } = await workshop()
    await upload(hub, operator, `work_order_id=${await order()}`)
    await hub.owner`delete from attachments where tenant_id = ${operator.tenantId}`
    await hub.owner`update attachment_deletions set created_at = now() - interval '2 days' where tenant_id = ${operator.tenantId}`
    await hub.owner`
      insert into attachment_deletions (tenant_id, storage_key, due_at)
      select ${operator.tenantId}, ${operator.tenantId} || '/kept-' || n, now() - interval '1 hour' from generate_series(1, 250) n`
    await cleanUp(hub.deps.files.store, new Date(Date.now() - 86_400_000))
    expect(stored(operator)).toHaveLength(0)
    const [row] = await hub.owner`
      select count(*)::int as count, count(*) filter (where due_at > now())::int as postponed, max(attempts) as attempts
      from attachment_deletions where tenant_id = ${operator.tenantId}`
    expect(row).toEqual({ count: 250, postponed: 250, attempts: 0 })
  })
})

describe('a download', () => {
  it('has the bytes, the name in every script, and is neither cached unseen nor interpreted', async () => {
    const { operator, viewer, order } = await workshop()
    const bytes = randomBytes(70_000)
    const name = 'Prüfprotokoll "neu" – 検査.bin'
    const { body } = await upload(hub, operator, `work_order_id=${await order()}`, { bytes, name })
    const answer = await fetchFile(viewer, body.id)
    expect(bytes.equals(Buffer.from(await answer.arrayBuffer()))).toBe(true)
    expect(parse(answer.headers.get('content-disposition') ?? '')).toMatchObject({
      type: 'attachment',
      parameters: { filename: name },
    })
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': '70000',
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-cache',
      'accept-ranges': 'bytes',
      etag: `"${sha256(bytes)}"`,
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    })
    const head = await fetchFile(viewer, body.id, {}, 'HEAD')
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '70000', ''])
  })

  it('answers ranges with 206 and 416, and a known ETag with 304', async () => {
    const { operator, order } = await workshop()
    const { body } = await upload(hub, operator, `work_order_id=${await order()}`, { bytes: '0123456789' })
    const etag = `"${body.sha256}"`
    const get = async (headers: Record<string, string>) => {
      const answer = await fetchFile(operator, body.id, headers)
      const text = await answer.text()
      return [answer.status, answer.status < 400 ? text : JSON.parse(text).code, answer.headers.get('content-range')]
    }
    expect(await get({ range: 'bytes=2-4' })).toEqual([206, '234', 'bytes 2-4/10'])
    expect(await get({ range: 'bytes=-2' })).toEqual([206, '89', 'bytes 8-9/10'])
    expect(await get({ range: 'bytes=8-99' })).toEqual([206, '89', 'bytes 8-9/10'])
    expect(await get({ range: 'bytes=10-' })).toEqual([416, 'range_not_satisfiable', 'bytes */10'])
    expect(await get({ range: 'bytes=1-2,4-5' })).toEqual([200, '0123456789', null])
    expect(await get({ range: 'bytes=1-2', 'if-range': etag })).toEqual([206, '12', 'bytes 1-2/10'])
    expect(await get({ range: 'bytes=1-2', 'if-range': '"other"' })).toEqual([200, '0123456789', null])
    expect(await get({ 'if-none-match': `"other", W/${etag}` })).toEqual([304, '', null])
    expect(await get({ 'if-none-match': '*' })).toEqual([304, '', null])
    expect(await get({ 'if-none-match': '"other"' })).toEqual([200, '0123456789', null])
  })

  it('of an empty file is empty', async () => {
    const { operator, order } = await workshop()
    const { body } = await upload(hub, operator, `work_order_id=${await order()}`, { bytes: '' })
    const answer = await fetchFile(operator, body.id)
    expect([answer.status, await answer.text(), answer.headers.get('content-length')]).toEqual([200, '', '0'])
    expect((await fetchFile(operator, body.id, { range: 'bytes=0-0' })).status).toBe(416)
  })

  it('of a file that was changed on the disk breaks off, and of one that is missing is a fault', async () => {
    const { operator, order } = await workshop()
    const { body } = await upload(hub, operator, `work_order_id=${await order()}`)
    const [key = ''] = stored(operator)
    const file = path.join(hub.config.dataDir, 'attachments', key)
    appendFileSync(file, 'x')
    const broken = await fetchFile(operator, body.id)
    await expect(broken.text()).rejects.toThrow()
    rmSync(file)
    expect((await fetchFile(operator, body.id)).status).toBe(500)
  })
})

describe('the quota of a tenant', () => {
  it('holds to the byte, also for parallel uploads, and other tenants keep theirs', async () => {
    const { operator, order } = await workshop()
    const query = `work_order_id=${await order()}`
    const send = (bytes: number) => upload(hub, operator, query, { bytes: randomBytes(bytes) })
    // 1,000,000 bytes hold eleven files of 90,000
    const answers = await Promise.all(Array.from({ length: 16 }, () => send(90_000)))
    const codes = answers.map(codeOf).filter(([status]) => status !== 201)
    expect([answers.length - codes.length, codes]).toEqual([11, Array(5).fill([409, 'attachment_quota'])])
    expect(codeOf(await send(10_001))).toEqual([409, 'attachment_quota'])
    expect((await send(10_000)).status).toBe(201)
    expect((await send(0)).status).toBe(201)
    expect(codeOf(await send(1))).toEqual([409, 'attachment_quota'])
    const other = await workshop()
    expect((await upload(hub, other.operator, `work_order_id=${await other.order()}`)).status).toBe(201)
    const first = answers.find(({ status }) => status === 201)?.body.id
    await operator.call('DELETE', `attachments/${first}`)
    expect((await send(90_000)).status).toBe(201)
    await cleanUp()
    expect([stored(operator).length, spooled()]).toEqual([13, 0])
    expect(await hub.owner`select from attachment_uploads`).toHaveLength(0)
  })

  it('counts 200 attachments of one owner, and no more', async () => {
    const { admin, operator, order } = await workshop()
    const id = await order()
    await hub.owner`insert into attachments (tenant_id, work_order_id, uploaded_by, filename, content_type, size_bytes, sha256, storage_key)
      select ${admin.tenantId}, ${id}, ${admin.userId}, 'a', 'text/plain', 0, '', gen_random_uuid()::text from generate_series(1, 199)`
    const answers = await Promise.all([1, 2, 3].map(() => upload(hub, operator, `work_order_id=${id}`)))
    expect(answers.map(codeOf).sort()).toEqual([
      [201, undefined],
      [409, 'too_many_attachments'],
      [409, 'too_many_attachments'],
    ])
    await cleanUp()
    expect(stored(operator)).toHaveLength(1)
  })
})

describe('the file of an upload that never became an attachment', () => {
  it('is deleted when its work order was deleted or signed while the file was stored', async () => {
    const { operator, order } = await workshop()
    const id = await order()
    const { files } = hub.deps
    const whole = files.store
    files.store = {
      ...wrapStore(whole),
      put: async (key, file) => {
        await whole.put(key, file)
        await operator.call('DELETE', `work-orders/${id}`)
      },
    }
    const answer = await upload(hub, operator, `work_order_id=${id}`).finally(() => {
      files.store = whole
    })
    expect(codeOf(answer)).toEqual([404, 'work_order_not_found'])
    expect(stored(operator)).toHaveLength(1)
    await cleanUp()
    expect(stored(operator)).toHaveLength(0)
  })

  it('is deleted an hour after the hub was killed, and frees the quota', async () => {
    const { operator, order } = await workshop()
    const { body } = await upload(hub, operator, `work_order_id=${await order()}`, { bytes: randomBytes(90_000) })
    const [key = ''] = stored(operator)
    // as a kill between the rename of the file and the commit leaves it
    await hub.owner`insert into attachment_uploads (tenant_id, storage_key, size_bytes, expires_at)
      select tenant_id, storage_key, size_bytes, ${new Date(hub.clock.now().getTime() + 3_600_000)} from attachments where id = ${body.id}`
    await hub.owner.begin(async (sql) => {
      await sql`alter table attachments disable trigger user`
      await sql`delete from attachments where id = ${body.id}`
      await sql`alter table attachments enable trigger user`
    })
    hub.clock.advance(3_500)
    await cleanUp()
    expect(stored(operator)).toEqual([key])
    hub.clock.advance(200)
    await cleanUp()
    expect(stored(operator)).toEqual([])
    expect(await hub.owner`select from attachment_uploads where tenant_id = ${operator.tenantId}`).toHaveLength(0)
  })

  it('stays queued while the storage is unavailable, and is deleted afterwards', async () => {
    const { operator, order } = await workshop()
    const { body } = await upload(hub, operator, `work_order_id=${await order()}`)
    await operator.call('DELETE', `attachments/${body.id}`)
    const away = { ...wrapStore(hub.deps.files.store), remove: () => Promise.reject(new Error('away')) }
    await cleanUp(away)
    const [queued] = await hub.owner`select attempts, error from attachment_deletions where tenant_id = ${operator.tenantId}`
    expect(queued).toMatchObject({ attempts: 1, error: expect.stringContaining('away') })
    hub.clock.advance(60)
    await cleanUp()
    expect(stored(operator)).toHaveLength(0)
    expect(await hub.owner`select from attachment_deletions where tenant_id = ${operator.tenantId}`).toHaveLength(0)
  })

  it('is not deleted while a backup runs', async () => {
    const { operator, order } = await workshop()
    const { body } = await upload(hub, operator, `work_order_id=${await order()}`)
    await operator.call('DELETE', `attachments/${body.id}`)
    const backup = await hub.owner.reserve()
    await backup`select pg_advisory_lock_shared(${ADVISORY_LOCKS.fileDeletion})`
    await cleanUp()
    expect(stored(operator)).toHaveLength(1)
    await backup`select pg_advisory_unlock_shared(${ADVISORY_LOCKS.fileDeletion})`
    backup.release()
    await cleanUp()
    expect(stored(operator)).toHaveLength(0)
  })
})
