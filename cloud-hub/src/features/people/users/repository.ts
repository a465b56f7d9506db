import { BASE_TIERS, type BaseTier } from '../../../db/enums.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import type { users } from '../../../db/tables/accounts.ts'

const COLUMNS = `id, email, full_name as "fullName", role, is_active as "isActive", is_invited as "isInvited", is_service as "isService", mfa_enabled as "mfaEnabled",
  phone, timezone, locale, last_login_at as "lastLoginAt", created_at as "createdAt"`

/** The columns that lists show. The password hash is not among them. */
export type UserRow = Pick<
  typeof users.$inferSelect,
  | 'id'
  | 'email'
  | 'fullName'
  | 'role'
  | 'isActive'
  | 'isInvited'
  | 'isService'
  | 'mfaEnabled'
  | 'phone'
  | 'timezone'
  | 'locale'
  | 'lastLoginAt'
  | 'createdAt'
>

export const userColumns = (sql: TransactionSql) => sql.unsafe(COLUMNS)

export const listUsers = (sql: TransactionSql, scope: TenantScope) =>
  sql<UserRow[]>`select ${userColumns(sql)} from users where tenant_id = ${scope.tenantId} order by created_at, id`

export const listNames = (sql: TransactionSql, scope: TenantScope) =>
  sql<Pick<UserRow, 'id' | 'fullName' | 'isActive' | 'isService'>[]>`
    select id, full_name as "fullName", is_active as "isActive", is_service as "isService" from users where tenant_id = ${scope.tenantId}
    order by full_name collate natural_order, id`

export const findUser = async (sql: TransactionSql, scope: TenantScope, userId: string): Promise<UserRow | undefined> =>
  (await sql<UserRow[]>`select ${userColumns(sql)} from users where tenant_id = ${scope.tenantId} and id = ${userId}`)[0]

/** Locks a user until the end of the transaction. */
export const lockUser = (sql: TransactionSql, { tenantId }: TenantScope, userId: string) =>
  sql`select 1 from users where tenant_id = ${tenantId} and id = ${userId} for no key update`

export interface RoleRow {
  key: string
  name: string
  baseTier: BaseTier
  isBuiltin: boolean
  memberCount: number
}

/** Built-in roles from the most rights to the least, then custom roles by name. Member counts include deactivated users. */
export const listRoles = (sql: TransactionSql, scope: TenantScope, key: string | null = null) => sql<RoleRow[]>`
  select r.key, r.name, r.base_tier as "baseTier", r.is_builtin as "isBuiltin", count(u.id)::int as "memberCount"
  from roles r left join users u on u.tenant_id = r.tenant_id and u.role = r.key
  where r.tenant_id = ${scope.tenantId} and (${key}::text is null or r.key = ${key})
  group by r.tenant_id, r.key
  order by r.is_builtin desc, case when r.is_builtin then array_position(${BASE_TIERS as readonly string[] as string[]}::text[], r.key) end, lower(r.name)`
