/** A signed-in client of the hub's own API: the demonstration uses nothing that a user could not. */
export interface DemoApi {
  call<T>(method: string, path: string, body?: unknown): Promise<T>
}

export class ApiFailure extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

async function request<T>(url: string, method: string, path: string, body: unknown, token?: string): Promise<T> {
  const answer = await fetch(`${url}/api/v1${path}`, {
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
  if (!answer.ok) throw new ApiFailure(answer.status, json?.detail ?? `${method} ${path} answered ${answer.status}`)
  return json as T
}

export const register = (url: string, body: object) => request<{ access_token: string }>(url, 'POST', '/auth/register', body)

/** Signs in, and again whenever the access token has run out. */
export async function signIn(url: string, email: string, password: string): Promise<DemoApi> {
  const login = () =>
    request<{ access_token: string }>(url, 'POST', '/auth/login', { email, password }).then((answer) => answer.access_token)
  let token = await login()
  return {
    async call(method, path, body) {
      try {
        return await request(url, method, path, body, token)
      } catch (error) {
        if (!(error instanceof ApiFailure) || error.status !== 401) throw error
        token = await login()
        return request(url, method, path, body, token)
      }
    },
  }
}
