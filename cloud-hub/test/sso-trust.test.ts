import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { readClaims } from '../src/features/people/sso/claims.ts'
import { sharedIssuer } from '../src/features/people/sso/shared-issuer.ts'
import { type TestUser, useHub } from './harness.ts'
import { startOidcProvider, type TestProvider } from './support/oidc-provider.ts'

// each tenant here has a proven domain, unless a test requires the proof
const hub = useHub({ OUTBOUND_ALLOW: '127.0.0.0/8', SSO_DOMAIN_PROOF: 'none' })
const PROVEN = ['https://login.microsoftonline.com/0f5c6a1e-8d2b-4f7a-9c3e-5a1b2c3d4e5f/v2.0', 'https://acme.okta.com']
let provider: TestProvider
let admin: TestUser
let domain: string

beforeAll(async () => {
  for (const level of ['info', 'warn'] as const) vi.spyOn(console, level).mockImplementation(() => {})
  provider = await startOidcProvider('http://hub.test/api/v1/auth/sso/callback')
})
afterAll(() => provider.close())
beforeEach(async () => {
  admin = await hub.admin()
  domain = `${randomUUID()}.example`
  provider.person = { sub: randomUUID(), email: `ann@${domain}`, name: 'Ann Other' }
  provider.userinfo = {}
})
const configure = (values: Record<string, unknown> = {}) =>
  admin.call('POST', 'auth/sso/config', {
    provider_name: 'Entra ID',
    ...provider.client,
    discovery_url: provider.issuer,
    domain,
    ...values,
  })
const patch = (body: object) => admin.call('PATCH', 'auth/sso/config', body)
async function signIn() {
  const { authorization_url } = (await hub.call('GET', `auth/sso/check?email=ann@${domain}`)).body
  const { pathname, search } = await provider.signIn(authorization_url)
  return hub.call('GET', `${pathname}${search}`)
}
const expectSignedIn = async () => expect((await signIn()).status).toBe(302)
const expectUnverified = async () => expect(await signIn()).toMatchObject({ status: 403, body: { code: 'email_not_verified' } })

describe('an e-mail address counts as verified', () => {
  it('when email_verified is "true" as a text, and not when it is "false"', async () => {
    await configure()
    provider.person.email_verified = 'false'
    await expectUnverified()
    provider.person.email_verified = 'true'
    await expectSignedIn()
  })

  it.each([[true], ['true'], [1], ['1']])('when xms_edov is %o', async (xms_edov) => {
    await configure()
    provider.person.xms_edov = xms_edov
    await expectSignedIn()
  })

  it.each([[false], ['false'], [0], ['0'], ['yes'], [2]])('but not when xms_edov is %o', async (xms_edov) => {
    await configure()
    provider.person.xms_edov = xms_edov
    await expectUnverified()
  })

  it('when the userinfo endpoint says so about the same subject', async () => {
    await configure()
    await expectUnverified()
    provider.userinfo = { email_verified: true }
    await expectSignedIn()
  })

  it('but not when the userinfo endpoint says so about another subject, or another address', async () => {
    await configure()
    provider.userinfo = { sub: 'somebody-else', email_verified: true }
    await expectUnverified()
    provider.userinfo = { email: `eve@${domain}`, email_verified: true }
    await expectUnverified()
  })

  it('when the configuration has trust_email and the provider says nothing', async () => {
    expect((await configure({ trust_email: true })).body.trust_email).toBe(true)
    await expectSignedIn()
  })

  it('but not with trust_email when the provider says that it is not verified', async () => {
    await configure({ trust_email: true })
    for (const person of [{ email_verified: false }, { xms_edov: 0 }]) {
      provider.person = { sub: randomUUID(), email: `ann@${domain}`, ...person }
      await expectUnverified()
    }
  })

  it('and trust_email does not widen the domain', async () => {
    await configure({ trust_email: true })
    provider.person.email = 'ann@elsewhere.example'
    expect((await signIn()).body.code).toBe('email_domain_not_allowed')
  })

  it('a user who is linked already signs in without it, also when the userinfo endpoint fails', async () => {
    await configure()
    provider.person.email_verified = true
    await expectSignedIn()
    delete provider.person.email_verified
    provider.userinfo = { sub: 'somebody-else' }
    await expectSignedIn()
  })
})

describe('trust_email', () => {
  it.each([
    ['https://accounts.google.com', 'Google'],
    ['https://accounts.google.com/.well-known/openid-configuration', 'Google'],
    ['https://login.microsoftonline.com/common/v2.0', 'Microsoft (common)'],
    ['https://LOGIN.microsoftonline.com./Common/v2.0/.well-known/openid-configuration', 'Microsoft (common)'],
    ['https://login.microsoftonline.com/%63ommon/v2.0', 'Microsoft (common)'],
    ['https://login.microsoftonline.com/organizations/v2.0', 'Microsoft (organizations)'],
    ['https://login.microsoftonline.com/consumers/v2.0', 'Microsoft (consumers)'],
    [
      'https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0',
      'Microsoft (9188040d-6c67-4c5b-b112-36a304b66dad)',
    ],
    ['https://sts.windows.net/common/', 'Microsoft (common)'],
    ['https://gitlab.com', 'GitLab (gitlab.com)'],
  ])('is refused for %s, which serves many organisations', async (discovery_url, name) => {
    const errors = (path: string) => [{ path, message: expect.stringContaining(name) }]
    const created = await configure({ discovery_url, trust_email: true })
    expect(created).toMatchObject({ status: 422, body: { errors: errors('body.trust_email') } })
    expect((await configure({ discovery_url })).status).toBe(201)
    expect(await patch({ trust_email: true })).toMatchObject({ status: 422, body: { errors: errors('body.trust_email') } })
    // nor does a trusted configuration move there
    expect((await patch({ discovery_url: PROVEN[0], client_secret: 'x', trust_email: true })).body.trust_email).toBe(true)
    const moved = await patch({ discovery_url, client_secret: 'x' })
    expect(moved).toMatchObject({ status: 422, body: { errors: errors('body.discovery_url') } })
    expect((await patch({ discovery_url, client_secret: 'x', trust_email: false })).body.trust_email).toBe(false)
  })

  it.each(PROVEN)('is possible for %s', async (discovery_url) => {
    expect(await configure({ discovery_url, trust_email: true })).toMatchObject({ status: 201, body: { trust_email: true } })
  })

  it('has no effect when the metadata or the ID token name an issuer of many organisations', () => {
    expect(sharedIssuer('https://login.microsoftonline.com/{tenantid}/v2.0')).toBe('Microsoft ({tenantid})')
    expect(sharedIssuer('accounts.google.com')).toBe('Google')
    expect(sharedIssuer(provider.issuer)).toBe(null)
  })

  it('needs a proven domain, and ends with its proof', async () => {
    const { config } = hub.deps
    config.ssoDomainProof = 'dns'
    try {
      const message = expect.stringContaining('needs a proven domain')
      const unproven = { status: 422, body: { errors: [{ path: 'body.trust_email', message }] } }
      expect(await configure({ trust_email: true })).toMatchObject(unproven)
      const { name, value } = (await configure()).body.domain_challenge
      expect(await patch({ trust_email: true })).toMatchObject(unproven)
      hub.txtRecords.set(name, [[value]])
      await admin.call('POST', 'auth/sso/config/verify-domain')
      expect((await patch({ trust_email: true })).body).toMatchObject({ domain_verified: true, trust_email: true })
      expect((await patch({ domain: `x-${domain}` })).body).toMatchObject({ domain_verified: false, trust_email: false })
      expect(await patch({ domain: `y-${domain}`, trust_email: true })).toMatchObject(unproven)
    } finally {
      config.ssoDomainProof = 'none'
    }
  })

  it('stays with another domain on a hub that requires no proof', async () => {
    await configure({ trust_email: true })
    expect((await patch({ domain: `x-${domain}` })).body).toMatchObject({ domain_verified: true, trust_email: true })
  })

  it('is in the audit trail', async () => {
    await configure()
    await patch({ trust_email: true })
    const [entry] = (await admin.call('GET', 'audit-log?target_type=sso_config')).body.items
    expect(entry).toMatchObject({
      action: 'sso_config.updated',
      before: { trust_email: false },
      after: { trust_email: true },
    })
  })
})

describe('claims from two sources', () => {
  const own = { iss: 'https://id.example', sub: 'ann' }
  it('the address of the ID token counts before that of the userinfo endpoint', () => {
    const claims = { ...own, email: 'ann@b.example' }
    expect(readClaims(claims, { email: 'eve@b.example', email_verified: true })).toMatchObject({
      email: 'ann@b.example',
      isEmailVerified: false,
    })
    expect(readClaims(claims, { email: 'ANN@b.example', email_verified: true }).isEmailVerified).toBe(true)
  })
  it('a statement of the ID token about no address does not verify that of the userinfo endpoint', () => {
    expect(readClaims({ ...own, xms_edov: true }, { email: 'ann@b.example' }).isEmailVerified).toBe(false)
  })
})
