import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AppDeps, allRoutes, apiDocument } from '../src/app.ts'
import { loadConfig } from '../src/config.ts'
import type { JsonSchema } from '../src/support/http/example.ts'
import { checkDocumented } from './documented.ts'
import { EXAMPLE_NOW, type ExampleTenant, makeExampleTenant } from './example-tenant.ts'
import { type Answer, type TestUser, useHub } from './harness.ts'
import { until } from './processes.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'examples-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
// channel tests and invitations write their mails there
const hub = useHub({ DATA_DIR: folder })

interface Media {
  schema: JsonSchema
  example: unknown
}
interface Operation {
  name: string
  method: string
  path: string
  'x-access'?: 'any' | 'operator' | 'admin'
  security: Record<string, unknown>[]
  parameters?: { name: string; in: 'path' | 'query' | 'header'; example?: unknown }[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { content?: Record<string, Media> }>
}

/** Examples that cannot be sent as they are. Their shape is checked; the tests named here send such requests. */
const UNSENDABLE: Record<string, string> = {
  'POST /auth/mfa/verify-setup': 'the code depends on a secret and the time (mfa.test.ts)',
  'POST /auth/mfa/verify': 'the code depends on a secret and the time, the pending token works once (mfa.test.ts)',
  'POST /auth/mfa/disable': 'the code depends on a secret and the time (mfa.test.ts)',
  'POST /auth/invitations/accept': 'the token is mailed and works once (users.test.ts)',
  'POST /auth/password-reset/confirm': 'the token is mailed and works once (users.test.ts)',
  'POST /push/test': 'it calls the push service of a subscribed browser (push.test.ts)',
  'GET /auth/sso/callback': 'an identity provider sends the browser there (sso.test.ts)',
  'POST /agent/fleet/{agent_id}/retire': 'the agent has just reported (agents.test.ts)',
  'POST /auth/sso/exchange': 'the code comes from a callback and works once (sso.test.ts)',
}

const document = JSON.parse(JSON.stringify(apiDocument(allRoutes({ config: loadConfig({}) } as AppDeps))))
const operations: Operation[] = Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(
  ([route, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      name: `${method.toUpperCase()} ${route.replace('/api/v1', '')}`,
      method: method.toUpperCase(),
      path: route,
    })),
)
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true }).addSchema({ ...document, $id: 'api' })
/** The components' references, as seen from outside the document. */
const outside = (schema: JsonSchema) => JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')) as JsonSchema
const faultsOf = (schema: JsonSchema, value: unknown) => {
  const validate = ajv.compile(outside(schema))
  return validate(value) ? [] : validate.errors
}

const bodyExample = (name: string) =>
  Object.values(operations.find((one) => one.name === name)?.requestBody?.content ?? {})[0]?.example
/** What some operations need beside one thing of each kind. */
const configureSso = ({ admin }: ExampleTenant) =>
  admin.call('POST', 'auth/sso/config', {
    ...(bodyExample('POST /auth/sso/config') as object),
    domain: `${randomUUID()}.example`,
  })
const rollOut = ({ admin }: ExampleTenant) => admin.call('POST', 'agent/rollouts', { version: '0.2.0', agent_ids: ['line-4'] })
/** A source whose agent answers the documented request as documented. */
async function agentThatLooks({ admin, key, ids }: ExampleTenant): Promise<void> {
  const plc = {
    machine_id: ids.machine_id,
    name: 'Server',
    protocol: 'opcua',
    host: '10.0.0.6',
    port: 4840,
    config: { agent_id: 'line-4' },
  }
  const source = await admin.call('POST', 'ingest-sources', plc)
  expect(source).toMatchObject({ status: 201 })
  ids.source_id = source.body.id
  const sources = { revision: 2, states: [] }
  await hub.call('POST', 'agent/heartbeat', { agent_id: 'line-4', agent_version: '0.1.0', sources }, { 'x-api-key': key })
  const { answer } = bodyExample('POST /agent/browse') as { answer: object }
  const answered = async () => {
    const taken = await hub.owner`
      update agents set browse_answer = ${hub.owner.json(answer as never)}
      where tenant_id = ${admin.tenantId} and browse_request is not null returning 1`
    return taken.length > 0
  }
  void until('somebody looks at the device', answered)
}
const BEFORE: Record<string, (tenant: ExampleTenant) => Promise<unknown>> = {
  'GET /agent/releases/{version}/{platform}': rollOut,
  'GET /agent/releases/{version}/{platform}/archive': rollOut,
  'POST /agent/rollouts/{rollout_id}/resume': ({ admin, ids }) => admin.call('POST', `agent/rollouts/${ids.rollout_id}/pause`),
  'POST /ingest-sources/{source_id}/browse': agentThatLooks,
  'POST /auth/login': () => hub.call('POST', 'auth/register', bodyExample('POST /auth/register')),
  'GET /settings/report-schedule': ({ admin }) =>
    admin.call('PATCH', 'settings/report-schedule', bodyExample('PATCH /settings/report-schedule')),
  'POST /machines/{machine_id}/downtime/{record_id}/end': async ({ admin, ids }) => {
    const { body } = await admin.call('POST', `machines/${ids.machine_id}/downtime`, { started_at: '2026-01-31T11:00:00Z' })
    ids.record_id = body.id
  },
  'GET /settings/plant': ({ admin }) => admin.call('PATCH', 'settings/plant', bodyExample('PATCH /settings/plant')),
  'DELETE /notification-channels/{channel_id}': ({ admin, ids }) => admin.call('DELETE', `escalation-policies/${ids.policy_id}`),
  'GET /notification-channels/{channel_id}/deliveries': ({ admin, ids }) =>
    admin.call('POST', `notification-channels/${ids.channel_id}/test`),
  'DELETE /push/subscribe': ({ admin }) => admin.call('POST', 'push/subscribe', bodyExample('POST /push/subscribe')),
  'POST /auth/sso/config/verify-domain': async (tenant) => {
    const { name, value } = (await configureSso(tenant)).body.domain_challenge
    hub.txtRecords.set(name, [[value]])
  },
  'POST /users/{user_id}/mfa-reset': ({ admin, ids }) =>
    hub.owner`update users set mfa_enabled = true where tenant_id = ${admin.tenantId} and id = ${ids.user_id as string}`,
  // its example confines the admin to the set-up: a company of its own
  'PATCH /settings/security': async () => undefined,
  ...Object.fromEntries(['GET', 'PATCH', 'DELETE'].map((method) => [`${method} /auth/sso/config`, configureSso])),
}

/** Making a company with one thing of each kind takes most of the time of this file. One is for all examples that only read, the other is added to. */
const shared: { read?: Promise<ExampleTenant>; added?: Promise<ExampleTenant> } = {}
/** The colleagues of the admins of both, by role. */
const colleagues = new Map<TestUser, Map<string, Promise<TestUser>>>()

/** A company of its own. */
const makeTenant = ({ name }: Operation) => makeExampleTenant(hub, name === 'POST /ingest' ? 'press-01' : `m-${randomUUID()}`)

/** The company that an example shares with others; null for one that changes or deletes what others need. */
async function sharedTenantFor({ name, method, responses }: Operation): Promise<ExampleTenant | null> {
  if (BEFORE[name] || name === 'POST /ingest') return null
  const kind = method === 'GET' ? 'read' : method === 'PATCH' || (method === 'POST' && responses[201]) ? 'added' : null
  if (!kind) return null
  shared[kind] ??= makeTenant({ name } as Operation)
  const tenant = await shared[kind]
  if (!colleagues.has(tenant.admin)) colleagues.set(tenant.admin, new Map())
  return tenant
}

async function prepare({ name }: Operation, made: ExampleTenant): Promise<ExampleTenant> {
  const tenant = { ...made, ids: { ...made.ids } }
  const { composite_rule_id = '', signed_order_id = '' } = tenant.ids
  if (name.includes('composite-rules')) tenant.ids.rule_id = composite_rule_id
  if (name.includes('non-production-days')) tenant.ids.group_id = tenant.ids.site_id ?? ''
  if (/signoffs|certificate/.test(name)) tenant.ids.work_order_id = signed_order_id
  await BEFORE[name]?.(tenant)
  return tenant
}

/** A documented id becomes that of a thing of the tenant, found by the name of its field: `alert_ids` holds alerts. */
function withRealIds(value: unknown, name: string, { ids }: ExampleTenant): unknown {
  // `machine_id:metric`
  if (typeof value === 'string' && name === 'series') return value.replace(/^[^:]+/, ids.machine_id ?? '')
  if (typeof value === 'string' && value.startsWith('0198c7d4-5a00-')) {
    const real = ids[name.replace(/ids$/, 'id')]
    if (!real) throw new Error(`give api-examples.test.ts an id for ${name}`)
    return real
  }
  if (Array.isArray(value)) return value.map((item) => withRealIds(item, name, { ids } as ExampleTenant))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withRealIds(inner, key, { ids } as ExampleTenant)]))
}

/** What belongs to the user who made it. */
const OF_ONE_USER =
  /\/(push\/subscribe|settings\/report-schedule|calendar-tokens(\/\{token_id\})?|v1\/tokens(\/\{access_token_id\})?|v1\/notes\/\{note_id\})$/

/** The credential of an agent that was enrolled for it. */
async function enrolled(admin: ExampleTenant['admin']): Promise<string> {
  const { key } = (await admin.call('POST', 'enrolment-keys', { name: 'box' })).body
  const agent = { agent_id: 'line-4', agent_version: '0.1.0' }
  return (await hub.call('POST', 'agent/enroll', agent, { 'x-api-key': key })).body.credential
}

/** As the least of those who may call it. */
async function headersFor(operation: Operation, { admin, key }: ExampleTenant): Promise<Record<string, string>> {
  const access = operation['x-access']
  const scheme = Object.keys(operation.security[0] ?? {})[0]
  if (operation.name === 'POST /agent/credential') return { 'x-api-key': await enrolled(admin) }
  if (scheme === 'enrolmentKey') return { 'x-api-key': (await admin.call('POST', 'enrolment-keys', { name: 'box' })).body.key }
  if (scheme === 'apiKey') return { 'x-api-key': key }
  if (scheme === 'refreshCookie') return { cookie: `refresh_token=${admin.cookie}` }
  if (!access) return {}
  const isOwn = access === 'admin' || OF_ONE_USER.test(operation.path)
  const role = access === 'any' ? 'viewer' : 'operator'
  const known = colleagues.get(admin)
  if (known && !known.has(role)) known.set(role, hub.colleague(admin, role))
  const user = isOwn ? admin : await (known?.get(role) ?? hub.colleague(admin, role))
  return { authorization: `Bearer ${user.token}` }
}

function formOf(fields: Record<string, string>): { text: string; type: string } {
  const parts = Object.entries(fields).map(
    ([name, text]) => `--edge\r\ncontent-disposition: form-data; name="${name}"; filename="${name}.csv"\r\n\r\n${text}\r\n`,
  )
  return { text: `${parts.join('')}--edge--\r\n`, type: 'multipart/form-data; boundary=edge' }
}

async function send(operation: Operation, tenant: ExampleTenant, credential?: Record<string, string>): Promise<Answer> {
  const { method, parameters = [], requestBody } = operation
  const given = parameters.filter(({ example }) => example !== undefined)
  const route = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (!tenant.ids[name]) throw new Error(`give api-examples.test.ts an id for {${name}}`)
    return tenant.ids[name]
  })
  const query = given.flatMap((one): [string, string][] =>
    one.in === 'query' ? [[one.name, String(withRealIds(one.example, one.name, tenant))]] : [],
  )
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? []
  const form = type === 'multipart/form-data' ? formOf(media?.example as Record<string, string>) : undefined
  const headers = { ...(credential ?? (await headersFor(operation, tenant))), ...(form ? { 'content-type': form.type } : {}) }
  const url = query.length > 0 ? `${route}?${new URLSearchParams(query)}` : route
  return hub.call(method, url, form?.text ?? (media && withRealIds(media.example, '', tenant)), headers)
}

/** What ends the session with which it was sent. */
const ENDS_SESSION = ['POST /auth/logout']

/** Keys of the documented example that the answer has not, by path. Maps have keys of their own; of lists the first entry counts. */
function missingKeys(schema: JsonSchema, example: unknown, answer: unknown, at = ''): string[] {
  const whole = schema.$ref ? (document.components.schemas[schema.$ref.split('/').at(-1) as string] as JsonSchema) : schema
  if (Array.isArray(example)) {
    if (example.length === 0) return []
    if (!Array.isArray(answer) || answer.length === 0) return [`${at}[]`]
    return missingKeys(whole.items ?? {}, example[0], answer[0], `${at}[]`)
  }
  if (!whole.properties || typeof example !== 'object' || example === null || answer === null) return []
  return Object.entries(example).flatMap(([key, inner]) => {
    if (!Object.hasOwn(answer as object, key)) return [`${at}.${key}`]
    return missingKeys(whole.properties?.[key] ?? {}, inner, (answer as Record<string, unknown>)[key], `${at}.${key}`)
  })
}

beforeAll(() => hub.clock.advance((EXAMPLE_NOW.getTime() - hub.clock.now().getTime()) / 1_000))

describe('the refusals of every test', () => {
  it('are held against the document: one that an operation does not name is a fault', () => {
    expect(() => checkDocumented(hub.routes, 'GET', '/api/v1/machines?page=1', 401, 'token_invalid')).not.toThrow()
    expect(() => checkDocumented(hub.routes, 'GET', '/api/v1/machines', 409, 'email_taken')).toThrow('GET /machines answered 409')
    expect(() =>
      checkDocumented(hub.routes, 'POST', '/api/v1/alerts/bulk/acknowledge', 409, 'alert_already_acknowledged'),
    ).toThrow()
  })
})

describe('the documented example', () => {
  it.each(operations.filter(({ name }) => !UNSENDABLE[name]))('of $name is answered as documented', async (operation) => {
    const [status, documented] = Object.entries(operation.responses)[0] as [string, Operation['responses'][string]]
    const takesKey = operation.parameters?.some(({ name }) => name === 'Idempotency-Key')
    const key: Record<string, string> = takesKey ? { 'idempotency-key': operation.name.replaceAll(' ', '-') } : {}
    const common = await sharedTenantFor(operation)
    const credentials = async (of: ExampleTenant) => ({ ...(await headersFor(operation, of)), ...key })
    let tenant = common && (await prepare(operation, common))
    let headers = tenant ? await credentials(tenant) : {}
    let answer = tenant && (await send(operation, tenant, headers))
    // another example has changed what this one needs
    if (!tenant || answer?.status !== Number(status)) {
      tenant = await prepare(operation, await makeTenant(operation))
      headers = await credentials(tenant)
      answer = await send(operation, tenant, headers)
    }
    expect([answer.status, answer.body]).toEqual([Number(status), answer.body])
    if (takesKey && !ENDS_SESSION.includes(operation.name)) {
      const again = await send(operation, tenant, headers)
      expect([again.headers.get('idempotent-replayed'), again.status, again.body]).toEqual(['true', answer.status, answer.body])
    }
    const type = answer.headers.get('content-type')?.split(';')[0] ?? null
    const media = type && documented.content?.[type]
    expect(type === null ? documented.content : media).toEqual(type === null ? undefined : expect.anything())
    if (!media || type !== 'application/json') return
    expect(faultsOf(media.schema, answer.body)).toEqual([])
    expect(missingKeys(media.schema, media.example, answer.body)).toEqual([])
  })

  it.each(Object.entries(UNSENDABLE))('of %s has the documented shape, though it cannot be sent: %s', (name) => {
    const operation = operations.find((one) => one.name === name) as Operation
    for (const { schema, example } of Object.values(operation.requestBody?.content ?? {}))
      expect(faultsOf(schema, example)).toEqual([])
    for (const { content } of Object.values(operation.responses))
      if (content?.['application/json']) {
        const { schema, example } = content['application/json']
        expect(faultsOf(schema, example)).toEqual([])
      }
  })

  it('of an answer with another status has the usual body', async () => {
    const operation = operations.find(({ name }) => name === 'POST /agent/heartbeat') as Operation
    const tenant = await prepare(operation, await makeTenant(operation))
    await hub.owner`update tenants set subscription_status = 'canceled' where id = ${tenant.admin.tenantId}`
    const { status, body } = await send(operation, tenant)
    expect(status).toBe(402)
    expect(faultsOf(operation.responses[402]?.content?.['application/json']?.schema as JsonSchema, body)).toEqual([])
  })
})
