import type { TransactionSql } from '../../../db/pools.ts'
import { attributeTime, byStart, type TimeInterval } from '../time-attribution/index.ts'
import { occurrencesIn, type ShiftTimes } from './occurrences.ts'

/** What says when a machine is planned to produce. */
interface Plan {
  /** completed logs, and the active one until now; null: the machine has none in the window */
  logs: TimeInterval[] | null
  definitions: readonly ShiftTimes[]
  timeZone: string
  nonProductionDays: ReadonlySet<string>
}

/**
 * The shift time of a machine in a window: its logs; without logs the hours of the active definitions on production days; without
 * definitions the whole window.
 * @returns ascending, without overlaps
 */
export function plannedWindows(window: TimeInterval, { logs, definitions, timeZone, nonProductionDays }: Plan): TimeInterval[] {
  const hours = () => definitions.flatMap((times) => occurrencesIn(window, times, timeZone, nonProductionDays))
  const intervals = logs ?? (definitions.length > 0 ? hours() : [window])
  const segments = attributeTime(
    window,
    intervals.map(({ start, end }, i) => ({ id: String(i), start, end })),
    byStart,
  )
  return segments.map(({ start, end }) => ({ start, end }))
}

/** Loads the plan of a machine for a window that ends at or before `now`. */
export async function loadPlan(
  sql: TransactionSql,
  tenantId: string,
  machineId: string,
  { start, end }: TimeInterval,
): Promise<Plan> {
  const [from, until] = [new Date(start), new Date(end)]
  const logs = await sql<{ start: Date; end: Date | null }[]>`
    select actual_start as start, actual_end as end from shift_logs
    where tenant_id = ${tenantId} and machine_id = ${machineId} and status <> 'cancelled' and actual_start < ${until}
      and (actual_end is null or actual_end > ${from})`
  const definitions = await sql<ShiftTimes[]>`
    select start_time::text as "startTime", end_time::text as "endTime" from shift_definitions
    where tenant_id = ${tenantId} and is_active order by id`
  const days = await sql<{ date: string }[]>`
    select date::text as date from non_production_days where tenant_id = ${tenantId} and date >= ${from}::timestamptz::date - 3`
  const [tenant] = await sql<{ timeZone: string }[]>`select time_zone as "timeZone" from tenants where id = ${tenantId}`
  return {
    logs: logs.length === 0 ? null : logs.map((log) => ({ start: log.start.getTime(), end: log.end?.getTime() ?? end })),
    definitions: [...definitions],
    timeZone: tenant?.timeZone ?? 'UTC',
    nonProductionDays: new Set(days.map(({ date }) => date)),
  }
}
