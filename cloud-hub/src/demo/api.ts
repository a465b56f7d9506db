import { HaltlessClient, HaltlessError } from '@haltless/client'

/** A signed-in client of the hub's own API: the demonstration uses nothing that a user could not. */
export type DemoApi = HaltlessClient

/** Sends a request: `fetch`, or a hub in this process. */
type Send = (url: string, init: RequestInit) => Promise<Response>

const TIMEOUT_SECONDS = 10

/** A client that stays signed in with one access token. */
export const clientWith = (send: Send, token: string): DemoApi =>
  new HaltlessClient({ url: '', fetch: send, token, timeoutSeconds: TIMEOUT_SECONDS })

/** Without a token. It repeats nothing: each refused login counts towards the lockout of this address. */
const stranger = (url: string) => new HaltlessClient({ url, attempts: 1, timeoutSeconds: TIMEOUT_SECONDS })

export const register = (url: string, body: { email: string; password: string; full_name: string; tenant_name: string }) =>
  stranger(url).post('/auth/register', { body })

/** The account asks for a second factor, which the demonstration has not. */
class SecondFactorRequired extends Error {}

/** Signs in. @returns an access token of a quarter of an hour */
export async function accessTokenOf(url: string, email: string, password: string): Promise<string> {
  const answer = await stranger(url).post('/auth/login', { body: { email, password } })
  if (!('access_token' in answer)) throw new SecondFactorRequired('The sign-in asks for a second factor.')
  return answer.access_token
}

/**
 * Signs in, and once more for all pending calls when the access token has expired. It never retries a refused login, because each
 * attempt counts towards the lockout of this address.
 */
export async function signIn(url: string, email: string, password: string): Promise<DemoApi> {
  const login = () => accessTokenOf(url, email, password)
  let token = await login()
  let renewal: Promise<void> | null = null
  const renew = () => {
    renewal ??= login().then(
      (fresh) => {
        token = fresh
        renewal = null
      },
      (error) => {
        if (!isUnauthorized(error)) renewal = null
        throw error
      },
    )
    return renewal
  }
  const tokenFor = async (refused?: string) => {
    if (refused === token) await renew()
    return token
  }
  return new HaltlessClient({ url, token: tokenFor, timeoutSeconds: TIMEOUT_SECONDS })
}

/** True when the e-mail address, the password or the session is no longer valid. */
export const isUnauthorized = (error: unknown): boolean =>
  error instanceof SecondFactorRequired || (error instanceof HaltlessError && error.status === 401)
