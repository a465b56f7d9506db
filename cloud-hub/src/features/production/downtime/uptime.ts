import type { ReasonType } from '../../../db/enums.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { selectDowntimeByType, uptimePercent } from './figures.ts'
import { observedFrom } from './observed-from.ts'

const HOUR_MS = 3_600_000

/**
 * The share of a window in which a machine had no downtime, and its downtime by type. All types count; an instant that several
 * records cover belongs to the one that started first. Uptime over total time is SEMI E10's total uptime, with all downtime
 * deducted.
 * @param end a later end than now is clipped
 */
export async function uptimeSummary(scope: TenantScope, machineId: string, { start, end }: { start: Date; end: Date }) {
  const until = new Date(Math.min(end.getTime(), scope.clock.now().getTime()))
  const { rows, observed } = await scope.tx(async (sql) => ({
    rows: await selectDowntimeByType(sql, scope.tenantId, machineId, start, until),
    observed: await observedFrom(sql, scope.tenantId, machineId),
  }))
  const msByType = new Map(rows.map(({ type, ms }) => [type, ms]))
  const hours = (type: ReasonType) => (msByType.get(type) ?? 0) / HOUR_MS
  const totalMs = Math.max(0, until.getTime() - start.getTime())
  const downMs = rows.reduce((sum, { ms }) => sum + ms, 0)
  return {
    machine_id: machineId,
    observed_from: observed,
    total_hours: totalMs / HOUR_MS,
    downtime_hours: downMs / HOUR_MS,
    uptime_percent: uptimePercent(totalMs, downMs),
    by_reason: {
      planned: hours('planned'),
      unplanned: hours('unplanned'),
      changeover: hours('changeover'),
      maintenance: hours('maintenance'),
    },
  }
}
