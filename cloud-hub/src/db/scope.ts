import { eq, type SQL } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Clock } from '../support/clock.ts'
import { retryCollisions } from './errors.ts'
import { type Pools, pipelined, type Sql, type TransactionSql } from './pools.ts'
import type { BaseTier } from './tables/accounts.ts'
import { type TenantDb, tenantDb } from './tenant-db.ts'

export type { TenantDb }

/** Who acts: a signed-in user, or an API key. */
export interface Actor {
  kind: 'user' | 'api_key'
  id: string
  /** the rights: a custom role's are its base tier's */
  role: BaseTier | null
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
 * All that a feature may do happens inside a scope: it names the tenant. Each of these is a short transaction in which row-level security lets
 * nothing else be seen; none stays open across an outbound call or a password hash. The work of `tx` may run again after a deadlock, so it has
 * no effect but in the database.
 */
export interface TenantScope {
  readonly tenantId: string
  readonly actor: Actor
  readonly clock: Clock
  tx<T>(work: (db: TenantDb) => Promise<T>): Promise<T>
  /** for what is asked all at once, without a look at an answer in between: one round trip, the transaction's beginning and end included */
  read<T>(work: (db: TenantDb) => Promise<T>): Promise<T>
  /** `tx` on raw postgres.js, for writes that share their SQL with work outside a scope */
  rawTx<T>(work: (sql: TransactionSql) => Promise<T>): Promise<T>
  /** `read` on raw postgres.js */
  rawRead<T>(work: (sql: TransactionSql) => Promise<T>): Promise<T>
}

export function tenantScope(pools: Pools, clock: Clock, tenantId: string, actor: Actor): TenantScope {
  // the settings are not awaited: they travel in the same packet as the first query, and their failure fails the transaction
  const begin = <T>(pool: Sql, work: (sql: TransactionSql) => Promise<T>) =>
    pool.begin((sql) => {
      sql`select set_config('app.tenant_id', ${tenantId}, true), set_config('app.actor', ${actorSetting(actor)}, true)`.execute()
      return work(sql)
    }) as Promise<T>
  const readPipelined = <T>(pool: Sql, work: (sql: TransactionSql) => Promise<T>) =>
    pipelined(pool, 'begin read only', (sql) => {
      // no actor: the audit trail hears of changes only
      sql`select set_config('app.tenant_id', ${tenantId}, true)`.execute()
      return work(sql)
    })
  return {
    tenantId,
    actor,
    clock,
    tx: (work) => retryCollisions(() => begin(pools.app, (sql) => work(tenantDb(sql)))),
    read: (work) => readPipelined(pools.app, (sql) => work(tenantDb(sql))),
    rawTx: (work) => retryCollisions(() => begin(pools.read, work)),
    rawRead: (work) => readPipelined(pools.read, work),
  }
}

/** The first wall: `table.tenant_id = scope's tenant`. Every statement of a feature has it. */
export const owned = (table: { tenantId: PgColumn }, scope: { tenantId: string }): SQL => eq(table.tenantId, scope.tenantId)

/** The first row, or undefined. */
export const first = <T>(rows: T[]): T | undefined => rows[0]
