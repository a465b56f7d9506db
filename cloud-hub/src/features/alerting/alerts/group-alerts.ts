import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import type { z } from '../../../support/http/z.ts'
import { machineNameOf } from '../../plant/machines/index.ts'
import { type FactsRow, presentFacts } from './facts.ts'
import { checkRange, matchingQuery } from './repository.ts'
import { type AlertGroupPage, type AlertGroupQuery, MAX_GROUPED } from './schemas.ts'

type GroupRow = FactsRow & {
  machineId: string
  machineName: string
  ruleId: string | null
  rank: number
  alertCount: number
  openCount: number
  first: Date
  last: Date
  newestId: string
  total: number
  grouped: number
}
type Query = z.output<typeof AlertGroupQuery>

const SORT: Record<Query['sort_by'], string> = { last_raised_at: 'last', alert_count: '"alertCount"', severity: 'rank' }
const BY_RANK = ['info', 'warning', 'critical'] as const

/**
 * A page of alerts by machine and rule. Which group is first is known after all of them were counted, so a page costs what the alerts that
 * match cost: {@link MAX_GROUPED} of them at most, by the index of the newest. What a group says beside its counts is read for those of the page.
 */
async function selectGroups(sql: TransactionSql, tenantId: string, query: Query): Promise<readonly GroupRow[]> {
  const { page, page_size: size } = query
  const direction = query.sort_dir === 'asc' ? 'asc' : 'desc'
  const order = sql.unsafe(`${SORT[query.sort_by]} ${direction}, last desc, machine_id, rule_id`)
  // One more than the maximum, to tell whether there are more. A literal, because the planner cannot estimate with a parameter.
  const limit = sql.unsafe(String(MAX_GROUPED + 1))
  const where = matchingQuery(sql, tenantId, query)
  return sql<GroupRow[]>`
    with newest as (
      select a.machine_id, a.rule_id, a.severity, a.created_at, a.acknowledged_at from alerts a
      where ${where} order by a.created_at desc, a.id desc limit ${limit}
    ), grouped as (
      select machine_id, rule_id, max(case severity when 'critical' then 2 when 'warning' then 1 else 0 end) as rank,
        count(*)::int as "alertCount", (count(*) filter (where acknowledged_at is null))::int as "openCount", min(created_at) as first,
        max(created_at) as last
      from newest group by machine_id, rule_id
    ), shown as (
      select *, row_number() over (order by ${order}) as place, (count(*) over ())::int as total, (sum("alertCount") over ())::int as grouped
      from grouped order by place limit ${size} offset ${(page - 1) * size}
    )
    select a.machine_id as "machineId", ${sql.unsafe(machineNameOf('a'))}, a.rule_id as "ruleId", s.rank, s."alertCount", s."openCount", s.first,
      s.last, s.total, s.grouped, a.id as "newestId", a.severity, a.metric_name as "metricName", a.unit, a.trigger_value as "triggerValue",
      a.threshold_value as "thresholdValue", a.comparison, a.rule_name as "ruleName"
    from shown s cross join lateral (
      select a.tenant_id, a.id, a.machine_id, a.rule_id, a.severity, a.metric_name, a.unit, a.trigger_value, a.threshold_value, a.comparison, a.rule_name
      from alerts a
      where ${where} and a.machine_id = s.machine_id and a.rule_id is not distinct from s.rule_id and a.created_at = s.last
      order by a.id desc limit 1) a
    order by s.place`
}

/** Groups the alerts that match by machine and rule. @throws Unprocessable for an end that is not after the start */
export async function groupAlerts(scope: TenantScope, query: Query): Promise<z.input<typeof AlertGroupPage>> {
  checkRange(query)
  const pageOf = (page: number) => scope.read((sql) => selectGroups(sql, scope.tenantId, { ...query, page }))
  const rows = await pageOf(query.page)
  // a page beyond the end has no row that could count the groups
  const [counted] = rows.length === 0 && query.page > 1 ? await pageOf(1) : rows
  return {
    items: rows.map(presentGroup),
    pagination: { total: counted?.total ?? 0, page: query.page, page_size: query.page_size },
    is_complete: (counted?.grouped ?? 0) <= MAX_GROUPED,
  }
}

function presentGroup(row: GroupRow) {
  const { rule_kind, rule_name, metric_name } = presentFacts(row)
  return {
    machine_id: row.machineId,
    machine_name: row.machineName,
    rule_id: row.ruleId,
    rule_kind,
    rule_name,
    metric_name,
    severity: BY_RANK[row.rank] ?? 'info',
    alert_count: row.alertCount,
    open_count: row.openCount,
    acknowledged_count: row.alertCount - row.openCount,
    first_raised_at: row.first.toISOString(),
    last_raised_at: row.last.toISOString(),
    newest_alert_id: row.newestId,
  }
}
