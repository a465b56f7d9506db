import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { type ErpServer, type ErpServerOptions, startErpServer } from '../../../../../test/support/erp/server.ts'
import { erpRecord, sessionWith } from '../../../../../test/support/erp/session.ts'
import type { SessionSettings } from '../provider.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})
const signal = new AbortController().signal

async function start(options: ErpServerOptions = {}, settings: Partial<SessionSettings> = {}) {
  const erp = await startErpServer('erp_c', options)
  const session = sessionWith('erp_c', erp, settings)
  ends.push(session.close, erp.close)
  return { erp, session }
}
const sentIds = (outcomes: readonly object[]) => outcomes.map((outcome) => (outcome as { externalId?: string }).externalId)
const onlyRecord = (erp: ErpServer) => erp.records('work_order')[0]

describe('a record of erp_c', () => {
  it.each(['work_order', 'production_data', 'downtime'] as const)(
    '%s is created, found by our id and updated',
    async (entity) => {
      const { erp, session } = await start()
      const records = [erpRecord(entity), erpRecord(entity)]
      const created = await session.create(records, signal)
      expect(created.map(({ kind }) => kind)).toEqual(['sent', 'sent'])
      const ids = records.map(({ id }) => id)
      const found = await session.find(entity, [...ids, randomUUID()], signal)
      expect([...found]).toEqual(expect.arrayContaining(ids.map((id, index) => [id, sentIds(created)[index]])))
      expect(found.size).toBe(2)
      const changed = { ...(records[0] as (typeof records)[0]), lines: {} }
      const externalId = found.get(ids[0] as string) as string
      expect(await session.update([{ record: changed, externalId }], signal)).toMatchObject([{ kind: 'sent', externalId }])
      expect(erp.records(entity)).toHaveLength(2)
      expect(erp.records(entity)[0]?.fields).toMatchObject({ haltlessId: ids[0], machineName: 'Press <1> & Söhne' })
    },
  )

  it('that the ERP has already exists; one that it refuses is rejected with the field, and its neighbours are sent', async () => {
    const { erp, session } = await start({ maxLengths: { title: 40 } })
    const known = erpRecord('work_order')
    await session.create([known], signal)
    const long = erpRecord('work_order', { title: 'x'.repeat(41) })
    const fits = erpRecord('work_order', { title: 'x'.repeat(40) })
    const outcomes = await session.create([known, long, fits], signal)
    expect(outcomes).toMatchObject([
      { kind: 'exists' },
      { kind: 'rejected', fault: { detail: expect.stringMatching(/title exceeds the maximum length of 40/) } },
      { kind: 'sent' },
    ])
    expect(outcomes[1]).toMatchObject({
      request: expect.stringMatching(/^POST https.*work-orders/),
      response: expect.stringMatching(/^400 /),
    })
    expect(erp.records('work_order')).toHaveLength(2)
  })

  it('with an unknown field is rejected with its name', async () => {
    const { session } = await start({}, { fieldMapping: { 'work_order.title': 'headline', 'work_order.description': '' } })
    expect(await session.create([erpRecord('work_order')], signal)).toMatchObject([
      { kind: 'rejected', fault: { detail: expect.stringContaining('headline is unknown') } },
    ])
  })

  it('gets its id from Location when the answer has no key field, and never from another origin', async () => {
    for (const [location, kind] of [
      ['/rest/v1/work-orders/WO%2F1', 'sent'],
      ['https://evil.example/work-orders/1', 'failed'],
      ['', 'failed'],
    ] as const) {
      const answer = () => ({ status: 201, headers: { location }, body: { done: true } })
      const { session } = await start({ answer })
      expect(await session.create([erpRecord('work_order')], signal)).toMatchObject([
        { kind, ...(kind === 'sent' && { externalId: 'WO/1' }) },
      ])
    }
  })

  it('keeps its id, whatever an update answers', async () => {
    const { session } = await start({ answer: () => ({ status: 200, body: { id: 'other' }, headers: { location: '/x/other' } }) })
    expect(await session.update([{ record: erpRecord('work_order'), externalId: 'first' }], signal)).toMatchObject([
      { kind: 'sent', externalId: 'first' },
    ])
  })

  it('that another user changes meanwhile is read again once', async () => {
    for (const [conflicts, kind] of [
      [1, 'sent'],
      [2, 'failed'],
    ] as const) {
      let left = conflicts
      const { erp, session } = await start({
        answer: ({ method }) => {
          if (method === 'PATCH' && left-- > 0) erp.touch('work_order', externalId)
          return null
        },
      })
      const record = erpRecord('work_order')
      const externalId = sentIds(await session.create([record], signal))[0] as string
      expect(await session.update([{ record, externalId }], signal)).toMatchObject([{ kind }])
      const requests = erp.calls.map(({ method }) => method)
      expect(requests).toEqual(['POST', 'GET', 'PATCH', 'GET', 'PATCH'])
    }
  })

  it('is updated without If-Match by an ERP without ETags', async () => {
    const { erp, session } = await start({ hasEtags: false })
    const record = erpRecord('work_order')
    const externalId = sentIds(await session.create([record], signal))[0] as string
    const changed = { ...record, fields: { ...record.fields, title: 'Other' } }
    expect(await session.update([{ record: changed, externalId }], signal)).toMatchObject([{ kind: 'sent' }])
    expect(erp.calls.at(-1)?.headers['if-match']).toBeUndefined()
    expect(onlyRecord(erp)?.fields.title).toBe('Other')
  })

  it('that was deleted in the ERP is not created again by an update', async () => {
    const { erp, session } = await start()
    const record = erpRecord('work_order')
    const externalId = sentIds(await session.create([record], signal))[0] as string
    erp.remove('work_order', externalId)
    expect(await session.update([{ record, externalId }], signal)).toMatchObject([
      { kind: 'rejected', fault: { detail: expect.stringContaining('restore it') } },
    ])
    expect(erp.records('work_order')).toEqual([])
  })

  it('is not created twice when the connection is lost after the create', async () => {
    for (const fault of ['drop_after_commit', 'timeout_after_commit'] as const) {
      const { erp, session } = await start({}, { timeoutMs: 3_000 })
      const [first, second] = [erpRecord('work_order'), erpRecord('work_order')]
      await session.create([first], signal)
      erp.inject(fault)
      expect(await session.create([second], signal)).toMatchObject([{ kind: 'failed' }])
      expect(erp.creates(second.id)).toBe(1)
      expect((await session.find('work_order', [second.id], signal)).size).toBe(1)
    }
  })

  it('fails alone with a 500', async () => {
    const { erp, session } = await start()
    erp.inject('500', { every: 2, times: 1 })
    const outcomes = await session.create(
      [1, 2, 3].map(() => erpRecord('work_order')),
      signal,
    )
    expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(['failed', 'sent', 'sent'])
  })
})

describe('erp_c cannot be used', () => {
  const records = () => [1, 2, 3, 4, 5, 6].map(() => erpRecord('work_order'))

  it('when it refuses the credentials, or the connection', async () => {
    const { erp, session } = await start()
    const wrong = sessionWith('erp_c', erp, { config: { password: 'wrong' } })
    ends.push(wrong.close)
    for (const call of [
      () => wrong.create(records(), signal),
      () => wrong.find('downtime', ['x'], signal),
      () => wrong.assets(null, signal),
    ])
      await expect(call()).rejects.toMatchObject({ reason: 'authentication' })
    await erp.close()
    ends.pop()
    await expect(session.create(records(), signal)).rejects.toMatchObject({ reason: 'unreachable' })
    ends.splice(0)
    session.close()
  })

  it('with a certificate of an unknown authority', async () => {
    const { erp } = await start()
    const config = { ca_certificate: undefined }
    const session = sessionWith('erp_c', erp, { config })
    ends.push(session.close)
    await expect(session.create(records(), signal)).rejects.toMatchObject({
      reason: 'unreachable',
      message: expect.stringContaining('ca_certificate'),
    })
  })

  it('when it throttles the first record; later it waits as long as the ERP says', async () => {
    const { erp, session } = await start()
    erp.inject('429', { retryAfterSeconds: 17 })
    await expect(session.create(records(), signal)).rejects.toMatchObject({ reason: 'throttled', retryAfterSeconds: 17 })
    expect(erp.records('work_order')).toEqual([])
    erp.inject('429', { every: 3, times: 1, retryAfterSeconds: 0 })
    const outcomes = await session.create(records(), signal)
    expect(outcomes.map(({ kind }) => kind)).toEqual(Array(6).fill('sent'))
    expect(outcomes.filter(({ response }) => response.startsWith('429, then 201'))).toHaveLength(1)
  })

  it('in the middle of a call: the records that were not sent fail', async () => {
    const { erp, session } = await start()
    erp.inject('503', { every: 3 })
    const outcomes = await session.create(records(), signal)
    const kinds = outcomes.map(({ kind }) => kind)
    expect(kinds.filter((kind) => kind === 'sent')).toHaveLength(erp.records('work_order').length)
    expect(kinds).toContain('failed')
    expect(outcomes.find(({ kind }) => kind === 'failed')).toMatchObject({
      fault: { detail: expect.stringContaining('was not sent') },
    })
  })

  it('when it ignores the filter: a record could be hidden, and be created again', async () => {
    const { session } = await start({
      answer: () => ({ status: 200, body: { items: [{ id: 1, haltlessId: 'other' }], hasMore: false } }),
    })
    await expect(session.find('work_order', [randomUUID()], signal)).rejects.toThrow(/ignores the filter on haltlessId/)
  })

  it('when its records have no id; the address in links is one', async () => {
    const id = randomUUID()
    const [self, related] = ['self', 'related'].map((rel) => ({ rel, href: 'https://erp.example/rest/v1/work-orders/7' }))
    for (const [links, expected] of [
      [[related, self], '7'],
      [[related], null],
    ] as const) {
      const { session } = await start({
        answer: () => ({ status: 200, body: { items: [{ haltlessId: id, links }], hasMore: false } }),
      })
      const found = session.find('work_order', [id], signal)
      if (expected === null) await expect(found).rejects.toThrow(/has no id in id/)
      else expect((await found).get(id)).toBe(expected)
      if (expected === null) await expect(session.assets(null, signal)).rejects.toThrow(/record of assets has no id/)
    }
  })

  it.each([
    ['a path that it does not have', { status: 404, body: {} }, /has no work-orders/],
    ['a page for people', { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' }, /answers with a web page/],
    ['something that is no JSON', { status: 200, body: 'x' }, /not answer work-orders with JSON/],
    ['a list without items', { status: 200, body: {} }, /without items/],
    [
      'a redirect to another host',
      { status: 302, headers: { location: 'https://evil.example/' } },
      /redirects to another address/,
    ],
    ['a right that is missing', { status: 403, body: { detail: 'No privilege.' } }, /lacks a right.*No privilege\./],
  ])('with %s', async (_, reply, message) => {
    const { session } = await start({ answer: () => reply })
    await expect(session.find('work_order', [randomUUID()], signal)).rejects.toThrow(message)
  })

  it('after an abort', async () => {
    const { session } = await start({ answer: () => null, delayMs: 10_000 })
    await expect(session.find('work_order', [randomUUID()], AbortSignal.timeout(50))).rejects.toMatchObject({
      reason: 'unreachable',
    })
  })
})

it('erp_c: a web page, such as that of a sign-in, is no success', async () => {
  const { session } = await start({ answer: () => ({ status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' }) })
  const [record, externalId] = [erpRecord('work_order'), '1']
  for (const call of [() => session.create([record], signal), () => session.update([{ record, externalId }], signal)])
    await expect(call()).rejects.toThrow(/web page/)
})

it('erp_c: a redirect of a read is followed on the same origin', async () => {
  const { erp, session } = await start({
    answer: ({ path }) =>
      path.startsWith('/rest/v1/work-orders?')
        ? { status: 307, headers: { location: path.replace('v1', 'v2') } }
        : { status: 200, body: { items: [] } },
  })
  expect((await session.find('work_order', [randomUUID()], signal)).size).toBe(0)
  expect(erp.calls.map(({ path }) => path.slice(0, 20))).toEqual(['/rest/v1/work-orders', '/rest/v2/work-orders'])
})

it('erp_c: 10,000 assets are read in pages, each once', async () => {
  for (const pageSize of [73, 500]) {
    const { erp, session } = await start({ pageSize })
    erp.addAssets(pageSize === 73 ? 200 : 10_000)
    const seen: unknown[] = []
    for (let page: string | null = null; ; ) {
      const { assets, nextPage } = await session.assets(page, signal)
      expect(assets.length).toBeLessThanOrEqual(200)
      seen.push(...assets)
      if (nextPage === null) break
      page = nextPage
    }
    expect(seen).toHaveLength(pageSize === 73 ? 200 : 10_000)
    expect(new Set(seen.map((asset) => (asset as { externalId: string }).externalId)).size).toBe(seen.length)
    expect(seen[0]).toEqual({
      externalId: expect.any(String),
      machineIdentifier: 'm-00001',
      name: 'Machine 1',
      location: 'Hall 2',
    })
  }
})

it('erp_c: a list that ignores offsets ends, and is refused when the limit cut it', async () => {
  const items = (count: number) => Array.from({ length: count }, (_, id) => ({ id, machineIdentifier: `m-${id}` }))
  for (const [count, isCut] of [
    [150, false],
    [200, true],
    [1_000, false],
  ] as const) {
    const { session } = await start({ answer: () => ({ status: 200, body: items(count) }) })
    const first = await session.assets(null, signal)
    expect(first.assets).toHaveLength(count)
    const second = session.assets(first.nextPage, signal)
    if (isCut) await expect(second).rejects.toThrow(/repeats a page/)
    else expect((await second).nextPage).toBeNull()
  }
})

it('erp_c: summaries and messages contain no secret, also when the ERP echoes it in several forms', async () => {
  const { erp, session } = await start({ echoes: true, maxLengths: { title: 5 } })
  const password = erp.config.password as string
  const outcomes: unknown[] = await session.create([erpRecord('work_order'), erpRecord('work_order')], signal)
  const bad = sessionWith('erp_c', erp, { fieldMapping: { id: 'nonsense' } })
  const out = sessionWith('erp_c', erp, { config: { username: 'other' } })
  ends.push(bad.close, out.close)
  for (const session of [bad, out])
    outcomes.push(await session.find('downtime', ['x'], signal).catch((error) => ({ ...error, message: error.message })))
  outcomes.push(await out.check(signal), await bad.check(signal))
  const text = JSON.stringify(outcomes)
  expect(text).toContain('***')
  for (const form of [
    password,
    JSON.stringify(password).slice(1, -1),
    encodeURIComponent(password),
    Buffer.from(password).toString('base64'),
  ])
    expect(text).not.toContain(form)
  expect(text).not.toContain(Buffer.from(`haltless:${password}`).toString('base64').replace(/=+$/, ''))
  for (const { request, response } of outcomes.slice(0, 2) as { request: string; response: string }[])
    expect(Math.max(request.length, response.length)).toBeLessThanOrEqual(500)
})

describe('the test of erp_c', () => {
  it('says what it found', async () => {
    const { session } = await start()
    const found = await session.check(signal)
    expect(found).toMatchObject({
      reachable: true,
      authenticated: true,
      entities: { machine: { ok: true }, downtime: { ok: true } },
    })
    expect(found.message).toMatch(/was reached.*can read work orders, production data, downtime, machines\./)
  })

  it('names the entity that cannot be read, and what to do', async () => {
    const { session } = await start({}, { fieldMapping: {} })
    const { erp } = await start()
    const other = sessionWith('erp_c', erp, { config: { paths: { downtime: 'stops' } } })
    ends.push(other.close)
    expect((await session.check(signal)).entities.downtime.ok).toBe(true)
    expect(await other.check(signal)).toMatchObject({
      reachable: true,
      entities: { work_order: { ok: true }, downtime: { ok: false, message: expect.stringContaining('config.paths') } },
      message: expect.stringContaining('It cannot read downtime: The ERP has no stops'),
    })
  })

  it('tells wrong credentials from an ERP that cannot be reached', async () => {
    const { erp } = await start()
    const wrong = sessionWith('erp_c', erp, { config: { password: 'wrong' } })
    const away = sessionWith('erp_c', erp, { config: { base_url: 'https://127.0.0.1:1' } })
    ends.push(wrong.close, away.close)
    expect(await wrong.check(signal)).toMatchObject({
      reachable: true,
      authenticated: false,
      message: expect.stringContaining('check username and password'),
    })
    expect(await away.check(signal)).toMatchObject({
      reachable: false,
      authenticated: false,
      message: expect.stringContaining('Check base_url'),
    })
  })
})
