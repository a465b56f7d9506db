export { newAccessToken, revokePersonalTokens } from './access-tokens.ts'
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
export type { GroupGate } from './confine.ts'
export { confirmNewEmail, currentUser, notifyOldEmail } from './current-user.ts'
export { DemoSignIn } from './demo-sign-in.ts'
export { newEnrolmentKey, requireUsable } from './enrolment-keys.ts'
export { createIdentify, mayCall } from './identify.ts'
export { deleteMfa } from './mfa.ts'
export { consumeToken, createToken, peekToken, TOKEN_SECONDS, voidTokens } from './one-time-tokens.ts'
export { hashPassword, NewPassword } from './passwords.ts'
export { REAUTHENTICATION_CODES, Reauthentication, reauthenticate, requireRecentSignIn } from './reauthenticate.ts'
export { loadRecoveryCodeKeys } from './recovery-code-keys.ts'
export { accountRoutes } from './routes.ts'
export { CurrentUser, TokenAnswer } from './schemas.ts'
export {
  COOKIE_HEADER,
  endOtherSessions,
  findSessionUser,
  openSession,
  purgeExpiredSignInData,
  recordSignIn,
  refreshCookie,
  type SessionUser,
  type TokenPair,
  tokenResponse,
} from './sessions.ts'
export { sharedReadRoute } from './shared-reads.ts'
export { loadSigningKeys, rotateSigningKeys, type SigningKeys } from './signing-keys.ts'
export { rolesOfCredentials, type StreamCredential, streamCredential } from './stream-credential.ts'
export { beginAttempt, ipSubject, throttleGuesses } from './throttle.ts'
export { scopeOf, TOKEN_SCOPES, type TokenScope } from './token-scopes.ts'
