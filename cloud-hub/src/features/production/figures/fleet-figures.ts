import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { fieldError, Unprocessable } from '../../../support/errors.ts'
import type { z } from '../../../support/http/z.ts'
import { loadZones, siteOf, zoneOfSite } from '../../plant/machine-groups/index.ts'
import { mtbfHours, mttrHours, uptimePercent } from '../downtime/index.ts'
import { type OeeDeps, recomputeForAnswer } from '../oee/index.ts'
import type { TimeInterval } from '../time-attribution/index.ts'
import { requireFewEntries } from './limit-entries.ts'
import { loadMachineScope, type MachineScope } from './machine-scope.ts'
import { FIGURE_NAMES, type Figures, type FiguresBody, type FiguresQueryOutput } from './schemas.ts'
import { type PeriodSums, type ReasonSums, type ShiftSums, selectPeriods, selectReasons, selectShifts } from './select-sums.ts'
import { type Windows, windowsOf } from './window.ts'

const HOUR_MS = 3_600_000
type Entry = z.input<typeof FiguresBody>['items'][number]
/** An entry, with what finds the one of the same thing in the range before. */
type Keyed = Omit<Entry, 'previous' | 'change'> & { key: string }

const NONE = Object.fromEntries(FIGURE_NAMES.map((name) => [name, null])) as Figures
const UNNAMED = {
  shift_date: null,
  shift_definition_id: null,
  shift_name: null,
  machine_id: null,
  group_id: null,
  name: null,
} as const
const NO_REASON = { reason_type: null, reason_code: null } as const

const presentPeriod = ({ start, end }: TimeInterval) => ({
  start: new Date(start).toISOString(),
  end: new Date(end).toISOString(),
})

const presentKey = (by: FiguresQueryOutput['by'], key: string, name: string | null) => ({
  machine_id: by === 'machine' ? key : null,
  group_id: by === 'group' ? key : null,
  name,
})

const oeeFigures = (
  sums: Pick<PeriodSums, 'plannedMs' | 'runMs' | 'oee' | 'availability' | 'performance' | 'quality' | 'parts' | 'goodParts'>,
) => ({
  planned_hours: sums.plannedMs / HOUR_MS,
  run_hours: sums.runMs / HOUR_MS,
  oee_pct: sums.oee,
  availability_pct: sums.availability,
  performance_pct: sums.performance,
  quality_pct: sums.quality,
  part_count: sums.parts,
  good_part_count: sums.goodParts,
})

/** @param periods that of the entry in each time zone. Where its machines are in one zone, the entry shows that; else that of the plant */
function presentSums(sums: PeriodSums, by: FiguresQueryOutput['by'], periods: readonly TimeInterval[]): Keyed {
  const zones = periods.map((period, zone) => ({ ...period, machines: sums.machines[zone] ?? 0 }))
  const used = zones.filter(({ machines }) => machines > 0)
  const { start, end } = (used.length === 1 ? used : zones)[0] as TimeInterval
  const observedMs = used.reduce((sum, zone) => sum + zone.machines * (zone.end - zone.start), 0)
  return {
    ...UNNAMED,
    ...NO_REASON,
    ...presentPeriod({ start, end }),
    ...presentKey(by, sums.key, sums.name),
    key: sums.key,
    machine_count: used.reduce((sum, { machines }) => sum + machines, 0),
    figures: {
      downtime_hours: sums.downtimeMs / HOUR_MS,
      downtime_count: sums.records,
      uptime_percent: uptimePercent(observedMs, sums.downtimeMs),
      repair_event_count: sums.repairs,
      failure_event_count: sums.failures,
      mttr_hours: mttrHours(sums),
      mtbf_hours: mtbfHours(sums),
      ...oeeFigures(sums),
      alert_count: sums.alerts,
      critical_alert_count: sums.criticals,
    },
  }
}

const presentShift = (sums: ShiftSums, by: FiguresQueryOutput['by']): Keyed => ({
  ...UNNAMED,
  ...NO_REASON,
  ...presentPeriod({ start: sums.start.getTime(), end: sums.end.getTime() }),
  ...presentKey(by, sums.key, sums.name),
  shift_date: sums.date,
  shift_definition_id: sums.definitionId,
  shift_name: sums.shiftName,
  key: sums.key,
  machine_count: null,
  figures: { ...NONE, downtime_hours: sums.downtimeMs / HOUR_MS, ...oeeFigures(sums) },
})

const presentReason = ({ codeId, code, label, loss, type, downtimeMs, records }: ReasonSums, period: TimeInterval): Keyed => ({
  ...UNNAMED,
  ...presentPeriod(period),
  name: label,
  key: codeId ?? type,
  machine_count: null,
  reason_type: type,
  reason_code: codeId && code && label && loss ? { id: codeId, code, label, category: type, oee_loss_category: loss } : null,
  figures: { ...NONE, downtime_hours: downtimeMs / HOUR_MS, downtime_count: records },
})

async function entriesOf(
  sql: TransactionSql,
  tenantId: string,
  query: FiguresQueryOutput,
  windows: Windows,
  machines: MachineScope,
): Promise<Keyed[]> {
  const { by } = query
  const [first] = windows.each
  // a range in the future has no periods, and an ongoing record would reach into it
  if (first.periods.length === 0 || (by === 'reason' && windows.each.every(({ start, end }) => start >= end))) return []
  // `period` counts from 1
  const at = (period: number) => windows.each.map(({ periods }) => periods[period - 1] as TimeInterval)
  if (by === 'reason')
    return (await selectReasons(sql, tenantId, query, windows, machines)).map((sums) =>
      presentReason(sums, at(sums.period)[0] as TimeInterval),
    )
  if (query.interval === 'shift') return (await selectShifts(sql, tenantId, query, windows)).map((sums) => presentShift(sums, by))
  return (await selectPeriods(sql, tenantId, query, windows, machines)).map((sums) => presentSums(sums, by, at(sums.period)))
}

const changeOf = (figures: Figures, before: Figures): Figures =>
  Object.fromEntries(
    FIGURE_NAMES.map((name) => {
      const [now, then] = [figures[name], before[name]]
      return [name, now === null || then === null ? null : now - then]
    }),
  ) as Figures

/** In the order of a query. @param entries by period and name, which decide between equal ones */
function sorted(entries: readonly Keyed[], { sort_by, sort_dir }: FiguresQueryOutput): readonly Keyed[] {
  const sign = sort_dir === 'asc' ? 1 : -1
  if (sort_by === 'period') return sort_dir === 'asc' ? entries : entries.toReversed()
  if (sort_by === 'name') {
    const collator = new Intl.Collator('und', { numeric: true })
    return entries.toSorted((a, b) => sign * collator.compare(a.name ?? '', b.name ?? ''))
  }
  return entries.toSorted((a, b) => {
    const [left, right] = [a.figures[sort_by] ?? null, b.figures[sort_by] ?? null]
    if (left === null || right === null) return Number(left === null) - Number(right === null)
    return sign * (left - right)
  })
}

function requireMeaning({ compare, interval, by }: FiguresQueryOutput): void {
  if (compare && interval !== 'none') throw new Unprocessable([fieldError('query.compare', 'exclusive', { other: 'interval' })])
  if (by === 'reason' && interval === 'shift')
    throw new Unprocessable([fieldError('query.by', 'exclusive', { other: 'interval' })])
}

/**
 * Sums and rates of machines over a range, all from the sums and formulas of the operations of a machine and of a site.
 * @throws Unprocessable for a range that is empty or too long, for too many entries, or for parameters that exclude each other
 */
export async function fleetFigures(
  scope: TenantScope,
  deps: OeeDeps,
  query: FiguresQueryOutput,
): Promise<z.input<typeof FiguresBody>> {
  const { tenantId } = scope
  requireMeaning(query)
  await recomputeForAnswer(scope, deps)
  const now = scope.clock.now().getTime()
  const { zones, siteId } = await scope.tx(async (sql) => {
    const zones = await loadZones(sql, tenantId)
    return { zones, siteId: zones.sites.size === 0 ? null : await siteOf(sql, tenantId, query) }
  })
  const zone = zoneOfSite(zones, siteId)
  // not in a transaction: many zones over a year take a while
  const { windows, before: windowsBefore } = await windowsOf(query, now, zones, query.machine_id || siteId ? zone : null)
  const { entries, before } = await scope.tx(async (sql) => {
    await requireFewEntries(sql, tenantId, query, windows)
    // row-level security lets PostgreSQL expect one row of a large table: it would go through all members for each row
    if (windows.each.length > 1 && query.interval !== 'shift') await sql`set local enable_nestloop = off`
    const machines = await loadMachineScope(sql, tenantId, query)
    const entries = await entriesOf(sql, tenantId, query, windows, machines)
    return { entries, before: windowsBefore && (await entriesOf(sql, tenantId, query, windowsBefore, machines)) }
  })
  const figuresBefore = before && new Map(before.map(({ key, figures }) => [key, figures]))
  const { page, page_size } = query
  const items = sorted(entries, query)
    .slice((page - 1) * page_size, page * page_size)
    .map(({ key, ...entry }) => {
      const previous = figuresBefore ? (figuresBefore.get(key) ?? { ...NONE, downtime_hours: 0, downtime_count: 0 }) : null
      return { ...entry, previous, change: previous && changeOf(entry.figures, previous) }
    })
  return {
    items,
    pagination: { total: entries.length, page, page_size },
    from: new Date(windows.each[0].start).toISOString(),
    to: new Date(windows.each[0].end).toISOString(),
    time_zone: zone,
    interval: query.interval,
    by: query.by ?? null,
  }
}
