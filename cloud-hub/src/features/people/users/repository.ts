import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import type { BaseTier } from '../../../db/tables/accounts.ts'

export interface UserRow {
  id: string
  email: string
  fullName: string
  role: string
  isActive: boolean
  isInvited: boolean
  mfaEnabled: boolean
  phone: string | null
  timezone: string | null
  locale: string | null
  lastLoginAt: Date | null
  createdAt: Date
}

export const userColumns = (sql: TransactionSql) => sql`id, email, full_name as "fullName", role, is_active as "isActive",
  is_invited as "isInvited", mfa_enabled as "mfaEnabled", phone, timezone, locale, last_login_at as "lastLoginAt", created_at as "createdAt"`

export const listUsers = (sql: TransactionSql, scope: TenantScope) =>
  sql<UserRow[]>`select ${userColumns(sql)} from users where tenant_id = ${scope.tenantId} order by created_at, id`

export const findUser = async (sql: TransactionSql, scope: TenantScope, userId: string): Promise<UserRow | undefined> =>
  (await sql<UserRow[]>`select ${userColumns(sql)} from users where tenant_id = ${scope.tenantId} and id = ${userId}`)[0]

export interface RoleRow {
  key: string
  name: string
  baseTier: BaseTier
  isBuiltin: boolean
  memberCount: number
}

/** Built-in roles from the most rights to the least, then the tenant's own by name. Members are all users who hold it, deactivated ones too. */
export const listRoles = (sql: TransactionSql, scope: TenantScope, key: string | null = null) => sql<RoleRow[]>`
  select r.key, r.name, r.base_tier as "baseTier", r.is_builtin as "isBuiltin", count(u.id)::int as "memberCount"
  from roles r left join users u on u.tenant_id = r.tenant_id and u.role = r.key
  where r.tenant_id = ${scope.tenantId} and (${key}::text is null or r.key = ${key})
  group by r.tenant_id, r.key
  order by r.is_builtin desc, case when r.is_builtin then array_position(array['admin', 'operator', 'viewer'], r.key) end, lower(r.name)`
