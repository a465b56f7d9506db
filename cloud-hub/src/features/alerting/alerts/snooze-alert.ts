import type { TenantScope } from '../../../db/scope.ts'
import { fieldError, NotFound, Unprocessable } from '../../../support/errors.ts'
import { ALERT_COLUMNS, type AlertRow } from './repository.ts'

const MAX_SNOOZE_MS = 30 * 86_400_000

/**
 * Stops the escalation of an alert in any state until an instant. A second snooze replaces the first.
 * @throws Unprocessable unless `until` is in the future and at most 30 days away; NotFound
 */
export async function snoozeAlert(scope: TenantScope, alertId: string, until: Date): Promise<AlertRow> {
  const away = until.getTime() - scope.clock.now().getTime()
  const fault =
    away <= 0
      ? fieldError('body.snooze_until', 'not_in_future')
      : away > MAX_SNOOZE_MS
        ? fieldError('body.snooze_until', 'max_days_ahead', { days: 30 })
        : null
  if (fault) throw new Unprocessable([fault])
  const [row] = await scope.tx(
    (sql) => sql<AlertRow[]>`
      update alerts a set snoozed_until = ${until} where a.tenant_id = ${scope.tenantId} and a.id = ${alertId}
      returning ${sql.unsafe(ALERT_COLUMNS)}`,
  )
  if (!row) throw new NotFound('alert', alertId)
  return row
}
