import { execFileSync } from 'node:child_process'
import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import canonicalize from 'canonicalize'
import sharp from 'sharp'
import { afterAll, describe, expect, it } from 'vitest'
import { publicKeysOf, rotateEvidenceKeys } from '../src/features/work/signoffs/index.ts'
import { signFile, verifyFile } from '../src/support/document/file-signature.ts'
import { PASSWORD, type TestUser, useHub } from './harness.ts'
import { completedWork } from './work-record.ts'

const hub = useHub()
const folder = mkdtempSync(path.join(tmpdir(), 'haltless certificate '))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const sign = (user: TestUser, id: string) => user.call('POST', `work-orders/${id}/signoffs`, { password: PASSWORD })

/** The certificate as bytes; `call` would read it as text. It asks again while a loaded machine draws it. */
async function certificate(user: TestUser, id: string, headers: Record<string, string> = {}) {
  const init = { headers: { authorization: `Bearer ${user.token}`, ...headers } }
  for (;;) {
    const answer = await hub.app.request(`/api/v1/work-orders/${id}/certificate`, init, {
      incoming: { socket: { remoteAddress: '192.0.2.9' } },
    })
    const pdf = Buffer.from(await answer.arrayBuffer())
    const isUnderWay = answer.status === 503 && JSON.parse(String(pdf)).code === 'certificate_under_way'
    if (!isUnderWay) return { status: answer.status, headers: answer.headers, pdf }
    expect(answer.headers.get('retry-after')).toBe('10')
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}
const stored = (pdf: Buffer, name = 'certificate.pdf') => {
  const file = path.join(folder, name)
  writeFileSync(file, pdf)
  return file
}
const textOf = (pdf: Buffer) => execFileSync('pdftotext', ['-layout', stored(pdf), '-'], { encoding: 'utf8' }).normalize('NFC')
const jsonOf = (pdf: Buffer) => execFileSync('qpdf', ['--show-attachment=certificate.json', stored(pdf)], { encoding: 'utf8' })
const keysOf = async () => publicKeysOf((await hub.call('GET', '/.well-known/certificate-keys.json')).body)

describe('a certificate', () => {
  it('shows work order, machine, instructions, attachments with hashes, and each signature with its status', async () => {
    const admin = await hub.admin()
    const operator = await hub.colleague(admin, 'operator')
    await hub.owner`update users set full_name = '王小明 Łukasz' where id = ${operator.userId}`
    const { id } = await completedWork(hub, admin)
    const signed = await sign(operator, id)
    const { status, headers, pdf } = await certificate(admin, id)
    expect([status, headers.get('content-type'), headers.get('x-content-type-options')]).toEqual([
      200,
      'application/pdf',
      'nosniff',
    ])
    expect(execFileSync('qpdf', ['--check', stored(pdf)], { encoding: 'utf8' })).toContain('No syntax or stream encoding errors')
    const text = textOf(pdf)
    for (const part of [
      'Completion certificate',
      'Replace the bearing',
      'Mill 7 Łódź',
      'Acme',
      'Run-out 4 µm',
      'Step 1',
      'Step 2',
      'plan.pdf',
    ])
      expect(text).toContain(part)
    expect(text).toMatch(/王小明 Łukasz +Operator +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC +Valid/)
    expect(text).toContain('Completed and signed: 1 signature, valid')
    const letters = execFileSync('pdftotext', [stored(pdf), '-'], { encoding: 'utf8' }).replaceAll(/\s/g, '')
    for (const hash of [signed.body.signature_hash, createHash('sha256').update('abc').digest('hex')])
      expect(letters).toContain(hash)
    const payload = JSON.parse(jsonOf(pdf))
    expect(canonicalize(payload)).toBe(jsonOf(pdf))
    expect(payload).toMatchObject({ format: 'haltless-certificate', version: 1, issuer: 'http://hub.test', work_order: { id } })
    expect(payload.signoffs).toMatchObject([{ id: signed.body.id, is_valid: true }])
  })

  it('is the same bytes each time, and its tag answers 304', async () => {
    const admin = await hub.admin()
    const { id } = await completedWork(hub, admin)
    await sign(admin, id)
    const first = await certificate(admin, id)
    expect((await certificate(admin, id)).pdf).toEqual(first.pdf)
    const again = await certificate(admin, id, { 'if-none-match': first.headers.get('etag') as string })
    expect([again.status, again.pdf.length]).toEqual([304, 0])
  })

  it('of an unsigned work order says so, and there is none before completion', async () => {
    const admin = await hub.admin()
    const { id } = await completedWork(hub, admin)
    expect(textOf((await certificate(admin, id)).pdf)).toContain('Completed, not signed')
    await hub.owner`update work_orders set status = 'in_progress', completed_at = null where id = ${id}`
    const refused = await admin.call('GET', `work-orders/${id}/certificate`)
    expect([refused.status, refused.body.code]).toEqual([409, 'work_order_not_completed'])
    const stranger = await hub.admin()
    expect((await stranger.call('GET', `work-orders/${id}/certificate`)).body.code).toBe('work_order_not_found')
  })

  it('is in the language of the reader, which the profile names before the browser', async () => {
    const admin = await hub.admin()
    const { id } = await completedWork(hub, admin)
    await sign(admin, id)
    const german = await certificate(admin, id, { 'accept-language': 'de-AT,de;q=0.9' })
    expect(german.headers.get('vary')).toContain('accept-language')
    const text = textOf(german.pdf)
    for (const part of [
      'Abschlusszertifikat',
      'Abgeschlossen und unterschrieben: 1 Unterschrift, gültig',
      'Seite 1 von',
      'Administrator',
    ])
      expect(text).toContain(part)
    expect(text).not.toMatch(/Completion|Signature|Instruction|Priority|The hub/)
    expect(jsonOf(german.pdf)).toBe(jsonOf((await certificate(admin, id)).pdf))
    expect((await certificate(admin, id, { 'accept-language': 'de' })).pdf).toEqual(german.pdf)
    await hub.owner`update users set locale = 'en-GB' where id = ${admin.userId}`
    expect(textOf((await certificate(admin, id, { 'accept-language': 'de' })).pdf)).toContain('Completion certificate')
    await hub.owner`update users set locale = 'de-DE' where id = ${admin.userId}`
    expect((await certificate(admin, id)).pdf).toEqual(german.pdf)
  })

  it('says when the record was changed after signing, and names the failed check', async () => {
    const admin = await hub.admin()
    const { id } = await completedWork(hub, admin)
    await sign(admin, id)
    await hub.owner`update work_orders set title = 'Forged' where id = ${id}`
    const text = textOf((await certificate(admin, id)).pdf)
    expect(text).toContain('1 signature, not valid')
    expect(text.replaceAll(/\s+/g, ' ')).toContain('changed after signing: work_order.title')
    expect(text).not.toMatch(/UTC +Valid/)
  })

  it('keeps the names of machine and people as they were at signing', async () => {
    const admin = await hub.admin()
    const { id, machineId } = await completedWork(hub, admin)
    await sign(admin, id)
    const before = (await certificate(admin, id)).pdf
    await hub.owner`update machines set name = 'Renamed', is_active = false where id = ${machineId}`
    await hub.owner`update users set full_name = 'Renamed' where id = ${admin.userId}`
    await hub.owner`update tenants set name = 'Renamed' where id = ${admin.tenantId}`
    expect((await certificate(admin, id)).pdf).toEqual(before)
  })

  it('shows photos turned by EXIF and without metadata, and names HEIC, SVG and changed files with the reason', async () => {
    const admin = await hub.admin()
    const { id } = await completedWork(hub, admin)
    const picture = () => sharp({ create: { width: 400, height: 300, channels: 3, background: '#336699' } })
    const photo = await picture()
      .jpeg()
      .withExif({ IFD0: { Make: 'SECRETCAMERA' } })
      .withMetadata({ orientation: 6 })
      .toBuffer()
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')
    for (const [filename, type, bytes, isChanged] of [
      ['tall.jpg', 'image/jpeg', photo, false],
      ['phone.heic', 'image/heic', Buffer.from('heic'), false],
      ['logo.svg', 'image/svg+xml', svg, false],
      ['really-svg.png', 'image/png', svg, false],
      ['changed.jpg', 'image/jpeg', photo, true],
    ] as const) {
      const sha256 = createHash('sha256')
        .update(isChanged ? 'other' : bytes)
        .digest('hex')
      await attach(admin, id, { filename, type, bytes, sha256 })
    }
    const { pdf } = await certificate(admin, id)
    expect(pdf.includes('SECRETCAMERA')).toBe(false)
    const text = textOf(pdf).replaceAll(/\s+/g, ' ')
    expect(text).toContain('Photo 1: tall.jpg')
    expect(text).not.toContain('Photo 2')
    for (const reason of [
      'image/heic is named with its hash only',
      'image/svg+xml is named',
      'the file is damaged',
      'does not have this hash',
    ])
      expect(text).toContain(reason)
    const images = execFileSync('pdfimages', ['-list', stored(pdf)], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .slice(2)
    expect(images.map((line) => line.trim().split(/\s+/).slice(3, 5))).toEqual([['300', '400']])
  })
})

describe('many certificates', () => {
  it('of one organisation leave the others their turn: its seventh at once is refused, theirs is drawn before its second', async () => {
    const [busy, other] = [await hub.admin(), await hub.admin()]
    const { id: theirs } = await completedWork(hub, other)
    const orders = await Promise.all(Array.from({ length: 8 }, (_, n) => completedWork(hub, busy, `Order ${n}`)))
    const ended: string[] = []
    const asked = orders.map(({ id }) => certificate(busy, id).finally(() => ended.push('busy')))
    const drawn = certificate(other, theirs).finally(() => ended.push('other'))
    const answers = await Promise.all(asked)
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 200, 200, 503, 503])
    const refused = answers.find(({ status }) => status === 503)
    expect(JSON.parse(String(refused?.pdf))).toMatchObject({ code: 'certificates_waiting' })
    expect((await drawn).status).toBe(200)
    // two were refused at once, and at most two of the busy one were drawn by then
    expect(ended.indexOf('other')).toBeLessThanOrEqual(4)
  })

  it('of one work order are drawn once for all clients', async () => {
    const admin = await hub.admin()
    const { id } = await completedWork(hub, admin)
    const answers = await Promise.all(Array.from({ length: 20 }, () => certificate(admin, id)))
    expect(new Set(answers.map(({ status, pdf }) => `${status} ${pdf.length}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(200)
  })

  it('within the limits of instructions are drawn, also of 34 instructions of 2500 lines each', async () => {
    const admin = await hub.admin()
    const { id } = await completedWork(hub, admin)
    await hub.owner`
      insert into work_order_instructions (tenant_id, work_order_id, step_order, title, body, created_by)
      select ${admin.tenantId}, ${id}, n, 'Step', ${'x\n'.repeat(2_500)}, ${admin.userId} from generate_series(3, 34) n`
    const answer = await certificate(admin, id)
    expect(answer.status).toBe(200)
    expect(
      Number(/Pages: +(\d+)/.exec(execFileSync('pdfinfo', [stored(answer.pdf)], { encoding: 'utf8' }))?.[1]),
    ).toBeGreaterThan(1_000)
    expect(execFileSync('qpdf', ['--check', stored(answer.pdf)], { encoding: 'utf8' })).toContain('No syntax or stream')
    expect((await certificate(admin, id)).pdf).toEqual(answer.pdf)
  }, 300_000)

  it('of damaged photos take no longer than of good ones: only the first 24 are decoded', async () => {
    const admin = await hub.admin()
    const { id } = await completedWork(hub, admin)
    const bytes = Buffer.from('damaged')
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    for (let n = 1; n <= 26; n++) await attach(admin, id, { filename: `${n}.jpg`, type: 'image/jpeg', bytes, sha256 })
    const text = textOf((await certificate(admin, id)).pdf).replaceAll(/\s+/g, ' ')
    expect(text.match(/the file is damaged/g)).toHaveLength(24)
    expect(text.match(/only the first 24 photos/g)).toHaveLength(2)
  })
})

describe('the file signature of a certificate', () => {
  it('verifies with the published keys, also after a rotation, and a changed file names the reason', async () => {
    const admin = await hub.admin()
    const { id } = await completedWork(hub, admin)
    await sign(admin, id)
    const { pdf } = await certificate(admin, id)
    expect(verifyFile(pdf, await keysOf())).toMatchObject({ reference: JSON.parse(jsonOf(pdf)).reference })
    await rotateEvidenceKeys(hub.deps.pools.system, hub.deps.box)
    const renewed = (await certificate(admin, id)).pdf
    const keys = await keysOf()
    expect(verifyFile(pdf, keys).isValid && verifyFile(renewed, keys).isValid).toBe(true)
    expect(verifyFile(pdf, keys)).not.toEqual(verifyFile(renewed, keys))
    const edited = Buffer.from(pdf)
    edited[pdf.length >> 1] = (edited[pdf.length >> 1] as number) ^ 1
    expect(verifyFile(edited, keys)).toMatchObject({ isValid: false, reason: 'changed' })
    // a program that saves the file again
    execFileSync('qpdf', [stored(pdf), path.join(folder, 'saved.pdf')])
    const saved = execFileSync('cat', [path.join(folder, 'saved.pdf')], { maxBuffer: 1e8 })
    expect(verifyFile(saved, keys)).toMatchObject({ isValid: false, reason: 'unsigned' })
    // no other kind of key is published there, and no private part
    const { body } = await hub.call('GET', '/.well-known/certificate-keys.json')
    for (const key of body.keys) expect(Object.keys(key).toSorted()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x'])
  })
})

describe('the public keys of certificates', () => {
  it('are those of the private keys: a key that the owner of the database writes into the table makes nothing verify', async () => {
    const admin = await hub.admin()
    const { id } = await completedWork(hub, admin)
    const { pdf } = await certificate(admin, id)
    const before = await keysOf()
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const jwk = JSON.stringify(publicKey.export({ format: 'jwk' }))
    const [row = {}] = await hub.owner`select * from hub_keys where starts_with(name, 'certificate.') order by created_at desc`
    await hub.owner`insert into hub_keys ${hub.owner({ ...row, name: 'certificate.forged', public_key: jwk, created_at: new Date(0) })}`
    await hub.owner`update hub_keys set public_key = ${jwk} where name = ${row.name}`
    const keys = await keysOf()
    expect([...keys.keys()]).toEqual([...before.keys()])
    expect(verifyFile(pdf, keys).isValid).toBe(true)
    for (const kid of ['forged', row.name.slice('certificate.'.length)])
      expect(verifyFile(signFile(Buffer.from('%PDF forged'), { kid, privateKey }, 'x'.repeat(22)), keys).isValid).toBe(false)
    await hub.owner`delete from hub_keys where name = 'certificate.forged'`
    await hub.owner`update hub_keys set public_key = ${row.public_key} where name = ${row.name}`
  })
})

describe('the verification page', () => {
  it('shows to anybody who has the reference what the certificate shows, and nothing about others', async () => {
    const admin = await hub.admin()
    const { id } = await completedWork(hub, admin)
    await sign(admin, id)
    const { reference } = JSON.parse(jsonOf((await certificate(admin, id)).pdf))
    expect(Buffer.from(reference, 'base64url')).toHaveLength(16)
    const page = await hub.call('GET', `/verify/${reference}`)
    expect(page.status).toBe(200)
    for (const part of ['all signatures are valid', 'Replace the bearing', 'Mill 7 Łódź', 'Ada Admin (admin)'])
      expect(page.body).toContain(part)
    expect(page.body).not.toContain('@example.com')
    expect(page.body).not.toContain(admin.userId)
    expect(page.headers.get('x-robots-tag')).toContain('noindex')
    expect(page.body).toContain('<meta name="robots" content="noindex">')
    expect((await hub.call('GET', `/verify/${reference}`, undefined, { 'accept-language': 'de' })).body).toContain(
      'alle Unterschriften sind gültig',
    )
    await hub.owner`update work_orders set completion_notes = '<b>forged' where id = ${id}`
    const changed = (await hub.call('GET', `/verify/${reference}`)).body
    expect(changed).toContain('Do not rely on the document')
    expect(changed).toContain('work_order.completion_notes')
    expect((await hub.call('GET', `/verify/${reference}`, undefined, { 'accept-language': 'de' })).body).toContain(
      'Der Auftrag wurde nach dem Unterschreiben geändert: work_order.completion_notes.',
    )
    const { pdf } = await certificate(admin, id, { 'accept-language': 'de' })
    expect(textOf(pdf).replace(/\s+/g, ' ')).toContain('Der Auftrag wurde nach dem Unterschreiben geändert')
    for (const unknown of ['x'.repeat(22), id, `${reference}x`])
      expect((await hub.call('GET', `/verify/${unknown}`)).status).toBe(404)
  })

  it('does not appear in the log with its reference, which opens it', async () => {
    const lines: unknown[] = []
    const { logger } = hub.deps
    const original = logger.debug.bind(logger)
    logger.debug = ((line: unknown) => lines.push(line)) as typeof logger.debug
    try {
      await hub.call('GET', `/verify/${'z'.repeat(22)}`)
    } finally {
      logger.debug = original
    }
    expect(JSON.stringify(lines)).toContain('/verify/***')
    expect(JSON.stringify(lines)).not.toContain('zzz')
  })
  it('answers 429 beyond the rate limit of an address', async () => {
    const open = () => hub.call('GET', `/verify/${'y'.repeat(22)}`, undefined, {}, '198.51.100.77')
    let status = 404
    for (let n = 0; n <= 600 && status === 404; n++) status = (await open()).status
    expect(status).toBe(429)
    expect((await open()).headers.get('retry-after')).toBe('60')
  })
})

/** An attachment with its file. */
async function attach(
  user: TestUser,
  workOrderId: string,
  file: { filename: string; type: string; bytes: Buffer; sha256: string },
) {
  const key = `${user.tenantId}/${randomUUID()}`
  await hub.deps.files.store.put(key, { path: stored(file.bytes, 'upload'), size: file.bytes.length })
  await hub.owner`
    insert into attachments (tenant_id, work_order_id, uploaded_by, filename, content_type, size_bytes, sha256, storage_key)
    values (${user.tenantId}, ${workOrderId}, ${user.userId}, ${file.filename}, ${file.type}, ${file.bytes.length}, ${file.sha256}, ${key})`
}
