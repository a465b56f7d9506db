import type { BaseTier } from '../../../db/enums.ts'
import { isForeignKeyViolation, isUniqueViolation } from '../../../db/errors.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { Conflict, NotFound } from '../../../support/errors.ts'
import { listRoles, type RoleRow } from './repository.ts'

/** Maximum roles of a tenant, including the built-in ones. */
const MAX_ROLES = 100

/** `Line Lead (Süd)` -> `line-lead-sud`. */
export function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
  return slug || 'role'
}

const nameTaken = (error: unknown) =>
  isUniqueViolation(error, 'roles_name_key') ? new Conflict('role_name_taken', 'Another role has this name.') : error

export async function findRole(sql: TransactionSql, scope: TenantScope, key: string): Promise<RoleRow> {
  const [row] = await listRoles(sql, scope, key)
  if (!row) throw new NotFound('role')
  return row
}

/** Locks a role until the end of the transaction. */
export const lockRole = (sql: TransactionSql, { tenantId }: TenantScope, { key }: { key: string }) =>
  sql`select 1 from roles where tenant_id = ${tenantId} and key = ${key} for no key update`

/** Creates a role with the rights of its base tier. @throws Conflict `role_name_taken`, `too_many_roles` */
export async function createRole(scope: TenantScope, name: string, baseTier: BaseTier): Promise<RoleRow> {
  // leaves room for a number
  const slug = slugOf(name).slice(0, 190)
  try {
    return await scope.tx(async (sql) => {
      await sql`select 1 from tenants where id = ${scope.tenantId} for no key update`
      const keys = new Set(
        (await sql<{ key: string }[]>`select key from roles where tenant_id = ${scope.tenantId}`).map((r) => r.key),
      )
      if (keys.size >= MAX_ROLES)
        throw new Conflict('too_many_roles', `A tenant has at most ${MAX_ROLES} roles.`, { limit: MAX_ROLES })
      let key = slug
      for (let n = 2; keys.has(key); n++) key = `${slug}-${n}`
      await sql`insert into roles (tenant_id, key, name, base_tier, created_at)
        values (${scope.tenantId}, ${key}, ${name}, ${baseTier}, ${scope.clock.now()})`
      return findRole(sql, scope, key)
    })
  } catch (error) {
    throw nameTaken(error)
  }
}

const refuseBuiltin = (role: RoleRow) => {
  if (role.isBuiltin) throw new Conflict('role_builtin', 'Built-in roles cannot be renamed or deleted.')
}

/** Renames a role; its key does not change. @throws NotFound, Conflict `role_builtin`, `role_name_taken` */
export async function renameRole(scope: TenantScope, key: string, name: string | undefined): Promise<RoleRow> {
  try {
    return await scope.tx(async (sql) => {
      const role = await findRole(sql, scope, key)
      if (name === undefined || name === role.name) return role
      refuseBuiltin(role)
      await sql`update roles set name = ${name} where tenant_id = ${scope.tenantId} and key = ${key}`
      return { ...role, name }
    })
  } catch (error) {
    throw nameTaken(error)
  }
}

/** @throws NotFound, Conflict `role_builtin`, `role_in_use` */
export async function deleteRole(scope: TenantScope, key: string): Promise<void> {
  try {
    await scope.tx(async (sql) => {
      refuseBuiltin(await findRole(sql, scope, key))
      await sql`delete from roles where tenant_id = ${scope.tenantId} and key = ${key} and not is_builtin`
    })
  } catch (error) {
    if (isForeignKeyViolation(error, 'users_role_fk'))
      throw new Conflict('role_in_use', 'Users have this role, perhaps deactivated ones: give them another role first.')
    throw error
  }
}
