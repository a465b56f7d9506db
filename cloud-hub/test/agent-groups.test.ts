import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { plant, type TestUser, useHub } from './harness.ts'
import { soon } from './soon.ts'

const hub = useHub()
const report = (agent_id: string) => ({ agent_id, agent_version: '1.0.0' })
const heartbeat = (key: string, agentId: string) => hub.call('POST', 'agent/heartbeat', report(agentId), { 'x-api-key': key })
/** A request with a credential that is no report. */
const use = (credential: string, agentId = 'line-1') =>
  hub.call('GET', `agent/heartbeat?agent_id=${agentId}`, undefined, { 'x-api-key': credential })
const enroll = async (key: string, agentId: string): Promise<string> =>
  (await hub.call('POST', 'agent/enroll', report(agentId), { 'x-api-key': key })).body.credential
const group = async (by: TestUser, values: object) =>
  (await by.call('POST', 'machine-groups', { name: 'Munich', ...values })).body.id
const newKey = (by: TestUser, values: object) => by.call('POST', 'enrolment-keys', { name: 'box', ...values })
const agents = async (by: TestUser, query = '') =>
  (await by.call('GET', `agent/fleet${query}`)).body.agents.map((it: { agent_id: string; group_name: string | null }) => [
    it.agent_id,
    it.group_name,
  ])
const patch = (by: TestUser, agentId: string, body: object) => by.call('PATCH', `agent/fleet/${agentId}`, body)

describe('the group of an agent', () => {
  it('is that of its enrolment key, from its first heartbeat on', async () => {
    const { admin } = await plant(hub)
    const site = await group(admin, { group_type: 'site' })
    const made = await newKey(admin, { group_id: site })
    expect(made).toMatchObject({ status: 201, body: { group_id: site } })
    expect((await admin.call('GET', 'enrolment-keys')).body[0].group_id).toBe(site)
    await heartbeat(await enroll(made.body.key, 'line-1'), 'line-1')
    expect(await agents(admin)).toEqual([['line-1', 'Munich']])
    await heartbeat(await enroll((await newKey(admin, {})).body.key, 'line-2'), 'line-2')
    expect(await agents(admin)).toEqual([
      ['line-1', 'Munich'],
      ['line-2', null],
    ])
  })

  it('stays with the heartbeats that follow, also where somebody changed it', async () => {
    const { admin } = await plant(hub)
    const [munich, ulm] = [await group(admin, {}), await group(admin, { name: 'Ulm' })]
    const credential = await enroll((await newKey(admin, { group_id: munich })).body.key, 'line-1')
    await heartbeat(credential, 'line-1')
    expect(await patch(admin, 'line-1', { group_id: ulm })).toMatchObject({
      status: 200,
      body: { group_id: ulm, group_name: 'Ulm' },
    })
    await heartbeat(credential, 'line-1')
    expect(await agents(admin)).toEqual([['line-1', 'Ulm']])
    expect((await patch(admin, 'line-1', {})).body.group_id).toBe(ulm)
    expect((await patch(admin, 'line-1', { group_id: null })).body).toMatchObject({ group_id: null, group_name: null })
    const trail = (await admin.call('GET', 'audit-log?action=agent.updated')).body.items
    expect(trail.map((it: { after: object }) => it.after)).toEqual([{ group_id: null }, { group_id: ulm }])
  })

  it('changes with another enrolment whose key names one', async () => {
    const { admin } = await plant(hub)
    const munich = await group(admin, {})
    await heartbeat(await enroll((await newKey(admin, {})).body.key, 'line-1'), 'line-1')
    await admin.call('POST', 'agent/fleet/line-1/release')
    await enroll((await newKey(admin, { group_id: munich })).body.key, 'line-1')
    expect(await agents(admin)).toEqual([['line-1', 'Munich']])
    await admin.call('POST', 'agent/fleet/line-1/release')
    await enroll((await newKey(admin, {})).body.key, 'line-1')
    expect(await agents(admin)).toEqual([['line-1', 'Munich']])
  })

  it('must be one of the tenant', async () => {
    const { admin, key } = await plant(hub)
    await heartbeat(key, 'line-1')
    const [unknown, theirs] = [randomUUID(), await group(await hub.admin(), {})]
    for (const group_id of [unknown, theirs]) {
      expect(await newKey(admin, { group_id })).toMatchObject({ status: 404, body: { code: 'machine_group_not_found' } })
      expect(await patch(admin, 'line-1', { group_id })).toMatchObject({ status: 404, body: { code: 'machine_group_not_found' } })
    }
    expect(await patch(admin, 'line-9', { group_id: null })).toMatchObject({ status: 404, body: { code: 'agent_not_found' } })
    expect((await patch(await hub.colleague(admin, 'operator'), 'line-1', { group_id: null })).status).toBe(403)
    expect((await patch(await hub.admin(), 'line-1', { group_id: null })).status).toBe(404)
  })

  it('becomes null when the group is deleted, also of keys', async () => {
    const { admin, key } = await plant(hub)
    const munich = await group(admin, {})
    await heartbeat(key, 'line-1')
    await patch(admin, 'line-1', { group_id: munich })
    const unused = (await newKey(admin, { group_id: munich })).body.key
    expect((await admin.call('DELETE', `machine-groups/${munich}`)).status).toBe(204)
    expect(await agents(admin)).toEqual([['line-1', null]])
    const trail = (await admin.call('GET', 'audit-log?action=agent.updated')).body.items
    expect(trail).toMatchObject([
      { target: { id: 'line-1' }, actor: { id: admin.userId }, after: { group_id: null } },
      { target: { id: 'line-1' }, after: { group_id: munich } },
    ])
    await heartbeat(await enroll(unused, 'line-2'), 'line-2')
    expect(await agents(admin)).toEqual([
      ['line-1', null],
      ['line-2', null],
    ])
  })

  it('stays with the credential until the first heartbeat, when the key is deleted or the credential renewed meanwhile', async () => {
    const { admin } = await plant(hub)
    const made = (await newKey(admin, { group_id: await group(admin, {}) })).body
    const first = await enroll(made.key, 'line-1')
    expect((await use(first)).status).toBe(200)
    expect((await admin.call('DELETE', `enrolment-keys/${made.id}`)).status).toBe(204)
    const second = (await hub.call('POST', 'agent/credential', undefined, { 'x-api-key': first })).body.credential
    expect((await heartbeat(second, 'line-1')).status).toBe(200)
    expect(await agents(admin)).toEqual([['line-1', 'Munich']])
  })

  it('is that of its last enrolment: none where that key names none', async () => {
    const { admin } = await plant(hub)
    await use(await enroll((await newKey(admin, { group_id: await group(admin, {}) })).body.key, 'line-1'))
    await admin.call('POST', 'agent/fleet/line-1/release')
    await heartbeat(await enroll((await newKey(admin, {})).body.key, 'line-1'), 'line-1')
    expect(await agents(admin)).toEqual([['line-1', null]])
  })

  it('is none where the group is deleted while the first heartbeat arrives', async () => {
    const { admin } = await plant(hub)
    const munich = await group(admin, {})
    const credential = await enroll((await newKey(admin, { group_id: munich })).body.key, 'line-1')
    await use(credential)
    const [isDeleted, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const deletion = hub.owner.begin(async (sql) => {
      await sql`delete from machine_groups where id = ${munich}`
      isDeleted.resolve()
      await mayCommit.promise
    })
    await isDeleted.promise
    const first = heartbeat(credential, 'line-1')
    await soon(async () => {
      const waiting = await hub.owner`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into agents%'`
      expect(waiting).toHaveLength(1)
    })
    mayCommit.resolve()
    await deletion
    expect((await first).status).toBe(200)
    expect(await agents(admin)).toEqual([['line-1', null]])
  })

  it('narrows the list to agents of a group and of those below it', async () => {
    const { admin, key } = await plant(hub)
    const site = await group(admin, { group_type: 'site' })
    const line = await group(admin, { name: 'Line', parent_id: site })
    for (const id of ['line-1', 'line-2', 'line-3']) await heartbeat(key, id)
    await patch(admin, 'line-1', { group_id: site })
    await patch(admin, 'line-2', { group_id: line })
    const named = async (groupId: string) => (await agents(admin, `?group_id=${groupId}`)).map(([id]: [string]) => id)
    expect(await named(site)).toEqual(['line-1', 'line-2'])
    expect(await named(line)).toEqual(['line-2'])
    expect(await named(randomUUID())).toEqual([])
    expect(await named(await group(await hub.admin(), {}))).toEqual([])
  })
})

describe('a hub of the version before, which knows no groups of agents', () => {
  /** As it deletes a group without children. */
  const deleteAsBefore = (tenantId: string, id: string) =>
    hub.owner`delete from machine_groups where tenant_id = ${tenantId} and id = ${id}`

  it('deletes the group of an agent, which then has none', async () => {
    const { admin, key } = await plant(hub)
    const munich = await group(admin, {})
    await heartbeat(key, 'line-1')
    await patch(admin, 'line-1', { group_id: munich })
    await deleteAsBefore(admin.tenantId, munich)
    expect(await agents(admin)).toEqual([['line-1', null]])
  })

  it('leaves a deleted group in an enrolment key, which still enrols: an agent keeps its group, and a new one has none', async () => {
    const { admin, key } = await plant(hub)
    const [munich, ulm] = [await group(admin, {}), await group(admin, { name: 'Ulm' })]
    const keys = [await newKey(admin, { group_id: munich }), await newKey(admin, { group_id: munich })]
    await heartbeat(key, 'line-1')
    await patch(admin, 'line-1', { group_id: ulm })
    await deleteAsBefore(admin.tenantId, munich)
    for (const [at, agentId] of ['line-1', 'line-2'].entries())
      expect((await heartbeat(await enroll(keys[at]?.body.key, agentId), agentId)).status).toBe(200)
    expect(await agents(admin)).toEqual([
      ['line-1', 'Ulm'],
      ['line-2', null],
    ])
  })
})
