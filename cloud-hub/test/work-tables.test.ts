import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { tenantScope } from '../src/db/scope.ts'
import { plant, useHub } from './harness.ts'

const hub = useHub()

/** A work order and a maintenance event of a new plant, written as the owner. */
async function work() {
  const { admin, machine } = await plant(hub)
  const { tenantId, userId } = admin
  const base = { tenant_id: tenantId, machine_id: machine.id, created_by: userId }
  const insert = async (table: string, row: object): Promise<string> => {
    const [made] = await hub.owner<{ id: string }[]>`insert into ${hub.owner(table)} ${hub.owner(row as never)} returning *`
    return made?.id ?? ''
  }
  const order = (values: object = {}) => insert('work_orders', { ...base, title: 'Bearing', ...values })
  const event = (values: object = {}) =>
    insert('maintenance_events', {
      ...base,
      title: 'Oil',
      scheduled_start: '2026-03-01T08:00Z',
      scheduled_end: '2026-03-01T09:00Z',
      ...values,
    })
  const attachment = (owner: object) =>
    insert('attachments', {
      tenant_id: tenantId,
      uploaded_by: userId,
      filename: 'a.txt',
      content_type: 'text/plain',
      size_bytes: 1,
      sha256: '00',
      storage_key: randomUUID(),
      ...owner,
    })
  const signoff = (workOrderId: string, values: object = {}) =>
    insert('signoffs', {
      tenant_id: tenantId,
      work_order_id: workOrderId,
      number: 1,
      sequence: 1,
      signed_by: userId,
      signer_name: 'Ada',
      signer_email: 'ada@example.com',
      signer_role: 'admin',
      names: hub.owner.json({}),
      payload_version: 1,
      payload: '{}',
      key_id: 'k',
      signature_hash: 'h',
      signed_at: new Date(),
      ...values,
    })
  const scope = tenantScope(hub.deps.pools, hub.clock, tenantId, {
    kind: 'user',
    id: userId,
    role: 'admin',
    sessionId: null,
    name: 'test',
    ip: null,
    requestId: null,
  })
  return { admin, machine, tenantId, userId, insert, order, event, attachment, signoff, scope }
}

/** Runs a statement of the owner. @returns the SQLSTATE of its failure, null for success */
const failure = (attempt: Promise<unknown>) =>
  attempt.then(
    () => null,
    (error) => (error as { code: string }).code,
  )
const [CHECK, UNIQUE, FOREIGN, DENIED] = ['23514', '23505', '23503', '42501']

describe('the tables of work', () => {
  it('give an attachment exactly one owner', async () => {
    const { order, event, attachment } = await work()
    const [work_order_id, maintenance_event_id] = [await order(), await event()]
    expect(await failure(attachment({}))).toBe(CHECK)
    expect(await failure(attachment({ work_order_id, maintenance_event_id }))).toBe(CHECK)
    expect(await failure(attachment({ work_order_id }))).toBeNull()
    expect(await failure(attachment({ maintenance_event_id }))).toBeNull()
  })

  it('let an instruction name only attachments of its work order', async () => {
    const { tenantId, userId, order, attachment, insert } = await work()
    const [mine, other] = [await order(), await order()]
    const [file, foreign] = [await attachment({ work_order_id: mine }), await attachment({ work_order_id: other })]
    const step = { tenant_id: tenantId, work_order_id: mine, created_by: userId, title: 'Drain', step_order: 1 }
    expect(await failure(insert('work_order_instructions', { ...step, attachment_id: foreign }))).toBe(FOREIGN)
    expect(await failure(insert('work_order_instructions', { ...step, step_order: 0 }))).toBe(CHECK)
    expect(await failure(insert('work_order_instructions', { ...step, attachment_id: file }))).toBeNull()
    expect(await failure(hub.owner`delete from attachments where id = ${file}`)).toBe(FOREIGN)
  })

  it('let an alert and an event have one open work order, and any number of closed ones', async () => {
    const { tenantId, machine, order, event, insert } = await work()
    const alert = {
      tenant_id: tenantId,
      machine_id: machine.id,
      unit: 'c',
      severity: 'critical',
      metric_name: 't',
      message: 'hot',
    }
    const values = { trigger_value: 2, threshold_value: 1, triggered_at: new Date() }
    const subjects = [{ alert_id: await insert('alerts', { ...alert, ...values }) }, { maintenance_event_id: await event() }]
    for (const subject of subjects) {
      await order({ ...subject, status: 'in_progress' })
      expect(await failure(order(subject))).toBe(UNIQUE)
      for (const status of ['completed', 'cancelled', 'completed']) await order({ ...subject, status })
    }
  })

  it('make one child for each occurrence, and none that ends before it starts', async () => {
    const { event } = await work()
    const parent_event_id = await event({ recurrence_rule: 'daily' })
    await event({ parent_event_id, occurrence: 1 })
    expect(await failure(event({ parent_event_id, occurrence: 1 }))).toBe(UNIQUE)
    expect(await failure(event({ scheduled_end: '2026-03-01T08:00Z' }))).toBe(CHECK)
  })

  it('send a reminder once for each time', async () => {
    const { tenantId, event, insert } = await work()
    const reminder = {
      tenant_id: tenantId,
      kind: 'maintenance_overrun',
      maintenance_event_id: await event(),
      sent_at: new Date(),
    }
    await insert('work_reminders', { ...reminder, for_time: '2026-03-01T08:00Z' })
    expect(await failure(insert('work_reminders', { ...reminder, for_time: '2026-03-01T08:00Z' }))).toBe(UNIQUE)
    expect(await failure(insert('work_reminders', { ...reminder, for_time: '2026-03-02T08:00Z' }))).toBeNull()
  })

  it('let no role of the hub change or delete a sign-off or a history entry, and delete no signed work order', async () => {
    const { tenantId, order, signoff, insert, scope } = await work()
    const id = await order()
    await signoff(id)
    await insert('work_order_history', { tenant_id: tenantId, work_order_id: id, at: new Date(), event: 'created' })
    for (const statement of [
      "update signoffs set signer_name = 'Eve'",
      'delete from signoffs',
      "update work_order_history set event = 'x'",
      'delete from work_order_history',
      'delete from deleted_resources',
      'delete from attachment_deletions',
    ])
      expect(await failure(scope.tx((sql) => sql.unsafe(statement)))).toBe(DENIED)
    for (const table of ['signoffs', 'work_order_history'])
      expect(await failure(hub.deps.pools.system.unsafe(`delete from ${table}`))).toBe(DENIED)
    expect(await failure(scope.tx((sql) => sql`delete from work_orders where id = ${id}`))).toBe(FOREIGN)
    expect(await failure(signoff(id, { number: 21, sequence: 2 }))).toBe(CHECK)
    expect(await failure(signoff(id, { number: 1, sequence: 2 }))).toBe(UNIQUE)
    expect(await failure(signoff(id, { number: 2, sequence: 1 }))).toBe(UNIQUE)
    expect(await failure(signoff(id, { number: 20, sequence: 2 }))).toBeNull()
  })

  it('queue the files of deleted attachments and note deletions for streams, by cascade too', async () => {
    const { tenantId, order, event, attachment, scope } = await work()
    const [orderId, eventId] = [await order(), await event()]
    await attachment({ work_order_id: orderId })
    await attachment({ maintenance_event_id: eventId })
    const keys = await hub.owner`select storage_key from attachments where tenant_id = ${tenantId} order by 1`
    await scope.tx((sql) => sql`delete from work_orders where tenant_id = ${tenantId}`)
    await scope.tx((sql) => sql`delete from maintenance_events where tenant_id = ${tenantId}`)
    expect(await hub.owner`select storage_key from attachment_deletions where tenant_id = ${tenantId} order by 1`).toEqual(keys)
    expect(await hub.owner`select kind, id from deleted_resources where tenant_id = ${tenantId} order by 1`).toEqual([
      { kind: 'maintenance', id: eventId },
      { kind: 'work_order', id: orderId },
    ])
  })

  it('are deleted with their tenant, signed work orders too', async () => {
    const { tenantId, userId, order, event, attachment, signoff, insert } = await work()
    const checklist = { tenant_id: tenantId, name: 'Weekly', steps: hub.owner.json([]), created_by: userId }
    const parent = await event({ assigned_to: userId, checklist_id: await insert('checklists', checklist) })
    await event({ parent_event_id: parent, occurrence: 1 })
    const id = await order({ assigned_to: userId, maintenance_event_id: parent })
    const file = await attachment({ work_order_id: id })
    const part = { tenant_id: tenantId, work_order_id: id }
    await insert('work_order_instructions', { ...part, created_by: userId, title: 'Drain', step_order: 1, attachment_id: file })
    await insert('work_order_assignees', { ...part, user_id: userId, position: 0 })
    await insert('certificates', { ...part, reference: randomUUID() })
    await insert('calendar_tokens', { tenant_id: tenantId, user_id: userId, label: 'phone', token_hash: randomUUID() })
    await signoff(id)
    await hub.owner`delete from tenants where id = ${tenantId}`
    const left = await hub.owner`select 1 from work_orders where tenant_id = ${tenantId}
      union all select 1 from maintenance_events where tenant_id = ${tenantId}
      union all select 1 from signoffs where tenant_id = ${tenantId} union all select 1 from attachments where tenant_id = ${tenantId}`
    expect(left).toHaveLength(0)
  })

  it('lose the calendar tokens of a deactivated user', async () => {
    const { admin, tenantId, insert } = await work()
    const colleague = await hub.colleague(admin, 'viewer')
    const token = { tenant_id: tenantId, user_id: colleague.userId, label: 'phone', token_hash: randomUUID() }
    await insert('calendar_tokens', token)
    await admin.call('PATCH', `users/${colleague.userId}`, { is_active: false })
    expect(await hub.owner`select from calendar_tokens where user_id = ${colleague.userId}`).toHaveLength(0)
  })
})
