import { type ErpAnswer, type ErpHttp, type ErpRequest, type ErpResult, listed, notedBefore } from '../erp-http.ts'

/** Cookies and CSRF token of a session with SAP; the token is valid only together with the cookies. */
interface SapState {
  cookies: Map<string, string>
  /** null: to be fetched; empty: the service does not protect against CSRF */
  token: string | null
  fetching: Promise<ErpResult | null> | null
}

const MAX_STATES = 500
const MAX_RENEWALS = 2
/** By cache key, so that a new run of a connection needs no handshake. */
const states = new Map<string, SapState>()

function stateOf(cacheKey: string): SapState {
  const state = states.get(cacheKey) ?? { cookies: new Map(), token: null, fetching: null }
  states.delete(cacheKey)
  states.set(cacheKey, state)
  if (states.size > MAX_STATES) states.delete(states.keys().next().value as string)
  return state
}

/**
 * The CSRF handshake of SAP Gateway: a read with `X-CSRF-Token: Fetch` returns a token, which each change must bring with the cookies of that
 * read. A change with a token that is missing or expired is refused with 403 and `X-CSRF-Token: Required`, before it is executed.
 * Source: help.sap.com, SAP Gateway, "Cross-Site Request Forgery Protection"; support.sap.com, knowledge base article 3048103 (all
 * cookies must be returned)
 */
export function sapSession(http: ErpHttp, headers: Readonly<Record<string, string>>, cacheKey: string) {
  const state = stateOf(cacheKey)

  function keepCookies(result: ErpResult): void {
    for (const cookie of result.ok ? result.setCookies : []) {
      const [pair = '', ...attributes] = cookie.split(';')
      const [name = '', ...value] = pair.split('=')
      const isOver = attributes.some((one) => /^\s*max-age\s*=\s*(0|-\d+)\s*$/i.test(one) || isPast(one))
      if (isOver) state.cookies.delete(name.trim())
      else state.cookies.set(name.trim(), value.join('=').trim())
    }
  }
  async function call(request: ErpRequest, signal: AbortSignal): Promise<ErpResult> {
    const cookie = [...state.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const own = { ...headers, ...request.headers, ...(cookie && { cookie }) }
    const result = await http.call({ ...request, headers: own }, signal)
    keepCookies(result)
    return result
  }

  /** @returns null when there is a token, otherwise the answer that contains none */
  async function fetchToken(serviceUrl: string, signal: AbortSignal): Promise<ErpResult | null> {
    const request = { method: 'GET', url: `${serviceUrl}/`, headers: { 'x-csrf-token': 'Fetch' }, isRepeatable: true }
    const result = await call(request, signal)
    if (!result.ok || result.status >= 400) return result
    state.token = result.headers['x-csrf-token'] ?? ''
    return null
  }
  /** Several records are sent at once and share a handshake, unless the one who began it was aborted. */
  async function ensureToken(serviceUrl: string, signal: AbortSignal): Promise<ErpResult | null> {
    if (state.token !== null) return null
    state.fetching ??= fetchToken(serviceUrl, signal).finally(() => {
      state.fetching = null
    })
    const failed = await state.fetching
    return failed && !failed.ok && failed.reason === 'aborted' && !signal.aborted ? ensureToken(serviceUrl, signal) : failed
  }

  return {
    read: (url: string, signal: AbortSignal) => call({ method: 'GET', url, isRepeatable: true }, signal),

    /**
     * Sends a change with a token. An expired token is fetched again; twice, because another record may meet the end of the new session
     * too. A refused change was not executed.
     */
    async change(request: ErpRequest, serviceUrl: string, signal: AbortSignal): Promise<ErpResult> {
      let met = ''
      for (let renewals = 0; ; renewals++) {
        const failed = await ensureToken(serviceUrl, signal)
        // The change was not sent, whatever became of the handshake.
        if (failed) return notedBefore(met, failed.ok ? failed : { ...failed, mayHaveArrived: false })
        const { token } = state
        const result = await call({ ...request, headers: { ...request.headers, 'x-csrf-token': token as string } }, signal)
        if (renewals === MAX_RENEWALS || !isTokenMissing(result)) return notedBefore(met, result)
        met = listed(met, result.met, '403 (CSRF token)')
        if (state.token === token) {
          state.token = null
          state.cookies.clear()
        }
      }
    },
  }
}

const isTokenMissing = (result: ErpResult): result is ErpAnswer =>
  result.ok && result.status === 403 && (/required/i.test(result.headers['x-csrf-token'] ?? '') || /csrf/i.test(result.body))

function isPast(attribute: string): boolean {
  const date = /^\s*expires\s*=(.*)$/i.exec(attribute)?.[1]
  return date !== undefined && Date.parse(date) < Date.now()
}
