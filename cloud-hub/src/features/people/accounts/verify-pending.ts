import type { Sql } from '../../../db/pools.ts'
import type { Clock } from '../../../support/clock.ts'
import { Unauthenticated } from '../../../support/errors.ts'
import type { SecretBox } from '../../../support/secrets/secret-box.ts'
import type { AccountDeps } from './deps.ts'
import { consumeMfaCode } from './mfa.ts'
import { consumeToken, peekToken, type TokenHolder } from './one-time-tokens.ts'
import { findSessionUser, openSession, recordSignIn, type SessionUser, type TokenPair } from './sessions.ts'
import { accountSubject, beginAttempt, ipSubject } from './throttle.ts'

/** Uses up code and pending token together; a wrong code keeps the token. @returns null unless both are valid */
const consumePending = (
  { system, box, clock }: { system: Sql; box: SecretBox; clock: Clock },
  holder: TokenHolder,
  token: string,
  code: string,
): Promise<SessionUser | null> =>
  system.begin(async (sql) => {
    const now = clock.now()
    if (!(await consumeMfaCode(sql, box, holder, code, now))) return null
    if (!(await consumeToken(sql, token, 'mfa_pending', now))) return null
    return (await findSessionUser(sql, holder)) ?? null
  }) as Promise<SessionUser | null>

/**
 * Completes a sign-in with a second factor. Wrong codes count as failures of network address and account.
 * @throws Unauthenticated, TooManyRequests
 */
export async function verifyPending(
  { pools, keys, box, clock }: Omit<AccountDeps, 'config'>,
  token: string,
  code: string,
  from: { ip: string; requestId: string },
): Promise<TokenPair> {
  const pending = await peekToken(pools.system, token, 'mfa_pending', clock.now())
  const account = pending && accountSubject(pending.email)
  const attempt = await beginAttempt(pools.system, clock, [ipSubject(from.ip), ...(account ? [account] : [])])
  const user = pending && (await consumePending({ system: pools.system, box, clock }, pending, token, code))
  if (!user || !account) {
    await attempt.failed()
    throw pending
      ? new Unauthenticated('mfa_code_wrong', 'The code is wrong, was used before, or has expired.')
      : new Unauthenticated('mfa_token_invalid', 'The pending token has expired or was used: sign in again.')
  }
  await attempt.succeeded([account])
  await recordSignIn(pools.system, clock, user, from)
  return openSession(pools.system, keys, clock, user)
}
