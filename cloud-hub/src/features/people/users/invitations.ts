import { randomUUID } from 'node:crypto'
import type { TokenPurpose } from '../../../db/enums.ts'
import type { Pools, TransactionSql } from '../../../db/pools.ts'
import { actorSetting, type TenantScope } from '../../../db/scope.ts'
import type { Clock } from '../../../support/clock.ts'
import { Conflict, Unauthenticated } from '../../../support/errors.ts'
import type { SecretBox } from '../../../support/secrets/secret-box.ts'
import { claimUnconfirmedMailQuota, enqueueMail, type SendingLimits } from '../../mails/index.ts'
import {
  beginAttempt,
  consumeToken,
  createToken,
  hashPassword,
  ipSubject,
  peekToken,
  revokePersonalTokens,
  type SessionUser,
  TOKEN_SECONDS,
  voidTokens,
} from '../accounts/index.ts'
import { claimPlace } from '../limits/index.ts'
import { translateUserError } from './change-user.ts'
import { type UserRow, userColumns } from './repository.ts'

export interface LinkDeps {
  pools: Pools
  box: SecretBox
  clock: Clock
  /** the public URL of the hub, without a trailing slash */
  publicUrl: string
  config: { sendingLimits: SendingLimits }
}

/**
 * Creates an account without a password and mails a link that sets one. A repeated invitation updates name and role, sends a new
 * link and voids the old one.
 * @throws Conflict `email_taken` or `tenant_limit`, Unprocessable for an unknown role, TooManyRequests beyond the limits of mails to unconfirmed
 * addresses
 */
export async function inviteUser(
  deps: LinkDeps,
  scope: TenantScope,
  given: { email: string; fullName: string; role: string; locale: string | undefined },
): Promise<UserRow> {
  const { tenantId, clock, actor } = scope
  const now = clock.now()
  try {
    return await scope.tx(async (sql) => {
      const values = {
        tenant_id: tenantId,
        email: given.email,
        full_name: given.fullName,
        role: given.role,
        is_invited: true,
        created_at: now,
        ...(given.locale ? { locale: given.locale } : {}),
      }
      const [again] = await sql<UserRow[]>`
        update users set full_name = ${given.fullName}, role = ${given.role}, locale = coalesce(${given.locale ?? null}, locale)
        where tenant_id = ${tenantId} and lower(email) = ${given.email.toLowerCase()} and is_invited and is_active returning ${userColumns(sql)}`
      if (!again) await claimPlace(sql, scope, 'users')
      const [row] = again ? [again] : await sql<UserRow[]>`insert into users ${sql(values)} returning ${userColumns(sql)}`
      const user = row as UserRow
      await claimUnconfirmedMailQuota(sql, now, deps.config.sendingLimits, { tenantId, email: given.email, isInvitation: true })
      const holder = { tenantId, userId: user.id }
      await voidTokens(sql, holder, ['invitation'])
      const token = await createToken(sql, holder, 'invitation', now)
      const [names] = await sql<{ tenant: string; inviter: string }[]>`
        select t.name as tenant, u.full_name as inviter from tenants t join users u on u.tenant_id = t.id and u.id = ${actor.id} where t.id = ${tenantId}`
      await enqueueMail(sql, deps.box, now, { ...holder, email: user.email, locale: user.locale }, 'invitation', {
        tenant: names?.tenant ?? '',
        inviter: names?.inviter ?? actor.name,
        url: `${deps.publicUrl}/invite?token=${token}`,
        expiresAt: new Date(now.getTime() + TOKEN_SECONDS.invitation * 1000).toISOString(),
      })
      return user
    })
  } catch (error) {
    throw translateUserError(error)
  }
}

/**
 * Creates a tenant and invites its first admin, for the operator of the hub.
 * @returns the link of the mail too, so that the operator can pass it on
 * @throws Conflict `email_taken`
 */
export async function createTenant(
  deps: Pick<LinkDeps, 'box' | 'clock' | 'publicUrl'>,
  sql: TransactionSql,
  given: { tenantName: string; email: string; fullName: string },
): Promise<{ tenantId: string; url: string; expiresAt: Date }> {
  const now = deps.clock.now()
  const holder = { tenantId: randomUUID(), userId: randomUUID() }
  await sql`insert into tenants (id, name, created_at) values (${holder.tenantId}, ${given.tenantName}, ${now})`
  try {
    await sql`insert into users (id, tenant_id, email, full_name, role, is_invited, created_at)
      values (${holder.userId}, ${holder.tenantId}, ${given.email}, ${given.fullName}, 'admin', true, ${now})`
  } catch (error) {
    throw translateUserError(error)
  }
  const url = `${deps.publicUrl}/invite?token=${await createToken(sql, holder, 'invitation', now)}`
  const expiresAt = new Date(now.getTime() + TOKEN_SECONDS.invitation * 1000)
  const params = { tenant: given.tenantName, inviter: 'Haltless', url, expiresAt: expiresAt.toISOString() }
  await enqueueMail(sql, deps.box, now, { ...holder, email: given.email, locale: null }, 'invitation', params)
  return { tenantId: holder.tenantId, url, expiresAt }
}

/** Mails a reset link to the user with this address, if any; the caller cannot tell. Only the newest link works. */
export async function requestPasswordReset(deps: LinkDeps, email: string): Promise<void> {
  // Known and unknown addresses take the same time.
  await Promise.all([mailResetLink(deps, email), new Promise((enough) => setTimeout(enough, RESET_ANSWER_MS))])
}

async function mailResetLink(deps: LinkDeps, email: string): Promise<void> {
  const now = deps.clock.now()
  await deps.pools.system.begin(async (allTenants) => {
    const [user] = await allTenants<{ tenantId: string; userId: string; email: string; locale: string | null }[]>`
      select tenant_id as "tenantId", id as "userId", email, locale from users
      where lower(email) = ${email.toLowerCase()} and is_active and not is_invited and not is_service`
    if (!user) return
    const [recent] = await allTenants`
      select 1 from one_time_tokens where tenant_id = ${user.tenantId} and user_id = ${user.userId} and purpose = 'password_reset'
        and used_at is null and created_at > ${new Date(now.getTime() - MAIL_EVERY_MS)}`
    if (recent) return
    await voidTokens(allTenants, user, ['password_reset'])
    const token = await createToken(allTenants, user, 'password_reset', now)
    await enqueueMail(allTenants, deps.box, now, user, 'password_reset', {
      url: `${deps.publicUrl}/reset-password?token=${token}`,
      expiresAt: new Date(now.getTime() + TOKEN_SECONDS.password_reset * 1000).toISOString(),
    })
  })
}
/** At most one link a minute, so that the hub cannot flood a mailbox. */
const MAIL_EVERY_MS = 60_000
/** Longer than it takes to find a user and queue a mail. */
const RESET_ANSWER_MS = 150

/** The origin of a request, for the audit trail and the throttle. */
interface Origin {
  ip: string
  requestId: string
}

/**
 * Sets a password with a token from a mail. An invitation activates the account; a reset ends all its sessions and personal access tokens. Wrong tokens
 * count as failures of the caller's network address.
 * @throws Unauthenticated when the token is unknown, used or expired; TooManyRequests
 */
export async function setPasswordByToken(
  deps: Pick<LinkDeps, 'pools' | 'clock'>,
  origin: Origin,
  purpose: Extract<TokenPurpose, 'invitation' | 'password_reset'>,
  token: string,
  password: string,
): Promise<SessionUser> {
  const { pools, clock } = deps
  const attempt = await beginAttempt(pools.system, clock, [ipSubject(origin.ip)])
  const known = await peekToken(pools.system, token, purpose, clock.now())
  if (!known) {
    await attempt.failed()
    throw invalidToken()
  }
  const passwordHash = await hashPassword(password)
  const now = clock.now()
  const user = (await pools.system.begin(async (sql) => {
    const actor = { kind: 'user', id: known.userId, name: known.email, ip: origin.ip, requestId: origin.requestId }
    await sql`select set_config('app.actor', ${actorSetting(actor)}, true)`
    const holder = await consumeToken(sql, token, purpose, now)
    return holder && (await setPassword(sql, holder, passwordHash, now))
  })) as SessionUser | null
  await attempt.succeeded()
  if (!user) throw invalidToken()
  return user
}

async function setPassword(sql: TransactionSql, holder: { tenantId: string; userId: string }, passwordHash: string, now: Date) {
  const [user] = await sql<{ email: string; role: string }[]>`
    update users set password_hash = ${passwordHash}, is_invited = false where tenant_id = ${holder.tenantId} and id = ${holder.userId} returning email, role`
  await sql`update sessions set revoked_at = ${now} where tenant_id = ${holder.tenantId} and user_id = ${holder.userId} and revoked_at is null`
  await revokePersonalTokens(sql, holder, now)
  await voidTokens(sql, holder, ['invitation', 'password_reset', 'mfa_pending', 'sso_exchange'])
  if (!user) throw new Conflict('user_gone', 'The account of this link was deleted: ask for a new invitation.')
  return { ...holder, ...user }
}

const invalidToken = () =>
  new Unauthenticated(
    'link_invalid',
    'This link was used before, has expired, or was replaced by a newer one: request another one.',
  )
