import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { EXAMPLE_NOW, type ExampleTenant, makeExampleTenant } from './example-tenant.ts'
import { type TestUser, useHub } from './harness.ts'

const hub = useHub()

interface Changeable {
  /** two changes that differ in a field */
  one: object
  other: object
  /** what the operation refuses, whatever the version */
  invalid: object
  /** what the tenant needs first */
  prepare?: (tenant: ExampleTenant) => Promise<unknown>
}
const named = { one: { name: 'A' }, other: { name: 'B' }, invalid: { name: 7 } }
const sso = {
  provider_name: 'ID',
  client_id: 'haltless',
  client_secret: 'secret-0001',
  discovery_url: 'https://id.example.com',
  domain: `${randomUUID()}.example`,
}

/** Every PATCH and PUT of the API. */
const OPERATIONS: Record<string, Changeable> = {
  'PATCH /agent/fleet/{agent_id}': { one: { group_id: 'group_id' }, other: { group_id: 'site_id' }, invalid: { group_id: 7 } },
  'PUT /escalation-policies/{policy_id}': named,
  'PUT /composite-rules/{rule_id}': {
    ...named,
    prepare: async ({ ids }) => Object.assign(ids, { rule_id: ids.composite_rule_id }),
  },
  'PUT /alert-rules/{rule_id}': {
    one: { warning_threshold: 4 },
    other: { warning_threshold: 3 },
    // only known when the rule is: checked within the transaction
    invalid: { warning_threshold: 7.1 },
  },
  'PUT /notification-channels/{channel_id}': { ...named, invalid: { config: { to_email: 'nobody' } } },
  'PATCH /erp/connections/{connection_id}': { ...named, invalid: { provider: 'erp_a' } },
  'PATCH /settings/profile': { one: { phone: '+49 1' }, other: { phone: '+49 2' }, invalid: { email: 'new@example.com' } },
  'PATCH /settings/email-notifications': {
    one: { prefs: { role_changed: false } },
    other: { prefs: { role_changed: true } },
    invalid: { prefs: { unknown: true } },
  },
  'PATCH /settings/security': { one: { require_mfa: false }, other: { require_mfa: false }, invalid: { require_mfa: 7 } },
  'PATCH /settings/report-schedule': {
    one: { report_schedule: 'daily' },
    other: { report_schedule: 'weekly' },
    invalid: { report_schedule: 'hourly' },
  },
  'PATCH /settings/units': {
    one: { unit_preferences: { pressure: 'psi' } },
    other: { unit_preferences: { pressure: 'bar' } },
    invalid: { unit_preferences: { pressure: 'celsius' } },
  },
  'PATCH /auth/sso/config': {
    one: { provider_name: 'A' },
    other: { provider_name: 'B' },
    invalid: { discovery_url: 'https://other.example.com' },
    prepare: (given) => given.admin.call('POST', 'auth/sso/config', sso),
  },
  'PATCH /settings/roles/{key}': named,
  'PATCH /users/{user_id}': { one: { full_name: 'A' }, other: { full_name: 'B' }, invalid: { timezone: 'Mars' } },
  'PUT /users/{user_id}/role': { one: { role: 'operator' }, other: { role: 'viewer' }, invalid: { role: 'nobody' } },
  'PATCH /service-accounts/{service_account_id}': { ...named, invalid: { role: 'nobody' } },
  'PUT /machine-groups/{group_id}': { ...named, invalid: { parent_id: 'group_id' } },
  'PUT /machine-groups/{group_id}/members': {
    one: { machine_ids: [] },
    other: { machine_ids: ['machine_id'] },
    invalid: { machine_ids: 7 },
  },
  'PATCH /machines/{machine_id}': named,
  'PATCH /settings/predictions': {
    one: { narratives_enabled: true },
    other: { narratives_enabled: false },
    invalid: { narratives_enabled: 7 },
  },
  'PUT /machines/{machine_id}/downtime-detection': {
    one: { is_active: false, signal: 'silence', silent_after_seconds: 900 },
    other: { is_active: false, signal: 'silence', silent_after_seconds: 600 },
    invalid: { signal: 'level' },
  },
  'PUT /machines/{machine_id}/downtime/{record_id}': {
    one: { reason_note: 'A' },
    other: { reason_note: 'B' },
    invalid: { started_at: '2026-01-31T11:00Z' },
  },
  'PATCH /settings/plant': { one: { time_zone: 'Europe/Berlin' }, other: { time_zone: 'UTC' }, invalid: { time_zone: 'Mars' } },
  'PUT /reason-codes/{code_id}': { one: { label: 'A' }, other: { label: 'B' }, invalid: { parent_id: 'code_id' } },
  'PUT /shifts/definitions/{definition_id}': named,
  'PATCH /shifts/logs/{log_id}': {
    one: { handover_notes: 'A' },
    other: { handover_notes: 'B' },
    invalid: { actual_end: '2020-01-01T00:00Z' },
  },
  'PUT /ingest-sources/{source_id}': { ...named, invalid: { host: 'no host' } },
  'PATCH /tag-mappings/{mapping_id}': {
    one: { standardized_name: 'a' },
    other: { standardized_name: 'b' },
    invalid: { standardized_name: 7 },
  },
  'PUT /checklists/{checklist_id}': named,
  'PATCH /notes/{note_id}': { one: { body: 'A' }, other: { body: 'B' }, invalid: { ends_at: '2020-01-01T00:00Z' } },
  'PUT /maintenance/{event_id}': {
    one: { title: 'A' },
    other: { title: 'B' },
    invalid: { scheduled_end: '2026-03-01T08:00Z' },
  },
  'PATCH /work-orders/{work_order_id}/instructions/{instruction_id}': {
    one: { title: 'A' },
    other: { title: 'B' },
    invalid: { attachment_id: randomUUID() },
  },
  'PATCH /work-orders/{work_order_id}': { one: { title: 'A' }, other: { title: 'B' }, invalid: { assigned_to: randomUUID() } },
}
const operations = Object.entries(OPERATIONS)

let tenant: ExampleTenant
beforeAll(async () => {
  hub.clock.advance((EXAMPLE_NOW.getTime() - hub.clock.now().getTime()) / 1_000)
  tenant = await makeExampleTenant(hub, `m-${randomUUID()}`)
})

/** One for each test: what a person may send in a minute is limited. */
let admin: TestUser
beforeEach(async () => {
  admin = await hub.colleague(tenant.admin, 'admin')
})

/** Names of ids become the ids. */
const withIds = (value: object, { ids }: ExampleTenant) =>
  JSON.parse(JSON.stringify(value), (_, inner) => (typeof inner === 'string' && ids[inner]) || inner)

/** Sends a change as the admin. @param version in quotes, or `*`; without it nothing is sent */
async function changing(name: string) {
  const given = OPERATIONS[name] as Changeable
  const own = { ...tenant, ids: { ...tenant.ids } }
  await given.prepare?.(own)
  const [method = '', path = ''] = name.split(' ')
  const route = path.slice(1).replace(/\{(\w+)\}/g, (_, id: string) => own.ids[id] as string)
  const send = (body: object, version?: string) =>
    admin.call(method, route, withIds(body, own), version === undefined ? {} : { 'if-match': version })
  return { ...given, send }
}
const quoted = (version: string) => `"${version}"`

describe('every record that people change', () => {
  it('has a version: no PATCH and no PUT lacks If-Match', () => {
    const changes = hub.routes.filter(({ spec }) => ['patch', 'put'].includes(spec.method))
    const name = ({ spec }: (typeof changes)[number]) => `${spec.method.toUpperCase()} ${spec.path}`
    expect(changes.map(name).sort()).toEqual(Object.keys(OPERATIONS).sort())
    expect(changes.filter(({ spec }) => !spec.changes).map(name)).toEqual([])
  })

  it.each(operations)('%s changes what has the version of If-Match, and refuses what has another', async (name) => {
    const { send, one, other } = await changing(name)
    const first = (await send(one)).body.version
    expect(first).toMatch(/^[\w-]{16}$/)
    const refused = await send(other, '"kJ3vX0cQm1Zt8yPd"')
    expect(refused).toMatchObject({ status: 412, body: { code: 'changed_meanwhile' } })
    const changed = await send(other, `"kJ3vX0cQm1Zt8yPd", ${quoted(first)}`)
    expect(changed).toMatchObject({ status: 200 })
    if (name === 'PATCH /settings/security') return
    expect(changed.body.version).not.toBe(first)
    expect((await send(one, quoted(first))).status).toBe(412)
    expect((await send(one, `W/${quoted(changed.body.version)}`)).status).toBe(412)
    expect((await send(one, '*')).status).toBe(200)
  })

  it.each(operations)('%s says what is wrong with a change before it compares versions', async (name) => {
    const { send, one, invalid } = await changing(name)
    const status = (await send(invalid)).status
    expect(status).toBeGreaterThanOrEqual(400)
    expect((await send(invalid, '"kJ3vX0cQm1Zt8yPd"')).status).toBe(status)
    for (const malformed of ['kJ3vX0cQm1Zt8yPd', '"open', '', '"a" "b"'])
      expect((await send(one, malformed)).body.errors?.[0]).toMatchObject({ path: 'header.if-match' })
  })

  it.each(operations.filter(([name]) => name !== 'PATCH /settings/security'))(
    '%s makes one of two changes that are sent at once',
    async (name) => {
      const { send, one, other } = await changing(name)
      await send(one)
      const { version } = (await send(other)).body
      const answers = await Promise.all([send(one, quoted(version)), send(one, quoted(version))])
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412])
    },
  )
})

describe('the version of a record', () => {
  const get = async (path: string) => (await admin.call('GET', path)).body
  const id = (name: string) => tenant.ids[name] as string

  it('stands in lists, trees and answers to one alike', async () => {
    const [list, tree, one] = [
      await get('machine-groups'),
      await get('machine-groups/tree'),
      await get(`machine-groups/${id('group_id')}`),
    ]
    const of = (groups: { id: string; version: string }[]) => groups.find((group) => group.id === id('group_id'))?.version
    expect([of(list), of(tree)]).toEqual([one.version, one.version])
    expect(one.version).toMatch(/^[\w-]{16}$/)
    const machine = await get(`machines/${id('machine_id')}`)
    const { items } = await get('machines')
    expect(items.find((other: { id: string }) => other.id === machine.id).version).toBe(machine.version)
  })

  it.each<[string, (t: ExampleTenant) => string, (t: ExampleTenant) => Promise<unknown>]>([
    [
      'the status of a machine',
      ({ ids }) => `machines/${ids.machine_id}`,
      ({ ids }) => hub.owner`update machines set status = 'critical', updated_at = now() where id = ${ids.machine_id as string}`,
    ],
    [
      'what an agent reports',
      () => 'agent/fleet',
      ({ key }) => hub.call('POST', 'agent/heartbeat', { agent_id: 'line-5', agent_version: '0.3.0' }, { 'x-api-key': key }),
    ],
    [
      'a run of an ERP connection',
      ({ ids }) => `erp/connections/${ids.connection_id}`,
      ({ ids }) =>
        hub.owner`update erp_connections set last_sync_at = now(), last_sync_status = 'failed' where id = ${ids.connection_id as string}`,
    ],
    [
      'a poll of a source',
      () => 'ingest-sources',
      ({ ids }) =>
        hub.owner`update ingest_sources set last_polled_at = now(), last_error = 'away' where id = ${ids.source_id as string}`,
    ],
    [
      'a sign-in of a user',
      () => 'users',
      ({ admin }) => hub.owner`update users set last_login_at = now() where tenant_id = ${admin.tenantId}`,
    ],
    [
      'a sign-off or comment of a work order',
      ({ ids }) => `work-orders/${ids.work_order_id}`,
      ({ ids }) => hub.owner`update work_orders set updated_at = now() where id = ${ids.work_order_id as string}`,
    ],
    [
      'the end of an automatic shift log',
      ({ ids }) => `shifts/logs?machine_id=${ids.machine_id}`,
      ({ ids }) =>
        hub.owner`update shift_logs set actual_end = automatic_end, status = 'completed' where id = ${ids.log_id as string}`,
    ],
    [
      'where detection moves the ends of a stop',
      ({ ids }) => `machines/${ids.machine_id}/downtime`,
      ({ ids }) =>
        hub.owner`update downtime_records set started_at = started_at - interval '1 minute', ended_at = ended_at + interval '1 minute'
        where machine_id = ${ids.machine_id as string} and source = 'automatic'`,
    ],
  ])('is not moved by %s', async (_, path, work) => {
    await hub.owner`update shift_logs set automatic_end = actual_start + interval '8 hours' where id = ${id('log_id')} and status = 'active'`
    await hub.owner`update downtime_records set source = 'automatic', edited_at = null, created_by = null where id = ${id('record_id')}`
    const versions = async () => JSON.stringify(await get(path(tenant))).match(/"version":"[^"]*"/g)
    const before = await versions()
    const text = JSON.stringify(await get(path(tenant)))
    await work(tenant)
    expect(JSON.stringify(await get(path(tenant)))).not.toBe(text)
    expect(before?.length).toBeGreaterThan(0)
    expect(await versions()).toEqual(before)
  })

  it('is moved by a secret that answers do not show, and by members of a group', async () => {
    const path = `erp/connections/${id('connection_id')}`
    const before = await get(path)
    const { body } = await admin.call('PATCH', path, { config: { password: 'secret-0002' } })
    expect(body.config).toEqual(before.config)
    expect(body.version).not.toBe(before.version)
    const group = await get(`machine-groups/${id('group_id')}`)
    const other = await hub.machine(tenant.admin)
    await admin.call('PUT', `machine-groups/${group.id}/members`, { machine_ids: [other.id] })
    expect((await get(`machine-groups/${group.id}`)).version).not.toBe(group.version)
  })

  it('refuses a change where somebody has deleted the record: 404 as ever', async () => {
    const { body } = await admin.call('POST', 'checklists', { name: 'Gone', steps: [{ title: 'x' }] })
    await admin.call('DELETE', `checklists/${body.id}`)
    const answer = await admin.call('PUT', `checklists/${body.id}`, { name: 'X' }, { 'if-match': quoted(body.version) })
    expect(answer).toMatchObject({ status: 404, body: { code: 'checklist_not_found' } })
  })
})
