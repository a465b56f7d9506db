import { readFileSync } from 'node:fs'
import type { Database } from 'better-sqlite3'

/** One file migrates the buffer's database from each version to the next; `user_version` counts the applied ones. Forward only. */
const MIGRATIONS = ['1.sql', '2.sql', '3.sql', '4.sql'].map((name) =>
  readFileSync(new URL(`./migrations/${name}`, import.meta.url), 'utf8'),
)

/**
 * Brings the database to the newest version, in one transaction per step.
 * @throws when the database was written by a newer agent: guessing at its tables could lose readings
 */
export function migrate(db: Database): void {
  const version = db.pragma('user_version', { simple: true }) as number
  if (version > MIGRATIONS.length) {
    throw new Error(
      `the buffer was written by a newer agent (version ${version}, this one knows ${MIGRATIONS.length}); update the agent`,
    )
  }
  for (let next = version; next < MIGRATIONS.length; next++) {
    db.transaction(() => {
      db.exec(MIGRATIONS[next] as string)
      db.pragma(`user_version = ${next + 1}`)
    })()
  }
}
