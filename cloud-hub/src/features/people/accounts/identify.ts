import type { Pools, Sql } from '../../../db/pools.ts'
import { type Actor, type TenantScope, tenantScope } from '../../../db/scope.ts'
import { BASE_TIERS, type BaseTier } from '../../../db/tables/accounts.ts'
import { batchLoader } from '../../../support/batch-loader.ts'
import type { Clock } from '../../../support/clock.ts'
import { AppError, Forbidden, Unauthenticated } from '../../../support/errors.ts'
import type { Access } from '../../../support/http/access.ts'
import { clientOf } from '../../../support/http/client-ip.ts'
import type { Identity } from '../../../support/http/mount.ts'
import { sha256 } from '../../../support/secrets/hash.ts'
import { useApiKey, verifyApiKey } from './api-keys.ts'
import { verifyEnrolmentKey } from './enrolment-keys.ts'
import type { SigningKeys } from './signing-keys.ts'

/** The least role of each access. */
const LEAST: Partial<Record<Access, BaseTier>> = { any: 'viewer', operator: 'operator', admin: 'admin' }
/** 0 has the most rights. */
const rankOf = (tier: BaseTier) => BASE_TIERS.indexOf(tier)
const CACHED_TOKENS = 10_000

interface SessionKey {
  tenantId: string
  id: string
}

interface SignedIn {
  userId: string
  email: string
  role: BaseTier
  tier: string
}

/** The user of each session; undefined for an unknown or ended session, and for a deactivated user. */
async function findSessions(sql: Sql, keys: readonly SessionKey[]): Promise<(SignedIn | undefined)[]> {
  const rows = await sql<(SignedIn & { slot: number })[]>`
    select k.slot::int - 1 as slot, u.id as "userId", u.email, r.base_tier as role, t.subscription_tier as tier
    from unnest(${keys.map((key) => key.tenantId)}::uuid[], ${keys.map((key) => key.id)}::uuid[]) with ordinality k(tenant_id, id, slot)
    join sessions s on s.tenant_id = k.tenant_id and s.id = k.id join users u on u.tenant_id = s.tenant_id and u.id = s.user_id
    join tenants t on t.id = s.tenant_id join roles r on r.tenant_id = u.tenant_id and r.key = u.role
    where s.revoked_at is null and u.is_active`
  const found: (SignedIn | undefined)[] = keys.map(() => undefined)
  for (const { slot, ...row } of rows) found[slot] = row
  return found
}

const keyActor = (kind: Actor['kind'], { id, name }: { id: string; name: string }, ip: string, requestId: string): Actor => ({
  kind,
  id,
  role: null,
  sessionId: null,
  name,
  ip,
  requestId,
})

/**
 * Authenticates requests and checks roles. It reads session and role from the database at every request, never from the token.
 * Only the verified signature is cached.
 */
export function createIdentify(pools: Pools, keys: SigningKeys, clock: Clock) {
  const verified = new Map<string, { claims: Record<string, unknown>; exp: number }>()

  async function claimsOf(token: string): Promise<Record<string, unknown> | null> {
    const hash = sha256(token)
    const now = clock.now()
    const known = verified.get(hash)
    if (known && known.exp * 1000 > now.getTime() && keys.access.isCurrent(token)) return known.claims
    verified.delete(hash)
    const claims = await keys.access.verify(token, now)
    if (!claims) return null
    if (verified.size >= CACHED_TOKENS) verified.delete(verified.keys().next().value as string)
    verified.set(hash, { claims, exp: Number(claims.exp) })
    return claims
  }

  const sessionOf = batchLoader((keys: readonly SessionKey[]) => findSessions(pools.system, keys))

  async function userOf(
    token: string,
    ip: string,
    requestId: string,
  ): Promise<{ scope: TenantScope; role: BaseTier; tier: string } | null> {
    const claims = await claimsOf(token)
    if (!claims) return null
    const row = await sessionOf({ tenantId: String(claims.tid), id: String(claims.sid) })
    if (!row) return null
    const scope = tenantScope(pools, clock, String(claims.tid), {
      kind: 'user',
      id: row.userId,
      role: row.role,
      sessionId: String(claims.sid),
      name: row.email,
      ip,
      requestId,
    })
    return { scope, role: row.role, tier: row.tier }
  }

  return async function identify(
    access: Access,
    headers: Headers,
    ip: string,
    requestId: string,
  ): Promise<Identity<TenantScope>> {
    const anonymous = (refusal?: AppError): Identity<TenantScope> => ({
      subject: `ip:${clientOf(ip)}`,
      ...(refusal ? { refusal } : {}),
    })
    if (access === 'none' || access === 'refresh') return anonymous()
    const apiKey = headers.get('x-api-key')
    const bearer = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1]

    if (access === 'key') {
      if (!apiKey) return anonymous(new Unauthenticated('api_key_missing', 'Send an API key in the X-API-Key header.', 'ApiKey'))
      const known = await useApiKey(pools.system, apiKey, clock.now(), { ip, requestId })
      if (!known) return anonymous(new Unauthenticated('api_key_invalid', 'The API key is unknown or revoked.', 'ApiKey'))
      const { tenantId, agentId } = known
      const scope = tenantScope(pools, clock, tenantId, {
        ...keyActor('api_key', known, ip, requestId),
        ...(agentId !== null && { agentId }),
      })
      // The limit of an agent stays the same when it rotates its credential.
      const subject = agentId === null ? `key:${known.id}` : `agent:${tenantId}/${agentId}`
      return { subject, scope, tier: known.tier }
    }

    if (access === 'enrolment') {
      if (!apiKey)
        return anonymous(new Unauthenticated('enrolment_key_missing', 'Send an enrolment key in the X-API-Key header.', 'ApiKey'))
      try {
        const known = await verifyEnrolmentKey(pools.system, clock, apiKey, ip)
        const scope = tenantScope(pools, clock, known.tenantId, keyActor('enrolment_key', known, ip, requestId))
        return { subject: `ip:${clientOf(ip)}`, scope, tier: known.tier }
      } catch (error) {
        if (error instanceof AppError) return anonymous(error)
        throw error
      }
    }

    if (bearer) {
      const user = await userOf(bearer, ip, requestId)
      if (!user)
        return anonymous(
          new Unauthenticated('token_invalid', 'The access token is invalid, expired or revoked: refresh it or sign in again.'),
        )
      const identity = { subject: `user:${user.scope.actor.id}`, scope: user.scope, tier: user.tier }
      if (rankOf(user.role) <= rankOf(LEAST[access] ?? 'viewer')) return identity
      return {
        ...identity,
        refusal: new Forbidden('role_insufficient', `This operation requires the role ${access}; you have ${user.role}.`),
      }
    }
    if (apiKey) {
      const known = await verifyApiKey(pools.system, apiKey, clock.now())
      if (!known) return anonymous(new Unauthenticated('api_key_invalid', 'The API key is unknown or revoked.'))
      const refusal = new Forbidden(
        'api_key_not_allowed',
        'API keys can only send data; this operation requires a signed-in user.',
      )
      return { subject: `key:${known.id}`, tier: known.tier, refusal }
    }
    return anonymous(
      new Unauthenticated('token_missing', 'Sign in with POST /api/v1/auth/login and send Authorization: Bearer <access token>.'),
    )
  }
}
