import type { BaseTier } from '../../../db/enums.ts'
import type { Sql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { Unauthenticated } from '../../../support/errors.ts'
import { keyIdOf, type SigningKeys } from './signing-keys.ts'

/** The credential of a live stream, which the stream checks again while it is open. */
export interface StreamCredential {
  tenantId: string
  /** the session of a person, or the access token of a program */
  by: 'session' | 'token'
  /** of the session or the token */
  id: string
  /** of the key that signed the access token of a session */
  keyId: string | undefined
  /** the groups that an access token is for; null: all machines */
  groupIds: readonly string[] | null
  /** the role at the time of the request */
  role: BaseTier
  /** Unix ms */
  expiresAt: number
}

/** The access token of the caller. @throws Unauthenticated when it has expired since authentication */
export async function streamCredential(keys: SigningKeys, scope: TenantScope, headers: Headers): Promise<StreamCredential> {
  const { tenantId } = scope
  const { sessionId, tokenId, role } = scope.actor
  if (tokenId !== undefined && role !== null) {
    const [row] = await scope.read(
      (sql) => sql<{ expiresAt: Date; groupIds: string[] | null }[]>`
        select expires_at as "expiresAt", group_ids as "groupIds" from access_tokens where tenant_id = ${tenantId} and id = ${tokenId}`,
    )
    if (!row) throw new Unauthenticated('token_revoked', 'The access token was revoked.')
    return {
      tenantId,
      by: 'token',
      id: tokenId,
      keyId: undefined,
      groupIds: row.groupIds,
      role,
      expiresAt: row.expiresAt.getTime(),
    }
  }
  const token = (headers.get('authorization') ?? '').replace(/^Bearer +/i, '').trim()
  const claims = await keys.access.verify(token, scope.clock.now())
  if (!claims || sessionId === null || role === null)
    throw new Unauthenticated('token_invalid', 'The access token has expired: refresh it or sign in again.')
  return {
    tenantId,
    by: 'session',
    id: sessionId,
    keyId: keyIdOf(token),
    groupIds: null,
    role,
    expiresAt: Number(claims.exp) * 1000,
  }
}

/**
 * The current roles of the owners of these sessions and tokens, by the id of the session or token. Those that have ended, of deactivated users,
 * and of people who must set up their second factor are absent. The batch version of `identify`.
 */
export async function rolesOfCredentials(
  allTenants: Sql,
  held: readonly Pick<StreamCredential, 'tenantId' | 'by' | 'id'>[],
): Promise<Map<string, BaseTier>> {
  const [sessions, tokens] = [held.filter(({ by }) => by === 'session'), held.filter(({ by }) => by === 'token')]
  const [bySession, byToken] = await Promise.all([
    sessions.length === 0 ? [] : rolesOfSessions(allTenants, sessions),
    tokens.length === 0 ? [] : rolesOfTokens(allTenants, tokens),
  ])
  return new Map([...bySession, ...byToken].map((row) => [row.id, row.role]))
}

type Held = readonly { tenantId: string; id: string }[]

const rolesOfSessions = (allTenants: Sql, held: Held) => allTenants<{ id: string; role: BaseTier }[]>`
  select s.id, r.base_tier as role
  from unnest(${held.map((s) => s.tenantId)}::uuid[], ${held.map((s) => s.id)}::uuid[]) held(tenant, session)
  join sessions s on s.tenant_id = held.tenant and s.id = held.session and s.revoked_at is null
  join users u on u.tenant_id = s.tenant_id and u.id = s.user_id and u.is_active
  join tenants t on t.id = u.tenant_id and (not t.require_mfa or u.mfa_enabled or s.is_sso)
  join roles r on r.tenant_id = u.tenant_id and r.key = u.role`

const rolesOfTokens = (allTenants: Sql, held: Held) => allTenants<{ id: string; role: BaseTier }[]>`
  select k.id, r.base_tier as role
  from unnest(${held.map((s) => s.tenantId)}::uuid[], ${held.map((s) => s.id)}::uuid[]) held(tenant, token)
  join access_tokens k on k.tenant_id = held.tenant and k.id = held.token and k.is_active
  join users u on u.tenant_id = k.tenant_id and u.id = k.user_id and u.is_active
  join tenants t on t.id = u.tenant_id and (not t.require_mfa or u.mfa_enabled or u.is_service
    or exists (select from sso_identities i where i.tenant_id = u.tenant_id and i.user_id = u.id))
  join roles r on r.tenant_id = u.tenant_id and r.key = u.role`
