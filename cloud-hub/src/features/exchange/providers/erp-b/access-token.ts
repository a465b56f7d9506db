import { type Fault, fault } from '@haltless/protocol'
import { type ErpAnswer, type ErpHttp, type ErpRequest, type ErpResult, isObject, listed, notedBefore } from '../erp-http.ts'
import { ErpUnavailable, type SessionSettings } from '../provider.ts'
import { issuerUnreachable, reasonOf, unavailable } from '../results.ts'

interface AccessToken {
  value: string
  expiresAt: number
}

/** A token is renewed this long before it expires, so that no request arrives with an expired one. */
const MARGIN_MS = 60_000
const DEFAULT_SECONDS = 300
const MAX_TOKENS = 500
/** By cache key, so that a new run of a connection needs no sign-in. */
const tokens = new Map<string, AccessToken>()

/**
 * OAuth 2 client credentials; the token is cached until shortly before it expires.
 * Source: learn.microsoft.com, "Microsoft identity platform and the OAuth 2.0 client credentials flow"; RFC 6749, 4.4 and 5
 */
export function accessTokens(http: ErpHttp, { config, cacheKey, now }: SessionSettings) {
  const tenant = encodeURIComponent(String(config.tenant_id))
  const url = String(config.token_url ?? `https://login.microsoftonline.com/${tenant}/oauth2/v2.0/token`)
  const rules = { http, errorText: tokenErrorText, credentials: CREDENTIALS }
  let signingIn: Promise<string> | null = null

  async function signIn(signal: AbortSignal): Promise<string> {
    const shown = { grant_type: 'client_credentials', client_id: String(config.client_id), scope: `${http.base}/.default` }
    const body = new URLSearchParams({ ...shown, client_secret: String(config.client_secret) }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const request = { method: 'POST', url, headers, body, shown: new URLSearchParams(shown).toString(), isRepeatable: true }
    const result = await http.call(request, signal)
    const token = tokenIn(result)
    if (!token) throw refused(result)
    http.redactor.add(token.value)
    tokens.delete(cacheKey)
    tokens.set(cacheKey, { value: token.value, expiresAt: now().getTime() + token.seconds * 1_000 })
    if (tokens.size > MAX_TOKENS) tokens.delete(tokens.keys().next().value as string)
    return token.value
  }

  function refused(result: ErpResult): ErpUnavailable {
    const make = (reason: ErpUnavailable['reason'], found: Fault) => new ErpUnavailable(reason, found, result)
    const host = new URL(url).origin
    if (!result.ok) return make('unreachable', issuerUnreachable(host, result))
    if (result.status === 429 || result.status === 503) return unavailable(rules, result) as ErpUnavailable
    const reason = reasonOf(rules, result)
    if (result.status >= 500) return make('maintenance', fault('erp_issuer_failed', { host, reason }))
    return make('authentication', fault('erp_no_token', { host, settings: CREDENTIALS, reason }))
  }

  /** @throws ErpUnavailable */
  async function current(signal: AbortSignal): Promise<string> {
    const cached = tokens.get(cacheKey)
    if (cached && cached.expiresAt - MARGIN_MS > now().getTime()) {
      http.redactor.add(cached.value)
      return cached.value
    }
    signingIn ??= signIn(signal).finally(() => {
      signingIn = null
    })
    return signingIn
  }

  return {
    /**
     * Sends a request with a token. After a 401 the token is renewed once: the request was not executed.
     * @throws ErpUnavailable without a token
     */
    async call(request: ErpRequest, signal: AbortSignal): Promise<ErpResult> {
      let met = ''
      for (let isLast = false; ; isLast = true) {
        const token = await current(signal)
        const headers = { ...request.headers, authorization: `Bearer ${token}` }
        const result = await http.call({ ...request, headers }, signal)
        if (isLast || !result.ok || result.status !== 401) return notedBefore(met, result)
        met = listed(result.met, '401 (access token)')
        if (tokens.get(cacheKey)?.value === token) tokens.delete(cacheKey)
      }
    },
  }
}

export const CREDENTIALS = 'tenant_id, client_id and client_secret'

function tokenIn(result: ErpResult): { value: string; seconds: number } | null {
  if (!result.ok || result.status !== 200 || !isObject(result.json)) return null
  const { access_token, expires_in } = result.json
  // A value that is no header value would make every request fail without a reason.
  if (typeof access_token !== 'string' || !/^[\x21-\x7e]{1,16384}$/.test(access_token)) return null
  const seconds = Number(expires_in ?? DEFAULT_SECONDS)
  return { value: access_token, seconds: Number.isFinite(seconds) ? seconds : DEFAULT_SECONDS }
}

/** `AADSTS7000215: Invalid client secret provided...`; further lines are identifiers of the attempt. */
function tokenErrorText({ json }: ErpAnswer): string | null {
  if (!isObject(json)) return null
  const { error, error_description } = json
  const text = typeof error_description === 'string' ? error_description.split(/\r?\n/)[0] : error
  return typeof text === 'string' ? text : null
}
