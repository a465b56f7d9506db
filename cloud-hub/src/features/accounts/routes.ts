import { and, eq } from 'drizzle-orm'
import type { Pools } from '../../db/pools.ts'
import { first, owned, type TenantScope } from '../../db/scope.ts'
import { tenants, users } from '../../db/tables/accounts.ts'
import type { Clock } from '../../support/clock.ts'
import { Unauthenticated } from '../../support/errors.ts'
import { type Caller, routeFor } from '../../support/http/route.ts'
import { z } from '../../support/http/z.ts'
import { createApiKey, listApiKeys, revokeApiKey } from './api-keys.ts'
import { checkPassword, register } from './credentials.ts'
import {
  ApiKeyBody,
  ApiKeyEntry,
  ApiKeyParams,
  CreatedApiKey,
  CurrentUser,
  LoginBody,
  RegisterBody,
  TokenAnswer,
} from './schemas.ts'
import {
  clearedRefreshCookie,
  endSession,
  type Grant,
  openSession,
  RefreshedElsewhere,
  refreshCookie,
  refreshSession,
} from './sessions.ts'
import type { SigningKeys } from './signing-keys.ts'

const route = routeFor<TenantScope>()
const tag = 'Authentication and account'

export interface AccountDeps {
  pools: Pools
  keys: SigningKeys
  clock: Clock
}

function present(grant: Grant, caller: Caller) {
  caller.setHeader('set-cookie', refreshCookie(grant.refreshToken))
  return { access_token: grant.accessToken, token_type: 'bearer' as const, mfa_required: false }
}

const cookieOf = (headers: Headers) => /(?:^|;\s*)refresh_token=([^;]+)/.exec(headers.get('cookie') ?? '')?.[1]

export const accountRoutes = ({ pools, keys, clock }: AccountDeps) => [
  route(
    {
      method: 'post',
      path: '/auth/register',
      access: 'none',
      tag,
      summary: 'Create a tenant with an admin user',
      body: RegisterBody,
      returns: TokenAnswer,
      creates: true,
      refuses: { 409: 'The e-mail address has an account already' },
    },
    async ({ body, caller }) => {
      const given = { email: body.email, password: body.password, fullName: body.full_name, tenantName: body.tenant_name }
      const user = await register(pools.system, clock, caller.ip, given)
      return present(await openSession(pools.system, keys, clock, user), caller)
    },
  ),
  route(
    {
      method: 'post',
      path: '/auth/login',
      access: 'none',
      tag,
      summary: 'Sign in with e-mail and password',
      body: LoginBody,
      returns: TokenAnswer,
      refuses: { 401: 'E-mail or password is wrong' },
    },
    async ({ body, caller }) => {
      const user = await checkPassword(pools.system, clock, caller.ip, body.email, body.password)
      if (!user) throw new Unauthenticated('login_failed', 'E-mail or password is wrong.')
      return present(await openSession(pools.system, keys, clock, user), caller)
    },
  ),
  route(
    {
      method: 'post',
      path: '/auth/refresh',
      access: 'refresh',
      tag,
      summary: 'Trade the refresh cookie for a new access token; the cookie rotates',
      returns: TokenAnswer,
    },
    async ({ caller }) => {
      try {
        return present(await refreshSession(pools.system, keys, clock, cookieOf(caller.headers)), caller)
      } catch (error) {
        if (error instanceof Unauthenticated && !(error instanceof RefreshedElsewhere))
          caller.setHeader('set-cookie', clearedRefreshCookie)
        throw error
      }
    },
  ),
  route(
    {
      method: 'post',
      path: '/auth/logout',
      access: 'any',
      tag,
      summary: 'End the session: access token and refresh cookie stop working',
      returns: null,
    },
    async ({ scope, caller }) => {
      await endSession(pools.system, clock, scope.tenantId, scope.actor.sessionId as string)
      caller.setHeader('set-cookie', clearedRefreshCookie)
      return undefined
    },
  ),
  route(
    { method: 'get', path: '/auth/me', access: 'any', tag, summary: 'The signed-in user', returns: CurrentUser },
    async ({ scope }) => {
      const row = await scope.read((db) =>
        db
          .select({ user: users, tenant: tenants })
          .from(users)
          .innerJoin(tenants, eq(tenants.id, users.tenantId))
          .where(and(owned(users, scope), eq(users.id, scope.actor.id)))
          .then(first),
      )
      if (!row) throw new Unauthenticated('token_invalid', 'The user of this token is gone.')
      const { user, tenant } = row
      return {
        id: user.id,
        email: user.email,
        full_name: user.fullName,
        tenant_id: user.tenantId,
        role: user.role,
        is_active: user.isActive,
        mfa_enabled: user.mfaEnabled,
        onboarding_completed: user.onboardingCompleted,
        subscription_status: tenant.subscriptionStatus,
        subscription_tier: tenant.subscriptionTier,
      }
    },
  ),
  route(
    {
      method: 'post',
      path: '/api-keys',
      access: 'admin',
      tag,
      summary: 'Create an API key',
      description: 'The full key is answered this once and cannot be retrieved again.',
      body: ApiKeyBody,
      returns: CreatedApiKey,
      creates: true,
    },
    async ({ scope, body }) => {
      const made = await createApiKey(scope, body.name)
      return { id: made.id, name: made.name, key: made.key, created_at: made.createdAt.toISOString() }
    },
  ),
  route(
    {
      method: 'get',
      path: '/api-keys',
      access: 'any',
      tag,
      summary: 'API keys, newest first, without their secrets',
      returns: z.array(ApiKeyEntry),
    },
    async ({ scope }) =>
      (await listApiKeys(scope)).map((key) => ({
        id: key.id,
        name: key.name,
        key_prefix: `hk_${key.prefix}_***`,
        is_active: key.isActive,
        created_at: key.createdAt.toISOString(),
        last_used_at: key.lastUsedAt?.toISOString() ?? null,
      })),
  ),
  route(
    {
      method: 'delete',
      path: '/settings/api-keys/{key_id}',
      access: 'admin',
      tag,
      summary: 'Revoke an API key at once',
      params: ApiKeyParams,
      returns: null,
    },
    async ({ scope, params }) => {
      await revokeApiKey(scope, params.key_id)
      return undefined
    },
  ),
]
