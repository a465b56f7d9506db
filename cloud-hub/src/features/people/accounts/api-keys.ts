import { columns } from '../../../db/columns.ts'
import type { Sql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import type { apiKeys } from '../../../db/tables/accounts.ts'
import { NotFound } from '../../../support/errors.ts'
import { activateCredential, revokeCredentials } from './agent-credentials.ts'
import { keyPrefix, matchesHash, newKey } from './key-format.ts'

type ApiKeyRow = typeof apiKeys.$inferSelect

const COLUMNS = columns.apiKeys

/** Creates a key. Only this result contains `key`; the database stores its hash. */
export async function createApiKey(scope: TenantScope, name: string): Promise<ApiKeyRow & { key: string }> {
  const { key, prefix, keyHash } = newKey('hk')
  const [row] = await scope.tx(
    (sql) => sql<ApiKeyRow[]>`
      insert into api_keys (tenant_id, name, prefix, key_hash, created_by, created_at)
      values (${scope.tenantId}, ${name}, ${prefix}, ${keyHash}, ${scope.actor.id}, ${scope.clock.now()})
      returning ${sql.unsafe(COLUMNS)}`,
  )
  return { ...(row as ApiKeyRow), key }
}

export const listApiKeys = (scope: TenantScope): Promise<ApiKeyRow[]> =>
  scope.read(
    (sql) => sql<ApiKeyRow[]>`
      select ${sql.unsafe(COLUMNS)} from api_keys where tenant_id = ${scope.tenantId} order by created_at desc`,
  )

/**
 * Revokes a key immediately and permanently; idempotent. With the credential of an agent, all credentials of that agent are revoked:
 * a pending one would let it in again.
 * @throws NotFound
 */
export async function revokeApiKey(scope: TenantScope, keyId: string): Promise<void> {
  const { tenantId } = scope
  const [key] = await scope.read(
    (sql) => sql<{ agentId: string | null; isActive: boolean }[]>`
      select agent_id as "agentId", is_active as "isActive" from api_keys where tenant_id = ${tenantId} and id = ${keyId}`,
  )
  if (!key) throw new NotFound('api key', keyId)
  if (!key.isActive) return
  const { agentId } = key
  if (agentId !== null) return void (await scope.tx((sql) => revokeCredentials(sql, scope, agentId)))
  await scope.tx(
    (sql) => sql`
      update api_keys set is_active = false, revoked_at = ${scope.clock.now()}
      where tenant_id = ${tenantId} and id = ${keyId} and is_active`,
  )
}

export interface ApiKeyPrincipal {
  id: string
  name: string
  tenantId: string
  tier: string
  subscriptionStatus: string
  /** the only agent that a credential is valid for; null for a plain API key */
  agentId: string | null
  /** a credential that was never used */
  isPending: boolean
}

/** Minimum time between updates of `last_used_at`, per key and process. */
const TOUCH_MS = 60_000
const touched = new Map<string, number>()

/** Finds the key's owner, with a constant-time comparison. @returns null for an unknown or revoked key */
export async function verifyApiKey(sql: Sql, key: string, now: Date): Promise<ApiKeyPrincipal | null> {
  const prefix = keyPrefix('hk', key)
  if (!prefix) return null
  const [row] = await sql<(ApiKeyPrincipal & { keyHash: string })[]>`
    select k.id, k.name, k.tenant_id as "tenantId", k.key_hash as "keyHash", t.subscription_tier as tier, t.subscription_status as "subscriptionStatus",
      k.agent_id as "agentId", k.agent_id is not null and k.activated_at is null as "isPending"
    from api_keys k join tenants t on t.id = k.tenant_id where k.prefix = ${prefix} and k.is_active`
  if (!row || !matchesHash(key, row.keyHash)) return null
  if (now.getTime() - (touched.get(row.id) ?? 0) > TOUCH_MS) {
    if (touched.size > 10_000) touched.clear()
    touched.set(row.id, now.getTime())
    await sql`update api_keys set last_used_at = ${now} where tenant_id = ${row.tenantId} and id = ${row.id}`
  }
  return row
}

/**
 * {@link verifyApiKey} for an operation that takes keys. The first use of a credential makes it the one of its agent.
 * @returns null for an unknown or revoked key, and when the credential was revoked meanwhile
 */
export async function useApiKey(
  allTenants: Sql,
  key: string,
  now: Date,
  from: { ip: string | null; requestId: string | null },
): Promise<ApiKeyPrincipal | null> {
  const found = await verifyApiKey(allTenants, key, now)
  if (!found?.isPending || found.agentId === null) return found
  return (await activateCredential(allTenants, { ...found, agentId: found.agentId }, now, from)) ? found : null
}

/** Whose key a refused one was: a revoked key still names its tenant. @returns null for an unknown or active key */
export async function findRevokedKey(
  allTenants: Sql,
  key: string,
): Promise<{ id: string; name: string; tenantId: string } | null> {
  const prefix = keyPrefix('hk', key)
  if (!prefix) return null
  const [row] = await allTenants<{ id: string; name: string; tenantId: string; keyHash: string }[]>`
    select id, name, tenant_id as "tenantId", key_hash as "keyHash" from api_keys where prefix = ${prefix} and not is_active`
  return row && matchesHash(key, row.keyHash) ? row : null
}
