import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { beforeAll, describe, expect, it } from 'vitest'
import { apiDocument } from '../src/app.ts'
import type { Route } from '../src/support/http/route.ts'
import { PASSWORD, plant, type TestUser, useHub } from './harness.ts'
import { ensureRelease, PLATFORM, takesUpdates } from './support/agent-releases.ts'
import { storeErpRun } from './support/erp-rows.ts'
import { upload } from './upload.ts'
import { completedWork } from './work-record.ts'

const hub = useHub()

/** The specification's operations: `METHOD /path` to the access it asks for. */
const specified = new Map(
  readFileSync(path.join(import.meta.dirname, 'operations.tsv'), 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t') as [string, string, string])
    .map(([method, route, access]) => [`${method} ${route.replace('/api/v1', '').replace(/\{\w+\}/g, '{}')}`, access]),
)
/** What we added: each with the reason it exists. */
const OURS: Record<string, string> = {
  'GET /notification-channels/{}/deliveries': 'bearer', // every attempt readable (decisions)
  'GET /machines/{}/data-gaps': 'bearer', // loss is visible (design, promise 6)
  'GET /machines/{}/anomalies': 'bearer', // the events beside their summary (decisions)
  'POST /tokens': 'bearer', // credentials of programs (decision 62)
  'GET /tokens': 'bearer',
  'DELETE /tokens/{}': 'bearer',
  'GET /settings/tokens': 'admin',
  'POST /service-accounts': 'admin',
  'GET /service-accounts': 'admin',
  'PATCH /service-accounts/{}': 'admin',
  'POST /service-accounts/{}/tokens': 'admin',
  'GET /settings/limits': 'admin', // what the tenant may have, and has (decision 58)
  'GET /settings/predictions': 'bearer', // whether a language model writes narratives
  'PATCH /settings/predictions': 'admin',
  'GET /stream': 'bearer', // latest values, status and alerts as they change
  'GET /bootstrap': 'bearer', // what a page begins with, in one request (decision 53)
  'GET /search': 'bearer', // everything by a few letters (decision 65)
  'GET /alerts/groups': 'bearer', // alerts by machine and rule (decision 55)
  'GET /alerts/{}/history': 'bearer', // every state change readable
  'GET /work-orders/{}/history': 'bearer', // every change readable
  'GET /attachments/maintenance/{}': 'bearer', // an event's attachments (decisions)
  'POST /alert-rules/backtest': 'bearer', // which alerts a rule would have raised
  'GET /settings/plant': 'bearer', // the time zone of recurrences (decisions)
  'PATCH /settings/plant': 'admin',
  'POST /settings/plant/non-production-days/import': 'admin', // holidays
  'GET /machines/{}/oee': 'bearer', // every figure of a comparison can be traced
  'POST /maintenance/{}/work-order': 'operator', // from a checklist (decisions)
  'POST /calendar-tokens': 'bearer', // a calendar of the maintenance (decisions)
  'GET /calendar-tokens': 'bearer',
  'DELETE /calendar-tokens/{}': 'bearer',
  'GET /machines/{}/downtime-detection': 'bearer',
  'PUT /machines/{}/downtime-detection': 'operator',
  'POST /checklists': 'admin', // templates of work orders (decisions)
  'GET /readings/series': 'bearer', // series of several machines in one chart
  'GET /notes': 'bearer', // what people note on charts (decision 66)
  'POST /notes': 'operator',
  'GET /notes/{}': 'bearer',
  'PATCH /notes/{}': 'operator',
  'DELETE /notes/{}': 'operator',
  'GET /checklists': 'bearer',
  'GET /checklists/{}': 'bearer',
  'PUT /checklists/{}': 'admin',
  'DELETE /checklists/{}': 'admin',
  'POST /machines/{}/downtime/{}/split': 'operator', // one stop, two reasons (decisions)
  'POST /machines/{}/downtime/{}/merge': 'operator',
  'GET /fleet/downtime/pareto': 'bearer', // which reasons cost the most time (decisions)
  'POST /erp/connections/{}/preview': 'admin', // what would be sent (decisions)
  'GET /erp/connections/{}/runs': 'bearer', // a sync of more than 60 seconds goes on (decisions)
  'GET /erp/connections/{}/runs/{}': 'bearer',
  'POST /agent/fleet/{}/requeue': 'admin', // rejected readings are sent once more
  'POST /enrolment-keys': 'admin', // enrolment of agents (decision 33)
  'GET /enrolment-keys': 'admin',
  'DELETE /enrolment-keys/{}': 'admin',
  'GET /agent/releases': 'admin', // updates of agents (decision 36)
  'GET /agent/releases/{}/{}': 'key',
  'GET /agent/releases/{}/{}/archive': 'admin', // to install the first agent with
  'POST /agent/rollouts': 'admin',
  'GET /agent/rollouts': 'admin',
  'GET /agent/rollouts/{}': 'admin',
  'POST /agent/rollouts/{}/pause': 'admin',
  'POST /agent/rollouts/{}/resume': 'admin',
  'POST /agent/rollouts/{}/cancel': 'admin',
  'GET /agent/enroll': 'enrolment',
  'POST /agent/enroll': 'enrolment',
  'POST /agent/credential': 'key',
  'POST /agent/fleet/{}/release': 'admin',
  'POST /agent/fleet/{}/retire': 'admin', // agents that are gone (fleet)
  'POST /ingest-sources/{}/browse': 'operator', // what is on the device of a source (commissioning)
  'POST /agent/browse': 'key',
  'PATCH /agent/fleet/{}': 'admin', // the site of an agent (decision 49)
  'GET /machine-groups/site-conflicts': 'bearer', // what breaks the rules of sites (decision 49)
  'POST /agent/check': 'key', // whether the machines of an agent exist, before it sends
  'GET /openapi.json': 'none', // the document that /docs shows
  'POST /auth/invitations/accept': 'none', // the link of an invitation (decisions)
  'POST /auth/password-reset': 'none', // a forgotten password (decisions)
  'POST /auth/password-reset/confirm': 'none',
  'GET /machines/import/template': 'bearer', // a file to start an import from
  'POST /push/test': 'bearer', // whether notifications reach this browser (console)
  'GET /users/directory': 'bearer', // who can be assigned work (console)
  'GET /fleet/figures': 'bearer', // sums and rates of any machines over any range (console, reports)
  'GET /fleet/overview': 'bearer', // a page of machines by urgency (console)
  'POST /users/{}/mfa-reset': 'admin', // a member who has lost the second factor
  'GET /settings/security': 'bearer', // whether the second factor is required
  'PATCH /settings/security': 'admin',
  'GET /audit-log': 'admin', // who did what to what
  'POST /auth/sso/config/verify-domain': 'admin', // proof of a domain (decisions)
  'GET /auth/sso/callback': 'none', // where a provider sends the user back to (decisions)
}
const takesKey = ({ spec }: Route) => spec.access === 'key' || spec.access === 'enrolment'
const nameOf = ({ spec }: Route) => `${spec.method.toUpperCase()} ${spec.path.replace(/\{\w+\}/g, '{}')}`
const accessName = {
  none: 'none',
  any: 'bearer',
  operator: 'operator',
  admin: 'admin',
  key: 'key',
  enrolment: 'enrolment',
  refresh: 'refresh_cookie',
} as const

/** Ids of one tenant, by the parameter that takes them. */
const ids: Record<string, string> = {}
let owner: TestUser
let key = ''
const users: Partial<Record<'viewer' | 'operator' | 'admin', TestUser>> = {}
let stranger: TestUser

beforeAll(async () => {
  const made = await plant(hub)
  owner = made.admin
  key = made.key
  ids.machine_id = made.machine.id
  ids.key_id = (await hub.apiKey(owner)).id
  ids.enrolment_key_id = (await owner.call('POST', 'enrolment-keys', { name: 'Box' })).body.id
  ids.rule_id = (
    await owner.call('POST', 'alert-rules', { metric_name: 'temperature', warning_threshold: 1, critical_threshold: 2 })
  ).body.id
  ids.channel_id = (
    await owner.call('POST', 'notification-channels', {
      name: 'mail',
      channel_type: 'email',
      config: { to_email: 'a@example.com' },
    })
  ).body.id
  ids.policy_id = (
    await owner.call('POST', 'escalation-policies', {
      name: 'wake',
      severity: 'info',
      wait_minutes: 1,
      channel_id: ids.channel_id,
    })
  ).body.id
  ids.agent_id = 'line-4'
  const report = { agent_id: 'line-4', agent_version: '0.1.0', update: takesUpdates }
  await hub.call('POST', 'agent/heartbeat', report, { 'x-api-key': key })
  await ensureRelease(hub.owner, '0.2.0', 100)
  ids.version = '0.2.0'
  ids.platform = PLATFORM
  ids.rollout_id = (await owner.call('POST', 'agent/rollouts', { version: '0.2.0', agent_ids: ['line-4'] })).body.id
  await hub.send(key, [{ machine: made.identifier, value: 5 }])
  ids.alert_id = (await owner.call('GET', 'alerts')).body.items[0].id
  ids.key = (await owner.call('POST', 'settings/roles', { name: 'Line lead', base_tier: 'operator' })).body.key
  await owner.call('POST', 'tag-mappings/auto-map', { tags: [{ raw_tag: 'Temp', machine_id: made.machine.id }] })
  ids.mapping_id = (await owner.call('GET', `machines/${made.machine.id}/tag-mappings`)).body[0].id
  ids.group_id = (await owner.call('POST', 'machine-groups', { name: 'Hall' })).body.id
  ids.site_id = (await owner.call('POST', 'machine-groups', { name: 'Plant', group_type: 'site' })).body.id
  ids.source_id = (
    await owner.call('POST', 'ingest-sources', {
      machine_id: made.machine.id,
      name: 'PLC',
      protocol: 'modbus',
      host: '10.0.0.5',
      port: 502,
      config: { agent_id: 'line-4' },
    })
  ).body.id
  const plan = {
    machine_id: made.machine.id,
    title: 'Oil',
    scheduled_start: '2026-03-02T08:00Z',
    scheduled_end: '2026-03-02T09:00Z',
  }
  ids.event_id = (await owner.call('POST', 'maintenance', plan)).body.id
  ids.checklist_id = (await owner.call('POST', 'checklists', { name: 'Oil', steps: [{ title: 'Drain' }] })).body.id
  ids.record_id = (
    await owner.call('POST', `machines/${made.machine.id}/downtime`, {
      started_at: '2026-01-05T08:00Z',
      ended_at: '2026-01-05T09:00Z',
    })
  ).body.id
  ids.code_id = (await owner.call('GET', 'reason-codes')).body[0].id
  ids.token_id = (await owner.call('POST', 'calendar-tokens', { label: 'Phone' })).body.id
  ids.access_token_id = (await owner.call('POST', 'tokens', { name: 'export', scopes: ['team:read'] })).body.id
  ids.service_account_id = (await owner.call('POST', 'service-accounts', { name: 'MES', role: 'viewer' })).body.id
  const order = (await owner.call('POST', 'work-orders', { machine_id: made.machine.id, title: 'Bearing' })).body
  ids.attachment_id = (await upload(hub, owner, `work_order_id=${order.id}`)).body.id
  const shift = { name: 'Early', start_time: '06:00', end_time: '14:00' }
  ids.definition_id = (await owner.call('POST', 'shifts/definitions', shift)).body.id
  const log = { machine_id: made.machine.id, shift_definition_id: ids.definition_id, shift_date: '2026-01-01' }
  ids.log_id = (await owner.call('POST', 'shifts/logs', { ...log, actual_start: '2026-01-01', actual_end: '2026-01-02' })).body.id
  const erp = { base_url: 'https://erp.invalid/api', username: 'hub', password: 'secret-0001' }
  ids.connection_id = (await owner.call('POST', 'erp/connections', { provider: 'erp_c', name: 'ERP', config: erp })).body.id
  ids.run_id = (await storeErpRun(hub, owner.tenantId, ids.connection_id as string)).runId
  ids.user_id = (await hub.colleague(owner, 'viewer')).userId
  const work = await completedWork(hub, owner)
  ids.work_order_id = work.id
  ids.instruction_id = work.instructionIds[0] as string
  ids.signoff_id = (await owner.call('POST', `work-orders/${work.id}/signoffs`, { password: PASSWORD })).body.id
  for (const role of ['viewer', 'operator', 'admin'] as const) users[role] = await hub.colleague(owner, role)
  const note = { machine_id: made.machine.id, starts_at: '2026-01-05T08:00Z', body: 'New oil' }
  // its author and admins may change it
  ids.note_id = (await users.operator?.call('POST', 'notes', note))?.body.id
  stranger = await hub.admin()
})

/** The path with real ids of the owner's tenant. A path id that this test does not know fails it: add one above. */
function pathOf({ spec }: Route): string {
  return spec.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (!ids[name]) throw new Error(`give access-table.test.ts an id for {${name}}`)
    return ids[name]
  })
}
const send = (route: Route, headers: Record<string, string>) => {
  const withBody = route.spec.method !== 'get' && route.spec.method !== 'delete'
  return hub.call(route.spec.method.toUpperCase(), `/api/v1${pathOf(route)}`, withBody ? {} : undefined, headers)
}
const bearer = (user: TestUser) => ({ authorization: `Bearer ${user.token}` })
const each = async (check: (route: Route) => Promise<unknown>) => {
  for (const route of hub.routes) await check(route)
}

/** A release is of the hub, and its path names a version. */
const hasIdOfTenant = (route: Route) => route.spec.params && !takesKey(route) && !route.spec.path.startsWith('/agent/releases/')

describe('every mounted operation', () => {
  it('is in the specification with the access that it enforces, or in our list of exceptions', () => {
    for (const route of hub.routes) {
      const name = nameOf(route)
      expect([name, accessName[route.spec.access]]).toEqual([name, specified.get(name) ?? OURS[name]])
    }
  })

  it('refuses a call without credential with 401, unless it asks for none', async () => {
    await each(async (route) => {
      const { status, headers } = await send(route, {})
      if (route.spec.access === 'none') expect([nameOf(route), status]).not.toEqual([nameOf(route), 401])
      else expect([nameOf(route), status, headers.has('www-authenticate')]).toEqual([nameOf(route), 401, true])
    })
  })

  it('answers a forged or garbled credential with 401', async () => {
    await each(async (route) => {
      if (route.spec.access === 'none' || route.spec.access === 'refresh') return
      const forged = `${owner.token.slice(0, -6)}AAAAAA`
      const headers: Record<string, string> = takesKey(route)
        ? { 'x-api-key': `${key.slice(0, -4)}AAAA` }
        : { authorization: `Bearer ${forged}` }
      expect([nameOf(route), (await send(route, headers)).status]).toEqual([nameOf(route), 401])
    })
  })

  it('admits an API key only where agents send data, with 403 elsewhere; a Bearer token is 401 where a key is required', async () => {
    let asked = 0
    await each(async (route) => {
      // a minute for the rate limit of the key
      if (++asked % 100 === 0) hub.clock.advance(60)
      const { access } = route.spec
      if (access === 'none' || access === 'refresh') return
      if (takesKey(route)) expect([nameOf(route), (await send(route, bearer(owner))).status]).toEqual([nameOf(route), 401])
      else
        expect([nameOf(route), (await send(route, { 'x-api-key': key })).body.code]).toEqual([
          nameOf(route),
          'api_key_not_allowed',
        ])
    })
  })

  it('refuses a role below the one it asks for with 403, and admits the others', async () => {
    const rank = { viewer: 0, operator: 1, admin: 2 }
    const needed: Record<string, number> = { any: 0, operator: 1, admin: 2 }
    await each(async (route) => {
      const asked = needed[route.spec.access]
      if (asked === undefined || route.spec.path === '/auth/logout' || route.spec.method === 'delete') return
      for (const role of ['viewer', 'operator', 'admin'] as const) {
        const { status, body } = await send(route, bearer(users[role] as TestUser))
        const name = `${nameOf(route)} as ${role}`
        if (rank[role] < asked) expect([name, status, body.code]).toEqual([name, 403, 'role_insufficient'])
        else expect([name, status]).not.toEqual([name, expect.toSatisfy((s: number) => s === 401 || s === 403)])
      }
    })
  })

  it("answers another tenant's ids with 404, like unknown ids", async () => {
    await each(async (route) => {
      if (!hasIdOfTenant(route)) return
      const { status, body } = await send(route, bearer(stranger))
      expect([nameOf(route), status, String(body.code).endsWith('_not_found')]).toEqual([nameOf(route), 404, true])
    })
  })

  it('answers ids that are no UUIDs with 404, before it looks at the body', async () => {
    // A minute for the rate limits of the two users.
    hub.clock.advance(60)
    await each(async (route) => {
      if (!hasIdOfTenant(route)) return
      const odd = route.spec.path.replace(/\{\w+\}/g, 'no-uuid')
      const body = route.spec.body ? '{' : undefined
      const answer = await hub.call(route.spec.method.toUpperCase(), `/api/v1${odd}`, body, {
        ...bearer(owner),
        'content-type': 'text/plain',
      })
      const { code } = (await send(route, bearer(stranger))).body
      expect([nameOf(route), answer.status, answer.body.code]).toEqual([nameOf(route), 404, code])
    })
  })

  it('shows nothing of another tenant in its lists, nor lets its deletes through', async () => {
    for (const list of [
      'machines',
      'alerts',
      'alert-rules',
      'composite-rules',
      'escalation-policies',
      'notification-channels',
      'api-keys',
      'enrolment-keys',
      'agent/fleet',
      'machine-groups',
      'machine-groups/tree',
      'ingest-sources',
      'work-orders',
      'erp/connections',
      'erp/logs',
    ]) {
      const { body } = await stranger.call('GET', list)
      expect([list, body.items ?? body.agents ?? body]).toEqual([list, []])
    }
    const before = await owner.call('GET', 'alert-rules')
    for (const route of hub.routes.filter((r) => r.spec.method === 'delete')) await send(route, bearer(stranger))
    expect((await owner.call('GET', 'alert-rules')).body).toEqual(before.body)
    expect((await owner.call('GET', `machines/${ids.machine_id}`)).body.is_active).toBe(true)
  })
})

describe('the API document', () => {
  it('is valid OpenAPI 3.1 and names the access that is enforced', async () => {
    const document = JSON.parse(JSON.stringify(apiDocument(hub.routes)))
    const result = await new Validator().validate(structuredClone(document))
    expect(result.errors ?? []).toEqual([])
    expect(Object.keys(document.components.securitySchemes)).toEqual([
      'bearerAuth',
      'programToken',
      'apiKey',
      'enrolmentKey',
      'refreshCookie',
    ])
    for (const { spec } of hub.routes) {
      const operation = document.paths[`/api/v1${spec.path}`][spec.method]
      expect([spec.path, operation['x-access']]).toEqual([
        spec.path,
        ['any', 'operator', 'admin'].includes(spec.access) ? spec.access : undefined,
      ])
      expect(operation.operationId).toMatch(/^[a-z][A-Za-z]+$/)
    }
  })

  it('documents media types other than JSON, and the answer to a body that is too large', () => {
    const { paths } = JSON.parse(JSON.stringify(apiDocument(hub.routes)))
    const types = (path: string) => Object.keys(paths[`/api/v1/machines/${path}`].get.responses[200].content)
    expect([types('import/template'), types('{machine_id}/readings')]).toEqual([['text/csv'], ['application/json', 'text/csv']])
    expect(Object.keys(paths['/api/v1/machines/import'].post.responses)).toEqual(expect.arrayContaining(['413', '503']))
  })

  it('is served, with a page that asks nothing of the outside', async () => {
    expect((await hub.call('GET', '/api/v1/openapi.json')).body.openapi).toBe('3.1.0')
    const page = await hub.call('GET', '/docs')
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(page.body).not.toMatch(/https?:\/\//)
    for (const [, file] of page.body.matchAll(/(?:src|href)="(\/[^"]*)"/g))
      expect([file, (await hub.call('GET', file)).status]).toEqual([file, 200])
    expect((await hub.call('GET', '/docs/index.html')).status).toBe(404)
  })
})
