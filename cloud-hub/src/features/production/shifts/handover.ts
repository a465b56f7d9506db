import type { OeeLossCategory, ReasonType } from '../../../db/enums.ts'
import type { TenantScope } from '../../../db/scope.ts'
import type { z } from '../../../support/http/z.ts'
import { type FactsRow, presentFacts } from '../../alerting/alerts/index.ts'
import { notesOfMachine, presentNote } from '../../work/notes/index.ts'
import { attributeTime, byStart } from '../time-attribution/index.ts'
import { minutesOf, presentLog } from './present.ts'
import type { ShiftLogRow } from './repository.ts'
import type { HandoverBody } from './schemas.ts'

/** Alerts, downtime records and notes that one handover lists. */
const MAX_LISTED = 1_000

interface Stop {
  id: string
  reasonType: ReasonType
  reasonNote: string | null
  code: { id: string; code: string; label: string; category: ReasonType; oee_loss_category: OeeLossCategory } | null
  startedAt: Date
  endedAt: Date | null
}

/** Ended records shorter than this are micro-stops: the usual limit of minor stops. */
const MICRO_STOP_MS = 5 * 60_000

/** Micro-stops by reason code, or by type where they have none: those that took longest together first. */
function microStopsOf(stops: readonly Stop[]) {
  const lengthOf = ({ startedAt, endedAt }: Stop) => (endedAt?.getTime() ?? Number.POSITIVE_INFINITY) - startedAt.getTime()
  const byReason = Map.groupBy(
    stops.filter((stop) => lengthOf(stop) < MICRO_STOP_MS),
    ({ code, reasonType }) => code?.id ?? reasonType,
  )
  return [...byReason.values()]
    .map((of) => ({
      reason_type: of[0]?.code?.category ?? (of[0] as Stop).reasonType,
      reason_code: of[0]?.code ?? null,
      count: of.length,
      minutes: minutesOf(of.reduce((sum, stop) => sum + lengthOf(stop), 0)),
    }))
    .toSorted((a, b) => b.minutes - a.minutes)
}

/** What the next shift must know: the log, alerts raised in the shift, and downtime and notes that overlap it. An active shift lasts until now. */
export async function handoverOf(scope: TenantScope, log: ShiftLogRow): Promise<z.input<typeof HandoverBody>> {
  const start = log.actualStart
  const end = log.actualEnd ?? new Date(Math.max(scope.clock.now().getTime(), start.getTime()))
  const ofMachine = { tenantId: scope.tenantId, machineId: log.machineId }
  const [alerts, counted, stops, notes] = await scope.read((sql) => {
    const raised = sql`tenant_id = ${ofMachine.tenantId} and machine_id = ${ofMachine.machineId} and created_at >= ${start} and created_at < ${end}`
    return Promise.all([
      sql<(FactsRow & { id: string; message: string; at: Date })[]>`
        select id, message, created_at as at, severity, metric_name as "metricName", unit, trigger_value as "triggerValue",
          threshold_value as "thresholdValue", comparison, rule_name as "ruleName"
        from alerts where ${raised} order by created_at desc, id desc limit ${MAX_LISTED}`,
      sql<{ n: number }[]>`select count(*)::int as n from alerts where ${raised}`,
      sql<Stop[]>`
        select id, reason_type as "reasonType", reason_note as "reasonNote", started_at as "startedAt", ended_at as "endedAt",
          (select jsonb_build_object('id', c.id, 'code', c.code, 'label', c.label, 'category', c.category, 'oee_loss_category', c.oee_loss_category)
            from reason_codes c where c.tenant_id = r.tenant_id and c.id = r.reason_code_id) as code
        from downtime_records r
        where tenant_id = ${ofMachine.tenantId} and machine_id = ${ofMachine.machineId} and started_at < ${end}
          and (ended_at is null or ended_at > ${start})
        order by started_at, id`,
      notesOfMachine(sql, scope, { machineId: ofMachine.machineId, from: start, until: end, limit: MAX_LISTED }),
    ])
  })
  const intervals = stops.map(({ id, startedAt, endedAt }) => ({
    id,
    start: startedAt.getTime(),
    end: endedAt?.getTime() ?? Number.POSITIVE_INFINITY,
  }))
  const inside = attributeTime({ start: start.getTime(), end: end.getTime() }, intervals, byStart)
  return {
    shift_log: presentLog(log),
    alerts_during_shift: alerts.toReversed().map(({ id, message, at, ...facts }) => ({
      id,
      ...presentFacts(facts),
      description: message,
      created_at: at.toISOString(),
    })),
    downtime_during_shift: stops.slice(-MAX_LISTED).map((stop) => ({
      id: stop.id,
      reason_type: stop.reasonType,
      reason_note: stop.reasonNote,
      started_at: stop.startedAt.toISOString(),
      ended_at: stop.endedAt?.toISOString() ?? null,
      duration_minutes: stop.endedAt && minutesOf(stop.endedAt.getTime() - stop.startedAt.getTime()),
    })),
    micro_stops: microStopsOf(stops),
    notes: notes.map(presentNote).reverse(),
    total_downtime_minutes: minutesOf(inside.reduce((sum, segment) => sum + segment.end - segment.start, 0)),
    alert_count: counted[0]?.n ?? 0,
  }
}
