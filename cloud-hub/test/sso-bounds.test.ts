import { createPrivateKey, sign } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { Secret } from '@haltless/edge-agent/secret'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SsoConfigRow } from '../src/features/people/sso/config.ts'
import { createSsoProvider } from '../src/features/people/sso/provider.ts'
import { createLogger } from '../src/support/logger.ts'
import { createGuardedClient, type GuardedClient } from '../src/support/net/guarded-client.ts'
import { createSecretBox } from '../src/support/secrets/secret-box.ts'
import { newKey } from './support/oidc-provider.ts'

/** What a provider on loopback does instead of an answer, by path. */
let misbehave: Record<string, (response: http.ServerResponse) => void> = {}
let requests: string[] = []
let issuer = ''
let key: Awaited<ReturnType<typeof newKey>>
const server = http.createServer((request, response) => {
  const path = new URL(request.url ?? '/', issuer).pathname
  requests.push(path)
  const odd = misbehave[path]
  if (odd) return odd(response)
  const json = (body: object) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
  if (path === '/.well-known/openid-configuration')
    return json({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      userinfo_endpoint: `${issuer}/userinfo`,
    })
  if (path === '/jwks') return json({ keys: [{ kty: key.kty, n: key.n, e: key.e, kid: key.kid, alg: 'RS256' }] })
  return json({})
})
beforeAll(async () => {
  key = await newKey()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  misbehave = {}
  requests = []
  connect(30_000)
})
afterEach(() => client.close())

const box = createSecretBox([new Secret(Buffer.alloc(32, 7).toString('base64'))])
/** Only the test of silence is impatient: a busy machine may need a second for an answer. */
let client: GuardedClient
let provider: ReturnType<typeof createSsoProvider>
const connect = (timeoutMs: number) => {
  client = createGuardedClient({ allow: ['127.0.0.0/8'], timeoutMs })
  provider = createSsoProvider({ box, http: client, logger: createLogger('silent') })
}
const tenantId = '0198c7d4-5a00-7000-8000-000000000001'
const config = () =>
  ({
    tenantId,
    providerName: 'Acme ID',
    clientId: 'hub',
    sealedClientSecret: box.seal('s'.repeat(32), `sso_configs/${tenantId}`),
    discoveryUrl: issuer,
  }) as SsoConfigRow
const begin = () => provider.begin(config(), 'http://hub.test/callback')
const finish = (code = 'c') => {
  const checks = { state: 's', nonce: 'n', verifier: 'v'.repeat(43) }
  return provider.finish(config(), new URL(`http://hub.test/callback?code=${code}&state=s`), checks)
}

/** Sends bytes as long as somebody reads them. */
const endless = (response: http.ServerResponse) => {
  response.setHeader('content-type', 'application/json')
  const more = () => {
    if (!response.destroyed && response.write(' '.repeat(16_384))) setImmediate(more)
    else response.once('drain', more)
  }
  more()
}
const silent = () => {}
/** Answers with a signed ID token. @param kid the key that the token names */
const tokenWith =
  (extra: object, kid = key.kid) =>
  (response: http.ServerResponse) => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const now = Math.floor(Date.now() / 1000)
    const claims = { iss: issuer, aud: 'hub', sub: 'ann', nonce: 'n', iat: now, exp: now + 300, ...extra }
    const signed = `${part({ alg: 'RS256', kid })}.${part(claims)}`
    const signature = sign('sha256', Buffer.from(signed), createPrivateKey({ key: key as never, format: 'jwk' }))
    const id_token = `${signed}.${signature.toString('base64url')}`
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ access_token: 'access-of-ann', token_type: 'Bearer', expires_in: 300, id_token }))
  }

/** Names a key which the provider does not publish, so that its keys are read. */
const token = (response: http.ServerResponse) => tokenWith({}, 'unknown')(response)

describe('what a provider sends is bounded', () => {
  it.each([
    ['in bytes', endless, 30_000],
    ['in time', silent, 300],
  ])('%s, for metadata, token, keys and userinfo', async (_, odd, timeoutMs) => {
    client.close()
    connect(timeoutMs)
    misbehave = { '/.well-known/openid-configuration': odd }
    await expect(begin()).rejects.toMatchObject({ status: 503, code: 'sso_provider_away' })
    misbehave = { '/token': odd }
    await expect(finish()).rejects.toMatchObject({ status: 503, code: 'sso_provider_away' })
    misbehave = { '/token': token, '/jwks': odd }
    await expect(finish()).rejects.toMatchObject({ status: 503, code: 'sso_provider_away' })
    for (const email of [undefined, null, '']) {
      misbehave = { '/token': tokenWith({ email }), '/userinfo': odd }
      await expect(finish()).rejects.toMatchObject({ status: 503, code: 'sso_provider_away' })
    }
    // a user who is linked already needs nothing from there
    misbehave = { '/token': tokenWith({ email: 'ann@example.com' }), '/userinfo': odd }
    expect(await finish()).toMatchObject({ subject: 'ann', email: 'ann@example.com', isEmailVerified: false })
  })

  it.each(['/.well-known/openid-configuration', '/token', '/jwks', '/userinfo'])(
    'in redirects: none of %s is followed',
    async (path) => {
      const redirect = (response: http.ServerResponse) => response.writeHead(302, { location: `${issuer}${path}` }).end()
      misbehave = { '/token': path === '/userinfo' ? tokenWith({}) : token, [path]: redirect }
      await expect(finish()).rejects.toMatchObject({ status: 401, code: 'sso_failed' })
      expect(requests.filter((each) => each === path)).toEqual([path])
    },
  )

  it('in requests: a key that is never published is looked up once', async () => {
    misbehave = { '/token': token }
    await expect(finish()).rejects.toMatchObject({ status: 401, code: 'sso_failed' })
    expect(requests).toEqual(['/.well-known/openid-configuration', '/token', '/jwks'])
  })
})

it('the log of a sign-in that fails contains no token, code or client secret', async () => {
  const lines: string[] = []
  const logger = createLogger('info', { write: (line) => lines.push(line) })
  provider = createSsoProvider({ box, http: client, logger })
  const answer = (body: object) => (response: http.ServerResponse) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
  const tokens = { access_token: 'access-of-ann', token_type: 'Bearer', id_token: 'id-of-ann' }
  for (const odd of [
    answer({ ...tokens, id_token: 5 }),
    answer({ ...tokens, id_token: 'id-of-ann.a.b' }),
    answer({ ...tokens, token_type: 'other' }),
    answer({ ...tokens, expires_in: 'soon' }),
    tokenWith({ nonce: 'other' }),
    tokenWith({ aud: 'other' }),
    tokenWith({ exp: 1 }),
  ]) {
    misbehave = { '/token': odd }
    await expect(finish('code-of-ann')).rejects.toMatchObject({ code: 'sso_failed' })
  }
  misbehave = {
    '/token': tokenWith({ email: 'ann@example.com' }),
    '/userinfo': answer({ sub: 'other', access: 'access-of-ann' }),
  }
  await finish('code-of-ann')
  expect(lines).toHaveLength(8)
  expect(lines.join('')).not.toMatch(/-of-ann|eyJ|s{32}|Basic /)
})
