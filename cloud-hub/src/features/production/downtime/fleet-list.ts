import { and, count, eq, gte, isNotNull, isNull, lte, type SQL, sql } from 'drizzle-orm'
import { owned, type TenantDb, type TenantScope } from '../../../db/scope.ts'
import { downtimeRecords } from '../../../db/tables/downtime.ts'
import type { z } from '../../../support/http/z.ts'
import { RECORD_COLUMNS, type RecordRow } from './repository.ts'
import type { FleetDowntimeQuery } from './schemas.ts'

type Query = z.output<typeof FleetDowntimeQuery>
interface Slice {
  limit: number
  offset: number
}

const { startedAt, endedAt, id } = downtimeRecords

function filterOf(scope: TenantScope, query: Query): SQL | undefined {
  return and(
    owned(downtimeRecords, scope),
    query.machine_id ? eq(downtimeRecords.machineId, query.machine_id) : undefined,
    query.reason_type ? eq(downtimeRecords.reasonType, query.reason_type) : undefined,
    query.reason_code_id ? eq(downtimeRecords.reasonCodeId, query.reason_code_id) : undefined,
    query.source ? eq(downtimeRecords.source, query.source) : undefined,
    query.status ? (query.status === 'ongoing' ? isNull(endedAt) : isNotNull(endedAt)) : undefined,
    query.date_from ? gte(startedAt, query.date_from) : undefined,
    query.date_to ? lte(startedAt, query.date_to) : undefined,
  )
}

/** Each order ends in the id, so that pages do not overlap. Indexes of the table have these orders. */
const COLUMNS = {
  started_at: [startedAt, id],
  ended_at: [endedAt, id],
  reason_type: [downtimeRecords.reasonType, startedAt, id],
  created_at: [downtimeRecords.createdAt, id],
} as const

/** A page of the records of all machines, and the number of all matches. */
export const listFleetDowntime = (scope: TenantScope, query: Query): Promise<{ items: RecordRow[]; total: number }> =>
  scope.read(async (db) => {
    const where = filterOf(scope, query)
    const slice = { limit: query.page_size, offset: (query.page - 1) * query.page_size }
    const [items, totals] = await Promise.all([
      query.sort_by === 'duration_minutes'
        ? listByDuration(db, scope, where, query.sort_dir, slice)
        : listInOrder(db, where, inDirection(COLUMNS[query.sort_by], query.sort_dir), slice),
      db.select({ total: count() }).from(downtimeRecords).where(where),
    ])
    return { items, total: totals[0]?.total ?? 0 }
  })

const inDirection = (columns: readonly unknown[], direction: Query['sort_dir']): SQL[] =>
  columns.map((column) => sql`${column} ${sql.raw(direction)}`)

const listInOrder = (db: TenantDb, where: SQL | undefined, order: SQL[], { limit, offset }: Slice): Promise<RecordRow[]> =>
  db
    .select(RECORD_COLUMNS)
    .from(downtimeRecords)
    .where(where)
    .orderBy(...order)
    .limit(limit)
    .offset(offset)

/**
 * By duration, of ongoing records until now. Each of the two kinds has its order in an index, and the page is within the first
 * entries of both.
 */
function listByDuration(
  db: TenantDb,
  scope: TenantScope,
  where: SQL | undefined,
  direction: Query['sort_dir'],
  { limit, offset }: Slice,
): Promise<RecordRow[]> {
  const now = scope.clock.now()
  const reverse = direction === 'asc' ? 'desc' : 'asc'
  const duration = sql`(${endedAt} - ${startedAt})`
  const upTo = limit + offset
  const candidates = sql`(select ${id} as id, ${duration} as duration from ${downtimeRecords}
      where ${where} and ${endedAt} is not null order by ${duration} ${sql.raw(direction)}, ${id} ${sql.raw(direction)} limit ${upTo})
    union all
    (select ${id}, ${now.toISOString()}::timestamptz - ${startedAt} from ${downtimeRecords}
      where ${where} and ${endedAt} is null order by ${startedAt} ${sql.raw(reverse)}, ${id} ${sql.raw(direction)} limit ${upTo})`
  return db
    .select(RECORD_COLUMNS)
    .from(downtimeRecords)
    .innerJoin(sql`(${candidates}) c`, sql`c.id = ${id}`)
    .where(owned(downtimeRecords, scope))
    .orderBy(sql`c.duration ${sql.raw(direction)}`, sql`${id} ${sql.raw(direction)}`)
    .limit(limit)
    .offset(offset)
}
