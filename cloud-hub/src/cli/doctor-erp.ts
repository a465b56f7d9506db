import type { Sql } from '../db/pools.ts'
import { type Finding, ok, warn } from './finding.ts'

/** An active connection is overdue when its automatic run has not begun this long after its time. */
const OVERDUE = '10 minutes'
/** Connections that one finding names. */
const MAX_NAMED = 5

interface ConnectionState {
  tenant: string
  name: string
  isPaused: boolean
  isFailing: boolean
  isOverdue: boolean
}

/** The ERP connections of all tenants: paused since a restore, without a usable ERP, or overdue. */
export async function checkErp(sql: Sql): Promise<Finding[]> {
  const rows = await sql<ConnectionState[]>`
    select t.name as tenant, c.name, c.paused_at is not null as "isPaused",
      c.paused_at is null and (c.failures_in_a_row > 0 or c.last_sync_status = 'failed') as "isFailing",
      c.paused_at is null and c.next_run_at < now() - ${OVERDUE}::interval and coalesce(c.breaker_open_until < now(), true)
        and (c.auto_push_work_orders or c.auto_push_production_data or c.auto_push_downtime or c.auto_pull_assets)
        and not exists (select from erp_runs r where r.tenant_id = c.tenant_id and r.connection_id = c.id and r.status = 'running')
        as "isOverdue"
    from erp_connections c join tenants t on t.id = c.tenant_id
    where c.is_active order by t.name, c.name, c.id`
  const [paused, failing, overdue] = [
    rows.filter(({ isPaused }) => isPaused),
    rows.filter(({ isFailing }) => isFailing),
    rows.filter(({ isOverdue }) => isOverdue),
  ]
  const findings = [
    ...(paused.length > 0
      ? [
          `automatic runs are paused since a restore: ${list(paused)}; \`erp resume\` resumes them when this is the production hub`,
        ]
      : []),
    ...(failing.length > 0 ? [`the last run failed: ${list(failing)}; the tenant's \`GET /erp/logs\` says why`] : []),
    ...(overdue.length > 0
      ? [`no automatic run although one is due: ${list(overdue)}; see the job \`run_erp_exchange\` and the log`]
      : []),
  ].map((detail) => warn('ERP', detail))
  if (findings.length > 0) return findings
  const count =
    rows.length === 0 ? 'no active connection' : rows.length === 1 ? '1 active connection' : `${rows.length} active connections`
  return [ok('ERP', rows.length === 0 ? count : `${count}, no run failed last`)]
}

function list(rows: readonly ConnectionState[]): string {
  const named = rows.slice(0, MAX_NAMED).map(({ tenant, name }) => `${name} (${tenant})`)
  return [...named, ...(rows.length > MAX_NAMED ? [`${rows.length - MAX_NAMED} more`] : [])].join(', ')
}
