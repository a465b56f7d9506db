export {
  hasCredentialInUse,
  issueCredential,
  type NewCredential,
  refusePlainKeyOfEnrolled,
  requireNamedAgent,
  revokeCredentials,
  rotateCredential,
} from './agent-credentials.ts'
export { findRevokedKey, useApiKey } from './api-keys.ts'
export { confirmNewEmail, notifyOldEmail } from './change-email.ts'
export { currentUser } from './current-user.ts'
export { DemoSignIn } from './demo-sign-in.ts'
export { newEnrolmentKey, requireUsable } from './enrolment-keys.ts'
export { throttleGuesses } from './guess-throttle.ts'
export { createIdentify } from './identify.ts'
export { deleteMfa } from './mfa.ts'
export { consumeToken, createToken, peekToken, TOKEN_SECONDS, voidTokens } from './one-time-tokens.ts'
export { hashPassword, NewPassword } from './passwords.ts'
export { purgeExpiredSignInData } from './purge-accounts.ts'
export { reauthenticate } from './reauthenticate.ts'
export { REAUTHENTICATION_CODES, Reauthentication, requireRecentSignIn } from './recent-sign-in.ts'
export { accountRoutes } from './routes.ts'
export { CurrentUser, TokenAnswer } from './schemas.ts'
export {
  endOtherSessions,
  findSessionUser,
  openSession,
  recordSignIn,
  refreshCookie,
  type SessionUser,
  type TokenPair,
} from './sessions.ts'
export { sharedReadRoute } from './shared-reads.ts'
export { loadSigningKeys, rotateSigningKeys, type SigningKeys } from './signing-keys.ts'
export { rolesOfSessions, type StreamCredential, streamCredential } from './stream-credential.ts'
export { beginAttempt, ipSubject } from './throttle.ts'
export { COOKIE_HEADER, tokenResponse } from './token-response.ts'
