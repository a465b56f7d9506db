import { eq, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Clock } from '../support/clock.ts'
import { retryCollisions } from './errors.ts'
import type { Database, Pools, Sql, TransactionSql } from './pools.ts'

/** A transaction of one tenant. */
export type TenantDb = Parameters<Parameters<Database['transaction']>[0]>[0]

export type AccessRole = 'admin' | 'operator' | 'viewer'

/** Who acts: a signed-in user, or an API key. */
export interface Actor {
  kind: 'user' | 'api_key'
  id: string
  /** the rights: a custom role's are its base tier's */
  role: AccessRole | null
  /** the session of a signed-in user */
  sessionId: string | null
  /** e-mail address or key name, for the audit trail, as are the next two */
  name: string
  ip: string | null
  requestId: string | null
}

/** How the audit trail's triggers are told who acts (`app.actor`). */
export const actorSetting = (actor: Pick<Actor, 'id' | 'name' | 'ip' | 'requestId'> & { kind: string }): string =>
  JSON.stringify({ kind: actor.kind, id: actor.id, name: actor.name, ip: actor.ip, request_id: actor.requestId })

/**
 * All that a feature may do happens inside a scope: it names the tenant. `tx` and `rawTx` are short transactions in which row-level
 * security lets nothing else be seen; none stays open across an outbound call or a password hash. The work of `tx` may run again after a
 * deadlock, so it has no effect but in the database.
 */
export interface TenantScope {
  readonly tenantId: string
  readonly actor: Actor
  readonly clock: Clock
  tx<T>(work: (db: TenantDb) => Promise<T>): Promise<T>
  /** the same on raw postgres.js, for hot reads and for writes that share their SQL with work outside a scope */
  rawTx<T>(work: (sql: TransactionSql) => Promise<T>): Promise<T>
}

export function tenantScope(pools: Pools, clock: Clock, tenantId: string, actor: Actor): TenantScope {
  return {
    tenantId,
    actor,
    clock,
    tx: (work) =>
      retryCollisions(() =>
        pools.app.transaction((db) => {
          // not awaited: it travels in the same packet as the first query; a failure fails the transaction
          db.execute(
            sql`select set_config('app.tenant_id', ${tenantId}, true), set_config('app.actor', ${actorSetting(actor)}, true)`,
          ).catch(() => {})
          return work(db)
        }),
      ),
    rawTx: <T>(work: (sql: TransactionSql) => Promise<T>) =>
      retryCollisions(() => rawTenantTx(pools.read, tenantId, actor, work)),
  }
}

function rawTenantTx<T>(pool: Sql, tenantId: string, actor: Actor, work: (sql: TransactionSql) => Promise<T>): Promise<T> {
  return pool.begin((tx) => {
    // not awaited, as above
    tx`select set_config('app.tenant_id', ${tenantId}, true), set_config('app.actor', ${actorSetting(actor)}, true)`.catch(
      () => {},
    )
    return work(tx)
  }) as Promise<T>
}

/** The first wall: `table.tenant_id = scope's tenant`. Every statement of a feature has it. */
export const owned = (table: { tenantId: PgColumn }, scope: { tenantId: string }): SQL => eq(table.tenantId, scope.tenantId)

/** The first row, or undefined. */
export const first = <T>(rows: T[]): T | undefined => rows[0]
