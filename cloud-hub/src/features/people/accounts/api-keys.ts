import { randomBytes, timingSafeEqual } from 'node:crypto'
import { and, desc, eq } from 'drizzle-orm'
import type { Sql } from '../../../db/pools.ts'
import { first, owned, type TenantScope } from '../../../db/scope.ts'
import { apiKeys } from '../../../db/tables/accounts.ts'
import { NotFound } from '../../../support/errors.ts'
import { sha256 } from '../../../support/secrets/hash.ts'

const SHAPE = /^hk_([0-9a-z]{8})_[A-Za-z0-9_-]{43}$/

/** Creates a key. Only this result contains `key`; the database stores its hash. */
export async function createApiKey(scope: TenantScope, name: string) {
  const prefix = Array.from(randomBytes(8), (byte) => '0123456789abcdefghijklmnopqrstuvwxyz'[byte % 36]).join('')
  const key = `hk_${prefix}_${randomBytes(32).toString('base64url')}`
  const values = {
    tenantId: scope.tenantId,
    name,
    prefix,
    keyHash: sha256(key),
    createdBy: scope.actor.id,
    createdAt: scope.clock.now(),
  }
  const row = await scope.tx((db) => db.insert(apiKeys).values(values).returning().then(first))
  if (!row) throw new Error('the insert returned no API key')
  return { ...row, key }
}

export const listApiKeys = (scope: TenantScope) =>
  scope.read((db) => db.select().from(apiKeys).where(owned(apiKeys, scope)).orderBy(desc(apiKeys.createdAt)))

/** Revokes a key immediately and permanently; idempotent. @throws NotFound */
export async function revokeApiKey(scope: TenantScope, keyId: string): Promise<void> {
  const row = await scope.tx((db) =>
    db
      .update(apiKeys)
      .set({ isActive: false })
      .where(and(owned(apiKeys, scope), eq(apiKeys.id, keyId)))
      .returning({ id: apiKeys.id })
      .then(first),
  )
  if (!row) throw new NotFound('api key', keyId)
}

export interface ApiKeyPrincipal {
  id: string
  name: string
  tenantId: string
  tier: string
  subscriptionStatus: string
}

/** Minimum time between updates of `last_used_at`, per key and process. */
const TOUCH_MS = 60_000
const touched = new Map<string, number>()

/** Finds the key's owner, with a constant-time comparison. @returns null for an unknown or revoked key */
export async function verifyApiKey(sql: Sql, key: string, now: Date): Promise<ApiKeyPrincipal | null> {
  const prefix = SHAPE.exec(key)?.[1]
  if (!prefix) return null
  const [row] = await sql<(ApiKeyPrincipal & { keyHash: string })[]>`
    select k.id, k.name, k.tenant_id as "tenantId", k.key_hash as "keyHash", t.subscription_tier as tier, t.subscription_status as "subscriptionStatus"
    from api_keys k join tenants t on t.id = k.tenant_id where k.prefix = ${prefix} and k.is_active`
  if (!row || !timingSafeEqual(Buffer.from(row.keyHash), Buffer.from(sha256(key)))) return null
  if (now.getTime() - (touched.get(row.id) ?? 0) > TOUCH_MS) {
    if (touched.size > 10_000) touched.clear()
    touched.set(row.id, now.getTime())
    await sql`update api_keys set last_used_at = ${now} where tenant_id = ${row.tenantId} and id = ${row.id}`
  }
  return row
}
