import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'

export interface SecuritySettings {
  require_mfa: boolean
}

export async function securitySettings(sql: TransactionSql, tenantId: string): Promise<SecuritySettings> {
  const [row] = await sql<SecuritySettings[]>`select require_mfa from tenants where id = ${tenantId}`
  return row ?? { require_mfa: false }
}

/** Changes the given settings. They count from the next request of every session. */
export const changeSecuritySettings = (scope: TenantScope, { require_mfa }: { require_mfa?: boolean | undefined }) =>
  scope.tx(async (sql) => {
    if (require_mfa !== undefined) await sql`update tenants set require_mfa = ${require_mfa} where id = ${scope.tenantId}`
    return securitySettings(sql, scope.tenantId)
  })
