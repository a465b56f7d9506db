import { DEFAULT_UNIT_PREFERENCES } from '@haltless/protocol'
import type { ReportSchedule } from '../../../db/enums.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { emailPrefs } from '../../mails/index.ts'

/** Locks the settings of the tenant until the end of the transaction. */
export const lockTenant = (sql: TransactionSql, { tenantId }: Pick<TenantScope, 'tenantId'>) =>
  sql`select 1 from tenants where id = ${tenantId} for no key update`

/** Locks the settings of the caller until the end of the transaction. */
export const lockCaller = (sql: TransactionSql, { tenantId, actor }: TenantScope) =>
  sql`select 1 from users where tenant_id = ${tenantId} and id = ${actor.id} for no key update`

/** Merges the given values into the stored ones. */
export const changeEmailPrefs = (scope: TenantScope, prefs: Record<string, boolean>) =>
  scope.tx(async (sql) => {
    await sql`update tenants set email_prefs = email_prefs || ${sql.json(prefs)} where id = ${scope.tenantId}`
    return emailPrefs(sql, scope.tenantId)
  })

export const unitPreferences = async (sql: TransactionSql, tenantId: string): Promise<Record<string, string>> => {
  const [row] = await sql<
    { chosen: Record<string, string> }[]
  >`select unit_preferences as chosen from tenants where id = ${tenantId}`
  return { ...DEFAULT_UNIT_PREFERENCES, ...row?.chosen }
}

export const changeUnitPreferences = (scope: TenantScope, chosen: Record<string, string>) =>
  scope.tx(async (sql) => {
    await sql`update tenants set unit_preferences = unit_preferences || ${sql.json(chosen)} where id = ${scope.tenantId}`
    return unitPreferences(sql, scope.tenantId)
  })

export interface ReportSettings {
  schedule: ReportSchedule | null
  emails: string[]
}

/** Changes the given parts of the caller's report schedule. */
export async function reportSettings(
  scope: TenantScope,
  change: { schedule?: ReportSchedule | null | undefined; emails?: string[] | undefined } = {},
): Promise<ReportSettings> {
  return scope.tx(async (sql) => {
    const one = sql`tenant_id = ${scope.tenantId} and id = ${scope.actor.id}`
    if (change.schedule !== undefined) await sql`update users set report_schedule = ${change.schedule} where ${one}`
    if (change.emails !== undefined) await sql`update users set report_emails = ${change.emails} where ${one}`
    const [row] = await sql<ReportSettings[]>`select report_schedule as schedule, report_emails as emails from users where ${one}`
    return row ?? { schedule: null, emails: [] }
  })
}
