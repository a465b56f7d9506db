import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate } from 'drizzle-orm/postgres-js/migrator'
import postgres from 'postgres'
import { ensureRoles } from './roles.ts'

const migrationsFolder = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../migrations')
/** Any number, the same in every replica. */
const LOCK = 4_711_001

/**
 * Brings the database to this version, as its owner. Safe with many replicas at once (an advisory lock on one connection) and with a kill
 * in the middle (all pending migrations are one transaction).
 * @throws RolesMissing with the SQL to run where roles may not be created
 */
export async function migrateDatabase(url: string): Promise<void> {
  const owner = postgres(url, { max: 1, onnotice: () => {}, connection: { application_name: 'haltless migrations' } })
  try {
    await owner`select pg_advisory_lock(${LOCK})`
    await ensureRoles(owner)
    await migrate(drizzle(owner), { migrationsFolder })
  } finally {
    await owner.end({ timeout: 5 })
  }
}
