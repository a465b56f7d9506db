import type { TransactionSql } from '../../../db/pools.ts'
import { attributeTime, byStart, type TimeInterval } from '../time-attribution/index.ts'
import { type Calendar, calendarOfMachine } from './calendars.ts'
import { occurrencesIn, type ShiftTimes } from './occurrences.ts'

/** What says when a machine is planned to produce. */
interface Plan extends Pick<Calendar, 'timeZone' | 'nonProductionDays'> {
  /** completed logs, and the active one until now; null: the machine has none in the window */
  logs: TimeInterval[] | null
  definitions: readonly ShiftTimes[]
}

/** Shifts that reach into a window may begin on days before it. */
const DAYS_BEFORE_MS = 3 * 86_400_000

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
  const calendar = await calendarOfMachine(sql, tenantId, machineId, new Date(start - DAYS_BEFORE_MS))
  return {
    logs: logs.length === 0 ? null : logs.map((log) => ({ start: log.start.getTime(), end: log.end?.getTime() ?? end })),
    ...calendar,
  }
}
