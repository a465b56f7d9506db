import type { BaseTier } from '../../../db/enums.ts'
import type { Sql, TransactionSql } from '../../../db/pools.ts'
import { batchLoader } from '../../../support/batch-loader.ts'
import type { Clock } from '../../../support/clock.ts'
import { type AppError, Forbidden, Unauthenticated } from '../../../support/errors.ts'
import { inRanges } from '../../../support/http/client-ip.ts'
import { keyPrefix, matchesHash, newKey } from './key-format.ts'
import type { TokenHolder } from './one-time-tokens.ts'
import { closedRefusal, scopeOf, type TokenScope } from './token-scopes.ts'

/** A new access token; see {@link newKey}. */
export const newAccessToken = () => newKey('ht')
export const isAccessToken = (credential: string): boolean => credential.startsWith('ht_')

/** An access token, and what its owner is now. */
export interface TokenPrincipal {
  id: string
  tenantId: string
  userId: string
  name: string
  prefix: string
  scopes: readonly string[]
  groupIds: readonly string[] | null
  sourceAddresses: readonly string[] | null
  isActive: boolean
  revokedAt: Date | null
  expiresAt: Date
  /** e-mail address of a person, or the name of a service account */
  ownerName: string
  isOwnerActive: boolean
  role: BaseTier
  /** of the tenant */
  tier: string
  /** the tenant requires a second factor, which the person behind the token has neither here nor at the identity provider */
  mustSetUpMfa: boolean
}

/** The tokens with these public prefixes; undefined for an unknown one. */
async function findTokens(
  allTenants: Sql,
  prefixes: readonly string[],
): Promise<((TokenPrincipal & { tokenHash: string }) | undefined)[]> {
  const rows = await allTenants<(TokenPrincipal & { tokenHash: string })[]>`
    select k.id, k.tenant_id as "tenantId", k.user_id as "userId", k.name, k.prefix, k.token_hash as "tokenHash", k.scopes,
      k.group_ids as "groupIds", k.source_addresses as "sourceAddresses", k.is_active as "isActive", k.revoked_at as "revokedAt",
      k.expires_at as "expiresAt", case when u.is_service then u.full_name else u.email end as "ownerName",
      u.is_active as "isOwnerActive", r.base_tier as role, t.subscription_tier as tier,
      t.require_mfa and not u.mfa_enabled and not u.is_service and not exists (
        select from sso_identities i where i.tenant_id = u.tenant_id and i.user_id = u.id) as "mustSetUpMfa"
    from access_tokens k
    join users u on u.tenant_id = k.tenant_id and u.id = k.user_id
    join roles r on r.tenant_id = u.tenant_id and r.key = u.role
    join tenants t on t.id = k.tenant_id
    where k.prefix = any(${prefixes as string[]}) and k.kind = 'token'`
  const found = new Map(rows.map((row) => [row.prefix, row]))
  return prefixes.map((prefix) => found.get(prefix))
}

/** Minimum time between updates of `last_used_at`, per token and process. */
const TOUCH_MS = 60_000
/** Tokens whose last use a process remembers. */
const MAX_TOUCHED = 10_000

/** What the hub does with the access token of a request. */
export interface TokenChecks {
  /** Finds the owner, with a constant-time comparison. Owner and role are read at every request. @returns null for an unknown token */
  verify(token: string): Promise<TokenPrincipal | null>
  /** Notes that a request with the token has passed. */
  noteUse(token: Pick<TokenPrincipal, 'tenantId' | 'id'>): Promise<void>
}

export function createTokenChecks(allTenants: Sql, clock: Clock): TokenChecks {
  const find = batchLoader((prefixes: readonly string[]) => findTokens(allTenants, prefixes))
  const touched = new Map<string, number>()
  const verify = async (token: string) => {
    const prefix = keyPrefix('ht', token)
    const row = prefix && (await find(prefix))
    if (!row || !matchesHash(token, row.tokenHash)) return null
    const { tokenHash: _, ...principal } = row
    return principal
  }
  const noteUse = async ({ tenantId, id }: Pick<TokenPrincipal, 'tenantId' | 'id'>) => {
    const now = clock.now()
    if (now.getTime() - (touched.get(id) ?? 0) <= TOUCH_MS) return
    if (touched.size > MAX_TOUCHED) touched.clear()
    touched.set(id, now.getTime())
    await allTenants`update access_tokens set last_used_at = ${now} where tenant_id = ${tenantId} and id = ${id}`
  }
  return { verify, noteUse }
}

/**
 * Revokes the personal tokens of a member whose password changes or who is deactivated, because a stolen session may have created them. Tokens
 * of service accounts stay valid.
 */
export const revokePersonalTokens = (sql: TransactionSql, { tenantId, userId }: TokenHolder, now: Date) => sql`
  update access_tokens k set is_active = false, revoked_at = ${now}
  from users u
  where k.tenant_id = ${tenantId} and k.user_id = ${userId} and k.revoked_at is null and k.expires_at > ${now}
    and u.tenant_id = k.tenant_id and u.id = k.user_id and not u.is_service`

/** Why a genuine token is no longer valid. */
function endedRefusal(token: TokenPrincipal, now: Date): Unauthenticated | null {
  if (token.revokedAt) return new Unauthenticated('token_revoked', `The access token "${token.name}" was revoked.`)
  if (!token.isActive || token.expiresAt <= now)
    return new Unauthenticated(
      'token_expired',
      `The access token "${token.name}" expired on ${token.expiresAt.toISOString()}: create another one.`,
    )
  if (!token.isOwnerActive)
    return new Unauthenticated('token_owner_inactive', `The account of the access token "${token.name}" is deactivated.`)
  return null
}

/** Why a token may not call an operation, but for the role of its owner. */
export function tokenRefusal(token: TokenPrincipal, operation: string, ip: string, now: Date): AppError | null {
  const ended = endedRefusal(token, now)
  if (ended) return ended
  if (token.sourceAddresses && !inRanges(ip, token.sourceAddresses))
    return new Forbidden(
      'token_address_not_allowed',
      `The access token "${token.name}" is not valid from ${ip}, from where this request came.`,
      { address: ip },
    )
  const needed = scopeOf(operation)
  if ('closed' in needed) return closedRefusal(needed.closed)
  return needed.scope === 'any' || token.scopes.includes(needed.scope) ? null : scopeMissing(token, needed.scope)
}

const scopeMissing = ({ name }: TokenPrincipal, scope: TokenScope) =>
  new Forbidden('token_scope_missing', `This operation needs the scope ${scope}, which the access token "${name}" lacks.`, {
    scope,
  })
