import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { plant, type TestUser, useHub } from './harness.ts'

const hub = useHub()
// Names below .invalid never resolve (RFC 6761).
const CONFIG = { base_url: 'https://erp.invalid/api', username: 'hub', password: 'secret-0001' }
const connect = async (user: TestUser, values: Record<string, unknown> = {}): Promise<string> =>
  (await user.call('POST', 'erp/connections', { provider: 'erp_c', name: 'ERP', config: CONFIG, ...values })).body.id
const sync = (user: TestUser, id: string, body: unknown) => user.call('POST', `erp/connections/${id}/sync`, body)

const OUTBOUND = ['work_order', 'production_data', 'downtime'] as const
const UNSUPPORTED = [['outbound', 'machine'] as const, ...OUTBOUND.map((entity) => ['inbound', entity] as const)]
const CODES = {
  work_order: 'work_order_not_found',
  production_data: 'shift_log_not_found',
  downtime: 'downtime_record_not_found',
}

/** An id for each entity, of records that exist. */
async function recordsOf(user: TestUser, machine_id: string) {
  const order = (await user.call('POST', 'work-orders', { machine_id, title: 'Bearing' })).body
  const times = { started_at: '2026-01-05T08:00Z', ended_at: '2026-01-05T09:00Z' }
  const stop = (await user.call('POST', `machines/${machine_id}/downtime`, times)).body
  const shift = { name: 'Early', start_time: '06:00', end_time: '14:00' }
  const definition = (await user.call('POST', 'shifts/definitions', shift)).body
  const day = { shift_date: '2026-01-01', actual_start: '2026-01-01T06:00Z', actual_end: '2026-01-01T14:00Z' }
  const log = (await user.call('POST', 'shifts/logs', { machine_id, shift_definition_id: definition.id, ...day })).body
  return { work_order: order.id, production_data: log.id, downtime: stop.id } as Record<(typeof OUTBOUND)[number], string>
}

describe('a request to synchronize', () => {
  it.each(UNSUPPORTED)('%s of %s is refused with a code of its own, before other faults', async (direction, entity_type) => {
    const admin = await hub.admin()
    const id = await connect(admin, { is_active: false })
    for (const entity_id of [undefined, 'no-uuid', 7, randomUUID()]) {
      const { status, body } = await sync(admin, id, { direction, entity_type, entity_id })
      expect([status, body.code]).toEqual([400, 'erp_sync_unsupported'])
    }
  })

  it.each([
    ['no direction', { direction: undefined }, 'body.direction'],
    ['an unknown direction', { direction: 'sideways' }, 'body.direction'],
    ['no entity', { entity_type: undefined }, 'body.entity_type'],
    ['an unknown entity', { entity_type: 'asset' }, 'body.entity_type'],
    ['an id that is no UUID', { entity_id: 'WO-1' }, 'body.entity_id'],
    ['a number as id', { entity_id: 7 }, 'body.entity_id'],
    ['an id of a machine to fetch', { direction: 'inbound', entity_type: 'machine', entity_id: randomUUID() }, 'body.entity_id'],
  ])('with %s is refused with 422', async (_name, values, path) => {
    const admin = await hub.admin()
    const answer = await sync(admin, await connect(admin), { direction: 'outbound', entity_type: 'work_order', ...values })
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ path }] } })
  })

  it.each(OUTBOUND)(
    'of a %s that the tenant does not have is refused with 404, before an inactive connection is',
    async (entity_type) => {
      const { admin, machine } = await plant(hub)
      const { admin: stranger, machine: theirs } = await plant(hub)
      const id = await connect(admin, { is_active: false })
      const [own, foreign] = [await recordsOf(admin, machine.id), await recordsOf(stranger, theirs.id)]
      const others = OUTBOUND.filter((entity) => entity !== entity_type).map((entity) => own[entity])
      for (const entity_id of [randomUUID(), foreign[entity_type], ...others])
        expect((await sync(admin, id, { direction: 'outbound', entity_type, entity_id })).body.code).toBe(CODES[entity_type])
      const { status, body } = await sync(admin, id, { direction: 'outbound', entity_type, entity_id: own[entity_type] })
      expect([status, body.code]).toEqual([409, 'erp_connection_inactive'])
    },
  )

  it('is refused with 409 for an inactive connection, and then nothing is logged', async () => {
    const admin = await hub.admin()
    const id = await connect(admin, { is_active: false })
    for (const [direction, entity_type] of [['inbound', 'machine'], ...OUTBOUND.map((entity) => ['outbound', entity])])
      expect((await sync(admin, id, { direction, entity_type, entity_id: null })).body.code).toBe('erp_connection_inactive')
    expect((await admin.call('GET', 'erp/logs')).body.total).toBe(0)
    expect((await admin.call('GET', `erp/connections/${id}/runs`)).body.total).toBe(0)
  })

  it('may come from a viewer; another tenant and an unknown connection answer 404 before the body is read', async () => {
    const [admin, stranger] = [await hub.admin(), await hub.admin()]
    const id = await connect(admin)
    const request = { direction: 'outbound', entity_type: 'work_order', entity_id: randomUUID() }
    expect((await sync(await hub.colleague(admin, 'viewer'), id, request)).body.code).toBe('work_order_not_found')
    for (const [user, other] of [[stranger, id] as const, [admin, randomUUID()] as const])
      expect((await sync(user, other, '{')).body.code).toBe('erp_connection_not_found')
  })

  it('is in the audit trail with what was requested', async () => {
    const admin = await hub.admin()
    const viewer = await hub.colleague(admin, 'viewer')
    const id = await connect(admin)
    await sync(viewer, id, { direction: 'outbound', entity_type: 'downtime' })
    const { items } = (await admin.call('GET', 'audit-log?action=erp_connection.sync_requested')).body
    expect(items).toMatchObject([
      {
        actor: { kind: 'user', id: viewer.userId },
        target: { type: 'erp_connection', id, name: 'ERP' },
        after: { direction: 'outbound', entity_type: 'downtime', entity_id: null },
      },
    ])
  })
})
