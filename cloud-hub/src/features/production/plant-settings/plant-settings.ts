import { tenantLockKey } from '../../../db/advisory-locks.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { fieldError, Unprocessable } from '../../../support/errors.ts'
import { versionedBy } from '../../../support/http/record-version.ts'
import type { z } from '../../../support/http/z.ts'
import { lockTenant } from '../../people/settings/index.ts'
import { MAX_DAYS, type PlantSettings, PlantSettingsPatch } from './schemas.ts'

type Settings = z.input<typeof PlantSettings>
type Day = Settings['non_production_days'][number]

const withVersion = versionedBy(PlantSettingsPatch)

async function settingsOf(sql: TransactionSql, tenantId: string): Promise<Settings> {
  const [tenant] = await sql<{ time_zone: string; auto_shift_logs: boolean }[]>`
    select time_zone, auto_shift_logs from tenants where id = ${tenantId}`
  const days = await sql<Day[]>`
    select date::text as date, name from non_production_days where tenant_id = ${tenantId} order by non_production_days.date`
  return withVersion({ time_zone: 'UTC', auto_shift_logs: false, ...tenant, non_production_days: [...days] })
}

export const plantSettings = (scope: TenantScope): Promise<Settings> => scope.tx((sql) => settingsOf(sql, scope.tenantId))

const lockDays = (sql: TransactionSql, tenantId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${tenantLockKey('non_production_days', { tenantId })}, 0))`

/** Locks the settings until the end of the transaction. */
export async function lockPlantSettings(sql: TransactionSql, { tenantId }: TenantScope): Promise<void> {
  await lockTenant(sql, { tenantId })
  await lockDays(sql, tenantId)
}

async function upsertDays(sql: TransactionSql, tenantId: string, days: readonly Day[]): Promise<void> {
  await sql`
    insert into non_production_days as d (tenant_id, date, name)
    select ${tenantId}::uuid, given.date, given.name
    from unnest(${days.map(({ date }) => date)}::text[]::date[], ${days.map(({ name }) => name)}::text[]) given(date, name)
    order by given.date
    on conflict (tenant_id, date) do update set name = excluded.name where d.name <> excluded.name`
}

/**
 * Changes the given settings. Switching automatic logs on or off also forgets up to when shifts have been started, so that the
 * shifts in progress start.
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
      await sql`delete from non_production_days where tenant_id = ${tenantId} and date <> all(${days.map(({ date }) => date)}::text[]::date[])`
      await upsertDays(sql, tenantId, days)
    }
    return settingsOf(sql, tenantId)
  })

/** Adds days, or renames those of the same date. @throws Unprocessable beyond the maximum of a tenant */
export const addDays = (scope: TenantScope, days: readonly Day[]): Promise<void> =>
  scope.tx(async (sql) => {
    await lockDays(sql, scope.tenantId)
    await upsertDays(sql, scope.tenantId, days)
    const [counted] = await sql<{ n: number }[]>`
      select count(*)::int as n from non_production_days where tenant_id = ${scope.tenantId}`
    if ((counted?.n ?? 0) > MAX_DAYS) throw new Unprocessable([fieldError('body.file', 'file_many_days', { limit: MAX_DAYS })])
  })
