import { columns } from '../../../db/columns.ts'
import type { Pools, TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import type { accessTokens } from '../../../db/tables/accounts.ts'
import { Conflict, NotFound } from '../../../support/errors.ts'
import { claimNotice } from '../../mails/index.ts'
import { type GroupGate, newAccessToken, requireRecentSignIn } from '../accounts/index.ts'
import { claimPlace, lockPlaces } from '../limits/index.ts'
import { type MailTools, mailAboutToken, readersOf } from './token-mails.ts'

/** Active tokens of a member, so that one person cannot use up those of the tenant. */
const MAX_OF_MEMBER = 50
/** Tokens that a member makes within 24 hours, revoked ones too: those stay in the list for 90 days. */
const MAX_MADE_A_DAY = 200
/** Ended tokens that a list shows, the newest. */
const MAX_ENDED_LISTED = 500
/** Mails about new tokens that a reader gets within 24 hours, so that tokens cannot flood a mailbox. */
const MAX_NOTICES_A_DAY = 20
const DAY_MS = 86_400_000
/** When mails announce the expiry of a token, in days before it. */
export const WARN_DAYS = [14, 2] as const

export interface TokenDeps extends MailTools {
  pools: Pools
  groups: GroupGate
}

export type TokenRow = Omit<typeof accessTokens.$inferSelect, 'tokenHash'> & { ownerName: string; isService: boolean }

export interface NewToken {
  name: string
  scopes: readonly string[]
  expires_in_days: number
  group_ids?: readonly string[] | null | undefined
  source_addresses?: readonly string[] | null | undefined
  current_password?: string | undefined
}

/**
 * Creates a token for the caller, or for a service account, and mails the owner, which no setting switches off: who has stolen a session could
 * keep the account with it. Only this result contains `token`; the database stores its hash.
 * @throws Forbidden without a recent sign-in, NotFound for an unknown group, Conflict `tenant_limit` or `too_many_tokens`
 */
export async function createToken(
  { pools, groups, ...tools }: TokenDeps,
  scope: TenantScope,
  userId: string,
  given: NewToken,
): Promise<TokenRow & { token: string }> {
  const { tenantId, actor, clock } = scope
  await requireRecentSignIn(pools.system, scope, given.current_password)
  const groupIds = given.group_ids ?? []
  if (groupIds.length > 0 && !(await groups.hasGroups(tenantId, groupIds, groupIds))) throw new NotFound('machine group')
  const { key, prefix, keyHash } = newAccessToken()
  const now = clock.now()
  const values = {
    tenant_id: tenantId,
    kind: 'token',
    user_id: userId,
    name: given.name,
    prefix,
    token_hash: keyHash,
    scopes: [...new Set(given.scopes)],
    group_ids: (given.group_ids ?? null) as string[] | null,
    source_addresses: (given.source_addresses ?? null) as string[] | null,
    created_by: actor.id,
    created_at: now,
    expires_at: new Date(now.getTime() + given.expires_in_days * DAY_MS),
    // who chose such a short life needs no warning of it
    warnings: WARN_DAYS.filter((days) => given.expires_in_days <= days).length,
  }
  const row = await scope.tx(async (sql) => {
    const { free } = await lockPlaces(sql, scope, 'tokens')
    if (free < 1) await freeExpired(sql, scope)
    await claimPlace(sql, scope, 'tokens')
    const [counted] = await sql<{ active: number; made: number }[]>`
      select count(*) filter (where is_active and expires_at > ${now})::int as active,
        count(*) filter (where created_at > ${new Date(now.getTime() - DAY_MS)})::int as made
      from access_tokens where tenant_id = ${tenantId} and user_id = ${userId}`
    if ((counted?.active ?? 0) >= MAX_OF_MEMBER)
      throw new Conflict('too_many_tokens', `An account has at most ${MAX_OF_MEMBER} active access tokens: revoke one first.`, {
        limit: MAX_OF_MEMBER,
      })
    if ((counted?.made ?? 0) >= MAX_MADE_A_DAY)
      throw new Conflict('too_many_tokens', `An account makes at most ${MAX_MADE_A_DAY} access tokens within 24 hours.`, {
        limit: MAX_MADE_A_DAY,
      })
    const [inserted] = await sql<{ id: string }[]>`insert into access_tokens ${sql(values)} returning id`
    for (const reader of await readersOf(sql, { tenantId, userId }))
      if (await claimNotice(sql, now, `token-created:${tenantId}:${reader.userId}`, MAX_NOTICES_A_DAY))
        await mailAboutToken(sql, tools, now, tenantId, reader, 'token_created', {
          token: given.name,
          by: actor.name,
          at: now.toISOString(),
          ip: actor.ip ?? '?',
        })
    return findToken(sql, scope, inserted?.id ?? '')
  })
  return { ...row, token: key }
}

/** Frees the places of expired tokens, which the job does once an hour. It waits for no row that the job has. */
const freeExpired = (sql: TransactionSql, { tenantId, clock }: TenantScope) => sql`
  update access_tokens set is_active = false where tenant_id = ${tenantId} and id = any(array(
    select k.id from access_tokens k
    where k.tenant_id = ${tenantId} and k.is_active and k.expires_at <= ${clock.now()} for no key update skip locked))`

const select = (sql: TransactionSql) =>
  sql.unsafe(
    columns.accessTokens
      .split(', ')
      .filter((column) => !column.startsWith('token_hash'))
      .map((column) => `k.${column}`)
      .join(', '),
  )

const listWhere = (sql: TransactionSql, { tenantId }: TenantScope, { id, userId }: { id?: string; userId?: string }) => sql<
  TokenRow[]
>`
  select ${select(sql)}, u.full_name as "ownerName", u.is_service as "isService"
  from access_tokens k join users u on u.tenant_id = k.tenant_id and u.id = k.user_id
  where k.tenant_id = ${tenantId} ${id ? sql`and k.id = ${id}` : sql``} ${userId ? sql`and k.user_id = ${userId}` : sql``}
    and (k.is_active or k.id = any(array(
      select e.id from access_tokens e
      where e.tenant_id = ${tenantId} and not e.is_active ${id ? sql`and e.id = ${id}` : sql``} ${userId ? sql`and e.user_id = ${userId}` : sql``}
      order by e.created_at desc, e.id limit ${MAX_ENDED_LISTED})))
  order by k.is_active desc, k.created_at desc, k.id`

async function findToken(sql: TransactionSql, scope: TenantScope, id: string): Promise<TokenRow> {
  const [row] = await listWhere(sql, scope, { id })
  if (!row) throw new NotFound('access token', id)
  return row
}

/** Tokens of a member, or of all members; active ones first, then the newest of those that ended, at most 500. */
export const listTokens = (scope: TenantScope, userId?: string): Promise<TokenRow[]> =>
  scope.read((sql) => listWhere(sql, scope, userId === undefined ? {} : { userId }))

/** Revokes a token at once and for good; idempotent. An admin revokes those of all members, others their own. @throws NotFound */
export const revokeToken = (scope: TenantScope, id: string): Promise<void> =>
  scope.tx(async (sql) => {
    const { tenantId, actor, clock } = scope
    const { userId } = await findToken(sql, scope, id)
    if (userId !== actor.id && actor.role !== 'admin') throw new NotFound('access token', id)
    await sql`
      update access_tokens set is_active = false, revoked_at = ${clock.now()}
      where tenant_id = ${tenantId} and id = ${id} and revoked_at is null`
  })

export const statusOf = ({ revokedAt, expiresAt }: TokenRow, now: Date): 'active' | 'expired' | 'revoked' =>
  revokedAt ? 'revoked' : expiresAt <= now ? 'expired' : 'active'
