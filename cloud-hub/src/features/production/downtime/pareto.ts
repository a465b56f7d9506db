import type { OeeLossCategory, ReasonType } from '../../../db/enums.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { fieldError, Unprocessable } from '../../../support/errors.ts'
import { resolveRange } from '../../../support/http/range.ts'
import type { z } from '../../../support/http/z.ts'
import { inGroup } from '../../plant/machine-groups/index.ts'
import type { ParetoQuery } from './figure-schemas.ts'

type Query = z.output<typeof ParetoQuery>
const DAY_MS = 86_400_000
const DEFAULT_DAYS = 30

function windowOf(now: Date, { days, date_from: start, date_to: end }: Query): { start: Date; end: Date } {
  if (days !== undefined && (start || end))
    throw new Unprocessable([
      fieldError('query.days', 'exclusive', { other: 'date_from, date_to' }, 'cannot be combined with date_from and date_to'),
    ])
  const window = resolveRange(now, { start, end }, (days ?? DEFAULT_DAYS) * DAY_MS)
  const until = Math.max(window.start.getTime(), Math.min(window.end.getTime(), now.getTime()))
  return { start: window.start, end: new Date(until) }
}

interface ReasonSums {
  codeId: string | null
  code: string | null
  label: string | null
  loss: OeeLossCategory | null
  type: ReasonType
  count: number
  minutes: number
  microStops: number
  microStopMinutes: number
}

/**
 * Sums by reason code, and by type where a record has none. A minute belongs to the record that started first, also between a
 * micro-stop and another record.
 */
const sumByReason = (
  sql: TransactionSql,
  { tenantId }: TenantScope,
  query: Query,
  { start, end }: { start: Date; end: Date },
) => {
  // `attributed_from` is null where an earlier record covers all of this one, and greatest() would ignore that
  const minutes = sql`case when f.attributed_from < ${end}
    then extract(epoch from least(f.ended_at, ${end}) - greatest(f.attributed_from, ${start})) / 60 else 0 end`
  const isMicroStop = sql`f.ended_at - f.started_at < make_interval(secs => ${query.micro_stop_minutes * 60})`
  return sql<ReasonSums[]>`
    select c.id as "codeId", c.code, c.label, c.oee_loss_category as loss, coalesce(c.category, r.reason_type) as type,
      count(*) filter (where not ${isMicroStop})::int as count,
      coalesce(sum(${minutes}) filter (where not ${isMicroStop}), 0)::float8 as minutes,
      count(*) filter (where ${isMicroStop})::int as "microStops",
      coalesce(sum(${minutes}) filter (where ${isMicroStop}), 0)::float8 as "microStopMinutes"
    from downtime_figures f
    join machines m on m.tenant_id = f.tenant_id and m.id = f.machine_id and m.is_active
    join downtime_records r on r.tenant_id = f.tenant_id and r.id = f.record_id
      -- said of both tables, so that PostgreSQL reads the records of the window only
      and (r.ended_at > ${start} or r.ended_at is null)
    left join reason_codes c on c.tenant_id = r.tenant_id and c.id = r.reason_code_id
    where f.tenant_id = ${tenantId} and f.ended_at > ${start} and f.started_at < ${end}
      ${query.machine_id ? sql`and f.machine_id = ${query.machine_id}` : sql``}
      ${inGroup(sql, tenantId, query.group_id, 'f.machine_id')}
    group by 1, 2, 3, 4, 5`
}

/** @throws Unprocessable for a range that is too long or combined with `days` */
export async function pareto(scope: TenantScope, query: Query) {
  const window = windowOf(scope.clock.now(), query)
  // A window in the future is empty; an ongoing record would reach into it.
  const rows = window.start < window.end ? await scope.read((sql) => sumByReason(sql, scope, query, window)) : []
  const total = (of: (row: ReasonSums) => number) => rows.reduce((sum, row) => sum + of(row), 0)
  const totalMinutes = total(({ minutes }) => minutes)
  const percent = (minutes: number) => (totalMinutes === 0 ? 0 : (minutes / totalMinutes) * 100)
  let cumulative = 0
  const ranked = rows
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.minutes - a.minutes || b.count - a.count || (nameOf(a) < nameOf(b) ? -1 : 1))
  const rest = ranked.slice(query.top ?? ranked.length)
  const restMinutes = rest.reduce((sum, { minutes }) => sum + minutes, 0)
  return {
    date_from: window.start.toISOString(),
    date_to: window.end.toISOString(),
    micro_stop_minutes: query.micro_stop_minutes,
    total_minutes: totalMinutes,
    total_count: total(({ count }) => count),
    micro_stops: { count: total(({ microStops }) => microStops), minutes: total((row) => row.microStopMinutes) },
    reasons: ranked.slice(0, query.top).map((row) => {
      cumulative += row.minutes
      return {
        reason_type: row.type,
        reason_code:
          row.codeId === null
            ? null
            : {
                id: row.codeId,
                code: row.code as string,
                label: row.label as string,
                category: row.type,
                oee_loss_category: row.loss as OeeLossCategory,
              },
        minutes: row.minutes,
        count: row.count,
        share_percent: percent(row.minutes),
        cumulative_percent: Math.min(100, percent(cumulative)),
      }
    }),
    other:
      rest.length === 0
        ? null
        : {
            reason_count: rest.length,
            minutes: restMinutes,
            count: rest.reduce((sum, { count }) => sum + count, 0),
            share_percent: percent(restMinutes),
          },
  }
}

const nameOf = ({ code, type }: ReasonSums): string => code ?? type
