import type { TenantScope } from '../../../db/scope.ts'
import type { SubscriptionStatus, SubscriptionTier } from '../../../db/subscriptions.ts'
import { Unauthenticated } from '../../../support/errors.ts'

interface UserRow {
  id: string
  email: string
  full_name: string
  tenant_id: string
  role: string
  is_active: boolean
  mfa_enabled: boolean
  mfa_setup_required: boolean
  phone: string | null
  timezone: string | null
  locale: string | null
  onboarding_completed: boolean
  subscription_status: SubscriptionStatus
  subscription_tier: SubscriptionTier
}

/** The signed-in user, as `GET /auth/me` returns it. @throws Unauthenticated when the user was deleted */
export async function currentUser(scope: TenantScope): Promise<UserRow> {
  const [row] = await scope.read(
    (sql) => sql<UserRow[]>`
      select u.id, u.email, u.full_name, u.tenant_id, u.role, u.is_active, u.mfa_enabled, u.phone, u.timezone, u.locale,
        t.require_mfa and not u.mfa_enabled and not exists (
          select from sessions s where s.tenant_id = u.tenant_id and s.id = ${scope.actor.sessionId} and s.is_sso
        ) as mfa_setup_required,
        u.onboarding_completed, t.subscription_status, t.subscription_tier
      from users u join tenants t on t.id = u.tenant_id where u.tenant_id = ${scope.tenantId} and u.id = ${scope.actor.id}`,
  )
  if (!row) throw new Unauthenticated('token_invalid', 'The user of this token was deleted: sign in with another account.')
  return row
}
