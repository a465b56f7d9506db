import { randomUUID } from 'node:crypto'
import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import { PASSWORD, plant, useHub } from './harness.ts'

const hub = useHub()
const fresh = (values: Record<string, unknown> = {}) => ({
  email: `${randomUUID()}@example.com`,
  password: PASSWORD,
  full_name: 'Ada',
  tenant_name: 'Acme',
  ...values,
})
const login = (email: string, password = PASSWORD, ip?: string) => hub.call('POST', 'auth/login', { email, password }, {}, ip)
const refresh = (cookie: string) => hub.call('POST', 'auth/refresh', undefined, { cookie: `refresh_token=${cookie}` })
const cookieOf = (headers: Headers) => /refresh_token=([^;]*)/.exec(headers.get('set-cookie') ?? '')?.[1] ?? ''

describe('registration', () => {
  it('makes a tenant with an admin, signs in, and sets the refresh cookie', async () => {
    const given = fresh()
    const answer = await hub.call('POST', 'auth/register', given)
    expect(answer).toMatchObject({ status: 201, body: { token_type: 'bearer', mfa_required: false } })
    expect(answer.headers.get('set-cookie')).toMatch(
      /^refresh_token=[\w-]{43}; Path=\/api\/v1\/auth; Max-Age=2592000; HttpOnly; Secure; SameSite=Strict$/,
    )
    const me = await hub.call('GET', 'auth/me', undefined, { authorization: `Bearer ${answer.body.access_token}` })
    expect(me.body).toEqual({
      version: expect.any(String),
      id: expect.any(String),
      email: given.email,
      full_name: 'Ada',
      tenant_id: expect.any(String),
      tenant_name: given.tenant_name,
      role: 'admin',
      is_active: true,
      mfa_enabled: false,
      mfa_setup_required: false,
      phone: null,
      timezone: null,
      locale: null,
      onboarding_completed: false,
      pinned_metrics: [],
      subscription_status: 'active',
      subscription_tier: 'free',
    })
    const claims = decodeJwt(answer.body.access_token)
    expect(claims).toMatchObject({
      sub: me.body.id,
      tid: me.body.tenant_id,
      role: 'admin',
      sid: expect.any(String),
      jti: expect.any(String),
    })
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(900)
  })
  it('refuses an e-mail that any tenant has, whatever its case', async () => {
    const given = fresh()
    await hub.call('POST', 'auth/register', given)
    expect(await hub.call('POST', 'auth/register', { ...given, email: given.email.toUpperCase() })).toMatchObject({
      status: 409,
      body: { code: 'email_taken' },
    })
  })
  it('lets one of two that register together in', async () => {
    const given = fresh()
    const answers = await Promise.all([1, 2, 3].map(() => hub.call('POST', 'auth/register', given)))
    expect(answers.map((a) => a.status).sort()).toEqual([201, 409, 409])
  })
  it.each([
    [{ password: 'Short1a' }, 422],
    [{ password: 'Abcdefg1' }, 201],
    [{ password: 'alllower1' }, 422],
    [{ password: 'ALLUPPER1' }, 422],
    [{ password: 'NoDigitsHere' }, 422],
    [{ password: `Aa1${'x'.repeat(125)}` }, 201],
    [{ password: `Aa1${'x'.repeat(126)}` }, 422],
    [{ email: 'nobody' }, 422],
    [{ full_name: 'x'.repeat(201) }, 422],
    [{ tenant_name: undefined }, 422],
  ])('with %o is answered %d', async (values, status) => {
    expect((await hub.call('POST', 'auth/register', fresh(values))).status).toBe(status)
  })
})

describe('login', () => {
  it('answers unknown e-mail and wrong password alike', async () => {
    const given = fresh()
    await hub.call('POST', 'auth/register', given)
    const [wrong, unknown] = [await login(given.email, 'Wrong-password-1'), await login('nobody@example.com')]
    const same = ({ status, body: { request_id: _, ...body } }: typeof wrong) => ({ status, body })
    expect(same(wrong)).toEqual(same(unknown))
    expect(wrong.status).toBe(401)
    expect((await login(given.email.toUpperCase())).status).toBe(200)
  })
  it('locks an account after 10 failures, also for the right password and for accounts that do not exist', async () => {
    const given = fresh()
    await hub.call('POST', 'auth/register', given)
    for (const email of [given.email, `${randomUUID()}@example.com`]) {
      for (let i = 0; i < 10; i++) expect((await login(email, 'Wrong-password-1')).status).toBe(401)
      expect(await login(email)).toMatchObject({ status: 429, body: { code: 'login_locked', retry_after: expect.any(Number) } })
    }
    hub.clock.advance(15 * 60 + 1)
    expect((await login(given.email)).status).toBe(200)
  })
  it('counts failures of an account under every spelling that opens it', async () => {
    const given = { ...fresh(), email: `indigo-${randomUUID()}@example.com` }
    await hub.call('POST', 'auth/register', given)
    for (const email of [given.email.replace('i', 'İ'), given.email.replace('i', 'ı')])
      expect((await login(email)).status).toBe(401)
    for (let i = 0; i < 10; i++)
      expect((await login(i % 2 ? given.email : given.email.toUpperCase(), 'Wrong-password-1')).status).toBe(401)
    expect((await login(given.email)).status).toBe(429)
  })
  it('locks an address after 10 failures over many accounts; success does not reset it', async () => {
    const ip = '198.51.100.9'
    const given = fresh()
    await hub.call('POST', 'auth/register', given)
    for (let i = 0; i < 9; i++) await login(`${randomUUID()}@example.com`, PASSWORD, ip)
    expect((await login(given.email, PASSWORD, ip)).status).toBe(200)
    expect((await login(given.email, 'Wrong-password-1', ip)).status).toBe(401)
    expect((await login(given.email, PASSWORD, ip)).status).toBe(429)
    expect((await login(given.email)).status).toBe(200)
  })
  it('forgets failures after 10 minutes, and all of them on success', async () => {
    const given = fresh()
    await hub.call('POST', 'auth/register', given)
    for (let i = 0; i < 9; i++) await login(given.email, 'Wrong-password-1')
    expect((await login(given.email)).status).toBe(200)
    for (let i = 0; i < 9; i++) await login(given.email, 'Wrong-password-1')
    hub.clock.advance(10 * 60 + 1)
    expect((await login(given.email, 'Wrong-password-1')).status).toBe(401)
    expect((await login(given.email)).status).toBe(200)
  })
  it('counts exactly with many attempts at once: ten are answered for themselves', async () => {
    const given = fresh()
    await hub.call('POST', 'auth/register', given)
    const answers = await Promise.all(Array.from({ length: 40 }, () => login(given.email, 'Wrong-password-1')))
    expect(answers.filter((a) => a.status === 401)).toHaveLength(10)
    expect(answers.filter((a) => a.status === 429)).toHaveLength(30)
  })
  it('counts a registration that answers 409 as a failure of the address', async () => {
    const given = fresh()
    await hub.call('POST', 'auth/register', given)
    const ip = '198.51.100.10'
    for (let i = 0; i < 10; i++) expect((await hub.call('POST', 'auth/register', given, {}, ip)).status).toBe(409)
    expect((await hub.call('POST', 'auth/register', fresh(), {}, ip)).status).toBe(429)
  })
})

describe('sessions', () => {
  it('rotate the refresh cookie; an old one that comes back later ends the session', async () => {
    const admin = await hub.admin()
    const first = await refresh(admin.cookie)
    expect(first).toMatchObject({ status: 200, body: { token_type: 'bearer' } })
    hub.clock.advance(11)
    expect((await refresh(admin.cookie)).status).toBe(401)
    expect((await refresh(cookieOf(first.headers))).status).toBe(401)
    expect((await admin.call('GET', 'auth/me')).status).toBe(401)
  })
  it('let one of 20 parallel refreshes win and revoke nothing', async () => {
    const admin = await hub.admin()
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(admin.cookie)))
    const won = answers.filter((a) => a.status === 200)
    expect([won.length, answers.filter((a) => a.status === 401).length]).toEqual([1, 19])
    for (const { status, body, headers } of answers)
      if (status === 401) expect([body.code, headers.get('set-cookie')]).toEqual(['refresh_token_used', null])
    expect((await refresh(cookieOf((won[0] as (typeof answers)[number]).headers))).status).toBe(200)
  })
  it('end with logout: access token and cookie stop working at once, other sessions go on', async () => {
    const given = fresh()
    await hub.call('POST', 'auth/register', given)
    const [one, other] = [await login(given.email), await login(given.email)]
    const call = (answer: typeof one, method: string, path: string) =>
      hub.call(method, path, undefined, { authorization: `Bearer ${answer.body.access_token}` })
    expect((await call(one, 'POST', 'auth/logout')).status).toBe(204)
    expect((await call(one, 'GET', 'auth/me')).status).toBe(401)
    expect((await refresh(cookieOf(one.headers))).status).toBe(401)
    expect((await call(other, 'GET', 'auth/me')).status).toBe(200)
  })
  it('take role and deactivation from the database, not from the token', async () => {
    const admin = await hub.admin()
    const viewer = await hub.colleague(admin, 'viewer')
    expect((await viewer.call('POST', 'machines', {})).status).toBe(403)
    await hub.owner`update users set role = 'operator' where id = ${viewer.userId}`
    expect((await viewer.call('POST', 'machines', {})).status).toBe(422)
    await hub.owner`update users set is_active = false where id = ${viewer.userId}`
    expect((await viewer.call('POST', 'machines', {})).status).toBe(401)
  })
  it('end with the access token after 15 minutes; the cookie after 30 days', async () => {
    const admin = await hub.admin()
    hub.clock.advance(15 * 60 + 1)
    expect((await admin.call('GET', 'auth/me')).status).toBe(401)
    hub.clock.advance(30 * 86_400)
    expect((await refresh(admin.cookie)).status).toBe(401)
    const without = await hub.call('POST', 'auth/refresh')
    // there is no cookie to delete
    expect([without.status, without.headers.get('set-cookie')]).toEqual([401, null])
  })
})

describe('a hub that is closed for registration', () => {
  it('creates no tenant, and lets those in who are there', async () => {
    const { config } = hub.deps
    const address = `${randomUUID()}@example.com`
    const given = { email: address, password: PASSWORD, full_name: 'Ada', tenant_name: 'Acme' }
    config.isRegistrationOpen = false
    try {
      expect(await hub.call('POST', 'auth/register', given)).toMatchObject({ status: 403, body: { code: 'registration_closed' } })
      expect(await hub.owner`select 1 from users where email = ${address}`).toHaveLength(0)
    } finally {
      config.isRegistrationOpen = true
    }
    expect((await hub.call('POST', 'auth/register', given)).status).toBe(201)
    config.isRegistrationOpen = false
    try {
      expect((await hub.call('POST', 'auth/login', { email: address, password: PASSWORD })).status).toBe(200)
    } finally {
      config.isRegistrationOpen = true
    }
  })
})

describe('API keys', () => {
  it('are told once, stored as a hash, listed masked, and revoked at once', async () => {
    const { admin, key, identifier } = await plant(hub)
    expect(key).toMatch(/^hk_[0-9a-z]{8}_[\w-]{43}$/)
    const [row] = await hub.owner`select * from api_keys where tenant_id = ${admin.tenantId}`
    expect(JSON.stringify(row)).not.toContain(key.slice(12))
    const listed = (await admin.call('GET', 'api-keys')).body
    expect(listed).toEqual([
      {
        id: row?.id,
        name: 'test',
        key_prefix: `${key.slice(0, 11)}_***`,
        agent_id: null,
        is_active: true,
        created_at: expect.any(String),
        last_used_at: null,
      },
    ])
    expect((await hub.send(key, [{ machine: identifier, value: 1 }])).status).toBe(207)
    expect((await admin.call('GET', 'api-keys')).body[0].last_used_at).not.toBeNull()
    expect((await admin.call('DELETE', `settings/api-keys/${row?.id}`)).status).toBe(204)
    expect((await hub.send(key, [{ machine: identifier, value: 1 }])).status).toBe(401)
    expect((await admin.call('GET', 'api-keys')).body[0].is_active).toBe(false)
    expect((await admin.call('DELETE', `settings/api-keys/${row?.id}`)).status).toBe(204)
  })
  it('need a name of 1 to 255 characters', async () => {
    const admin = await hub.admin()
    for (const [name, status] of [
      ['', 422],
      ['x'.repeat(200), 201],
      ['x'.repeat(201), 422],
    ] as const)
      expect((await admin.call('POST', 'api-keys', { name })).status).toBe(status)
  })
  it('count when both credentials are sent and the operation asks for a key, and the other way round', async () => {
    const { admin, key } = await plant(hub)
    const both = { 'x-api-key': key, authorization: `Bearer ${admin.token}` }
    expect((await hub.call('POST', 'ingest', { readings: [] }, both)).status).toBe(207)
    expect((await hub.call('GET', 'machines', undefined, both)).status).toBe(200)
  })
})
