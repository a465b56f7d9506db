import { describe, expect, it } from 'vitest'
import { sweepSilentMachines } from '../src/features/alerting/evaluation/index.ts'
import { plant, type TestUser, useHub } from './harness.ts'

const hub = useHub()
const make = (admin: TestUser, values: Record<string, unknown>) =>
  admin.call('POST', 'machines', { name: 'Press', machine_identifier: 'p-1', protocol: 'opc_ua', ...values })
const list = async (admin: TestUser, query = '') => (await admin.call('GET', `machines${query}`)).body
const names = (page: { items: { name: string }[] }) => page.items.map((m) => m.name)

describe('a machine', () => {
  it('begins offline and active', async () => {
    const admin = await hub.admin()
    const { status, body } = await make(admin, { location: 'Hall 1' })
    expect(status).toBe(201)
    expect(body).toEqual({
      version: expect.any(String),
      id: expect.any(String),
      tenant_id: admin.tenantId,
      name: 'Press',
      machine_identifier: 'p-1',
      protocol: 'opc_ua',
      status: 'offline',
      location: 'Hall 1',
      is_active: true,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
    expect((await admin.call('GET', `machines/${body.id}`)).body).toEqual(body)
  })
  it.each([
    [{ name: '' }, 422],
    [{ name: 'x'.repeat(255) }, 201],
    [{ name: 'x'.repeat(256) }, 422],
    [{ name: '😀'.repeat(255) }, 201],
    [{ machine_identifier: 'x'.repeat(256) }, 422],
    [{ machine_identifier: 7 }, 422],
    [{ protocol: 'profinet' }, 422],
    [{ protocol: 'modbus_tcp' }, 201],
    [{ protocol: 'csv' }, 201],
    [{ protocol: 'json' }, 201],
    [{ location: 'x'.repeat(500) }, 201],
    [{ location: 'x'.repeat(501) }, 422],
    [{ location: '' }, 201],
    [{ unknown_field: 1 }, 201],
  ])('with %o is answered %d', async (values, status) => {
    expect((await make(await hub.admin(), values)).status).toBe(status)
  })
  it('has an identifier of its own in its tenant, also against deactivated machines, also when two are made at once', async () => {
    const [admin, other] = [await hub.admin(), await hub.admin()]
    const { body } = await make(admin, {})
    await admin.call('DELETE', `machines/${body.id}`)
    expect(await make(admin, {})).toMatchObject({ status: 409, body: { code: 'machine_identifier_taken' } })
    expect((await make(other, {})).status).toBe(201)
    const both = await Promise.all([make(admin, { machine_identifier: 'p-2' }), make(admin, { machine_identifier: 'p-2' })])
    expect(both.map((a) => a.status).sort()).toEqual([201, 409])
  })
  it('changes by any of its fields; an empty change answers it unchanged', async () => {
    const admin = await hub.admin()
    const { body } = await make(admin, { location: 'Hall 1' })
    const patch = (values: unknown) => admin.call('PATCH', `machines/${body.id}`, values)
    expect((await patch({})).body).toEqual(body)
    expect((await patch({ name: 'New', location: '' })).body).toMatchObject({
      name: 'New',
      location: null,
      machine_identifier: 'p-1',
    })
    expect((await patch({ status: 'warning' })).body.status).toBe('warning')
    for (const bad of [{ name: '' }, { status: 'broken' }, { is_active: 'no' }, { location: 'x'.repeat(501) }])
      expect((await patch(bad)).status).toBe(422)
  })
  it('is deactivated, not deleted, and can be brought back', async () => {
    const admin = await hub.admin()
    const { body } = await make(admin, {})
    expect((await admin.call('DELETE', `machines/${body.id}`)).status).toBe(204)
    expect((await admin.call('GET', `machines/${body.id}`)).body.is_active).toBe(false)
    expect((await list(admin)).pagination.total).toBe(0)
    expect((await admin.call('PATCH', `machines/${body.id}`, { is_active: true })).body.is_active).toBe(true)
    expect((await list(admin)).pagination.total).toBe(1)
  })
})

describe('the list of machines', () => {
  it('pages, sorts as people do, searches name or identifier without case, and filters', async () => {
    const admin = await hub.admin()
    for (const [i, name] of ['Zebra', 'äpfel', 'Apfel', 'Ölpumpe', '100%'].entries())
      await make(admin, { name, machine_identifier: `ID-${i}`, location: i < 2 ? `L${i}` : undefined })
    expect(names(await list(admin))).toEqual(['100%', 'Apfel', 'äpfel', 'Ölpumpe', 'Zebra'])
    expect(names(await list(admin, '?sort_dir=desc'))).toEqual(['Zebra', 'Ölpumpe', 'äpfel', 'Apfel', '100%'])
    expect(names(await list(admin, '?sort_by=machine_identifier&page_size=2&page=2'))).toEqual(['Apfel', 'Ölpumpe'])
    expect(await list(admin, '?page=9')).toMatchObject({ items: [], pagination: { total: 5, page: 9, page_size: 20 } })
    expect(names(await list(admin, '?search=ÄPF'))).toEqual(['äpfel'])
    expect(names(await list(admin, '?search=id-4'))).toEqual(['100%'])
    expect(names(await list(admin, '?search=%25'))).toEqual(['100%'])
    expect(names(await list(admin, '?search=_'))).toEqual([])
    expect(names(await list(admin, '?status=offline&page_size=1'))).toEqual(['100%'])
    expect(await list(admin, '?status=healthy')).toMatchObject({ items: [], pagination: { total: 0 } })
    expect(names(await list(admin, '?sort_by=location&page_size=2'))).toEqual(['Zebra', 'äpfel'])
    expect((await list(admin, '?group_id=00000000-0000-4000-8000-000000000000')).items).toEqual([])
  })
  it('sorts numbers in names by value, on every page', async () => {
    const admin = await hub.admin()
    for (const [i, name] of ['Press 10', 'press 2', 'Press 1', 'Press 2b', 'Press 010a'].entries())
      await make(admin, { name, machine_identifier: `M${[10, 9, 1, 100, 2][i]}` })
    expect(names(await list(admin))).toEqual(['Press 1', 'press 2', 'Press 2b', 'Press 10', 'Press 010a'])
    expect(names(await list(admin, '?page_size=2&page=2'))).toEqual(['Press 2b', 'Press 10'])
    expect(names(await list(admin, '?sort_by=machine_identifier'))).toEqual([
      'Press 1',
      'Press 010a',
      'press 2',
      'Press 10',
      'Press 2b',
    ])
    const plan = await hub.owner.begin(async (sql) => {
      await sql`set local enable_seqscan = off`
      return sql`explain select id from machines where tenant_id = ${admin.tenantId} order by name collate natural_order, id limit 20`
    })
    expect(JSON.stringify(plan)).toContain('machines_natural_name_idx')
  })
  it('shows deactivated machines when asked', async () => {
    const admin = await hub.admin()
    const { body } = await make(admin, {})
    await make(admin, { name: 'Other', machine_identifier: 'p-2' })
    await admin.call('DELETE', `machines/${body.id}`)
    expect(names(await list(admin, '?is_active=false'))).toEqual(['Press'])
    expect(names(await list(admin, '?is_active=all'))).toEqual(['Other', 'Press'])
  })
  it.each([
    'page=0',
    'page=x',
    'page_size=0',
    'page_size=101',
    'status=broken',
    'sort_by=id',
    'sort_dir=up',
    'group_id=x',
    `search=${'x'.repeat(201)}`,
    'is_active=maybe',
    'search=%00',
  ])('refuses %s with 422', async (query) => {
    const admin = await hub.admin()
    expect((await admin.call('GET', `machines?${query}`)).status).toBe(422)
  })
  it('takes a page of 100 and a search of 200 characters, and ignores what it does not know', async () => {
    const admin = await hub.admin()
    expect((await admin.call('GET', `machines?page_size=100&search=${'x'.repeat(200)}&colour=blue`)).status).toBe(200)
  })
})

describe('silence', () => {
  const sweep = () => sweepSilentMachines(hub.deps.pools.system, hub.clock.now(), hub.config.machineOfflineAfterSeconds)
  const status = async (admin: TestUser, id: string) => (await admin.call('GET', `machines/${id}`)).body.status

  it('of more than 10 minutes sends a machine offline, counted from its newest reading', async () => {
    const { key, machine, identifier, admin } = await plant(hub)
    const statusNow = () => hub.owner`select status from machines where id = ${machine.id}`.then((rows) => rows[0]?.status)
    await hub.send(key, [{ machine: identifier, value: 1 }])
    hub.clock.advance(9 * 60)
    await hub.send(key, [{ machine: identifier, value: 1 }])
    hub.clock.advance(2 * 60)
    await sweep()
    expect(await status(admin, machine.id)).toBe('healthy')
    hub.clock.advance(7 * 60)
    await sweep()
    expect(await statusNow()).toBe('healthy')
    hub.clock.advance(62)
    await sweep()
    expect(await statusNow()).toBe('offline')
    await hub.send(key, [{ machine: identifier, value: 1 }])
    expect(await statusNow()).toBe('healthy')
  })
  it('does not end a status that a person gave a machine without readings; the fall to offline does', async () => {
    const { key, machine, identifier, admin } = await plant(hub)
    const statusNow = () => hub.owner`select status from machines where id = ${machine.id}`.then((rows) => rows[0]?.status)
    await admin.call('PATCH', `machines/${machine.id}`, { status: 'warning' })
    hub.clock.advance(600)
    await sweep()
    expect(await statusNow()).toBe('warning')
    await hub.send(key, [{ machine: identifier, value: 1 }])
    await hub.owner`update machines set status = 'critical', status_is_manual = true where id = ${machine.id}`
    hub.clock.advance(601)
    await sweep()
    expect(await statusNow()).toBe('offline')
  })
  it('is told once by any number of replicas', async () => {
    const { key, machine, identifier } = await plant(hub)
    await sweep()
    await hub.send(key, [{ machine: identifier, value: 1 }])
    hub.clock.advance(601)
    const told = await Promise.all([sweep(), sweep(), sweep()])
    expect(told.reduce((sum, n) => sum + n, 0)).toBe(1)
    expect((await hub.owner`select status from machines where id = ${machine.id}`)[0]?.status).toBe('offline')
  })
})
