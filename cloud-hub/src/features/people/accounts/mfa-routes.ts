import type { TenantScope } from '../../../db/scope.ts'
import { routeFor } from '../../../support/http/route.ts'
import { z } from '../../../support/http/z.ts'
import { currentUser } from './current-user.ts'
import type { AccountDeps } from './deps.ts'
import { confirmMfa, disableMfa, setUpMfa, verifyPending } from './mfa.ts'
import { REAUTHENTICATION_CODES, Reauthentication, requireRecentSignIn } from './reauthenticate.ts'
import { CurrentUser, TokenAnswer } from './schemas.ts'
import { COOKIE_HEADER, tokenResponse } from './sessions.ts'

const route = routeFor<TenantScope>()
const tag = 'Authentication and account'

const Code = z
  .string()
  .min(1, 'must not be empty')
  .max(32)
  .openapi({ description: 'The 6 digits that the authenticator shows, or a recovery code. Each code works once.' })
const CodeBody = z.object({ code: Code }).openapi('MfaCode', { example: { code: '287082' } })
const MfaVerifySetup = CodeBody.extend(Reauthentication.shape).openapi('MfaVerifySetup', { example: { code: '287082' } })
const MfaVerify = z
  .object({
    mfa_token: z.string().min(1).max(200).describe('The `access_token` of a sign-in whose `mfa_required` is true.'),
    code: Code,
  })
  .openapi('MfaVerify', { example: { mfa_token: 'bm90LWEtcmVhbC10b2tlbg', code: '287082' } })
const MfaSetup = z
  .object({
    secret: z.string().describe('The secret in base32, for typing it into an authenticator.'),
    qr_code_uri: z.string().describe('The secret as an `otpauth://` address, as authenticators read it.'),
    qr_code: z.string().describe('The same address as a QR code: a PNG as data URI.'),
    recovery_codes: z
      .array(z.string())
      .describe('Ten codes for the loss of the authenticator; each works once wherever a code does.'),
  })
  .openapi('MfaSetup', {
    example: {
      secret: 'JBSWY3DPEHPK3PXP',
      qr_code_uri: 'otpauth://totp/Haltless:ada%40example.com?secret=JBSWY3DPEHPK3PXP&issuer=Haltless',
      qr_code: 'data:image/png;base64,iVBORw0KGgo=',
      recovery_codes: ['k7qd-m2xw-9hfa'],
    },
  })

export const mfaRoutes = ({ pools, keys, box, clock }: AccountDeps) => [
  route(
    {
      method: 'post',
      path: '/auth/mfa/setup',
      operation: 'setupMfa',
      holdsSecrets: true,
      access: 'any',
      worksWithoutMfa: true,
      tag,
      summary: 'Begin two-factor sign-in: a secret for your authenticator and recovery codes',
      description:
        'Answers a new secret (TOTP: SHA-1, 6 digits, 30 seconds) and ten recovery codes; this is the only answer that shows them. Nothing takes effect until `POST /auth/mfa/verify-setup` accepts a code. Calling it again replaces what it made before. It needs a sign-in (with a password or through SSO) of the last 15 minutes, or `current_password`, so that a stolen session is not enough.',
      body: Reauthentication,
      isBodyOptional: true,
      returns: MfaSetup,
      status: 200,
      refuses: { 403: REAUTHENTICATION_CODES, 409: ['mfa_enabled'], 429: ['login_locked'], 503: ['busy'] },
    },
    async ({ scope, body }) => {
      await requireRecentSignIn(pools.system, scope, body.current_password)
      const setup = await setUpMfa(box, scope)
      return { secret: setup.secret, qr_code_uri: setup.uri, qr_code: setup.qrCode, recovery_codes: setup.recoveryCodes }
    },
  ),
  route(
    {
      method: 'post',
      path: '/auth/mfa/verify-setup',
      operation: 'verifyMfaSetup',
      access: 'any',
      worksWithoutMfa: true,
      tag,
      summary: 'Switch two-factor sign-in on with a first code',
      description:
        'From now on every sign-in with a password asks for a code. Wrong codes count towards the lockout. The user is informed by mail unless the tenant switched that off. Like the set-up it needs a sign-in of the last 15 minutes, or `current_password`.',
      body: MfaVerifySetup,
      shows: { mfa_enabled: true },
      returns: CurrentUser,
      refuses: {
        403: REAUTHENTICATION_CODES,
        409: ['mfa_enabled', 'mfa_not_set_up'],
        422: ['mfa_code_wrong'],
        429: ['login_locked'],
        503: ['busy'],
      },
    },
    async ({ scope, body }) => {
      await requireRecentSignIn(pools.system, scope, body.current_password)
      await confirmMfa({ system: pools.system, box }, scope, body.code)
      return currentUser(scope)
    },
  ),
  route(
    {
      method: 'post',
      path: '/auth/mfa/verify',
      operation: 'verifyMfa',
      answerHeaders: COOKIE_HEADER,
      access: 'none',
      tag,
      summary: 'Finish signing in with a code',
      description:
        'Trade the pending token of `POST /auth/login` and a code for an access token and the refresh cookie. A wrong code leaves the pending token usable; it lasts 5 minutes and works once.',
      body: MfaVerify,
      returns: TokenAnswer,
      refuses: { 401: ['mfa_code_wrong', 'mfa_token_invalid'], 429: ['login_locked'] },
    },
    async ({ body, caller }) =>
      tokenResponse(await verifyPending({ pools, keys, box, clock }, body.mfa_token, body.code, caller), caller),
  ),
  route(
    {
      method: 'post',
      path: '/auth/mfa/disable',
      operation: 'disableMfa',
      access: 'any',
      tag,
      summary: 'Switch two-factor sign-in off with a code',
      description:
        'Needs a code of the authenticator or a recovery code, so that a stolen session is not enough. Secret and recovery codes are deleted. Wrong codes count towards the lockout.',
      body: CodeBody,
      returns: CurrentUser,
      refuses: { 403: ['mfa_code_wrong'], 409: ['mfa_disabled'], 429: ['login_locked'] },
    },
    async ({ scope, body }) => {
      await disableMfa({ system: pools.system, box }, scope, body.code)
      return currentUser(scope)
    },
  ),
]
