/** A signed-in client of the hub's own API: the demonstration uses nothing that a user could not. */
export interface DemoApi {
  call<T>(method: string, path: string, body?: unknown): Promise<T>
}

export class ApiFailure extends Error {
  readonly status: number
  /** of a refusal for too many attempts (429), else null */
  readonly retryAfterSeconds: number | null
  constructor(status: number, message: string, retryAfterSeconds: number | null = null) {
    super(message)
    this.status = status
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Sends a request: `fetch`, or a hub in this process. */
type Send = (url: string, init: RequestInit) => Promise<Response>

/** A client that stays signed in with one access token. */
export const clientWith = (send: Send, token: string): DemoApi => ({
  call: (method, path, body) => request('', method, path, body, token, send),
})

async function request<T>(
  url: string,
  method: string,
  path: string,
  body: unknown,
  token?: string,
  send: Send = fetch,
): Promise<T> {
  const answer = await send(`${url}/api/v1${path}`, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token ? { authorization: `Bearer ${token}` } : {}),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(10_000),
  })
  const text = await answer.text()
  const json = text ? JSON.parse(text) : undefined
  if (!answer.ok) {
    const retryAfter = answer.status === 429 ? Number(answer.headers.get('retry-after') ?? 1) : null
    throw new ApiFailure(answer.status, json?.detail ?? `${method} ${path} answered ${answer.status}`, retryAfter)
  }
  return json as T
}

export const register = (url: string, body: object) => request<{ access_token: string }>(url, 'POST', '/auth/register', body)

/** Signs in. @returns an access token of a quarter of an hour */
export async function accessTokenOf(url: string, email: string, password: string): Promise<string> {
  const answer = await request<{ access_token?: string }>(url, 'POST', '/auth/login', { email, password })
  if (answer.access_token === undefined) throw new ApiFailure(401, 'The sign-in asks for a second factor.')
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
  return {
    async call(method, path, body) {
      const used = token
      try {
        return await request(url, method, path, body, used)
      } catch (error) {
        if (!isUnauthorized(error)) throw error
        if (token === used) await renew()
        return request(url, method, path, body, token)
      }
    },
  }
}

/** True when the e-mail address, the password or the session is no longer valid. */
export const isUnauthorized = (error: unknown): boolean => error instanceof ApiFailure && error.status === 401
