import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import Provider from 'oidc-provider'

export interface Person {
  sub: string
  email?: string
  email_verified?: boolean | string
  /** of Microsoft Entra ID */
  xms_edov?: boolean | string | number
  name?: string
}

const CLIENT = { client_id: 'hub', client_secret: 's'.repeat(32) }

/** A real OIDC provider on loopback, at which one person is signed in. */
export interface TestProvider {
  issuer: string
  client: typeof CLIENT
  /** who is signed in there */
  person: Person
  /** what only the userinfo endpoint says; `sub` makes it an answer about somebody else */
  userinfo: Partial<Person>
  /** the provider throws its signing keys away and makes new ones */
  rotateKeys(): Promise<void>
  /** publishes other keys than it signs with */
  lieAboutKeys(keys: JWK[] | null): void
  /** e-mail and name in the ID token, or at the userinfo endpoint only */
  claimsInIdToken(are: boolean): Promise<void>
  /** walks a sign-in as a browser does. @returns the address that the provider sends back to */
  signIn(authorizationUrl: string): Promise<URL>
  close(): Promise<void>
}

export const newKey = async (): Promise<JWK> => {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  return { ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: crypto.randomUUID() }
}

export async function startOidcProvider(redirectUri: string): Promise<TestProvider> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  let handle: (req: IncomingMessage, res: ServerResponse) => unknown
  let published: JWK[] | null = null
  let inIdToken = true
  const held = { person: { sub: 'ann' } as Person, userinfo: {} as Partial<Person> }

  async function start(): Promise<void> {
    const provider = new Provider(issuer, {
      clients: [{ ...CLIENT, redirect_uris: [redirectUri], grant_types: ['authorization_code'], response_types: ['code'] }],
      findAccount: async (_ctx, id) => ({
        accountId: id,
        claims: async (use) => ({ ...held.person, ...(use === 'userinfo' ? held.userinfo : {}), sub: id }),
      }),
      claims: { openid: ['sub'], email: ['email', 'email_verified', 'xms_edov'], profile: ['name'] },
      conformIdTokenClaims: !inIdToken,
      cookies: { keys: ['k'] },
      jwks: { keys: [(await newKey()) as never] },
      pkce: { required: () => true },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
    })
    const answer = provider.callback()
    handle = async (req, res) => {
      if (published && req.url === '/jwks')
        return res.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: published }))
      if (held.userinfo.sub && req.url === '/me')
        return res.setHeader('content-type', 'application/json').end(JSON.stringify({ ...held.person, ...held.userinfo }))
      if (!req.url?.startsWith('/interaction/')) return answer(req, res)
      const { params } = await provider.interactionDetails(req, res)
      const grant = new provider.Grant({ accountId: held.person.sub, clientId: params.client_id as string })
      grant.addOIDCScope('openid email profile')
      const result = { login: { accountId: held.person.sub }, consent: { grantId: await grant.save() } }
      return provider.interactionFinished(req, res, result, { mergeWithLastSubmission: false })
    }
  }
  await start()
  server.on('request', (req, res) => handle(req, res))

  return Object.assign(held, {
    issuer,
    client: CLIENT,
    rotateKeys: start,
    lieAboutKeys: (keys: JWK[] | null) => {
      published = keys
    },
    claimsInIdToken: (are: boolean) => {
      inIdToken = are
      return start()
    },
    async signIn(authorizationUrl: string) {
      const cookies = new Map<string, string>()
      let url = new URL(authorizationUrl)
      for (let step = 0; step < 10; step++) {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
        const answer = await fetch(url, { redirect: 'manual', headers: { cookie } })
        for (const set of answer.headers.getSetCookie()) {
          const [, name, value] = /^([^=]+)=([^;]*)/.exec(set) as unknown as [string, string, string]
          cookies.set(name, value)
        }
        const location = answer.headers.get('location')
        if (!location) throw new Error(`the provider answered ${answer.status}: ${(await answer.text()).slice(0, 300)}`)
        url = new URL(location, issuer)
        if (url.href.startsWith(redirectUri)) return url
      }
      throw new Error('the provider redirects without end')
    },
    close: () =>
      new Promise<void>((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  })
}
