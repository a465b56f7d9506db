import type { Sql, TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { newestOfMachine, type SortedReadings } from '../../../readings/index.ts'
import type { EvaluatedSeries, RuleContext } from './context.ts'

/** A machine with readings in a flush. */
export interface ReportingMachine {
  tenantId: string
  machineId: string
  /** Unix ms of its newest reading in the flush */
  newestAt: number
  /** see {@link EvaluatedSeries} */
  factsVersion: number
}

/** The machines of a flush, each with the instant of its newest reading. */
export function reportingMachines(
  series: RuleContext['series'],
  { spans, timestamps }: Pick<SortedReadings, 'spans' | 'timestamps'>,
): ReportingMachine[] {
  const newest = new Map<string, ReportingMachine>()
  // The series of a machine mostly follow each other.
  let last: ReportingMachine | undefined
  for (const { slot, to } of spans) {
    const { tenantId, machine, factsVersion } = series[slot] as EvaluatedSeries
    const at = timestamps[to - 1] as number
    if (last?.machineId !== machine.id) last = newest.get(machine.id)
    if (!last) {
      last = { tenantId, machineId: machine.id, newestAt: at, factsVersion }
      newest.set(machine.id, last)
    } else if (at > last.newestAt) last.newestAt = at
  }
  return [...newest.values()]
}

/**
 * Sets the status of reporting machines: the highest current level of their active rules. Composite rules count by severity while
 * their inputs are known (`info` counts as normal). Writes only changes. Sent, not awaited: a failure fails the transaction.
 * @param areReadings false: a timer completed a duration, so a manual status stays
 * @returns the ids of machines whose status was right already, and that no composite rule concerns; see {@link SettledMachines}
 */
export function updateMachineStatus(
  tx: TransactionSql,
  now: Date,
  offlineAfterSeconds: number,
  reporting: readonly Omit<ReportingMachine, 'factsVersion'>[],
  { areReadings = true } = {},
): Promise<ReadonlySet<string>> {
  const limit = now.getTime() - offlineAfterSeconds * 1000
  const alive = reporting.filter((m) => m.newestAt > limit).sort((a, b) => (a.machineId < b.machineId ? -1 : 1))
  if (alive.length === 0) return Promise.resolve(new Set())
  const settled = tx<{ id: string }[]>`
    with heard as (
      select t, m, due, greatest((
        select max(case c.current when 'critical' then 2 when 'warning' then 1 else 0 end)
        from threshold_conditions c join threshold_rules r on r.tenant_id = c.tenant_id and r.id = c.rule_id and r.is_active
        where c.tenant_id = h.t and c.machine_id = h.m), (
        select max(case r.severity when 'critical' then 2 when 'warning' then 1 else 0 end)
        from composite_conditions c join composite_rules r on r.tenant_id = c.tenant_id and r.id = c.rule_id and r.is_active
        where c.tenant_id = h.t and c.machine_id = h.m and c.holds_until >= ${now})) as level
      from unnest(${alive.map((m) => m.tenantId)}::uuid[], ${alive.map((m) => m.machineId)}::uuid[],
        ${alive.map((m) => new Date(m.newestAt + offlineAfterSeconds * 1000).toISOString())}::timestamptz[]) h(t, m, due)
    ), changed as (
      select m.tenant_id, m.id, h.due, h.status
      from (select t, m, due, case level when 2 then 'critical' when 1 then 'warning' else 'healthy' end as status from heard) h
      join machines m on m.tenant_id = h.t and m.id = h.m
      where case when ${areReadings} then m.status_is_manual or m.offline_due_at is null or m.status <> h.status
        else not m.status_is_manual and m.status <> 'offline' and m.status <> h.status end
      order by m.tenant_id, m.id for no key update of m
    ), updated as (
      update machines m set status = c.status, status_is_manual = false, offline_due_at = coalesce(m.offline_due_at, c.due),
        -- a machine that was silent is analyzed soon
        analysis_due_at = case when m.offline_due_at is null then least(m.analysis_due_at, ${now}) else m.analysis_due_at end
      from changed c where m.tenant_id = c.tenant_id and m.id = c.id
    )
    select m as id from heard h
    where not exists (select from changed c where c.tenant_id = h.t and c.id = h.m)
      and not exists (select from composite_rules r where r.tenant_id = h.t and r.machine_id = h.m and r.is_active)`.then(
    (rows) => new Set(rows.map(({ id }) => id)),
  )
  // a failure fails the transaction, which reports it
  settled.catch(() => {})
  return settled
}

/** Recomputes the status of every machine that a changed rule concerned, manual ones included. */
export async function recomputeMachineStatuses(
  sql: TransactionSql,
  { tenantId, clock }: TenantScope,
  rule: { id: string; machineId: string | null },
): Promise<void> {
  const level = sql`greatest((
    select max(case c.current when 'critical' then 2 when 'warning' then 1 else 0 end) from threshold_conditions c
    join threshold_rules r on r.tenant_id = c.tenant_id and r.id = c.rule_id and r.is_active
    where c.tenant_id = m.tenant_id and c.machine_id = m.id), (
    select max(case r.severity when 'critical' then 2 when 'warning' then 1 else 0 end) from composite_conditions c
    join composite_rules r on r.tenant_id = c.tenant_id and r.id = c.rule_id and r.is_active
    where c.tenant_id = m.tenant_id and c.machine_id = m.id and c.holds_until >= ${clock.now()}))`
  const isConcerned = rule.machineId
    ? sql`m.id = ${rule.machineId}`
    : sql`(m.status_is_manual or exists (
        select from threshold_conditions c where c.tenant_id = m.tenant_id and c.machine_id = m.id and c.rule_id = ${rule.id}))`
  await sql`
    update machines m set status_is_manual = false,
      status = case when m.offline_due_at is null then 'offline' when ${level} = 2 then 'critical' when ${level} = 1 then 'warning' else 'healthy' end
    where m.tenant_id = ${tenantId} and m.is_active and ${isConcerned}`
}

/**
 * Sets machines of all tenants to offline whose newest reading is too old. Reads only machines whose check is due. A reporting
 * machine is checked once per offline span, which sets its next check.
 * @returns the number of machines set to offline
 */
export async function sweepSilentMachines(allTenants: Sql, now: Date, offlineAfterSeconds: number): Promise<number> {
  const rows = await allTenants<{ silent: boolean }[]>`
    with due as (
      select m.tenant_id, m.id, m.status <> 'offline' as was_up from machines m
      where m.is_active and m.offline_due_at <= ${now}
      order by m.offline_due_at limit 1000 for no key update of m skip locked
    ), looked as (
      select due.tenant_id, due.id, due.was_up, (
        ${newestOfMachine(allTenants, allTenants`due.tenant_id`, allTenants`due.id`)}
      ) + make_interval(secs => ${offlineAfterSeconds}) as due_at
      from due
    )
    update machines m set
      status = case when l.due_at > ${now} then m.status else 'offline' end,
      status_is_manual = m.status_is_manual and l.due_at > ${now},
      offline_due_at = case when l.due_at > ${now} then l.due_at end
    from looked l where m.tenant_id = l.tenant_id and m.id = l.id
    returning l.was_up and m.status = 'offline' as silent`
  return rows.filter((row) => row.silent).length
}
