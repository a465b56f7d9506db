import { readFileSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
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
 * @param upTo how many migrations there shall be; all of them, save for a backup of an earlier version
 * @throws RolesMissing with the SQL to run where roles may not be created
 */
export async function migrateDatabase(url: string, upTo = migrationCount()): Promise<void> {
  const owner = postgres(url, { max: 1, onnotice: () => {}, connection: { application_name: 'haltless migrations' } })
  try {
    await owner`select pg_advisory_lock(${LOCK})`
    await ensureRoles(owner)
    await migrateUpTo(owner, upTo)
  } finally {
    await owner.end({ timeout: 5 })
  }
}

interface Journal {
  entries: { tag: string }[]
}
const readJournal = (): Journal => JSON.parse(readFileSync(path.join(migrationsFolder, 'meta/_journal.json'), 'utf8')) as Journal

/** How many migrations this version has. */
export const migrationCount = (): number => readJournal().entries.length

/** drizzle applies whatever its folder names: for fewer, a folder that names fewer. */
async function migrateUpTo(owner: postgres.Sql, upTo: number): Promise<void> {
  const journal = readJournal()
  if (upTo >= journal.entries.length) return migrate(drizzle(owner), { migrationsFolder })
  const folder = await mkdtemp(path.join(tmpdir(), 'haltless-migrations-'))
  try {
    const entries = journal.entries.slice(0, upTo)
    await mkdir(path.join(folder, 'meta'))
    await writeFile(path.join(folder, 'meta/_journal.json'), JSON.stringify({ ...journal, entries }))
    for (const { tag } of entries) await copyFile(path.join(migrationsFolder, `${tag}.sql`), path.join(folder, `${tag}.sql`))
    await migrate(drizzle(owner), { migrationsFolder: folder })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
