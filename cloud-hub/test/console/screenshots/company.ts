import { randomUUID } from 'node:crypto'
import { PASSWORD } from '../../harness.ts'
import { call } from '../call.ts'

/** A company on the hub, called as its administrator. */
export interface Company {
  url: string
  email: string
  tenantId: string
  userId: string
  /** API key of its agents */
  key: string
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
  call(method: string, path: string, body?: unknown): Promise<any>
}

export async function newCompany(url: string, name: string): Promise<Company> {
  const email = `ada-${randomUUID().slice(0, 8)}@example.com`
  const account = { email, password: PASSWORD, full_name: 'Ada Brandt', tenant_name: name }
  const { access_token: token } = await call(url, 'POST', 'auth/register', account)
  const asAdmin: Company['call'] = (method, path, body) => call(url, method, path, body, { authorization: `Bearer ${token}` })
  const me = await asAdmin('GET', 'auth/me')
  const { key } = await asAdmin('POST', 'api-keys', { name: 'Edge agents' })
  return { url, email, tenantId: me.tenant_id, userId: me.id, key, call: asAdmin }
}
