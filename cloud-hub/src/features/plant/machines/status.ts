import type { Sql, TransactionSql } from '../../../db/pools.ts'

/** A machine that a flush has readings of. */
export interface HeardMachine {
  tenantId: string
  machineId: string
  /** Unix ms of its newest reading in the flush */
  newestAt: number
}

/**
 * The status of machines that were heard of: the highest current level of their active rules, composite ones by their severity (`info` counts
 * for nothing) while what makes them true is known. Written only where it changes, so that a
 * machine in a steady state costs a flush one look at its conditions and no write. Sent and not waited for: a failure fails the transaction.
 * @param areReadings false: nothing was read, a timer completed something, and a status that a person has set stands
 */
export function followReadings(
  tx: TransactionSql,
  now: Date,
  offlineAfterSeconds: number,
  heard: readonly HeardMachine[],
  { areReadings = true } = {},
): void {
  const limit = now.getTime() - offlineAfterSeconds * 1000
  const alive = heard.filter((m) => m.newestAt > limit).sort((a, b) => (a.machineId < b.machineId ? -1 : 1))
  if (alive.length === 0) return
  tx`
    with heard as (
      select t, m, due, greatest((
        select max(case c.current when 'critical' then 2 when 'warning' then 1 else 0 end)
        from rule_conditions c join threshold_rules r on r.tenant_id = c.tenant_id and r.id = c.rule_id and r.is_active
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
    )
    update machines m set status = c.status, status_is_manual = false, offline_due_at = coalesce(m.offline_due_at, c.due)
    from changed c where m.tenant_id = c.tenant_id and m.id = c.id`.execute()
}

/**
 * Sends machines offline whose newest reading has grown too old, over all tenants. Touches only machines whose look is due: a living one
 * is looked at once per offline span and its next look moves on.
 * @returns how many fell silent
 */
export async function sweepSilentMachines(allTenants: Sql, now: Date, offlineAfterSeconds: number): Promise<number> {
  const rows = await allTenants<{ silent: boolean }[]>`
    with due as (
      select m.tenant_id, m.id from machines m
      where m.is_active and m.status <> 'offline' and m.offline_due_at <= ${now}
      order by m.offline_due_at limit 1000 for no key update of m skip locked
    ), looked as (
      select due.tenant_id, due.id, (
        select max(l.ts) from series s join latest_readings l on l.series_id = s.id where s.tenant_id = due.tenant_id and s.machine_id = due.id
      ) + make_interval(secs => ${offlineAfterSeconds}) as due_at
      from due
    )
    update machines m set
      status = case when l.due_at > ${now} then m.status else 'offline' end,
      status_is_manual = m.status_is_manual and l.due_at > ${now},
      offline_due_at = case when l.due_at > ${now} then l.due_at end
    from looked l where m.tenant_id = l.tenant_id and m.id = l.id
    returning m.status = 'offline' as silent`
  return rows.filter((row) => row.silent).length
}
