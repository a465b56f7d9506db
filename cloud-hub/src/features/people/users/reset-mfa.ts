import type { TenantScope } from '../../../db/scope.ts'
import { Conflict, NotFound } from '../../../support/errors.ts'
import { claimUnconfirmedMailQuota, enqueueMail } from '../../mails/index.ts'
import { deleteMfa, requireRecentSignIn, voidTokens } from '../accounts/index.ts'
import { endSessions, type UserDeps } from './change-user.ts'
import { findUser, type UserRow, userColumns } from './repository.ts'

/**
 * Switches a member's second factor off, for one who has lost it. All sessions of the member end: one that was stolen must not set up the
 * next factor. The member gets a mail in any case.
 * @throws Conflict `own_mfa`, `mfa_disabled`; NotFound; what `requireRecentSignIn` throws; TooManyRequests `sending_limit`
 */
export async function resetMfa(
  deps: UserDeps,
  scope: TenantScope,
  userId: string,
  currentPassword: string | undefined,
): Promise<UserRow> {
  const { tenantId, actor, clock } = scope
  if (userId === actor.id)
    throw new Conflict('own_mfa', 'You cannot reset your own second factor: switch it off with a code, or ask another admin.')
  await requireRecentSignIn(deps.pools.system, scope, currentPassword)
  return scope.tx(async (sql) => {
    const [after] = await sql<UserRow[]>`
      update users set mfa_enabled = false where tenant_id = ${tenantId} and id = ${userId} and mfa_enabled returning ${userColumns(sql)}`
    if (!after) {
      if (!(await findUser(sql, scope, userId))) throw new NotFound('user', userId)
      throw new Conflict('mfa_disabled', 'Two-factor sign-in of this member is already off.')
    }
    const holder = { tenantId, userId }
    await deleteMfa(sql, holder)
    await endSessions(sql, scope, userId)
    await voidTokens(sql, holder, ['mfa_pending', 'sso_exchange'])
    const [now, { email, locale }] = [clock.now(), after]
    // Admins choose addresses of members.
    await claimUnconfirmedMailQuota(sql, now, deps.config.sendingLimits, { tenantId, email, isInvitation: false })
    const params = { enabled: false, at: now.toISOString(), by: actor.name }
    await enqueueMail(sql, deps.box, now, { ...holder, email, locale }, 'mfa_changed', params)
    return after
  })
}
