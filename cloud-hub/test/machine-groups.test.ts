import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type TestUser, useHub } from './harness.ts'

const hub = useHub()
const make = async (by: TestUser, values: Record<string, unknown> = {}) =>
  (await by.call('POST', 'machine-groups', { name: 'Hall', ...values })).body
const put = (by: TestUser, id: string, values: unknown) => by.call('PUT', `machine-groups/${id}`, values)
const idsOf = async (by: TestUser, query: string) =>
  (await by.call('GET', `machines?page_size=100&${query}`)).body.items.map((m: { id: string }) => m.id).sort()

describe('a group', () => {
  it('is made with what is given, defaults for the rest, and its members', async () => {
    const admin = await hub.admin()
    const [a, b] = [await hub.machine(admin, { name: 'A' }), await hub.machine(admin, { name: 'B' })]
    const parent = await make(admin, { name: 'Munich', group_type: 'site' })
    const given = { name: 'Line 1', group_type: 'line', description: 'west', color: '#1F77b4', parent_id: parent.id }
    const made = await admin.call('POST', 'machine-groups', { ...given, machine_ids: [b.id, a.id, a.id] })
    expect(made).toMatchObject({ status: 201, body: { ...given, machine_count: 2, machine_ids: [a.id, b.id] } })
    expect(parent).toMatchObject({ group_type: 'site', description: null, color: null, parent_id: null, machine_count: 0 })
    expect((await make(admin)).group_type).toBe('custom')
    expect((await admin.call('GET', `machine-groups/${made.body.id}`)).body).toEqual(made.body)
  })

  it.each([
    [{ name: '' }, 422],
    [{ name: 'x'.repeat(200) }, 201],
    [{ name: 'x'.repeat(201) }, 422],
    [{ group_type: 'planet' }, 422],
    [{ color: 'blue' }, 422],
    [{ color: '#12345' }, 422],
    [{ color: '' }, 201],
    [{ description: '' }, 201],
    [{ parent_id: 'no-uuid' }, 422],
    [{ parent_id: randomUUID() }, 404],
    [{ machine_ids: [randomUUID()] }, 404],
    [{ machine_ids: 'all' }, 422],
  ])('with %o is answered %d', async (values, status) => {
    const admin = await hub.admin()
    expect((await admin.call('POST', 'machine-groups', { name: 'Hall', ...values })).status).toBe(status)
  })

  it('takes no machine and no parent of another tenant', async () => {
    const [admin, other] = [await hub.admin(), await hub.admin()]
    const [machine, group] = [await hub.machine(other), await make(other)]
    const answer = await admin.call('POST', 'machine-groups', { name: 'X', machine_ids: [machine.id] })
    expect([answer.status, answer.body.code]).toEqual([404, 'machine_not_found'])
    const below = await admin.call('POST', 'machine-groups', { name: 'X', parent_id: group.id })
    expect([below.status, below.body.code]).toEqual([404, 'machine_group_not_found'])
    expect((await admin.call('GET', 'machine-groups')).body).toEqual([])
  })

  it('is changed in what is given and nothing else', async () => {
    const admin = await hub.admin()
    const machine = await hub.machine(admin)
    const group = await make(admin, { description: 'd', color: '#123456', machine_ids: [machine.id] })
    expect((await put(admin, group.id, { name: 'New' })).body).toEqual({ ...group, name: 'New', version: expect.any(String) })
    expect((await put(admin, group.id, { description: null, color: '' })).body).toMatchObject({ description: null, color: null })
    expect((await put(admin, group.id, { machine_ids: [] })).body).toMatchObject({ machine_ids: [], machine_count: 0 })
    expect((await put(admin, group.id, {})).status).toBe(200)
  })

  it('has its members replaced as a whole, and counts active ones only', async () => {
    const admin = await hub.admin()
    const [a, b] = [await hub.machine(admin, { name: 'A' }), await hub.machine(admin, { name: 'B' })]
    const group = await make(admin, { machine_ids: [a.id] })
    const members = (ids: string[]) => admin.call('PUT', `machine-groups/${group.id}/members`, { machine_ids: ids })
    expect((await members([b.id])).body.machine_ids).toEqual([b.id])
    expect(await members([a.id, randomUUID()])).toMatchObject({ status: 404, body: { code: 'machine_not_found' } })
    expect((await members([a.id, b.id])).body.machine_count).toBe(2)
    await admin.call('DELETE', `machines/${a.id}`)
    expect((await admin.call('GET', `machine-groups/${group.id}`)).body).toMatchObject({ machine_ids: [b.id], machine_count: 1 })
    await admin.call('PATCH', `machines/${a.id}`, { is_active: true })
    expect((await admin.call('GET', `machine-groups/${group.id}`)).body.machine_count).toBe(2)
    expect((await admin.call('PUT', `machine-groups/${group.id}/members`, {})).status).toBe(422)
  })
})

describe('nesting', () => {
  it('is answered as a tree, children by name', async () => {
    const admin = await hub.admin()
    const site = await make(admin, { name: 'Site' })
    const [b, a] = [await make(admin, { name: 'b', parent_id: site.id }), await make(admin, { name: 'A', parent_id: site.id })]
    const leaf = await make(admin, { name: 'leaf', parent_id: b.id })
    const { body } = await admin.call('GET', 'machine-groups/tree')
    expect(body).toMatchObject([
      {
        id: site.id,
        children: [
          { id: a.id, children: [] },
          { id: b.id, children: [{ id: leaf.id }] },
        ],
      },
    ])
    expect((await admin.call('GET', 'machine-groups')).body.length).toBe(4)
  })

  it('makes no circle, neither with itself, nor with a descendant, nor by two moves at once', async () => {
    const admin = await hub.admin()
    const top = await make(admin)
    const middle = await make(admin, { parent_id: top.id })
    const low = await make(admin, { parent_id: middle.id })
    for (const parent of [top, middle, low])
      expect(await put(admin, top.id, { parent_id: parent.id })).toMatchObject({ status: 422, body: { code: 'group_cycle' } })
    expect((await put(admin, low.id, { parent_id: top.id })).status).toBe(200)

    const [x, y] = [await make(admin), await make(admin)]
    const moves = await Promise.all([put(admin, x.id, { parent_id: y.id }), put(admin, y.id, { parent_id: x.id })])
    expect(moves.map((m) => m.status).sort()).toEqual([200, 422])
  })

  it('moves the children of a deleted group to its parent', async () => {
    const admin = await hub.admin()
    const top = await make(admin)
    const middle = await make(admin, { parent_id: top.id })
    const low = await make(admin, { parent_id: middle.id })
    expect((await admin.call('DELETE', `machine-groups/${middle.id}`)).status).toBe(204)
    expect((await admin.call('GET', `machine-groups/${low.id}`)).body.parent_id).toBe(top.id)
    await admin.call('DELETE', `machine-groups/${top.id}`)
    expect((await admin.call('GET', `machine-groups/${low.id}`)).body.parent_id).toBe(null)
    expect((await admin.call('DELETE', `machine-groups/${top.id}`)).status).toBe(404)
  })

  it('lets the machines of a group include those of nested ones', async () => {
    const admin = await hub.admin()
    const [a, b, c] = [await hub.machine(admin), await hub.machine(admin), await hub.machine(admin)]
    const site = await make(admin, { machine_ids: [a.id] })
    const line = await make(admin, { parent_id: site.id, machine_ids: [a.id, b.id] })
    expect(await idsOf(admin, `group_id=${site.id}`)).toEqual([a.id, b.id].sort())
    expect(await idsOf(admin, `group_id=${line.id}`)).toEqual([a.id, b.id].sort())
    expect(await idsOf(admin, `group_id=${randomUUID()}`)).toEqual([])
    expect((await idsOf(admin, '')).length).toBe(3)
    await admin.call('DELETE', `machines/${b.id}`)
    expect(await idsOf(admin, `group_id=${site.id}`)).toEqual([a.id])
    expect(await idsOf(admin, `group_id=${site.id}&is_active=all`)).toEqual([a.id, b.id].sort())
    expect(await idsOf(await hub.admin(), `group_id=${site.id}`)).toEqual([])
    expect(c.id).toBeTruthy()
  })
})
