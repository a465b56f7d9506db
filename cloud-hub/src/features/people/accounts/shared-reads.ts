import { pipelined, type Sql, type TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { readFor, type SharedRead } from '../../../support/http/route.ts'
import { findSessions, type SessionKey, type SignedIn } from './session-lookup.ts'

/** `readFor` a tenant's database; see `createSharedReads`. */
export const readRoute = readFor<TenantScope, TransactionSql>()

/** Transactions under way for an operation and tenant: while PostgreSQL works on one, the hub answers another. */
const MOST_AT_ONCE = 2
/** Requests that share a transaction. */
const MOST_SHARING = 16

/** `found` means nothing without a user: the session is unknown or has ended, or the user is deactivated. */
interface Answer {
  user: SignedIn | undefined
  found: unknown
}

interface Waiting {
  session: SessionKey
  input: SharedRead['input']
  resolve(answer: Answer): void
  reject(error: unknown): void
}

interface Queue {
  waiting: Waiting[]
  underWay: number
}

/**
 * Checks sessions and reads for them, in one round trip for all requests of a tenant for the same operation that arrive together. A request
 * is read for after it has arrived, so it sees what was committed before.
 * @param sql a pool whose connections see one tenant only
 */
export function createSharedReads(sql: Sql): (session: SessionKey, read: SharedRead) => Promise<Answer> {
  const queues = new Map<SharedRead['load'], Map<string, Queue>>()

  async function readGroup(load: SharedRead['load'], tenantId: string, group: readonly Waiting[]): Promise<void> {
    try {
      const [users, found] = await pipelined(sql, 'begin read only', (tx) => {
        // Statements with lists of any length: PostgreSQL would plan each one anew.
        tx`select set_config('app.tenant_id', ${tenantId}, true), set_config('plan_cache_mode', 'force_generic_plan', true)`.execute()
        return Promise.all([
          findSessions(
            tx,
            group.map(({ session }) => session),
          ),
          load(
            tx,
            tenantId,
            group.map(({ input }) => input),
          ),
        ])
      })
      for (const [i, { resolve }] of group.entries()) resolve({ user: users[i], found: found[i] })
    } catch (error) {
      // What fails for one must not fail for the others.
      if (group.length > 1) await Promise.all(group.map((one) => readGroup(load, tenantId, [one])))
      else group[0]?.reject(error)
    }
  }

  async function drain(load: SharedRead['load'], tenantId: string, queue: Queue): Promise<void> {
    while (queue.waiting.length > 0) await readGroup(load, tenantId, queue.waiting.splice(0, MOST_SHARING))
    queue.underWay--
    if (queue.underWay === 0) queues.get(load)?.delete(tenantId)
  }

  return (session, { load, input }) =>
    new Promise((resolve, reject) => {
      const ofTenants = queues.get(load) ?? new Map<string, Queue>()
      queues.set(load, ofTenants)
      const queue = ofTenants.get(session.tenantId) ?? { waiting: [], underWay: 0 }
      ofTenants.set(session.tenantId, queue)
      queue.waiting.push({ session, input, resolve, reject })
      if (queue.waiting.length > 1 || queue.underWay >= MOST_AT_ONCE) return
      queue.underWay++
      // after all requests that this turn of the event loop has received
      setImmediate(() => drain(load, session.tenantId, queue))
    })
}
