import { Unauthenticated } from '../../../support/errors.ts'
import { beginAttempt, consumeToken, findSessionUser, ipSubject, openSession, recordSignIn } from '../accounts/index.ts'
import type { SsoDeps } from './deps.ts'

/**
 * Opens a session for the one-time code of a callback. Wrong codes count as failures of the network address.
 * @throws Unauthenticated, TooManyRequests
 */
export async function exchangeCode(
  { pools, keys, clock }: Pick<SsoDeps, 'pools' | 'keys' | 'clock'>,
  code: string,
  from: { ip: string; requestId: string },
) {
  const attempt = await beginAttempt(pools.system, clock, [ipSubject(from.ip)])
  const holder = await consumeToken(pools.system, code, 'sso_exchange', clock.now())
  const user = holder && (await findSessionUser(pools.system, holder))
  if (!user) {
    await attempt.failed()
    throw new Unauthenticated('sso_code_invalid', 'The code has expired or was used: start the sign-in again.')
  }
  await attempt.succeeded()
  await recordSignIn(pools.system, clock, user, from)
  return openSession(pools.system, keys, clock, user, { isSso: true })
}
