import { randomBytes } from 'node:crypto'
import type { TokenPurpose } from '../../../db/enums.ts'
import type { Sql, TransactionSql } from '../../../db/pools.ts'
import { sha256 } from '../../../support/secrets/hash.ts'

/** Lifetime of each kind of token, in seconds. */
export const TOKEN_SECONDS: Record<TokenPurpose, number> = {
  invitation: 7 * 86_400,
  password_reset: 3_600,
  mfa_pending: 300,
  sso_exchange: 60,
}

export interface TokenHolder {
  tenantId: string
  userId: string
}

/** Creates a token: 256 random bits, base64url. Only this result contains it; the database stores its hash. */
export async function createToken(
  sql: Sql | TransactionSql,
  holder: TokenHolder,
  purpose: TokenPurpose,
  now: Date,
): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  const expiresAt = new Date(now.getTime() + TOKEN_SECONDS[purpose] * 1000)
  await sql`insert into one_time_tokens (token_hash, tenant_id, user_id, purpose, created_at, expires_at)
    values (${sha256(token)}, ${holder.tenantId}, ${holder.userId}, ${purpose}, ${now}, ${expiresAt})`
  return token
}

/**
 * Finds the owner of a token without using it up.
 * @returns null for an unknown, used or expired token, and for a deactivated user
 */
export async function peekToken(
  sql: Sql,
  token: string,
  purpose: TokenPurpose,
  now: Date,
): Promise<(TokenHolder & { email: string }) | null> {
  const [row] = await sql<(TokenHolder & { email: string })[]>`
    select o.tenant_id as "tenantId", o.user_id as "userId", u.email
    from one_time_tokens o join users u on u.tenant_id = o.tenant_id and u.id = o.user_id
    where o.token_hash = ${sha256(token)} and o.purpose = ${purpose} and o.used_at is null and o.expires_at > ${now} and u.is_active`
  return row ?? null
}

/** Uses a token up; of concurrent calls one succeeds. @returns null for the others, and as `peekToken` */
export async function consumeToken(
  sql: Sql | TransactionSql,
  token: string,
  purpose: TokenPurpose,
  now: Date,
): Promise<TokenHolder | null> {
  const [row] = await sql<TokenHolder[]>`
    update one_time_tokens o set used_at = ${now} from users u
    where o.token_hash = ${sha256(token)} and o.purpose = ${purpose} and o.used_at is null and o.expires_at > ${now}
      and u.tenant_id = o.tenant_id and u.id = o.user_id and u.is_active
    returning o.tenant_id as "tenantId", o.user_id as "userId"`
  return row ?? null
}

/** Deletes all unused tokens of a user and purpose, after a newer link or a changed password or address. */
export async function voidTokens(
  sql: Sql | TransactionSql,
  holder: TokenHolder,
  purposes: readonly TokenPurpose[],
): Promise<void> {
  await sql`delete from one_time_tokens
    where tenant_id = ${holder.tenantId} and user_id = ${holder.userId} and purpose = any(${purposes as string[]}) and used_at is null`
}
