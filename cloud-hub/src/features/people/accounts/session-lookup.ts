import type { BaseTier } from '../../../db/enums.ts'
import type { Sql, TransactionSql } from '../../../db/pools.ts'

export interface SessionKey {
  tenantId: string
  id: string
}

export interface SignedIn {
  userId: string
  email: string
  role: BaseTier
  tier: string
  /** the tenant requires a second factor, which neither the user nor the sign-in has */
  mustSetUpMfa: boolean
}

/** The user of each session; undefined for an unknown or ended session, and for a deactivated user. */
export async function findSessions(sql: Sql | TransactionSql, keys: readonly SessionKey[]): Promise<(SignedIn | undefined)[]> {
  const rows = await sql<(SignedIn & { slot: number })[]>`
    select k.slot::int - 1 as slot, u.id as "userId", u.email, r.base_tier as role, t.subscription_tier as tier,
      t.require_mfa and not u.mfa_enabled and not s.is_sso as "mustSetUpMfa"
    from unnest(${keys.map((key) => key.tenantId)}::uuid[], ${keys.map((key) => key.id)}::uuid[]) with ordinality k(tenant_id, id, slot)
    join sessions s on s.tenant_id = k.tenant_id and s.id = k.id join users u on u.tenant_id = s.tenant_id and u.id = s.user_id
    join tenants t on t.id = s.tenant_id join roles r on r.tenant_id = u.tenant_id and r.key = u.role
    where s.revoked_at is null and u.is_active`
  const found: (SignedIn | undefined)[] = keys.map(() => undefined)
  for (const { slot, ...row } of rows) found[slot] = row
  return found
}
