import type { Clock } from '../support/clock.ts'
import type { BaseTier } from './enums.ts'
import { retryCollisions } from './errors.ts'
import { type Pools, pipelinedRead, type TransactionSql } from './pools.ts'

/** The acting user or key. */
export interface Actor {
  kind: 'user' | 'token' | 'api_key' | 'enrolment_key'
  /** of the user, also where a token acts as the user */
  id: string
  /** the access rights; a custom role has those of its base tier */
  role: BaseTier | null
  /** the session of a signed-in user */
  sessionId: string | null
  /** the only agent that the credential of an agent is valid for; absent for all others */
  agentId?: string
  /** the access token with which a program acts as the user; absent for all others */
  tokenId?: string
  /** the scopes of that token */
  scopes?: readonly string[]
  /** that token is for machines of some groups */
  isConfined?: boolean
  /** e-mail address or key name, for the audit trail, as are the next two */
  name: string
  ip: string | null
  requestId: string | null
}

/** The value of `app.actor`, from which the audit triggers read the actor. */
export const actorSetting = (actor: Pick<Actor, 'id' | 'name' | 'ip' | 'requestId'> & { kind: string }): string =>
  JSON.stringify({ kind: actor.kind, id: actor.id, name: actor.name, ip: actor.ip, request_id: actor.requestId })

/**
 * The access of a feature to one tenant's data. Each method runs one short transaction in which row-level security hides other
 * tenants. No transaction stays open during an outbound call or a password hash. `tx` may repeat its work after a deadlock, so
 * the work must have no other side effects.
 */
export interface TenantScope {
  readonly tenantId: string
  readonly actor: Actor
  readonly clock: Clock
  tx<T>(work: (sql: TransactionSql) => Promise<T>): Promise<T>
  /** sends all statements of `work` in one round trip, including begin and commit; `work` must not await between statements */
  read<T>(work: (sql: TransactionSql) => Promise<T>): Promise<T>
}

/** The access of background work to one tenant's data; the audit trail attributes its changes to `actor`. */
export type WorkScope = Pick<TenantScope, 'tenantId' | 'clock' | 'tx' | 'read'>

export function tenantScope(pools: Pools, clock: Clock, tenantId: string, actor: Actor): TenantScope {
  return { ...scopeOf(pools, clock, tenantId, actor), actor }
}

/** A scope for work that the hub does by itself. @param name the part of the hub, for the audit trail */
export const hubScope = (pools: Pools, clock: Clock, tenantId: string, name: string): WorkScope =>
  scopeOf(pools, clock, tenantId, { kind: 'hub', id: 'hub', name, ip: null, requestId: null })

function scopeOf(
  pools: Pools,
  clock: Clock,
  tenantId: string,
  actor: Parameters<typeof actorSetting>[0],
): Omit<TenantScope, 'actor'> {
  // The settings are not awaited: they share a packet with the first query, and their failure fails the transaction.
  const begin = <T>(work: (sql: TransactionSql) => Promise<T>) =>
    pools.app.begin((sql) => {
      sql`select set_config('app.tenant_id', ${tenantId}, true), set_config('app.actor', ${actorSetting(actor)}, true)`.execute()
      return work(sql)
    }) as Promise<T>
  return {
    tenantId,
    clock,
    tx: (work) => retryCollisions(() => begin(work)),
    read: (work) =>
      pipelinedRead(pools.app, (sql) => {
        // A read needs no actor, because the audit trail records only changes.
        sql`select set_config('app.tenant_id', ${tenantId}, true)`.execute()
        return work(sql)
      }),
  }
}
