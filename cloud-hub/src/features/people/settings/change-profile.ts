import type { z } from 'zod'
import { isUniqueViolation } from '../../../db/errors.ts'
import type { Pools } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { canonicalEmail } from '../../../support/canonical-email.ts'
import { Conflict } from '../../../support/errors.ts'
import type { SecretBox } from '../../../support/secrets/secret-box.ts'
import type { SendingLimits } from '../../mails/index.ts'
import { confirmNewEmail, notifyOldEmail, throttleGuesses, voidTokens } from '../accounts/index.ts'
import type { ProfilePatch } from './schemas.ts'

/**
 * Changes the caller's profile. A new e-mail address requires the password; the old address gets a notice, and links sent to it
 * are void.
 * @throws Unprocessable without the password, Forbidden with a wrong one, Conflict for an address in use, TooManyRequests
 */
export async function changeProfile(
  deps: { pools: Pools; box: SecretBox; config: { sendingLimits: SendingLimits } },
  scope: TenantScope,
  patch: z.output<typeof ProfilePatch>,
): Promise<void> {
  const { tenantId, actor } = scope
  const isNewEmail = patch.email !== undefined && patch.email !== canonicalEmail(actor.name)
  if (isNewEmail) await confirmNewEmail(deps.pools.system, scope, patch.current_password)
  const values = Object.fromEntries(
    Object.entries({
      full_name: patch.full_name,
      email: isNewEmail ? patch.email : undefined,
      phone: patch.phone,
      timezone: patch.timezone,
      locale: patch.locale,
      onboarding_completed: patch.onboarding_completed,
      pinned_metrics: patch.pinned_metrics && [...new Set(patch.pinned_metrics)],
    }).filter(([, value]) => value !== undefined),
  )
  if (Object.keys(values).length === 0) return
  const change = () =>
    scope.tx(async (sql) => {
      await sql`update users set ${sql(values)} where tenant_id = ${tenantId} and id = ${actor.id}`
      if (!isNewEmail) return
      await voidTokens(sql, { tenantId, userId: actor.id }, ['password_reset'])
      const [user] = await sql<
        { locale: string | null }[]
      >`select locale from users where tenant_id = ${tenantId} and id = ${actor.id}`
      const old = { id: actor.id, email: actor.name, locale: user?.locale ?? null }
      await notifyOldEmail(sql, deps, scope, old, patch.email as string)
    })
  await throttleGuesses(deps.pools, scope, values.email as string | undefined, () =>
    change().catch((error) => {
      throw isUniqueViolation(error, 'users_email_key')
        ? new Conflict('email_taken', 'This e-mail address belongs to another account.')
        : error
    }),
  )
}
