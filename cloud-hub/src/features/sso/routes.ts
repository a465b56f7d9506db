import { randomBytes } from 'node:crypto'
import type { Pools } from '../../db/pools.ts'
import type { TenantScope } from '../../db/scope.ts'
import type { Clock } from '../../support/clock.ts'
import { AppError, Unauthenticated } from '../../support/errors.ts'
import { type Caller, routeFor } from '../../support/http/route.ts'
import { z } from '../../support/http/z.ts'
import type { Logger } from '../../support/logger.ts'
import type { GuardedClient } from '../../support/net/guarded-client.ts'
import type { SecretBox } from '../../support/secrets/secret-box.ts'
import {
  answerGrant,
  beginAttempt,
  createToken,
  ipSubject,
  noteSignIn,
  openSession,
  type SessionUser,
  type SigningKeys,
  TokenAnswer,
  takeToken,
} from '../accounts/index.ts'
import { changeConfig, createConfig, deleteConfig, findConfig, type SsoConfigRow } from './config.ts'
import { createSsoProvider } from './provider.ts'
import { SsoCheckAnswer, SsoCheckQuery, SsoConfigBody, SsoConfigCreate, SsoConfigPatch, SsoExchangeBody } from './schemas.ts'
import { configFor, recallLogin, rememberLogin, signInProviderUser } from './sign-in.ts'

const route = routeFor<TenantScope>()
const tag = 'Authentication and account'

export interface SsoDeps {
  pools: Pools
  keys: SigningKeys
  box: SecretBox
  http: GuardedClient
  clock: Clock
  logger: Logger
  /** where people reach the hub; no slash at the end */
  publicUrl: string
}

const BROWSER_COOKIE = 'sso_browser'
const browserSecret = (headers: Headers) => /(?:^|;\s*)sso_browser=([\w-]+)/.exec(headers.get('cookie') ?? '')?.[1]

/** What the callback may find in its query; anything else the provider adds is for the library. */
const CallbackQuery = z.object({ state: z.string().min(1).max(500) }).loose()

export function ssoRoutes(deps: SsoDeps) {
  const { pools, clock } = deps
  const provider = createSsoProvider(deps)
  const redirectUri = `${deps.publicUrl}/api/v1/auth/sso/callback`
  const present = (row: SsoConfigRow) => ({
    provider_name: row.providerName,
    client_id: row.clientId,
    discovery_url: row.discoveryUrl,
    domain: row.domain,
    redirect_uri: redirectUri,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  })

  async function finish(query: Record<string, unknown>, caller: Caller): Promise<string> {
    const logins = { system: pools.system, box: deps.box, clock }
    const isBrowser = caller.headers.has('sec-fetch-mode')
    const { config, checks } = await recallLogin(logins, String(query.state), {
      isOne: isBrowser,
      secret: browserSecret(caller.headers),
    })
    const callback = new URL(`${redirectUri}?${new URLSearchParams(query as Record<string, string>)}`)
    const who = await provider.finish(config, callback, checks)
    const user = await signInProviderUser({ system: pools.system, clock }, config, who, caller)
    return createToken(pools.system, user, 'sso_exchange', clock.now())
  }

  return [
    route(
      {
        method: 'get',
        path: '/auth/sso/check',
        access: 'none',
        tag,
        summary: 'Does an e-mail address sign in through a provider, and where?',
        query: SsoCheckQuery,
        returns: SsoCheckAnswer,
        refuses: { 503: 'The provider cannot be asked right now' },
      },
      async ({ query, caller }) => {
        const config = await configFor(pools.system, query.email)
        if (!config) return { sso_enabled: false, provider_name: null, authorization_url: null }
        const { url, checks } = await provider.begin(config, redirectUri)
        const browser = browserSecret(caller.headers) ?? randomBytes(32).toString('base64url')
        await rememberLogin({ system: pools.system, box: deps.box, clock }, config.tenantId, checks, browser)
        // Lax: the way back from the provider is a navigation from another site
        caller.setHeader(
          'set-cookie',
          `${BROWSER_COOKIE}=${browser}; Path=/api/v1/auth/sso; Max-Age=600; HttpOnly; Secure; SameSite=Lax`,
        )
        return { sso_enabled: true, provider_name: config.providerName, authorization_url: url }
      },
    ),
    route(
      {
        method: 'get',
        path: '/auth/sso/callback',
        access: 'none',
        tag,
        summary: 'Where the provider sends the user back to',
        description: 'Redirects to the page `/sso` with a one-time `code` (60 s) for `POST /auth/sso/exchange`.',
        query: CallbackQuery,
        returns: null,
        status: 302,
        refuses: {
          401: 'The provider did not confirm, or the sign-in has run out',
          403: 'The e-mail address may not sign in here',
          503: 'The provider cannot be asked right now',
        },
      },
      async ({ query, caller }) => {
        caller.setHeader('cache-control', 'no-store')
        try {
          caller.setHeader('location', `${deps.publicUrl}/sso?code=${await finish(query, caller)}`)
        } catch (error) {
          // people get a page, programs the problem
          if (!(error instanceof AppError) || !caller.headers.get('accept')?.includes('text/html')) throw error
          caller.setHeader('location', `${deps.publicUrl}/sso?error=${error.code}`)
        }
        return undefined
      },
    ),
    route(
      {
        method: 'post',
        path: '/auth/sso/exchange',
        access: 'none',
        tag,
        summary: 'Trade the one-time code of the callback for a token',
        body: SsoExchangeBody,
        returns: TokenAnswer,
        refuses: { 401: 'The code has run out or was used' },
      },
      async ({ body, caller }) => answerGrant(await exchangeCode(deps, body.code, caller), caller),
    ),
    route(
      {
        method: 'post',
        path: '/auth/sso/config',
        access: 'admin',
        tag,
        summary: "Configure the tenant's identity provider (OIDC)",
        body: SsoConfigCreate,
        returns: SsoConfigBody,
        creates: true,
        refuses: { 409: 'There is a configuration already, or another tenant has the domain' },
      },
      async ({ scope, body }) => present(await createConfig(deps, scope, body)),
    ),
    route(
      {
        method: 'get',
        path: '/auth/sso/config',
        access: 'admin',
        tag,
        summary: 'The configuration, without its secret',
        returns: SsoConfigBody,
        refuses: { 404: 'There is none' },
      },
      async ({ scope }) => present(await findConfig(scope)),
    ),
    route(
      {
        method: 'patch',
        path: '/auth/sso/config',
        access: 'admin',
        tag,
        summary: 'Change the configuration; another provider asks for its secret',
        body: SsoConfigPatch,
        returns: SsoConfigBody,
        refuses: { 404: 'There is none', 409: 'Another tenant has the domain' },
      },
      async ({ scope, body }) => present(await changeConfig(deps, scope, body)),
      findConfig,
    ),
    route(
      {
        method: 'delete',
        path: '/auth/sso/config',
        access: 'admin',
        tag,
        summary: 'Delete the configuration; users keep their accounts',
        returns: null,
        refuses: { 404: 'There is none' },
      },
      async ({ scope }) => {
        await deleteConfig(scope)
        return undefined
      },
    ),
  ]
}

/** Opens a session for the one-time code of a callback. Wrong codes count as failures of the address. @throws Unauthenticated, TooManyRequests */
export async function exchangeCode(
  { pools, keys, clock }: Pick<SsoDeps, 'pools' | 'keys' | 'clock'>,
  code: string,
  from: { ip: string; requestId: string },
) {
  const attempt = await beginAttempt(pools.system, clock, [ipSubject(from.ip)])
  const holder = await takeToken(pools.system, code, 'sso_exchange', clock.now())
  const [user] = holder
    ? await pools.system<SessionUser[]>`
        select tenant_id as "tenantId", id as "userId", email, role from users where tenant_id = ${holder.tenantId} and id = ${holder.userId}`
    : []
  if (!user) {
    await attempt.failed()
    throw new Unauthenticated('sso_code_invalid', 'The code has run out or was used: begin the sign-in again.')
  }
  await attempt.succeeded()
  await noteSignIn(pools.system, clock, user, from)
  return openSession(pools.system, keys, clock, user)
}
