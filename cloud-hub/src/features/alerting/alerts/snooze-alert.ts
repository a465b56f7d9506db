import type { TenantScope } from '../../../db/scope.ts'
import { NotFound, Unprocessable } from '../../../support/errors.ts'
import { ALERT_COLUMNS, type AlertRow } from './repository.ts'

const MAX_SNOOZE_MS = 30 * 86_400_000

/**
 * Stops the escalation of an alert in any state until an instant. A second snooze replaces the first.
 * @throws Unprocessable unless `until` is in the future and at most 30 days away; NotFound
 */
export async function snoozeAlert(scope: TenantScope, alertId: string, until: Date): Promise<AlertRow> {
  const away = until.getTime() - scope.clock.now().getTime()
  const fault = away <= 0 ? 'must be in the future' : away > MAX_SNOOZE_MS ? 'must be at most 30 days away' : null
  if (fault) throw new Unprocessable([{ path: 'body.snooze_until', message: fault }])
  const [row] = await scope.tx(
    (sql) => sql<AlertRow[]>`
      update alerts a set snoozed_until = ${until} where a.tenant_id = ${scope.tenantId} and a.id = ${alertId}
      returning ${sql.unsafe(ALERT_COLUMNS)}`,
  )
  if (!row) throw new NotFound('alert', alertId)
  return row
}
