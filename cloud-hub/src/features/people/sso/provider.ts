import * as oidc from 'openid-client'
import { AppError, Unavailable } from '../../../support/errors.ts'
import type { Logger } from '../../../support/logger.ts'
import type { GuardedClient } from '../../../support/net/guarded-client.ts'
import type { SecretBox } from '../../../support/secrets/secret-box.ts'
import { addressOf, type Claims, needsUserinfo, type ProviderUser, readClaims } from './claims.ts'
import { openClientSecret, type SsoConfigRow } from './config.ts'
import { sharedIssuer } from './shared-issuer.ts'

/** Adapts the guarded client to openid-client: it checks addresses when connecting and follows no redirects. */
const guardedFetch =
  (http: GuardedClient): oidc.CustomFetch =>
  async (url, { method, headers, body, signal }) => {
    const answer = await http.request(url, {
      method,
      headers,
      ...(body == null ? {} : { body: String(body) }),
      ...(signal ? { signal } : {}),
      wholeBody: true,
    })
    if (!answer.ok) throw new ProviderAway(answer.fault.detail)
    return new Response(answer.status === 204 ? null : answer.body, { status: answer.status, headers: answer.headers })
  }

class ProviderAway extends Error {}

const SENDING_MS = 60_000
const MAX_RECENT = 1_000

/** The values to verify when the provider redirects back. */
export interface LoginChecks {
  state: string
  nonce: string
  verifier: string
}

/** Checks what the provider itself says too: another address may lead to the metadata of an issuer of many organisations. */
const isOfOneOrganisation = (config: SsoConfigRow, server: oidc.Configuration, claims: oidc.IDToken): boolean =>
  [config.discoveryUrl, server.serverMetadata().issuer, claims.iss].every((url) => sharedIssuer(url) === null)

export interface SsoProvider {
  /** @returns the authorization URL, and the values to store @throws Unavailable */
  begin(config: SsoConfigRow, redirectUri: string): Promise<{ url: string; checks: LoginChecks }>
  /** @param callback the callback URL with its query @throws AppError 401 `sso_failed`, Forbidden `email_claim_invalid`, Unavailable */
  finish(config: SsoConfigRow, callback: URL, checks: LoginChecks): Promise<ProviderUser>
}

/**
 * OIDC authorization code flow with PKCE (RFC 7636), state and nonce; it verifies the ID token's signature. Each callback fetches
 * the provider's metadata again, so that rotated keys apply at once. Redirects to the provider cache it for a minute, so that
 * requests cannot flood the provider.
 */
export function createSsoProvider(deps: { box: SecretBox; http: GuardedClient; logger: Logger }): SsoProvider {
  const discover = (config: SsoConfigRow): Promise<oidc.Configuration> => {
    const url = new URL(config.discoveryUrl)
    // Plain HTTP reaches this only for hosts of OUTBOUND_ALLOW.
    const insecure = url.protocol === 'http:' ? [oidc.allowInsecureRequests] : []
    return oidc.discovery(url, config.clientId, openClientSecret(deps.box, config), undefined, {
      [oidc.customFetch]: guardedFetch(deps.http),
      execute: [oidc.enableNonRepudiationChecks, ...insecure],
      timeout: 10,
    })
  }

  const recent = new Map<string, { server: Promise<oidc.Configuration>; at: number }>()
  const discoverForSending = (config: SsoConfigRow): Promise<oidc.Configuration> => {
    const key = `${config.discoveryUrl} ${config.clientId} ${config.sealedClientSecret}`
    const known = recent.get(key)
    if (known && Date.now() - known.at < SENDING_MS) return known.server
    if (recent.size >= MAX_RECENT) recent.clear()
    const server = discover(config)
    recent.set(key, { server, at: Date.now() })
    server.catch(() => recent.delete(key))
    return server
  }

  /** Translates provider errors to our sentences; the originals go to the log. */
  async function callProvider<T>(config: SsoConfigRow, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof AppError) throw error
      deps.logger.warn({ err: error, tenant_id: config.tenantId }, 'a sign-in at a provider failed')
      const away = [error, (error as { cause?: unknown }).cause].find((each) => each instanceof ProviderAway)
      const code = (error as { code?: string }).code
      if (away instanceof ProviderAway || code === 'OAUTH_TIMEOUT')
        throw new Unavailable(
          'sso_provider_away',
          `${config.providerName} is not available: ${away?.message ?? 'it is too slow.'}`,
        )
      throw new AppError(401, 'sso_failed', `${config.providerName} did not confirm your identity. Start the sign-in again.`)
    }
  }

  /** Some providers return the address, or that it is verified, only from here. The answer must be about the subject of the ID token. */
  async function fetchUserinfo(server: oidc.Configuration, token: string, claims: oidc.IDToken, config: SsoConfigRow) {
    try {
      return await oidc.fetchUserInfo(server, token, claims.sub)
    } catch (error) {
      if (addressOf(claims) === null) throw error
      deps.logger.warn({ err: error, tenant_id: config.tenantId }, 'the userinfo endpoint of a provider failed')
      return {} satisfies Claims
    }
  }

  return {
    begin: (config, redirectUri) =>
      callProvider(config, async () => {
        const server = await discoverForSending(config)
        const checks = { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier: oidc.randomPKCECodeVerifier() }
        const url = oidc.buildAuthorizationUrl(server, {
          redirect_uri: redirectUri,
          scope: 'openid email profile',
          response_type: 'code',
          state: checks.state,
          nonce: checks.nonce,
          code_challenge: await oidc.calculatePKCECodeChallenge(checks.verifier),
          code_challenge_method: 'S256',
        })
        return { url: url.href, checks }
      }),
    finish: (config, callback, checks) =>
      callProvider(config, async () => {
        const server = await discover(config)
        const tokens = await oidc.authorizationCodeGrant(server, callback, {
          pkceCodeVerifier: checks.verifier,
          expectedState: checks.state,
          expectedNonce: checks.nonce,
          idTokenExpected: true,
        })
        const claims = tokens.claims() as oidc.IDToken
        const trustsEmail = config.trustEmail && isOfOneOrganisation(config, server, claims)
        const fetched =
          needsUserinfo(claims, trustsEmail) && server.serverMetadata().userinfo_endpoint
            ? await fetchUserinfo(server, tokens.access_token, claims, config)
            : {}
        return readClaims(claims, fetched, trustsEmail)
      }),
  }
}
