import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { readClaims } from '../src/features/people/sso/claims.ts'
import { PASSWORD, type TestUser, useHub } from './harness.ts'
import { newKey, startOidcProvider, type TestProvider } from './support/oidc-provider.ts'

const hub = useHub({ OUTBOUND_ALLOW: '127.0.0.0/8' })
const CALLBACK = 'http://hub.test/api/v1/auth/sso/callback'
let provider: TestProvider
let admin: TestUser
let domain: string

beforeAll(async () => {
  // it reminds of defaults that do not matter here
  for (const level of ['info', 'warn'] as const) vi.spyOn(console, level).mockImplementation(() => {})
  provider = await startOidcProvider(CALLBACK)
})
afterAll(() => provider.close())
/** a tenant with a configuration, and somebody signed in at its provider */
beforeEach(async () => {
  admin = await hub.admin()
  domain = `${randomUUID()}.example`
  provider.person = { sub: randomUUID(), email: `Ann@${domain}`, email_verified: true, name: 'Ann Other' }
  expect((await admin.call('POST', 'auth/sso/config', given())).status).toBe(201)
  await prove(admin)
})
/** Publishes the record that the configuration names, and has the hub look for it. */
async function prove(by: TestUser) {
  const { domain_challenge } = (await by.call('GET', 'auth/sso/config')).body
  // as a DNS gives long texts: in parts, beside others
  hub.txtRecords.set(domain_challenge.name, [['v=spf1'], [domain_challenge.value.slice(0, 30), domain_challenge.value.slice(30)]])
  expect((await by.call('POST', 'auth/sso/config/verify-domain')).body.domain_verified).toBe(true)
}

const given = (values: Record<string, unknown> = {}) => ({
  provider_name: 'Acme ID',
  ...provider.client,
  discovery_url: provider.issuer,
  domain,
  ...values,
})
const check = async () => hub.call('GET', `auth/sso/check?email=ann@${domain}`)
const callback = (url: URL, headers: Record<string, string> = {}) =>
  hub.call('GET', `${url.pathname}${url.search}`, undefined, headers)
const exchange = (code: string) => hub.call('POST', 'auth/sso/exchange', { code })
const begin = async () => provider.signIn((await check()).body.authorization_url)
const codeOf = (location: string | null) => new URL(location ?? '').searchParams.get('code') ?? ''
async function signIn() {
  const answer = await callback(await begin())
  expect([answer.status, answer.body]).toEqual([302, ''])
  return exchange(codeOf(answer.headers.get('location')))
}
const me = (token: string) => hub.call('GET', 'auth/me', undefined, { authorization: `Bearer ${token}` })

describe('signing in through a provider', () => {
  it('makes a new user a viewer of the tenant, gives token and cookie, and finds him again by his subject', async () => {
    const asked = await check()
    expect(asked.body).toMatchObject({ sso_enabled: true, provider_name: 'Acme ID' })
    const authorization = new URL(asked.body.authorization_url)
    expect(Object.fromEntries(authorization.searchParams)).toMatchObject({
      response_type: 'code',
      redirect_uri: CALLBACK,
      code_challenge_method: 'S256',
      state: expect.any(String),
      nonce: expect.any(String),
    })
    const first = await signIn()
    expect(first).toMatchObject({ status: 200, body: { token_type: 'bearer', mfa_required: false } })
    expect(first.headers.get('set-cookie')).toMatch(/^refresh_token=/)
    const user = (await me(first.body.access_token)).body
    expect(user).toMatchObject({ email: `Ann@${domain}`, full_name: 'Ann Other', role: 'viewer', tenant_id: admin.tenantId })

    provider.person = { ...provider.person, email: 'ann@elsewhere.example' }
    expect((await me((await signIn()).body.access_token)).body.id).toBe(user.id)
    const trail = (await admin.call('GET', `audit-log?target_id=${user.id}`)).body.items
    expect(trail.map((e: { action: string }) => e.action)).toEqual(['user.signed_in', 'user.signed_in', 'user.created'])
  })

  it('links a user who exists, with his role, and an invited one without his link', async () => {
    const role = 'operator'
    await admin.call('POST', 'users/invite', { email: `ann@${domain}`, full_name: 'Ann', role })
    const user = (await me((await signIn()).body.access_token)).body
    expect(user).toMatchObject({ email: `ann@${domain}`, role })
    expect((await admin.call('GET', 'users')).body.find((u: { id: string }) => u.id === user.id).status).toBe('active')
  })

  it('reads e-mail and name from the userinfo endpoint of providers that keep them there', async () => {
    await provider.claimsInIdToken(false)
    expect((await me((await signIn()).body.access_token)).body.full_name).toBe('Ann Other')
    await provider.claimsInIdToken(true)
  })

  it('goes on when the provider has rotated its keys in between', async () => {
    expect((await signIn()).status).toBe(200)
    await provider.rotateKeys()
    expect((await signIn()).status).toBe(200)
  })

  it('believes no token that is signed with a key the provider does not publish', async () => {
    provider.lieAboutKeys([await newKey()])
    try {
      expect(await callback(await begin())).toMatchObject({ status: 401, body: { code: 'sso_failed' } })
    } finally {
      provider.lieAboutKeys(null)
    }
  })

  it('of two who come in for the first time at once makes one user', async () => {
    const urls = [await begin(), await begin()]
    const answers = await Promise.all(urls.map((url) => callback(url)))
    expect(answers.map((a) => a.status)).toEqual([302, 302])
    expect((await admin.call('GET', 'users')).body.length).toBe(2)
  })

  it('leaves password sign-in possible, and an SSO user without a password', async () => {
    const token = (await signIn()).body.access_token
    const body = { current_password: 'x', new_password: 'Fresh-pass-1' }
    const as = { authorization: `Bearer ${token}` }
    expect((await hub.call('POST', 'settings/change-password', body, as)).body.code).toBe('password_not_set')
    const email = (await admin.call('GET', 'auth/me')).body.email
    expect((await hub.call('POST', 'auth/login', { email, password: PASSWORD })).status).toBe(200)
  })
})

describe('is refused', () => {
  const refused = async (code: string, status = 403) =>
    expect(await callback(await begin())).toMatchObject({ status, body: { code } })

  it.each([[false], [undefined]])('an e-mail address whose email_verified is %s', async (email_verified) => {
    provider.person = { ...provider.person, ...(email_verified === undefined ? {} : { email_verified }) }
    if (email_verified === undefined) delete provider.person.email_verified
    await refused('email_not_verified')
  })
  it('an e-mail address of another domain', async () => {
    provider.person.email = 'ann@elsewhere.example'
    await refused('email_domain_not_allowed')
  })
  it("another tenant's user", async () => {
    const other = await hub.admin()
    await other.call('POST', 'users', { email: `ann@${domain}`, password: PASSWORD, full_name: 'Ann', role: 'admin' })
    await refused('email_of_other_tenant')
  })
  it('a deactivated user', async () => {
    const user = (await me((await signIn()).body.access_token)).body
    await admin.call('DELETE', `users/${user.id}`)
    await refused('user_deactivated')
  })
  it('a service account, though an identity of the provider were linked to it', async () => {
    const user = (await me((await signIn()).body.access_token)).body
    const { id } = (await admin.call('POST', 'service-accounts', { name: 'MES', role: 'admin' })).body
    await hub.owner`update sso_identities set user_id = ${id} where user_id = ${user.id}`
    await refused('user_deactivated')
    await hub.owner`delete from sso_identities where user_id = ${id}`
    await hub.owner`delete from users where id = ${user.id}`
    await hub.owner`update users set email = ${user.email} where id = ${id}`
    await refused('user_deactivated')
  })
  it('a new user of a tenant that has as many as it may have, until one has left', async () => {
    const limit = (users: object) =>
      hub.owner`update tenants set limits = ${hub.owner.json(users as never)} where id = ${admin.tenantId}`
    const [row] = await hub.owner<{ used: number }[]>`
      select used::int from tenant_usage where tenant_id = ${admin.tenantId} and kind = 'users'`
    await limit({ users: row?.used })
    await refused('no_place_for_user')
    await limit({ users: (row?.used ?? 0) + 1 })
    expect((await signIn()).status).toBe(200)
    await limit({ users: 0 })
    expect((await signIn()).status, 'who has an account').toBe(200)
    await limit({})
  })
  it('a state twice, after ten minutes, or made up', async () => {
    const url = await begin()
    expect((await callback(url)).status).toBe(302)
    expect(await callback(url)).toMatchObject({ status: 401, body: { code: 'sso_state_invalid' } })
    const late = await begin()
    hub.clock.advance(601)
    expect((await callback(late)).body.code).toBe('sso_state_invalid')
    expect((await callback(new URL(`${CALLBACK}?state=x&code=y`))).body.code).toBe('sso_state_invalid')
    expect((await callback(new URL(`${CALLBACK}?code=y`))).status).toBe(422)
  })
  it('an authorization code that is made up', async () => {
    const url = await begin()
    url.searchParams.set('code', 'made-up')
    expect((await callback(url)).body.code).toBe('sso_failed')
  })
  it('a browser that did not begin the sign-in', async () => {
    const asked = await check()
    const cookie = (asked.headers.get('set-cookie') ?? '').split(';')[0] as string
    expect(asked.headers.get('set-cookie')).toMatch(/; HttpOnly; Secure; SameSite=Lax$/)
    const url = await provider.signIn(asked.body.authorization_url)
    expect((await callback(url, { 'sec-fetch-mode': 'navigate' })).body.code).toBe('sso_state_invalid')
    const again = await provider.signIn(
      (await hub.call('GET', `auth/sso/check?email=ann@${domain}`, undefined, { cookie })).body.authorization_url,
    )
    expect((await callback(again, { 'sec-fetch-mode': 'navigate', cookie })).status).toBe(302)
  })
  it('with a page for people', async () => {
    provider.person.email_verified = false
    const answer = await callback(await begin(), { accept: 'text/html' })
    expect([answer.status, answer.headers.get('location')]).toEqual([302, 'http://hub.test/sso?error=email_not_verified'])
  })
})

describe('the one-time code', () => {
  it('works once and for a minute; guessing locks the address out', async () => {
    const code = codeOf((await callback(await begin())).headers.get('location'))
    expect((await exchange(code)).status).toBe(200)
    expect(await exchange(code)).toMatchObject({ status: 401, body: { code: 'sso_code_invalid' } })
    const late = codeOf((await callback(await begin())).headers.get('location'))
    hub.clock.advance(61)
    expect((await exchange(late)).status).toBe(401)
    const ip = '192.0.2.9'
    const guess = () => hub.call('POST', 'auth/sso/exchange', { code: 'guess' }, {}, ip)
    for (let i = 0; i < 10; i++) expect((await guess()).status).toBe(401)
    expect((await guess()).status).toBe(429)
  })
})

describe('the check', () => {
  it('says no for addresses of no configured domain', async () => {
    const answer = await hub.call('GET', 'auth/sso/check?email=a@nowhere.example')
    expect(answer.body).toEqual({ sso_enabled: false, provider_name: null, authorization_url: null })
    expect((await hub.call('GET', 'auth/sso/check')).status).toBe(422)
    expect((await hub.call('GET', 'auth/sso/check?email=nobody')).status).toBe(422)
  })
  it('says that the provider is away when it is', async () => {
    await admin.call('PATCH', 'auth/sso/config', { discovery_url: 'http://127.0.0.1:9/', client_secret: 'x' })
    expect(await check()).toMatchObject({ status: 503, body: { code: 'sso_provider_away' } })
  })
})

describe('a claim without proof', () => {
  const claim = async () => {
    const other = await hub.admin()
    expect((await other.call('DELETE', 'auth/sso/config')).status).toBe(404)
    return other
  }

  it('has no effect and blocks nobody; who proves the domain first has it', async () => {
    const free = `${randomUUID()}.example`
    const [squatter, owner] = [await claim(), await claim()]
    for (const each of [squatter, owner]) {
      const made = await each.call('POST', 'auth/sso/config', given({ domain: free }))
      expect([made.status, made.body.domain_verified]).toEqual([201, false])
    }
    const asked = await hub.call('GET', `auth/sso/check?email=ann@${free}`)
    expect(asked.body).toEqual({ sso_enabled: false, provider_name: null, authorization_url: null })
    await prove(owner)
    expect((await hub.call('GET', `auth/sso/check?email=ann@${free}`)).body.sso_enabled).toBe(true)
    // the other one publishes nothing, then the right record too late
    expect(await squatter.call('POST', 'auth/sso/config/verify-domain')).toMatchObject({
      status: 409,
      body: { code: 'domain_unproven', detail: expect.stringContaining('something else') },
    })
    const { name, value } = (await squatter.call('GET', 'auth/sso/config')).body.domain_challenge
    hub.txtRecords.set(name, [[value]])
    expect(await squatter.call('POST', 'auth/sso/config/verify-domain')).toMatchObject({
      status: 409,
      body: { code: 'domain_taken' },
    })
  })

  it('says what to publish when there is no record, and that the DNS is away when it is', async () => {
    const other = await claim()
    await other.call('POST', 'auth/sso/config', given({ domain: `${randomUUID()}.example` }))
    const { name, value } = (await other.call('GET', 'auth/sso/config')).body.domain_challenge
    const verify = () => other.call('POST', 'auth/sso/config/verify-domain')
    const detail = expect.stringContaining(`${name} with the text ${value}: there is no TXT record`)
    expect(await verify()).toMatchObject({ status: 409, body: { code: 'domain_unproven', detail } })
    hub.txtRecords.get = () => {
      throw Object.assign(new Error('timeout'), { code: 'ETIMEOUT' })
    }
    try {
      expect(await verify()).toMatchObject({ status: 503, body: { code: 'dns_unavailable' } })
    } finally {
      Reflect.deleteProperty(hub.txtRecords, 'get')
    }
  })

  it('begins anew with another domain, also for sign-ins under way', async () => {
    const url = await begin()
    const before = (await admin.call('GET', 'auth/sso/config')).body
    const moved = (await admin.call('PATCH', 'auth/sso/config', { domain: `${randomUUID()}.example` })).body
    expect([before.domain_verified, moved.domain_verified]).toEqual([true, false])
    expect(moved.domain_challenge.value).not.toBe(before.domain_challenge.value)
    expect((await callback(url)).body.code).toBe('sso_state_invalid')
    expect((await check()).body.sso_enabled).toBe(false)
  })

  it('counts as proven on a hub that asks for no proof', async () => {
    const { config } = hub.deps
    const kept = config.ssoDomainProof
    config.ssoDomainProof = 'none'
    try {
      const other = await claim()
      const free = `${randomUUID()}.example`
      expect((await other.call('POST', 'auth/sso/config', given({ domain: free }))).body.domain_verified).toBe(true)
      const moved = await other.call('PATCH', 'auth/sso/config', { domain: `x-${free}` })
      expect(moved.body.domain_verified).toBe(true)
    } finally {
      config.ssoDomainProof = kept
    }
  })
})

describe('claims of a provider', () => {
  it.each([
    ['an empty subject', { sub: '' }],
    ['a subject of 256 characters', { sub: 'x'.repeat(256) }],
    ['a subject with NUL', { sub: 'a\u0000b' }],
    ['an e-mail address that is none', { email: 'nobody' }],
    ['an e-mail address with NUL', { email: 'a\u0000@b.example' }],
    ['an e-mail address with a lone surrogate', { email: 'a\ud800@b.example' }],
    ['an e-mail address of 255 characters', { email: `${'a'.repeat(245)}@b.example` }],
  ])('with %s are refused', (_, values) => {
    const claims = { iss: 'https://id.example', sub: 'ann', email: 'ann@b.example', email_verified: true, ...values }
    expect(() => readClaims(claims, claims)).toThrow()
  })
  it('with a name that cannot be stored leave the name out', () => {
    const claims = { iss: 'https://id.example', sub: 'ann', email: 'ann@b.example', email_verified: true, name: 'A\u0000' }
    expect(readClaims(claims, claims)).toMatchObject({ subject: 'ann', email: 'ann@b.example', name: null })
  })
  it('without a usable address are refused with a sentence of their own', async () => {
    provider.person.email = 'not an address'
    expect(await callback(await begin())).toMatchObject({ status: 403, body: { code: 'email_claim_invalid' } })
    delete provider.person.email
    expect(await callback(await begin())).toMatchObject({ status: 403, body: { code: 'email_claim_missing' } })
    const page = await callback(await begin(), { accept: 'text/html' })
    expect((await hub.call('GET', page.headers.get('location')?.replace('http://hub.test', '') ?? '')).body).toContain(
      'did not send your e-mail address',
    )
  })
})

describe('the configuration', () => {
  it('is answered without its secret, which is stored encrypted', async () => {
    const { status, body } = await admin.call('GET', 'auth/sso/config')
    expect(status).toBe(200)
    expect(body).toEqual({
      version: expect.any(String),
      provider_name: 'Acme ID',
      client_id: 'hub',
      discovery_url: provider.issuer,
      domain,
      domain_verified: true,
      trust_email: false,
      domain_challenge: {
        type: 'TXT',
        name: `_haltless-challenge.${domain}`,
        value: expect.stringMatching(/^haltless-domain-verification=[0-9a-f]{64}$/),
      },
      redirect_uri: CALLBACK,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
    const rows = JSON.stringify([
      await hub.owner`select * from sso_configs where tenant_id = ${admin.tenantId}`,
      await hub.owner`select * from audit_log where tenant_id = ${admin.tenantId}`,
    ])
    expect(rows).not.toContain(provider.client.client_secret)
  })
  it('is one per tenant, and a domain belongs to one tenant until its configuration goes', async () => {
    expect((await admin.call('POST', 'auth/sso/config', given({ domain: 'b.example' }))).body.code).toBe('sso_config_exists')
    const other = await hub.admin()
    const claim = () => other.call('POST', 'auth/sso/config', given({ domain: domain.toUpperCase() }))
    expect(await claim()).toMatchObject({ status: 409, body: { code: 'domain_taken' } })
    expect((await admin.call('DELETE', 'auth/sso/config')).status).toBe(204)
    expect((await admin.call('GET', 'auth/sso/config')).body.code).toBe('sso_config_not_found')
    expect((await claim()).status).toBe(201)
    expect((await admin.call('DELETE', 'auth/sso/config')).status).toBe(404)
    expect((await admin.call('PATCH', 'auth/sso/config', { domain })).status).toBe(404)
  })
  it('keeps the secret for the provider that it was entered for', async () => {
    const patch = (body: object) => admin.call('PATCH', 'auth/sso/config', body)
    expect(await patch({ discovery_url: 'https://id.example.com/' })).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'body.client_secret' }] },
    })
    expect((await patch({ provider_name: 'New' })).body.provider_name).toBe('New')
    expect((await patch({ discovery_url: `${provider.issuer}/.well-known/openid-configuration` })).status).toBe(200)
    expect((await signIn()).status).toBe(200)
    expect((await patch({})).status).toBe(200)
  })
  it.each([
    [{ domain: 'a@b.example' }, 'body.domain'],
    [{ domain: 'https://b.example' }, 'body.domain'],
    [{ domain: 'localhost' }, 'body.domain'],
    [{ discovery_url: 'ftp://b.example' }, 'body.discovery_url'],
    [{ discovery_url: 'https://10.0.0.1/' }, 'body.discovery_url'],
    [{ discovery_url: 'nonsense' }, 'body.discovery_url'],
    [{ client_secret: undefined }, 'body.client_secret'],
    [{ client_id: '' }, 'body.client_id'],
    [{ provider_name: 'x'.repeat(101) }, 'body.provider_name'],
  ])('refuses %o', async (values, path) => {
    const other = await hub.admin()
    const answer = await other.call('POST', 'auth/sso/config', given({ domain: 'c.example', ...values }))
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ path }] } })
  })
})
