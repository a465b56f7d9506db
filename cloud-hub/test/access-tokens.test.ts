import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { scopeOf, TOKEN_SCOPES, type TokenScope } from '../src/features/people/accounts/index.ts'
import { watchTokens } from '../src/features/people/tokens/index.ts'
import { openStream } from './event-stream.ts'
import { limitOf, PASSWORD, plant, type TestUser, useHub } from './harness.ts'

const hub = useHub({ TRUSTED_PROXIES: '192.0.2.1' })
const DAY = 86_400

const as = (token: string) => ({ authorization: `Bearer ${token}` })
const get = (token: string, path: string, headers: Record<string, string> = {}, ip?: string) =>
  hub.call('GET', path, undefined, { ...as(token), ...headers }, ip)
async function tokenOf(user: TestUser, given: Record<string, unknown> = {}) {
  const { status, body } = await user.call('POST', 'tokens', { name: 'export', scopes: ['machines:read'], ...given })
  expect([status, body.code]).toEqual([201, undefined])
  return body as { id: string; token: string; token_prefix: string }
}
/** The entry of a token in the list of its owner. */
const entryOf = async (user: TestUser, id: string) =>
  (await user.call('GET', 'tokens')).body.find((one: { id: string }) => one.id === id)

describe('a personal access token', () => {
  it('is shown once, and only its hash is stored', async () => {
    const admin = await hub.admin()
    const made = await tokenOf(admin)
    expect(made.token).toMatch(/^ht_[0-9a-z]{8}_[A-Za-z0-9_-]{43}$/)
    const { body } = await admin.call('GET', 'tokens')
    expect(JSON.stringify(body)).not.toContain(made.token.slice(12))
    expect(body[0]).toMatchObject({ id: made.id, status: 'active', last_used_at: null, owner_id: admin.userId })
    const [row] = await hub.owner`select to_jsonb(t)::text as all from access_tokens t where id = ${made.id}`
    expect(row?.all).not.toContain(made.token.slice(12))
  })

  it('acts as its owner, in what it creates and in the audit trail', async () => {
    const admin = await hub.admin()
    const { token } = await tokenOf(admin, { name: 'x) eve@example.com ("', scopes: ['machines:write'] })
    const given = { name: 'Press', machine_identifier: `m-${randomUUID()}`, protocol: 'json' }
    expect((await hub.call('POST', 'machines', given, as(token))).status).toBe(201)
    const [entry] = (await admin.call('GET', 'audit-log?action=machine.created')).body.items
    expect(entry.actor).toMatchObject({ kind: 'token', id: admin.userId })
    expect(entry.actor.name).toMatch(/^[^ ]+@example.com \(ht_[0-9a-z]{8} "x\) eve@example.com \('"\)$/)
    expect((await get(token, 'auth/me')).body.id).toBe(admin.userId)
  })

  it('never exceeds the present role of its owner, and ends with the account', async () => {
    const admin = await hub.admin()
    const member = await hub.colleague(admin, 'admin')
    const { token } = await tokenOf(member, { scopes: ['machines:write', 'audit:read'] })
    const create = () =>
      hub.call('POST', 'machines', { name: 'P', machine_identifier: `m-${randomUUID()}`, protocol: 'json' }, as(token))
    expect((await get(token, 'audit-log')).status).toBe(200)
    await admin.call('PUT', `users/${member.userId}/role`, { role: 'operator' })
    expect((await get(token, 'audit-log')).body.code).toBe('role_insufficient')
    expect((await create()).status).toBe(201)
    await admin.call('PUT', `users/${member.userId}/role`, { role: 'viewer' })
    expect((await create()).body.code).toBe('role_insufficient')
    await admin.call('PATCH', `users/${member.userId}`, { is_active: false })
    expect((await get(token, 'auth/me')).body.code).toBe('token_revoked')
    await hub.owner`delete from users where id = ${member.userId}`
    expect((await get(token, 'auth/me')).body.code).toBe('token_invalid')
  })

  it('expires after at most a year', async () => {
    const admin = await hub.admin()
    const wrong = await admin.call('POST', 'tokens', { name: 'x', scopes: ['machines:read'], expires_in_days: 366 })
    expect([wrong.status, wrong.body.errors[0].code]).toEqual([422, 'at_most'])
    const { token } = await tokenOf(admin, { expires_in_days: 1 })
    hub.clock.advance(DAY - 60)
    expect((await get(token, 'machines')).status).toBe(200)
    hub.clock.advance(61)
    expect((await get(token, 'machines')).body.code).toBe('token_expired')
  })

  it('needs a recent sign-in or the password to be made', async () => {
    const admin = await hub.admin()
    hub.clock.advance(16 * 60)
    const { body } = await hub.call('POST', 'auth/refresh', undefined, { cookie: `refresh_token=${admin.cookie}` })
    const make = (more: object) =>
      hub.call('POST', 'tokens', { name: 'x', scopes: ['machines:read'], ...more }, as(body.access_token))
    expect((await make({})).body.code).toBe('reauthentication_required')
    expect((await make({ current_password: 'Wrong-horse-7' })).body.code).toBe('password_wrong')
    expect((await make({ current_password: PASSWORD })).status).toBe(201)
  })

  it('is revoked by its owner and by admins, at once, and by nobody else', async () => {
    const admin = await hub.admin()
    const [one, other] = [await hub.colleague(admin, 'viewer'), await hub.colleague(admin, 'operator')]
    const stranger = await hub.admin()
    const [first, second] = [await tokenOf(one), await tokenOf(one)]
    for (const user of [other, stranger])
      expect((await user.call('DELETE', `tokens/${first.id}`)).body.code).toBe('access_token_not_found')
    expect((await get(first.token, 'machines')).status).toBe(200)
    expect((await one.call('DELETE', `tokens/${first.id}`)).status).toBe(204)
    expect((await admin.call('DELETE', `tokens/${second.id}`)).status).toBe(204)
    for (const { token } of [first, second]) expect((await get(token, 'machines')).body.code).toBe('token_revoked')
    expect((await entryOf(one, second.id)).status).toBe('revoked')
    const all = (await admin.call('GET', 'settings/tokens')).body
    expect(all.map(({ id }: { id: string }) => id)).toEqual(expect.arrayContaining([first.id, second.id]))
    const trail = (await admin.call('GET', 'audit-log?kind=security&target_type=access_token')).body.items
    const updated = trail.filter(({ action }: { action: string }) => action === 'access_token.updated')
    expect(updated.map((one: { after: object }) => one.after)).toEqual([
      expect.objectContaining({ is_active: false }),
      expect.objectContaining({ is_active: false }),
    ])
    expect(JSON.stringify(await admin.call('GET', 'audit-log?action=access_token.'))).not.toMatch(/"token_hash":"(?!\*\*\*)/)
  })

  it('is valid from its source addresses only, as the hub sees them behind a trusted proxy', async () => {
    const admin = await hub.admin()
    const { token } = await tokenOf(admin, { source_addresses: ['198.51.100.0/24', '2001:db8::/32'] })
    const from = (ip: string, forwarded?: string) => get(token, 'machines', forwarded ? { 'x-forwarded-for': forwarded } : {}, ip)
    expect((await from('198.51.100.7')).status).toBe(200)
    expect((await from('2001:db8::7')).status).toBe(200)
    expect((await from('::ffff:198.51.100.7')).status).toBe(200)
    expect((await from('192.0.2.1', '198.51.100.7')).status).toBe(200)
    const refused = await from('203.0.113.9', '198.51.100.7')
    expect(refused.body).toMatchObject({ code: 'token_address_not_allowed', params: { address: '203.0.113.9' } })
    const odd = await admin.call('POST', 'tokens', { name: 'x', scopes: ['machines:read'], source_addresses: ['10.0.0.0/33'] })
    expect(odd.body.errors[0]).toMatchObject({ path: 'body.source_addresses.0', code: 'invalid_address_range' })
  })

  it('goes into the header only: in an address, a cookie or another header it opens nothing', async () => {
    const { token } = await tokenOf(await hub.admin())
    for (const path of [`machines?access_token=${token}`, `machines?token=${token}`, `stream?access_token=${token}`])
      expect((await hub.call('GET', path)).body.code).toBe('token_missing')
    expect((await hub.call('GET', 'machines', undefined, { 'x-api-key': token })).body.code).toBe('api_key_invalid')
    expect((await hub.call('GET', 'machines', undefined, { cookie: `access_token=${token}` })).body.code).toBe('token_missing')
    expect((await hub.call('POST', 'ingest', { readings: [] }, as(token))).body.code).toBe('api_key_missing')
  })

  it('does not appear in the log, in an address where it does not belong either', async () => {
    const { token } = await tokenOf(await hub.admin())
    const lines: unknown[] = []
    const { logger } = hub.deps
    const original = logger.debug.bind(logger)
    logger.debug = ((line: unknown) => lines.push(line)) as typeof logger.debug
    try {
      await get(token, 'machines')
      await get(`${token}x`, 'machines')
      for (const path of [`machines?token=${token}`, `machines/${token}`, token, `%68t_${token.slice(3)}`])
        await hub.call('GET', path)
    } finally {
      logger.debug = original
    }
    expect(lines).toHaveLength(6)
    expect(JSON.stringify(lines).toLowerCase()).not.toContain(token.slice(16, 40).toLowerCase())
  })

  it('answers garbled and foreign tokens with 401, and never with a fault', async () => {
    const { token } = await tokenOf(await hub.admin())
    const odd = [
      'ht_',
      'ht_________',
      token.slice(0, -1),
      `${token}A`,
      token.toUpperCase(),
      token.replace(/^ht/, 'hk'),
      `${token.slice(0, -4)}AAAA`,
      `ht_${'a'.repeat(8)}_${'b'.repeat(43)}`,
      `ht_${"'; drop"}_${'b'.repeat(43)}`,
      `ht_${'x'.repeat(5_000)}`,
    ]
    for (const one of odd) {
      const { status, body } = await hub.call('GET', 'machines', undefined, { authorization: `Bearer ${one}` })
      expect([one.slice(0, 60), status, body.code]).toEqual([
        one.slice(0, 60),
        401,
        expect.stringMatching(/^token_(invalid|missing)$/),
      ])
    }
  })

  it('has rate limits of its own, and notes its use without a write for each request', async () => {
    const admin = await hub.admin()
    const [one, other] = [await tokenOf(admin), await tokenOf(admin)]
    const [, left] = limitOf((await get(one.token, 'machines')).headers)
    expect(limitOf((await get(one.token, 'machines')).headers)[1]).toBe((left ?? 0) - 1)
    expect(limitOf((await get(other.token, 'machines')).headers)[1]).toBe(left)
    const used = (await entryOf(admin, one.id)).last_used_at
    expect(used).not.toBeNull()
    hub.clock.advance(10)
    await get(one.token, 'machines')
    expect((await entryOf(admin, one.id)).last_used_at).toBe(used)
    hub.clock.advance(60)
    await get(one.token, 'machines')
    expect(Date.parse((await entryOf(admin, one.id)).last_used_at)).toBeGreaterThan(Date.parse(used))
  })

  it('counts for the limit of the tenant, and an account has at most 50', async () => {
    const admin = await hub.admin()
    await hub.owner`update tenants set limits = '{"tokens": 2}' where id = ${admin.tenantId}`
    const { id } = await tokenOf(admin)
    await tokenOf(admin, { expires_in_days: 1 })
    const more = () => admin.call('POST', 'tokens', { name: 'x', scopes: ['team:read'] })
    expect((await more()).body).toMatchObject({ code: 'tenant_limit', params: { kind: 'tokens', limit: 2 } })
    await admin.call('DELETE', `tokens/${id}`)
    await tokenOf(admin)
    await hub.owner`update tenants set limits = '{}' where id = ${admin.tenantId}`
    await hub.owner`
      insert into access_tokens (tenant_id, kind, user_id, name, prefix, token_hash, scopes, created_by, expires_at)
      select ${admin.tenantId}, 'token', ${admin.userId}, 'x', 'p' || n || ${randomUUID()}::text, 'h', '{team:read}', ${admin.userId}, now() + interval '9 days'
      from generate_series(1, 48) n`
    hub.clock.advance(60)
    expect((await more()).body).toMatchObject({ code: 'too_many_tokens', params: { limit: 50 } })
  })

  it('of a person without the second factor that the tenant requires opens nothing; that of an SSO user does', async () => {
    const admin = await hub.admin()
    const { token } = await tokenOf(admin)
    await hub.owner`update tenants set require_mfa = true where id = ${admin.tenantId}`
    expect((await get(token, 'machines')).body.code).toBe('mfa_setup_required')
    await hub.owner`
      insert into sso_identities (tenant_id, user_id, issuer, subject) values (${admin.tenantId}, ${admin.userId}, 'i', ${randomUUID()})`
    expect((await get(token, 'machines')).status).toBe(200)
  })
})

describe('a stream of a token', () => {
  it('ends within 5 seconds of its revocation', async () => {
    const { admin } = await plant(hub)
    const { id, token } = await tokenOf(admin, { scopes: ['stream:read'] })
    const stream = await openStream(hub.app, { token })
    await stream.next('ready')
    await admin.call('DELETE', `tokens/${id}`)
    expect(await stream.next('end')).toEqual({ reason: 'signed_out' })
  })
})

describe('a stream of a token of groups', () => {
  const groupOf = async (admin: TestUser, machine: { id: string }) => {
    const { id } = (await admin.call('POST', 'machine-groups', { name: `Hall ${randomUUID()}` })).body
    await admin.call('PUT', `machine-groups/${id}/members`, { machine_ids: [machine.id] })
    return id as string
  }

  it.each([
    ['a machine that leaves the groups', (machine: string) => `?machine_id=${machine}`],
    ['a group that is deleted', () => ''],
  ])('ends within 5 seconds with %s, and that of another machine goes on', async (what, query) => {
    const { admin, machine } = await plant(hub)
    const other = await hub.machine(admin)
    const [hall, yard] = [await groupOf(admin, machine), await groupOf(admin, other)]
    const [{ token }, outside] = [
      await tokenOf(admin, { scopes: ['stream:read'], group_ids: [hall] }),
      await tokenOf(admin, { scopes: ['stream:read'], group_ids: [yard] }),
    ]
    const [stream, staying] = [
      await openStream(hub.app, { token }, { query: query(machine.id) }),
      await openStream(hub.app, { token: outside.token }, { query: `?machine_id=${other.id}` }),
    ]
    await Promise.all([stream.next('ready'), staying.next('ready')])
    if (what.includes('deleted')) await admin.call('DELETE', `machine-groups/${hall}`)
    else await admin.call('PUT', `machine-groups/${hall}/members`, { machine_ids: [] })
    expect(await stream.next('end')).toEqual({ reason: 'outside_groups' })
    expect(staying.events.filter(({ name }) => name === 'end')).toEqual([])
  })
})

describe('the expiry of tokens', () => {
  const watch = () =>
    watchTokens({ allTenants: hub.deps.pools.system, box: hub.deps.box, publicUrl: 'http://hub.test' }, hub.clock.now())
  const mails = (user: TestUser) =>
    hub.owner`select to_email from mails where user_id = ${user.userId} and template = 'token_expiring'`

  it('is mailed 14 and 2 days before, once each, and not for a token that was made for less', async () => {
    const admin = await hub.admin()
    await tokenOf(admin, { expires_in_days: 30 })
    const short = await hub.colleague(admin, 'viewer')
    await tokenOf(short, { expires_in_days: 2 })
    await watch()
    expect(await mails(admin)).toHaveLength(0)
    hub.clock.advance(17 * DAY)
    for (let again = 0; again < 2; again++) await watch()
    expect(await mails(admin)).toHaveLength(1)
    hub.clock.advance(11.5 * DAY)
    for (let again = 0; again < 2; again++) await watch()
    expect(await mails(admin)).toHaveLength(2)
    expect(await mails(short)).toHaveLength(0)
  })

  it('frees their place, and they leave the list after 90 days', async () => {
    const admin = await hub.admin()
    const { id } = await tokenOf(admin, { expires_in_days: 1 })
    const used = async () =>
      (await hub.owner`select used::int from tenant_usage where tenant_id = ${admin.tenantId} and kind = 'tokens'`)[0]?.used
    expect(await used()).toBe(1)
    hub.clock.advance(2 * DAY)
    await watch()
    expect(await used()).toBe(0)
    const exists = async () => (await hub.owner`select 1 from access_tokens where id = ${id}`).length
    expect(await exists()).toBe(1)
    hub.clock.advance(90 * DAY)
    await watch()
    expect(await exists()).toBe(0)
  })
})

describe('the table of scopes', () => {
  const forUsers = () => hub.routes.filter(({ spec }) => ['any', 'operator', 'admin'].includes(spec.access))
  let admin: TestUser
  const tokens = new Map<TokenScope, string>()

  beforeAll(async () => {
    admin = await hub.admin()
    for (const scope of TOKEN_SCOPES) tokens.set(scope, (await tokenOf(admin, { scopes: [scope], expires_in_days: 365 })).token)
  })

  it('names every operation of signed-in users', () => {
    const missing = forUsers().filter(({ spec }) => JSON.stringify(scopeOf(spec.operation)).includes('not_listed'))
    expect(missing.map(({ spec }) => spec.operation)).toEqual([])
    expect(scopeOf('noSuchOperation')).toEqual({ closed: 'not_listed' })
  })

  it('is what each operation enforces, tried with every scope; what is closed stays closed with all of them', async () => {
    const { token: every } = await tokenOf(admin, { scopes: TOKEN_SCOPES, expires_in_days: 365 })
    const ended = new Set(['streamEvents'])
    for (const { spec } of forUsers()) {
      const path = `/api/v1${spec.path.replace(/\{\w+\}/g, () => randomUUID())}`
      const call = (token: string) =>
        hub.call(spec.method.toUpperCase(), path, spec.method === 'get' || spec.method === 'delete' ? undefined : '{', as(token))
      const needed = scopeOf(spec.operation)
      const whole = await call(every)
      if ('closed' in needed) {
        expect([spec.operation, whole.status, whole.body.code]).toEqual([spec.operation, 403, needed.closed])
        continue
      }
      expect([spec.operation, whole.status]).not.toEqual([
        spec.operation,
        expect.toSatisfy((s: number) => s === 401 || s === 403),
      ])
      for (const [scope, token] of tokens) {
        if (ended.has(spec.operation) && scope === needed.scope) continue
        const { status, body } = await call(token)
        const name = `${spec.operation} with ${scope}`
        if (needed.scope === 'any' || needed.scope === scope)
          expect([name, status]).not.toEqual([name, expect.toSatisfy((s: number) => s === 401 || s === 403)])
        else expect([name, status, body.code, body.params?.scope]).toEqual([name, 403, 'token_scope_missing', needed.scope])
      }
      hub.clock.advance(61)
    }
  })

  it('stands in the API document', async () => {
    const { paths } = (await hub.call('GET', 'openapi.json')).body
    for (const { spec } of forUsers()) {
      const operation = paths[`/api/v1${spec.path}`][spec.method]
      const needed = scopeOf(spec.operation)
      expect([spec.operation, operation['x-token-scope']]).toEqual([spec.operation, 'closed' in needed ? null : needed.scope])
      expect(operation.security.some((one: object) => 'programToken' in one)).toBe(!('closed' in needed))
    }
  })
})

describe('a token of groups', () => {
  it('reaches machines of these groups and of those below them, and nothing else', async () => {
    const admin = await hub.admin()
    const [inside, below, outside] = [await hub.machine(admin), await hub.machine(admin), await hub.machine(admin)]
    const group = async (name: string, machine: { id: string }, parent_id?: string) => {
      const { id } = (await admin.call('POST', 'machine-groups', { name, ...(parent_id ? { parent_id } : {}) })).body
      await admin.call('PUT', `machine-groups/${id}/members`, { machine_ids: [machine.id] })
      return id as string
    }
    const hall = await group('Hall', inside)
    const line = await group('Line', below, hall)
    const other = await group('Yard', outside)
    const scopes = TOKEN_SCOPES
    const { token } = await tokenOf(admin, { scopes, group_ids: [hall] })
    const names = async (path: string) => (await get(token, path)).body.items.map(({ id }: { id: string }) => id).toSorted()
    const code = async (method: string, path: string, body?: unknown) => {
      const { status, body: answer } = await hub.call(method, path, body, as(token))
      return answer?.code ?? status
    }
    // lists have the group, asked for or not
    expect(await names('machines')).toEqual([inside.id, below.id].toSorted())
    expect(await names(`machines?group_id=${line}`)).toEqual([below.id])
    expect(await code('GET', `machines?group_id=${other}`)).toBe('token_outside_groups')
    expect(await code('GET', `stream?group_id=${other}`)).toBe('token_outside_groups')
    for (const path of ['', '/readings/latest', '/tag-mappings', '/downtime']) {
      expect([path, await code('GET', `machines/${inside.id}${path}`)]).toEqual([path, 200])
      expect([path, await code('GET', `machines/${outside.id}${path}`)]).toEqual([path, 'token_outside_groups'])
      expect([path, await code('GET', `machines/${randomUUID()}${path}`)]).toEqual([
        path,
        expect.stringMatching(/^(token_outside_groups|machine_not_found)$/),
      ])
    }
    expect(await code('PATCH', `machines/${below.id}`, { location: 'Hall' })).toBe(200)
    expect(await code('PATCH', `machines/${outside.id}`, { location: 'Hall' })).toBe('token_outside_groups')
    // what is created names its machine
    const order = (machine_id: string) => ({ machine_id, title: 'Bearing' })
    expect(await code('POST', 'work-orders', order(inside.id))).toBe(201)
    expect(await code('POST', 'work-orders', order(outside.id))).toBe('token_outside_groups')
    // what is of all machines
    for (const path of [
      'bootstrap',
      'machine-groups',
      'machine-groups/tree',
      `machine-groups/${other}`,
      'alert-rules',
      'users',
      'audit-log',
      'fleet/sites',
    ])
      expect([path, await code('GET', path)]).toEqual([path, 'token_outside_groups'])
    expect(await code('POST', 'machine-groups', { name: 'Own', machine_ids: [inside.id] })).toBe('token_outside_groups')
    const rule = { metric_name: 'temperature', warning_threshold: 1, critical_threshold: 2 }
    expect(await code('POST', 'alert-rules', rule)).toBe('token_outside_groups')
    const whole = (await admin.call('POST', 'alert-rules', rule)).body.id
    expect(await code('PUT', `alert-rules/${whole}`, { machine_id: inside.id })).toBe('token_outside_groups')
    expect(await code('PUT', `machine-groups/${hall}/members`, { machine_ids: [outside.id] })).toBe('token_outside_groups')
    expect(await code('GET', `machine-groups/${hall}`)).toBe(200)
    // the group is deleted: nothing is left
    await admin.call('DELETE', `machine-groups/${hall}`)
    expect(await code('GET', 'machines')).toBe('token_outside_groups')
  })

  it('is made for groups of the own tenant only, and one of several groups must choose', async () => {
    const [admin, stranger] = [await hub.admin(), await hub.admin()]
    const [a, b] = await Promise.all(
      ['A', 'B'].map(async (name) => (await admin.call('POST', 'machine-groups', { name })).body.id as string),
    )
    const foreign = await stranger.call('POST', 'tokens', { name: 'x', scopes: ['machines:read'], group_ids: [a] })
    expect(foreign.body.code).toBe('machine_group_not_found')
    const { token } = await tokenOf(admin, { group_ids: [a, b] })
    const { code, detail, params } = (await get(token, 'machines')).body
    expect([code, detail, params]).toEqual([
      'token_outside_groups',
      expect.stringContaining('Add group_id=...'),
      { group_ids: `${a}, ${b}` },
    ])
    expect((await get(token, `machines?group_id=${b}`)).status).toBe(200)
  })
})
