import { PgDialect } from 'drizzle-orm/pg-core'
import { PostgresJsSession, PostgresJsTransaction } from 'drizzle-orm/postgres-js'
import type { TransactionSql } from './pools.ts'

/** A drizzle instance on a transaction of one tenant. */
export type TenantDb = PostgresJsTransaction<Record<string, never>, Record<string, never>>

const dialect = new PgDialect()

/** Every connection keeps each statement that it has prepared. */
const MOST_PREPARED = 500
const MOST_PREPARED_CHARS = 4_000
const prepared = new Set<string>()

/** Our statement texts are few, except for those with lists of any length. */
function isWorthPreparing(text: string): boolean {
  if (prepared.has(text)) return true
  if (prepared.size >= MOST_PREPARED || text.length > MOST_PREPARED_CHARS) return false
  prepared.add(text)
  return true
}

/** drizzle sends unprepared statements, which need two round trips and are planned each time. */
export function tenantDb(sql: TransactionSql): TenantDb {
  const client = {
    unsafe: (text: string, params: never[]) => sql.unsafe(text, params, { prepare: isWorthPreparing(text) }),
  }
  return new PostgresJsTransaction(dialect, new PostgresJsSession(client as never, dialect, undefined), undefined)
}
