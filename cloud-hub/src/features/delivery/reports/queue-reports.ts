import type { Sql, TransactionSql } from '../../../db/pools.ts'
import type { ReportSchedule } from '../../../db/tables/accounts.ts'
import type { Logger } from '../../../support/logger.ts'
import type { SecretBox } from '../../../support/secrets/secret-box.ts'
import { enqueueMail } from '../mails/index.ts'
import { collectPredictions } from './collect-predictions.ts'
import { collectProduction } from './collect-production.ts'
import { collectReport } from './collect-report.ts'

export interface ReportDeps {
  /** system role: reports of all tenants */
  allTenants: Sql
  box: SecretBox
  /** the public URL of the hub */
  publicUrl: string
  logger: Logger
}

interface Due {
  tenantId: string
  userId: string
  email: string
  emails: string[]
  locale: string | null
  timeZone: string
  schedule: ReportSchedule
  tenant: string
  units: Record<string, string>
  start: Date
  end: Date
  nextDue: Date
}

/** Delay before a failed report is tried again; it does not block others. */
const AGAIN_MS = 600_000

/**
 * Queues the reports that are due: at 7 a.m. of the user's time zone, daily, on Mondays or on the first of a month, about the
 * period before. A mail and the next due time commit together, so each report is queued once over all replicas. After an outage
 * of days, only the latest period is reported.
 * @returns how many users' reports were queued
 */
export async function queueReports(deps: ReportDeps, now: Date): Promise<number> {
  const { allTenants } = deps
  await allTenants`
    insert into report_turns as t (tenant_id, user_id, schedule, due_at)
    select u.tenant_id, u.id, u.report_schedule, p.next_due from users u, report_period(u.report_schedule, coalesce(u.timezone, 'UTC'), ${now}) p
    where u.report_schedule is not null and u.is_active and not exists (
      select from report_turns known where known.tenant_id = u.tenant_id and known.user_id = u.id and known.schedule = u.report_schedule)
    on conflict (tenant_id, user_id) do update set schedule = excluded.schedule, due_at = excluded.due_at where t.schedule <> excluded.schedule`
  // A changed time zone moves 7 a.m. to another instant; a failed report keeps its due time.
  await allTenants`
    update report_turns t set due_at = p.next_due from users u, report_period(u.report_schedule, coalesce(u.timezone, 'UTC'), ${now}) p
    where u.tenant_id = t.tenant_id and u.id = t.user_id and u.report_schedule = t.schedule
      and t.due_at > ${new Date(now.getTime() + AGAIN_MS)} and t.due_at <> p.next_due`
  let queued = 0
  while (await queueOne(deps, now)) queued++
  await allTenants`
    delete from report_turns t using users u
    where u.tenant_id = t.tenant_id and u.id = t.user_id and (u.report_schedule is null or not u.is_active)`
  return queued
}

async function queueOne(deps: ReportDeps, now: Date): Promise<boolean> {
  const { allTenants, logger } = deps
  let due: Due | undefined
  try {
    await allTenants.begin(async (tx) => {
      due = await takeDue(tx, now)
      if (due) await queue(tx, deps, due, now)
    })
  } catch (error) {
    if (!due) throw error
    const { tenantId, userId } = due
    logger.error({ err: error, tenant_id: tenantId, user_id: userId }, 'a report could not be created; it will be tried again')
    const later = new Date(now.getTime() + AGAIN_MS)
    await allTenants`
      update report_turns set due_at = ${later} where tenant_id = ${tenantId} and user_id = ${userId} and due_at <= ${now}`
  }
  return due !== undefined
}

async function takeDue(tx: TransactionSql, now: Date): Promise<Due | undefined> {
  const [due] = await tx<Due[]>`
      select t.tenant_id as "tenantId", t.user_id as "userId", u.email, u.report_emails as emails, u.locale, p.zone as "timeZone", t.schedule,
        tenant.name as tenant, tenant.unit_preferences as units, p.period_start as start, p.period_end as end, p.next_due as "nextDue"
      from report_turns t
      join users u on u.tenant_id = t.tenant_id and u.id = t.user_id and u.report_schedule = t.schedule and u.is_active
      join tenants tenant on tenant.id = t.tenant_id,
      report_period(t.schedule, coalesce(u.timezone, 'UTC'), ${now}) p
      where t.due_at <= ${now} order by t.due_at limit 1 for update of t skip locked`
  return due
}

async function queue(tx: TransactionSql, { box, publicUrl }: ReportDeps, due: Due, now: Date): Promise<void> {
  const { tenantId, userId, locale } = due
  const report = {
    ...(await collectReport(tx, due)),
    production: await collectProduction(tx, due, now),
    predictions: await collectPredictions(tx, tenantId),
    url: publicUrl,
  }
  const recipients = due.emails.length > 0 ? [...new Set(due.emails)] : [due.email]
  for (const email of recipients) await enqueueMail(tx, box, now, { tenantId, userId, email, locale }, 'report', report)
  await tx`update report_turns set due_at = ${due.nextDue} where tenant_id = ${tenantId} and user_id = ${userId}`
}
