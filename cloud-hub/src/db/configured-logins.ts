import { OperatorError } from '../support/errors.ts'
import type { SecretKeys } from '../support/secrets/secret-box.ts'
import { requireSecretKey } from './identity.ts'
import { type Logins, withLogin } from './login.ts'
import { appliedMigrations, pendingMigrations } from './migrations.ts'
import type { Sql } from './pools.ts'
import { requireServer } from './require-server.ts'
import { DB_ROLES, type DbRole } from './roles.ts'

/** A login of DATABASE_APP_URL, DATABASE_INGEST_URL or DATABASE_SYSTEM_URL has too many or too few privileges. */
export class UnsafeLogin extends OperatorError {}
/** The tables do not match this version, and this hub has no owner credentials to migrate them. */
export class NotMigrated extends OperatorError {}

/** The setting that contains the login of a role. */
export const SETTING_OF = {
  haltless_app: 'DATABASE_APP_URL',
  haltless_ingest: 'DATABASE_INGEST_URL',
  haltless_system: 'DATABASE_SYSTEM_URL',
} as const satisfies Record<DbRole, string>

/**
 * Checks logins that an administrator created, and that the database matches this version. Changes nothing.
 * @throws UnsupportedServer, UnsafeLogin, NotMigrated, NewerDatabase, OlderDatabase, SecretKeyMismatch
 */
export async function checkConfiguredLogins(logins: Logins, keys: SecretKeys): Promise<void> {
  for (const role of DB_ROLES) await withLogin(logins[role], (sql) => requireMember(sql, role))
  await withLogin(logins.haltless_system, async (system) => {
    const pending = pendingMigrations(await appliedMigrations(system))
    if (pending.length > 0) throw notMigrated(`it lacks ${pending.map(({ tag }) => tag).join(', ')}`)
    await requireSecretKey(system, keys)
  })
}

const notMigrated = (why: string) =>
  new NotMigrated(
    `The database does not match this version (${why}). Run \`npm run hub -- migrate\` with the owner's DATABASE_URL first.`,
  )

/** @throws UnsafeLogin unless the login inherits the privileges of its role and has no other significant privileges */
async function requireMember(sql: Sql, role: DbRole): Promise<void> {
  await requireServer(sql)
  const others = DB_ROLES.filter((other) => other !== role)
  const [me] = await sql<
    { name: string; isStrong: boolean; isMember: boolean; isMore: boolean; isPredefined: boolean; owns: boolean }[]
  >`
    select rolname as name, rolsuper or rolbypassrls or rolcreaterole as "isStrong",
      exists (select from pg_roles g where g.rolname = ${role} and pg_has_role(r.oid, g.oid, 'usage')) as "isMember",
      exists (select from pg_roles g where g.rolname = any(${others}) and pg_has_role(r.oid, g.oid, 'member')) as "isMore",
      exists (select from pg_roles g where g.rolname like 'pg\\_%' and pg_has_role(r.oid, g.oid, 'member')) as "isPredefined",
      exists (
        select from pg_class c where c.relnamespace = 'public'::regnamespace and pg_has_role(r.oid, c.relowner, 'member')
      ) as owns
    from pg_roles r
    where r.rolname = session_user`
  if (!me) return
  const faults = [
    me.isStrong && 'is a superuser, may create roles, or bypasses row-level security',
    !me.isMember && `does not inherit from ${role}`,
    me.isMore && `is a member of ${others.join(' or ')} as well`,
    me.isPredefined && 'is a member of a predefined role such as pg_read_all_data',
    me.owns && "owns the hub's tables",
  ].filter((fault) => fault !== false)
  if (faults.length === 0) return
  throw new UnsafeLogin(
    `${SETTING_OF[role]}: the login "${me.name}" ${faults.join(', ')}. Create a separate login that owns nothing:\n` +
      `  create role <name> login password '<password>';\n  grant ${role} to <name> with inherit true, set false;`,
  )
}
