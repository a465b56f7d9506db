import type { BaseTier } from '../../../db/enums.ts'
import type { Sql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { Unauthenticated } from '../../../support/errors.ts'
import { keyIdOf, type SigningKeys } from './signing-keys.ts'

/** The credential of a live stream, which the stream checks again while it is open. */
export interface StreamCredential {
  tenantId: string
  sessionId: string
  /** of the key that signed the access token */
  keyId: string | undefined
  /** the role at the time of the request */
  role: BaseTier
  /** Unix ms */
  expiresAt: number
}

/** The access token of a signed-in caller. @throws Unauthenticated when it has expired since authentication */
export async function streamCredential(keys: SigningKeys, scope: TenantScope, headers: Headers): Promise<StreamCredential> {
  const token = (headers.get('authorization') ?? '').replace(/^Bearer +/i, '').trim()
  const claims = await keys.access.verify(token, scope.clock.now())
  const { sessionId, role } = scope.actor
  if (!claims || sessionId === null || role === null)
    throw new Unauthenticated('token_invalid', 'The access token has expired: refresh it or sign in again.')
  return { tenantId: scope.tenantId, sessionId, keyId: keyIdOf(token), role, expiresAt: Number(claims.exp) * 1000 }
}

/**
 * The current roles of these sessions, by session id; ended sessions, deactivated users and those who must set up their second
 * factor are absent. The batch version of `identify`.
 */
export async function rolesOfSessions(
  allTenants: Sql,
  sessions: readonly { tenantId: string; sessionId: string }[],
): Promise<Map<string, BaseTier>> {
  const rows = await allTenants<{ id: string; role: BaseTier }[]>`
    select s.id, r.base_tier as role
    from unnest(${sessions.map((s) => s.tenantId)}::uuid[], ${sessions.map((s) => s.sessionId)}::uuid[]) held(tenant, session)
    join sessions s on s.tenant_id = held.tenant and s.id = held.session and s.revoked_at is null
    join users u on u.tenant_id = s.tenant_id and u.id = s.user_id and u.is_active
    join tenants t on t.id = u.tenant_id and (not t.require_mfa or u.mfa_enabled or s.is_sso)
    join roles r on r.tenant_id = u.tenant_id and r.key = u.role`
  return new Map(rows.map((row) => [row.id, row.role]))
}
