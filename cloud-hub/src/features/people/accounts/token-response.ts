import type { Caller } from '../../../support/http/route.ts'
import { refreshCookie, type TokenPair } from './sessions.ts'

/** For the API document: the header of answers that set or delete the refresh cookie. */
export const COOKIE_HEADER = { 'Set-Cookie': 'The refresh cookie, `HttpOnly`, or its deletion.' }

/** Sends the access token in the body and the refresh token as a cookie. */
export function tokenResponse(grant: TokenPair, caller: Caller) {
  caller.setHeader('set-cookie', refreshCookie(grant.refreshToken))
  return { access_token: grant.accessToken, token_type: 'bearer' as const, mfa_required: false }
}
