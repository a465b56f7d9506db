import type { TenantScope } from '../../../db/scope.ts'
import { Forbidden, Unauthenticated } from '../../../support/errors.ts'
import { routeFor } from '../../../support/http/route.ts'
import { recordEvent } from '../audit/index.ts'
import { apiKeyRoutes } from './api-key-routes.ts'
import { checkPassword, register } from './credentials.ts'
import { currentUser } from './current-user.ts'
import { demoSignInRoute } from './demo-routes.ts'
import type { AccountDeps } from './deps.ts'
import { mfaRoutes } from './mfa-routes.ts'
import { createToken } from './one-time-tokens.ts'
import { CurrentUser, LoginBody, RegisterBody, TokenAnswer } from './schemas.ts'
import {
  COOKIE_HEADER,
  clearedRefreshCookie,
  endSession,
  loginFailed,
  openSession,
  RefreshedElsewhere,
  recordSignIn,
  refreshSession,
  tokenResponse,
  userActor,
} from './sessions.ts'

const route = routeFor<TenantScope>()
const tag = 'Authentication and account'

const cookieOf = (headers: Headers) => /(?:^|;\s*)refresh_token=([^;]+)/.exec(headers.get('cookie') ?? '')?.[1]

export const accountRoutes = (deps: AccountDeps) => [
  ...signInRoutes(deps),
  ...(deps.demo ? [demoSignInRoute(deps, deps.demo)] : []),
  ...mfaRoutes(deps),
  ...apiKeyRoutes(),
]

const signInRoutes = ({ pools, keys, clock, config }: AccountDeps) => [
  route(
    {
      method: 'post',
      path: '/auth/register',
      operation: 'registerTenant',
      answerHeaders: COOKIE_HEADER,
      access: 'none',
      tag,
      summary: 'Create a tenant with an admin user',
      description:
        "Creates a tenant and its first user, an admin, and signs that user in: the answer sets the refresh cookie. Registrations with a taken address count towards the lockout of the caller's network address.",
      body: RegisterBody,
      returns: TokenAnswer,
      creates: true,
      refuses: { 403: ['registration_closed'], 409: ['email_taken'], 429: ['login_locked'], 503: ['busy'] },
    },
    async ({ body, caller }) => {
      if (!config.isRegistrationOpen)
        throw new Forbidden('registration_closed', 'Registration is closed on this hub: ask its operator to create a tenant.')
      const given = { email: body.email, password: body.password, fullName: body.full_name, tenantName: body.tenant_name }
      const user = await register(pools.system, clock, caller.ip, given)
      await recordEvent(pools.system, user.tenantId, userActor(user, caller), 'user.registered')
      return tokenResponse(await openSession(pools.system, keys, clock, user), caller)
    },
  ),
  route(
    {
      method: 'post',
      path: '/auth/login',
      operation: 'signIn',
      answerHeaders: COOKIE_HEADER,
      access: 'none',
      tag,
      summary: 'Sign in with e-mail and password',
      description:
        'Answers an access token and sets the refresh cookie. With two-factor sign-in on, `mfa_required` is true and `access_token` is a pending token of 5 minutes for `POST /auth/mfa/verify`. An unknown address and a wrong password are answered alike. After 10 failures within 10 minutes the account or the network address is locked for 15 minutes.',
      body: LoginBody,
      returns: TokenAnswer,
      refuses: { 401: ['login_failed'], 429: ['login_locked'], 503: ['busy'] },
    },
    async ({ body, caller }) => {
      const user = await checkPassword(pools.system, clock, caller, body.email, body.password)
      if (!user) throw loginFailed()
      if (user.mfaEnabled) {
        const pending = await createToken(pools.system, user, 'mfa_pending', clock.now())
        return { access_token: pending, token_type: 'bearer' as const, mfa_required: true }
      }
      const opened = await openSession(pools.system, keys, clock, user, { passwordHash: user.passwordHash })
      await recordSignIn(pools.system, clock, user, caller)
      return tokenResponse(opened, caller)
    },
  ),
  route(
    {
      method: 'post',
      path: '/auth/refresh',
      operation: 'refreshToken',
      answerHeaders: COOKIE_HEADER,
      access: 'refresh',
      tag,
      summary: 'Trade the refresh cookie for a new access token; the cookie rotates',
      description:
        'Trade the `refresh_token` cookie when the access token has expired; no body is needed. The old cookie stops working: one that comes back later than 10 seconds after its use ends the session. Of parallel calls with one cookie one succeeds.',
      returns: TokenAnswer,
    },
    async ({ caller }) => {
      const cookie = cookieOf(caller.headers)
      try {
        return tokenResponse(await refreshSession(pools.system, keys, clock, cookie), caller)
      } catch (error) {
        if (cookie && error instanceof Unauthenticated && !(error instanceof RefreshedElsewhere))
          caller.setHeader('set-cookie', clearedRefreshCookie)
        throw error
      }
    },
  ),
  route(
    {
      method: 'post',
      path: '/auth/logout',
      operation: 'signOut',
      answerHeaders: COOKIE_HEADER,
      access: 'any',
      worksWithoutMfa: true,
      tag,
      summary: 'End the session: access token and refresh cookie stop working',
      description:
        'Also deletes the refresh cookie. Other sessions of the user go on; see `POST /settings/logout-other-sessions`.',
      returns: null,
    },
    async ({ scope, caller }) => {
      await endSession(pools.system, clock, scope.tenantId, scope.actor.sessionId as string)
      await recordEvent(pools.system, scope.tenantId, scope.actor, 'user.signed_out')
      caller.setHeader('set-cookie', clearedRefreshCookie)
      return undefined
    },
  ),
  route(
    {
      method: 'get',
      path: '/auth/me',
      operation: 'getCurrentUser',
      holdsSecrets: true,
      access: 'any',
      worksWithoutMfa: true,
      tag,
      summary: 'The signed-in user',
      description:
        'Who the access token belongs to, with role and subscription as they are now. The token itself is not trusted for them.',
      returns: CurrentUser,
    },
    async ({ scope }) => currentUser(scope),
  ),
]
