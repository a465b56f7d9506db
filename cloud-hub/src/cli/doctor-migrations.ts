import { type AppliedMigration, knownMigrations, pendingMigrations } from '../db/migrations.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

/** Compares the applied migrations with those of this version. */
export function checkMigrations(applied: AppliedMigration[], known = knownMigrations()): Finding {
  try {
    const pending = pendingMigrations(applied, known).map(({ tag }) => tag)
    if (pending.length === 0) return ok('tables', `match this version (${applied.length} migrations)`)
    const next = `the next start, or \`npm run hub -- migrate\`, applies ${pending.join(', ')}`
    return warn('tables', `${applied.length} of ${known.length} migrations are applied; ${next}`)
  } catch (error) {
    return fail('tables', (error as Error).message.split('\n')[0] as string)
  }
}
