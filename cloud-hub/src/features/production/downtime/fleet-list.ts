import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import type { ListPart } from '../../../support/http/cursor.ts'
import type { z } from '../../../support/http/z.ts'
import { inGroup } from '../../plant/machine-groups/index.ts'
import { RECORD_COLUMNS, type RecordRow } from './repository.ts'
import type { FleetDowntimeQuery } from './schemas.ts'

type Query = z.output<typeof FleetDowntimeQuery>
type Part = Pick<ListPart, 'limit' | 'offset' | 'after' | 'total'>

const filterOf = (sql: TransactionSql, tenantId: string, query: Query) => sql`
  ${query.machine_id ? sql`and r.machine_id = ${query.machine_id}` : sql``}
  ${inGroup(sql, tenantId, query.group_id, 'r.machine_id')}
  ${query.machine_ids ? sql`and r.machine_id = any(${query.machine_ids}::uuid[])` : sql``}
  ${query.reason_type ? sql`and r.reason_type = ${query.reason_type}` : sql``}
  ${query.reason_code_id ? sql`and r.reason_code_id = ${query.reason_code_id}` : sql``}
  ${query.source ? sql`and r.source = ${query.source}` : sql``}
  ${query.status ? (query.status === 'ongoing' ? sql`and r.ended_at is null` : sql`and r.ended_at is not null`) : sql``}
  ${query.ended_after ? sql`and (r.ended_at > ${query.ended_after} or r.ended_at is null)` : sql``}
  ${query.date_from ? sql`and r.started_at >= ${query.date_from}` : sql``}
  ${query.date_to ? sql`and r.started_at <= ${query.date_to}` : sql``}`

/** Each order ends in the id, so that pages do not overlap. Indexes of the table have these orders. */
const ORDERS = {
  started_at: ['started_at', 'id'],
  ended_at: ['ended_at', 'id'],
  reason_type: ['reason_type', 'started_at', 'id'],
  created_at: ['created_at', 'id'],
} as const

/** Orders in which a record keeps its place while others are added. */
export const hasCursors = ({ sort_by }: Pick<Query, 'sort_by'>) => sort_by === 'started_at' || sort_by === 'created_at'

/** A part of the records of all machines, and the number of all matches where the part does not know it. */
export const listFleetDowntime = (scope: TenantScope, query: Query, part: Part): Promise<{ items: RecordRow[]; total: number }> =>
  scope.read(async (sql) => {
    const [items, totals] = await Promise.all([
      query.sort_by === 'duration_minutes'
        ? listByDuration(sql, scope, query, part)
        : listInOrder(sql, scope, query, part, ORDERS[query.sort_by]),
      part.total === null
        ? sql<{ total: number }[]>`
            select count(*)::int as total from downtime_records r
            where r.tenant_id = ${scope.tenantId} ${filterOf(sql, scope.tenantId, query)}`
        : [{ total: part.total }],
    ])
    return { items: [...items], total: totals[0]?.total ?? 0 }
  })

const listInOrder = (
  sql: TransactionSql,
  scope: TenantScope,
  query: Query,
  { limit, offset, after }: Part,
  columns: readonly string[],
) => sql<RecordRow[]>`
  select ${sql.unsafe(RECORD_COLUMNS)} from downtime_records r
  where r.tenant_id = ${scope.tenantId} ${filterOf(sql, scope.tenantId, query)}
  ${after ? sql`and (r.${sql(query.sort_by)}, r.id) ${query.sort_dir === 'asc' ? sql`>` : sql`<`} (${after.at}, ${after.id})` : sql``}
  order by ${sql.unsafe(columns.map((column) => `r.${column} ${query.sort_dir === 'asc' ? 'asc' : 'desc'}`).join(', '))}
  limit ${limit} offset ${offset}`

/**
 * By duration, of ongoing records until now. Each of the two kinds has its order in an index, and the page is within the first
 * entries of both.
 */
function listByDuration(sql: TransactionSql, scope: TenantScope, query: Query, { limit, offset }: Part) {
  const { tenantId } = scope
  const upTo = offset + limit
  const direction = query.sort_dir === 'asc' ? sql`asc` : sql`desc`
  const reverse = query.sort_dir === 'asc' ? sql`desc` : sql`asc`
  return sql<RecordRow[]>`
    select ${sql.unsafe(RECORD_COLUMNS)} from downtime_records r join (
      (select r.id, (r.ended_at - r.started_at) as duration from downtime_records r
        where r.tenant_id = ${tenantId} ${filterOf(sql, tenantId, query)} and r.ended_at is not null
        order by (r.ended_at - r.started_at) ${direction}, r.id ${direction} limit ${upTo})
      union all
      (select r.id, ${scope.clock.now()}::timestamptz - r.started_at from downtime_records r
        where r.tenant_id = ${tenantId} ${filterOf(sql, tenantId, query)} and r.ended_at is null
        order by r.started_at ${reverse}, r.id ${direction} limit ${upTo})) c on c.id = r.id
    where r.tenant_id = ${tenantId}
    order by c.duration ${direction}, r.id ${direction} limit ${limit} offset ${offset}`
}
