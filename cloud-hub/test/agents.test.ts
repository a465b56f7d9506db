import { randomUUID } from 'node:crypto'
import { fault, topicPrefix } from '@haltless/protocol'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { describe, expect, it } from 'vitest'
import { plant, type TestUser, useHub } from './harness.ts'

const hub = useHub({ LATEST_AGENT_VERSION: '1.4.0', MIN_SUPPORTED_VERSION: '1.2.0', HEARTBEAT_SECONDS: '30' })
const REPORT = { agent_id: 'line-1', agent_version: '1.4.0' }

const check = (key: string, query = '') => hub.call('GET', `agent/heartbeat${query}`, undefined, { 'x-api-key': key })
const report = (key: string, values: Record<string, unknown> = {}) =>
  hub.call('POST', 'agent/heartbeat', { ...REPORT, ...values }, { 'x-api-key': key, host: 'hub.example.com:8080' })
const subscription = (tenantId: string, status: string) =>
  hub.owner`update tenants set subscription_status = ${status} where id = ${tenantId}`
const DIRECTIVES = {
  status: 'ok',
  next_check_seconds: 30,
  latest_agent_version: '1.4.0',
  min_supported_version: '1.2.0',
  update_available: false,
  unsupported: false,
  wire_versions: [1, 2],
}

describe('GET /agent/heartbeat', () => {
  it('tells what the hub wants, and asks for an API key', async () => {
    const { admin, key } = await plant(hub)
    expect(await check(key)).toMatchObject({ status: 200, body: DIRECTIVES })
    expect((await check('hk_00000000_wrong')).status).toBe(401)
    expect((await hub.call('GET', 'agent/heartbeat')).status).toBe(401)
    expect((await admin.call('GET', 'agent/heartbeat')).status).toBe(401)
    expect((await admin.call('GET', 'agent/fleet')).body).toEqual({ agents: [], total: 0 })
  })

  it.each([
    ['1.4.0', false, false],
    ['1.10.0', false, false],
    ['2.0.0', false, false],
    ['1.3.9', true, false],
    ['1.2.0', true, false],
    ['1.1.99', true, true],
    ['0.9.0', true, true],
    ['1.3.0-beta.2', true, false],
    ['1.4.0-rc.1', true, false],
    ['1.2.0-rc.1', true, true],
    ['v1.1.0', false, false],
    ['1.1', false, false],
    ['1.1.0+build', false, false],
    ['99999999999999999999.0.0', false, false],
    ['unreadable', false, false],
  ])('says of version %s: update_available %s, unsupported %s', async (version, update_available, unsupported) => {
    const { key } = await plant(hub)
    const expected = { ...DIRECTIVES, update_available, unsupported }
    expect((await check(key, `?agent_version=${version}`)).body).toEqual(expected)
    expect((await report(key, { agent_version: version })).body).toMatchObject(expected)
  })

  it('refuses an empty version and one of 65 characters', async () => {
    const { key } = await plant(hub)
    expect((await check(key, '?agent_version=')).status).toBe(422)
    expect((await check(key, `?agent_version=${'1'.repeat(65)}`)).status).toBe(422)
  })
})

describe('POST /agent/check', () => {
  const checkMachines = (key: string, machine_identifiers: unknown) =>
    hub.call('POST', 'agent/check', { agent_id: 'line-1', machine_identifiers }, { 'x-api-key': key })

  it('says which machines exist and are active, in the given order, and what time the hub has', async () => {
    const { admin, key } = await plant(hub)
    const [active, inactive] = [await hub.machine(admin), await hub.machine(admin)]
    const stranger = await hub.machine(await hub.admin())
    await admin.call('PATCH', `machines/${inactive.id}`, { is_active: false })
    const of = ({ machine_identifier, id }: { machine_identifier: string; id: string }, status: string) => ({
      machine_identifier,
      machine_id: status === 'unknown' ? null : id,
      status,
    })
    const identifiers = [stranger, inactive, active].map(({ machine_identifier }) => machine_identifier)
    const { status, body } = await checkMachines(key, identifiers)
    expect([status, body]).toEqual([
      200,
      {
        time: expect.any(String),
        machines: [of(stranger, 'unknown'), of(inactive, 'inactive'), of(active, 'active')],
      },
    ])
    expect(Math.abs(Date.parse(body.time) - hub.clock.now().getTime())).toBeLessThan(60_000)
    expect((await checkMachines(key, [])).body.machines).toEqual([])
  })

  it('accepts 1,000 machines and not 1,001, and needs an API key', async () => {
    const { admin, key } = await plant(hub)
    const ids = (count: number) => Array.from({ length: count }, (_, i) => `m-${i}`)
    expect((await checkMachines(key, ids(1_000))).status).toBe(200)
    expect((await checkMachines(key, ids(1_001))).status).toBe(422)
    expect((await checkMachines(key, [''])).status).toBe(422)
    expect((await admin.call('POST', 'agent/check', { agent_id: 'a', machine_identifiers: [] })).status).toBe(401)
  })
})

describe('POST /agent/heartbeat', () => {
  it('answers the directives and how to reach the broker, with a token that names tenant and agent for an hour', async () => {
    const { admin, key } = await plant(hub)
    const instance_id = randomUUID()
    const { status, body } = await report(key, { instance_id })
    expect(status).toBe(200)
    const { mqtt, time, ...directives } = body
    expect(Math.abs(Date.parse(time) - hub.clock.now().getTime())).toBeLessThan(5_000)
    expect(directives).toEqual(DIRECTIVES)
    const prefix = topicPrefix(admin.tenantId, 'line-1')
    expect(mqtt).toMatchObject({ url: 'mqtt://127.0.0.1:1883', username: `${admin.tenantId}/line-1`, topic_prefix: prefix })
    expect(decodeProtectedHeader(mqtt.password)).toMatchObject({ alg: 'ES256' })
    const claims = decodeJwt(mqtt.password)
    expect(claims).toMatchObject({ iss: 'haltless', sub: 'line-1', tid: admin.tenantId, iid: instance_id })
    expect((claims.exp as number) - (claims.iat as number)).toBe(3_600)
  })

  it.each(['past_due', 'canceled'])(
    'answers 402 with the specified body while the subscription is %s, and records all the same',
    async (status) => {
      const { admin, key, identifier } = await plant(hub)
      await subscription(admin.tenantId, status)
      const unpaid = { ...DIRECTIVES, status: 'payment_required' }
      for (const answer of [await check(key), await report(key)]) {
        expect(answer).toMatchObject({ status: 402, body: unpaid })
        expect(answer.body).toEqual(unpaid)
        expect(answer.headers.get('content-type')).toBe('application/json')
      }
      expect((await admin.call('GET', 'agent/fleet')).body.total).toBe(1)
      // readings go on
      expect((await hub.send(key, [{ machine: identifier, value: 1 }])).body).toMatchObject({ accepted_count: 1 })
      for (const paid of ['active', 'trialing']) {
        await subscription(admin.tenantId, paid)
        expect((await check(key)).status).toBe(200)
        expect((await report(key)).body).toHaveProperty('mqtt')
      }
    },
  )

  it.each([
    ['no agent_id', { agent_id: undefined }, 'agent_id'],
    ['an empty agent_id', { agent_id: '' }, 'agent_id'],
    ['an agent_id with a slash', { agent_id: 'a/b' }, 'agent_id'],
    ['an agent_id with a wildcard', { agent_id: '+' }, 'agent_id'],
    ['an agent_id with a space', { agent_id: 'line 1' }, 'agent_id'],
    ['an agent_id in other letters', { agent_id: 'línea' }, 'agent_id'],
    ['an agent_id with a line break', { agent_id: 'line-1\n' }, 'agent_id'],
    ['an agent_id of 65 characters', { agent_id: 'x'.repeat(65) }, 'agent_id'],
    ['no agent_version', { agent_version: undefined }, 'agent_version'],
    ['an empty agent_version', { agent_version: '' }, 'agent_version'],
    ['an agent_version of 65 characters', { agent_version: '1'.repeat(65) }, 'agent_version'],
    ['a negative uptime', { uptime_seconds: -1 }, 'uptime_seconds'],
    ['an uptime as text', { uptime_seconds: '1' }, 'uptime_seconds'],
    ['half a reading in the buffer', { buffer_count: 1.5 }, 'buffer_count'],
    ['a buffer below zero', { buffer_count: -1 }, 'buffer_count'],
    ['a buffer beyond counting', { buffer_count: 1e300 }, 'buffer_count'],
    ['a negative age', { buffer_age_hours: -0.1 }, 'buffer_age_hours'],
    ['collectors as a list', { collectors: ['opcua'] }, 'collectors'],
    ['a collector without a status', { collectors: { opcua: null } }, 'collectors.opcua'],
    ['a status of 1,001 characters', { collectors: { opcua: 'x'.repeat(1_001) } }, 'collectors.opcua'],
    [
      '201 collectors',
      { collectors: Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`c${i}`, 'running'])) },
      'collectors',
    ],
    ['a hostname of 256 characters', { hostname: 'x'.repeat(256) }, 'hostname'],
    ['a hostname with NUL', { hostname: 'a\0' }, 'hostname'],
    ['an instance_id that is no UUID', { instance_id: '1' }, 'instance_id'],
    ['dropped readings below zero', { dropped_count: -1 }, 'dropped_count'],
    ['half a dead letter', { dead_letter_count: 0.5 }, 'dead_letter_count'],
  ])('refuses %s', async (_name, values, path) => {
    const { admin, key } = await plant(hub)
    const answer = await report(key, values)
    expect(answer.status).toBe(422)
    expect(answer.body.errors.map((e: { path: string }) => e.path)).toEqual([`body.${path}`])
    expect((await admin.call('GET', 'agent/fleet')).body.total).toBe(0)
  })

  it('takes every agent_id of the permitted letters, up to 64', async () => {
    const { admin, key } = await plant(hub)
    const ids = ['a', '0', '-', '_', 'AZaz09_-', 'x'.repeat(64)]
    for (const agent_id of ids) expect((await report(key, { agent_id })).status).toBe(200)
    const fleet = (await admin.call('GET', 'agent/fleet')).body
    expect(new Set(fleet.agents.map((a: { agent_id: string }) => a.agent_id))).toEqual(new Set(ids))
  })

  it('without an API key is refused, with a Bearer token too', async () => {
    const { admin } = await plant(hub)
    expect((await admin.call('POST', 'agent/heartbeat', REPORT)).status).toBe(401)
    expect((await hub.call('POST', 'agent/heartbeat', REPORT)).status).toBe(401)
  })
})

describe('POST /agent/fleet/{agent_id}/requeue', () => {
  const group = {
    code: 'unknown_machine',
    reason: 'there is no active machine press-9',
    count: 7,
    first_at: '2026-01-01T00:00:00.000Z',
    last_at: '2026-01-02T00:00:00.000Z',
  }
  const fleet = async (admin: TestUser) => (await admin.call('GET', 'agent/fleet')).body.agents[0]

  it('requests once that an agent sends rejected readings again, until the agent reports that it did', async () => {
    const { admin, key } = await plant(hub)
    expect((await report(key, { dead_letter_count: 7, dead_letters: [group] })).body.requeue).toBeUndefined()
    expect(await fleet(admin)).toMatchObject({ dead_letter_count: 7, dead_letters: [group], requeue_requested_at: null })
    const request = () => admin.call('POST', 'agent/fleet/line-1/requeue')
    const [first, second] = await Promise.all([request(), request()])
    expect([first.status, second.status]).toEqual([202, 202])
    expect(second.body).toEqual(first.body)
    expect((await fleet(admin)).requeue_requested_at).toBe(first.body.requeue_requested_at)
    const { requeue } = (await report(key, { dead_letters: [group] })).body
    expect(requeue).toMatch(/^[0-9a-f-]{36}$/)
    expect((await report(key, { requeued: randomUUID() })).body.requeue).toBe(requeue)
    expect((await report(key, { requeued: requeue })).body.requeue).toBeUndefined()
    expect(await fleet(admin)).toMatchObject({ dead_letters: [], requeue_requested_at: null })
    const { status } = await request()
    expect(status).toBe(202)
    expect((await report(key, { requeued: requeue })).body.requeue).not.toBe(requeue)
  })

  it('is for admins of the tenant, is in the audit trail, and knows no other agents', async () => {
    const { admin, key } = await plant(hub)
    await report(key)
    const operator = await hub.colleague(admin, 'operator')
    expect((await operator.call('POST', 'agent/fleet/line-1/requeue')).status).toBe(403)
    const stranger = await hub.admin()
    for (const [user, id] of [[stranger, 'line-1'] as const, [admin, 'line-2'] as const, [admin, 'a b'] as const])
      expect((await user.call('POST', `agent/fleet/${encodeURIComponent(id)}/requeue`)).body.code).toBe('agent_not_found')
    await admin.call('POST', 'agent/fleet/line-1/requeue')
    const trail = (await admin.call('GET', 'audit-log?action=agent.requeue_requested')).body.items
    expect(trail).toMatchObject([{ action: 'agent.requeue_requested', target: { id: 'line-1' } }])
  })

  it('accepts 20 reasons of dead letters in a heartbeat, and not 21', async () => {
    const { key } = await plant(hub)
    expect((await report(key, { dead_letters: Array(20).fill(group) })).status).toBe(200)
    expect((await report(key, { dead_letters: Array(21).fill(group) })).status).toBe(422)
  })
})

describe('missed polls', () => {
  const span = (more: object = {}) => ({
    gap_id: randomUUID(),
    collector: 'opcua',
    machine_identifier: 'press',
    metric_name: null,
    unit: null,
    from: '2026-01-01T00:00:00.000Z',
    to: '2026-01-01T00:00:09.000Z',
    count: 10,
    reason: 'no_answer',
    ...more,
  })

  it('are listed once with the data gaps of their machine, and do not count as dropped readings', async () => {
    const { admin, key, machine } = await plant(hub)
    const { id, machine_identifier } = machine
    const missed = [
      span({ machine_identifier }),
      span({
        machine_identifier,
        metric_name: 'speed',
        unit: 'rpm',
        reason: 'no_value',
        from: '2026-01-01T00:00:01.000Z',
        count: 2,
      }),
    ]
    expect((await report(key, { missed })).status).toBe(200)
    expect((await report(key, { missed })).status).toBe(200)
    const { items } = (await admin.call('GET', `machines/${id}/data-gaps`)).body
    expect(items).toMatchObject([
      { collector: 'opcua', metric_name: 'speed', unit: 'rpm', reason: 'no_value', count: 2 },
      { collector: 'opcua', metric_name: null, unit: null, reason: 'no_answer', count: 10 },
    ])
    const range = 'start=2026-01-01T00:00:00Z&end=2026-01-01T01:00:00Z'
    expect((await admin.call('GET', `machines/${id}/summary?${range}`)).body.completeness_percent).toBe(100)
  })

  it.each([
    ['201 spans', { missed: Array.from({ length: 201 }, () => span()) }],
    [
      '201 collectors',
      { missed_polls: Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`c${i}`, { skipped: 1, failed: 0 }])) },
    ],
    ['a span of no polls', { missed: [span({ count: 0 })] }],
    ['an unknown reason', { missed: [span({ reason: 'disk_full' })] }],
  ])('are refused as %s', async (_, body) => {
    const { key } = await plant(hub)
    expect((await report(key, body)).status).toBe(422)
  })
})

describe('POST /agent/fleet/{agent_id}/retire', () => {
  const list = async (admin: TestUser, query = '') =>
    (await admin.call('GET', `agent/fleet${query}`)).body.agents.map((agent: { agent_id: string }) => agent.agent_id)

  it('takes an agent that is gone off the list until it reports again, and keeps its data gaps', async () => {
    const { admin, key } = await plant(hub)
    await report(key)
    const early = await admin.call('POST', 'agent/fleet/line-1/retire')
    expect(early).toMatchObject({ status: 409, body: { code: 'agent_online' } })
    expect(await list(admin)).toEqual(['line-1'])
    hub.clock.advance(121)
    for (let i = 0; i < 2; i++) expect((await admin.call('POST', 'agent/fleet/line-1/retire')).status).toBe(204)
    expect(await list(admin)).toEqual([])
    expect(await list(admin, '?retired=true')).toEqual(['line-1'])
    const trail = (await admin.call('GET', 'audit-log?action=agent.retired')).body.items
    expect(trail).toMatchObject([{ target: { id: 'line-1' } }])
    await report(key)
    expect(await list(admin)).toEqual(['line-1'])
    expect(await list(admin, '?retired=true')).toEqual([])
  })

  it('is for admins of the tenant, and knows no other agents', async () => {
    const { admin, key } = await plant(hub)
    await report(key)
    hub.clock.advance(121)
    const operator = await hub.colleague(admin, 'operator')
    expect((await operator.call('POST', 'agent/fleet/line-1/retire')).status).toBe(403)
    const stranger = await hub.admin()
    for (const [user, id] of [[stranger, 'line-1'] as const, [admin, 'line-2'] as const])
      expect((await user.call('POST', `agent/fleet/${id}/retire`)).body.code).toBe('agent_not_found')
    expect(await list(admin)).toEqual(['line-1'])
  })
})

describe('GET /agent/fleet', () => {
  it('shows every field of the last report, and only to admins', async () => {
    const { admin, key } = await plant(hub)
    const everything = {
      uptime_seconds: 12.5,
      clock_offset_ms: -3_600_000,
      buffer_count: 9_000_000_000,
      buffer_age_hours: 0.25,
      buffer_bytes: 5_000_000_000,
      buffer_capacity_bytes: 8_000_000_000,
      collectors: { opcua: 'running', 'modbus/line 2': 'reconnecting: connection refused' },
      hostname: 'edge-box',
      dropped_count: 3,
      dead_letter_count: 4,
      missed_polls: { opcua: { skipped: 3, failed: 7 } },
      source_clocks: { opcua: { ahead_ms: -10_800_000, is_used: false, is_exact: true } },
      collector_faults: { 'modbus/line 2': fault('connection_refused') },
    }
    await report(key, { ...everything, instance_id: randomUUID() })
    const { agents, total } = (await admin.call('GET', 'agent/fleet')).body
    expect(total).toBe(1)
    expect(agents[0]).toEqual({
      version: expect.any(String),
      ...REPORT,
      ...everything,
      group_id: null,
      group_name: null,
      buffer_full_in_hours: null,
      dead_letters: [],
      missed_poll_count: 10,
      requeue_requested_at: null,
      last_seen: expect.any(String),
      online: true,
      update_available: false,
      unsupported: false,
      credential: 'api_key',
      update: null,
      retired_at: null,
      conflict_at: null,
      conflict_hostname: null,
      sources: null,
    })
    expect(Math.abs(Date.parse(agents[0].last_seen) - hub.clock.now().getTime())).toBeLessThan(5_000)
    for (const role of ['operator', 'viewer'] as const)
      expect((await (await hub.colleague(admin, role)).call('GET', 'agent/fleet')).status).toBe(403)
    expect((await hub.call('GET', 'agent/fleet', undefined, { 'x-api-key': key })).status).toBe(403)
  })

  it('keeps a report whose faults break the rules, without these faults', async () => {
    const { admin, key } = await plant(hub)
    const refused = fault('connection_refused')
    const collectors = { press: 'reconnecting: connection refused', oven: 'reconnecting: connection refused', mill: 'running' }
    const collector_faults = { press: refused, oven: { ...refused, detail: 'x'.repeat(2_000) }, mill: refused }
    expect((await report(key, { collectors, collector_faults })).status).toBe(200)
    const [agent] = (await admin.call('GET', 'agent/fleet')).body.agents
    // that of a collector that runs is of an older text
    expect(agent).toMatchObject({ collectors, collector_faults: { press: refused } })
    expect(Object.keys(agent.collector_faults)).toEqual(['press'])
  })

  it('forecasts when a buffer is full from its growth, and nothing for one that drains, restarts or says nothing', async () => {
    const { admin, key } = await plant(hub)
    const forecast = async () => (await admin.call('GET', 'agent/fleet')).body.agents[0].buffer_full_in_hours
    const size = async (minutes: number, buffer_bytes?: number) => {
      hub.clock.advance(minutes * 60)
      await report(key, { buffer_bytes, buffer_capacity_bytes: 1_000_000 })
      return forecast()
    }
    expect(await size(0, 100_000)).toBeNull()
    expect(await size(1, 101_000)).toBeCloseTo(899_000 / 60_000, 1)
    expect(await size(1, 102_000)).toBeCloseTo(898_000 / 60_000, 1)
    // ten times the growth: after a minute 1/15 of the way to the new one, after an hour nearly all of it
    expect(await size(1, 112_000)).toBeGreaterThan(5)
    expect(await size(2, 132_000)).toBeLessThan(6)
    expect(await size(1, 1_000_000)).toBe(0)
    expect(await size(2, 0)).toBeNull()
    expect(await size(1)).toBeNull()
    expect(await size(1, 500_000)).toBeNull()
    expect(await size(1, 500_600)).toBeGreaterThan(1)
  })

  it('shows a full buffer as full, also one that no longer grows because it drops readings', async () => {
    const { admin, key } = await plant(hub)
    await report(key, { agent_id: 'full', buffer_bytes: 4_096, buffer_capacity_bytes: 4_096 })
    await report(key, { agent_id: 'nearly', buffer_bytes: 4_095, buffer_capacity_bytes: 4_096 })
    const { agents } = (await admin.call('GET', 'agent/fleet?sort_by=buffer_full_in_hours&sort_dir=asc')).body
    expect(agents.map((one: Record<string, unknown>) => [one.agent_id, one.buffer_full_in_hours])).toEqual([
      ['full', 0],
      ['nearly', null],
    ])
  })

  it('filters, searches and sorts', async () => {
    const { admin, key } = await plant(hub)
    await report(key, { agent_id: 'hall-10', buffer_count: 5, collectors: { press: 'running' } })
    await report(key, {
      agent_id: 'hall-9',
      hostname: 'Box-X',
      buffer_count: 7,
      agent_version: '1.0.0',
      collectors: { oven: 'reconnecting' },
    })
    await report(key, { agent_id: 'yard', collectors: { 'modbus/Line': 'running' } })
    const ids = async (query: string) =>
      (await admin.call('GET', `agent/fleet?${query}`)).body.agents.map((one: { agent_id: string }) => one.agent_id)
    expect(await ids('')).toEqual(['hall-9', 'hall-10', 'yard'])
    expect(await ids('search=HALL&sort_dir=desc')).toEqual(['hall-10', 'hall-9'])
    expect(await ids('search=box-x')).toEqual(['hall-9'])
    expect(await ids('search=modbus/line')).toEqual(['yard'])
    expect(await ids('has_faults=true')).toEqual(['hall-9'])
    expect(await ids('has_faults=false&update_available=false')).toEqual(['hall-10', 'yard'])
    expect(await ids('unsupported=true')).toEqual(['hall-9'])
    expect(await ids('sort_by=buffer_count')).toEqual(['hall-10', 'hall-9', 'yard'])
    expect(await ids('sort_by=buffer_count&sort_dir=desc')).toEqual(['hall-9', 'hall-10', 'yard'])
    expect(await ids('online=false')).toEqual([])
    hub.clock.advance(3_600 / 10)
    expect(await ids('online=false')).toEqual(['hall-9', 'hall-10', 'yard'])
    expect((await admin.call('GET', 'agent/fleet?sort_by=name')).status).toBe(422)
  })

  it('forgets what a later report leaves out, and sorts by id', async () => {
    const { admin, key } = await plant(hub)
    await report(key, { agent_id: 'b', uptime_seconds: 1, collectors: { opcua: 'running' }, hostname: 'box' })
    await report(key, { agent_id: 'a', agent_version: '1.0.0' })
    await report(key, { agent_id: 'b', agent_version: '1.3.0' })
    expect((await admin.call('GET', 'agent/fleet')).body).toMatchObject({
      total: 2,
      agents: [
        { agent_id: 'a', update_available: true, unsupported: true },
        { agent_id: 'b', uptime_seconds: null, collectors: {}, hostname: null, update_available: true, unsupported: false },
      ],
    })
  })

  it('calls an agent offline when nothing was heard of it for two heartbeats', async () => {
    const { admin, key } = await plant(hub)
    await report(key)
    const isOnline = async () => (await admin.call('GET', 'agent/fleet')).body.agents[0].online
    hub.clock.advance(58)
    expect(await isOnline()).toBe(true)
    hub.clock.advance(3)
    expect(await isOnline()).toBe(false)
    await report(key)
    expect(await isOnline()).toBe(true)
  })

  it('shows nothing of another tenant, where the same agent_id is another agent', async () => {
    const [one, two] = [await plant(hub), await plant(hub)]
    await report(one.key, { hostname: 'one', instance_id: randomUUID() })
    expect((await report(two.key, { hostname: 'two', instance_id: randomUUID() })).status).toBe(200)
    expect((await one.admin.call('GET', 'agent/fleet')).body).toMatchObject({ total: 1, agents: [{ hostname: 'one' }] })
    expect((await two.admin.call('GET', 'agent/fleet')).body).toMatchObject({ total: 1, agents: [{ hostname: 'two' }] })
  })
})

describe('an agent_id', () => {
  it('stays with its live holder: another instance gets 409, changes nothing, and is shown', async () => {
    const { admin, key } = await plant(hub)
    const [holder, copy] = [randomUUID(), randomUUID()]
    await report(key, { instance_id: holder, hostname: 'original' })
    const refused = await report(key, { instance_id: copy, hostname: 'copy', agent_version: '9.9.9' })
    expect(refused).toMatchObject({ status: 409, body: { code: 'agent_id_in_use', detail: expect.stringContaining('60 s') } })
    expect(refused.body).not.toHaveProperty('mqtt')
    const [agent] = (await admin.call('GET', 'agent/fleet')).body.agents
    expect(agent).toMatchObject({ hostname: 'original', agent_version: '1.4.0', conflict_hostname: 'copy' })
    expect(Math.abs(Date.parse(agent.conflict_at) - hub.clock.now().getTime())).toBeLessThan(5_000)
    expect((await report(key, { instance_id: holder })).status).toBe(200)
  })

  it('passes to another instance when its holder was not heard of for two heartbeats', async () => {
    const { key } = await plant(hub)
    const [holder, heir] = [randomUUID(), randomUUID()]
    await report(key, { instance_id: holder })
    hub.clock.advance(61)
    expect((await report(key, { instance_id: heir })).status).toBe(200)
    expect((await report(key, { instance_id: holder })).status).toBe(409)
  })

  it('of two instances that come at the same moment is given to one', async () => {
    const { key } = await plant(hub)
    const answers = await Promise.all(Array.from({ length: 8 }, () => report(key, { instance_id: randomUUID() })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)])
  })
})
