import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { type ErpServer, type ErpServerOptions, startErpServer } from '../../../../../test/support/erp/server.ts'
import { erpRecord, sessionWith } from '../../../../../test/support/erp/session.ts'
import type { ErpReply } from '../../../../../test/support/erp/vendor.ts'
import type { PushOutcome, SessionSettings } from '../provider.ts'
import { externalIdOf, keyInUri, keyPredicate, writeV2 } from './odata-v2.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})
const signal = new AbortController().signal

async function start(options: ErpServerOptions = {}, settings: Partial<SessionSettings> = {}) {
  const erp = await startErpServer('erp_a', options)
  const session = sessionWith('erp_a', erp, settings)
  ends.push(session.close, erp.close)
  return { erp, session }
}
const many = (count: number) => Array.from({ length: count }, () => erpRecord('work_order'))
const kinds = (outcomes: readonly PushOutcome[]) => outcomes.map(({ kind }) => kind)
const handshakes = (erp: ErpServer) => erp.calls.filter(({ headers }) => headers['x-csrf-token'] === 'Fetch').length
const idOf = (outcomes: readonly PushOutcome[]) => (outcomes[0]?.kind === 'sent' ? outcomes[0].externalId : '')

describe('the CSRF token of SAP', () => {
  it('is fetched once for many records and for later sessions of the connection', async () => {
    const cacheKey = randomUUID()
    const { erp, session } = await start({}, { cacheKey })
    expect(kinds(await session.create(many(10), signal))).toEqual(Array(10).fill('sent'))
    const later = sessionWith('erp_a', erp, { cacheKey })
    ends.unshift(later.close)
    expect(kinds(await later.create(many(2), signal))).toEqual(['sent', 'sent'])
    expect(handshakes(erp)).toBe(1)
    const other = sessionWith('erp_a', erp)
    ends.unshift(other.close)
    await other.create(many(1), signal)
    expect(handshakes(erp)).toBe(2)
  })

  it('that expired is fetched again, with its cookies, and no record is lost or sent twice', async () => {
    const { erp, session } = await start()
    const records = many(12)
    await session.create(records.slice(0, 2), signal)
    erp.inject('csrf_expiry', { every: 8 })
    const outcomes = await session.create(records.slice(2), signal)
    expect(kinds(outcomes)).toEqual(Array(10).fill('sent'))
    expect(outcomes.filter(({ response }) => response.startsWith('403 (CSRF token), then 201'))).not.toEqual([])
    expect(records.map(({ id }) => erp.creates(id))).toEqual(Array(12).fill(1))
  })

  it('that is refused again and again ends the call with the reason of SAP', async () => {
    let refused = 0
    const { session } = await start({
      answer: ({ method }): ErpReply | null =>
        method === 'POST' && ++refused > 0
          ? { status: 403, headers: { 'x-csrf-token': 'Required' }, body: 'CSRF token validation failed' }
          : null,
    })
    await expect(session.create(many(2), signal)).rejects.toMatchObject({
      reason: 'authorization',
      message: expect.stringContaining('CSRF token validation failed.'),
    })
    expect(refused).toBe(3)
  })

  it('is not needed by a service without protection', async () => {
    const { session } = await start({
      answer: ({ method }) => ({ status: method === 'GET' ? 200 : 201, body: { d: { WorkOrder: '7' } } }),
    })
    expect(await session.create(many(1), signal)).toMatchObject([{ kind: 'sent', externalId: '7' }])
  })

  it('a handshake that is lost sends no record', async () => {
    const { session } = await start({ answer: ({ headers }) => (headers['x-csrf-token'] ? { status: 503, body: '' } : null) })
    await expect(session.create(many(2), signal)).rejects.toMatchObject({ reason: 'maintenance' })
    const slow = await start({ delayMs: 2_000 }, { timeoutMs: 100 })
    await expect(slow.session.create(many(2), signal)).rejects.toMatchObject({ reason: 'unreachable' })
    expect(slow.erp.calls.every(({ method }) => method === 'GET')).toBe(true)
  })
})

it('the client of SAP is sent, and a wrong one is refused', async () => {
  const { erp, session } = await start({}, {})
  await session.find('work_order', [randomUUID()], signal)
  expect(erp.calls[0]?.headers['sap-client']).toBe('100')
  const other = sessionWith('erp_a', erp, { config: { client: '200' } })
  ends.unshift(other.close)
  await expect(other.find('work_order', [randomUUID()], signal)).rejects.toThrow(/check client, username and password/)
})

describe('an update in SAP', () => {
  async function created(options: ErpServerOptions = {}) {
    const { erp, session } = await start(options)
    const record = erpRecord('work_order')
    const externalId = idOf(await session.create([record], signal))
    return { erp, session, update: () => session.update([{ record, externalId }], signal), externalId }
  }

  it('carries the ETag and no lines', async () => {
    const { erp, update } = await created()
    expect(kinds(await update())).toEqual(['sent'])
    const call = erp.calls.at(-1)
    expect([call?.method, call?.headers['if-match']]).toEqual(['PATCH', 'W/"\'20260301120001\'"'])
    expect(JSON.parse(call?.body ?? '')).not.toHaveProperty('Instructions')
    expect(erp.records('work_order')[0]?.fields.Instructions).toHaveLength(2)
  })

  it('carries no If-Match when SAP sends no ETag', async () => {
    const { erp, update } = await created({ hasEtags: false })
    expect(kinds(await update())).toEqual(['sent'])
    expect(erp.calls.at(-1)?.headers).not.toHaveProperty('if-match')
  })

  it('that collides is tried again once, with a new ETag', async () => {
    for (const [conflicts, kind] of [
      [1, 'sent'],
      [2, 'failed'],
    ] as const) {
      let left = conflicts
      const { erp, update, externalId } = await created({
        answer: ({ method }) => {
          if (method === 'PATCH' && left-- > 0) erp.touch('work_order', externalId)
          return null
        },
      })
      expect(kinds(await update())).toEqual([kind])
      expect(erp.calls.filter(({ method }) => method === 'PATCH')).toHaveLength(2)
    }
  })
})

it('SAP: a message in XML, and details that name the field, are shown', async () => {
  const xml =
    '<?xml version="1.0"?><error xmlns="x"><code>Z/1</code><message xml:lang="en">Plant &quot;1&quot; is locked</message></error>'
  const json = {
    error: {
      code: 'Z/2',
      message: { lang: 'en', value: 'Not saved' },
      innererror: { errordetails: [{ message: 'Not saved' }, { message: 'Too long', propertyref: 'Title' }] },
    },
  }
  for (const [body, message] of [
    [xml, 'Plant "1" is locked.'],
    [json, 'Not saved Title: Too long.'],
    ['<html>x</html>', 'The ERP answered with status 400.'],
  ] as const) {
    const { session } = await start({ answer: ({ method }) => (method === 'POST' ? { status: 400, body } : null) })
    expect(await session.create(many(1), signal)).toMatchObject([
      { kind: 'rejected', fault: { detail: `The ERP refuses the record (status 400). ${message}` } },
    ])
  }
})

it('SAP: links to another origin, and to the page itself, are not followed', async () => {
  for (const [link, message] of [
    ['https://evil.example/next', /another address/],
    ['https://127.0.0.1:1/next', /another address/],
    ['', /links a page to itself/],
  ] as const) {
    const { erp, session } = await start({
      answer: ({ path }) => ({
        status: 200,
        body: { d: { results: [{ Equipment: '1', MachineIdentifier: 'm' }], __next: link || path } },
      }),
    })
    await expect(session.assets(null, signal)).rejects.toThrow(message)
    expect(erp.calls).toHaveLength(1)
    await expect(session.assets('https://evil.example/x', signal)).rejects.toThrow(/another address/)
  }
})

it('SAP: a search ends after 20 pages, however the pages are linked', async () => {
  let pages = 0
  const { session } = await start({
    answer: ({ path }) => ({
      status: 200,
      body: { d: { results: [], __next: `${path.split('&$skiptoken')[0]}&$skiptoken=${++pages}` } },
    }),
  })
  await expect(session.find('work_order', [randomUUID()], signal)).rejects.toThrow(/with more than 20 pages, so the search ends/)
  expect(pages).toBe(20)
})

it('SAP: a search goes through all pages, and 50 ids fit into its addresses', async () => {
  const { erp, session } = await start({ pageSize: 3 })
  const records = many(50)
  for (let from = 0; from < 50; from += 20) await session.create(records.slice(from, from + 20), signal)
  const found = await session.find(
    'work_order',
    records.slice(0, 8).map(({ id }) => id),
    signal,
  )
  expect(found.size).toBe(8)
  const before = erp.calls.length
  await session.find(
    'downtime',
    records.map(({ id }) => id),
    signal,
  )
  expect(erp.calls.slice(before).every(({ path }) => path.length < 2_048)).toBe(true)
  expect(erp.calls.length - before).toBeLessThan(5)
})

describe('OData v2', () => {
  it('writes dates as /Date(...)/ and decimals as text', () => {
    expect(writeV2(new Date('2026-03-01T12:00:00.250Z'), 'instant')).toBe('/Date(1772366400250)/')
    expect(writeV2('2026-03-01', 'date')).toBe('/Date(1772323200000)/')
    expect(writeV2('no date', 'date')).toBe('no date')
    expect([0, 10, 1_000, 81.234_567, 48.5, -0.5, 1e-9].map((value) => writeV2(value, 'number'))).toEqual([
      '0',
      '10',
      '1000',
      '81.235',
      '48.5',
      '-0.5',
      '0',
    ])
    expect([writeV2(null, 'instant'), writeV2('x', 'text')]).toEqual([null, 'x'])
  })

  it('writes and reads keys in addresses', () => {
    for (const key of ['4711', "O'Neil", 'a b/c', 'ä(1)', '%41'])
      expect([key, keyInUri(`https://h/S(${keyPredicate(key)})`)]).toEqual([key, key])
    const guid = "guid'0198b2c4-0000-7000-8000-00000000000a'"
    expect(keyInUri(`https://h/S(${keyPredicate(guid)})`)).toBe(guid)
    expect(keyInUri("https://h/S(A='1',B='2')")).toBe("A='1',B='2'")
    expect(keyPredicate("A='1',B='2'")).toBe("A='1',B='2'")
    expect([keyInUri('https://h/S'), keyInUri('')]).toEqual([null, null])
    expect(externalIdOf({ __metadata: { uri: "https://h/S('9')" } }, 'WorkOrder')).toBe('9')
    expect(externalIdOf({}, 'WorkOrder')).toBeNull()
  })
})
