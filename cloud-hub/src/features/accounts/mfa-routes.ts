import type { Sql } from '../../db/pools.ts'
import type { TenantScope } from '../../db/scope.ts'
import type { Clock } from '../../support/clock.ts'
import { Unauthenticated } from '../../support/errors.ts'
import { routeFor } from '../../support/http/route.ts'
import { z } from '../../support/http/z.ts'
import type { SecretBox } from '../../support/secrets/secret-box.ts'
import { answerGrant } from './answer-grant.ts'
import { currentUser } from './current-user.ts'
import { confirmMfa, disableMfa, setUpMfa, takeCode } from './mfa.ts'
import { peekToken, type TokenHolder, takeToken } from './one-time-tokens.ts'
import type { AccountDeps } from './routes.ts'
import { CurrentUser, TokenAnswer } from './schemas.ts'
import { noteSignIn, openSession, type SessionUser } from './sessions.ts'
import { accountSubject, beginAttempt, ipSubject } from './throttle.ts'

const route = routeFor<TenantScope>()
const tag = 'Authentication and account'

const Code = z
  .string()
  .min(1, 'must not be empty')
  .max(32)
  .openapi({ description: 'of the authenticator (6 digits), or a recovery code' })
const CodeBody = z.object({ code: Code }).openapi('MfaCode')
const MfaVerify = z.object({ mfa_token: z.string().min(1).max(200), code: Code }).openapi('MfaVerify')
const MfaSetup = z
  .object({
    secret: z.string(),
    qr_code_uri: z.string().openapi({ description: 'otpauth://, as authenticator apps read it' }),
    qr_code: z.string().openapi({ description: 'the same as a picture: a PNG as data URI' }),
    recovery_codes: z.array(z.string()).openapi({ description: 'ten; each works once wherever a code does' }),
  })
  .openapi('MfaSetup')

/** Uses code and pending token up together; a wrong code leaves the token. @returns null unless both hold */
async function takePending(
  { system, box, clock }: { system: Sql; box: SecretBox; clock: Clock },
  holder: TokenHolder,
  token: string,
  code: string,
): Promise<SessionUser | null> {
  return system.begin(async (sql) => {
    const now = clock.now()
    if (!(await takeCode(sql, box, holder, code, now))) return null
    if (!(await takeToken(sql, token, 'mfa_pending', now))) return null
    const [user] = await sql<SessionUser[]>`
      select tenant_id as "tenantId", id as "userId", email, role from users where tenant_id = ${holder.tenantId} and id = ${holder.userId}`
    return user ?? null
  }) as Promise<SessionUser | null>
}

export const mfaRoutes = ({ pools, keys, box, clock }: AccountDeps) => [
  route(
    {
      method: 'post',
      path: '/auth/mfa/setup',
      access: 'any',
      tag,
      summary: 'Begin two-factor sign-in: a secret for your authenticator and recovery codes',
      description: 'Nothing counts until `POST /auth/mfa/verify-setup` has seen a code; asking again makes new ones.',
      returns: MfaSetup,
      status: 200,
      refuses: { 409: 'It is on already' },
    },
    async ({ scope }) => {
      const setup = await setUpMfa(box, scope)
      return { secret: setup.secret, qr_code_uri: setup.uri, qr_code: setup.qrCode, recovery_codes: setup.recoveryCodes }
    },
  ),
  route(
    {
      method: 'post',
      path: '/auth/mfa/verify-setup',
      access: 'any',
      tag,
      summary: 'Switch two-factor sign-in on with a first code',
      body: CodeBody,
      returns: CurrentUser,
      refuses: { 409: 'It is on already, or was not set up', 422: 'The code is wrong' },
    },
    async ({ scope, body }) => {
      await confirmMfa({ system: pools.system, box }, scope, body.code)
      return currentUser(scope)
    },
  ),
  route(
    {
      method: 'post',
      path: '/auth/mfa/verify',
      access: 'none',
      tag,
      summary: 'Finish signing in with a code',
      description: 'A wrong code leaves the pending token usable; it lasts 5 minutes and works once.',
      body: MfaVerify,
      returns: TokenAnswer,
      refuses: { 401: 'The pending token or the code does not hold' },
    },
    async ({ body, caller }) => {
      const pending = await peekToken(pools.system, body.mfa_token, 'mfa_pending', clock.now())
      const account = pending && accountSubject(pending.email)
      const attempt = await beginAttempt(pools.system, clock, [ipSubject(caller.ip), ...(account ? [account] : [])])
      const user = pending && (await takePending({ system: pools.system, box, clock }, pending, body.mfa_token, body.code))
      if (!user || !account) {
        await attempt.failed()
        throw pending
          ? new Unauthenticated('mfa_code_wrong', 'The code is wrong, was used before, or has run out.')
          : new Unauthenticated('mfa_token_invalid', 'The pending token has run out or was used: sign in again.')
      }
      await attempt.succeeded([account])
      await noteSignIn(pools.system, clock, user, caller)
      return answerGrant(await openSession(pools.system, keys, clock, user), caller)
    },
  ),
  route(
    {
      method: 'post',
      path: '/auth/mfa/disable',
      access: 'any',
      tag,
      summary: 'Switch two-factor sign-in off with a code',
      body: CodeBody,
      returns: CurrentUser,
      refuses: { 403: 'The code is wrong', 409: 'It is off already' },
    },
    async ({ scope, body }) => {
      await disableMfa({ system: pools.system, box }, scope, body.code)
      return currentUser(scope)
    },
  ),
]
