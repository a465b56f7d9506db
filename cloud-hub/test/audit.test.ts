import { describe, expect, it } from 'vitest'
import { PASSWORD, plant, useHub } from './harness.ts'
import { soon } from './soon.ts'

const hub = useHub()

/** Tenant-owned tables that the trail does not follow, each with its reason. */
const NOT_AUDITED: Record<string, string> = {
  sessions: 'noted as events: signed in, signed out',
  refresh_tokens: 'part of a session',
  one_time_tokens: 'part of a sign-in, an invitation or a reset, which are noted',
  mfa_secrets: 'noted at the user: mfa_enabled',
  recovery_codes: 'part of a sign-in',
  sso_identities: 'part of a sign-in',
  sso_logins: 'part of a sign-in',
  series: 'comes with readings',
  anomaly_events: 'judged, not changed by a person',
  machine_latest: 'comes with readings',
  reading_arrivals: 'comes with readings',
  reading_tail: 'comes with readings',
  reading_blocks: 'comes with readings',
  reading_blocks_open: 'comes with readings',
  reading_hours: 'comes with readings',
  reading_minutes: 'comes with readings',
  reading_key_tail: 'comes with readings',
  reading_key_pages: 'comes with readings',
  reading_key_filters: 'comes with readings',
  baselines: 'computed from readings',
  machine_predictions: 'computed from readings',
  prediction_series: 'computed from readings',
  prediction_history: 'computed from readings',
  composite_conditions: 'judged, not changed by a person',
  threshold_conditions: 'judged, not changed by a person',
  agents: 'telemetry',
  agent_connections: 'state of running hubs',
  agent_dictionaries: 'telemetry',
  agent_rollouts: 'noted as events: rollout.created, paused, resumed, cancelled',
  agent_rollout_agents: 'telemetry',
  data_gaps: 'telemetry',
  agent_sources: 'counts the changes of ingest_sources',
  alert_history: 'is itself a trail',
  escalations: 'noted in alert_history',
  deliveries: 'follow from alerts',
  delivery_attempts: 'follow from alerts',
  delivery_windows: 'follow from alerts',
  report_turns: 'follow from the schedule, which is noted at the user',
  mails: 'follow from what is noted',
  attachment_deletions: 'follow from deleted attachments',
  attachment_uploads: 'become attachments, which are noted',
  certificates: 'only a reference number, made with the first certificate',
  downtime_figures: 'computed from downtime_records',
  downtime_rollups: 'computed from downtime records',
  deleted_resources: 'follow from deletions, which are noted',
  signoff_chains: 'follow from sign-offs',
  work_messages: 'follow from what is noted',
  work_order_history: 'is itself a trail',
  work_reminders: 'follow from the clock',
  erp_backfills: 'progress of the ERP exchange',
  erp_changes: 'follow from changes of records, which are noted',
  erp_records: 'what an ERP accepted; its attempts are in erp_sync_logs',
  erp_runs: 'a sync by hand is noted as an event',
  erp_sync_logs: 'is itself a trail',
  shift_log_oee: 'computed from shift logs, downtime and counters',
  shift_oee_days: 'computed from shift logs, downtime and counters',
  machine_oee_days: 'computed from shift logs, downtime and counters',
  oee_rollups: 'computed from shift logs, downtime and counters',
  oee_changes: 'follow from what is noted, or from readings',
  shift_log_runs: 'follow from the clock',
  signal_changes: 'follow from readings',
  idempotent_requests: 'repeat what is noted',
  tenant_usage: 'counts rows of other tables',
  audit_log: 'the trail itself',
}

describe('the audit trail', () => {
  it('covers every table of a tenant, except those that the test lists with a reason', async () => {
    const rows = await hub.owner<{ name: string; followed: boolean }[]>`
      select c.relname as name, exists (select from pg_trigger t where t.tgrelid = c.oid and t.tgname = 'note_change') as followed
      from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and
        (c.relname = 'tenants' or exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id'))`
    const forgotten = rows.filter((r) => !r.followed && !NOT_AUDITED[r.name]).map((r) => r.name)
    expect(forgotten).toEqual([])
    expect(rows.filter((r) => r.followed && NOT_AUDITED[r.name])).toEqual([])
  })

  it('tells who changed what, from where, and what it was before', async () => {
    const { admin, machine } = await plant(hub)
    const operator = await hub.colleague(admin, 'operator')
    const email = (await operator.call('GET', 'auth/me')).body.email
    await operator.call('PATCH', `machines/${machine.id}`, { name: 'Press 2' }, { 'x-request-id': 'req-7' })
    const { body } = await admin.call('GET', `audit-log?target_id=${machine.id}`)
    expect(body.pagination).toEqual({ total: 2, page: 1, page_size: 20 })
    expect(body.items[0]).toEqual({
      id: expect.any(String),
      at: expect.any(String),
      actor: { kind: 'user', id: operator.userId, name: email },
      action: 'machine.updated',
      target: { type: 'machine', id: machine.id, name: 'Press 2' },
      before: { name: 'Press 1' },
      after: { name: 'Press 2' },
      ip: expect.stringMatching(/^10\./),
      request_id: 'req-7',
    })
    expect(body.items[1]).toMatchObject({ action: 'machine.created', before: null, after: { name: 'Press 1' } })
  })

  it('shows secrets as ***', async () => {
    const admin = await hub.admin()
    const { id, key } = await hub.apiKey(admin)
    await admin.call('POST', 'users', { email: `${id}@example.com`, password: PASSWORD, full_name: 'U', role: 'viewer' })
    await admin.call('POST', 'notification-channels', {
      name: 'hook',
      channel_type: 'webhook',
      config: { url: 'https://example.com/', signing_secret: 'whsec_dGhpcyBpcyBhIHNlY3JldCBmb3IgdGVzdHM=' },
    })
    const { body } = await admin.call('GET', 'audit-log?page_size=100')
    const text = JSON.stringify(body)
    expect(text).not.toContain(key)
    expect(text).not.toContain('argon2')
    expect(text).not.toContain('whsec_')
    const after = (action: string) => body.items.find((e: { action: string }) => e.action === action).after
    expect(after('api_key.created').key_hash).toBe('***')
    expect(after('user.created').password_hash).toBe('***')
    expect(after('notification_channel.created').sealed_config).toBe('***')
  })

  it('records neither readings nor automatic evaluations', async () => {
    const { admin, key, identifier } = await plant(hub)
    await admin.call('POST', 'alert-rules', { metric_name: 'temperature', warning_threshold: 1, critical_threshold: 2 })
    const before = (await admin.call('GET', 'audit-log')).body.pagination.total
    await hub.send(key, [{ machine: identifier, value: 5 }])
    expect((await admin.call('GET', 'audit-log')).body.pagination.total).toBe(before)
    const alert = (await admin.call('GET', 'alerts')).body.items[0]
    await admin.call('POST', `alerts/${alert.id}/acknowledge`)
    const { items } = (await admin.call('GET', `audit-log?target_type=alert`)).body
    expect(items).toMatchObject([{ action: 'alert.updated', after: { acknowledged_by: admin.userId } }])
  })

  it('filters by actor, action, target and time, and pages', async () => {
    const { admin, machine } = await plant(hub)
    const total = async (query: string) => (await admin.call('GET', `audit-log?${query}`)).body.pagination?.total
    expect(await total(`actor_id=${admin.userId}&action=machine.created`)).toBe(1)
    expect(await total('action=machine.')).toBe(1)
    expect(await total('action=machine')).toBe(0)
    expect(await total(`target_type=machine&target_id=${machine.id}`)).toBe(1)
    expect(await total('actor_id=nobody')).toBe(0)
    expect(await total('start=2020-01-01&end=2020-12-31')).toBe(0)
    expect(await total('start=2020-01-01')).toBeGreaterThan(1)
    expect((await admin.call('GET', 'audit-log?start=2021-01-01&end=2020-01-01')).status).toBe(422)
    const [first, second] = await Promise.all(
      [1, 2].map(async (page) => (await admin.call('GET', `audit-log?page_size=1&page=${page}`)).body.items[0].id),
    )
    expect(first).not.toBe(second)
  })

  it('is read by admins of the tenant only', async () => {
    const { admin, machine } = await plant(hub)
    const [operator, stranger] = [await hub.colleague(admin, 'operator'), await hub.admin()]
    expect((await operator.call('GET', 'audit-log')).status).toBe(403)
    expect((await stranger.call('GET', `audit-log?target_id=${machine.id}`)).body.items).toEqual([])
  })

  it('can be changed by no role that the hub plays', async () => {
    const { admin } = await plant(hub)
    for (const statement of [
      'delete from audit_log',
      "update audit_log set action = 'x'",
      'truncate audit_log',
      "insert into audit_log (tenant_id, at, actor_kind, action, target_type) values (gen_random_uuid(), now(), 'user', 'x', 'x')",
    ])
      await expect(hub.deps.pools.system.unsafe(statement)).rejects.toThrow(/permission denied/)
    expect((await admin.call('GET', 'audit-log')).body.pagination.total).toBeGreaterThan(0)
  })
})

describe('security events', () => {
  const refused = { action: 'access.refused' }
  const security = async (admin: { call: Awaited<ReturnType<typeof hub.admin>>['call'] }, query = '') =>
    (await admin.call('GET', `audit-log?kind=security&page_size=100${query}`)).body.items as Record<string, unknown>[]
  const refusals = async (admin: Awaited<ReturnType<typeof hub.admin>>) =>
    (await security(admin)).filter(({ action }) => action === refused.action)

  it('are sign-ins, passwords, keys and roles, and no other changes', async () => {
    const { admin, machine } = await plant(hub)
    await admin.call('PATCH', `machines/${machine.id}`, { name: 'Press 2' })
    const viewer = await hub.colleague(admin, 'viewer')
    await admin.call('PATCH', `users/${viewer.userId}`, { full_name: 'Another name' })
    await admin.call('PUT', `users/${viewer.userId}/role`, { role: 'operator' })
    const { id } = await hub.apiKey(admin)
    await admin.call('POST', 'settings/roles', { name: 'Night shift', base_tier: 'viewer' })
    const events = await security(admin)
    const actions = events.map(({ action }) => action as string)
    expect(actions).toEqual(expect.arrayContaining(['api_key.created', 'role.created', 'user.signed_in', 'user.registered']))
    expect(actions.filter((action) => action.startsWith('machine'))).toEqual([])
    expect(events.filter(({ action }) => action === 'user.updated').map(({ after }) => after)).toEqual([{ role: 'operator' }])
    expect((await security(admin, `&target_id=${id}`)).map(({ action }) => action)).toEqual(['api_key.created'])
  })

  it('include refusals of a known tenant once for each actor, reason and hour; the default answer stays without them', async () => {
    const admin = await hub.admin()
    const viewer = await hub.colleague(admin, 'viewer')
    for (let i = 0; i < 3; i++) expect((await viewer.call('GET', 'audit-log')).status).toBe(403)
    await soon(async () => expect(await refusals(admin)).toHaveLength(1))
    expect((await refusals(admin))[0]).toMatchObject({
      actor: { kind: 'user', id: viewer.userId },
      after: { reason: 'role_insufficient', path: '/audit-log' },
    })
    hub.clock.advance(61)
    const operator = await hub.colleague(admin, 'operator')
    await viewer.call('GET', 'audit-log')
    await operator.call('GET', 'audit-log')
    await soon(async () => expect(await refusals(admin)).toHaveLength(2))
    const actors = (await refusals(admin)).map(({ actor }) => (actor as { id: string }).id)
    expect(new Set(actors)).toEqual(new Set([viewer.userId, operator.userId]))
    const { body } = await admin.call('GET', 'audit-log?page_size=100')
    expect(body.items.filter(({ action }: { action: string }) => action === refused.action)).toEqual([])
    expect((await admin.call('GET', 'audit-log?action=access.refused')).body.items).toHaveLength(2)
    expect((await viewer.call('GET', 'audit-log?kind=security')).status).toBe(403)
    expect((await admin.call('GET', 'audit-log?kind=other')).status).toBe(422)
  })

  it('name the revoked API key, the used-up session and the key that is no user', async () => {
    const admin = await hub.admin()
    const { id, key } = await hub.apiKey(admin)
    const ingest = () => hub.call('POST', 'ingest', { readings: [] }, { 'x-api-key': key })
    expect((await hub.call('GET', 'machines', undefined, { 'x-api-key': key })).status).toBe(403)
    await admin.call('DELETE', `settings/api-keys/${id}`)
    expect((await ingest()).status).toBe(401)
    const viewer = await hub.colleague(admin, 'viewer')
    await admin.call('PATCH', `users/${viewer.userId}`, { is_active: false })
    expect((await viewer.call('GET', 'machines')).status).toBe(401)
    await soon(async () =>
      expect(
        (await refusals(admin)).map(({ target, after }) => [(target as { id: string }).id, (after as { reason: string }).reason]),
      ).toEqual(
        expect.arrayContaining([
          [id, 'api_key_not_allowed'],
          [id, 'api_key_invalid'],
          [viewer.userId, 'token_invalid'],
        ]),
      ),
    )
  })
})
