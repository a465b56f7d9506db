import { randomBytes, randomUUID } from 'node:crypto'
import type { Sql, TransactionSql } from '../../../db/pools.ts'
import { purge } from '../../../db/purge.ts'
import type { TenantScope } from '../../../db/scope.ts'
import type { Clock } from '../../../support/clock.ts'
import { Unauthenticated } from '../../../support/errors.ts'
import type { Caller } from '../../../support/http/route.ts'
import { sha256 } from '../../../support/secrets/hash.ts'
import { type EventActor, recordEvent } from '../audit/index.ts'
import type { TokenHolder } from './one-time-tokens.ts'
import type { SigningKeys } from './signing-keys.ts'

const ACCESS_TOKEN_SECONDS = 15 * 60
const REFRESH_TOKEN_SECONDS = 30 * 86_400
/** Within this span, further uses of a refresh cookie are refused without ending the session. */
const GRACE_MS = 10_000

export interface SessionUser {
  tenantId: string
  userId: string
  email: string
  role: string
}

/** @returns undefined for a deleted user */
export async function findSessionUser(
  sql: Sql | TransactionSql,
  { tenantId, userId }: TokenHolder,
): Promise<SessionUser | undefined> {
  const [user] = await sql<SessionUser[]>`
    select tenant_id as "tenantId", id as "userId", email, role from users where tenant_id = ${tenantId} and id = ${userId}`
  return user
}

/** The actor of a sign-in, for the audit trail. */
export const userActor = (user: SessionUser, from: { ip: string; requestId: string }): EventActor => ({
  kind: 'user',
  id: user.userId,
  name: user.email,
  ip: from.ip,
  requestId: from.requestId,
})

/** Records a sign-in: `last_login_at`, and an entry of the audit trail. */
export async function recordSignIn(
  sql: Sql,
  clock: Clock,
  user: SessionUser,
  from: { ip: string; requestId: string },
): Promise<void> {
  await sql`update users set last_login_at = ${clock.now()} where tenant_id = ${user.tenantId} and id = ${user.userId}`
  await recordEvent(sql, user.tenantId, userActor(user, from), 'user.signed_in')
}

export const loginFailed = () => new Unauthenticated('login_failed', 'E-mail or password is wrong.')

/** The result of a sign-in: a short-lived access token, and the value of the refresh cookie. */
export interface TokenPair {
  accessToken: string
  refreshToken: string
}

export const refreshCookie = (value: string): string =>
  `refresh_token=${value}; Path=/api/v1/auth; Max-Age=${REFRESH_TOKEN_SECONDS}; HttpOnly; Secure; SameSite=Strict`
export const clearedRefreshCookie = 'refresh_token=; Path=/api/v1/auth; Max-Age=0; HttpOnly; Secure; SameSite=Strict'

const signAccess = (keys: SigningKeys, user: SessionUser, sessionId: string, now: Date) =>
  keys.access.sign(
    { sub: user.userId, tid: user.tenantId, sid: sessionId, role: user.role, jti: randomUUID() },
    ACCESS_TOKEN_SECONDS,
    now,
  )

async function addRefreshToken(sql: Sql | TransactionSql, tenantId: string, sessionId: string, now: Date): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  const expiresAt = new Date(now.getTime() + REFRESH_TOKEN_SECONDS * 1000)
  await sql`insert into refresh_tokens (token_hash, tenant_id, session_id, created_at, expires_at)
    values (${sha256(token)}, ${tenantId}, ${sessionId}, ${now}, ${expiresAt})`
  await sql`update sessions set expires_at = ${expiresAt} where tenant_id = ${tenantId} and id = ${sessionId}`
  return token
}

/**
 * Opens a session for an authenticated user.
 * @param options `isSso`: the identity provider authenticated the user. `passwordHash`: what a sign-in by password alone was checked against
 * @throws Unauthenticated when the password or the need for a second factor changed since, or the account was deactivated
 */
export async function openSession(
  sql: Sql,
  keys: SigningKeys,
  clock: Clock,
  user: SessionUser,
  { isSso = false, passwordHash }: { isSso?: boolean; passwordHash?: string } = {},
): Promise<TokenPair> {
  const now = clock.now()
  const sessionId = randomUUID()
  const refreshToken = await sql.begin(async (tx) => {
    // The lock lets a change that ends all sessions end this one too, or comes after it.
    const opened = await tx`
      insert into sessions (id, tenant_id, user_id, is_sso, created_at, expires_at)
      select ${sessionId}::uuid, u.tenant_id, u.id, ${isSso}::boolean, ${now}::timestamptz, ${now}::timestamptz
      from users u where u.tenant_id = ${user.tenantId} and u.id = ${user.userId}
        ${passwordHash === undefined ? tx`` : tx`and u.is_active and not u.mfa_enabled and u.password_hash = ${passwordHash}`}
      for share of u returning 1`
    if (opened.length === 0) throw loginFailed()
    return addRefreshToken(tx, user.tenantId, sessionId, now)
  })
  return { accessToken: await signAccess(keys, user, sessionId, now), refreshToken }
}

/**
 * Another request, such as another tab, has just used the cookie. Its response set the new cookie, which this response must not
 * delete.
 */
export class RefreshedElsewhere extends Unauthenticated {
  constructor() {
    super('refresh_token_used', 'Another request has just used the refresh cookie: use the newer cookie.')
  }
}

/**
 * Exchanges a refresh token for a new pair and invalidates the old one. Of concurrent exchanges one succeeds. A token that
 * returns more than 10 s after its use was stolen or copied: the whole session ends.
 * @throws Unauthenticated; RefreshedElsewhere for the others of concurrent exchanges
 */
export async function refreshSession(sql: Sql, keys: SigningKeys, clock: Clock, cookie: string | undefined): Promise<TokenPair> {
  const refused = () =>
    new Unauthenticated('refresh_token_invalid', 'The refresh cookie is missing, expired or was used before: sign in again.')
  if (!cookie) throw refused()
  const now = clock.now()
  const hash = sha256(cookie)
  const won = await sql.begin(async (tx) => {
    const [user] = await tx<(SessionUser & { sessionId: string })[]>`
      update refresh_tokens r set used_at = ${now}
      from sessions s join users u on u.tenant_id = s.tenant_id and u.id = s.user_id
      where r.token_hash = ${hash} and r.used_at is null and r.expires_at > ${now}
        and s.tenant_id = r.tenant_id and s.id = r.session_id and s.revoked_at is null and u.is_active
      returning r.tenant_id as "tenantId", r.session_id as "sessionId", u.id as "userId", u.email, u.role`
    return user ? { user, refreshToken: await addRefreshToken(tx, user.tenantId, user.sessionId, now) } : null
  })
  if (won) return { accessToken: await signAccess(keys, won.user, won.user.sessionId, now), refreshToken: won.refreshToken }
  const [used] = await sql<{ isParallel: boolean; tenantId: string; sessionId: string }[]>`
    select r.used_at >= ${new Date(now.getTime() - GRACE_MS)} as "isParallel", r.tenant_id as "tenantId", r.session_id as "sessionId"
    from refresh_tokens r join sessions s on s.tenant_id = r.tenant_id and s.id = r.session_id
    where r.token_hash = ${hash} and r.used_at is not null and s.revoked_at is null`
  if (used?.isParallel) throw new RefreshedElsewhere()
  if (used) await endSession(sql, clock, used.tenantId, used.sessionId)
  throw refused()
}

/** Ends a session: its access tokens and refresh cookie become invalid at once. */
export async function endSession(sql: Sql, clock: Clock, tenantId: string, sessionId: string): Promise<void> {
  await sql`update sessions set revoked_at = ${clock.now()} where tenant_id = ${tenantId} and id = ${sessionId} and revoked_at is null`
}

/** Ends all sessions of the caller except the current one. */
export const endOtherSessions = (scope: TenantScope): Promise<unknown> =>
  scope.tx(
    (sql) => sql`
      update sessions set revoked_at = ${scope.clock.now()}
      where tenant_id = ${scope.tenantId} and user_id = ${scope.actor.id} and id <> ${scope.actor.sessionId} and revoked_at is null`,
  )

/** For the API document: the header of answers that set or delete the refresh cookie. */
export const COOKIE_HEADER = { 'Set-Cookie': 'The refresh cookie, `HttpOnly`, or its deletion.' }

/** Sends the access token in the body and the refresh token as a cookie. */
export function tokenResponse(grant: TokenPair, caller: Caller) {
  caller.setHeader('set-cookie', refreshCookie(grant.refreshToken))
  return { access_token: grant.accessToken, token_type: 'bearer' as const, mfa_required: false }
}

/** Sessions that one statement deletes: each has a refresh token of each quarter of an hour. */
const FEW = 200

/**
 * Deletes sessions with their refresh tokens, one-time tokens and quotas a day after their end, expired SSO sign-ins, and old
 * throttle entries.
 */
export async function purgeExpiredSignInData(allTenants: Sql, now: Date): Promise<void> {
  const dayAgo = new Date(now.getTime() - 86_400_000)
  await purge(allTenants, { table: 'sessions', column: 'expires_at', before: dayAgo, portion: FEW })
  await purge(allTenants, { table: 'one_time_tokens', column: 'expires_at', before: dayAgo })
  await purge(allTenants, { table: 'sso_logins', column: 'expires_at', before: now })
  await purge(allTenants, { table: 'login_throttle', column: 'updated_at', before: dayAgo })
  await purge(allTenants, { table: 'sending_quotas', column: 'updated_at', before: dayAgo })
}
