import { Secret } from '@haltless/edge-agent/secret'
import { OperatorError } from '../support/errors.ts'
import { deriveKey } from '../support/secrets/derive.ts'
import { dbError } from './errors.ts'
import type { OwnKey } from './identity.ts'
import { type Login, type Logins, withLogin } from './login.ts'
import type { Sql } from './pools.ts'
import { changeRoles, DB_ROLES, type DbRole, missingRoles } from './roles.ts'
import { scramVerifier } from './scram.ts'

/** PostgreSQL refuses a login although its role is correct. */
export class LoginRefused extends OperatorError {
  constructor(name: string, reason: string) {
    super(
      `The database refuses the login of ${name}: ${reason}. Its pg_hba.conf must allow the hub's logins by password, for example:\n` +
        `  host <database> ${DB_ROLES.map((role) => `+${role}`).join(',')} <address of the hub> scram-sha-256`,
    )
  }
}

/** The names of logins that hubs make: the role, the database's OID and, after a change of SECRET_KEY, its generation. */
export const HUB_LOGIN = '^haltless_(app|ingest|system)_[0-9]+(_[0-9]+)?$'

/** The database that the logins belong to. */
interface DatabaseIdentity {
  database: string
  /** the database's OID; roles are shared by all databases of the cluster */
  oid: string
  /** the cluster's; a copy by dump and restore has another one, so its passwords differ */
  systemIdentifier: string
}

const quoteIdentifier = (name: string) => `"${name.replaceAll('"', '""')}"`

/**
 * The logins of this database, by role. Their passwords derive from SECRET_KEY. Each generation of that key has logins of its own, so that
 * hubs which have not restarted since a rotation stay connected.
 */
function deriveLogins(url: string, { oid, systemIdentifier }: DatabaseIdentity, { secretKey, generation }: OwnKey): Logins {
  const loginOf = (role: DbRole): Login => {
    const username = generation === 1 ? `${role}_${oid}` : `${role}_${oid}_${generation}`
    const password = deriveKey(secretKey, `database-login/${username}`, 32, systemIdentifier).toString('base64url')
    return { url: new Secret(url), username, password: new Secret(password) }
  }
  return Object.fromEntries(DB_ROLES.map((role) => [role, loginOf(role)])) as Record<DbRole, Login>
}

/**
 * Compares the roles and this database's logins with what they should be, as the owner. Changes nothing.
 * @param url the owner's; the logins use its hosts, database and options
 * @returns the logins, and the SQL that creates or repairs them; no SQL when they are correct
 * @throws LoginRefused when a role is correct and the server still refuses it
 */
export async function planLogins(owner: Sql, url: string, key: OwnKey): Promise<{ logins: Logins; statements: string[] }> {
  const [identity] = await owner<[DatabaseIdentity]>`
    select current_database() as database, d.oid::text as oid, c.system_identifier::text as "systemIdentifier"
    from pg_database d, pg_control_system() c
    where d.datname = current_database()`
  const logins = deriveLogins(url, identity, key)
  const repairs = await Promise.all(DB_ROLES.map((role) => repairsOf(owner, identity, role, logins[role])))
  return { logins, statements: [...(await missingRoles(owner)), ...repairs.flat()] }
}

const ATTEMPTS = 3

/**
 * Creates or repairs the roles and this database's logins, as the owner and under the migration lock.
 * @throws RolesMissing with the SQL to run, when the owner may not create roles
 * @throws LoginRefused
 */
export async function ensureLogins(owner: Sql, url: string, key: OwnKey): Promise<Logins> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const { logins, statements } = await planLogins(owner, url, key)
    if (statements.length === 0) {
      await dropStaleLogins(owner, logins)
      return logins
    }
    await changeRoles(owner, statements)
  }
  throw new LoginRefused(`its members of ${DB_ROLES.join(', ')}`, 'another process keeps changing them')
}

/** The state of a login on the server. */
interface FoundLogin {
  mayConnect: boolean
  /** ALTER ROLE options that repair its attributes */
  attributes: string[]
  /** databases with settings for this login; '' is all databases */
  settings: string[]
  memberships: { role: string; grantor: string; isPlain: boolean }[]
}

const findLogin = async (owner: Sql, name: string): Promise<FoundLogin | undefined> => {
  const [found] = await owner<FoundLogin[]>`
    select has_database_privilege(r.oid, current_database(), 'connect') as "mayConnect",
      array_remove(array[
        case when not rolcanlogin then 'login' end,
        case when not rolinherit then 'inherit' end,
        case when rolsuper then 'nosuperuser' end,
        case when rolbypassrls then 'nobypassrls' end,
        case when rolcreaterole then 'nocreaterole' end,
        case when rolcreatedb then 'nocreatedb' end,
        case when rolreplication then 'noreplication' end
      ], null) as attributes,
      array(
        select coalesce(d.datname, '')::text from pg_db_role_setting s left join pg_database d on d.oid = s.setdatabase where s.setrole = r.oid
      ) as settings,
      (
        select coalesce(json_agg(json_build_object('role', g.rolname, 'grantor', o.rolname,
          'isPlain', m.inherit_option and not m.set_option and not m.admin_option)), '[]')
        from pg_auth_members m join pg_roles g on g.oid = m.roleid join pg_roles o on o.oid = m.grantor
        where m.member = r.oid
      ) as memberships
    from pg_roles r
    where r.rolname = ${name}`
  return found
}

/** The SQL that repairs one login in identity, because other hubs are connected with it; empty when it is correct. */
async function repairsOf(owner: Sql, { database }: DatabaseIdentity, role: DbRole, login: Login): Promise<string[]> {
  const name = login.username as string
  const password = `password '${scramVerifier(login.password?.reveal() ?? '')}'`
  const grant = `grant ${role} to ${name} with admin false, inherit true, set false`
  const connect = `grant connect on database ${quoteIdentifier(database)} to ${name}`
  const found = await findLogin(owner, name)
  if (!found) {
    const [everybody] = await owner<
      [{ may: boolean }]
    >`select has_database_privilege('public', current_database(), 'connect') as may`
    return [`create role ${name} login ${password}`, grant, ...(everybody.may ? [] : [connect])]
  }
  const repairs = found.settings.map(
    (of) => `alter role ${name} ${of === '' ? '' : `in database ${quoteIdentifier(of)} `}reset all`,
  )
  if (found.attributes.length > 0) repairs.push(`alter role ${name} ${found.attributes.join(' ')}`)
  for (const { role: given, grantor, isPlain } of found.memberships) {
    if (given !== role)
      repairs.push(`revoke ${quoteIdentifier(given)} from ${name} granted by ${quoteIdentifier(grantor)} cascade`)
    else if (!isPlain) repairs.push(`${grant} granted by ${quoteIdentifier(grantor)}`)
  }
  if (!found.memberships.some((membership) => membership.role === role)) repairs.push(grant)
  if (!found.mayConnect) repairs.push(connect)
  if (repairs.length > 0) return repairs
  const refusal = await tryLogin(login)
  if (refusal === null) return []
  if (refusal.code === '28P01') return [`alter role ${name} ${password}`]
  throw new LoginRefused(name, refusal.message)
}

/** @returns null when the login works, else PostgreSQL's refusal; throws other errors */
async function tryLogin(login: Login): Promise<{ code: string; message: string } | null> {
  try {
    await withLogin(login, (sql) => sql`select 1`)
    return null
  } catch (error) {
    const code = dbError(error)?.code ?? ''
    // class 28: invalid authorization specification
    if (code.startsWith('28')) return { code, message: (error as Error).message }
    throw error
  }
}

/**
 * Drops logins of databases that no longer exist, and those of an earlier SECRET_KEY once no hub of the last hour can have them. Failures are
 * ignored: the next start tries again.
 */
async function dropStaleLogins(owner: Sql, logins: Logins): Promise<void> {
  const current = DB_ROLES.map((role) => logins[role].username as string)
  const areOthersUnused = await everyHubUses(owner, current)
  const stale = await owner<{ name: string }[]>`
    select rolname as name from pg_roles, substring(rolname from '^haltless_[a-z]+_([0-9]+)') as of_database
    where rolname ~ ${HUB_LOGIN}
      and (
        of_database not in (select d.oid::text from pg_database d)
        or (
          ${areOthersUnused} and rolname <> all(${current})
          and of_database = (select d.oid::text from pg_database d where d.datname = current_database())
        )
      )`
  for (const { name } of stale) await owner.unsafe(`drop role if exists ${name}`).catch(() => {})
}

/** Whether all hubs of the last hour connect with these logins. */
async function everyHubUses(owner: Sql, logins: string[]): Promise<boolean> {
  // absent before the first migration; the column is absent before that of rotations
  const [table] = await owner`
    select from pg_attribute where attrelid = to_regclass('public.hub_replicas') and attname = 'login' and not attisdropped`
  if (!table) return false
  const [other] = await owner`
    select from hub_replicas
    where seen_at > now() - interval '1 hour' and (login is null or login <> all(${logins}))
    limit 1`
  return other === undefined
}
