import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { Conflict } from '../../../support/errors.ts'

/** Serializes changes of administrators, so that two admins cannot remove each other. */
export const lockMembership = (sql: TransactionSql, scope: TenantScope) =>
  sql`select 1 from tenants where id = ${scope.tenantId} for no key update`

/**
 * Checks after a change that an active person with admin rights remains; open invitations and service accounts do not count.
 * @throws Conflict `last_admin`, which rolls the change back
 */
export async function assertAdminRemains(sql: TransactionSql, scope: TenantScope): Promise<void> {
  const [left] = await sql`
    select 1 from users u join roles r on r.tenant_id = u.tenant_id and r.key = u.role
    where u.tenant_id = ${scope.tenantId} and u.is_active and not u.is_invited and not u.is_service and r.base_tier = 'admin' limit 1`
  if (!left) throw new Conflict('last_admin', 'This is the last admin of the tenant: make another user an admin first.')
}
