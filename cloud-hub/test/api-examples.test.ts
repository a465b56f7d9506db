import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AppDeps, allRoutes, apiDocument } from '../src/app.ts'
import { loadConfig } from '../src/config.ts'
import { recomputeBaselines } from '../src/features/baselines/index.ts'
import type { JsonSchema } from '../src/support/http/example.ts'
import { type Answer, type TestUser, useHub } from './harness.ts'

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
  parameters?: { name: string; in: 'path' | 'query'; example?: unknown }[]
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
  'GET /auth/sso/callback': 'an identity provider sends the browser there (sso.test.ts)',
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

/** What the examples happen in: a tenant of its own with one thing of each kind, at the time of the examples. */
interface Tenant {
  admin: TestUser
  key: string
  ids: Record<string, string>
}
/** The instant that the examples show. */
const NOW = new Date('2026-01-31T12:00:00.000Z')

async function makeTenant(operation: string): Promise<Tenant> {
  const admin = await hub.admin()
  const made = async (route: string, body: unknown) => {
    const answer = await admin.call('POST', route, body)
    if (answer.status >= 300) throw new Error(`${route}: ${JSON.stringify(answer.body)}`)
    return answer.body.id as string
  }
  const { id: key_id, key } = await hub.apiKey(admin)
  // the examples create press-01; ingest sends its readings
  const identifier = operation === 'POST /ingest' ? 'press-01' : `m-${randomUUID()}`
  const { id: machine_id } = await hub.machine(admin, { machine_identifier: identifier })
  const isComposite = operation.includes('composite-rules')
  const rule = { metric_name: 'vibration', warning_threshold: 4.5, critical_threshold: 7.1 }
  const threshold_id = await made('alert-rules', rule)
  const expression = { conditions: [{ metric: 'oil_temperature', op: '>', value: 70, duration_seconds: 60 }] }
  const composite_id = await made('composite-rules', { machine_id, name: 'Hot', expression, severity: 'critical' })
  const readings = Array.from({ length: 40 }, (_, i) => ({
    machine: identifier,
    value: 2 + (i % 5) / 10,
    metric: 'vibration',
    unit: 'mm/s',
    ago: 3_600 + i,
  }))
  await hub.send(key, [
    ...readings,
    { machine: identifier, value: 61.5, metric: 'oil_temperature', unit: 'celsius', ago: 1 },
    { machine: identifier, value: 7.4, metric: 'vibration', unit: 'mm/s', ago: 1 },
  ])
  await recomputeBaselines(hub.deps.pools.system, hub.deps.store, hub.clock.now())
  const channel_id = await made('notification-channels', {
    name: 'mail',
    channel_type: 'email',
    config: { to_email: 'a@example.com' },
  })
  const policy_id = await made('escalation-policies', { name: 'wake', severity: 'info', wait_minutes: 1, channel_id })
  if (operation.startsWith('DELETE /notification-channels')) await admin.call('DELETE', `escalation-policies/${policy_id}`)
  if (operation.endsWith('/deliveries')) await admin.call('POST', `notification-channels/${channel_id}/test`)
  const source = { machine_id, name: 'PLC', protocol: 'modbus', host: '10.0.0.5', port: 502, config: { agent_id: 'line-4' } }
  const gap = {
    gap_id: randomUUID(),
    machine_identifier: identifier,
    metric_name: 'vibration',
    unit: 'mm/s',
    count: 9,
    reason: 'disk_full',
  }
  const span = { from: '2026-01-31T02:00:00.000Z', to: '2026-01-31T02:10:00.000Z' }
  await hub.call(
    'POST',
    'agent/heartbeat',
    { agent_id: 'line-5', agent_version: '0.1.0', gaps: [{ ...gap, ...span }] },
    { 'x-api-key': key },
  )
  await admin.call('POST', 'tag-mappings/auto-map', { tags: [{ raw_tag: 'Temp', machine_id }] })
  const alert_id = (await admin.call('GET', 'alerts')).body.items[0].id
  await admin.call('POST', `alerts/${alert_id}/comments`, { body: 'noted' })
  const ids: Record<string, string> = {
    machine_id,
    key_id,
    alert_id,
    channel_id,
    policy_id,
    rule_id: isComposite ? composite_id : threshold_id,
    mapping_id: (await admin.call('GET', `machines/${machine_id}/tag-mappings`)).body[0].id,
    source_id: await made('ingest-sources', source),
    group_id: await made('machine-groups', { name: 'Hall' }),
    user_id: (await hub.colleague(admin, 'viewer')).userId,
    key: (await admin.call('POST', 'settings/roles', { name: 'Crew', base_tier: 'operator' })).body.key,
  }
  await BEFORE[operation]?.(admin)
  return { admin, key, ids }
}

const bodyExample = (name: string) =>
  Object.values(operations.find((one) => one.name === name)?.requestBody?.content ?? {})[0]?.example
/** What some operations need beside one thing of each kind. */
const BEFORE: Record<string, (admin: TestUser) => Promise<unknown>> = {
  'POST /auth/login': () => hub.call('POST', 'auth/register', bodyExample('POST /auth/register')),
  'GET /settings/report-schedule': (admin) =>
    admin.call('PATCH', 'settings/report-schedule', bodyExample('PATCH /settings/report-schedule')),
  'DELETE /push/subscribe': (admin) => admin.call('POST', 'push/subscribe', bodyExample('POST /push/subscribe')),
  ...Object.fromEntries(
    ['GET', 'PATCH', 'DELETE'].map((method) => [
      `${method} /auth/sso/config`,
      (admin: TestUser) =>
        admin.call('POST', 'auth/sso/config', {
          ...(bodyExample('POST /auth/sso/config') as object),
          domain: `${randomUUID()}.example`,
        }),
    ]),
  ),
}

/** A documented id becomes that of a thing of the tenant, found by the name of its field: `alert_ids` holds alerts. */
function withRealIds(value: unknown, name: string, { ids }: Tenant): unknown {
  if (typeof value === 'string' && value.startsWith('0198c7d4-5a00-')) {
    const real = ids[name.replace(/ids$/, 'id')]
    if (!real) throw new Error(`give api-examples.test.ts an id for ${name}`)
    return real
  }
  if (Array.isArray(value)) return value.map((item) => withRealIds(item, name, { ids } as Tenant))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withRealIds(inner, key, { ids } as Tenant)]))
}

/** What belongs to the user who made it. */
const OF_ONE_USER = /\/(push\/subscribe|settings\/report-schedule)$/

/** As the least of those who may call it. */
async function headersFor(operation: Operation, { admin, key }: Tenant): Promise<Record<string, string>> {
  const access = operation['x-access']
  const scheme = Object.keys(operation.security[0] ?? {})[0]
  if (scheme === 'apiKey') return { 'x-api-key': key }
  if (scheme === 'refreshCookie') return { cookie: `refresh_token=${admin.cookie}` }
  if (!access) return {}
  const isOwn = access === 'admin' || OF_ONE_USER.test(operation.path)
  const user = isOwn ? admin : await hub.colleague(admin, access === 'any' ? 'viewer' : 'operator')
  return { authorization: `Bearer ${user.token}` }
}

function formOf(fields: Record<string, string>): { text: string; type: string } {
  const parts = Object.entries(fields).map(
    ([name, text]) => `--edge\r\ncontent-disposition: form-data; name="${name}"; filename="${name}.csv"\r\n\r\n${text}\r\n`,
  )
  return { text: `${parts.join('')}--edge--\r\n`, type: 'multipart/form-data; boundary=edge' }
}

async function send(operation: Operation, tenant: Tenant): Promise<Answer> {
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
  const headers = { ...(await headersFor(operation, tenant)), ...(form ? { 'content-type': form.type } : {}) }
  const url = query.length > 0 ? `${route}?${new URLSearchParams(query)}` : route
  return hub.call(method, url, form?.text ?? (media && withRealIds(media.example, '', tenant)), headers)
}

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

beforeAll(() => hub.clock.advance((NOW.getTime() - hub.clock.now().getTime()) / 1_000))

describe('the documented example', () => {
  it.each(operations.filter(({ name }) => !UNSENDABLE[name]))('of $name is answered as documented', async (operation) => {
    const answer = await send(operation, await makeTenant(operation.name))
    const [status, documented] = Object.entries(operation.responses)[0] as [string, Operation['responses'][string]]
    expect([answer.status, answer.body]).toEqual([Number(status), answer.body])
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
    const tenant = await makeTenant(operation.name)
    await hub.owner`update tenants set subscription_status = 'canceled' where id = ${tenant.admin.tenantId}`
    const { status, body } = await send(operation, tenant)
    expect(status).toBe(402)
    expect(faultsOf(operation.responses[402]?.content?.['application/json']?.schema as JsonSchema, body)).toEqual([])
  })
})
