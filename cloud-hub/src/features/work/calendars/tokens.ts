import { createHash, randomBytes } from 'node:crypto'
import type { Sql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { Conflict, NotFound } from '../../../support/errors.ts'

/** Maximum of calendar tokens of a user. */
const MAX_TOKENS = 20

export interface TokenRow {
  id: string
  label: string
  createdAt: Date
  lastUsedAt: Date | null
}

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')

/** The caller's tokens, oldest first. */
export const listTokens = (scope: TenantScope): Promise<TokenRow[]> =>
  scope.read(
    (sql) => sql<TokenRow[]>`
      select id, label, created_at as "createdAt", last_used_at as "lastUsedAt" from calendar_tokens
      where tenant_id = ${scope.tenantId} and user_id = ${scope.actor.id} order by created_at, id`,
  )

/** @throws Conflict when the caller has the maximum of tokens */
export const createCalendarToken = (scope: TenantScope, label: string): Promise<{ row: TokenRow; token: string }> => {
  const token = `hc_${randomBytes(32).toString('base64url')}`
  return scope.tx(async (sql) => {
    // The lock keeps concurrent requests from exceeding the maximum.
    await sql`select from users where tenant_id = ${scope.tenantId} and id = ${scope.actor.id} for no key update`
    const [row] = await sql<TokenRow[]>`
      insert into calendar_tokens (tenant_id, user_id, label, token_hash, created_at)
      select ${scope.tenantId}, ${scope.actor.id}, ${label}, ${hashOf(token)}, ${scope.clock.now()}
      where (select count(*) from calendar_tokens where tenant_id = ${scope.tenantId} and user_id = ${scope.actor.id}) < ${MAX_TOKENS}
      returning id, label, created_at as "createdAt", last_used_at as "lastUsedAt"`
    if (!row)
      throw new Conflict('too_many_calendar_tokens', `A user has at most ${MAX_TOKENS} calendar tokens.`, { limit: MAX_TOKENS })
    return { row, token }
  })
}

/** @throws NotFound for a token that is not the caller's */
export const revokeToken = (scope: TenantScope, tokenId: string): Promise<void> =>
  scope.tx(async (sql) => {
    const [row] = await sql`
      delete from calendar_tokens where tenant_id = ${scope.tenantId} and user_id = ${scope.actor.id} and id = ${tokenId} returning id`
    if (!row) throw new NotFound('calendar token', tokenId)
  })

/** The tenant whose calendar this token reads, while its user is active; undefined for any other token. Notes its use once a minute. */
export async function tenantOfToken(allTenants: Sql, token: string, now: Date): Promise<string | undefined> {
  const [row] = await allTenants<{ tenantId: string; id: string; isNoted: boolean }[]>`
    select t.tenant_id as "tenantId", t.id, coalesce(t.last_used_at > ${new Date(now.getTime() - 60_000)}, false) as "isNoted"
    from calendar_tokens t join users u on u.tenant_id = t.tenant_id and u.id = t.user_id and u.is_active
    where t.token_hash = ${hashOf(token)}`
  if (row && !row.isNoted)
    await allTenants`update calendar_tokens set last_used_at = ${now} where tenant_id = ${row.tenantId} and id = ${row.id}`
  return row?.tenantId
}
