import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { openConfig } from '../src/features/exchange/open-session.ts'
import { type Answer, plant, type TestHub, type TestUser, useHub } from './harness.ts'
import { selfSigned } from './self-signed.ts'

const hub = useHub()
const closedPlant = useHub({ OUTBOUND_ALLOW: '10.0.0.0/8' })
const UNKNOWN = '00000000-0000-4000-8000-000000000000'
const BASE = 'https://erp.example.com/api'

const CONFIGS = {
  erp_a: { base_url: BASE, client: '100', username: 'haltless', password: 'top-secret-a' },
  erp_b: { base_url: BASE, tenant_id: 'contoso.example', client_id: 'hub', client_secret: 'top-secret-b' },
  erp_c: { base_url: BASE, username: 'haltless', password: 'top-secret-c' },
} as const
const SECRETS = { erp_a: 'password', erp_b: 'client_secret', erp_c: 'password' } as const
type Provider = keyof typeof CONFIGS
const PROVIDERS = Object.keys(CONFIGS) as Provider[]

const create = (user: TestUser, values: Record<string, unknown> = {}) =>
  user.call('POST', 'erp/connections', { provider: 'erp_c', name: 'ERP', config: CONFIGS.erp_c, ...values })
const patch = (user: TestUser, id: string, change: unknown) => user.call('PATCH', `erp/connections/${id}`, change)
const pathsOf = ({ body }: Answer) => body.errors?.map(({ path }: { path: string }) => path)
async function storedConfig(of: TestHub, id: string) {
  const [row] = await of.owner`select * from erp_connections where id = ${id}`
  return openConfig(of.deps.box, { tenantId: row?.tenant_id, id, sealedConfig: row?.sealed_config })
}

describe('an ERP connection', () => {
  it('has the fields of the specification and their defaults', async () => {
    const admin = await hub.admin()
    const { status, body } = await create(admin)
    expect(status).toBe(201)
    expect(body).toEqual({
      version: expect.any(String),
      id: expect.any(String),
      tenant_id: admin.tenantId,
      provider: 'erp_c',
      name: 'ERP',
      config: { ...CONFIGS.erp_c, password: '***' },
      is_active: true,
      auto_push_work_orders: false,
      auto_push_production_data: false,
      auto_push_downtime: false,
      auto_pull_assets: false,
      sync_interval_minutes: 60,
      field_mapping: {},
      last_sync_at: null,
      last_sync_status: null,
      automatic_runs_paused: false,
      created_by: admin.userId,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
  })

  it('is created with every field, listed oldest first, read, changed and deleted', async () => {
    const admin = await hub.admin()
    const values = {
      is_active: false,
      auto_push_work_orders: true,
      auto_push_production_data: true,
      auto_push_downtime: true,
      auto_pull_assets: true,
      sync_interval_minutes: 5,
      field_mapping: { title: 'shortText' },
    }
    const first = (await create(admin, values)).body
    expect(first).toMatchObject(values)
    const second = (await create(admin, { provider: 'erp_b', config: CONFIGS.erp_b })).body
    expect((await admin.call('GET', 'erp/connections')).body).toEqual([first, second])
    expect((await admin.call('GET', `erp/connections/${first.id}`)).body).toEqual(first)
    const change = {
      name: 'Other',
      is_active: true,
      auto_push_work_orders: false,
      auto_push_production_data: false,
      auto_push_downtime: false,
      auto_pull_assets: false,
      sync_interval_minutes: 1_440,
      field_mapping: { description: 'longText' },
    }
    const changed = await patch(admin, first.id, change)
    expect(changed).toMatchObject({
      status: 200,
      body: { ...first, ...change, updated_at: expect.any(String), version: expect.any(String) },
    })
    expect(await patch(admin, first.id, {})).toMatchObject({
      status: 200,
      body: { ...changed.body, updated_at: expect.any(String) },
    })
    expect((await admin.call('DELETE', `erp/connections/${first.id}`)).status).toBe(204)
    expect((await admin.call('GET', 'erp/connections')).body).toEqual([second])
    expect((await admin.call('GET', `erp/connections/${first.id}`)).body.code).toBe('erp_connection_not_found')
  })

  it('is read by viewers and operators, and managed and tested by admins only', async () => {
    const admin = await hub.admin()
    const { id } = (await create(admin)).body
    for (const role of ['viewer', 'operator'] as const) {
      const user = await hub.colleague(admin, role)
      const answers = [
        await create(user),
        await patch(user, id, { name: 'Mine' }),
        await user.call('DELETE', `erp/connections/${id}`),
        await user.call('POST', `erp/connections/${id}/test`),
      ]
      expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403])
      const reads = [
        'erp/connections',
        `erp/connections/${id}`,
        `erp/connections/${id}/logs`,
        `erp/connections/${id}/runs`,
        'erp/logs',
      ]
      for (const read of reads) expect([read, (await user.call('GET', read)).status]).toEqual([read, 200])
    }
  })

  it('of another tenant, and an unknown one, answer 404 before the body is read', async () => {
    const [admin, stranger] = [await hub.admin(), await hub.admin()]
    const { id } = (await create(admin)).body
    for (const other of [id, UNKNOWN, 'no-uuid']) {
      const at = `erp/connections/${other}`
      const answers = [
        await stranger.call('GET', at),
        await stranger.call('PATCH', at, '{'),
        await stranger.call('DELETE', at),
        await stranger.call('POST', `${at}/test`),
        await stranger.call('GET', `${at}/logs?page=0`),
        await stranger.call('GET', `${at}/runs?page=0`),
        await stranger.call('GET', `${at}/runs/${UNKNOWN}`),
      ]
      expect(answers.map(({ status, body }) => [status, body.code])).toEqual(answers.map(() => [404, 'erp_connection_not_found']))
    }
    expect((await stranger.call('GET', 'erp/connections')).body).toEqual([])
    expect((await admin.call('GET', 'erp/connections')).body).toHaveLength(1)
  })

  it('cannot be reached with an API key', async () => {
    const { key } = await plant(hub)
    for (const method of ['GET', 'POST'])
      expect((await hub.call(method, 'erp/connections', undefined, { 'x-api-key': key })).body.code).toBe('api_key_not_allowed')
  })

  it.each([
    ['no name', { name: undefined }, 'body.name'],
    ['an empty name', { name: '' }, 'body.name'],
    ['a name of 201 characters', { name: 'x'.repeat(201) }, 'body.name'],
    ['no provider', { provider: undefined }, 'body.provider'],
    ['an unknown provider', { provider: 'erp_d' }, 'body.provider'],
    ['no configuration', { config: undefined }, 'body.config'],
    ['a list as configuration', { config: [] }, 'body.config'],
    ['is_active as text', { is_active: 'yes' }, 'body.is_active'],
    ['a toggle as null', { auto_push_work_orders: null }, 'body.auto_push_work_orders'],
    ['a toggle as a number', { auto_push_production_data: 1 }, 'body.auto_push_production_data'],
    ['a toggle as text', { auto_push_downtime: 'true' }, 'body.auto_push_downtime'],
    ['a toggle as a list', { auto_pull_assets: [] }, 'body.auto_pull_assets'],
    ['an interval of 0', { sync_interval_minutes: 0 }, 'body.sync_interval_minutes'],
    ['an interval of 1,441', { sync_interval_minutes: 1_441 }, 'body.sync_interval_minutes'],
    ['an interval of 1.5', { sync_interval_minutes: 1.5 }, 'body.sync_interval_minutes'],
    ['an interval as text', { sync_interval_minutes: '5' }, 'body.sync_interval_minutes'],
    ['a mapping as a list', { field_mapping: [] }, 'body.field_mapping'],
    ['a mapping to a number', { field_mapping: { title: 1 } }, 'body.field_mapping.title'],
    ['a mapping to 129 characters', { field_mapping: { title: 'x'.repeat(129) } }, 'body.field_mapping.title'],
  ])('with %s is refused, created or changed', async (_name, values, path) => {
    const admin = await hub.admin()
    expect(await create(admin, values)).toMatchObject({ status: 422, body: { errors: [{ path }] } })
    if (Object.values(values)[0] === undefined) return
    const { body } = await create(admin)
    expect(await patch(admin, body.id, values)).toMatchObject({ status: 422, body: { errors: [{ path }] } })
    expect((await admin.call('GET', `erp/connections/${body.id}`)).body).toEqual(body)
  })

  it('takes the extremes of each limit', async () => {
    const admin = await hub.admin()
    for (const values of [
      { name: '🏭'.repeat(200), sync_interval_minutes: 1 },
      { name: 'x', sync_interval_minutes: 1_440, field_mapping: { title: 'x'.repeat(128) } },
    ])
      expect(await create(admin, values)).toMatchObject({ status: 201, body: values })
  })

  it('keeps its provider: another one is refused, its own accepted', async () => {
    const admin = await hub.admin()
    const { body } = await create(admin)
    expect(pathsOf(await patch(admin, body.id, { provider: 'erp_a', name: 'Other' }))).toEqual(['body.provider'])
    expect(await patch(admin, body.id, { provider: 'erp_c', name: 'Other' })).toMatchObject({
      status: 200,
      body: { name: 'Other' },
    })
  })

  it('is one of at most 20 of a tenant, also when many are created at once', async () => {
    const admin = await hub.admin()
    const answers = await Promise.all(Array.from({ length: 22 }, () => create(admin)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20)
    expect(new Set(answers.filter(({ status }) => status !== 201).map(({ body }) => body.code))).toEqual(
      new Set(['too_many_erp_connections']),
    )
    await admin.call('DELETE', `erp/connections/${answers.find(({ status }) => status === 201)?.body.id}`)
    expect((await create(admin)).status).toBe(201)
  })

  it('takes concurrent changes of several admins one after another, so that none is lost', async () => {
    const admin = await hub.admin()
    const other = await hub.colleague(admin, 'admin')
    const { id } = (await create(admin)).body
    await Promise.all([
      patch(admin, id, { config: { username: 'one' } }),
      patch(other, id, { config: { password: 'rotated-secret' } }),
      patch(admin, id, { auto_push_downtime: true }),
      patch(other, id, { field_mapping: { title: 'text1' } }),
    ])
    expect((await admin.call('GET', `erp/connections/${id}`)).body).toMatchObject({
      config: { username: 'one' },
      auto_push_downtime: true,
      field_mapping: { title: 'text1' },
    })
    expect(await storedConfig(hub, id)).toEqual({ ...CONFIGS.erp_c, username: 'one', password: 'rotated-secret' })
  })

  it('is in the audit trail without its secrets: created, changed and deleted', async () => {
    const admin = await hub.admin()
    const { id } = (await create(admin)).body
    await patch(admin, id, { config: { password: 'rotated-secret' }, auto_push_downtime: true })
    await admin.call('DELETE', `erp/connections/${id}`)
    const { items } = (await admin.call('GET', `audit-log?target_id=${id}`)).body
    expect(items.map(({ action }: { action: string }) => action)).toEqual([
      'erp_connection.deleted',
      'erp_connection.updated',
      'erp_connection.created',
    ])
    expect(items[1].after).toMatchObject({ auto_push_downtime: true })
    expect(JSON.stringify(items)).not.toMatch(/top-secret|rotated-secret/)
  })
})

describe('the configuration of a connection', () => {
  it.each(PROVIDERS)('of %s requires each key of the specification', async (provider) => {
    const admin = await hub.admin()
    expect((await create(admin, { provider, config: CONFIGS[provider] })).status).toBe(201)
    for (const key of Object.keys(CONFIGS[provider])) {
      const config = Object.fromEntries(Object.entries(CONFIGS[provider]).filter(([name]) => name !== key))
      expect(await create(admin, { provider, config })).toMatchObject({
        status: 422,
        body: { errors: [{ path: `body.config.${key}` }] },
      })
    }
    const unknown = { ...CONFIGS[provider], pasword: 'x' }
    expect(pathsOf(await create(admin, { provider, config: unknown }))).toEqual(['body.config.pasword'])
  })

  it.each(PROVIDERS)('of %s is encrypted in the table and masked in every answer', async (provider) => {
    const admin = await hub.admin()
    const config = CONFIGS[provider]
    const masked = { ...config, [SECRETS[provider]]: '***' }
    const { body } = await create(admin, { provider, config })
    expect(body.config).toEqual(masked)
    expect((await admin.call('GET', 'erp/connections')).body[0].config).toEqual(masked)
    expect((await patch(admin, body.id, { name: 'Other' })).body.config).toEqual(masked)
    const [row] = await hub.owner`select * from erp_connections where id = ${body.id}`
    expect(JSON.stringify(row)).not.toContain('top-secret')
    expect(await storedConfig(hub, body.id)).toEqual(config)
  })

  it('merges: absent and *** keep, null deletes, a new value replaces', async () => {
    const admin = await hub.admin()
    const paths = { work_order: 'orders', machine: 'assets' }
    const { id } = (await create(admin, { config: { ...CONFIGS.erp_c, paths } })).body
    await patch(admin, id, { config: { username: 'other' } })
    expect(await storedConfig(hub, id)).toEqual({ ...CONFIGS.erp_c, paths, username: 'other' })
    await patch(admin, id, { config: { ...CONFIGS.erp_c, password: '***', paths: { machine: null } } })
    expect(await storedConfig(hub, id)).toEqual({ ...CONFIGS.erp_c, paths: { work_order: 'orders' } })
    await patch(admin, id, { config: { password: 'rotated-secret', paths: null } })
    expect(await storedConfig(hub, id)).toEqual({ ...CONFIGS.erp_c, password: 'rotated-secret' })
    expect(pathsOf(await patch(admin, id, { config: { password: null } }))).toEqual(['body.config.password'])
  })

  it('cannot begin with a mask, because no value is stored', async () => {
    const config = { ...CONFIGS.erp_c, password: '***' }
    expect(pathsOf(await create(await hub.admin(), { config }))).toEqual(['body.config.password'])
  })

  it.each(PROVIDERS)(
    'of %s needs its secret again for another address, not for another path of the same host',
    async (provider) => {
      const admin = await hub.admin()
      const { id } = (await create(admin, { provider, config: CONFIGS[provider] })).body
      const secret = SECRETS[provider]
      for (const config of [
        { base_url: 'https://evil.example.com/api' },
        { base_url: 'https://erp.example.com:8443/api', [secret]: '***' },
      ])
        expect(pathsOf(await patch(admin, id, { config }))).toEqual([`body.config.${secret}`])
      expect((await storedConfig(hub, id)).base_url).toBe(BASE)
      expect((await patch(admin, id, { config: { base_url: 'https://erp.example.com/api/v2' } })).status).toBe(200)
      const moved = { base_url: 'https://erp2.example.com/api', [secret]: 'another-secret' }
      expect((await patch(admin, id, { config: moved })).status).toBe(200)
      expect(await storedConfig(hub, id)).toMatchObject(moved)
    },
  )

  it('of erp_b needs its secret again when a token_url is added, changed or removed', async () => {
    const admin = await hub.admin()
    const { id } = (await create(admin, { provider: 'erp_b', config: CONFIGS.erp_b })).body
    const url = 'https://login.example.com/token'
    expect(pathsOf(await patch(admin, id, { config: { token_url: url } }))).toEqual(['body.config.client_secret'])
    expect((await patch(admin, id, { config: { token_url: url, client_secret: 'again' } })).status).toBe(200)
    const other = { token_url: 'https://evil.example.com/token', client_secret: '***' }
    expect(pathsOf(await patch(admin, id, { config: other }))).toEqual(['body.config.client_secret'])
    expect(pathsOf(await patch(admin, id, { config: { token_url: null } }))).toEqual(['body.config.client_secret'])
  })

  it.each([
    ['no URL at all', 'erp'],
    ['plain HTTP', 'http://erp.example.com/'],
    ['another scheme', 'ftp://erp.example.com/'],
    ['a user in the URL', 'https://me:secret@erp.example.com/'],
    ['loopback', 'https://127.0.0.1/'],
    ['loopback as a number', 'https://2130706433/'],
    ['loopback in IPv6', 'https://[::ffff:127.0.0.1]/'],
    ['a private address', 'https://10.1.2.3/'],
    ['the metadata address', 'https://169.254.169.254/latest'],
    ['a line break', 'https://erp.example.com\n.evil/'],
    ['a query', 'https://erp.example.com/?a=b'],
    ['a fragment', 'https://erp.example.com/#a'],
    ['2,049 characters', `https://erp.example.com/${'x'.repeat(2_049 - 24)}`],
  ])('with %s as address is refused at once', async (_name, url) => {
    const admin = await hub.admin()
    for (const provider of PROVIDERS)
      expect(pathsOf(await create(admin, { provider, config: { ...CONFIGS[provider], base_url: url } }))).toEqual([
        'body.config.base_url',
      ])
    const config = { ...CONFIGS.erp_b, token_url: url }
    if (!/[?#]/.test(url)) expect(pathsOf(await create(admin, { provider: 'erp_b', config }))).toEqual(['body.config.token_url'])
    const { id } = (await create(admin)).body
    expect(pathsOf(await patch(admin, id, { config: { base_url: url, password: 'again' } }))).toEqual(['body.config.base_url'])
  })

  it('may lead, also by plain HTTP, into the operator’s OUTBOUND_ALLOW and to no other private address', async () => {
    const admin = await closedPlant.admin()
    const at = async (base_url: string) => (await create(admin, { config: { ...CONFIGS.erp_c, base_url } })).status
    expect(await Promise.all(['http://10.1.2.3:8080/erp', 'https://10.1.2.3/erp'].map(at))).toEqual([201, 201])
    expect(await Promise.all(['http://192.168.1.1/', 'https://127.0.0.1/', 'http://8.8.8.8/'].map(at))).toEqual([422, 422, 422])
  })

  it.each(PROVIDERS)('of %s may have the certificate of a private authority, which must be one in PEM', async (provider) => {
    const admin = await hub.admin()
    const withCa = (ca_certificate: unknown) => create(admin, { provider, config: { ...CONFIGS[provider], ca_certificate } })
    const { cert, key } = selfSigned()
    const { status, body } = await withCa(cert)
    expect([status, body.config.ca_certificate]).toEqual([201, cert])
    for (const odd of ['', 'no certificate', key, cert.replace(/[A-Z]/g, 'B'), 7])
      expect(pathsOf(await withCa(odd))).toEqual(['body.config.ca_certificate'])
  })

  it.each([
    ['https://evil.example.com/x'],
    ['/orders'],
    ['//evil.example.com/x'],
    ['\\\\evil.example.com\\x'],
    ['../../other'],
    [''],
  ])('has paths below its address: %s is refused', async (path) => {
    const admin = await hub.admin()
    for (const provider of PROVIDERS) {
      const config = { ...CONFIGS[provider], paths: { work_order: path } }
      expect(pathsOf(await create(admin, { provider, config }))).toEqual(['body.config.paths.work_order'])
    }
  })

  it('encrypted under another SECRET_KEY is replaced as a whole', async () => {
    const admin = await hub.admin()
    const [{ body: one }, { body: two }] = [await create(admin), await create(admin)]
    await hub.owner`update erp_connections set sealed_config = (select sealed_config from erp_connections where id = ${two.id}) where id = ${one.id}`
    expect((await admin.call('POST', `erp/connections/${one.id}/test`)).body).toMatchObject({
      success: false,
      message: expect.stringContaining('enter the whole configuration again'),
    })
    expect((await patch(admin, one.id, { name: 'Other' })).status).toBe(200)
    expect((await patch(admin, one.id, { config: { username: 'other' } })).status).toBe(422)
    expect((await patch(admin, one.id, { config: CONFIGS.erp_c })).status).toBe(200)
    expect(await storedConfig(hub, one.id)).toEqual(CONFIGS.erp_c)
  })
})

describe('a field mapping', () => {
  it('names unknown fields, with those that exist', async () => {
    const admin = await hub.admin()
    const field_mapping = {
      titel: 'a',
      'work_order.titel': 'b',
      'order.title': 'c',
      constructor: 'd',
      'work_order.constructor': 'e',
    }
    const answer = await create(admin, { field_mapping })
    expect(answer.status).toBe(422)
    expect(pathsOf(answer)).toEqual(Object.keys(field_mapping).map((key) => `body.field_mapping.${key}`))
    expect(answer.body.errors[0].message).toContain('title')
  })

  it('is replaced as a whole', async () => {
    const admin = await hub.admin()
    const { id } = (await create(admin, { field_mapping: { title: 'a' } })).body
    const field_mapping = { 'work_order.description': 'b' }
    expect((await patch(admin, id, { field_mapping })).body.field_mapping).toEqual(field_mapping)
    expect((await patch(admin, id, { field_mapping: {} })).body.field_mapping).toEqual({})
  })

  it('refuses more than 200 entries', async () => {
    const admin = await hub.admin()
    const entries = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`f${i}`, 'x']))
    expect(pathsOf(await create(admin, { field_mapping: entries(201) }))).toEqual(['body.field_mapping'])
    expect(pathsOf(await create(admin, { field_mapping: entries(200) }))).toHaveLength(200)
  })

  it('leaves a field out with an empty value, but not the id, by which records are found again', async () => {
    const admin = await hub.admin()
    expect((await create(admin, { field_mapping: { description: '' } })).status).toBe(201)
    for (const key of ['id', 'work_order.id', 'machine.machine_identifier'])
      expect(pathsOf(await create(admin, { field_mapping: { [key]: '' } }))).toEqual([`body.field_mapping.${key}`])
  })

  it('refuses a value that is no field name, and two fields of an entity that lead to one', async () => {
    const admin = await hub.admin()
    for (const odd of ['a b', '1a', 'a/b', 'a.b', 'ä', '$filter'])
      expect([odd, pathsOf(await create(admin, { field_mapping: { title: odd } }))]).toEqual([odd, ['body.field_mapping.title']])
    const twice = await create(admin, { field_mapping: { 'work_order.title': 'text1', 'work_order.description': 'text1' } })
    expect(twice.status).toBe(422)
    expect(
      (await create(admin, { field_mapping: { 'work_order.title': 'text1', 'downtime.reason_note': 'text1' } })).status,
    ).toBe(201)
  })
})

describe('a change', () => {
  const rowOf = async (id: string) =>
    (await hub.owner`select * from erp_connections where id = ${id}`)[0] as Record<string, unknown>
  const backTo = (id: string, values: Record<string, unknown>) =>
    hub.owner`update erp_connections set ${hub.owner(values)} where id = ${id}`
  const inMinutes = (at: unknown) => Math.round(((at as Date).getTime() - hub.clock.now().getTime()) / 60_000) + 0
  const LATER = () => new Date(hub.clock.now().getTime() + 50 * 60_000)
  const BEFORE = () => new Date(hub.clock.now().getTime() - 10 * 60_000)

  it.each([
    ['configuration', { config: { username: 'other' } }],
    ['mapping', { field_mapping: { title: 'x' } }],
    ['toggle that was switched on', { auto_push_downtime: true }],
  ])('of the %s makes the next run due now', async (_name, change) => {
    const admin = await hub.admin()
    const { id } = (await create(admin)).body
    await backTo(id, { next_run_at: LATER() })
    await patch(admin, id, change)
    expect(inMinutes((await rowOf(id)).next_run_at)).toBe(0)
  })

  it('of the configuration closes the circuit breaker; a new name does not', async () => {
    const admin = await hub.admin()
    const { id } = (await create(admin)).body
    await backTo(id, { next_run_at: LATER(), failures_in_a_row: 5, breaker_open_until: LATER() })
    await patch(admin, id, { name: 'Other', config: { username: 'haltless' } })
    expect(await rowOf(id)).toMatchObject({ failures_in_a_row: 5, breaker_open_until: expect.any(Date) })
    await patch(admin, id, { config: { password: 'rotated-secret' } })
    expect(await rowOf(id)).toMatchObject({ failures_in_a_row: 0, breaker_open_until: null })
  })

  it('of the interval counts from the last run, and delays no retry', async () => {
    const admin = await hub.admin()
    const { id } = (await create(admin)).body
    await backTo(id, { next_run_at: LATER(), last_sync_at: BEFORE(), last_sync_status: 'success' })
    await patch(admin, id, { sync_interval_minutes: 30 })
    expect(inMinutes((await rowOf(id)).next_run_at)).toBe(20)
    await patch(admin, id, { sync_interval_minutes: 5 })
    expect(inMinutes((await rowOf(id)).next_run_at)).toBe(0)
    await patch(admin, id, { sync_interval_minutes: 1_440 })
    expect(inMinutes((await rowOf(id)).next_run_at)).toBe(1_430)
    await backTo(id, { next_run_at: LATER(), last_sync_status: 'partial' })
    await patch(admin, id, { sync_interval_minutes: 600 })
    expect(inMinutes((await rowOf(id)).next_run_at)).toBe(50)
  })

  async function withRecord(change: Record<string, unknown>) {
    const admin = await hub.admin()
    const { id } = (await create(admin)).body
    const record = { tenant_id: admin.tenantId, connection_id: id, external_id: 'X1', next_attempt_at: LATER(), failures: 3 }
    const rows = [
      { ...record, entity_type: 'work_order', entity_id: randomUUID(), is_due: true, sent_hash: 'a' },
      { ...record, entity_type: 'downtime', entity_id: randomUUID(), is_due: false, sent_hash: 'b' },
      { ...record, entity_type: 'machine', entity_id: randomUUID(), is_due: false, sent_hash: null },
    ]
    await hub.owner`insert into erp_records ${hub.owner(rows)}`
    expect((await patch(admin, id, change)).status).toBe(200)
    return hub.owner`select * from erp_records where connection_id = ${id} order by entity_type desc`
  }

  it('of credentials or mapping tries failed records at once, and keeps their ids in the ERP', async () => {
    for (const change of [{ config: { password: 'rotated-secret' } }, { field_mapping: { title: 'x' } }]) {
      const [order, , downtime] = await withRecord(change)
      expect(order).toMatchObject({ failures: 0, external_id: 'X1', sent_hash: 'a', is_due: true })
      expect(inMinutes(order?.next_attempt_at)).toBe(0)
      expect(downtime).toMatchObject({ external_id: 'X1', sent_hash: 'b', is_due: false })
    }
  })

  it('of the address forgets ids and payloads, because the other ERP knows none of them', async () => {
    const rows = await withRecord({ config: { base_url: 'https://erp2.example.com/', password: 'again' } })
    const none = { external_id: null, sent_hash: null, failures: 0, version: 2 }
    expect(rows.map(({ entity_type, is_due }) => [entity_type, is_due])).toEqual([
      ['work_order', true],
      ['machine', false],
      ['downtime', true],
    ])
    for (const row of rows) expect(row).toMatchObject(none)
  })

  it.each([
    ['of the configuration', { config: { username: 'other' } }, 'The connection was changed during the run.'],
    ['that deactivates', { is_active: false }, 'The connection was deactivated during the run.'],
  ])('%s ends the run under way; others let it go on', async (_name, change, message) => {
    const admin = await hub.admin()
    const { id } = (await create(admin)).body
    const lease = { leased_by: randomUUID(), leased_until: LATER(), started_at: hub.clock.now(), succeeded: 1 }
    const kind = { direction: 'outbound', entity_type: 'work_order', trigger: 'manual' }
    await hub.owner`insert into erp_runs ${hub.owner({ tenant_id: admin.tenantId, connection_id: id, ...kind, ...lease })}`
    await patch(admin, id, { name: 'Other', auto_push_downtime: true })
    const runs = async () => (await admin.call('GET', `erp/connections/${id}/runs`)).body.items
    expect(await runs()).toMatchObject([{ status: 'running', ended_at: null }])
    await patch(admin, id, change)
    expect(await runs()).toMatchObject([{ status: 'partial', ended_at: expect.any(String), error_message: message }])
    const [row] = await hub.owner`select leased_by from erp_runs where connection_id = ${id}`
    expect(row?.leased_by).not.toBe(lease.leased_by)
  })
})
