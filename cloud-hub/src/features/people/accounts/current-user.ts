import type { Sql, TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import type { SubscriptionStatus, SubscriptionTier } from '../../../db/subscriptions.ts'
import { fieldError, Unauthenticated, Unprocessable } from '../../../support/errors.ts'
import { versionedBy } from '../../../support/http/record-version.ts'
import type { SecretBox } from '../../../support/secrets/secret-box.ts'
import { claimUnconfirmedMailQuota, enqueueMail, type SendingLimits } from '../../mails/index.ts'
import { reauthenticate } from './reauthenticate.ts'
import { CurrentUser } from './schemas.ts'

interface UserRow {
  id: string
  email: string
  full_name: string
  tenant_id: string
  tenant_name: string
  role: string
  is_active: boolean
  mfa_enabled: boolean
  mfa_setup_required: boolean
  phone: string | null
  timezone: string | null
  locale: string | null
  onboarding_completed: boolean
  pinned_metrics: string[]
  subscription_status: SubscriptionStatus
  subscription_tier: SubscriptionTier
  version: string
}

/** What `PATCH /settings/profile` changes. */
const withVersion = versionedBy(
  CurrentUser.pick({
    full_name: true,
    email: true,
    phone: true,
    timezone: true,
    locale: true,
    onboarding_completed: true,
    pinned_metrics: true,
  }),
)

/** The signed-in user, as `GET /auth/me` returns it. @throws Unauthenticated when the user was deleted */
export async function currentUser(scope: TenantScope): Promise<UserRow> {
  const [row] = await scope.read(
    (sql) => sql<Omit<UserRow, 'version'>[]>`
      select u.id, u.email, u.full_name, u.tenant_id, t.name as tenant_name, u.role, u.is_active, u.mfa_enabled, u.phone, u.timezone, u.locale,
        t.require_mfa and not u.mfa_enabled and not exists (
          select from sessions s where s.tenant_id = u.tenant_id and s.id = ${scope.actor.sessionId} and s.is_sso
        ) as mfa_setup_required,
        u.onboarding_completed, u.pinned_metrics, t.subscription_status, t.subscription_tier
      from users u join tenants t on t.id = u.tenant_id where u.tenant_id = ${scope.tenantId} and u.id = ${scope.actor.id}`,
  )
  if (!row) throw new Unauthenticated('token_invalid', 'The user of this token was deleted: sign in with another account.')
  return withVersion(row)
}

/**
 * Requires the password before the caller's account changes its address: a stolen session must not do that.
 * @throws Unprocessable without a password, and what `reauthenticate` throws
 */
export async function confirmNewEmail(system: Sql, scope: TenantScope, password: string | undefined): Promise<void> {
  if (!password)
    throw new Unprocessable([fieldError('body.current_password', 'required', {}, 'is required to change the e-mail address')])
  await reauthenticate(system, scope, password)
}

/**
 * Notifies the old address of an account that its address changed. Admins choose addresses of members, so these mails count as
 * those to unconfirmed addresses.
 * @throws TooManyRequests `sending_limit`
 */
export async function notifyOldEmail(
  sql: TransactionSql,
  deps: { box: SecretBox; config: { sendingLimits: SendingLimits } },
  { tenantId, clock }: TenantScope,
  old: { id: string; email: string; locale: string | null },
  newEmail: string,
): Promise<void> {
  const [now, to] = [clock.now(), { tenantId, userId: old.id, email: old.email, locale: old.locale }]
  await claimUnconfirmedMailQuota(sql, now, deps.config.sendingLimits, { tenantId, email: old.email, isInvitation: false })
  await enqueueMail(sql, deps.box, now, to, 'email_changed', { newEmail, at: now.toISOString() })
}
