import { describe, expect, it } from 'vitest'
import { plant, useHub } from './harness.ts'

const hub = useHub()
const steps = [{ title: 'Lock the machine', body: 'Main switch' }, { title: 'Drain the oil' }]

describe('a checklist', () => {
  it('is created, listed by name, changed and deleted by an admin, and noted in the audit log', async () => {
    const admin = await hub.admin()
    const { status, body } = await admin.call('POST', 'checklists', { name: 'Oil', steps })
    expect([status, body]).toEqual([
      201,
      {
        version: expect.any(String),
        id: expect.any(String),
        name: 'Oil',
        steps: [steps[0], { title: 'Drain the oil', body: null }],
        created_by: admin.userId,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ])
    await admin.call('POST', 'checklists', { name: 'belt', steps })
    const viewer = await hub.colleague(admin, 'viewer')
    expect((await viewer.call('GET', 'checklists')).body.map(({ name }: { name: string }) => name)).toEqual(['belt', 'Oil'])
    expect((await viewer.call('GET', `checklists/${body.id}`)).body).toEqual(body)
    const changed = (await admin.call('PUT', `checklists/${body.id}`, { name: 'Oil and filter' })).body
    expect(changed).toMatchObject({ name: 'Oil and filter', steps: body.steps })
    expect((await admin.call('DELETE', `checklists/${body.id}`)).status).toBe(204)
    expect((await admin.call('GET', `checklists/${body.id}`)).body.code).toBe('checklist_not_found')
    const { items } = (await admin.call('GET', `audit-log?target_id=${body.id}`)).body
    expect(items.map(({ action }: { action: string }) => action)).toEqual([
      'checklist.deleted',
      'checklist.updated',
      'checklist.created',
    ])
  })

  it('has a name that no other has, without regard to case; of two created at once one is', async () => {
    const admin = await hub.admin()
    const answers = await Promise.all(['Oil', 'oil'].map((name) => admin.call('POST', 'checklists', { name, steps })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409])
    const other = (await admin.call('POST', 'checklists', { name: 'Belt', steps })).body
    expect((await admin.call('PUT', `checklists/${other.id}`, { name: 'OIL' })).body.code).toBe('checklist_name_taken')
  })

  it.each([
    { name: '', steps },
    { name: 'x'.repeat(201), steps },
    { name: 'x', steps: [] },
    { name: 'x', steps: Array(101).fill(steps[0]) },
    { name: 'x', steps: [{ title: 'x'.repeat(256) }] },
    { name: 'x', steps: [{ title: 'x', body: 'x'.repeat(5_001) }] },
  ])('is refused beyond its limits', async (body) => {
    expect((await (await hub.admin()).call('POST', 'checklists', body)).status).toBe(422)
  })

  it('is accepted at its limits', async () => {
    const step = { title: 'x'.repeat(255), body: 'x'.repeat(5_000) }
    const body = { name: 'x'.repeat(200), steps: Array(100).fill(step) }
    expect((await (await hub.admin()).call('POST', 'checklists', body)).status).toBe(201)
  })

  it('is refused beyond the 500th of a tenant', async () => {
    const admin = await hub.admin()
    await hub.owner`insert into checklists (tenant_id, name, steps, created_by)
      select ${admin.tenantId}, n::text, '[]', ${admin.userId} from generate_series(1, 499) n`
    const answers = await Promise.all(['a', 'b'].map((name) => admin.call('POST', 'checklists', { name, steps })))
    expect(answers.map(({ status, body }) => body.code ?? status).toSorted()).toEqual([201, 'too_many_checklists'])
  })

  it('is not deleted while a maintenance event uses it', async () => {
    const { admin, machine } = await plant(hub)
    const { id } = (await admin.call('POST', 'checklists', { name: 'Oil', steps })).body
    const times = { scheduled_start: '2030-01-01T08:00Z', scheduled_end: '2030-01-01T09:00Z' }
    const event = (await admin.call('POST', 'maintenance', { machine_id: machine.id, title: 'Oil', checklist_id: id, ...times }))
      .body
    expect(event.checklist_id).toBe(id)
    expect((await admin.call('DELETE', `checklists/${id}`)).body.code).toBe('checklist_in_use')
    await admin.call('PUT', `maintenance/${event.id}`, { checklist_id: null })
    expect((await admin.call('DELETE', `checklists/${id}`)).status).toBe(204)
  })
})
