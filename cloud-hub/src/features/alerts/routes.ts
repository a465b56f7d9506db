import { and, count, desc, eq, gte, isNotNull, isNull, lte, sql } from 'drizzle-orm'
import { first, owned, type TenantScope } from '../../db/scope.ts'
import { alerts, SEVERITIES } from '../../db/tables/alerts.ts'
import { NotFound, Unprocessable } from '../../support/errors.ts'
import { routeFor } from '../../support/http/route.ts'
import { Id, Instant, Paging, pageOf, pathId, QueryBoolean, rangeEnd } from '../../support/http/shapes.ts'
import { z } from '../../support/http/z.ts'
import { acknowledgeAlert, acknowledgeAlerts } from './acknowledge-alert.ts'
import { commentRoutes } from './comments.ts'
import { historyRoutes } from './history.ts'
import { snoozeAlert } from './snooze-alert.ts'

const route = routeFor<TenantScope>()
const tag = 'Alerts'
const AlertParams = z.object({ alert_id: pathId('alert') })
type AlertRow = typeof alerts.$inferSelect

const AlertBody = z
  .object({
    id: Id,
    tenant_id: Id,
    machine_id: Id,
    rule_id: Id.nullable(),
    severity: z.enum(SEVERITIES),
    metric_name: z.string(),
    unit: z.string(),
    trigger_value: z.number(),
    threshold_value: z.number(),
    message: z.string(),
    is_acknowledged: z.boolean(),
    acknowledged_at: Instant.nullable(),
    acknowledged_by: Id.nullable(),
    snoozed_until: Instant.nullable(),
    cleared_at: Instant.nullable().openapi({ description: 'when the condition ended; acknowledging is apart' }),
    is_late: z
      .boolean()
      .openapi({ description: 'the reading arrived more than 15 minutes after it was taken: nobody was notified' }),
    triggered_at: Instant.openapi({ description: 'timestamp of the reading that raised it' }),
    created_at: Instant,
  })
  .openapi('Alert')

const AlertQuery = z.object({
  ...Paging,
  machine_id: Id.optional(),
  severity: z.enum(SEVERITIES).optional(),
  is_acknowledged: QueryBoolean.optional(),
  start_date: rangeEnd('start').optional(),
  end_date: rangeEnd('end').optional(),
})

const iso = (at: Date | null) => at?.toISOString() ?? null

/** As the API shows it. */
export const presentAlert = (row: AlertRow) => ({
  id: row.id,
  tenant_id: row.tenantId,
  machine_id: row.machineId,
  rule_id: row.ruleId,
  severity: row.severity,
  metric_name: row.metricName,
  unit: row.unit,
  trigger_value: row.triggerValue,
  threshold_value: row.thresholdValue,
  message: row.message,
  is_acknowledged: row.acknowledgedAt !== null,
  acknowledged_at: iso(row.acknowledgedAt),
  acknowledged_by: row.acknowledgedBy,
  snoozed_until: iso(row.snoozedUntil),
  cleared_at: iso(row.clearedAt),
  is_late: row.isLate,
  triggered_at: row.triggeredAt.toISOString(),
  created_at: row.createdAt.toISOString(),
})

async function findAlert(scope: TenantScope, { alert_id }: { alert_id: string }): Promise<AlertRow> {
  const one = and(owned(alerts, scope), eq(alerts.id, alert_id))
  const row = await scope.read((db) => db.select().from(alerts).where(one).then(first))
  if (!row) throw new NotFound('alert', alert_id)
  return row
}

export const alertRoutes = () => [
  route(
    {
      method: 'get',
      path: '/alerts',
      access: 'any',
      tag,
      summary: 'List alerts, newest first',
      description:
        '`start_date` and `end_date` are inclusive and go by `created_at`; a date-only end covers its whole day (UTC).',
      query: AlertQuery,
      returns: pageOf(AlertBody).openapi('AlertPage'),
    },
    async ({ scope, query }) => {
      if (query.start_date && query.end_date && query.end_date <= query.start_date)
        throw new Unprocessable([{ path: 'query.end_date', message: 'must be after start_date' }])
      const where = and(
        owned(alerts, scope),
        query.machine_id ? eq(alerts.machineId, query.machine_id) : undefined,
        query.severity ? eq(alerts.severity, query.severity) : undefined,
        query.is_acknowledged === undefined
          ? undefined
          : query.is_acknowledged
            ? isNotNull(alerts.acknowledgedAt)
            : isNull(alerts.acknowledgedAt),
        query.start_date ? gte(alerts.createdAt, query.start_date) : undefined,
        query.end_date ? lte(alerts.createdAt, query.end_date) : undefined,
      )
      return scope.read(async (db) => {
        const [rows, totals] = await Promise.all([
          db
            .select()
            .from(alerts)
            .where(where)
            .orderBy(desc(alerts.createdAt), desc(alerts.id))
            .limit(query.page_size)
            .offset((query.page - 1) * query.page_size),
          db.select({ total: count() }).from(alerts).where(where),
        ])
        return {
          items: rows.map(presentAlert),
          pagination: { total: totals[0]?.total ?? 0, page: query.page, page_size: query.page_size },
        }
      })
    },
  ),
  route(
    {
      method: 'get',
      path: '/alerts/stats',
      access: 'any',
      tag,
      summary: 'How many alerts are unacknowledged, by severity',
      returns: z
        .object({ total_active: z.int(), critical_count: z.int(), warning_count: z.int(), info_count: z.int() })
        .openapi('AlertStats'),
    },
    async ({ scope }) => {
      const rows = await scope.read((db) =>
        db
          .select({ severity: alerts.severity, n: sql<number>`count(*)::int` })
          .from(alerts)
          .where(and(owned(alerts, scope), isNull(alerts.acknowledgedAt)))
          .groupBy(alerts.severity),
      )
      const of = (severity: string) => rows.find((row) => row.severity === severity)?.n ?? 0
      return {
        total_active: rows.reduce((sum, row) => sum + row.n, 0),
        critical_count: of('critical'),
        warning_count: of('warning'),
        info_count: of('info'),
      }
    },
  ),
  route(
    {
      method: 'post',
      path: '/alerts/bulk/acknowledge',
      access: 'operator',
      tag,
      summary: 'Acknowledge up to 1,000 alerts',
      description: 'Ids that are acknowledged already, or name nothing, are reported and hold up nothing.',
      body: z.object({ alert_ids: z.array(Id).max(1_000, 'may hold at most 1,000 ids') }).openapi('BulkAcknowledge'),
      returns: z
        .object({ acknowledged_count: z.int(), already_acknowledged_ids: z.array(Id), not_found_ids: z.array(Id) })
        .openapi('BulkAcknowledged'),
      status: 200,
    },
    async ({ scope, body }) => {
      const outcome = await acknowledgeAlerts(scope, body.alert_ids)
      return {
        acknowledged_count: outcome.acknowledged,
        already_acknowledged_ids: outcome.already,
        not_found_ids: outcome.notFound,
      }
    },
  ),
  route(
    {
      method: 'get',
      path: '/alerts/{alert_id}',
      access: 'any',
      tag,
      summary: 'One alert',
      params: AlertParams,
      returns: AlertBody,
    },
    async ({ scope, params }) => presentAlert(await findAlert(scope, params)),
  ),
  route(
    {
      method: 'post',
      path: '/alerts/{alert_id}/acknowledge',
      access: 'operator',
      tag,
      summary: 'Acknowledge an alert',
      params: AlertParams,
      returns: AlertBody,
      refuses: { 409: 'It is acknowledged already' },
    },
    async ({ scope, params }) => presentAlert(await acknowledgeAlert(scope, params.alert_id)),
  ),
  route(
    {
      method: 'post',
      path: '/alerts/{alert_id}/snooze',
      access: 'operator',
      tag,
      summary: 'Snooze an alert: it does not escalate until then',
      params: AlertParams,
      body: z
        .object({ snooze_until: rangeEnd('start').openapi({ description: 'in the future, at most 30 days away' }) })
        .openapi('AlertSnooze'),
      returns: AlertBody,
      status: 200,
    },
    async ({ scope, params, body }) => presentAlert(await snoozeAlert(scope, params.alert_id, body.snooze_until)),
    findAlert,
  ),
  ...commentRoutes(AlertParams, findAlert),
  ...historyRoutes(AlertParams, findAlert),
]
