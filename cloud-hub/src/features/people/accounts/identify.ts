import { BASE_TIERS, type BaseTier } from '../../../db/enums.ts'
import type { Pools } from '../../../db/pools.ts'
import { type Actor, type TenantScope, tenantScope } from '../../../db/scope.ts'
import { batchLoader } from '../../../support/batch-loader.ts'
import type { Clock } from '../../../support/clock.ts'
import { AppError, Forbidden, Unauthenticated } from '../../../support/errors.ts'
import type { Access } from '../../../support/http/access.ts'
import { clientOf } from '../../../support/http/client-ip.ts'
import type { AskedFor, Identity } from '../../../support/http/mount.ts'
import type { Confined, SharedRead } from '../../../support/http/route.ts'
import { createTokenChecks, isAccessToken, type TokenPrincipal, tokenRefusal } from './access-tokens.ts'
import { findRevokedKey, useApiKey, verifyApiKey } from './api-keys.ts'
import { confineToGroups, type GroupGate } from './confine.ts'
import { verifyEnrolmentKey } from './enrolment-keys.ts'
import { findSessionUser, userActor } from './sessions.ts'
import { createSharedReads, findSessions, readAlone, type SessionKey } from './shared-reads.ts'
import { cachedClaims, type SigningKeys } from './signing-keys.ts'
import { scopeOf } from './token-scopes.ts'

/** The least role of each access. */
const LEAST: Partial<Record<Access, BaseTier>> = { any: 'viewer', operator: 'operator', admin: 'admin' }
/** 0 has the most rights. */
const rankOf = (tier: BaseTier) => BASE_TIERS.indexOf(tier)

const roleRefusal = (role: BaseTier, access: Access) =>
  rankOf(role) <= rankOf(LEAST[access] ?? 'viewer')
    ? null
    : new Forbidden('role_insufficient', `This operation requires the role ${access}; you have ${role}.`)

/** Whether a caller may call an operation beside the one that it calls: its role, and the scopes of its token. */
export function mayCall(actor: Pick<Actor, 'role' | 'scopes'>, operation: string, access: Access): boolean {
  const needed = scopeOf(operation)
  const hasScope = !actor.scopes || ('scope' in needed && (needed.scope === 'any' || actor.scopes.includes(needed.scope)))
  return actor.role !== null && hasScope && roleRefusal(actor.role, access) === null
}

const subjectOf = (userId: string) => `user:${userId}`
const subjectOfAddress = (ip: string) => `ip:${clientOf(ip)}`

const mfaSetupRequired = () =>
  new Forbidden(
    'mfa_setup_required',
    'Your company requires two-factor sign-in: set it up with POST /api/v1/auth/mfa/setup first.',
  )

const keyActor = (kind: Actor['kind'], { id, name }: { id: string; name: string }, ip: string, requestId: string): Actor => ({
  kind,
  id,
  role: null,
  sessionId: null,
  name,
  ip,
  requestId,
})

/**
 * Authenticates requests and checks roles. It reads session and role from the database at every request, never from the token.
 * Only the verified signature is cached.
 */
export function createIdentify(pools: Pools, keys: SigningKeys, clock: Clock, gate: GroupGate) {
  const tokens = createTokenChecks(pools.system, clock)
  const claimsOf = cachedClaims(keys, clock)
  const readShared = createSharedReads(pools.app)
  const sessionOf = batchLoader((sessions: readonly SessionKey[]) => findSessions(pools.system, sessions))

  async function userOf(token: string, ip: string, requestId: string, read: SharedRead | undefined) {
    const claims = await claimsOf(token)
    if (!claims) return null
    const session = { tenantId: String(claims.tid), id: String(claims.sid) }
    // A session that has ended counts for the address.
    const subjects = [subjectOf(String(claims.sub)), subjectOfAddress(ip)]
    const { user, ...data } = read
      ? await readShared({ ...read, session, isWanted: () => subjects.every(read.isWanted) })
      : { user: await sessionOf(session) }
    if (!user) return null
    const scope = tenantScope(pools, clock, session.tenantId, {
      kind: 'user',
      id: user.userId,
      role: user.role,
      sessionId: session.id,
      name: user.email,
      ip,
      requestId,
    })
    return { scope, role: user.role, tier: user.tier, mustSetUpMfa: user.mustSetUpMfa, data }
  }

  /** Of the user whose genuine token belongs to a session that has ended. */
  async function scopeOfEnded(token: string, ip: string, requestId: string): Promise<TenantScope | null> {
    const claims = await claimsOf(token)
    const user = claims && (await findSessionUser(pools.system, { tenantId: String(claims.tid), userId: String(claims.sub) }))
    return user
      ? tenantScope(pools, clock, user.tenantId, {
          ...userActor(user, { ip, requestId }),
          kind: 'user',
          role: null,
          sessionId: null,
        })
      : null
  }

  /** A program that acts as a user. Its role is that of the user now. */
  async function identifyToken(
    token: TokenPrincipal,
    { access, spec }: AskedFor,
    from: { ip: string; requestId: string },
    read: SharedRead | undefined,
  ): Promise<Identity<TenantScope>> {
    const { tenantId, groupIds } = token
    const scope = tenantScope(pools, clock, tenantId, {
      kind: 'token',
      id: token.userId,
      role: token.role,
      sessionId: null,
      tokenId: token.id,
      scopes: token.scopes,
      isConfined: groupIds !== null,
      // the name of a token is free text: it must not look like another account
      name: `${token.ownerName} (ht_${token.prefix} "${token.name.replaceAll('"', "'")}")`,
      ...from,
    })
    const subject = `token:${token.id}`
    const identity = { subject, scope, tier: token.tier, ...(token.mustSetUpMfa && { restriction: mfaSetupRequired() }) }
    const refusal = tokenRefusal(token, spec?.operation ?? '', from.ip, clock.now()) ?? roleRefusal(token.role, access)
    if (refusal) return { ...identity, refusal }
    if (!token.mustSetUpMfa) await tokens.noteUse(token)
    const confine = groupIds && spec ? (asked: Confined) => confineToGroups(gate, { tenantId, groupIds }, spec, asked) : undefined
    if (!read?.isWanted(subject)) return { ...identity, ...(confine && { confine }) }
    try {
      const input = confine ? { ...read.input, query: await confine(read.input) } : read.input
      return { ...identity, found: await readAlone(pools.app, read.load, tenantId, input) }
    } catch (fault) {
      return { ...identity, fault }
    }
  }

  return async function identify(
    asked: AskedFor,
    headers: Headers,
    ip: string,
    requestId: string,
    read?: SharedRead,
  ): Promise<Identity<TenantScope>> {
    const anonymous = (refusal?: AppError): Identity<TenantScope> => ({
      subject: subjectOfAddress(ip),
      ...(refusal ? { refusal } : {}),
    })
    const scopeOfKey = (kind: Actor['kind'], key: { id: string; name: string; tenantId: string }) =>
      tenantScope(pools, clock, key.tenantId, keyActor(kind, key, ip, requestId))
    const refusedKey = async (key: string, refusal: AppError): Promise<Identity<TenantScope>> => {
      const revoked = await findRevokedKey(pools.system, key)
      return { ...anonymous(refusal), ...(revoked && { scope: scopeOfKey('api_key', revoked) }) }
    }
    const { access } = asked
    if (access === 'none' || access === 'refresh') return anonymous()
    const apiKey = headers.get('x-api-key')
    const bearer = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1]

    if (access === 'key') {
      if (!apiKey) return anonymous(new Unauthenticated('api_key_missing', 'Send an API key in the X-API-Key header.', 'ApiKey'))
      const known = await useApiKey(pools.system, apiKey, clock.now(), { ip, requestId })
      if (!known)
        return refusedKey(apiKey, new Unauthenticated('api_key_invalid', 'The API key is unknown or revoked.', 'ApiKey'))
      const { tenantId, agentId } = known
      const scope = tenantScope(pools, clock, tenantId, {
        ...keyActor('api_key', known, ip, requestId),
        ...(agentId !== null && { agentId }),
      })
      // The limit of an agent stays the same when it rotates its credential.
      const subject = agentId === null ? `key:${known.id}` : `agent:${tenantId}/${agentId}`
      return { subject, scope, tier: known.tier }
    }

    if (access === 'enrolment') {
      if (!apiKey)
        return anonymous(new Unauthenticated('enrolment_key_missing', 'Send an enrolment key in the X-API-Key header.', 'ApiKey'))
      try {
        const known = await verifyEnrolmentKey(pools.system, clock, apiKey, ip)
        const scope = scopeOfKey('enrolment_key', known)
        return known.refusal ? { ...anonymous(known.refusal), scope } : { ...anonymous(), scope, tier: known.tier }
      } catch (error) {
        if (error instanceof AppError) return anonymous(error)
        throw error
      }
    }

    if (bearer && isAccessToken(bearer)) {
      const token = await tokens.verify(bearer)
      return token
        ? identifyToken(token, asked, { ip, requestId }, read)
        : anonymous(new Unauthenticated('token_invalid', 'The access token is unknown: compare it with the one that was shown.'))
    }
    if (bearer) {
      const user = await userOf(bearer, ip, requestId, read)
      if (!user) {
        const scope = await scopeOfEnded(bearer, ip, requestId)
        const refusal = new Unauthenticated(
          'token_invalid',
          'The access token is invalid, expired or revoked: refresh it or sign in again.',
        )
        return { ...anonymous(refusal), ...(scope && { scope }) }
      }
      const identity = {
        subject: subjectOf(user.scope.actor.id),
        scope: user.scope,
        tier: user.tier,
        ...user.data,
        ...(user.mustSetUpMfa && { restriction: mfaSetupRequired() }),
      }
      const refusal = roleRefusal(user.role, access)
      return refusal ? { ...identity, refusal } : identity
    }
    if (apiKey) {
      const known = await verifyApiKey(pools.system, apiKey, clock.now())
      if (!known) return refusedKey(apiKey, new Unauthenticated('api_key_invalid', 'The API key is unknown or revoked.'))
      const refusal = new Forbidden(
        'api_key_not_allowed',
        'API keys can only send data; this operation requires a signed-in user.',
      )
      return { subject: `key:${known.id}`, tier: known.tier, scope: scopeOfKey('api_key', known), refusal }
    }
    return anonymous(
      new Unauthenticated('token_missing', 'Sign in with POST /api/v1/auth/login and send Authorization: Bearer <access token>.'),
    )
  }
}
