import { PgDialect } from 'drizzle-orm/pg-core'
import { PostgresJsSession, PostgresJsTransaction } from 'drizzle-orm/postgres-js'
import type { TransactionSql } from './pools.ts'

/** drizzle on a transaction of one tenant. */
export type TenantDb = PostgresJsTransaction<Record<string, never>, Record<string, never>>

const dialect = new PgDialect()

/** Each of these is kept by every connection that has run it. */
const MOST_PREPARED = 500
const MOST_PREPARED_CHARS = 4_000
const prepared = new Set<string>()

/** The texts that we write are few, those of lists with any number of ids are not. */
function isWorthPreparing(text: string): boolean {
  if (prepared.has(text)) return true
  if (prepared.size >= MOST_PREPARED || text.length > MOST_PREPARED_CHARS) return false
  prepared.add(text)
  return true
}

/** drizzle sends statements unprepared, which takes it two round trips each and plans them anew every time. */
export function tenantDb(sql: TransactionSql): TenantDb {
  const client = {
    unsafe: (text: string, params: never[]) => sql.unsafe(text, params, { prepare: isWorthPreparing(text) }),
  }
  return new PostgresJsTransaction(dialect, new PostgresJsSession(client as never, dialect, undefined), undefined)
}
