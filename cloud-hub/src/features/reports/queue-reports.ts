import type { ReportSchedule } from '../../db/enums.ts'
import { isolateFailures } from '../../db/errors.ts'
import type { Sql, TransactionSql } from '../../db/pools.ts'
import type { Logger } from '../../support/logger.ts'
import type { SecretBox } from '../../support/secrets/secret-box.ts'
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

interface Due extends UserKey {
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
  await planReports(deps, now)
  let queued = 0
  while (await queueOne(deps, now)) queued++
  return queued
}

/** Users whose next report one statement plans. */
const PLANNED_AT_ONCE = 500
/** Until when this process leaves out users whose plan failed, Unix ms by their ids. */
const failedUntil = new Map<string, number>()

interface UserKey {
  tenantId: string
  userId: string
}

/**
 * Plans the next report of users whose schedule, time zone or account has changed: a trigger marks them, so that no other user is read.
 * A user whose plan fails does not hold up the others.
 */
async function planReports({ allTenants, logger }: ReportDeps, now: Date): Promise<void> {
  for (const [userId, until] of failedUntil) if (until <= now.getTime()) failedUntil.delete(userId)
  for (;;) {
    const users = await unplannedUsers(allTenants, now, [...failedUntil.keys()])
    let planned = 0
    const failed = await isolateFailures(users, async (some) => {
      planned += await planSome(allTenants, some, now)
    })
    for (const { row, error } of failed) {
      failedUntil.set(row.userId, now.getTime() + AGAIN_MS)
      logger.error(
        { err: error, tenant_id: row.tenantId, user_id: row.userId },
        'a report could not be planned; it will be tried again',
      )
    }
    if (users.length < PLANNED_AT_ONCE || planned + failed.length === 0) return
  }
}

/** Marked users, and users whose due time lies beyond the next period, because a clock was ahead. */
const unplannedUsers = (allTenants: Sql, now: Date, except: readonly string[]) => allTenants<UserKey[]>`
  (select tenant_id as "tenantId", id as "userId" from users
    where is_report_stale and id <> all(${except as string[]}::uuid[]) limit ${PLANNED_AT_ONCE})
  union
  select t.tenant_id, t.user_id from (values ('daily', 2), ('weekly', 8), ('monthly', 32)) p(schedule, days)
  cross join lateral (
    select t.tenant_id, t.user_id from report_turns t
    where (t.schedule, t.due_at) > (p.schedule, ${now}::timestamptz + make_interval(days => p.days))
      and (t.schedule, t.due_at) < (p.schedule, 'infinity') and t.user_id <> all(${except as string[]}::uuid[])
    order by t.schedule, t.due_at limit ${PLANNED_AT_ONCE}) t`

/** A changed time zone moves 7 a.m. to another instant; a failed report keeps its due time. @returns how many users were planned */
async function planSome(allTenants: Sql, users: readonly UserKey[], now: Date): Promise<number> {
  const [planned] = await allTenants<{ count: number }[]>`
    with claimed as materialized (
      select u.* from unnest(${users.map(({ tenantId }) => tenantId)}::uuid[], ${users.map(({ userId }) => userId)}::uuid[]) w(tenant_id, id)
      cross join lateral (
        select u.ctid as place, u.tenant_id, u.id, u.report_schedule as schedule, u.timezone, u.is_active from users u
        where u.tenant_id = w.tenant_id and u.id = w.id limit 1 for no key update skip locked) u
    ), changed as materialized (
      select tenant_id, id, schedule, timezone from claimed where schedule is not null and is_active
    ), planned as (
      insert into report_turns as t (tenant_id, user_id, schedule, due_at)
      select c.tenant_id, c.id, c.schedule, p.next_due from changed c, report_period(c.schedule, coalesce(c.timezone, 'UTC'), ${now}) p
      order by 1, 2
      on conflict (tenant_id, user_id) do update set schedule = excluded.schedule, due_at = case
        when t.schedule = excluded.schedule and t.due_at <= ${new Date(now.getTime() + AGAIN_MS)} then t.due_at else excluded.due_at end
    ), ended as (
      delete from report_turns where ctid = any(array(
        select t.place from claimed s
        cross join lateral (
          select t.ctid as place from report_turns t where t.tenant_id = s.tenant_id and t.user_id = s.id limit 1) t
        where s.schedule is null or not s.is_active))
    ), done as (
      update users u set is_report_stale = false from claimed s where u.ctid = s.place and u.is_report_stale
    )
    select count(*)::int as count from claimed`
  return planned?.count ?? 0
}

async function queueOne(deps: ReportDeps, now: Date): Promise<boolean> {
  const { allTenants, logger } = deps
  let claimed: UserKey | undefined
  try {
    await allTenants.begin(async (tx) => {
      claimed = await claimDue(tx, now)
      if (claimed) await queue(tx, deps, await readDue(tx, claimed, now), now)
    })
  } catch (error) {
    if (!claimed) throw error
    const { tenantId, userId } = claimed
    logger.error({ err: error, tenant_id: tenantId, user_id: userId }, 'a report could not be created; it will be tried again')
    const later = new Date(now.getTime() + AGAIN_MS)
    await allTenants`
      update report_turns set due_at = ${later} where tenant_id = ${tenantId} and user_id = ${userId} and due_at <= ${now}`
  }
  return claimed !== undefined
}

/** Evaluates nothing, so that it does not fail for a user whose values cannot be evaluated. */
async function claimDue(tx: TransactionSql, now: Date): Promise<UserKey | undefined> {
  const [claimed] = await tx<UserKey[]>`
    select t.tenant_id as "tenantId", t.user_id as "userId" from report_turns t
    join users u on u.tenant_id = t.tenant_id and u.id = t.user_id and u.report_schedule = t.schedule and u.is_active
    where t.due_at <= ${now} order by t.due_at limit 1 for update of t skip locked`
  return claimed
}

async function readDue(tx: TransactionSql, { tenantId, userId }: UserKey, now: Date): Promise<Due> {
  const [due] = await tx<Due[]>`
    select t.tenant_id as "tenantId", t.user_id as "userId", u.email, u.report_emails as emails, u.locale, p.zone as "timeZone", t.schedule,
      tenant.name as tenant, tenant.unit_preferences as units, p.period_start as start, p.period_end as end, p.next_due as "nextDue"
    from report_turns t
    join users u on u.tenant_id = t.tenant_id and u.id = t.user_id
    join tenants tenant on tenant.id = t.tenant_id,
    report_period(t.schedule, coalesce(u.timezone, 'UTC'), ${now}) p
    where t.tenant_id = ${tenantId} and t.user_id = ${userId}`
  if (!due) throw new Error('a claimed report was not found')
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
