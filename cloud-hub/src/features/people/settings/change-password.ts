import type { Pools } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { Forbidden } from '../../../support/errors.ts'
import type { SecretBox } from '../../../support/secrets/secret-box.ts'
import { enqueueIfWanted } from '../../mails/index.ts'
import {
  hashPassword,
  openSession,
  reauthenticate,
  revokePersonalTokens,
  type SigningKeys,
  type TokenPair,
  voidTokens,
} from '../accounts/index.ts'

/**
 * Changes the caller's password. All sessions and personal access tokens end, and the caller continues with the new tokens. Of two concurrent changes, the
 * second is refused because the password differs.
 * @throws Forbidden `password_wrong`, `password_not_set`; TooManyRequests
 */
export async function changePassword(
  deps: { pools: Pools; keys: SigningKeys; box: SecretBox },
  scope: TenantScope,
  currentPassword: string,
  newPassword: string,
): Promise<TokenPair> {
  const { tenantId, actor, clock } = scope
  const verified = await reauthenticate(deps.pools.system, scope, currentPassword)
  const passwordHash = await hashPassword(newPassword)
  const now = clock.now()
  const user = await scope.tx(async (sql) => {
    const [row] = await sql<{ email: string; locale: string | null }[]>`
      update users set password_hash = ${passwordHash}
      where tenant_id = ${tenantId} and id = ${actor.id} and password_hash = ${verified} returning email, locale`
    if (!row) throw new Forbidden('password_wrong', 'Another request has changed the password: sign in again.')
    await sql`update sessions set revoked_at = ${now} where tenant_id = ${tenantId} and user_id = ${actor.id} and revoked_at is null`
    const holder = { tenantId, userId: actor.id }
    await revokePersonalTokens(sql, holder, now)
    await voidTokens(sql, holder, ['password_reset', 'mfa_pending', 'sso_exchange'])
    const params = { at: now.toISOString(), ip: actor.ip ?? '?' }
    await enqueueIfWanted(sql, deps.box, now, { ...holder, ...row }, 'password_changed', params)
    return { ...holder, email: row.email, role: actor.role as string }
  })
  return openSession(deps.pools.system, deps.keys, clock, user)
}
