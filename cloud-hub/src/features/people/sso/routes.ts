import { randomBytes } from 'node:crypto'
import type { TenantScope } from '../../../db/scope.ts'
import { AppError } from '../../../support/errors.ts'
import { versionedBy } from '../../../support/http/record-version.ts'
import { type Caller, routeFor } from '../../../support/http/route.ts'
import { z } from '../../../support/http/z.ts'
import {
  COOKIE_HEADER,
  createToken,
  REAUTHENTICATION_CODES,
  requireRecentSignIn,
  TokenAnswer,
  tokenResponse,
} from '../accounts/index.ts'
import { changeConfig, createConfig, deleteConfig, findConfig, lockConfig, type SsoConfigRow } from './config.ts'
import type { SsoDeps } from './deps.ts'
import { exchangeCode } from './exchange-code.ts'
import { createSsoProvider } from './provider.ts'
import { SsoCheckAnswer, SsoCheckQuery, SsoConfigBody, SsoConfigCreate, SsoConfigPatch, SsoExchangeBody } from './schemas.ts'
import { configFor, consumePendingLogin, signInProviderUser, storePendingLogin } from './sign-in.ts'
import { challengeOf, verifyDomain } from './verify-domain.ts'

const route = routeFor<TenantScope>()
const tag = 'Authentication and account'

const BROWSER_COOKIE = 'sso_browser'
const browserSecret = (headers: Headers) => /(?:^|;\s*)sso_browser=([\w-]+)/.exec(headers.get('cookie') ?? '')?.[1]

/** The callback parameters that we validate; openid-client reads the others. */
const CallbackQuery = z
  .object({
    state: z.string().min(1).max(500).openapi({
      description: 'The value that the hub gave the provider for this sign-in. The provider adds `code` or `error`.',
      example: 'af0ifjsldkj',
    }),
  })
  .loose()

export function ssoRoutes(deps: SsoDeps) {
  const { pools, clock } = deps
  const provider = createSsoProvider(deps)
  const redirectUri = `${deps.publicUrl}/api/v1/auth/sso/callback`
  const withVersion = versionedBy(SsoConfigPatch)
  const present = (row: SsoConfigRow) =>
    withVersion(
      {
        provider_name: row.providerName,
        client_id: row.clientId,
        discovery_url: row.discoveryUrl,
        domain: row.domain,
        domain_verified: row.domainVerifiedAt !== null,
        trust_email: row.trustEmail,
        domain_challenge: challengeOf(row),
        redirect_uri: redirectUri,
        created_at: row.createdAt.toISOString(),
        updated_at: row.updatedAt.toISOString(),
      },
      row.sealedClientSecret,
    )

  async function finish(query: Record<string, unknown>, caller: Caller): Promise<string> {
    const logins = { system: pools.system, box: deps.box, clock }
    const isBrowser = caller.headers.has('sec-fetch-mode')
    const { config, checks } = await consumePendingLogin(logins, String(query.state), {
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
        operation: 'checkSso',
        answerHeaders: { 'Set-Cookie': 'Ties the sign-in to this browser; `HttpOnly`, 10 minutes.' },
        access: 'none',
        tag,
        summary: 'Does an e-mail address sign in through a provider, and where?',
        description:
          'Call it with the address that the user typed before asking for a password. With `sso_enabled` true, send the browser to `authorization_url`; the answer sets a cookie that ties the sign-in to this browser for 10 minutes.',
        query: SsoCheckQuery,
        returns: SsoCheckAnswer,
        refuses: { 503: ['sso_provider_away'] },
      },
      async ({ query, caller }) => {
        const config = await configFor(pools.system, query.email)
        if (!config) return { sso_enabled: false, provider_name: null, authorization_url: null }
        const { url, checks } = await provider.begin(config, redirectUri)
        const browser = browserSecret(caller.headers) ?? randomBytes(32).toString('base64url')
        await storePendingLogin({ system: pools.system, box: deps.box, clock }, config.tenantId, checks, browser)
        // Lax: the provider redirects from another site.
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
        operation: 'completeSso',
        answerHeaders: { Location: 'The page that finishes the sign-in.' },
        access: 'none',
        tag,
        summary: 'Where the provider sends the user back to',
        description:
          'The redirect address to register at the identity provider; programs do not call it. It validates the answer of the provider, links or creates the user (a new one as `viewer`), and redirects to the page `/sso` with a one-time `code` of 60 seconds for `POST /auth/sso/exchange`. Browsers get errors as a page, programs as a problem document.',
        query: CallbackQuery,
        returns: null,
        status: 302,
        refuses: {
          401: ['sso_state_invalid', 'sso_failed'],
          403: [
            'user_deactivated',
            'email_claim_missing',
            'email_claim_invalid',
            'email_not_verified',
            'email_domain_not_allowed',
            'email_of_other_tenant',
            'no_place_for_user',
          ],
          503: ['sso_provider_away'],
        },
      },
      async ({ query, caller }) => {
        caller.setHeader('cache-control', 'no-store')
        try {
          caller.setHeader('location', `${deps.publicUrl}/sso?code=${await finish(query, caller)}`)
        } catch (error) {
          // Browsers get a page, programs the problem document.
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
        operation: 'exchangeSsoCode',
        answerHeaders: COOKIE_HEADER,
        access: 'none',
        tag,
        summary: 'Trade the one-time code of the callback for a token',
        description:
          'Answers an access token and sets the refresh cookie, as a sign-in with a password does. Wrong codes count towards the lockout of the network address.',
        body: SsoExchangeBody,
        returns: TokenAnswer,
        refuses: { 401: ['sso_code_invalid'], 429: ['login_locked'] },
      },
      async ({ body, caller }) => tokenResponse(await exchangeCode(deps, body.code, caller), caller),
    ),
    route(
      {
        method: 'post',
        path: '/auth/sso/config',
        operation: 'createSsoConfig',
        access: 'admin',
        tag,
        summary: "Configure the tenant's identity provider (OIDC)",
        description:
          'One configuration per tenant: an OpenID Connect provider for the e-mail addresses of one domain. Sign-in with a password stays possible. Register the answered `redirect_uri` at the provider. It needs a sign-in of the last 15 minutes, or `current_password`, because the provider decides who is who.',
        body: SsoConfigCreate,
        returns: SsoConfigBody,
        creates: true,
        refuses: {
          403: REAUTHENTICATION_CODES,
          409: ['sso_config_exists', 'domain_taken'],
          429: ['login_locked'],
          503: ['busy'],
        },
      },
      async ({ scope, body: { current_password, ...given } }) => {
        await requireRecentSignIn(pools.system, scope, current_password)
        return present(await createConfig(deps, scope, given))
      },
    ),
    route(
      {
        method: 'post',
        path: '/auth/sso/config/verify-domain',
        operation: 'verifySsoDomain',
        callsOut: true,
        access: 'admin',
        tag,
        summary: 'Prove that the domain of the configuration is yours',
        description:
          'Looks for the TXT record that `domain_challenge` names. Once it is found, people with addresses of the domain sign in through the provider, and no other tenant can claim the domain. The record may go afterwards.',
        shows: { domain_verified: true },
        returns: SsoConfigBody,
        status: 200,
        refuses: { 404: ['sso_config_not_found'], 409: ['domain_unproven', 'domain_taken'], 503: ['dns_unavailable'] },
      },
      async ({ scope }) => present(await verifyDomain(deps, scope)),
    ),
    route(
      {
        method: 'get',
        path: '/auth/sso/config',
        operation: 'getSsoConfig',
        holdsSecrets: true,
        access: 'admin',
        tag,
        summary: 'The configuration, without its secret',
        description: 'The configuration of the tenant. `client_secret` is stored encrypted and never answered.',
        returns: SsoConfigBody,
        refuses: { 404: ['sso_config_not_found'] },
      },
      async ({ scope }) => present(await findConfig(scope)),
    ),
    route(
      {
        method: 'patch',
        path: '/auth/sso/config',
        operation: 'updateSsoConfig',
        access: 'admin',
        tag,
        summary: 'Change the configuration; another provider asks for its secret',
        description:
          'Changes the given fields. A `discovery_url` on another host needs `client_secret` again, because a secret goes only to the provider it was entered for. Everything but `provider_name` needs a sign-in of the last 15 minutes, or `current_password`.',
        body: SsoConfigPatch,
        changes: { lock: lockConfig, current: async (scope) => present(await findConfig(scope)) },
        returns: SsoConfigBody,
        refuses: {
          403: REAUTHENTICATION_CODES,
          404: ['sso_config_not_found'],
          409: ['domain_taken'],
          429: ['login_locked'],
          503: ['busy'],
        },
      },
      async ({ scope, body: { current_password, ...change } }) => {
        const changesTrust = Object.entries(change).some(([name, value]) => name !== 'provider_name' && value !== undefined)
        if (changesTrust || current_password !== undefined) await requireRecentSignIn(pools.system, scope, current_password)
        return present(await changeConfig(deps, scope, change))
      },
      findConfig,
    ),
    route(
      {
        method: 'delete',
        path: '/auth/sso/config',
        operation: 'deleteSsoConfig',
        access: 'admin',
        tag,
        summary: 'Delete the configuration; users keep their accounts',
        description:
          'Ends single sign-on for the tenant and frees the domain. Users without a password set one with `POST /auth/password-reset`.',
        returns: null,
        refuses: { 404: ['sso_config_not_found'] },
      },
      async ({ scope }) => {
        await deleteConfig(scope)
        return undefined
      },
    ),
  ]
}
