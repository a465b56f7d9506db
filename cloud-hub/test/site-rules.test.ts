import { describe, expect, it } from 'vitest'
import { tenantScope } from '../src/db/scope.ts'
import { changeGroup } from '../src/features/plant/machine-groups/change-group.ts'
import { type TestUser, useHub } from './harness.ts'
import { countedScope } from './support/counted-scope.ts'

const hub = useHub()
const post = (by: TestUser, values: object) => by.call('POST', 'machine-groups', { name: 'Group', ...values })
const made = async (by: TestUser, values: object): Promise<string> => {
  const { status, body } = await post(by, values)
  expect(status).toBe(201)
  return body.id
}
const put = (by: TestUser, id: string, values: object) => by.call('PUT', `machine-groups/${id}`, values)
const conflicts = async (by: TestUser) => (await by.call('GET', 'machine-groups/site-conflicts')).body
const NONE = { machine_count: 0, machines: [], sites: [] }

/** The sites Munich and Ulm, with a line below Munich that has a machine. */
async function twoSites() {
  const admin = await hub.admin()
  const machine = (await hub.machine(admin, { name: 'Press 1' })).id
  const munich = await made(admin, { name: 'Munich', group_type: 'site' })
  const ulm = await made(admin, { name: 'Ulm', group_type: 'site' })
  const line = await made(admin, { name: 'Line 1', group_type: 'line', parent_id: munich, machine_ids: [machine] })
  return { admin, machine, munich, ulm, line }
}
type Plant = Awaited<ReturnType<typeof twoSites>>

describe('a machine belongs to at most one site', () => {
  const TAKEN = {
    status: 409,
    body: { code: 'machine_in_other_site', params: { machine: 'Press 1', site: 'Munich', other: 'Ulm' } },
  }
  it.each<[string, (plant: Plant) => ReturnType<TestUser['call']>]>([
    ['as a member of the other site', ({ admin, ulm, machine }) => put(admin, ulm, { machine_ids: [machine] })],
    [
      'by the list of members',
      ({ admin, ulm, machine }) => admin.call('PUT', `machine-groups/${ulm}/members`, { machine_ids: [machine] }),
    ],
    ['in a new group below the other site', ({ admin, ulm, machine }) => post(admin, { parent_id: ulm, machine_ids: [machine] })],
    [
      'by a group that moves below the other site',
      async ({ admin, ulm, machine }) => put(admin, await made(admin, { machine_ids: [machine] }), { parent_id: ulm }),
    ],
  ])('%s it is refused, and nothing changes', async (_, change) => {
    const plant = await twoSites()
    expect(await change(plant)).toMatchObject(TAKEN)
    const machinesOfUlm = await plant.admin.call('GET', `machines?group_id=${plant.ulm}`)
    expect(machinesOfUlm.body.items).toEqual([])
    expect(await conflicts(plant.admin)).toEqual(NONE)
  })

  it('by a group that becomes a site', async () => {
    const { admin, machine } = await twoSites()
    const group = await made(admin, { name: 'Ulm', machine_ids: [machine] })
    expect(await put(admin, group, { group_type: 'site' })).toMatchObject(TAKEN)
  })

  it('and may be in several groups of it, in groups of no site, and move between sites', async () => {
    const { admin, machine, munich, ulm, line } = await twoSites()
    expect((await put(admin, munich, { machine_ids: [machine] })).status).toBe(200)
    await made(admin, { parent_id: line, machine_ids: [machine] })
    await made(admin, { group_type: 'department', machine_ids: [machine] })
    await admin.call('DELETE', `machine-groups/${munich}`)
    expect((await put(admin, ulm, { machine_ids: [machine] })).status).toBe(200)
    expect(await conflicts(admin)).toEqual(NONE)
  })

  it('also when two requests put it in two sites at once', async () => {
    const { admin, munich, ulm } = await twoSites()
    for (let round = 0; round < 5; round++) {
      const machine = (await hub.machine(admin)).id
      const answers = await Promise.all([munich, ulm].map((site) => put(admin, site, { machine_ids: [machine] })))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    }
    expect(await conflicts(admin)).toEqual(NONE)
  })
})

describe('a site is never inside another one', () => {
  const NESTED = { status: 409, body: { code: 'site_in_site' } }
  it('neither when it is made, nor moved, nor when a group becomes a site, at any depth', async () => {
    const { admin, munich, ulm, line } = await twoSites()
    expect(await post(admin, { name: 'Hall', group_type: 'site', parent_id: line })).toMatchObject({
      ...NESTED,
      body: { params: { site: 'Hall', other: 'Munich' } },
    })
    expect(await put(admin, ulm, { parent_id: line })).toMatchObject(NESTED)
    expect(await put(admin, line, { group_type: 'site' })).toMatchObject(NESTED)
    const region = await made(admin, { name: 'South', parent_id: null })
    for (const site of [munich, ulm]) expect((await put(admin, site, { parent_id: region })).status).toBe(200)
    expect(await put(admin, region, { group_type: 'site' })).toMatchObject(NESTED)
  })

  it('also when two requests nest two groups at once', async () => {
    const { admin } = await twoSites()
    for (let round = 0; round < 5; round++) {
      const [outer, inner] = [await made(admin, {}), await made(admin, { group_type: 'site' })]
      const answers = await Promise.all([put(admin, outer, { group_type: 'site' }), put(admin, inner, { parent_id: outer })])
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    }
  })
})

describe('what broke the rules before they existed', () => {
  it('stays, is listed, and can be resolved step by step', async () => {
    const { admin, machine, munich, ulm } = await twoSites()
    const hall = await made(admin, { name: 'Hall' })
    await hub.owner`insert into machine_group_members (tenant_id, group_id, machine_id) values (${admin.tenantId}, ${ulm}, ${machine})`
    await hub.owner`update machine_groups set group_type = 'site', parent_id = ${ulm} where id = ${hall}`
    const sitesOf = [
      { id: munich, name: 'Munich' },
      { id: ulm, name: 'Ulm' },
    ]
    expect(await conflicts(admin)).toEqual({
      machine_count: 1,
      machines: [{ machine_id: machine, machine_name: 'Press 1', sites: sitesOf }],
      sites: [{ site_id: hall, site_name: 'Hall', inside: { id: ulm, name: 'Ulm' } }],
    })
    expect(await conflicts(await hub.admin())).toEqual(NONE)
    const [other] = [(await hub.machine(admin)).id]
    expect((await put(admin, munich, { name: 'München', machine_ids: [other] })).status).toBe(200)
    expect(await put(admin, hall, { machine_ids: [machine] })).toMatchObject({ status: 409 })
    expect((await put(admin, hall, { parent_id: null })).status).toBe(200)
    expect((await put(admin, ulm, { machine_ids: [] })).status).toBe(200)
    expect(await conflicts(admin)).toEqual(NONE)
  })

  it('is listed by name, at most 1,000 machines and 1,000 pairs of sites, with the number of all machines', async () => {
    const { admin, munich, ulm } = await twoSites()
    const { tenantId } = admin
    await hub.owner`
      with made as (
        insert into machines (tenant_id, machine_identifier, name, protocol)
        select ${tenantId}, 'm' || n, 'Mill ' || n, 'opc_ua' from generate_series(1, 1001) n returning id
      )
      insert into machine_group_members (tenant_id, group_id, machine_id)
      select ${tenantId}, site, id from made, unnest(${[munich, ulm]}::uuid[]) site`
    await hub.owner`
      insert into machine_groups (tenant_id, name, group_type)
      select ${tenantId}, 'Site ' || n, 'site' from generate_series(1, 46) n`
    await hub.owner`
      update machine_groups g set parent_id = o.id from machine_groups o
      where g.tenant_id = ${tenantId} and o.tenant_id = ${tenantId} and o.name like 'Site %' and g.name like 'Site %'
        and substr(o.name, 6)::int = substr(g.name, 6)::int - 1`
    const { machine_count, machines, sites } = await conflicts(admin)
    expect([machine_count, machines.length, sites.length]).toEqual([1_001, 1_000, 1_000])
    expect(machines.at(-1)).toMatchObject({ machine_name: 'Mill 1000', sites: [{ name: 'Munich' }, { name: 'Ulm' }] })
    expect([sites[0].site_name, sites.at(-1).site_name]).toEqual(['Site 2', 'Site 46'])
  })
})

describe('a change of groups', () => {
  it('looks for conflicts only with two sites or more, before or after it', async () => {
    const admin = await hub.admin()
    const actor = { kind: 'user', id: admin.userId, role: 'admin', sessionId: null, name: '', ip: null, requestId: null } as const
    const searches = async (groupId: string, values: Parameters<typeof changeGroup>[2]) => {
      const scope = tenantScope(hub.deps.pools, hub.clock, admin.tenantId, actor)
      const counted = countedScope(scope, 'with members as materialized')
      await changeGroup(counted, groupId, values, async () => false)
      return counted.counted()
    }
    const machine = (await hub.machine(admin)).id
    await made(admin, { name: 'Munich', group_type: 'site', machine_ids: [machine] })
    const line = await made(admin, { name: 'Line', group_type: 'line' })
    expect(await searches(line, { machine_ids: [machine] })).toBe(0)
    expect(await searches(line, { machine_ids: [] })).toBe(0)
    expect(await searches(line, { group_type: 'site' })).toBe(1)
    expect(await searches(line, { group_type: 'line' })).toBe(1)
    expect(await searches(line, { group_type: 'line' })).toBe(0)
  })
})
