import type { BaseTier } from '../../../db/enums.ts'
import { transientDbError } from '../../../db/errors.ts'
import { pipelinedRead, type Sql, type TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { type SharedRead, sharedReadFor } from '../../../support/http/route.ts'

export interface SessionKey {
  tenantId: string
  id: string
}

interface SignedIn {
  userId: string
  email: string
  role: BaseTier
  tier: string
  /** the tenant requires a second factor, which neither the user nor the sign-in has */
  mustSetUpMfa: boolean
}

/** The user of each session; undefined for an unknown or ended session, and for a deactivated user. */
export async function findSessions(sql: Sql | TransactionSql, keys: readonly SessionKey[]): Promise<(SignedIn | undefined)[]> {
  const rows = await sql<(SignedIn & { slot: number })[]>`
    select k.slot::int - 1 as slot, u.id as "userId", u.email, r.base_tier as role, t.subscription_tier as tier,
      t.require_mfa and not u.mfa_enabled and not s.is_sso as "mustSetUpMfa"
    from unnest(${keys.map((key) => key.tenantId)}::uuid[], ${keys.map((key) => key.id)}::uuid[]) with ordinality k(tenant_id, id, slot)
    join sessions s on s.tenant_id = k.tenant_id and s.id = k.id join users u on u.tenant_id = s.tenant_id and u.id = s.user_id
    join tenants t on t.id = s.tenant_id join roles r on r.tenant_id = u.tenant_id and r.key = u.role
    where s.revoked_at is null and u.is_active`
  const found: (SignedIn | undefined)[] = keys.map(() => undefined)
  for (const { slot, ...row } of rows) found[slot] = row
  return found
}

/** `sharedReadFor` a tenant's database; see `createSharedReads`. */
export const sharedReadRoute = sharedReadFor<TenantScope, TransactionSql>()

type Load = SharedRead['load']
/** The part of a request that is read for. */
interface ReadRequest extends Pick<SharedRead, 'load' | 'input'> {
  session: SessionKey
  /** asked as its turn comes: other requests may have exhausted the limit since it arrived */
  isWanted(): boolean
}

/** For an operation and tenant: while PostgreSQL works on one, the hub answers another. */
const MAX_TRANSACTIONS = 2
/** Requests that share a transaction. */
const MAX_GROUP = 16

/** Without a user, the session is unknown or has ended, or the user is deactivated. */
interface Answer {
  user: SignedIn | undefined
  /** meaningless without a user; absent when the read was not wanted */
  found?: unknown
  /** the read failed */
  fault?: unknown
}

interface Waiting extends ReadRequest {
  resolve(answer: Answer): void
  reject(error: unknown): void
}

interface Queue {
  waiting: Waiting[]
  transactions: number
}

const inTenant = <T>(sql: Sql, tenantId: string, work: (tx: TransactionSql) => Promise<T>): Promise<T> =>
  pipelinedRead(sql, (tx) => {
    // PostgreSQL estimates that a plan for lists of any length costs more than planning each one anew, which takes most of the time.
    tx`select set_config('app.tenant_id', ${tenantId}, true), set_config('plan_cache_mode', 'force_generic_plan', true)`.execute()
    return work(tx)
  })

/** Reads for one request whose credential has been checked. @returns what was found for its input */
export const readAlone = async (sql: Sql, load: Load, tenantId: string, input: ReadRequest['input']): Promise<unknown> =>
  (await inTenant(sql, tenantId, (tx) => load(tx, tenantId, [input])))[0]

/**
 * Checks sessions and reads for them, in one round trip for all requests of a tenant for the same operation that arrive together. A request
 * is read for after it has arrived, so it sees what was committed before.
 * @param sql a pool of haltless_app, to whose connections row-level security applies
 * @returns rejects when no session could be looked up
 */
export function createSharedReads(sql: Sql): (request: ReadRequest) => Promise<Answer> {
  const queues = new Map<Load, Map<string, Queue>>()
  const sessionsOf = (group: readonly Waiting[]) => group.map(({ session }) => session)

  async function readGroup(load: Load, tenantId: string, group: readonly Waiting[]): Promise<void> {
    const wanted = group.filter((one) => one.isWanted())
    const ordered = [...wanted, ...group.filter((one) => !wanted.includes(one))]
    try {
      const [users, found] = await inTenant(sql, tenantId, (tx) =>
        Promise.all([
          findSessions(tx, sessionsOf(ordered)),
          wanted.length > 0
            ? load(
                tx,
                tenantId,
                wanted.map(({ input }) => input),
              )
            : [],
        ]),
      )
      for (const [i, { resolve }] of ordered.entries())
        resolve(i < wanted.length ? { user: users[i], found: found[i] } : { user: users[i] })
    } catch (fault) {
      // What is the fault of one must not fail the others; what befalls the database befalls all of them.
      if (group.length > 1 && !transientDbError(fault)) await Promise.all(group.map((one) => readGroup(load, tenantId, [one])))
      else await failGroup(tenantId, group, fault)
    }
  }

  /** Requests whose read failed are checked all the same, so that they count for their user. */
  async function failGroup(tenantId: string, group: readonly Waiting[], fault: unknown): Promise<void> {
    try {
      const users = await inTenant(sql, tenantId, (tx) => findSessions(tx, sessionsOf(group)))
      for (const [i, { resolve }] of group.entries()) resolve({ user: users[i], fault })
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }

  async function drain(load: Load, tenantId: string, queue: Queue): Promise<void> {
    while (queue.waiting.length > 0) {
      const group = queue.waiting.splice(0, MAX_GROUP)
      if (queue.waiting.length > 0) startDraining(load, tenantId, queue)
      await readGroup(load, tenantId, group)
    }
    queue.transactions--
    if (queue.transactions === 0) queues.get(load)?.delete(tenantId)
  }

  function startDraining(load: Load, tenantId: string, queue: Queue): void {
    if (queue.transactions >= MAX_TRANSACTIONS) return
    queue.transactions++
    // after all requests that this turn of the event loop receives
    setImmediate(() => drain(load, tenantId, queue))
  }

  return (request) =>
    new Promise((resolve, reject) => {
      const { load, session } = request
      const ofTenants = queues.get(load) ?? new Map<string, Queue>()
      queues.set(load, ofTenants)
      const queue = ofTenants.get(session.tenantId) ?? { waiting: [], transactions: 0 }
      ofTenants.set(session.tenantId, queue)
      queue.waiting.push({ ...request, resolve, reject })
      if (queue.waiting.length === 1) startDraining(load, session.tenantId, queue)
    })
}
