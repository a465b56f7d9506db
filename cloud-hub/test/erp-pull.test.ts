import { describe, expect, it } from 'vitest'
import { ErpUnavailable } from '../src/features/exchange/providers/provider.ts'
import { useHub } from './harness.ts'
import { soon } from './soon.ts'
import { type Exchange, startExchange } from './support/exchange.ts'
import { said } from './support/fake-erp.ts'

const hub = useHub()
const asset = (n: number | string, values: Record<string, unknown> = {}) => ({
  externalId: `A-${n}`,
  machineIdentifier: `press-${n}`,
  name: `Press ${n}`,
  location: 'Hall 3',
  ...values,
})
const pull = (exchange: Exchange) => exchange.sync({ direction: 'inbound', entityType: 'machine' })
const machines = async ({ admin }: Exchange) =>
  (await hub.owner`select id, name, machine_identifier, location, protocol, is_active from machines
    where tenant_id = ${admin.tenantId} and name <> 'Press 1' order by machine_identifier`) as unknown as {
    id: string
    name: string
    machine_identifier: string
  }[]

describe('a pull', () => {
  it('creates machines, changes name and location, and leaves the others, with an entry each', async () => {
    const exchange = await startExchange(hub)
    const { admin, erp } = exchange
    const own = await hub.machine(admin, { name: 'Old name', machine_identifier: 'press-2', protocol: 'modbus_tcp' })
    erp.assets = [asset(2), asset(3), asset(4, { location: null })]
    const entries = await pull(exchange)
    expect(entries).toMatchObject(
      [2, 3, 4].map((n) => ({ status: 'success', direction: 'inbound', externalId: `A-${n}`, entityType: 'machine' })),
    )
    expect(entries[0]?.entityId).toBe(own.id)
    expect(await machines(exchange)).toMatchObject([
      { name: 'Press 2', machine_identifier: 'press-2', location: 'Hall 3', protocol: 'modbus_tcp' },
      { name: 'Press 3', location: 'Hall 3', protocol: 'json' },
      { name: 'Press 4', location: null },
    ])
    erp.assets[1] = asset(3, { name: 'Press three' })
    expect((await pull(exchange)).map(({ status }) => status)).toEqual(['skipped', 'success', 'skipped'])
    expect(await exchange.runs()).toMatchObject([
      { succeeded: 3, skipped: 0, total: 3 },
      { succeeded: 1, skipped: 2, total: 3 },
    ])
  })

  it('creates as many machines as the tenant may have, logs why not the others, and creates them when there is room', async () => {
    const exchange = await startExchange(hub)
    const limit = (limits: object) =>
      hub.owner`update tenants set limits = ${hub.owner.json(limits as never)} where id = ${exchange.admin.tenantId}`
    const [row] = await hub.owner<{ used: number }[]>`
      select used::int from tenant_usage where tenant_id = ${exchange.admin.tenantId} and kind = 'machines'`
    await limit({ machines: (row?.used ?? 0) + 1 })
    exchange.erp.assets = [asset(2), asset(3)]
    expect(await pull(exchange)).toMatchObject([
      { status: 'success' },
      { status: 'failed', errorMessage: expect.stringMatching(/no place left/) },
    ])
    expect(await machines(exchange)).toMatchObject([{ machine_identifier: 'press-2' }])
    await limit({})
    await pull(exchange)
    expect(await machines(exchange)).toMatchObject([{ machine_identifier: 'press-2' }, { machine_identifier: 'press-3' }])
  })

  it('never deletes or deactivates a machine, nor changes a deactivated one', async () => {
    const exchange = await startExchange(hub)
    exchange.erp.assets = [asset(2), asset(3)]
    await pull(exchange)
    const [, off] = await machines(exchange)
    await exchange.admin.call('PATCH', `machines/${off?.id}`, { is_active: false })
    exchange.erp.assets = [asset(3, { name: 'Another' })]
    expect(await pull(exchange)).toMatchObject([{ status: 'skipped', errorMessage: expect.stringMatching(/deactivated/) }])
    expect(await machines(exchange)).toMatchObject([
      { name: 'Press 2', is_active: true },
      { name: 'Press 3', is_active: false },
    ])
  })

  it.each([
    ['no identifier', { machineIdentifier: undefined }, /machine_identifier is required/],
    ['an empty identifier', { machineIdentifier: '' }, /machine_identifier must not be empty/],
    ['an identifier of 256 characters', { machineIdentifier: 'x'.repeat(256) }, /machine_identifier must have at most 255/],
    ['an identifier that no database stores', { machineIdentifier: 'a\0b' }, /machine_identifier must not contain NUL/],
    ['an object as identifier', { machineIdentifier: { a: 1 } }, /machine_identifier must be a text/],
    ['no name', { name: null }, /name must be a text/],
    ['a name of 256 characters', { name: 'x'.repeat(256) }, /name must have at most 255/],
    ['a location of 501 characters', { location: 'x'.repeat(501) }, /location must have at most 500/],
  ])('reports an asset with %s and goes on', async (_name, values, reason) => {
    const exchange = await startExchange(hub)
    exchange.erp.assets = [asset(2, values), asset(3)]
    expect(await pull(exchange)).toMatchObject([
      { status: 'failed', entityId: null, externalId: 'A-2', errorMessage: expect.stringMatching(reason) },
      { status: 'success' },
    ])
    expect(await exchange.runs()).toMatchObject([{ status: 'partial', succeeded: 1, failed: 1 }])
  })

  it('accepts the longest identifier, name and location, and identifiers that are numbers', async () => {
    const exchange = await startExchange(hub)
    const values = { machineIdentifier: 'x'.repeat(255), name: 'y'.repeat(255), location: 'z'.repeat(500) }
    exchange.erp.assets = [asset(2, values), asset(3, { machineIdentifier: 4_711 })]
    expect((await pull(exchange)).map(({ status }) => status)).toEqual(['success', 'success'])
    expect((await machines(exchange)).map((one) => one.machine_identifier)).toEqual(['4711', 'x'.repeat(255)])
  })

  it.each([1, 2])('reports the second of two assets with one identifier, in pages of %i', async (pageSize) => {
    const exchange = await startExchange(hub)
    exchange.erp.pageSize = pageSize
    exchange.erp.assets = [asset(2), asset('2b', { machineIdentifier: 'press-2', name: 'Other' })]
    for (let i = 0; i < 3; i++)
      expect((await pull(exchange))[1]).toMatchObject({
        status: 'failed',
        externalId: 'A-2b',
        errorMessage: expect.stringMatching(/A-2 has the identifier press-2 too/),
      })
    exchange.erp.assets.reverse()
    expect((await pull(exchange)).map(({ status }) => status).toSorted()).toEqual(['failed', 'skipped'])
    expect(await machines(exchange)).toMatchObject([{ name: 'Press 2' }])
  })

  it('gives a machine to another asset after the first one has vanished from the ERP', async () => {
    const exchange = await startExchange(hub)
    exchange.erp.assets = [asset(2)]
    await pull(exchange)
    exchange.erp.assets = [asset('new', { machineIdentifier: 'press-2' })]
    expect(await pull(exchange)).toMatchObject([{ status: 'failed' }])
    expect(await pull(exchange)).toMatchObject([{ status: 'success', externalId: 'A-new' }])
    expect(await machines(exchange)).toMatchObject([{ name: 'Press new', machine_identifier: 'press-2' }])
  })

  it('reports an asset whose identifier changed, and creates no second machine', async () => {
    const exchange = await startExchange(hub)
    exchange.erp.assets = [asset(2)]
    await pull(exchange)
    exchange.erp.assets = [asset(2, { machineIdentifier: 'press-9' })]
    expect(await pull(exchange)).toMatchObject([
      { status: 'failed', errorMessage: expect.stringMatching(/was the machine press-2 before and has the identifier press-9/) },
    ])
    expect(await machines(exchange)).toHaveLength(1)
  })

  it('goes on behind its last saved page when its process was killed', async () => {
    const exchange = await startExchange(hub)
    exchange.erp.assets = [2, 3, 4, 5, 6].map((n) => asset(n))
    const stopping = exchange.other()
    let pages = 0
    exchange.erp.before = (operation, _ids, signal) => {
      if (operation !== 'assets' || ++pages !== 3) return
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
        void stopping.stop()
      })
    }
    await exchange.sync({ direction: 'inbound', entityType: 'machine' }, stopping)
    expect(await exchange.runs()).toMatchObject([{ status: 'running', succeeded: 4 }])
    await soon(async () => {
      await exchange.runner.tick(hub.clock.now())
      await exchange.runner.idle()
      expect(await exchange.runs()).toMatchObject([{ status: 'success', succeeded: 5, total: 5 }])
    })
    expect(pages).toBe(4)
    expect(await machines(exchange)).toHaveLength(5)
  })

  it('keeps the pages of before an outage', async () => {
    const exchange = await startExchange(hub)
    exchange.erp.assets = [2, 3, 4].map((n) => asset(n))
    let pages = 0
    exchange.erp.before = () => {
      if (++pages === 2) throw new ErpUnavailable('unreachable', said('The ERP does not answer.'))
    }
    expect((await pull(exchange)).map(({ status }) => status)).toEqual(['success', 'success', 'failed'])
    expect(await exchange.runs()).toMatchObject([{ status: 'partial', succeeded: 2, error_message: 'The ERP does not answer.' }])
    expect(await machines(exchange)).toHaveLength(2)
  })

  it.each([
    ['a page that leads to itself', () => ({ assets: [asset(7)], nextPage: 'again' }), 2, /in a circle/],
    [
      'two pages that lead to each other',
      (page: string | null) => ({ assets: [asset(page === '1' ? 8 : 7)], nextPage: page === '1' ? '2' : '1' }),
      3,
      /in a circle/,
    ],
    [
      'empty pages with ever new links',
      (page: string | null) => ({ assets: [], nextPage: String(Number(page) + 1) }),
      100,
      /100 pages in a row without a new asset/,
    ],
    [
      'the same page with ever new links',
      (page: string | null) => ({ assets: [asset(7), asset(8)], nextPage: String(Number(page) + 1) }),
      101,
      /100 pages in a row without a new asset/,
    ],
  ])('ends at %s, and keeps what came', async (_name, answer, calls, message) => {
    const exchange = await startExchange(hub, { name: 'Round' })
    let asked = 0
    const session = exchange.erp.session()
    const assets: typeof session.assets = async (page) => {
      asked++
      return answer(page)
    }
    exchange.erp.session = () => ({ ...session, assets })
    const entries = await pull(exchange)
    expect(asked).toBe(calls)
    expect(entries.at(-1)).toMatchObject({ status: 'failed', externalId: null, errorMessage: expect.stringMatching(message) })
    const seen = [...new Set(entries.flatMap(({ externalId }) => externalId ?? []))]
    expect((await machines(exchange)).map((one) => `A-${one.name.slice(6)}`)).toEqual(seen)
    // created once, and at most once more as unchanged, on however many pages it is
    for (const id of seen) expect(entries.filter((entry) => entry.externalId === id).length).toBeLessThanOrEqual(2)
    expect((await exchange.runs()).at(-1)).toMatchObject({ error_message: expect.stringMatching(message) })
  })

  it('of assets that do not change logs each once, also one that several pages contain', async () => {
    const exchange = await startExchange(hub)
    exchange.erp.assets = [asset(2), asset(3), asset(2), asset(4), asset(4), asset(2)]
    await pull(exchange)
    const entries = await pull(exchange)
    expect(entries.map(({ externalId, status }) => `${externalId} ${status}`)).toEqual(
      ['A-2', 'A-3', 'A-4'].map((id) => `${id} skipped`),
    )
  })

  it('that takes more than 60 minutes ends without closing the ERP out, and the next one goes on at once', async () => {
    const exchange = await startExchange(hub)
    exchange.erp.assets = [2, 3, 4, 5, 6].map((n) => asset(n))
    let pages = 0
    exchange.erp.before = () => {
      if (++pages === 2) hub.clock.advance(60 * 60 + 1)
    }
    const entries = await pull(exchange)
    expect(entries.map(({ status }) => status)).toEqual(['success', 'success', 'success', 'success', 'failed'])
    expect(entries.at(-1)?.errorMessage).toMatch(/^The run ends after 60 minutes/)
    expect(pages).toBe(2)
    expect(await exchange.connection()).toMatchObject({ failures_in_a_row: 0, breaker_open_until: null })
    expect((await pull(exchange)).map(({ status }) => status)).toEqual([...Array(4).fill('skipped'), 'success'])
  })

  it('by hand names the user in the audit trail, by itself the connection', async () => {
    const exchange = await startExchange(hub, { auto_pull_assets: true })
    exchange.erp.assets = [asset(2)]
    await pull(exchange)
    exchange.erp.assets = [asset(2), asset(3)]
    hub.clock.advance(3_700)
    await exchange.set({ next_run_at: hub.clock.now() })
    await exchange.runner.tick(hub.clock.now())
    await exchange.runner.idle()
    const created = await hub.owner`
      select actor_kind, actor_id, actor_name, target_name from audit_log
      where tenant_id = ${exchange.admin.tenantId} and action = 'machine.created' order by id desc limit 2`
    expect(created).toMatchObject([
      { actor_kind: 'hub', actor_name: 'ERP exchange: ERP', target_name: 'Press 3' },
      { actor_kind: 'user', actor_id: exchange.admin.userId, target_name: 'Press 2' },
    ])
  })

  it('by itself logs changes, and a conflict once a day', async () => {
    const exchange = await startExchange(hub, { auto_pull_assets: true, sync_interval_minutes: 60 })
    exchange.erp.assets = [asset(2), asset(3, { name: null })]
    const logged = async () =>
      (await hub.owner`select status from erp_sync_logs where erp_connection_id = ${exchange.connectionId} order by id`).map(
        ({ status }) => status,
      )
    const again = async (hours: number) => {
      hub.clock.advance(hours * 3_600 + 60)
      await exchange.runner.tick(hub.clock.now())
      await exchange.runner.idle()
    }
    await again(0)
    expect(await logged()).toEqual(['success', 'failed'])
    await again(1)
    expect(await logged()).toEqual(['success', 'failed'])
    expect(await exchange.runs()).toMatchObject([{ failed: 1 }, { failed: 1, skipped: 1 }])
    await again(24)
    expect(await logged()).toEqual(['success', 'failed', 'failed'])
  })

  it('does not match machines of another tenant', async () => {
    const [ours, theirs] = [await startExchange(hub), await startExchange(hub)]
    const foreign = await hub.machine(theirs.admin, { name: 'Theirs', machine_identifier: 'press-2' })
    ours.erp.assets = [asset(2)]
    const [entry] = await pull(ours)
    expect(entry?.entityId).not.toBe(foreign.id)
    expect(await machines(theirs)).toMatchObject([{ name: 'Theirs' }])
  })

  it('of 10,000 assets needs flat memory', { timeout: 120_000 }, async () => {
    const exchange = await startExchange(hub, { auto_pull_assets: true })
    const page = 200
    let most = 0
    const session = exchange.erp.session()
    exchange.erp.session = () => ({
      ...session,
      assets: async (at) => {
        const from = Number(at ?? 0)
        if (from % 2_000 === 0) global.gc?.()
        most = Math.max(most, process.memoryUsage().heapUsed)
        const assets = Array.from({ length: page }, (_, i) => asset(from + i, { name: `Machine ${from + i}` }))
        return { assets, nextPage: from + page < 10_000 ? String(from + page) : null }
      },
    })
    const before = process.memoryUsage().heapUsed
    const started = performance.now()
    await exchange.runner.tick(hub.clock.now())
    await exchange.runner.idle()
    const seconds = (performance.now() - started) / 1_000
    expect(await exchange.runs()).toMatchObject([{ status: 'success', succeeded: 10_000, total: 10_000 }])
    expect((most - before) / 1_048_576).toBeLessThan(150)
    console.log(`10,000 assets: ${seconds.toFixed(1)} s, ${((most - before) / 1_048_576).toFixed(0)} MB`)
  })
})
