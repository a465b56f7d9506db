import type postgres from 'postgres'

/** The roles that the hub's connections play; each is created without login and owns nothing. */
export const DB_ROLES = ['haltless_app', 'haltless_ingest', 'haltless_system'] as const
export type DbRole = (typeof DB_ROLES)[number]

/** The database refuses to create roles (a managed one may): `message` holds the SQL that its administrator has to run once. */
export class RolesMissing extends Error {
  constructor(user: string) {
    super(
      `The database user "${user}" may not create roles. Let an administrator of the database run this once, then start the hub again:\n\n` +
        `${DB_ROLES.map((role) => `  create role ${role} nologin;`).join('\n')}\n  grant ${DB_ROLES.join(', ')} to "${user}";\n`,
    )
    this.name = 'RolesMissing'
  }
}

/** Roles belong to the whole cluster, so several hubs may meet here: a role that someone else has just made is fine. */
export async function ensureRoles(owner: postgres.Sql): Promise<void> {
  const [me] = await owner<{ name: string }[]>`select current_user as name`
  const user = me?.name ?? ''
  for (const role of DB_ROLES) {
    try {
      const [member] = await owner<{ ok: boolean }[]>`
        select pg_has_role(current_user, oid, 'set') as ok from pg_roles where rolname = ${role}`
      if (!member) await owner.unsafe(`create role ${role} nologin`)
      if (!member?.ok) await owner.unsafe(`grant ${role} to "${user.replaceAll('"', '""')}" with set true`)
    } catch (error) {
      const code = (error as { code?: string }).code
      if (code === '42501') throw new RolesMissing(user)
      // 42710 duplicate_object, 23505 unique_violation, XX000 "tuple concurrently updated": another hub was faster
      if (code !== '42710' && code !== '23505' && code !== 'XX000') throw error
    }
  }
}
