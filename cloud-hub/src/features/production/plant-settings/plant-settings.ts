import { tenantLockKey } from '../../../db/advisory-locks.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { fieldError, Unprocessable } from '../../../support/errors.ts'
import { versionedBy } from '../../../support/http/record-version.ts'
import type { z } from '../../../support/http/z.ts'
import { lockTenant } from '../../people/settings/index.ts'
import { holdsForGroup, lockSites } from '../../plant/machine-groups/index.ts'
import { MAX_DAYS, type PlantSettings, PlantSettingsPatch } from './schemas.ts'

type Settings = z.input<typeof PlantSettings>
type Day = NonNullable<z.output<typeof PlantSettingsPatch>['non_production_days']>[number]

const withVersion = versionedBy(PlantSettingsPatch)

/** @param groupId only days that hold for this group; undefined: all. The version is that of all. */
async function settingsOf(sql: TransactionSql, tenantId: string, groupId?: string): Promise<Settings> {
  const [tenant] = await sql<{ time_zone: string; auto_shift_logs: boolean }[]>`
    select time_zone, auto_shift_logs from tenants where id = ${tenantId}`
  const daysOf = (group: string | undefined) => sql<Settings['non_production_days']>`
    select date::text as date, name, group_id from non_production_days
    where tenant_id = ${tenantId} ${holdsForGroup(sql, tenantId, group)} order by non_production_days.date, group_id nulls first`
  const whole = withVersion({
    time_zone: 'UTC',
    auto_shift_logs: false,
    ...tenant,
    non_production_days: [...(await daysOf(undefined))],
  })
  return groupId ? { ...whole, non_production_days: [...(await daysOf(groupId))] } : whole
}

/** @param groupId only days that hold for this group: of all sites, and of the site that it is or is inside of; undefined: all days */
export const plantSettings = (scope: TenantScope, groupId?: string): Promise<Settings> =>
  scope.tx((sql) => settingsOf(sql, scope.tenantId, groupId))

const lockDays = (sql: TransactionSql, tenantId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${tenantLockKey('non_production_days', { tenantId })}, 0))`

/** Selects given days: `group_id`, `date`, `name`. A cast beside a column would be evaluated for each row. */
const selectGiven = (sql: TransactionSql, days: readonly Day[]) => sql`
  select group_id, date, name
  from unnest(${days.map(({ group_id }) => group_id ?? null)}::text[]::uuid[], ${days.map(({ date }) => date)}::text[]::date[],
    ${days.map(({ name }) => name)}::text[]) given(group_id, date, name)`

/** Locks the settings until the end of the transaction. */
export async function lockPlantSettings(sql: TransactionSql, { tenantId }: TenantScope): Promise<void> {
  await lockTenant(sql, { tenantId })
  await lockDays(sql, tenantId)
}

async function upsertDays(sql: TransactionSql, tenantId: string, days: readonly Day[]): Promise<void> {
  await sql`
    insert into non_production_days as d (tenant_id, group_id, date, name)
    select ${tenantId}::uuid, given.group_id, given.date, given.name from (${selectGiven(sql, days)}) given
    order by given.date, given.group_id
    on conflict (tenant_id, date, group_id) do update set name = excluded.name where d.name <> excluded.name`
}

const sitesOf = (days: readonly Day[]) =>
  days.flatMap(({ group_id }, i) => (group_id ? [{ id: group_id, path: `body.non_production_days.${i}.group_id` }] : []))

/**
 * Changes the given settings. Switching automatic logs on or off also forgets up to when shifts have been started, so that the
 * shifts in progress start.
 * @throws NotFound, Unprocessable for a day of a group that is no site
 */
export const changePlantSettings = (scope: TenantScope, given: z.output<typeof PlantSettingsPatch>): Promise<Settings> =>
  scope.tx(async (sql) => {
    const { tenantId } = scope
    const { time_zone, auto_shift_logs, non_production_days: days } = given
    if (time_zone !== undefined) await sql`update tenants set time_zone = ${time_zone} where id = ${tenantId}`
    if (auto_shift_logs !== undefined) {
      const changed = await sql`
        update tenants set auto_shift_logs = ${auto_shift_logs} where id = ${tenantId} and auto_shift_logs <> ${auto_shift_logs} returning id`
      if (changed.length > 0) await sql`delete from shift_log_runs where tenant_id = ${tenantId}`
    }
    if (days) {
      await lockDays(sql, tenantId)
      await lockSites(sql, scope, sitesOf(days))
      // who knows of no sites leaves their days alone
      const isOfAllSites = days.length > 0 && days.every((day) => !('group_id' in day))
      await sql`
        with given as materialized (${selectGiven(sql, days)})
        delete from non_production_days d
        where tenant_id = ${tenantId} ${isOfAllSites ? sql`and d.group_id is null` : sql``}
          and not exists (select from given where given.date = d.date and given.group_id is not distinct from d.group_id)`
      await upsertDays(sql, tenantId, days)
    }
    return settingsOf(sql, tenantId)
  })

/**
 * Adds days of a site, or of all sites, or renames those of the same date.
 * @throws Unprocessable beyond the maximum of a tenant, and for a group that is no site; NotFound
 */
export const addDays = (scope: TenantScope, days: readonly { date: string; name: string }[], groupId?: string): Promise<void> =>
  scope.tx(async (sql) => {
    await lockDays(sql, scope.tenantId)
    if (groupId) await lockSites(sql, scope, [{ id: groupId, path: 'query.group_id' }])
    await upsertDays(
      sql,
      scope.tenantId,
      days.map((day) => ({ ...day, group_id: groupId ?? null })),
    )
    const [counted] = await sql<{ n: number }[]>`
      select count(*)::int as n from non_production_days where tenant_id = ${scope.tenantId}`
    if ((counted?.n ?? 0) > MAX_DAYS) throw new Unprocessable([fieldError('body.file', 'file_many_days', { limit: MAX_DAYS })])
  })
