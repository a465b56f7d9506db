import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestUser, useHub } from './harness.ts'

const hub = useHub()

interface List {
  path: string
  /** inserts rows at instants. @returns their ids */
  insert(at: readonly Date[]): Promise<string[]>
  /** filters that all of these rows match */
  filters: string
  /** other filters, to which cursors are not bound */
  other: string
  ascending?: true
}

let admin: TestUser
let lists: Record<string, List>
/** now, in whole milliseconds */
const now = () => hub.clock.now().getTime()

beforeAll(async () => {
  admin = await hub.admin()
  const machine = await hub.machine(admin)
  const channel = { name: 'Hook', channel_type: 'webhook', config: { url: 'https://example.com/' } }
  const { body: hook } = await admin.call('POST', 'notification-channels', channel)
  const erp = {
    provider: 'erp_c',
    name: 'ERP',
    config: { base_url: 'https://erp.invalid/api', username: 'h', password: 'secret-1' },
  }
  const { body: connection } = await admin.call('POST', 'erp/connections', erp)
  await hub.owner`update erp_connections set paused_at = now() where id = ${connection.id}`
  const tenant_id = admin.tenantId
  const into = (table: string, rowAt: (at: Date) => Record<string, unknown>) => async (at: readonly Date[]) => {
    const rows = at.map((one) => ({ id: randomUUID(), tenant_id, ...rowAt(one) }))
    if (rows.length > 0) await hub.owner`insert into ${hub.owner(table)} ${hub.owner(rows)}`
    return rows.map(({ id }) => id)
  }
  const entry = into('audit_log', (at) => ({
    at,
    actor_kind: 'user',
    actor_id: 'somebody',
    action: 'test.done',
    target_type: 'test',
  }))
  const alert = into('alerts', (created_at) => ({
    machine_id: machine.id,
    unit: 'celsius',
    severity: 'warning',
    metric_name: 'temperature',
    trigger_value: 2,
    threshold_value: 1,
    message: 'Too hot.',
    triggered_at: created_at,
    created_at,
  }))
  const attempt = into('delivery_attempts', (attempted_at) => ({
    channel_id: hook.id,
    attempt: 1,
    status: 'delivered',
    attempted_at,
  }))
  const log = into('erp_sync_logs', (created_at) => ({
    erp_connection_id: connection.id,
    run_id: connection.id,
    direction: 'outbound',
    entity_type: 'work_order',
    status: 'success',
    created_at,
  }))
  const stop = into('downtime_records', (at) => ({
    machine_id: machine.id,
    started_at: at,
    ended_at: new Date(at.getTime() + 60_000),
    created_at: at,
  }))
  lists = {
    alerts: { path: 'alerts', insert: alert, filters: 'severity=warning', other: 'severity=critical' },
    'audit entries': { path: 'audit-log', insert: entry, filters: 'action=test.done', other: 'action=test.' },
    deliveries: {
      path: `notification-channels/${hook.id}/deliveries`,
      insert: attempt,
      filters: 'status=delivered',
      other: 'status=failed',
    },
    'sync logs': { path: 'erp/logs', insert: log, filters: 'direction=outbound', other: 'direction=inbound' },
    'sync logs of a connection': {
      path: `erp/connections/${connection.id}/logs`,
      insert: log,
      filters: 'status=success',
      other: 'status=failed',
    },
    downtime: { path: 'fleet/downtime', insert: stop, filters: 'source=manual', other: 'source=automatic' },
    'downtime in the order in which it was recorded': {
      path: 'fleet/downtime',
      insert: stop,
      filters: 'sort_by=created_at&sort_dir=asc',
      other: 'sort_by=created_at&sort_dir=desc',
      ascending: true,
    },
  }
})

const NAMES = [
  'alerts',
  'audit entries',
  'deliveries',
  'sync logs',
  'sync logs of a connection',
  'downtime',
  'downtime in the order in which it was recorded',
]
const listOf = (name: string) => lists[name] as List
const read = async ({ path, filters }: List, query: string) => {
  const { status, body } = await admin.call('GET', `${path}?${filters}&${query}`)
  expect([status, body]).toEqual([200, body])
  return body as { items: { id: string }[]; next_cursor: string | null; pagination?: object; total?: number }
}
const below = (n: number) => Math.floor(Math.random() * n)
/** Instants of a few milliseconds, so that many rows share one. */
const instants = (count: number, from: number, spanMs: number) =>
  Array.from({ length: count }, () => new Date(from + below(spanMs)))

describe.each(NAMES)('the cursors of %s', (name) => {
  it('answer each entry once, in order, while others are added before, after and at the same instant', async () => {
    const list = listOf(name)
    const start = now() - 60_000
    const before = new Set(await list.insert(instants(60, start, 12)))
    const added = new Set<string>()
    const seen: string[] = []
    const size = 1 + below(9)
    let cursor = ''
    for (let pages = 0; ; pages++) {
      const [page] = await Promise.all([
        read(list, `page_size=${size}${cursor && `&cursor=${cursor}`}`),
        list.insert(instants(below(4), start - 6, 24)).then((ids) => ids.forEach((id) => void added.add(id))),
      ])
      seen.push(...page.items.map(({ id }) => id))
      if (page.next_cursor === null) break
      expect(page.items).toHaveLength(size)
      cursor = page.next_cursor
      expect(pages).toBeLessThan(1_000)
    }
    expect(new Set(seen).size).toBe(seen.length)
    // what was there is answered; of what was added meanwhile some
    const known = new Set([...before, ...added])
    expect([...before].filter((id) => !seen.includes(id))).toEqual([])
    const whole: string[] = []
    for (let page = 1; whole.length === (page - 1) * 100; page++)
      whole.push(...(await read(list, `page=${page}&page_size=100`)).items.map(({ id }) => id))
    const places = seen.filter((id) => known.has(id)).map((id) => whole.indexOf(id))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
  })

  it('keep the total of the first answer, and count pages', async () => {
    const list = listOf(name)
    await list.insert(instants(5, now() - 30_000, 5))
    const first = await read(list, 'page_size=2')
    await list.insert(instants(3, now() - 30_000, 5))
    const second = await read(list, `page_size=3&cursor=${first.next_cursor}`)
    const numbers = (answer: typeof first) => answer.pagination ?? answer
    expect(numbers(second)).toMatchObject({ total: (numbers(first) as { total: number }).total, page: 2, page_size: 3 })
  })

  it('also begin within pages, whose meaning stays', async () => {
    const list = listOf(name)
    const [two, three] = [await read(list, 'page=2&page_size=2'), await read(list, 'page=3&page_size=2')]
    const after = await read(list, `page_size=2&cursor=${two.next_cursor}`)
    expect(after.items).toEqual(three.items)
    expect((await read(list, 'page=99999&page_size=2')).next_cursor).toBeNull()
  })

  it('are refused together with a page, with other filters, on another list, and when they were changed', async () => {
    const list = listOf(name)
    const { next_cursor: cursor } = await read(list, 'page_size=1')
    const ask = async (path: string, query: string) => {
      const { status, body } = await admin.call('GET', `${path}?${query}`)
      return [status, body.errors?.[0]?.path, body.errors?.[0]?.code]
    }
    const own = `${list.filters}&cursor=${cursor}`
    const invalid = [422, 'query.cursor', 'invalid_cursor']
    expect(await ask(list.path, `${own}&page=1`)).toEqual([422, 'query.page', 'exclusive'])
    expect(await ask(list.path, `${list.other}&cursor=${cursor}`)).toEqual(invalid)
    const elsewhere = list.path === 'alerts' ? 'audit-log' : 'alerts'
    expect(await ask(elsewhere, `cursor=${cursor}`)).toEqual(invalid)
    const changed = Buffer.from(
      Buffer.from(cursor ?? '', 'base64url')
        .toString()
        .replace('[', '[ '),
    ).toString('base64url')
    for (const bad of ['x', 'bnVsbA', `${cursor}A`, changed, '%00', 'e30', 'x'.repeat(500)])
      expect([bad, ...(await ask(list.path, `${list.filters}&cursor=${bad}`))]).toEqual([
        bad,
        422,
        'query.cursor',
        expect.any(String),
      ])
    const stranger = await hub.admin()
    if (!/[0-9a-f-]{36}/.test(list.path))
      expect((await stranger.call('GET', `${list.path}?${own}`)).body).toMatchObject({ errors: [{ code: 'invalid_cursor' }] })
  })

  it('find their entries by an index, without sorting, as pages do', async () => {
    const list = listOf(name)
    const statements: { text: string; values: string[] }[] = []
    const { options } = hub.deps.pools.app as unknown as { options: { debug: unknown } }
    options.debug = (_: number, text: string, values: string[]) => statements.push({ text, values })
    const { next_cursor: cursor } = await read(list, 'page_size=1')
    await read(list, `page_size=1&cursor=${cursor}`)
    options.debug = false
    const reads = statements.filter(({ text }) => /\blimit \$\d+ offset \$\d+/.test(text))
    expect(reads).toHaveLength(2)
    for (const { text, values } of reads) {
      const plan = await hub.owner.begin(async (sql) => {
        for (const way of ['seqscan', 'sort', 'incremental_sort', 'bitmapscan']) await sql.unsafe(`set local enable_${way} = off`)
        return sql.unsafe(`explain (format json) ${text}`, values)
      })
      const written = JSON.stringify(plan)
      expect(written).not.toMatch(/"Node Type":"(Incremental )?Sort"/)
      expect(written).toMatch(/"Node Type":"Index (Only )?Scan"/)
    }
    // a walk does not count what it has counted
    expect(statements.filter(({ text }) => text.includes('count(*)'))).toHaveLength(1)
  })
})

describe('a list as CSV', () => {
  it.each(['alerts', 'downtime'])('takes no cursor: %s', async (name) => {
    const { path } = listOf(name)
    const { next_cursor: cursor } = (await admin.call('GET', `${path}?page_size=1`)).body
    for (const one of [cursor, 'x'])
      expect(await admin.call('GET', `${path}?cursor=${one}`, undefined, { accept: 'text/csv' })).toMatchObject({
        status: 422,
        body: { errors: [{ path: 'query.cursor', code: 'exclusive', params: { other: 'Accept: text/csv' } }] },
      })
  })
})

describe('a cursor that somebody made up', () => {
  it('says nothing absurd of total and page', async () => {
    const { next_cursor: cursor } = (await admin.call('GET', 'alerts?page_size=1')).body
    const [at, id, , , binding] = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    const ask = (total: number, page: number) => {
      const made = Buffer.from(JSON.stringify([at, id, total, page, binding])).toString('base64url')
      return admin.call('GET', `alerts?page_size=1&cursor=${made}`)
    }
    expect((await ask(999_999_999, 999_999_998)).body.pagination).toMatchObject({ total: 999_999_999, page: 999_999_999 })
    for (const [total, page] of [
      [1_000_000_000, 1],
      [Number.MAX_SAFE_INTEGER, 1],
      [-1, 1],
      [1, 999_999_999],
      [1, 0],
    ] as const)
      expect([total, page, await ask(total, page)]).toMatchObject([
        total,
        page,
        { status: 422, body: { errors: [{ code: 'invalid_cursor' }] } },
      ])
  })
})

describe('orders that change while a list is read', () => {
  it('have no cursors', async () => {
    for (const order of ['ended_at', 'duration_minutes', 'reason_type']) {
      const first = await admin.call('GET', `fleet/downtime?page_size=1&sort_by=${order}`)
      expect([order, first.body.next_cursor, first.body.items.length]).toEqual([order, null, 1])
      const { next_cursor: cursor } = (await admin.call('GET', 'fleet/downtime?page_size=1')).body
      expect((await admin.call('GET', `fleet/downtime?sort_by=${order}&cursor=${cursor}`)).body).toMatchObject({
        errors: [{ path: 'query.cursor', code: 'exclusive' }],
      })
    }
  })
})
