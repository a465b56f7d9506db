import { randomUUID } from 'node:crypto'
import { fault } from '@haltless/protocol'
import { describe, expect, it } from 'vitest'
import { recomputeOee } from '../src/features/production/oee/index.ts'
import { plant, type TestUser, useHub } from './harness.ts'
import { storeErpRun } from './support/erp-rows.ts'

const hub = useHub()
const CONFIG = { base_url: 'https://erp.invalid/api', username: 'hub', password: 'secret-0001' }
const connect = async (user: TestUser, values: Record<string, unknown> = {}): Promise<string> =>
  (await user.call('POST', 'erp/connections', { provider: 'erp_c', name: 'ERP', config: CONFIG, ...values })).body.id
const preview = (user: TestUser, id: string, entity_type: unknown, entity_id: unknown) =>
  user.call('POST', `erp/connections/${id}/preview`, { entity_type, entity_id })
const CODES = {
  work_order: 'work_order_not_found',
  production_data: 'shift_log_not_found',
  downtime: 'downtime_record_not_found',
}
const ENTITIES = Object.keys(CODES) as (keyof typeof CODES)[]

async function order(user: TestUser, machine_id: string, values: Record<string, unknown> = {}) {
  return (await user.call('POST', 'work-orders', { machine_id, title: 'Replace the bearing', ...values })).body
}
async function shiftLog(user: TestUser, machine_id: string, end: string | undefined) {
  const shift = { name: 'Early', start_time: '06:00', end_time: '14:00' }
  const definition = (await user.call('POST', 'shifts/definitions', shift)).body
  const times = { shift_date: '2026-01-05', actual_start: '2026-01-05T06:00Z', ...(end && { actual_end: end }) }
  return (await user.call('POST', 'shifts/logs', { machine_id, shift_definition_id: definition.id, ...times })).body
}
const stop = async (user: TestUser, machine_id: string, from: string, to: string, values: Record<string, unknown> = {}) =>
  (await user.call('POST', `machines/${machine_id}/downtime`, { started_at: from, ended_at: to, ...values })).body

describe('a preview', () => {
  it('is for admins; another tenant and an unknown connection answer 404 before the body is read', async () => {
    const admin = await hub.admin()
    const id = await connect(admin)
    for (const role of ['viewer', 'operator'] as const)
      expect((await preview(await hub.colleague(admin, role), id, 'downtime', randomUUID())).body.code).toBe('role_insufficient')
    for (const [user, other] of [[await hub.admin(), id] as const, [admin, randomUUID()] as const])
      expect((await user.call('POST', `erp/connections/${other}/preview`, '{')).body.code).toBe('erp_connection_not_found')
  })

  it('needs an entity that is sent, and a record of this kind of the tenant', async () => {
    const { admin, machine } = await plant(hub)
    const { admin: stranger, machine: theirs } = await plant(hub)
    const id = await connect(admin)
    for (const entity of [undefined, 'machine', 'asset'])
      expect(await preview(admin, id, entity, randomUUID())).toMatchObject({
        status: 422,
        body: { errors: [{ path: 'body.entity_type' }] },
      })
    for (const odd of [undefined, null, 'x'])
      expect(await preview(admin, id, 'downtime', odd)).toMatchObject({
        status: 422,
        body: { errors: [{ path: 'body.entity_id' }] },
      })
    const [own, foreign] = [await order(admin, machine.id), await order(stranger, theirs.id)]
    for (const entity of ENTITIES)
      for (const other of [randomUUID(), foreign.id, ...(entity === 'work_order' ? [] : [own.id])])
        expect((await preview(admin, id, entity, other)).body.code).toBe(CODES[entity])
  })

  it('shows a work order with its instructions, and no credentials', async () => {
    const { admin, machine } = await plant(hub)
    const given = { description: 'Noise', priority: 'high', due_date: '2026-03-01T12:00:00Z', assigned_to: admin.userId }
    const { id: orderId, created_at } = await order(admin, machine.id, given)
    await admin.call('POST', `work-orders/${orderId}/instructions`, { step_order: 2, title: 'Test' })
    await admin.call('POST', `work-orders/${orderId}/instructions`, { step_order: 1, title: 'Lock', body: 'Main switch.' })
    const { status, body } = await preview(admin, await connect(admin), 'work_order', orderId)
    const email = (await admin.call('GET', 'auth/me')).body.email
    expect([status, body]).toEqual([
      200,
      {
        action: 'create',
        external_id: null,
        is_changed: true,
        problems: [],
        faults: [],
        request: {
          method: 'POST',
          url: 'https://erp.invalid/api/work-orders',
          headers: expect.any(Object),
          body: {
            haltlessId: orderId,
            title: 'Replace the bearing',
            description: 'Noise',
            status: 'open',
            priority: 'high',
            machineIdentifier: machine.machine_identifier,
            machineName: 'Press 1',
            assignedTo: email,
            dueDate: '2026-03-01T12:00:00.000Z',
            completedAt: null,
            completionNotes: null,
            createdAt: created_at,
            instructions: [
              { position: 1, text: 'Lock: Main switch.', completedAt: null },
              { position: 2, text: 'Test', completedAt: null },
            ],
          },
        },
      },
    ])
    expect(JSON.stringify(body)).not.toMatch(/secret-0001|authorization/i)
  })

  it('shows downtime with the code and name of its reason; an ongoing record has no end', async () => {
    const { admin, machine } = await plant(hub)
    const [code] = (await admin.call('GET', 'reason-codes')).body
    const ended = await stop(admin, machine.id, '2026-01-05T08:00Z', '2026-01-05T09:30Z', {
      reason_code_id: code.id,
      reason_note: 'Jam',
    })
    const id = await connect(admin)
    expect((await preview(admin, id, 'downtime', ended.id)).body.request.body).toEqual({
      haltlessId: ended.id,
      machineIdentifier: machine.machine_identifier,
      machineName: 'Press 1',
      reasonType: code.category,
      reasonCode: code.code,
      reasonName: code.label,
      reasonNote: 'Jam',
      startedAt: '2026-01-05T08:00:00.000Z',
      endedAt: '2026-01-05T09:30:00.000Z',
      durationMinutes: 90,
      source: 'manual',
    })
    const ongoing = (await admin.call('POST', `machines/${machine.id}/downtime`, { started_at: '2026-01-06T08:00Z' })).body
    expect((await preview(admin, id, 'downtime', ongoing.id)).body.request.body).toMatchObject({
      endedAt: null,
      durationMinutes: null,
      reasonCode: null,
      reasonType: 'unplanned',
    })
  })

  it('shows production data: times, and downtime by reason in which each minute counts once', async () => {
    const { admin, machine } = await plant(hub)
    await stop(admin, machine.id, '2026-01-05T05:30Z', '2026-01-05T07:00Z')
    await stop(admin, machine.id, '2026-01-05T06:30Z', '2026-01-05T07:30Z', { reason_type: 'changeover' })
    await stop(admin, machine.id, '2026-01-05T13:45Z', '2026-01-05T15:00Z')
    const log = await shiftLog(admin, machine.id, '2026-01-05T14:00Z')
    await recomputeOee(hub.deps.pools.system, hub.deps, hub.clock.now())
    const { body } = await preview(admin, await connect(admin), 'production_data', log.id)
    expect(body.request.body).toEqual({
      haltlessId: log.id,
      machineIdentifier: machine.machine_identifier,
      machineName: 'Press 1',
      shiftName: 'Early',
      shiftDate: '2026-01-05',
      startedAt: '2026-01-05T06:00:00.000Z',
      endedAt: '2026-01-05T14:00:00.000Z',
      plannedMinutes: 480,
      runMinutes: 375,
      downtimeMinutes: 105,
      totalCount: null,
      goodCount: null,
      scrapCount: null,
      oeePct: expect.any(Number),
      availabilityPct: 78.13,
      performancePct: expect.any(Number),
      qualityPct: expect.any(Number),
      downtimeByReason: [
        { reasonCode: null, reasonName: null, reasonType: 'unplanned', minutes: 75 },
        { reasonCode: null, reasonName: null, reasonType: 'changeover', minutes: 30 },
      ],
    })
  })

  it('of a shift that has not ended says why nothing can be sent', async () => {
    const { admin, machine } = await plant(hub)
    const log = await shiftLog(admin, machine.id, undefined)
    expect((await preview(admin, await connect(admin), 'production_data', log.id)).body).toEqual({
      action: 'none',
      external_id: null,
      is_changed: false,
      request: null,
      problems: [expect.stringContaining('The shift has not ended')],
      faults: [expect.objectContaining({ code: 'erp_shift_not_computed' })],
    })
  })

  it('applies the field mapping and the paths', async () => {
    const { admin, machine } = await plant(hub)
    const field_mapping = { title: 'shortText', 'work_order.description': '', 'work_order.instructions': 'steps' }
    const id = await connect(admin, { field_mapping, config: { ...CONFIG, paths: { work_order: 'v2/orders' } } })
    const { request } = (await preview(admin, id, 'work_order', (await order(admin, machine.id)).id)).body
    expect(request.url).toBe('https://erp.invalid/api/v2/orders')
    expect(request.body).toMatchObject({ shortText: 'Replace the bearing', steps: [] })
    for (const absent of ['title', 'description', 'instructions']) expect(request.body).not.toHaveProperty(absent)
  })

  it('shows an update of a known record, whether it changed, and the error of the last attempt', async () => {
    const { admin, machine } = await plant(hub)
    const [id, { id: orderId }] = [await connect(admin, { is_active: false }), await order(admin, machine.id)]
    const record = {
      tenant_id: admin.tenantId,
      connection_id: id,
      entity_type: 'work_order',
      entity_id: orderId,
      external_id: 'WO/1',
    }
    await hub.owner`insert into erp_records ${hub.owner(record)}`
    const failed = { status: 'failed', error_message: 'title is too long' }
    await storeErpRun(hub, admin.tenantId, id, orderId, { log: failed })
    expect((await preview(admin, id, 'work_order', orderId)).body).toMatchObject({
      action: 'update',
      external_id: 'WO/1',
      is_changed: true,
      request: { method: 'PATCH', url: 'https://erp.invalid/api/work-orders/WO%2F1' },
      problems: [
        'The connection is inactive: activate it before records can be sent.',
        'The last attempt failed: title is too long',
      ],
      faults: [
        { code: 'erp_connection_inactive', source: 'config' },
        { code: 'erp_last_attempt_failed', params: { reason: 'title is too long' } },
      ],
    })
    const reason = fault('erp_record_refused', { status: 400, reason: 'Too long.' })
    const newer = { created_at: new Date(hub.clock.now().getTime() + 500), status: 'failed', error_message: reason.detail }
    await storeErpRun(hub, admin.tenantId, id, orderId, { log: { ...newer, fault: reason } })
    expect((await preview(admin, id, 'work_order', orderId)).body).toMatchObject({
      problems: [expect.any(String), 'The last attempt failed: The ERP refuses the record (status 400). Too long.'],
      faults: [{}, { code: 'erp_last_attempt_failed', params: { reason } }],
    })
    await storeErpRun(hub, admin.tenantId, id, orderId, { log: { created_at: new Date(hub.clock.now().getTime() + 1_000) } })
    expect((await preview(admin, id, 'work_order', orderId)).body.problems).toHaveLength(1)
  })

  it('says so when the configuration was encrypted under another SECRET_KEY', async () => {
    const { admin, machine } = await plant(hub)
    const [one, two] = [await connect(admin), await connect(admin)]
    await hub.owner`update erp_connections set sealed_config = (select sealed_config from erp_connections where id = ${two}) where id = ${one}`
    expect((await preview(admin, one, 'work_order', (await order(admin, machine.id)).id)).body).toMatchObject({
      action: 'none',
      request: null,
      problems: [expect.stringContaining('cannot be decrypted')],
      faults: [{ code: 'erp_config_unreadable' }],
    })
  })
})
