import { tenantLockKey } from '../../../db/advisory-locks.ts'
import type { Sql, TransactionSql } from '../../../db/pools.ts'
import { siteOfMachines } from '../../plant/machine-groups/index.ts'
import { type Calendar, followsCalendar, loadCalendars, occurrencesIn } from '../oee/index.ts'

/** After an outage, shifts that began longer ago are not recorded. */
const CATCH_UP_MS = 7 * 86_400_000

/** Shifts that reach into the catch-up may begin on days before it. */
const DAYS_BEFORE_MS = 3 * 86_400_000

interface Tenant {
  id: string
  /** null: automatic logs were just switched on */
  through: Date | null
}

interface Planned {
  /** on whose machines it starts */
  calendar: Calendar
  definitionId: string
  date: string
  start: number
  end: number
}

/** A tenant that fails is examined again after this delay. */
const AGAIN_MS = 60_000
/** Failures that one error names. */
const MAX_REPORTED = 5
/** A tenant is examined at least this often. */
const EXAMINED_MS = 86_400_000

type Occurrences = (
  window: { start: number; end: number },
  definition: Calendar['definitions'][number],
  calendar: Calendar,
) => ReturnType<typeof occurrencesIn>

/** Computes the shifts of a definition once for all calendars of one time zone and the same days: a tenant may have a thousand sites. */
function memoised(): Occurrences {
  const known = new Map<string, ReturnType<typeof occurrencesIn>>()
  const daysOf = new Map<Calendar, string>()
  return (window, definition, calendar) => {
    const { timeZone, nonProductionDays } = calendar
    const days = daysOf.get(calendar) ?? [...nonProductionDays].toSorted().join()
    daysOf.set(calendar, days)
    const key = [window.start, window.end, definition.id, timeZone, days].join(' ')
    const found = known.get(key) ?? occurrencesIn(window, definition, timeZone, nonProductionDays)
    known.set(key, found)
    return found
  }
}

/**
 * The shifts of a calendar that start a log now: those that began since the last run, and those in progress after automatic logs were
 * switched on. A shift that was over before its definition was last changed is none of that definition.
 * @returns also when the next one starts, Unix ms; at most a day from now
 */
function plannedShifts(
  calendar: Calendar,
  through: Date | null,
  now: number,
  occurrences: Occurrences,
): { planned: Planned[]; nextStart: number } {
  const { definitions } = calendar
  const after = Math.max(through?.getTime() ?? now - 1, now - CATCH_UP_MS)
  const planned = definitions.flatMap((definition) =>
    occurrences({ start: after, end: now + 1 }, definition, calendar)
      .filter(({ start, end }) => end > definition.updatedAt.getTime() && (through === null ? end > now : start > after))
      .map((occurrence) => ({ calendar, definitionId: definition.id, ...occurrence })),
  )
  const starts = definitions
    .flatMap((definition) => occurrences({ start: now, end: now + EXAMINED_MS }, definition, calendar))
    .map(({ start }) => start)
    .filter((start) => start > now)
  return { planned, nextStart: Math.min(now + EXAMINED_MS, ...starts) }
}

/**
 * Starts the log of one planned shift on every active machine of its calendar that has neither an active log nor one of this shift. A machine that
 * was created during the shift begins with its creation. A shift that is over is recorded as completed.
 */
const startLogs = (
  tx: TransactionSql,
  tenantId: string,
  { calendar, definitionId, date, start, end }: Planned,
  calendars: readonly Calendar[],
  now: Date,
) => {
  const [from, until] = [new Date(start), new Date(end)]
  const isOver = until <= now
  return tx`
    insert into shift_logs (tenant_id, machine_id, shift_definition_id, shift_date, actual_start, actual_end, status, automatic_end, created_at, updated_at)
    select m.tenant_id, m.id, ${definitionId}::uuid, ${date}::text::date, greatest(m.created_at, ${from}), ${isOver ? until : null}::timestamptz,
      ${isOver ? 'completed' : 'active'}, ${until}::timestamptz, ${now}::timestamptz, ${now}::timestamptz
    from machines m
    where m.tenant_id = ${tenantId} and m.is_active and m.created_at < ${until} and m.created_at <= ${now}
      ${followsCalendar(tx, tenantId, calendar, calendars, 'm.id')}
      and not exists (
        select from shift_logs l where l.tenant_id = m.tenant_id and l.machine_id = m.id and l.status <> 'cancelled'
          and l.actual_start < ${until} and coalesce(l.actual_end, 'infinity') > greatest(m.created_at, ${from}))
    order by m.id
    on conflict do nothing`
}

/** Sites whose calendar an active machine follows. */
async function sitesWithMachines(
  tx: TransactionSql,
  tenantId: string,
  calendars: readonly Calendar[],
): Promise<ReadonlySet<string | null>> {
  if (calendars.length === 1) return new Set()
  const rows = await tx<{ siteId: string }[]>`
    select distinct s.site_id as "siteId" from (${siteOfMachines(tx, tenantId)}) s
    join machines m on m.tenant_id = ${tenantId} and m.id = s.machine_id and m.is_active`
  return new Set(rows.map(({ siteId }) => siteId))
}

async function startShifts(tx: TransactionSql, tenant: Tenant, now: Date): Promise<void> {
  const calendars = await loadCalendars(tx, tenant.id, new Date(now.getTime() - CATCH_UP_MS - DAYS_BEFORE_MS))
  const used = await sitesWithMachines(tx, tenant.id, calendars)
  const occurrences = memoised()
  // the next start counts those of sites without machines too: one may get a machine before
  const plans = calendars.map((calendar) => ({
    ...plannedShifts(calendar, tenant.through, now.getTime(), occurrences),
    isUsed: calendar.siteId === null || used.has(calendar.siteId),
  }))
  const planned = plans
    .flatMap((plan) => (plan.isUsed ? plan.planned : []))
    .toSorted((a, b) => a.start - b.start || (a.definitionId < b.definitionId ? -1 : 1))
  const nextStart = Math.min(...plans.map((plan) => plan.nextStart))
  await tx`update tenants set shift_logs_due_at = ${new Date(nextStart)} where id = ${tenant.id}`
  if (planned.length === 0 && tenant.through) return
  for (const shift of planned) await startLogs(tx, tenant.id, shift, calendars, now)
  await tx`
    insert into shift_log_runs (tenant_id, started_through) values (${tenant.id}, ${now})
    on conflict (tenant_id) do update set started_through = greatest(shift_log_runs.started_through, excluded.started_through)`
}

/** Logs that one statement completes: thousands of machines end a shift at once. */
const COMPLETED_AT_ONCE = 2_000

/** Completes logs whose planned end has come, at that end. Also where automatic logs were switched off meanwhile. */
const completeLogs = (allTenants: Sql, now: Date) => allTenants`
  update shift_logs set status = 'completed', actual_end = automatic_end, updated_at = ${now}
  where (tenant_id, id) in (
    select tenant_id, id from shift_logs
    where status = 'active' and automatic_end <= ${now} and automatic_end > actual_start
    order by tenant_id, id limit ${COMPLETED_AT_ONCE} for no key update skip locked)
  returning id`

/**
 * Completes and starts shift logs by the definitions, for tenants that want that. Each tenant is one transaction under its lock, so
 * replicas take turns, and unique keys keep each log single. A tenant that fails does so alone, and is
 * due again after a minute.
 * @throws AggregateError after the others
 */
export async function runAutomaticLogs(allTenants: Sql, now: Date, isStopping: () => boolean = () => false): Promise<void> {
  while ((await completeLogs(allTenants, now)).length === COMPLETED_AT_ONCE) if (isStopping()) return
  const done: string[] = []
  const failures: unknown[] = []
  for (;;) {
    const tenants = await dueTenants(allTenants, now, done)
    if (tenants.length === 0) break
    for (const { id } of tenants) {
      if (isStopping()) return
      await allTenants
        .begin((tx) => startShiftsOf(tx, id, now))
        .catch(async (error) => {
          failures.push(new Error(`tenant ${id}`, { cause: error }))
          await allTenants`update tenants set shift_logs_due_at = ${new Date(now.getTime() + AGAIN_MS)} where id = ${id}`
        })
      done.push(id)
    }
  }
  if (failures.length > 0)
    throw new AggregateError(failures.slice(0, MAX_REPORTED), `The automatic shift logs of ${failures.length} tenants failed.`)
}

/** Tenants that one statement claims. */
const TENANTS_AT_ONCE = 200

/** Tenants whose next shift starts, or whose shifts have changed. A due time beyond the next examination was set while a clock was ahead. */
const dueTenants = (allTenants: Sql, now: Date, except: readonly string[]) => allTenants<{ id: string }[]>`
  (select id from tenants where auto_shift_logs and shift_logs_due_at <= ${now} and id <> all(${except as string[]}::uuid[])
    order by shift_logs_due_at limit ${TENANTS_AT_ONCE})
  union all
  (select id from tenants
    where auto_shift_logs and shift_logs_due_at > ${new Date(now.getTime() + EXAMINED_MS)} and id <> all(${except as string[]}::uuid[])
    order by shift_logs_due_at desc limit ${TENANTS_AT_ONCE})`

/** Its row stays locked: who changes its shifts meanwhile makes it due again afterwards. */
async function startShiftsOf(tx: TransactionSql, id: string, now: Date): Promise<void> {
  const [tenant] = await tx<Tenant[]>`
    select t.id, r.started_through as through
    from tenants t left join shift_log_runs r on r.tenant_id = t.id
    where t.id = ${id} and t.auto_shift_logs
      and pg_try_advisory_xact_lock(hashtextextended(${tenantLockKey('shift_logs', { tenantId: id })}, 0))
    for no key update of t skip locked`
  if (tenant) await startShifts(tx, tenant, now)
}
