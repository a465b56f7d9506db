import type postgres from 'postgres'
import { insertNewest } from './stored-readings.ts'

/** The size of a company. */
export interface CompanySize {
  tenants: number
  /** of each tenant */
  machines: number
  /** of each machine */
  series: number
}

/**
 * Inserts a company in which nothing happens any more: every machine has newest readings and an alert that was escalated, every tenant
 * has what some job looks after. Nothing of it is due at `now`. Triggers and foreign keys are off meanwhile, and the owner is a superuser.
 * @param newestAt the instant of all newest readings
 */
export async function insertCompany(owner: postgres.Sql, size: CompanySize, now: Date, newestAt: Date): Promise<void> {
  await owner.begin(async (sql) => {
    await sql`set local session_replication_role = replica`
    await insertPeople(sql, size, now)
    await insertMachines(sql, size, now)
    await insertTenantWork(sql, now)
    await insertNewest(sql, newestAt)
    // tests count what others read afterwards
    await sql`select pg_stat_force_next_flush()`
  })
}

async function insertPeople(sql: postgres.TransactionSql, { tenants }: CompanySize, now: Date): Promise<void> {
  await sql`
    insert into tenants (name, auto_shift_logs, shift_logs_due_at)
    select 'Company ' || i, true, ${now}::timestamptz + interval '12 hours' from generate_series(1, ${tenants}::int) i`
  await sql`
    insert into roles (tenant_id, key, name, base_tier, is_builtin) select id, 'admin', 'Admin', 'admin', true from tenants where name like 'Company %'`
  await sql`
    insert into users (tenant_id, email, full_name, role, report_schedule)
    select id, 'user-' || n || '-' || id || '@example.com', 'Somebody', 'admin', 'weekly' from tenants, generate_series(1, 3) n
    where name like 'Company %'`
  await sql`
    insert into report_turns (tenant_id, user_id, schedule, due_at)
    select tenant_id, id, 'weekly', ${now}::timestamptz + interval '3 days' from users where full_name = 'Somebody'`
  await sql`
    insert into sessions (tenant_id, user_id, expires_at)
    select tenant_id, id, ${now}::timestamptz + interval '10 days' from users where full_name = 'Somebody'`
  await sql`
    insert into agents (tenant_id, agent_id, agent_version, last_seen)
    select id, 'hall-' || n, '0.1.0', ${now}::timestamptz - interval '1 day' from tenants, generate_series(1, 3) n where name like 'Company %'`
  await sql`
    insert into api_keys (tenant_id, name, prefix, key_hash, created_by, agent_id, activated_at)
    select a.tenant_id, a.agent_id, md5(a.agent_id || a.tenant_id), 'x', u.id, a.agent_id, ${now}
    from agents a cross join lateral (select id from users u where u.tenant_id = a.tenant_id limit 1) u`
}

async function insertMachines(sql: postgres.TransactionSql, { machines, series }: CompanySize, now: Date): Promise<void> {
  await sql`
    insert into machines (tenant_id, name, machine_identifier, protocol, analysis_due_at)
    select id, 'Press ' || i, 'press-' || i, 'json', ${now}::timestamptz + interval '30 minutes'
    from tenants, generate_series(1, ${machines}::int) i where name like 'Company %'`
  await sql`
    insert into series (tenant_id, machine_id, metric, unit, place)
    select m.tenant_id, m.id, 'metric_' || i, 'celsius', i from machines m, generate_series(0, ${series - 1}::int) i where m.name like 'Press %'`
  await sql`
    insert into machine_predictions (tenant_id, machine_id, health_score, risk_level, degradation_rate, factors, read_until, analyzed_at)
    select tenant_id, id, 100, 'healthy', 0, '[]', date_trunc('hour', ${now}::timestamptz), ${now} from machines where name like 'Press %'`
  await sql`
    insert into alerts (tenant_id, machine_id, severity, metric_name, unit, trigger_value, threshold_value, message, triggered_at, created_at)
    select tenant_id, id, 'critical', 'metric_0', 'celsius', 95, 90, 'high', ${now}::timestamptz - interval '1 day', ${now}::timestamptz - interval '1 day'
    from machines where name like 'Press %'`
}

/** A channel with an escalation policy, shifts, a manual ERP connection, anchored sign-offs, work that is not due, a series of maintenance. */
async function insertTenantWork(sql: postgres.TransactionSql, now: Date): Promise<void> {
  await sql`
    insert into notification_channels (tenant_id, name, channel_type, masked_config, sealed_config, created_by)
    select tenant_id, 'Mail', 'email', '{}', '', min(id::text)::uuid from users where full_name = 'Somebody' group by tenant_id`
  await sql`
    insert into escalation_policies (tenant_id, name, severity, wait_minutes, channel_id)
    select tenant_id, 'Wake', 'critical', 15, id from notification_channels where name = 'Mail'`
  await sql`
    insert into escalations (tenant_id, policy_id, alert_id, escalated_at)
    select a.tenant_id, p.id, a.id, a.created_at from alerts a join escalation_policies p on p.tenant_id = a.tenant_id`
  await sql`
    insert into shift_definitions (tenant_id, name, start_time, end_time, duration_minutes, color)
    select t.id, d.name, d.start_at::time, d.end_at::time, 480, '#336699'
    from tenants t, (values ('Early', '06:00', '14:00'), ('Late', '14:00', '22:00'), ('Night', '22:00', '06:00')) d(name, start_at, end_at)
    where t.name like 'Company %'`
  await sql`insert into shift_log_runs (tenant_id, started_through) select id, ${now} from tenants where name like 'Company %'`
  await sql`
    insert into erp_connections (tenant_id, provider, name, masked_config, sealed_config, created_by, next_run_at)
    select tenant_id, 'odoo', 'ERP', '{}', '', created_by, ${now}::timestamptz - interval '1 day' from notification_channels where name = 'Mail'`
  await sql`
    insert into signoff_chains (tenant_id, sequence, head_hash, anchored_sequence, anchored_at)
    select id, 5, 'x', 5, ${now}::timestamptz - interval '2 days' from tenants where name like 'Company %'`
  await sql`
    insert into work_orders (tenant_id, machine_id, title, due_date, assigned_to, created_by)
    select m.tenant_id, m.id, 'Bearing', ${now}::timestamptz + (right(m.id::text, 1) > '7')::int * interval '10 days' - interval '5 days', c.created_by, c.created_by
    from machines m join notification_channels c on c.tenant_id = m.tenant_id and c.name = 'Mail' where m.name like 'Press %'`
  await sql`
    insert into maintenance_events (tenant_id, machine_id, title, scheduled_start, scheduled_end, created_by)
    select m.tenant_id, m.id, 'Inspection', ${now}::timestamptz + interval '20 days', ${now}::timestamptz + interval '20 days 1 hour', c.created_by
    from machines m join notification_channels c on c.tenant_id = m.tenant_id and c.name = 'Mail' where m.name like 'Press %'`
}
