import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { purgeEnrolments } from '../src/features/agents/enrolment/index.ts'
import { type Answer, plant, type TestUser, useHub } from './harness.ts'

const hub = useHub()
const AGENT = { agent_id: 'line-1', agent_version: '1.0.0' }

const newKey = async (admin: TestUser, values: object = {}): Promise<{ id: string; key: string }> =>
  (await admin.call('POST', 'enrolment-keys', { name: 'box', ...values })).body
const enroll = (key: string, agent_id = 'line-1', ip?: string) =>
  hub.call('POST', 'agent/enroll', { ...AGENT, agent_id }, { 'x-api-key': key }, ip)
const heartbeat = (key: string, agent_id = 'line-1') =>
  hub.call('POST', 'agent/heartbeat', { ...AGENT, agent_id }, { 'x-api-key': key })
const rotate = (key: string) => hub.call('POST', 'agent/credential', undefined, { 'x-api-key': key })
const release = (admin: TestUser, agentId = 'line-1') => admin.call('POST', `agent/fleet/${agentId}/release`)
const ended = ({ status, body }: Answer) => [status, body.code]

/** An agent with a credential that it has used. */
async function enrolled(agentId = 'line-1') {
  const made = await plant(hub)
  const { id, key } = await newKey(made.admin)
  const { credential } = (await enroll(key, agentId)).body
  expect((await heartbeat(credential, agentId)).status).toBe(200)
  return { ...made, enrolmentKey: { id, key }, credential: credential as string }
}
const statusInFleet = async (admin: TestUser) => (await admin.call('GET', 'agent/fleet')).body.agents[0].credential

describe('an enrolment key', () => {
  it('is shown once, stored as a hash, and listed masked with its state', async () => {
    const admin = await hub.admin()
    const { status, body } = await admin.call('POST', 'enrolment-keys', { name: 'hall 3', agent_id: 'line-1' })
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(String),
        name: 'hall 3',
        agent_id: 'line-1',
        group_id: null,
        key: expect.stringMatching(/^he_[0-9a-z]{8}_[\w-]{43}$/),
        created_at: expect.any(String),
        expires_at: new Date(Date.parse(body.created_at) + 86_400_000).toISOString(),
      },
    ])
    const [row] = await hub.owner`select * from enrolment_keys where id = ${body.id}`
    expect(JSON.stringify(row)).not.toContain(body.key.slice(12))
    const { key, ...rest } = body
    expect((await admin.call('GET', 'enrolment-keys')).body).toEqual([
      {
        ...rest,
        key_prefix: `${key.slice(0, 11)}_***`,
        status: 'unused',
        used_at: null,
        used_by_agent: null,
        created_by: admin.userId,
      },
    ])
    const trail = JSON.stringify((await admin.call('GET', 'audit-log')).body)
    expect(trail).toContain('enrolment_key.created')
    expect(trail).not.toContain(row?.key_hash)
  })

  it.each([
    [1, 201],
    [720, 201],
    [0, 422],
    [721, 422],
    [1.5, 422],
  ])('that expires in %s hours is answered with %s', async (expires_in_hours, status) => {
    const admin = await hub.admin()
    expect((await admin.call('POST', 'enrolment-keys', { name: 'box', expires_in_hours })).status).toBe(status)
  })

  it('enrols until it expires, and not at that instant', async () => {
    const { admin } = await plant(hub)
    const { key } = await newKey(admin, { expires_in_hours: 1 })
    const rest = await newKey(admin, { expires_in_hours: 1 })
    hub.clock.advance(3_598)
    expect((await enroll(key)).status).toBe(201)
    hub.clock.advance(2)
    const answer = await enroll(rest.key, 'line-2')
    expect(ended(answer)).toEqual([401, 'enrolment_key_expired'])
    expect(answer.headers.get('www-authenticate')).toBe('ApiKey')
    const signedIn = await hub.colleague(admin, 'admin')
    expect((await signedIn.call('GET', 'enrolment-keys')).body[0].status).toBe('expired')
  })

  it('of another agent is refused with 403, and that of this agent enrols it', async () => {
    const { admin } = await plant(hub)
    const { key } = await newKey(admin, { agent_id: 'line-1' })
    expect(ended(await enroll(key, 'line-2'))).toEqual([403, 'enrolment_key_of_other_agent'])
    expect((await enroll(key, 'line-1')).status).toBe(201)
  })

  it('opens nothing but the enrolment, and an API key opens everything but that', async () => {
    const { key: apiKey, admin } = await plant(hub)
    const { key } = await newKey(admin)
    expect(ended(await heartbeat(key))).toEqual([401, 'api_key_invalid'])
    expect(ended(await hub.call('GET', 'machines', undefined, { 'x-api-key': key }))).toEqual([401, 'api_key_invalid'])
    const answer = await enroll(apiKey)
    expect(ended(answer)).toEqual([401, 'enrolment_key_invalid'])
    expect(answer.body.detail).toContain('begins with he_')
    expect(ended(await hub.call('POST', 'agent/enroll', AGENT))).toEqual([401, 'enrolment_key_missing'])
  })

  it('shows before the exchange what it allows, and that changes nothing', async () => {
    const { admin } = await plant(hub)
    const { key } = await newKey(admin, { agent_id: 'line-1' })
    const { status, body } = await hub.call('GET', 'agent/enroll', undefined, { 'x-api-key': key })
    expect([status, body]).toMatchObject([200, { agent_id: 'line-1', mqtt_url: 'mqtt://127.0.0.1:1883' }])
    expect(Math.abs(Date.parse(body.time) - hub.clock.now().getTime())).toBeLessThan(60_000)
    expect((await enroll(key)).status).toBe(201)
  })

  it('that is deleted enrols no agent, and revokes a credential that was not used', async () => {
    const { admin } = await plant(hub)
    const [unused, exchanged] = [await newKey(admin), await newKey(admin)]
    const { credential } = (await enroll(exchanged.key)).body
    for (const { id } of [unused, exchanged]) expect((await admin.call('DELETE', `enrolment-keys/${id}`)).status).toBe(204)
    expect(ended(await enroll(unused.key))).toEqual([401, 'enrolment_key_invalid'])
    expect(ended(await heartbeat(credential))).toEqual([401, 'api_key_invalid'])
    expect(ended(await admin.call('DELETE', `enrolment-keys/${unused.id}`))).toEqual([404, 'enrolment_key_not_found'])
    expect((await enroll((await newKey(admin)).key)).status).toBe(201)
  })

  it('that is deleted after use leaves its agent enrolled', async () => {
    const { admin, credential, enrolmentKey } = await enrolled()
    await admin.call('DELETE', `enrolment-keys/${enrolmentKey.id}`)
    expect((await heartbeat(credential)).status).toBe(200)
  })

  it('is one of at most 1,000 unused keys of a tenant', async () => {
    const admin = await hub.admin()
    const soon = new Date(hub.clock.now().getTime() + 60_000)
    await hub.owner`
      insert into enrolment_keys (tenant_id, name, prefix, key_hash, expires_at, created_by)
      select ${admin.tenantId}, 'box', ${admin.tenantId} || n, '', ${soon}, ${admin.userId} from generate_series(1, 999) n`
    const answers = await Promise.all([1, 2, 3].map(() => admin.call('POST', 'enrolment-keys', { name: 'box' })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
    hub.clock.advance(61)
    expect((await admin.call('POST', 'enrolment-keys', { name: 'box' })).status).toBe(201)
  })

  it('that is unknown locks its address out after 10 attempts, from enrolling and not from signing in', async () => {
    const { admin } = await plant(hub)
    const { key } = await newKey(admin)
    const ip = '10.200.0.1'
    for (let i = 0; i < 10; i++) expect((await enroll(`${key.slice(0, -1)}!`, 'line-1', ip)).status).toBe(401)
    expect(ended(await enroll(key, 'line-1', ip))).toEqual([429, 'login_locked'])
    expect((await enroll(key, 'line-1', '10.200.0.2')).status).toBe(201)
    const login = { email: `${randomUUID()}@example.com`, password: 'x' }
    expect((await hub.call('POST', 'auth/login', login, {}, ip)).status).toBe(401)
    hub.clock.advance(901)
    expect((await enroll(key, 'line-1', ip)).status).toBe(201)
  })
})

describe('the exchange', () => {
  it('gives a credential that is valid at once, and whose first use uses up the key', async () => {
    const { admin } = await plant(hub)
    const { key } = await newKey(admin)
    const { status, body } = await enroll(key)
    expect([status, body]).toEqual([
      201,
      { agent_id: 'line-1', credential: expect.stringMatching(/^hk_/), created_at: expect.any(String) },
    ])
    expect((await heartbeat(body.credential)).body.mqtt.username).toBe(`${admin.tenantId}/line-1`)
    const again = await enroll(key)
    expect(ended(again)).toEqual([401, 'enrolment_key_used'])
    expect(again.body.detail).toContain('line-1')
    expect((await admin.call('GET', 'enrolment-keys')).body[0]).toMatchObject({ status: 'used', used_by_agent: 'line-1' })
    expect(await statusInFleet(admin)).toBe('enrolled')
  })

  it('can be repeated until the first use, each time with another credential that replaces the last', async () => {
    const { admin } = await plant(hub)
    const { key } = await newKey(admin)
    const lost = (await enroll(key)).body.credential
    const wrongName = (await enroll(key, 'line-7')).body.credential
    const { credential } = (await enroll(key)).body
    expect(ended(await heartbeat(lost))).toEqual([401, 'api_key_invalid'])
    expect(ended(await heartbeat(wrongName, 'line-7'))).toEqual([401, 'api_key_invalid'])
    expect((await heartbeat(credential)).status).toBe(200)
  })

  it('is refused for an agent with a credential, used or not, until an admin releases it', async () => {
    const { admin } = await plant(hub)
    const [first, second] = [await newKey(admin), await newKey(admin)]
    const { credential } = (await enroll(first.key)).body
    expect(ended(await enroll(second.key))).toEqual([409, 'agent_enrolled'])
    await heartbeat(credential)
    const refused = await enroll(second.key)
    expect(ended(refused)).toEqual([409, 'agent_enrolled'])
    expect(refused.body.detail).toContain('/api/v1/agent/fleet/line-1/release')
    expect((await release(admin)).status).toBe(204)
    expect(ended(await heartbeat(credential))).toEqual([401, 'api_key_invalid'])
    const { body } = await enroll(second.key)
    expect((await heartbeat(body.credential)).status).toBe(200)
  })

  it('of ten requests at once with one key leaves one credential that works', async () => {
    const { admin } = await plant(hub)
    const { key } = await newKey(admin)
    const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => enroll(key, `line-${i % 2}`)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    const uses = await Promise.all(answers.map(({ body }) => heartbeat(body.credential, body.agent_id)))
    expect(uses.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  it('of ten keys at once for one agent gives one credential', async () => {
    const { admin } = await plant(hub)
    const keys = await Promise.all(Array.from({ length: 10 }, () => newKey(admin)))
    const answers = await Promise.all(keys.map(({ key }) => enroll(key)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)])
  })

  it('gives the same agent_id in two tenants to two agents', async () => {
    const [one, other] = [await enrolled(), await enrolled()]
    expect((await release(one.admin)).status).toBe(204)
    expect((await heartbeat(other.credential)).status).toBe(200)
  })

  it('is in the audit trail, with the key, the host and no secret', async () => {
    const { admin, credential, enrolmentKey } = await enrolled()
    await release(admin)
    const { items } = (await admin.call('GET', 'audit-log?page_size=100')).body
    const of = (action: string) => items.find((entry: { action: string }) => entry.action === action)
    expect(of('agent.enrolled')).toMatchObject({
      actor: { kind: 'enrolment_key', id: enrolmentKey.id, name: 'box' },
      target: { type: 'agent', id: 'line-1' },
      after: { agent_version: '1.0.0' },
    })
    expect(of('enrolment_key.updated')).toMatchObject({ actor: { kind: 'api_key' }, after: { used_by_agent: 'line-1' } })
    expect(of('agent.released')).toMatchObject({ actor: { id: admin.userId }, target: { id: 'line-1' } })
    for (const secret of [credential, enrolmentKey.key]) expect(JSON.stringify(items)).not.toContain(secret.slice(12))
  })
})

describe('a credential', () => {
  it('is accepted only where the request names its agent', async () => {
    const { credential, identifier } = await enrolled()
    const as = (method: string, path: string, body?: object) => hub.call(method, path, body, { 'x-api-key': credential })
    const readings = [{ machine_identifier: identifier, metric_name: 't', unit: 'c', value: 1, timestamp: hub.clock.now() }]
    const check = (agent_id: string) => as('POST', 'agent/check', { agent_id, machine_identifiers: [] })
    const refused = [403, 'credential_of_other_agent']
    expect(ended(await heartbeat(credential, 'line-2'))).toEqual(refused)
    expect(ended(await check('line-2'))).toEqual(refused)
    expect(ended(await as('GET', 'agent/heartbeat'))).toEqual(refused)
    expect(ended(await as('GET', 'agent/heartbeat?agent_id=line-2'))).toEqual(refused)
    expect(ended(await as('POST', 'ingest', { readings }))).toEqual(refused)
    const other = await as('POST', 'ingest', { readings, agent_id: 'line-2' })
    expect(ended(other)).toEqual(refused)
    expect(other.body.detail).toContain('valid only for the agent line-1, not for line-2')
    expect((await check('line-1')).status).toBe(200)
    expect((await as('GET', 'agent/heartbeat?agent_id=line-1')).status).toBe(200)
    expect((await as('POST', 'ingest', { readings, agent_id: 'line-1' })).body.accepted_count).toBe(1)
    expect(ended(await as('GET', 'machines'))).toEqual([403, 'api_key_not_allowed'])
  })

  it('is listed among the API keys with its agent, and deleting it there releases the agent', async () => {
    const { admin, credential } = await enrolled()
    const pending = (await rotate(credential)).body.credential
    const listed = (await admin.call('GET', 'api-keys')).body.filter((key: { agent_id: string }) => key.agent_id === 'line-1')
    expect(listed.map((key: { is_active: boolean }) => key.is_active)).toEqual([true, true])
    expect((await admin.call('DELETE', `settings/api-keys/${listed[1].id}`)).status).toBe(204)
    for (const key of [credential, pending]) expect(ended(await heartbeat(key))).toEqual([401, 'api_key_invalid'])
    expect(await statusInFleet(admin)).toBe('released')
  })

  it('is rotated: the old one works until the new one is used, and never again after that', async () => {
    const { admin, credential } = await enrolled()
    const { status, body } = await rotate(credential)
    expect([status, body.agent_id]).toEqual([201, 'line-1'])
    expect((await heartbeat(credential)).status).toBe(200)
    expect((await heartbeat(body.credential)).status).toBe(200)
    expect(ended(await heartbeat(credential))).toEqual([401, 'api_key_invalid'])
    expect(ended(await rotate(credential))).toEqual([401, 'api_key_invalid'])
    expect(await statusInFleet(admin)).toBe('enrolled')
  })

  it('whose successor was lost on its way is rotated again', async () => {
    const { credential } = await enrolled()
    const lost = (await rotate(credential)).body.credential
    const next = (await rotate(credential)).body.credential
    expect(ended(await heartbeat(lost))).toEqual([401, 'api_key_invalid'])
    expect((await heartbeat(next)).status).toBe(200)
  })

  it('and its successor, both used at once by two programs, leave one that works', async () => {
    const { credential } = await enrolled()
    const next = (await rotate(credential)).body.credential
    await Promise.all([...Array(5)].flatMap(() => [heartbeat(credential), heartbeat(next), rotate(credential)]))
    const works = await Promise.all([credential, next].map(async (key) => (await heartbeat(key)).status))
    expect(works.filter((status) => status === 200)).toHaveLength(1)
  })

  it('is not renewed for a plain API key', async () => {
    const { key } = await plant(hub)
    expect(ended(await rotate(key))).toEqual([403, 'credential_required'])
  })

  it('counts the requests of its agent together with those of the one before', async () => {
    const { credential } = await enrolled()
    const left = ({ headers }: Answer) => Number(headers.get('x-ratelimit-remaining'))
    const before = left(await heartbeat(credential))
    const next = (await rotate(credential)).body.credential
    expect(left(await heartbeat(next))).toBe(before - 2)
  })
})

describe('a plain API key', () => {
  it('cannot report as an agent whose credential is in use, only as others and after its release', async () => {
    const { admin, key } = await plant(hub)
    const { credential } = (await enroll((await newKey(admin)).key)).body
    // An exchange under a wrong agent_id stops no agent: nobody has used the credential.
    expect((await heartbeat(key)).status).toBe(200)
    expect((await heartbeat(credential)).status).toBe(200)
    expect(ended(await heartbeat(key))).toEqual([403, 'credential_required'])
    const other = await hub.call('POST', 'agent/heartbeat', { ...AGENT, agent_id: 'line-2' }, { 'x-api-key': key })
    expect(other.status).toBe(200)
    // nor can it fetch what that agent is ordered to install
    const path = `agent/releases/1.0.0/linux-amd64?agent_id=${AGENT.agent_id}`
    expect(ended(await hub.call('GET', path, undefined, { 'x-api-key': key }))).toEqual([403, 'credential_required'])
    expect(ended(await hub.call('GET', path, undefined, { 'x-api-key': credential }))).toEqual([403, 'update_not_ordered'])
    await release(admin)
    expect((await heartbeat(key)).status).toBe(200)
  })
})

describe('releasing an agent', () => {
  it('shows it as released, enrolled again as enrolled, and one with an API key as such', async () => {
    const { admin, key } = await enrolled()
    expect(await statusInFleet(admin)).toBe('enrolled')
    await Promise.all([release(admin), release(admin), release(admin)])
    expect(await statusInFleet(admin)).toBe('released')
    expect((await heartbeat(key)).status).toBe(200)
    expect(await statusInFleet(admin)).toBe('api_key')
    const { credential } = (await enroll((await newKey(admin)).key)).body
    expect(await statusInFleet(admin)).toBe('enrolled')
    expect((await heartbeat(credential)).status).toBe(200)
  })

  it('lets another computer take over its agent_id at once', async () => {
    const { admin } = await plant(hub)
    const report = (key: string) =>
      hub.call('POST', 'agent/heartbeat', { ...AGENT, instance_id: randomUUID() }, { 'x-api-key': key })
    const { credential } = (await enroll((await newKey(admin)).key)).body
    expect((await report(credential)).status).toBe(200)
    await release(admin)
    const next = (await enroll((await newKey(admin)).key)).body.credential
    expect((await report(next)).status).toBe(200)
  })

  it('is refused for an unknown agent with 404, and changes nothing for one with an API key', async () => {
    const { admin, key } = await plant(hub)
    expect(ended(await release(admin))).toEqual([404, 'agent_not_found'])
    await heartbeat(key)
    expect((await release(admin)).status).toBe(204)
    expect((await heartbeat(key)).status).toBe(200)
    const { items } = (await admin.call('GET', 'audit-log?action=agent.released')).body
    expect(items).toEqual([])
  })
})

describe('old enrolments', () => {
  it('a credential that is not used within 7 days is revoked; one in use stays', async () => {
    const { admin, credential } = await enrolled()
    const used = async () => (await heartbeat(credential)).status
    const unused = (await rotate(credential)).body.credential
    const purgeIn = (days: number) =>
      purgeEnrolments(hub.deps.pools.system, new Date(hub.clock.now().getTime() + days * 86_400_000))
    const isActive = async () =>
      (
        await hub.owner<{ is_active: boolean }[]>`
          select is_active from api_keys where tenant_id = ${admin.tenantId} and agent_id is not null and activated_at is null`
      ).map(({ is_active }) => is_active)
    await purgeIn(6.9)
    expect(await isActive()).toEqual([true])
    await purgeIn(7.1)
    expect([await isActive(), await used()]).toEqual([[false], 200])
    expect((await heartbeat(unused)).status).toBe(401)
  })

  it('are deleted after 30 days, and the agent stays released', async () => {
    const { admin, credential, enrolmentKey } = await enrolled()
    const next = (await rotate(credential)).body.credential
    await heartbeat(next)
    await release(admin)
    const rows = async () => [
      (await hub.owner`select from api_keys where tenant_id = ${admin.tenantId} and agent_id = 'line-1'`).length,
      (await hub.owner`select from enrolment_keys where id = ${enrolmentKey.id}`).length,
    ]
    const purgeIn = (days: number) =>
      purgeEnrolments(hub.deps.pools.system, new Date(hub.clock.now().getTime() + days * 86_400_000))
    await purgeIn(29.9)
    expect(await rows()).toEqual([2, 1])
    await purgeIn(31.1)
    expect(await rows()).toEqual([0, 0])
    expect(await statusInFleet(admin)).toBe('released')
  })
})
