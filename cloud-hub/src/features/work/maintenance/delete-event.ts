import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { lockEvent, withoutAudit } from './repository.ts'

/** Deletes the children of a series that have neither started nor been changed by themselves. */
export const deleteOpenChildren = (sql: TransactionSql, scope: TenantScope, parentId: string) => sql`
  delete from maintenance_events where tenant_id = ${scope.tenantId} and parent_event_id = ${parentId} and not is_edited
    and status in ('scheduled', 'cancelled')`

/**
 * Deletes an event. With a parent go its children that have neither started nor been changed by themselves; the others stay as
 * single events.
 * @throws NotFound
 */
export const deleteEvent = (scope: TenantScope, eventId: string): Promise<void> =>
  scope.tx(async (sql) => {
    const row = await lockEvent(sql, scope, eventId)
    if (row.recurrenceRule !== null)
      await withoutAudit(sql, scope, async () => {
        const children = sql`tenant_id = ${scope.tenantId} and parent_event_id = ${eventId}`
        await deleteOpenChildren(sql, scope, eventId)
        await sql`
          update maintenance_events set parent_event_id = null, updated_at = ${scope.clock.now()} where ${children}`
      })
    await sql`delete from maintenance_events where tenant_id = ${scope.tenantId} and id = ${eventId}`
  })
