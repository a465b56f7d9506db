export { answerGrant } from './answer-grant.ts'
export { findApiKey } from './api-keys.ts'
export { confirmNewEmail, notifyOldEmail } from './change-email.ts'
export { currentUser } from './current-user.ts'
export { throttleGuesses } from './guess-throttle.ts'
export { type HeldToken, heldToken, rolesOfSessions } from './held-tokens.ts'
export { purgeAccounts } from './housekeeping.ts'
export { createIdentify } from './identify.ts'
export { createToken, peekToken, TOKEN_SECONDS, takeToken, voidTokens } from './one-time-tokens.ts'
export { hashPassword, NewPassword } from './passwords.ts'
export { reauthenticate } from './reauthenticate.ts'
export { accountRoutes } from './routes.ts'
export { CurrentUser, Email, TokenAnswer } from './schemas.ts'
export {
  endOtherSessions,
  findSessionUser,
  type Grant,
  noteSignIn,
  openSession,
  refreshCookie,
  type SessionUser,
} from './sessions.ts'
export { loadSigningKeys, rotateSigningKeys, type SigningKeys } from './signing-keys.ts'
export { beginAttempt, ipSubject } from './throttle.ts'
