import type postgres from 'postgres'
import { sumOeeDays } from './oee-sums.ts'

/** How much a large company has: twelve sites with four lines each, whatever its size. */
export interface LargeCompanySize {
  machines: number
  agents: number
  /** open or not, of the last 30 days */
  alerts: number
  /** of each machine, over a year */
  stops: number
  /** days for which shifts of all machines are logged */
  shiftDays: number
}

export const TWO_THOUSAND_MACHINES: LargeCompanySize = { machines: 2_000, agents: 300, alerts: 10_000, stops: 25, shiftDays: 7 }

const SITES = ['Bremen', 'Ulm', 'Gdańsk', 'Győr', 'Lyon', 'Turin', 'Leeds', 'Gent', 'Brno', 'Porto', 'Linz', 'Malmö']
const KINDS = ['press', 'mill', 'pump', 'conveyor', 'robot', 'oven', 'compressor', 'packer']
/** What each machine reports, with the value that it has where nothing is wrong. */
const METRICS = [
  ['temperature', 'celsius', 61.5],
  ['vibration', 'mm/s', 2.1],
  ['motor_current', 'ampere', 17.8],
  ['pressure', 'bar', 6.2],
] as const
const READINGS_A_REQUEST = 1_000

/**
 * Gives a tenant the plant of a large company: sites and lines, machines, rules, agents, people, a year of stops and daily OEE, logged and
 * running shifts, alerts, work orders and maintenance. What people and hubs do one by one is inserted, because it would take an hour.
 * Newest readings go through ingest, with `sendReadings`. Machines are called `m0`, `m1`, ... by agents.
 * @param owner of the database, who sees all tenants
 * @param userId who created what a person creates
 */
export async function insertLargeCompany(
  owner: postgres.Sql,
  tenantId: string,
  userId: string,
  size: LargeCompanySize = TWO_THOUSAND_MACHINES,
): Promise<void> {
  await insertPlant(owner, tenantId, userId, size)
  await insertStopsAndShifts(owner, tenantId, size)
  await insertWork(owner, tenantId, userId, size)
  await owner`vacuum analyze`
}

async function insertPlant(sql: postgres.Sql, tenantId: string, userId: string, size: LargeCompanySize): Promise<void> {
  await sql`
    insert into machines (tenant_id, name, machine_identifier, protocol, location)
    select ${tenantId}, (${KINDS}::text[])[1 + i % ${KINDS.length}] || ' ' || 1 + i / ${KINDS.length}, 'm' || i, 'opc_ua', 'Hall ' || 1 + i % 9
    from generate_series(0, ${size.machines - 1}::int) i`
  await sql`
    insert into machine_groups (tenant_id, name, group_type) select ${tenantId}, name, 'site' from unnest(${SITES}::text[]) name`
  await sql`
    insert into machine_groups (tenant_id, name, group_type, parent_id)
    select ${tenantId}, g.name || ' line ' || i, 'line', g.id from machine_groups g cross join generate_series(1, 4) i where g.tenant_id = ${tenantId}`
  await sql`
    insert into machine_group_members (tenant_id, group_id, machine_id)
    select ${tenantId}, g.id, m.id
    from (select id, substr(machine_identifier, 2)::int as n from machines where tenant_id = ${tenantId}) m
    join (select id, row_number() over (order by name) - 1 as n from machine_groups where tenant_id = ${tenantId} and group_type = 'line') g
      on g.n = m.n % ${SITES.length * 4}`
  await sql`
    insert into threshold_rules (tenant_id, metric_name, warning_threshold, critical_threshold, created_by)
    values (${tenantId}, 'temperature', 75, 85, ${userId}), (${tenantId}, 'vibration', 4.5, 7.1, ${userId})`
  await sql`
    insert into users (tenant_id, email, full_name, role)
    select ${tenantId}, 'colleague-' || i || '-' || ${tenantId} || '@example.com', 'Colleague ' || i, (array['operator', 'viewer'])[1 + i % 2]
    from generate_series(1, 60) i`
  await sql`
    insert into agents (tenant_id, agent_id, agent_version, last_seen, buffer_count, collectors, hostname, group_id)
    select ${tenantId}, 'box-' || i, (array['0.1.0', '0.0.9'])[1 + (i % 5 = 0)::int],
      now() - case when i % 50 = 0 then interval '3 days' else interval '10 seconds' end,
      i % 20, ${sql.json({ presses: 'running', pumps: 'running' })}, 'edge-' || i,
      (select id from machine_groups where tenant_id = ${tenantId} and group_type = 'site' order by name offset i % ${SITES.length} limit 1)
    from generate_series(1, ${size.agents}::int) i`
}

async function insertStopsAndShifts(sql: postgres.Sql, tenantId: string, size: LargeCompanySize): Promise<void> {
  await sql`
    insert into downtime_records (tenant_id, machine_id, started_at, ended_at, reason_type, reason_code_id)
    select ${tenantId}, m.id, s.at, case when n = 0 and i % 40 = 0 then null else s.at + interval '1 minute' * (5 + (n * 7 + i) % 115) end,
      coalesce(c.category, 'unplanned'), c.id
    from (select id, substr(machine_identifier, 2)::int as i from machines where tenant_id = ${tenantId}) m
    cross join generate_series(0, ${size.stops - 1}::int) n
    cross join lateral (select now() - interval '4 hours' - interval '364 days' * n / ${size.stops} - interval '1 minute' * (i % 500) as at) s
    left join (select id, category, row_number() over (order by code) - 1 as place, count(*) over () as places from reason_codes
      where tenant_id = ${tenantId}) c on c.place = (n + i) % c.places and (n + i) % 4 > 0
    order by m.i, n`
  await sql`
    insert into machine_oee_days (tenant_id, shift_date, machine_id, oee_count, oee_sum_ppb, planned_ms, run_ms, net_ms, counted_ms, good_ms)
    select ${tenantId}, current_date - d, id, 3, 2100000000::bigint + (d * 7919 % 600) * 1000000,
      86400000, 70000000 + d * 7919 % 9000000, 66000000, 66000000, 64000000 from generate_series(1, 364) d
    cross join (select id from machines where tenant_id = ${tenantId} order by id) m order by d, id`
  await sql`
    insert into shift_definitions (tenant_id, name, start_time, end_time, duration_minutes, color, sort_order)
    select ${tenantId}, name, start_at::time, end_at::time, 480, color, place
    from (values ('Early', '06:00', '14:00', '#f2b705', 1), ('Late', '14:00', '22:00', '#d95f02', 2), ('Night', '22:00', '06:00', '#30475e', 3))
      shifts(name, start_at, end_at, color, place)`
  const [early] = await sql<
    { id: string }[]
  >`select id from shift_definitions where tenant_id = ${tenantId} order by sort_order limit 1`
  if (early) await sumOeeDays(sql, tenantId, early.id)
  await sql`
    insert into shift_logs (tenant_id, machine_id, shift_definition_id, shift_date, actual_start, actual_end, status)
    select ${tenantId}, m.id, f.id, current_date - d, s.at, case when d > 0 then s.at + interval '8 hours' end,
      case when d > 0 then 'completed' else 'active' end
    from generate_series(0, ${size.shiftDays}::int) d
    join shift_definitions f on f.tenant_id = ${tenantId} and (d > 0 or f.sort_order = 1)
    cross join (select id from machines where tenant_id = ${tenantId} order by id) m
    cross join lateral (select case when d = 0 then now() - interval '3 hours' else current_date - d + f.start_time end as at) s`
}

async function insertWork(sql: postgres.Sql, tenantId: string, userId: string, size: LargeCompanySize): Promise<void> {
  await sql`
    insert into alerts (tenant_id, machine_id, severity, metric_name, unit, trigger_value, threshold_value, message, comparison, triggered_at, created_at,
      acknowledged_at, acknowledged_by)
    select ${tenantId}, m.id, (array['info', 'warning', 'critical'])[1 + n % 3], 'vibration', 'mm/s', 4.6 + n % 5, 4.5,
      'vibration is above 4.5 mm/s', '>', t.at, t.at, case when n % 7 = 0 then t.at + interval '10 minutes' end, case when n % 7 = 0 then ${userId}::uuid end
    from generate_series(1, ${size.alerts}::int) n
    join (select id, substr(machine_identifier, 2)::int as i from machines where tenant_id = ${tenantId}) m on m.i = n * 13 % ${size.machines}
    cross join lateral (select now() - n * interval '4 minutes' as at) t`
  await sql`
    insert into work_orders (tenant_id, machine_id, title, status, priority, due_date, assigned_to, created_by)
    select ${tenantId}, id, 'Replace the bearing', (array['open', 'in_progress'])[1 + i % 2],
      (array['low', 'medium', 'high', 'critical'])[1 + i % 4], now() + (i % 30 - 10) * interval '1 day', case when i % 2 = 0 then ${userId}::uuid end, ${userId}
    from (select id, substr(machine_identifier, 2)::int as i from machines where tenant_id = ${tenantId}) m`
  await sql`
    insert into maintenance_events (tenant_id, machine_id, title, scheduled_start, scheduled_end, created_by)
    select ${tenantId}, id, 'Inspection', s.at, s.at + interval '1 hour', ${userId}
    from (select id, substr(machine_identifier, 2)::int as i from machines where tenant_id = ${tenantId}) m
    cross join lateral (select date_trunc('hour', now()) + (i % 60 - 20) * interval '1 day' as at) s where i % 5 = 0`
}

/** Sends a reading of each metric of all machines, now; 60 machines vibrate too much. @param url of the hub @param key of its tenant */
export async function sendReadings(url: string, key: string, machines: number, at = new Date()): Promise<void> {
  const readings = Array.from({ length: machines }, (_, i) =>
    METRICS.map(([metric_name, unit, value]) => ({
      machine_identifier: `m${i}`,
      metric_name,
      unit,
      value: metric_name === 'vibration' && i % 34 === 0 && i / 34 < 60 ? 4.6 + (i % 30) / 5 : value,
      timestamp: at.toISOString(),
    })),
  ).flat()
  for (let first = 0; first < readings.length; first += READINGS_A_REQUEST) {
    const answer = await fetch(`${url}/api/v1/ingest`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: JSON.stringify({ readings: readings.slice(first, first + READINGS_A_REQUEST) }),
    })
    const { errors } = (await answer.json()) as { errors?: unknown[] }
    if (answer.status !== 207 || errors?.length)
      throw new Error(`ingest answered ${answer.status}: ${JSON.stringify(errors?.[0])}`)
  }
}
