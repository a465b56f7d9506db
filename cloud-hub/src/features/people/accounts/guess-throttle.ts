import type { Pools } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { Conflict } from '../../../support/errors.ts'
import { countFailure, ipSubject, refuseLockedOut } from './throttle.ts'

/**
 * Throttles probing for e-mail addresses: creating and changing users reveals whether an address has an account, also at another
 * tenant. Such hits count like failed sign-ins of the network address and of the tenant. Addresses of the own tenant do not
 * count.
 * @param email undefined: the request names no address
 * @throws TooManyRequests after 10 hits in 10 minutes, and what `work` throws
 */
export async function throttleGuesses<T>(
  pools: Pools,
  scope: TenantScope,
  email: string | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (email === undefined) return work()
  const { tenantId, actor, clock } = scope
  const subjects = [ipSubject(actor.ip ?? ''), `guesses:${tenantId}`]
  await refuseLockedOut(pools.system, clock, subjects)
  try {
    return await work()
  } catch (error) {
    const isTaken = error instanceof Conflict && error.code === 'email_taken'
    if (isTaken && !(await isOwn(scope, email))) await countFailure(pools.system, clock, subjects)
    throw error
  }
}

const isOwn = async (scope: TenantScope, email: string): Promise<boolean> => {
  const rows = await scope.read(
    (sql) => sql`select 1 from users where tenant_id = ${scope.tenantId} and lower(email) = ${email.toLowerCase()}`,
  )
  return rows.length > 0
}
