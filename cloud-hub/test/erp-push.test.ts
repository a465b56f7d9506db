import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { describe, expect, it } from 'vitest'
import { ErpUnavailable } from '../src/features/exchange/providers/provider.ts'
import { ErpRunner, startSync } from '../src/features/exchange/sync/index.ts'
import { useHub } from './harness.ts'
import { scopeOf, startExchange } from './support/exchange.ts'
import { FakeErp, gate, said } from './support/fake-erp.ts'

const hub = useHub()
const statuses = (entries: { status: string }[]) => entries.map(({ status }) => status)

describe('a push', () => {
  it('creates each record once, answers an entry for each, and then has nothing to do', async () => {
    const { erp, sync, order, runs } = await startExchange(hub)
    const ids = [await order(), await order(), await order()]
    const entries = await sync()
    expect(entries.map(({ entityId }) => entityId).sort()).toEqual(ids.sort())
    expect(entries).toMatchObject(
      ids.map(() => ({ status: 'success', direction: 'outbound', requestSummary: 'POST work_order' })),
    )
    expect(erp.stored).toHaveLength(3)
    expect(erp.calls).toEqual(['find 3', 'create 1', 'create 1', 'create 1'])
    expect(await sync()).toEqual([])
    expect(erp.calls).toHaveLength(4)
    expect(await runs()).toMatchObject([
      { status: 'success', total: 3, succeeded: 3, trigger: 'manual' },
      { status: 'success', total: 0 },
    ])
  })

  it('updates a record that changed, without a search', async () => {
    const { admin, erp, sync, order } = await startExchange(hub)
    const id = await order()
    await sync()
    await admin.call('PATCH', `work-orders/${id}`, { title: 'Another title' })
    expect(await sync()).toMatchObject([
      { entityId: id, status: 'success', externalId: 'E-1', requestSummary: 'PATCH work_order' },
    ])
    expect(erp.stored).toMatchObject([{ updates: 1, record: { fields: { title: 'Another title' } } }])
    expect(erp.calls.slice(2)).toEqual(['update 1'])
  })

  it('does not send a change that leaves what the ERP gets as it is', async () => {
    const { admin, erp, sync, order } = await startExchange(hub)
    const id = await order()
    await sync()
    await admin.call('POST', `work-orders/${id}/comments`, { content: 'Seen' })
    await admin.call('PATCH', `work-orders/${id}`, { title: 'Another title' })
    await hub.owner`update work_orders set title = (select title from work_orders where id = ${id}) where id = ${id}`
    await sync()
    await hub.owner`update work_orders set updated_at = now() where id = ${id}`
    const before = erp.calls.length
    expect(await sync()).toEqual([])
    expect(erp.calls).toHaveLength(before)
  })

  it('of a single record that has not changed is skipped, and sends one that is not due when it differs', async () => {
    const { erp, sync, order, connectionId } = await startExchange(hub)
    const id = await order()
    expect(statuses(await sync({ entityId: id }))).toEqual(['success'])
    expect(await sync({ entityId: id })).toMatchObject([{ status: 'skipped', entityId: id, externalId: 'E-1' }])
    await hub.owner`update erp_records set sent_hash = 'other' where connection_id = ${connectionId}`
    expect(statuses(await sync({ entityId: id }))).toEqual(['success'])
    expect(erp.stored).toMatchObject([{ updates: 1 }])
  })

  it('sends records that are older than the connection', async () => {
    const { admin, machineId } = await startExchange(hub)
    const old = (await admin.call('POST', 'work-orders', { machine_id: machineId, title: 'Old' })).body.id
    const config = { base_url: 'https://erp.invalid/other', username: 'hub', password: 'secret-0001' }
    await hub.deps.erp.tick(hub.clock.now())
    const later = (await admin.call('POST', 'erp/connections', { provider: 'erp_c', name: 'Later', config })).body.id
    const erp = new FakeErp()
    const runner = new ErpRunner(hub.deps, { open: () => erp.session() })
    const request = { direction: 'outbound' as const, entityType: 'work_order' as const, entityId: null }
    const entries = await startSync(runner, scopeOf(hub, admin), { id: later, name: 'Later' }, request)
    expect(entries.map(({ entityId }) => entityId)).toEqual([old])
  })

  it('misses no change of transactions that commit out of order', async () => {
    const { erp, sync, order } = await startExchange(hub)
    const [first, second] = [await order(), await order()]
    await sync()
    const other = postgres(hub.url, { max: 1 })
    const started = gate()
    const commit = gate()
    const slow = other.begin(async (sql) => {
      await sql`update work_orders set title = 'early write, late commit' where id = ${first}`
      started.open()
      await commit.opened
    })
    await started.opened
    await hub.owner`update work_orders set title = 'late write, early commit' where id = ${second}`
    expect((await sync()).map(({ entityId }) => entityId)).toEqual([second])
    commit.open()
    await slow
    expect((await sync()).map(({ entityId }) => entityId)).toEqual([first])
    expect(erp.of(first)).toMatchObject([{ record: { fields: { title: 'early write, late commit' } } }])
    await other.end()
  })

  it('leaves a record due that changes while it is sent', async () => {
    const { erp, sync, order, record } = await startExchange(hub)
    const id = await order({ title: 'Before' })
    erp.before = async (operation) => {
      if (operation !== 'create') return
      erp.before = () => {}
      await hub.owner`update work_orders set title = 'After' where id = ${id}`
      await hub.deps.erp.tick(hub.clock.now())
    }
    expect(statuses(await sync())).toEqual(['success'])
    expect(erp.of(id)).toMatchObject([{ record: { fields: { title: 'Before' } } }])
    expect(await record(id)).toMatchObject({ is_due: true })
    expect(statuses(await sync())).toEqual(['success'])
    expect(erp.of(id)).toMatchObject([{ record: { fields: { title: 'After' } } }])
    expect(await record(id)).toMatchObject({ is_due: false })
  })

  it.each([1, 10])('does not create again when the answer to a create was lost, in batches of %i', async (batchSize) => {
    const { erp, sync, order } = await startExchange(hub)
    erp.batchSize = batchSize
    const ids = [await order(), await order()]
    erp.react = (_record, operation) => (operation === 'create' ? 'lost' : 'accept')
    expect(await sync()).toMatchObject(ids.map(() => ({ status: 'failed', errorMessage: 'The ERP did not answer in time.' })))
    expect(statuses(await sync())).toEqual(['success', 'success'])
    for (const id of ids) expect(erp.of(id)).toMatchObject([{ updates: 1 }])
  })

  it('updates a record that the ERP reports as existing', async () => {
    const { erp, sync, order } = await startExchange(hub)
    const id = await order()
    erp.isUnique = true
    let isHidden = true
    erp.before = (operation) => {
      if (operation !== 'create' || !isHidden) return
      isHidden = false
      const record = { id, entity: 'work_order' as const, fields: {}, lines: {} }
      erp.stored.push({ externalId: 'MADE-ELSEWHERE', record, updates: 0 })
    }
    expect(await sync()).toMatchObject([{ status: 'success', externalId: 'MADE-ELSEWHERE', requestSummary: 'PATCH work_order' }])
    expect(erp.of(id)).toHaveLength(1)
  })

  it('logs a record that exists and cannot be found as failed, with what to check', async () => {
    const { erp, sync, order } = await startExchange(hub)
    await order()
    erp.session = ((original) => () => ({
      ...original.call(erp),
      find: async () => new Map(),
      create: async (records) => records.map(() => ({ kind: 'exists' as const, request: 'POST', response: '409' })),
    }))(erp.session)
    expect(await sync()).toMatchObject([{ status: 'failed', errorMessage: expect.stringMatching(/field for `id`/) }])
  })

  it('lets a bad record fail alone, later at each failure, until it is accepted', async () => {
    const { erp, order, record, runner, set, runs } = await startExchange(hub, { auto_push_work_orders: true })
    const [good, bad] = [await order(), await order({ title: 'Bad' })]
    erp.react = (one) => (one.fields.title === 'Bad' ? 'reject' : 'accept')
    const waits = []
    for (let attempt = 1; attempt <= 6; attempt++) {
      await set({ next_run_at: hub.clock.now() })
      await runner.tick(hub.clock.now())
      await runner.idle()
      const found = await record(bad)
      expect(found).toMatchObject({ is_due: true, failures: attempt, external_id: null })
      const minutes = ((found?.next_attempt_at.getTime() ?? 0) - hub.clock.now().getTime()) / 60_000
      waits.push(minutes)
      // not a moment before
      hub.clock.advance(minutes * 60 - 5)
      await set({ next_run_at: hub.clock.now() })
      await runner.tick(hub.clock.now())
      await runner.idle()
      expect(await record(bad)).toMatchObject({ failures: attempt })
      hub.clock.advance(6)
    }
    expect(await record(good)).toMatchObject({ is_due: false })
    for (const [i, minutes] of [1, 5, 15, 60, 360, 360].entries()) {
      expect(waits[i]).toBeGreaterThan(minutes * 0.95)
      expect(waits[i]).toBeLessThan(minutes * 1.11)
    }
    erp.react = () => 'accept'
    await set({ next_run_at: hub.clock.now() })
    await runner.tick(hub.clock.now())
    await runner.idle()
    expect(await record(bad)).toMatchObject({ is_due: false, failures: 0 })
    expect((await runs())[0]).toMatchObject({ status: 'partial', succeeded: 1, failed: 1 })
    expect(erp.stored).toHaveLength(2)
  })

  it('by hand also sends records that wait for a later attempt, each once', async () => {
    const { erp, sync, order, record } = await startExchange(hub)
    const ids = [await order(), await order(), await order()]
    erp.react = () => 'reject'
    expect(statuses(await sync())).toEqual(['failed', 'failed', 'failed'])
    expect(statuses(await sync())).toEqual(['failed', 'failed', 'failed'])
    expect(await record(ids[0] as string)).toMatchObject({ failures: 2 })
    await hub.owner`update work_orders set title = 'Corrected' where id = ${ids[0] as string}`
    erp.react = () => 'accept'
    expect(statuses(await sync())).toEqual(['success', 'success', 'success'])
  })

  it('by hand sends 500 records and not 501', async () => {
    const { erp, sync, machineId, admin, runs } = await startExchange(hub)
    erp.batchSize = 100
    await hub.owner`insert into work_orders (tenant_id, machine_id, title, created_by, updated_at)
      select ${admin.tenantId}, ${machineId}, 'Order ' || n, ${admin.userId}, now() from generate_series(1, 501) n`
    expect(await sync()).toHaveLength(500)
    expect(await runs()).toMatchObject([{ total: 500, succeeded: 500 }])
    expect(await sync()).toHaveLength(1)
    expect(new Set(erp.stored.map(({ record }) => record.id)).size).toBe(501)
    expect(erp.calls.filter((call) => call.startsWith('find'))).toHaveLength(11)
  })

  it('never deletes in the ERP: a deleted record is skipped once', async () => {
    const { admin, erp, sync, order, record } = await startExchange(hub)
    const [sent, unsent] = [await order(), await order()]
    await sync({ entityId: sent })
    for (const id of [sent, unsent]) await admin.call('DELETE', `work-orders/${id}`)
    const entries = await sync()
    expect(entries).toHaveLength(2)
    for (const entry of entries)
      expect(entry).toMatchObject({ status: 'skipped', errorMessage: expect.stringMatching(/was deleted in Haltless/) })
    expect(await sync()).toEqual([])
    expect(erp.stored).toHaveLength(1)
    expect(await record(sent)).toMatchObject({ is_due: false, external_id: 'E-1' })
  })

  it('waits when the ERP limits calls, says so in the log, and goes on', async () => {
    const { erp, sync, order } = await startExchange(hub)
    await order()
    let refusals = 2
    erp.before = (operation) => {
      if (operation === 'create' && refusals-- > 0)
        throw new ErpUnavailable('throttled', said('The ERP limits calls.'), {
          retryAfterSeconds: 0,
          request: 'POST',
          response: '429',
        })
    }
    const entries = await sync()
    expect(statuses(entries)).toEqual(['failed', 'failed', 'success'])
    expect(entries[0]).toMatchObject({
      entityId: null,
      errorMessage: 'The ERP limits calls. The run waits for 0 s and goes on.',
      fault: { code: 'erp_run_waits', params: { seconds: 0, reason: said('The ERP limits calls.') } },
      responseSummary: '429',
    })
  })

  it.each([31, 3_600])('ends when the ERP requests a wait of %i seconds', async (retryAfterSeconds) => {
    const { erp, sync, order, runs, record } = await startExchange(hub)
    const id = await order()
    erp.before = () => {
      throw new ErpUnavailable('throttled', said('The ERP limits calls.'), { retryAfterSeconds })
    }
    expect(await sync()).toMatchObject([{ status: 'failed', errorMessage: 'The ERP limits calls.' }])
    const fault = said('The ERP limits calls.')
    expect(await runs()).toMatchObject([{ status: 'failed', error_message: fault.detail, fault }])
    expect(await record(id)).toMatchObject({ is_due: true, failures: 0 })
  })

  it('ends when the ERP fails on five records in a row, and not on four', async () => {
    const { erp, sync, order, runs } = await startExchange(hub)
    for (let i = 0; i < 7; i++) await order()
    let count = 0
    erp.react = () => (++count % 5 === 0 ? 'accept' : 'fail')
    expect(await sync()).toHaveLength(7)
    erp.react = () => 'fail'
    await hub.owner`update erp_records set failures = 0`
    const entries = await sync()
    expect(entries).toHaveLength(6)
    expect(entries.at(-1)).toMatchObject({
      entityId: null,
      errorMessage: expect.stringMatching(/5 times in a row.*answered 500/),
      fault: { code: 'erp_run_failed_in_a_row', params: { count: 5, reason: said('The ERP answered 500.') } },
    })
    expect((await runs()).at(-1)).toMatchObject({ status: 'failed', failed: 5, total: 6 })
  })

  it('sends new records before those that failed earlier, so that these cannot keep them waiting', async () => {
    const { erp, sync, order } = await startExchange(hub)
    const failing = await Promise.all(Array.from({ length: 5 }, () => order()))
    erp.react = ({ id }) => (failing.includes(id) ? 'fail' : 'accept')
    await sync()
    const id = await order()
    const entries = await sync()
    expect(entries[0]).toMatchObject({ entityId: id, status: 'success' })
  })

  it('keeps the texts of an ERP that no database stores, shortened', async () => {
    const { erp, sync, order } = await startExchange(hub)
    await order()
    erp.before = (operation) => {
      if (operation === 'find')
        throw new ErpUnavailable('maintenance', said(`\0\ud800${'x'.repeat(5_000)}`), { response: 'y'.repeat(900) })
    }
    const [entry] = await sync()
    expect(entry?.errorMessage).toHaveLength(1_000)
    expect(entry?.responseSummary).toHaveLength(500)
  })

  it('sees only records of its tenant', async () => {
    const [ours, theirs] = [await startExchange(hub), await startExchange(hub)]
    const [own, foreign] = [await ours.order(), await theirs.order()]
    await ours.sync()
    expect(ours.erp.stored.map(({ record }) => record.id)).toEqual([own])
    await theirs.sync()
    expect(theirs.erp.stored.map(({ record }) => record.id)).toEqual([foreign])
  })

  it('adds older records beside new ones that are inserted meanwhile, and misses none', async () => {
    const { admin, machineId, erp, runner, sync } = await startExchange(hub)
    erp.batchSize = 500
    const insert = (n: number) => hub.owner`insert into work_orders (tenant_id, machine_id, title, created_by, updated_at)
      select ${admin.tenantId}, ${machineId}, 'Order ' || n, ${admin.userId}, now() from generate_series(1, ${n}::int) n`
    await insert(4_500)
    await hub.owner`delete from erp_changes where tenant_id = ${admin.tenantId}`
    let isOver = false
    const inserting = (async () => {
      for (let i = 0; i < 30; i++) {
        await insert(10)
        await sleep(5)
      }
      isOver = true
    })()
    while (!isOver || (await sync()).length > 0) await sync()
    await inserting
    while ((await sync()).length > 0);
    await runner.idle()
    const ids = erp.stored.map(({ record }) => record.id)
    expect(ids).toHaveLength(4_800)
    expect(new Set(ids).size).toBe(4_800)
  })
})
