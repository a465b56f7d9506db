import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { type ErpServer, type ErpServerOptions, startErpServer } from '../../../../../test/support/erp/server.ts'
import { erpRecord, sessionWith } from '../../../../../test/support/erp/session.ts'
import { type ErpCall, type ErpReply, jsonOf } from '../../../../../test/support/erp/vendor.ts'
import type { GuardedClient } from '../../../../support/net/guarded-client.ts'
import type { PushOutcome, SessionSettings } from '../provider.ts'
import { readBatch } from './batch.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})
const signal = new AbortController().signal

async function start(options: ErpServerOptions = {}, settings: Partial<SessionSettings> = {}) {
  const erp = await startErpServer('erp_b', options)
  const session = sessionWith('erp_b', erp, settings)
  ends.push(session.close, erp.close)
  return { erp, session }
}
const many = (count: number) => Array.from({ length: count }, () => erpRecord('work_order'))
const kinds = (outcomes: readonly PushOutcome[]) => outcomes.map(({ kind }) => kind)
const isSignIn = ({ path }: ErpCall) => path.endsWith('/oauth2/v2.0/token')
const signIns = (erp: ErpServer) => erp.calls.filter(isSignIn).length
const batches = (erp: ErpServer) => erp.calls.filter(({ path }) => path.endsWith('/$batch'))
const search = [randomUUID()]

describe('the access token', () => {
  it('is requested once, with the scope of the ERP, and shared by sessions of the connection', async () => {
    const cacheKey = randomUUID()
    const { erp, session } = await start({}, { cacheKey })
    const later = sessionWith('erp_b', erp, { cacheKey })
    const other = sessionWith('erp_b', erp)
    ends.unshift(later.close, other.close)
    await session.create(many(2), signal)
    await Promise.all([session.find('downtime', search, signal), session.assets(null, signal), later.assets(null, signal)])
    expect(signIns(erp)).toBe(1)
    expect(new URLSearchParams(erp.calls[0]?.body).get('scope')).toBe(`${erp.url}/.default`)
    await other.assets(null, signal)
    expect(signIns(erp)).toBe(2)
  })

  it('is renewed a minute before it expires', async () => {
    let now = Date.now()
    const { erp, session } = await start({}, { now: () => new Date(now) })
    await session.assets(null, signal)
    now += (3_599 - 61) * 1_000
    await session.assets(null, signal)
    expect(signIns(erp)).toBe(1)
    now += 2_000
    await session.assets(null, signal)
    expect(signIns(erp)).toBe(2)
  })

  it('that the ERP refuses is renewed once; no record is lost or sent twice', async () => {
    const { erp, session } = await start()
    const records = many(4)
    await session.create(records.slice(0, 2), signal)
    erp.inject('expired_token')
    const outcomes = await session.create(records.slice(2), signal)
    expect(kinds(outcomes)).toEqual(['sent', 'sent'])
    for (const { response } of outcomes) expect(response).toMatch(/^401 \(access token\), then 204/)
    expect(signIns(erp)).toBe(2)
    expect(records.map(({ id }) => erp.creates(id))).toEqual([1, 1, 1, 1])
  })

  it('that the ERP refuses again means that the connection is not authorized', async () => {
    const { erp, session } = await start({ answer: (call) => (isSignIn(call) ? null : { status: 401, body: '' }) })
    await expect(session.create(many(2), signal)).rejects.toMatchObject({
      reason: 'authentication',
      message: expect.stringContaining('check tenant_id, client_id and client_secret'),
    })
    expect([signIns(erp), batches(erp).length]).toEqual([2, 2])
  })

  it('that is not issued: the reason is shown, and the ERP is not called', async () => {
    const cases: [ErpReply | null, string, RegExp][] = [
      [null, 'authentication', /AADSTS7000215: Invalid client secret provided\./],
      [{ status: 200, body: { access_token: 'a\nb' } }, 'authentication', /issues no token/],
      [{ status: 500, body: '' }, 'maintenance', /which issues the tokens, failed/],
      [{ status: 429, headers: { 'retry-after': '9' }, body: '' }, 'throttled', /limits/],
      [{ status: 302, headers: { location: 'https://evil.example/' }, body: '' }, 'authentication', /issues no token/],
    ]
    for (const [reply, reason, message] of cases) {
      const { erp } = await start({ answer: (call) => (isSignIn(call) ? reply : null) })
      const session = sessionWith('erp_b', erp, { config: { client_secret: 'wrong-secret' } })
      ends.unshift(session.close)
      const error = await session.create(many(1), signal).catch((caught) => caught)
      expect(error).toMatchObject({ reason, message: expect.stringMatching(message) })
      expect(JSON.stringify([error, error.message])).not.toContain('wrong-secret')
      expect(erp.calls.every(isSignIn)).toBe(true)
    }
  })

  it('comes from Microsoft unless token_url says otherwise', async () => {
    const urls: string[] = []
    const http = {
      request: async (url: string) => {
        urls.push(url)
        return { ok: false, reason: 'unreachable', message: 'No.', mayHaveArrived: false }
      },
    } as unknown as GuardedClient
    const config = {
      base_url: 'https://org.crm4.dynamics.example/',
      tenant_id: 'contoso.example',
      client_id: 'a',
      client_secret: 'b',
    }
    await sessionWith('erp_b', { config }, { http })
      .find('downtime', search, signal)
      .catch(() => {})
    expect(urls).toEqual(['https://login.microsoftonline.com/contoso.example/oauth2/v2.0/token'])
  })

  it('is not shown when the ERP echoes it', async () => {
    const { erp, session } = await start({ echoes: true, maxLengths: { hl_title: 5 } })
    const outcomes = await session.create(many(2), signal)
    const token = String(batches(erp)[0]?.headers.authorization).slice(7)
    expect(JSON.stringify(outcomes)).toContain('***')
    expect(JSON.stringify(outcomes)).not.toContain(token)
  })
})

describe('a batch', () => {
  it('carries all records of a call, and one that is refused fails alone', async () => {
    const { erp, session } = await start({ maxLengths: { hl_title: 40 } })
    const records = [...many(9), erpRecord('work_order', { title: 'x'.repeat(41) }), ...many(10)]
    const outcomes = await session.create(records, signal)
    expect(kinds(outcomes)).toEqual([...Array(9).fill('sent'), 'rejected', ...Array(10).fill('sent')])
    expect(outcomes[9]).toMatchObject({
      fault: {
        detail: expect.stringContaining(
          "The length of the 'hl_title' attribute of the 'hl_workorder' entity exceeded the maximum allowed length of '40'.",
        ),
      },
    })
    expect(batches(erp)).toHaveLength(1)
    expect(outcomes[0]).toMatchObject({
      request: expect.stringContaining(records[0]?.id as string),
      response: expect.stringMatching(/^204 OData-EntityId: https.*hl_workorders\(/),
    })
  })

  it('that is lost leaves its records failed, and they are found afterwards', async () => {
    for (const fault of ['drop_after_commit', 'timeout_after_commit', 'drop_before_commit', '500'] as const) {
      const { erp, session } = await start({}, { timeoutMs: fault === 'timeout_after_commit' ? 2_000 : 20_000 })
      const records = many(3)
      const ids = records.map(({ id }) => id)
      erp.inject(fault)
      expect(kinds(await session.create(records, signal))).toEqual(['failed', 'failed', 'failed'])
      const isCommitted = fault.includes('after')
      expect((await session.find('work_order', ids, signal)).size).toBe(isCommitted ? 3 : 0)
      expect(kinds(await session.create(records, signal))).toEqual(Array(3).fill(isCommitted ? 'exists' : 'sent'))
      expect(ids.map((id) => erp.creates(id))).toEqual([1, 1, 1])
    }
  })

  it('that the ERP does not understand says nothing about its records', async () => {
    for (const reply of [
      { status: 404, body: '' },
      { status: 400, body: { error: { message: 'Batch not valid' } } },
      { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' },
      { status: 200, body: {} },
    ]) {
      const { session } = await start({ answer: (call) => (isSignIn(call) ? null : (reply as ErpReply)) })
      const updates = many(2).map((record) => ({ record, externalId: randomUUID() }))
      for (const call of [() => session.create(many(2), signal), () => session.update(updates, signal)])
        await expect(call()).rejects.toMatchObject({
          reason: 'maintenance',
          message: expect.stringContaining('correct base_url'),
        })
    }
  })

  const part = (status: number, body = '', headers = '') =>
    `--r\r\nContent-Type: application/http\r\n\r\nHTTP/1.1 ${status} X\r\n${headers}\r\n${body}\r\n`
  const answering = (...parts: string[]) =>
    start({
      answer: (call) => {
        const body = `${parts.join('')}--r--\r\n`
        return isSignIn(call) ? null : { status: 200, headers: { 'content-type': 'multipart/mixed; boundary=r' }, body }
      },
    })

  it('with fewer answers than records: the others fail', async () => {
    const { session } = await answering(part(204, '', 'OData-EntityId: /x(1)\r\n'))
    const outcomes = await session.create(many(2), signal)
    expect(outcomes).toMatchObject([
      { kind: 'sent', externalId: '1' },
      { kind: 'failed', fault: { detail: expect.stringContaining('no answer for this record') } },
    ])
  })

  it('of which every record lacks a right ends the call; when some were executed, the others fail', async () => {
    const forbidden = part(403, '{"error":{"code":"0x80040220","message":"Missing prvCreatehl_workorder privilege."}}')
    const none = await answering(forbidden, forbidden)
    await expect(none.session.create(many(2), signal)).rejects.toMatchObject({
      reason: 'authorization',
      message: expect.stringContaining('Missing prvCreatehl_workorder privilege.'),
    })
    const some = await answering(part(204, '', 'OData-EntityId: /x(1)\r\n'), forbidden)
    expect(kinds(await some.session.create(many(2), signal))).toEqual(['sent', 'failed'])
  })

  it('takes an id from the key field, or else from OData-EntityId of the same origin', async () => {
    const { session } = await answering(
      part(201, '{"hl_workorderid":"key"}', 'OData-EntityId: /x(other)\r\n'),
      part(204, '', 'OData-EntityId: https://evil.example/x(1)\r\n'),
      part(204, '', 'Location: /x(2)\r\n'),
      part(204),
    )
    expect((await session.create(many(4), signal)).map((one) => (one.kind === 'sent' ? one.externalId : one.kind))).toEqual([
      'key',
      'failed',
      '2',
      'failed',
    ])
  })

  it('is read with any line ends, quoted boundaries and bodies of several lines', () => {
    const body =
      'before\n--b\nContent-Type: application/http\n\nHTTP/1.1 400 Bad\nA: b:c\n\n{"x":\n"--b--"}\n--b\n\nHTTP/1.1 204 No Content\n\n--b--\nafter'
    expect(readBatch({ headers: { 'content-type': 'multipart/mixed; boundary="b"' }, body })).toEqual([
      { status: 400, headers: { a: 'b:c' }, body: '{"x":\n"--b--"}' },
      { status: 204, headers: {}, body: '' },
    ])
    expect(readBatch({ headers: { 'content-type': 'application/json' }, body })).toBeNull()
    expect(readBatch({ headers: {}, body: '' })).toBeNull()
  })
})

it('Dynamics: an update never creates, and carries no lines', async () => {
  const { erp, session } = await start()
  const record = erpRecord('work_order')
  expect(kinds(await session.update([{ record, externalId: randomUUID() }], signal))).toEqual(['rejected'])
  expect(erp.records('work_order')).toEqual([])
  const [created] = await session.create([record], signal)
  const externalId = created?.kind === 'sent' ? created.externalId : ''
  expect(kinds(await session.update([{ record, externalId }], signal))).toEqual(['sent'])
  const body = batches(erp).at(-1)?.body ?? ''
  expect(body).toMatch(/^PATCH \/api\/data\/v9\.2\/hl_workorders\([0-9a-f-]{36}\) HTTP\/1\.1\r\n[^{]*if-match: \*\r\n/m)
  expect(jsonOf(body.slice(body.indexOf('{'), body.lastIndexOf('}') + 1))).not.toHaveProperty('hl_instructions')
})

it('Dynamics: service protection limits end the call before anything was executed', async () => {
  const { erp, session } = await start()
  await session.create(many(1), signal)
  erp.inject('429', { retryAfterSeconds: 25 })
  await expect(session.create(many(20), signal)).rejects.toMatchObject({ reason: 'throttled', retryAfterSeconds: 25 })
  expect(erp.records('work_order')).toHaveLength(1)
})

it('Dynamics: links to another origin, and to the page itself, are not followed', async () => {
  for (const [link, message] of [
    ['https://evil.example/next', /another address/],
    ['', /links a page to itself/],
  ] as const) {
    const { erp, session } = await start({
      answer: (call) =>
        isSignIn(call) ? null : { status: 200, body: { value: [{ hl_assetid: '1' }], '@odata.nextLink': link || call.path } },
    })
    await expect(session.assets(null, signal)).rejects.toThrow(message)
    await expect(session.assets('https://evil.example/x', signal)).rejects.toThrow(/another address/)
    expect(erp.calls).toHaveLength(2)
  }
})

it('Dynamics: a search ends after 20 pages, however the pages are linked', async () => {
  let pages = 0
  const { session } = await start({
    answer: (call) =>
      isSignIn(call)
        ? null
        : { status: 200, body: { value: [], '@odata.nextLink': `${call.path.split('&$skiptoken')[0]}&$skiptoken=${++pages}` } },
  })
  await expect(session.find('work_order', [randomUUID()], signal)).rejects.toThrow(/with more than 20 pages, so the search ends/)
  expect(pages).toBe(20)
})

it('Dynamics: 50 ids are searched in addresses of permitted length, through all pages', async () => {
  const { erp, session } = await start({ pageSize: 4 })
  const records = many(50)
  const ids = records.map(({ id }) => id)
  for (let from = 0; from < 50; from += 20) await session.create(records.slice(from, from + 20), signal)
  expect((await session.find('work_order', ids, signal)).size).toBe(50)
  expect(erp.calls.every(({ path }) => path.length < 2_048)).toBe(true)
})
