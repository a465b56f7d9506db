import { readFileSync } from 'node:fs'
import type { Database } from 'better-sqlite3'

interface Migration {
  sql: string
  /** The schema that an agent has to know to read the result: a lower one than its own number where it only adds what older agents leave alone. */
  oldestReader: number
}

/** One file migrates the buffer's database from each schema to the next. Forward only. */
const MIGRATIONS: readonly Migration[] = [1, 2, 3, 4, 4, 6, 6].map((oldestReader, i) => ({
  sql: readFileSync(new URL(`./migrations/${i + 1}.sql`, import.meta.url), 'utf8'),
  oldestReader,
}))

/**
 * Brings the database to the newest schema, in one transaction per step. `user_version` says which schema an agent has to know to read it, and
 * the table `schema_level` which one it has, where that is a higher one.
 * @param readableBy the schema of an older agent that may have to read it again; then only what that agent can read is done
 * @throws when the database needs a newer agent: guessing at its tables could lose readings
 */
export function migrate(db: Database, readableBy = Number.POSITIVE_INFINITY, migrations = MIGRATIONS): void {
  const needed = db.pragma('user_version', { simple: true }) as number
  if (needed > migrations.length) {
    throw new Error(
      `the buffer was written by a newer agent (version ${needed}, this one knows ${migrations.length}); update the agent`,
    )
  }
  for (let level = Math.max(needed, levelOf(db)); level < migrations.length; level++) {
    const { sql, oldestReader } = migrations[level] as Migration
    if (oldestReader > readableBy) return
    db.transaction(() => {
      db.exec(sql)
      db.pragma(`user_version = ${Math.max(oldestReader, db.pragma('user_version', { simple: true }) as number)}`)
      if (oldestReader <= level) setLevel(db, level + 1)
    })()
  }
}

function levelOf(db: Database): number {
  const table = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'schema_level'").get()
  return table ? (db.prepare('SELECT level FROM schema_level').pluck().get() as number) : 0
}

function setLevel(db: Database, level: number): void {
  db.exec('CREATE TABLE IF NOT EXISTS schema_level (level INTEGER NOT NULL); DELETE FROM schema_level')
  db.prepare('INSERT INTO schema_level VALUES (?)').run(level)
}
