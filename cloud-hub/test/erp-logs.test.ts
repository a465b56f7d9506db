import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type TestUser, useHub } from './harness.ts'
import { storeErpRun } from './support/erp-rows.ts'

const hub = useHub()
const CONFIG = { base_url: 'https://erp.invalid/api', username: 'hub', password: 'secret-0001' }
const connect = async (user: TestUser): Promise<string> =>
  (await user.call('POST', 'erp/connections', { provider: 'erp_c', name: 'ERP', config: CONFIG })).body.id
const ago = (minutes: number) => new Date(hub.clock.now().getTime() - minutes * 60_000)

/** Three entries, the newest first: a failed work order, a downtime record, a machine. */
async function withLogs() {
  const admin = await hub.admin()
  const connection = await connect(admin)
  const store = (log: Record<string, unknown>) => storeErpRun(hub, admin.tenantId, connection, randomUUID(), { log })
  const machine = await store({ entity_type: 'machine', direction: 'inbound', created_at: ago(30) })
  const downtime = await store({ entity_type: 'downtime', status: 'skipped', created_at: ago(20) })
  const failed = { status: 'failed', error_message: 'The title is too long.', external_id: null }
  const order = await store({ ...failed, created_at: ago(10) })
  return { admin, connection, logs: [order, downtime, machine] as const }
}

describe('the sync log', () => {
  it('has the fields of the specification, newest first, with total, page and page_size', async () => {
    const { admin, connection, logs } = await withLogs()
    const { status, body } = await admin.call('GET', `erp/connections/${connection}/logs`)
    expect([status, { ...body, items: body.items.length }]).toEqual([
      200,
      { items: 3, total: 3, page: 1, page_size: 20, next_cursor: null },
    ])
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual(logs.map(({ logId }) => logId))
    expect(body.items[0]).toEqual({
      id: logs[0].logId,
      erp_connection_id: connection,
      run_id: logs[0].runId,
      direction: 'outbound',
      entity_type: 'work_order',
      entity_id: expect.any(String),
      external_id: null,
      status: 'failed',
      error_message: 'The title is too long.',
      fault: null,
      request_summary: 'POST /api/work-orders',
      response_summary: '201 Created',
      created_at: expect.any(String),
    })
    expect((await admin.call('GET', 'erp/logs')).body).toEqual(body)
  })

  it('is paged, and empty beyond the end', async () => {
    const { admin, connection, logs } = await withLogs()
    for (const path of ['erp/logs', `erp/connections/${connection}/logs`]) {
      const page = async (query: string) => (await admin.call('GET', `${path}?${query}`)).body
      expect(await page('page=2&page_size=2')).toMatchObject({ items: [{ id: logs[2].logId }], total: 3, page: 2, page_size: 2 })
      expect(await page('page=9')).toEqual({ items: [], total: 3, page: 9, page_size: 20, next_cursor: null })
      for (const odd of ['page=0', 'page_size=0', 'page_size=101', 'page=x', 'entity_type=asset', 'status=ok', 'direction=up'])
        expect([odd, (await admin.call('GET', `${path}?${odd}`)).status]).toEqual([odd, 422])
      for (const odd of ['entity_id=1', 'run_id=x', 'from=yesterday', 'to=2026-02-30', 'from=2026-02-02&to=2026-02-01'])
        expect([odd, (await admin.call('GET', `${path}?${odd}`)).status]).toEqual([odd, 422])
      expect((await admin.call('GET', `${path}?page_size=100`)).status).toBe(200)
    }
  })

  it('is filtered by entity, direction, outcome, record, run and time', async () => {
    const { admin, connection, logs } = await withLogs()
    const [order, downtime, machine] = logs.map(({ logId }) => logId)
    const entityId = (await admin.call('GET', 'erp/logs?entity_type=downtime')).body.items[0].entity_id
    const cases: [string, (string | undefined)[]][] = [
      ['entity_type=machine', [machine]],
      ['direction=outbound', [order, downtime]],
      ['status=failed', [order]],
      [`entity_id=${entityId}`, [downtime]],
      [`run_id=${logs[0].runId}`, [order]],
      [`from=${ago(25).toISOString()}`, [order, downtime]],
      [`to=${ago(15).toISOString()}`, [downtime, machine]],
      [`from=${ago(25).toISOString()}&to=${ago(15).toISOString()}`, [downtime]],
      ['status=failed&entity_type=machine', []],
      [`entity_id=${randomUUID()}`, []],
    ]
    for (const path of ['erp/logs', `erp/connections/${connection}/logs`])
      for (const [query, ids] of cases) {
        const { items, total } = (await admin.call('GET', `${path}?${query}`)).body
        expect([query, items.map(({ id }: { id: string }) => id), total]).toEqual([query, ids, ids.length])
      }
  })

  it('of one connection shows only its entries; that of all can be filtered by connection', async () => {
    const { admin, connection, logs } = await withLogs()
    const other = await connect(admin)
    const { logId } = await storeErpRun(hub, admin.tenantId, other)
    const idsOf = async (path: string) => (await admin.call('GET', path)).body.items.map(({ id }: { id: string }) => id)
    expect(await idsOf(`erp/connections/${other}/logs`)).toEqual([logId])
    expect(await idsOf(`erp/logs?erp_connection_id=${other}`)).toEqual([logId])
    expect(await idsOf('erp/logs')).toHaveLength(4)
    // the log of one connection has no such filter
    expect(await idsOf(`erp/connections/${connection}/logs?erp_connection_id=${other}`)).toEqual(logs.map((log) => log.logId))
  })

  it('outlives its connection, which takes its runs along', async () => {
    const { admin, connection } = await withLogs()
    await admin.call('DELETE', `erp/connections/${connection}`)
    expect((await admin.call('GET', `erp/connections/${connection}/logs`)).body.code).toBe('erp_connection_not_found')
    expect((await admin.call('GET', `erp/logs?erp_connection_id=${connection}`)).body.total).toBe(3)
    expect(await hub.owner`select id from erp_runs where connection_id = ${connection}`).toHaveLength(0)
  })

  it('shows nothing of another tenant', async () => {
    const { connection } = await withLogs()
    const stranger = await hub.admin()
    expect((await stranger.call('GET', 'erp/logs')).body).toMatchObject({ items: [], total: 0 })
    expect((await stranger.call('GET', `erp/logs?erp_connection_id=${connection}`)).body.total).toBe(0)
  })
})

describe('the runs of a connection', () => {
  it('show their progress, newest first', async () => {
    const admin = await hub.admin()
    const connection = await connect(admin)
    const store = (run: Record<string, unknown>) => storeErpRun(hub, admin.tenantId, connection, randomUUID(), { run })
    const ended = await store({ started_at: ago(20), status: 'partial', succeeded: 3, failed: 2, skipped: 1, total: 6 })
    const running = await store({ started_at: ago(1), status: 'running', ended_at: null, total: null, trigger: 'automatic' })
    const { body } = await admin.call('GET', `erp/connections/${connection}/runs`)
    expect(body).toMatchObject({ total: 2, page: 1, page_size: 20 })
    expect(body.items).toEqual([
      expect.objectContaining({ id: running.runId, status: 'running', total: null, ended_at: null, trigger: 'automatic' }),
      {
        id: ended.runId,
        erp_connection_id: connection,
        direction: 'outbound',
        entity_type: 'work_order',
        entity_id: null,
        trigger: 'manual',
        status: 'partial',
        total: 6,
        succeeded: 3,
        failed: 2,
        skipped: 1,
        error_message: null,
        fault: null,
        started_at: expect.any(String),
        ended_at: expect.any(String),
      },
    ])
    const one = await admin.call('GET', `erp/connections/${connection}/runs/${ended.runId}`)
    expect(one.body).toEqual(body.items[1])
    const filtered = await admin.call('GET', `erp/connections/${connection}/runs?status=running&page_size=1`)
    expect(filtered.body).toMatchObject({ items: [{ id: running.runId }], total: 1 })
    expect((await admin.call('GET', `erp/connections/${connection}/runs?status=done`)).status).toBe(422)
  })

  it('of another connection, tenant or none answer 404', async () => {
    const [admin, stranger] = [await hub.admin(), await hub.admin()]
    const [one, two] = [await connect(admin), await connect(admin)]
    const { runId } = await storeErpRun(hub, admin.tenantId, one)
    const codeOf = async (user: TestUser, connection: string, run: string) =>
      (await user.call('GET', `erp/connections/${connection}/runs/${run}`)).body.code
    expect(await codeOf(admin, two, runId)).toBe('erp_run_not_found')
    expect(await codeOf(admin, one, randomUUID())).toBe('erp_run_not_found')
    expect(await codeOf(stranger, one, runId)).toBe('erp_connection_not_found')
  })
})
