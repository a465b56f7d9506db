import type { Sql, TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { fieldError, Unprocessable } from '../../../support/errors.ts'
import type { SecretBox } from '../../../support/secrets/secret-box.ts'
import { claimUnconfirmedMailQuota, enqueueMail, type SendingLimits } from '../../mails/index.ts'
import { reauthenticate } from './reauthenticate.ts'

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
