import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { type ErpServer, type ErpServerOptions, startErpServer } from '../../../../test/support/erp/server.ts'
import { erpRecord, sessionWith } from '../../../../test/support/erp/session.ts'
import { providerOf } from './index.ts'
import type { PushOutcome, SessionSettings } from './provider.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})
const signal = new AbortController().signal
const PROVIDERS = ['erp_a', 'erp_b', 'erp_c'] as const
const ENTITIES = ['work_order', 'production_data', 'downtime'] as const

const kinds = (outcomes: readonly PushOutcome[]) => outcomes.map(({ kind }) => kind)
const idsOf = (outcomes: readonly PushOutcome[]) => outcomes.map((one) => (one.kind === 'sent' ? one.externalId : ''))
const many = (count: number) => Array.from({ length: count }, () => erpRecord('work_order'))

describe.each(PROVIDERS)('%s', (provider) => {
  const { defaults } = providerOf(provider)
  const name = (field: string) => defaults.work_order.fields[field] as string
  const secretKey = provider === 'erp_b' ? 'client_secret' : 'password'

  async function start(options: ErpServerOptions = {}, settings: Partial<SessionSettings> = {}) {
    const erp = await startErpServer(provider, options)
    ends.push(erp.close)
    return { erp, session: open(erp, settings) }
  }
  function open(erp: ErpServer, settings: Partial<SessionSettings> = {}) {
    const session = sessionWith(provider, erp, settings)
    ends.unshift(session.close)
    return session
  }

  it.each(ENTITIES)('creates a %s, finds it by our id and updates it', async (entity) => {
    const { erp, session } = await start()
    const records = [erpRecord(entity), erpRecord(entity)]
    const ids = records.map(({ id }) => id)
    const created = await session.create(records, signal)
    expect(kinds(created)).toEqual(['sent', 'sent'])
    const found = await session.find(entity, [...ids, randomUUID()], signal)
    expect(ids.map((id) => found.get(id))).toEqual(idsOf(created))
    expect(found.size).toBe(2)
    const [first] = records as [(typeof records)[0]]
    const changed = { ...first, fields: { ...first.fields, machine_name: 'Press 2' } }
    const externalId = idsOf(created)[0] as string
    expect(await session.update([{ record: changed, externalId }], signal)).toMatchObject([{ kind: 'sent', externalId }])
    expect(erp.records(entity)).toHaveLength(2)
    const stored = erp.records(entity).find((one) => one.haltlessId === first.id)?.fields
    expect(stored?.[defaults[entity].fields.machine_name as string]).toBe('Press 2')
  })

  it('sends instructions with a new work order', async () => {
    const { erp, session } = await start()
    await session.create(many(1), signal)
    const list = defaults.work_order.lines?.instructions
    const lines = erp.records('work_order')[0]?.fields[list?.field as string] as Record<string, unknown>[]
    expect(lines.map((line) => line[list?.fields.text as string])).toEqual(['Lock: main switch.', 'Test'])
  })

  it('uses the names and paths of the connection', async () => {
    const paths = { work_order: defaults.downtime.path }
    const fieldMapping = { 'work_order.title': 'x_title', description: '', 'work_order.instructions': '' }
    const { session } = await start({}, { fieldMapping })
    const other = open((await start()).erp, { config: { paths } })
    const { body } = session.prepare(erpRecord('work_order'), null) as { body: Record<string, unknown> }
    expect(body.x_title).toBe('Replace the bearing')
    expect(Object.keys(body)).not.toContain(name('description'))
    expect(other.prepare(erpRecord('work_order'), null).url).toBe(other.prepare(erpRecord('downtime'), null).url)
    expect(await session.create(many(1), signal)).toMatchObject([
      { kind: 'rejected', fault: { detail: expect.stringContaining('x_title') } },
    ])
  })

  it('reports a record that exists, rejects one that the ERP refuses, and sends its neighbours', async () => {
    const title = name('title')
    const { erp, session } = await start({ maxLengths: { [title]: 40 } })
    const [known] = many(1) as [ReturnType<typeof erpRecord>]
    await session.create([known], signal)
    const [long, fits] = [41, 40].map((length) => erpRecord('work_order', { title: 'x'.repeat(length) }))
    const outcomes = await session.create([known, long, fits] as (typeof known)[], signal)
    expect(kinds(outcomes)).toEqual(['exists', 'rejected', 'sent'])
    expect(outcomes[1]).toMatchObject({ fault: { detail: expect.stringMatching(new RegExp(`${title}.*40`)) } })
    expect(outcomes[1]?.request).toMatch(/^POST https/)
    expect(outcomes[1]?.response).toMatch(/^400 /)
    expect(erp.records('work_order')).toHaveLength(2)
  })

  it.each(['drop_after_commit', 'timeout_after_commit'] as const)('does not create again after %s', async (fault) => {
    const { erp, session } = await start({}, { timeoutMs: 3_000 })
    await session.create(many(1), signal)
    const records = many(1)
    const id = records[0]?.id as string
    erp.inject(fault)
    expect(kinds(await session.create(records, signal))).toEqual(['failed'])
    expect(erp.creates(id)).toBe(1)
    expect((await session.find('work_order', [id], signal)).size).toBe(1)
    const again = await session.create(records, signal)
    expect([kinds(again), erp.creates(id)]).toEqual([['exists'], 1])
  })

  it('never creates a record that was deleted in the ERP', async () => {
    const { erp, session } = await start()
    const records = many(1)
    const [externalId = ''] = idsOf(await session.create(records, signal))
    erp.remove('work_order', externalId)
    const updates = records.map((record) => ({ record, externalId }))
    expect(await session.update(updates, signal)).toMatchObject([
      { kind: 'rejected', fault: { detail: expect.stringContaining('restore it') } },
    ])
    expect(erp.records('work_order')).toEqual([])
  })

  it('cannot be used with wrong credentials, and says so for every call', async () => {
    const { erp } = await start()
    const wrong = open(erp, { config: { [secretKey]: 'wrong' } })
    const calls = [
      () => wrong.create(many(2), signal),
      () => wrong.find('downtime', [randomUUID()], signal),
      () => wrong.assets(null, signal),
    ]
    for (const call of calls)
      await expect(call()).rejects.toMatchObject({ reason: 'authentication', message: expect.stringMatching(/check/i) })
    const updates = many(2).map((record) => ({ record, externalId: '1' }))
    await expect(wrong.update(updates, signal)).rejects.toMatchObject({ reason: 'authentication' })
  })

  it('cannot be used when nothing listens, or with a certificate of an unknown authority', async () => {
    const { erp } = await start()
    const untrusted = open(erp, { config: { ca_certificate: undefined } })
    await expect(untrusted.create(many(2), signal)).rejects.toMatchObject({
      reason: 'unreachable',
      message: expect.stringContaining('ca_certificate'),
    })
    const config = Object.fromEntries(['base_url', 'token_url'].map((key) => [key, 'https://127.0.0.1:1/x']))
    await expect(open(erp, { config }).create(many(2), signal)).rejects.toMatchObject({ reason: 'unreachable' })
  })

  it('throttles: nothing of the first call was sent, and Retry-After is reported', async () => {
    const { erp, session } = await start()
    erp.inject('429', { retryAfterSeconds: 17 })
    await expect(session.create(many(3), signal)).rejects.toMatchObject({ reason: 'throttled', retryAfterSeconds: 17 })
    expect(erp.records('work_order')).toEqual([])
    expect(kinds(await session.create(many(3), signal))).toEqual(['sent', 'sent', 'sent'])
  })

  it('reads 10,000 assets in pages, each once', async () => {
    const { erp, session } = await start({ pageSize: 500 })
    erp.addAssets(10_000)
    const seen = new Set<string>()
    let largest = 0
    for (let page: string | null = null; ; ) {
      const { assets, nextPage } = await session.assets(page, signal)
      largest = Math.max(largest, assets.length)
      for (const { externalId, machineIdentifier, name, location } of assets)
        seen.add(`${externalId} ${machineIdentifier} ${name} ${location}`)
      if (nextPage === null) break
      page = nextPage
    }
    expect(seen.size).toBe(10_000)
    expect([...seen][0]).toMatch(/^\S+ m-00001 Machine 1 Hall 2$/)
    expect(largest).toBeLessThanOrEqual(500)
  })

  it('shows no secret in summaries and messages, also when the ERP echoes it in several forms', async () => {
    const { erp, session } = await start({ echoes: true, maxLengths: { [name('title')]: 5 } })
    const bad = open(erp, { fieldMapping: { id: 'nonsense' } })
    const out = open(erp, { config: { [provider === 'erp_b' ? 'client_id' : 'username']: 'other' } })
    const found: unknown[] = await session.create(many(3), signal)
    for (const { request, response } of found as PushOutcome[])
      expect(Math.max(request.length, response.length)).toBeLessThanOrEqual(500)
    for (const one of [bad, out]) {
      const error = await one.find('work_order', [randomUUID()], signal).catch((caught) => caught)
      found.push({ ...error, message: error.message }, await one.check(signal))
    }
    const text = JSON.stringify(found)
    expect(text).toContain('***')
    const secret = erp.config[secretKey] as string
    const basic = Buffer.from(`haltless:${secret}`).toString('base64').replace(/=+$/, '')
    const forms = [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret),
      Buffer.from(secret).toString('base64'),
      basic,
    ]
    for (const form of forms) expect(text).not.toContain(form)
  })

  it('says in a test what it found', async () => {
    const { erp, session } = await start()
    const found = await session.check(signal)
    expect(found).toMatchObject({ reachable: true, authenticated: true })
    expect(ENTITIES.map((entity) => found.entities[entity].ok)).toEqual([true, true, true])
    expect(found.message).toMatch(/accepts the credentials.*can read work orders, production data, downtime, machines\./)
    expect(erp.records('work_order')).toEqual([])

    const partly = await open(erp, { config: { paths: { downtime: `${defaults.downtime.path}X` } } }).check(signal)
    expect(partly.entities).toMatchObject({ work_order: { ok: true }, downtime: { ok: false }, machine: { ok: true } })
    expect(partly.message).toMatch(/It cannot read downtime: The ERP has no .*config\.paths/)
    const mapped = await open(erp, { fieldMapping: { 'work_order.id': 'nonsense' } }).check(signal)
    expect(mapped.entities.work_order).toMatchObject({ ok: false, message: expect.stringContaining('nonsense') })
    const wrong = await open(erp, { config: { [secretKey]: 'wrong' } }).check(signal)
    expect(wrong).toMatchObject({ reachable: true, authenticated: false })
    const config = Object.fromEntries(['base_url', 'token_url'].map((key) => [key, 'https://127.0.0.1:1/x']))
    expect(await open(erp, { config }).check(signal)).toMatchObject({
      reachable: false,
      authenticated: false,
      entities: { machine: { ok: false } },
    })
  })

  it('names what it finds by code, with the parameters of its sentence', async () => {
    const { erp, session } = await start({ maxLengths: { [name('title')]: 40 } })
    const host = new URL(String(erp.config.base_url)).origin
    const [, refused] = await session.create([...many(1), erpRecord('work_order', { title: 'x'.repeat(41) })], signal)
    const reason = expect.stringContaining(name('title'))
    expect(refused).toMatchObject({ fault: { code: 'erp_record_refused', source: 'hub', params: { status: 400, reason } } })
    const all = await session.check(signal)
    expect(all).toMatchObject({
      fault: { code: 'erp_reached_to_read', params: { host } },
      entities: { machine: { fault: null } },
    })
    expect(all.fault.detail).toBe(all.message)
    const path = `${defaults.downtime.path}X`
    const { entities } = await open(erp, { config: { paths: { downtime: path } } }).check(signal)
    expect(entities.downtime).toMatchObject({ fault: { code: 'erp_path_missing', source: 'config', params: { path } } })
    const wrong = await open(erp, { config: { [secretKey]: 'wrong' } }).check(signal)
    const isIssued = provider === 'erp_b'
    expect(wrong.fault).toMatchObject({ code: isIssued ? 'erp_no_token' : 'erp_credentials_refused', detail: wrong.message })
    expect(wrong.entities.work_order).toMatchObject({ fault: { code: 'erp_not_tested' } })
    const config = Object.fromEntries(['base_url', 'token_url'].map((key) => [key, 'https://127.0.0.1:1/x']))
    const { fault } = await open(erp, { config }).check(signal)
    const setting = isIssued ? 'token_url' : 'base_url'
    expect(fault).toMatchObject({
      code: isIssued ? 'erp_issuer_unreachable' : 'erp_unreachable',
      source: 'network',
      params: { host: 'https://127.0.0.1:1', setting, reason: { detail: expect.stringMatching(/\.$/) } },
    })
  })

  it('does not say in a test that an ERP in maintenance accepts the credentials', async () => {
    const { erp, session } = await start()
    erp.inject('503', { on: 'any', every: 1 })
    const found = await session.check(signal)
    expect(found).toMatchObject({ reachable: true, authenticated: false, entities: { work_order: { ok: false } } })
    expect(found.message).toMatch(/was reached\..*not available now.* Try again later\.$/)
    expect(found.message).not.toMatch(/credentials/)
  })

  it('ends a call and a test when the signal aborts', async () => {
    const { erp, session } = await start({ delayMs: 5_000 })
    await expect(session.find('work_order', [randomUUID()], AbortSignal.timeout(50))).rejects.toMatchObject({
      reason: 'unreachable',
    })
    expect((await open(erp).check(AbortSignal.timeout(50))).reachable).toBe(false)
  })
})
