import { randomUUID } from 'node:crypto'
import type postgres from 'postgres'

/** A tenant with machines `m0`, `m1`, ... and API keys. */
export interface Tenant {
  tenantId: string
  /** calls the API as its admin, below /api/v1; throws unless the status is 2xx */
  call<T>(method: string, route: string, body?: unknown): Promise<T>
  keys: string[]
  /** its admin's access token */
  token: string
}

/** Registers a tenant over the API. Machines are inserted into the database directly, because there may be hundreds. */
export async function makeTenant(
  url: string,
  owner: postgres.Sql,
  { machines, keys = 1 }: { machines: number; keys?: number },
): Promise<Tenant> {
  const request = async <T>(method: string, route: string, body: unknown, token?: string): Promise<T> => {
    const answer = await fetch(`${url}/api/v1/${route}`, {
      method,
      headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${method} /${route} was answered ${answer.status}: ${await answer.text()}`)
    return (await answer.json()) as T
  }
  const account = { email: `${randomUUID()}@example.com`, password: 'Correct-horse-7', full_name: 'Ada', tenant_name: 'Plant' }
  const { access_token } = await request<{ access_token: string }>('POST', 'auth/register', account)
  const call: Tenant['call'] = (method, route, body) => request(method, route, body, access_token)
  const { tenant_id: tenantId } = await call<{ tenant_id: string }>('GET', 'auth/me')
  const made: string[] = []
  for (let i = 0; i < keys; i++) made.push((await call<{ key: string }>('POST', 'api-keys', { name: `key ${i}` })).key)
  await owner`
    insert into machines (tenant_id, name, machine_identifier, protocol)
    select ${tenantId}, 'Machine ' || i, 'm' || i, 'json' from generate_series(0, ${machines - 1}::int) i`
  return { tenantId, call, keys: made, token: access_token }
}
