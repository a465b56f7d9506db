import { OperatorError } from '../support/errors.ts'
import { dbError } from './errors.ts'
import type { Sql } from './sql.ts'

/**
 * The roles that own the hub's privileges and policies. They belong to the cluster, cannot log in and own nothing; logins are
 * members of them.
 */
export const DB_ROLES = ['haltless_app', 'haltless_ingest', 'haltless_system'] as const
export type DbRole = (typeof DB_ROLES)[number]

/**
 * The owner may not create roles, as in many managed databases. `message` contains the SQL for an administrator, without
 * passwords.
 */
export class RolesMissing extends OperatorError {
  constructor(user: string, statements: string[]) {
    super(
      `The database user "${user}" may not create roles. A database administrator must run this once; then start the hub again:\n\n` +
        `${statements.map((statement) => `  ${statement};\n`).join('')}\n` +
        'To use logins that the administrator created, set DATABASE_APP_URL, DATABASE_INGEST_URL and DATABASE_SYSTEM_URL.',
    )
  }
}

/** The SQL that creates the missing roles. */
export async function missingRoles(owner: Sql): Promise<string[]> {
  const there = await owner<{ name: string }[]>`select rolname as name from pg_roles where rolname = any(${[...DB_ROLES]})`
  return DB_ROLES.filter((role) => !there.some(({ name }) => name === role)).map((role) => `create role ${role} nologin`)
}

/**
 * 42710 duplicate_object, 23505 unique_violation, XX000 "tuple concurrently updated": a hub of another database created the role
 * first.
 */
const MADE_MEANWHILE = ['42710', '23505', 'XX000']

/** Runs statements on roles. @throws RolesMissing with the remaining statements, when the owner may not run them */
export async function changeRoles(owner: Sql, statements: string[]): Promise<void> {
  for (const [index, statement] of statements.entries()) {
    try {
      await owner.unsafe(statement)
    } catch (error) {
      const code = dbError(error)?.code ?? ''
      if (MADE_MEANWHILE.includes(code)) continue
      if (code !== '42501') throw error
      const [me] = await owner<{ name: string }[]>`select current_user as name`
      throw new RolesMissing(me?.name ?? '', statements.slice(index))
    }
  }
}
