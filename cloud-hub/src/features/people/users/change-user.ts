import { isForeignKeyViolation, isUniqueViolation } from '../../../db/errors.ts'
import type { Pools, TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { canonicalEmail } from '../../../support/canonical-email.ts'
import { Conflict, fieldError, NotFound, TooManyRequests, Unprocessable } from '../../../support/errors.ts'
import type { SecretBox } from '../../../support/secrets/secret-box.ts'
import { claimUnconfirmedMailQuota, enqueueIfWanted, type SendingLimits } from '../../mails/index.ts'
import { confirmNewEmail, hashPassword, notifyOldEmail, revokePersonalTokens, voidTokens } from '../accounts/index.ts'
import { claimPlace } from '../limits/index.ts'
import { assertAdminRemains, lockMembership } from './last-admin.ts'
import { findUser, listRoles, type UserRow, userColumns } from './repository.ts'

/** Translates a constraint violation of `users` to a refusal. */
export function translateUserError(error: unknown): unknown {
  if (isUniqueViolation(error, 'users_email_key'))
    return new Conflict('email_taken', 'This e-mail address has an account already.')
  if (isForeignKeyViolation(error, 'users_role_fk')) return new Unprocessable([fieldError('body.role', 'unknown_role')])
  return error
}

/** Adds a member who can sign in at once. @throws Conflict when the address is in use, or at the limit of the tenant; Unprocessable for an unknown role */
export async function addUser(
  scope: TenantScope,
  given: { email: string; password: string; fullName: string; role: string },
): Promise<UserRow> {
  const passwordHash = await hashPassword(given.password)
  const values = {
    tenant_id: scope.tenantId,
    email: given.email,
    full_name: given.fullName,
    role: given.role,
    password_hash: passwordHash,
    created_at: scope.clock.now(),
  }
  try {
    const [row] = await scope.tx(async (sql) => {
      await claimPlace(sql, scope, 'users')
      return sql<UserRow[]>`insert into users ${sql(values)} returning ${userColumns(sql)}`
    })
    return row as UserRow
  } catch (error) {
    throw translateUserError(error)
  }
}

/** Dependencies of user changes. */
export interface UserDeps {
  pools: Pools
  box: SecretBox
  config: { sendingLimits: SendingLimits }
}

export interface UserChange {
  full_name?: string | undefined
  email?: string | undefined
  /** the caller's password: required to change the address of the own account */
  current_password?: string | undefined
  phone?: string | null | undefined
  timezone?: string | null | undefined
  locale?: string | null | undefined
  is_active?: boolean | undefined
}

/**
 * Changes a member's details. Deactivation ends all sessions and personal access tokens; it voids links in mails, and so does a new address. The old address gets a
 * notice about the new one. A change of the own address requires the password.
 * @throws NotFound, Conflict (`email_taken`, `own_account` when deactivating oneself, `last_admin`, `service_account`, `tenant_limit`), Unprocessable without the
 * password, Forbidden with a wrong one, TooManyRequests beyond the limits of mails to unconfirmed addresses
 */
export async function changeUser(
  deps: UserDeps,
  scope: TenantScope,
  userId: string,
  { current_password, ...change }: UserChange,
): Promise<UserRow> {
  if (change.is_active === false && userId === scope.actor.id)
    throw new Conflict('own_account', 'You cannot deactivate your own account: ask another admin.')
  if (userId === scope.actor.id && change.email !== undefined && change.email !== canonicalEmail(scope.actor.name))
    await confirmNewEmail(deps.pools.system, scope, current_password)
  const values = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
  try {
    return await scope.tx(async (sql) => {
      if (change.is_active === false) await lockMembership(sql, scope)
      const before = await findUser(sql, scope, userId)
      if (!before) throw new NotFound('user', userId)
      if (before.isService && Object.keys(values).some((name) => name !== 'full_name' && name !== 'is_active'))
        throw serviceAccount()
      if (Object.keys(values).length === 0) return before
      if (change.is_active && !before.isActive) await claimPlace(sql, scope, 'users')
      const [after] = await sql<UserRow[]>`
        update users set ${sql(values)} where tenant_id = ${scope.tenantId} and id = ${userId} returning ${userColumns(sql)}`
      const isMoved = canonicalEmail(after?.email ?? '') !== canonicalEmail(before.email)
      if (isMoved && !before.isInvited) await notifyOldEmail(sql, deps, scope, before, after?.email ?? '')
      if (before.isActive && change.is_active === false) {
        await endSessions(sql, scope, userId)
        await revokePersonalTokens(sql, { tenantId: scope.tenantId, userId }, scope.clock.now())
        await assertAdminRemains(sql, scope)
      }
      if (isMoved || change.is_active === false)
        await voidTokens(sql, { tenantId: scope.tenantId, userId }, [
          'invitation',
          'password_reset',
          'mfa_pending',
          'sso_exchange',
        ])
      return after as UserRow
    })
  } catch (error) {
    throw translateUserError(error)
  }
}

const serviceAccount = () =>
  new Conflict(
    'service_account',
    'This is a service account: it has a name and a role, and nothing else that can be changed here.',
  )

/** Ends all sessions of a member. */
export const endSessions = (sql: TransactionSql, scope: TenantScope, userId: string) =>
  sql`update sessions set revoked_at = ${scope.clock.now()}
    where tenant_id = ${scope.tenantId} and user_id = ${userId} and revoked_at is null`

/**
 * Changes a member's role, from the next request on. The member gets a mail, within the limits of mails to unconfirmed addresses.
 * @throws NotFound, Unprocessable for an unknown role, Conflict `last_admin`
 */
export async function changeRole(
  deps: Omit<UserDeps, 'pools'>,
  scope: TenantScope,
  userId: string,
  role: string,
): Promise<UserRow> {
  try {
    return await scope.tx(async (sql) => {
      await lockMembership(sql, scope)
      const before = await findUser(sql, scope, userId)
      if (!before) throw new NotFound('user', userId)
      if (before.role === role) return before
      const [after] = await sql<UserRow[]>`
        update users set role = ${role} where tenant_id = ${scope.tenantId} and id = ${userId} returning ${userColumns(sql)}`
      await assertAdminRemains(sql, scope)
      if (before.isActive && !before.isInvited && !before.isService && (await mayNotify(sql, deps, scope, before.email))) {
        const [named] = await listRoles(sql, scope, role)
        const [tenant] = await sql<{ name: string }[]>`select name from tenants where id = ${scope.tenantId}`
        const to = { tenantId: scope.tenantId, userId, email: before.email, locale: before.locale }
        await enqueueIfWanted(sql, deps.box, scope.clock.now(), to, 'role_changed', {
          tenant: tenant?.name ?? '',
          role: named?.name ?? role,
          by: scope.actor.name,
        })
      }
      return after as UserRow
    })
  } catch (error) {
    throw translateUserError(error)
  }
}

/** The role changes in any case. Beyond the limit its mail is skipped and not counted. */
const mayNotify = (sql: TransactionSql, { config }: Pick<UserDeps, 'config'>, { tenantId, clock }: TenantScope, email: string) =>
  sql
    .savepoint((inner) =>
      claimUnconfirmedMailQuota(inner, clock.now(), config.sendingLimits, { tenantId, email, isInvitation: false }),
    )
    .then(
      () => true,
      (error) => {
        if (error instanceof TooManyRequests) return false
        throw error
      },
    )
