import type { TenantScope } from '../../../db/scope.ts'
import { CSV_LIST, csvAnswer, MAX_CSV_ROWS, requireCsvRows, wantsCsv } from '../../../support/http/csv.ts'
import { cursorPage, listPartOf } from '../../../support/http/cursor.ts'
import { exampleId } from '../../../support/http/example.ts'
import { routeFor } from '../../../support/http/route.ts'
import { acknowledgeAlert, acknowledgeAlerts, acknowledgeMatching } from './acknowledge-alert.ts'
import { commentRoutes } from './comment-routes.ts'
import { presentFacts } from './facts.ts'
import { groupAlerts } from './group-alerts.ts'
import { historyRoutes } from './history-routes.ts'
import { type AlertRow, checkRange, countUnacknowledged, findAlert, listAlerts } from './repository.ts'
import {
  AlertBody,
  AlertGroupPage,
  AlertGroupQuery,
  AlertPage,
  AlertParams,
  AlertQuery,
  AlertSnooze,
  AlertStats,
  AlertStatsQuery,
  BulkAcknowledge,
  BulkAcknowledged,
} from './schemas.ts'
import { snoozeAlert } from './snooze-alert.ts'

const route = routeFor<TenantScope>()
const tag = 'Alerts'

const iso = (at: Date | null) => at?.toISOString() ?? null

/** As the API shows it. */
export const presentAlert = (row: AlertRow) => ({
  id: row.id,
  tenant_id: row.tenantId,
  machine_id: row.machineId,
  machine_name: row.machineName,
  rule_id: row.ruleId,
  ...presentFacts(row),
  message: row.message,
  is_acknowledged: row.acknowledgedAt !== null,
  acknowledged_at: iso(row.acknowledgedAt),
  acknowledged_by: row.acknowledgedBy,
  snoozed_until: iso(row.snoozedUntil),
  cleared_at: iso(row.clearedAt),
  is_too_old_to_notify: row.isTooOldToNotify,
  work_order_id: row.workOrderId,
  is_muted: row.isMuted,
  triggered_at: row.triggeredAt.toISOString(),
  created_at: row.createdAt.toISOString(),
})

export const alertRoutes = () => [
  route(
    {
      method: 'get',
      path: '/alerts',
      operation: 'listAlerts',
      access: 'any',
      tag,
      summary: 'List alerts, newest first',
      description:
        'Pages of alerts, newest first. `start_date` and `end_date` go by `created_at`. A filter by an unknown machine or group answers an empty list.',
      query: AlertQuery,
      returns: AlertPage,
      media: CSV_LIST,
    },
    async ({ scope, query, caller }) => {
      checkRange(query)
      if (wantsCsv(caller.headers, query)) {
        const all = { limit: MAX_CSV_ROWS, offset: 0, after: null, total: null }
        requireCsvRows((await listAlerts(scope, query, { ...all, limit: 1 })).total, 'start_date')
        const { items } = await listAlerts(scope, query, all)
        return (await csvAnswer(items.map(presentAlert), AlertBody, 'alerts')) as never
      }
      const part = listPartOf(['alerts', scope.tenantId], query)
      const { items, total } = await listAlerts(scope, query, part)
      const page = cursorPage(part, items, total, ({ createdAt, id }) => ({ at: createdAt, id }))
      return { ...page, items: page.items.map(presentAlert) }
    },
  ),
  route(
    {
      method: 'get',
      path: '/alerts/stats',
      operation: 'getAlertStats',
      access: 'any',
      tag,
      summary: 'How many alerts are unacknowledged, by severity',
      description: 'Counts the unacknowledged alerts of the tenant, cleared ones included.',
      query: AlertStatsQuery,
      returns: AlertStats,
    },
    ({ scope, query }) => alertStats(scope, query.group_id),
  ),
  route(
    {
      method: 'get',
      path: '/alerts/groups',
      operation: 'listAlertGroups',
      access: 'any',
      tag,
      summary: 'Alerts by machine and rule',
      description:
        'Counts the alerts of each machine and rule, with the filters of `GET /alerts`; pass `is_acknowledged=false` for open ones. The alerts of a group are those of `GET /alerts` with its `machine_id` and `rule_id`, and `POST /alerts/bulk/acknowledge` takes both in `filter`.',
      query: AlertGroupQuery,
      returns: AlertGroupPage,
    },
    ({ scope, query }) => groupAlerts(scope, query),
  ),
  route(
    {
      method: 'post',
      path: '/alerts/bulk/acknowledge',
      operation: 'acknowledgeAlerts',
      access: 'operator',
      tag,
      summary: 'Acknowledge up to 1,000 alerts by id, or those that match a filter',
      description:
        'Acknowledges each alert that is still open. Ids that are acknowledged already or name nothing are reported and stop no other. With `filter` in portions of 1,000, at most 20,000 in a call: `remaining_count` tells what is left. Incident tools follow at their own pace.',
      body: BulkAcknowledge,
      returns: BulkAcknowledged,
      status: 200,
    },
    async ({ scope, body }) => {
      if (body.filter) {
        const { acknowledged, remaining } = await acknowledgeMatching(scope, body.filter)
        return { acknowledged_count: acknowledged, already_acknowledged_ids: [], not_found_ids: [], remaining_count: remaining }
      }
      const outcome = await acknowledgeAlerts(scope, body.alert_ids ?? [])
      return {
        acknowledged_count: outcome.acknowledged,
        already_acknowledged_ids: outcome.already,
        not_found_ids: outcome.notFound,
        remaining_count: 0,
      }
    },
  ),
  route(
    {
      method: 'get',
      path: '/alerts/{alert_id}',
      operation: 'getAlert',
      access: 'any',
      tag,
      summary: 'One alert',
      description: 'The current state of the alert. `GET /alerts/{alert_id}/history` lists its changes.',
      params: AlertParams,
      returns: AlertBody,
    },
    async ({ found }) => presentAlert(found),
    findAlert,
  ),
  route(
    {
      method: 'post',
      path: '/alerts/{alert_id}/acknowledge',
      operation: 'acknowledgeAlert',
      access: 'operator',
      tag,
      summary: 'Acknowledge an alert',
      description:
        'Records who acknowledged the alert and when, and ends its escalation. Acknowledging does not clear: `cleared_at` follows the readings. Incident tools that were notified are informed.',
      params: AlertParams,
      shows: { is_acknowledged: true, acknowledged_at: '2026-01-31T12:05:00.000Z', acknowledged_by: exampleId('user_id') },
      returns: AlertBody,
      refuses: { 409: ['alert_already_acknowledged'] },
    },
    async ({ scope, params }) => presentAlert(await acknowledgeAlert(scope, params.alert_id)),
    findAlert,
  ),
  route(
    {
      method: 'post',
      path: '/alerts/{alert_id}/snooze',
      operation: 'snoozeAlert',
      access: 'operator',
      tag,
      summary: 'Snooze an alert: it does not escalate until then',
      description:
        'Until then the alert does not escalate; afterwards it does, if it is still open. A second snooze replaces the first. Works in any state of the alert.',
      params: AlertParams,
      body: AlertSnooze,
      shows: { snoozed_until: '2026-02-01T06:00:00.000Z' },
      returns: AlertBody,
      status: 200,
    },
    async ({ scope, params, body }) => presentAlert(await snoozeAlert(scope, params.alert_id, body.snooze_until)),
    findAlert,
  ),
  ...commentRoutes(AlertParams, findAlert),
  ...historyRoutes(AlertParams, findAlert),
]

/** The unacknowledged alerts of the tenant, or of a group, by severity. */
export async function alertStats(
  scope: TenantScope,
  groupId: string | undefined,
): Promise<Record<'total_active' | `${'critical' | 'warning' | 'info'}_count`, number>> {
  const rows = await countUnacknowledged(scope, groupId)
  const of = (severity: string) => rows.find((row) => row.severity === severity)?.n ?? 0
  return {
    total_active: rows.reduce((sum, row) => sum + row.n, 0),
    critical_count: of('critical'),
    warning_count: of('warning'),
    info_count: of('info'),
  }
}
