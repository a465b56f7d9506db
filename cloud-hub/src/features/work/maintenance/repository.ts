import { columns } from '../../../db/columns.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import { actorSetting, type TenantScope } from '../../../db/scope.ts'
import { qualified } from '../../../db/sql.ts'
import type { maintenanceEvents } from '../../../db/tables/maintenance.ts'
import { fieldError, NotFound, Unprocessable } from '../../../support/errors.ts'
import { limitsOf } from '../../../support/http/shapes.ts'
import type { z } from '../../../support/http/z.ts'
import { inGroup } from '../../plant/machine-groups/index.ts'
import { machineNameOf } from '../../plant/machines/index.ts'
import { type EventQuery, MAX_LISTED } from './schemas.ts'

export type MaintenanceEventRow = typeof maintenanceEvents.$inferSelect & { machineName: string }

/** The columns of a {@link MaintenanceEventRow} of the table `maintenance_events e`. */
export const EVENT_COLUMNS = `${qualified(columns.maintenanceEvents, 'e')}, ${machineNameOf('e')}`

/** @throws NotFound */
export async function eventById(sql: TransactionSql, scope: TenantScope, eventId: string): Promise<MaintenanceEventRow> {
  const [row] = await sql<MaintenanceEventRow[]>`
    select ${sql.unsafe(EVENT_COLUMNS)} from maintenance_events e where e.tenant_id = ${scope.tenantId} and e.id = ${eventId}`
  if (!row) throw new NotFound('maintenance event', eventId)
  return row
}

/** @throws NotFound */
export const findEvent = (scope: TenantScope, { event_id }: { event_id: string }): Promise<MaintenanceEventRow> =>
  scope.read((sql) => eventById(sql, scope, event_id))

/** Locks an event for a change. @throws NotFound */
export async function lockEvent(sql: TransactionSql, scope: TenantScope, eventId: string): Promise<MaintenanceEventRow> {
  const [row] = await sql<MaintenanceEventRow[]>`
    select ${sql.unsafe(EVENT_COLUMNS)} from maintenance_events e where e.tenant_id = ${scope.tenantId} and e.id = ${eventId} for update`
  if (!row) throw new NotFound('maintenance event', eventId)
  return row
}

/** Events by their start. @throws Unprocessable when there are more than one answer holds */
export async function listEvents(scope: TenantScope, query: z.output<typeof EventQuery>) {
  const { machine_id, group_id, status, start_after, end_before, end_after, start_before } = query
  if (start_after && end_before && end_before <= start_after)
    throw new Unprocessable([fieldError('query.end_before', 'not_after', { other: 'start_after' })])
  if (end_after && start_before && start_before <= end_after)
    throw new Unprocessable([fieldError('query.start_before', 'not_after', { other: 'end_after' })])
  const { limit, offset } = limitsOf(query)
  const [rows, [counted]] = await scope.read((sql) => {
    const matching = sql`e.tenant_id = ${scope.tenantId}
      ${machine_id ? sql`and e.machine_id = ${machine_id}` : sql``} ${status ? sql`and e.status = ${status}` : sql``}
      ${inGroup(sql, scope.tenantId, group_id, 'e.machine_id')}
      ${start_after ? sql`and e.scheduled_start >= ${start_after}` : sql``}
      ${end_before ? sql`and e.scheduled_end <= ${end_before}` : sql``}
      ${end_after ? sql`and e.scheduled_end > ${end_after}` : sql``}
      ${start_before ? sql`and e.scheduled_start < ${start_before}` : sql``}`
    return Promise.all([
      sql<MaintenanceEventRow[]>`
        select ${sql.unsafe(EVENT_COLUMNS)} from maintenance_events e where ${matching}
        order by e.scheduled_start, e.id limit ${limit ?? MAX_LISTED + 1} offset ${offset}`,
      limit === null
        ? []
        : sql<{ n: number }[]>`
            select count(*)::int as n from maintenance_events e where ${matching}`,
    ])
  })
  if (rows.length <= MAX_LISTED) return { rows, total: counted?.n ?? rows.length }
  const message = `more than ${MAX_LISTED.toLocaleString('en')} events match: narrow the range with start_after and end_before`
  throw new Unprocessable([
    fieldError('query.start_after', 'max_matches', { limit: MAX_LISTED }, message),
    fieldError('query.end_before', 'max_matches', { limit: MAX_LISTED }, message),
  ])
}

/** What a body names; null and undefined name nothing. */
interface Named {
  machine_id?: string | undefined
  linked_alert_id?: string | null | undefined
  assigned_to?: string | null | undefined
  checklist_id?: string | null | undefined
}

/** @throws NotFound for the first of these that the tenant does not have; a user must be an active member. Unprocessable for an alert of another machine */
export async function checkNamed(sql: TransactionSql, { tenantId }: TenantScope, named: Named): Promise<void> {
  const given = (id: string | null | undefined) => id ?? null
  const [missing] = await sql<{ thing: 'machine' | 'alert' | 'user' | 'checklist'; id: string }[]>`
    select thing, id from (values
      (1, 'machine', ${given(named.machine_id)}::uuid, exists (select from machines where tenant_id = ${tenantId} and id = ${given(named.machine_id)})),
      (2, 'alert', ${given(named.linked_alert_id)}, exists (select from alerts where tenant_id = ${tenantId} and id = ${given(named.linked_alert_id)})),
      (3, 'user', ${given(named.assigned_to)},
        exists (select from users where tenant_id = ${tenantId} and id = ${given(named.assigned_to)} and is_active and not is_invited and not is_service)),
      (4, 'checklist', ${given(named.checklist_id)}, exists (select from checklists where tenant_id = ${tenantId} and id = ${given(named.checklist_id)}))
    ) named(n, thing, id, is_known) where id is not null and not is_known order by n limit 1`
  if (missing) throw new NotFound(missing.thing, missing.id)
  if (!named.linked_alert_id || !named.machine_id) return
  const [alert] = await sql`
    select 1 from alerts where tenant_id = ${tenantId} and id = ${named.linked_alert_id} and machine_id = ${named.machine_id}`
  if (!alert) throw new Unprocessable([fieldError('body.linked_alert_id', 'other_machine')])
}

/** Changes the children of a series without entries in the audit log, which has one entry for the parent. */
export async function withoutAudit<T>(sql: TransactionSql, scope: TenantScope, work: () => Promise<T>): Promise<T> {
  await sql`select set_config('app.actor', '', true)`
  const result = await work()
  await sql`select set_config('app.actor', ${actorSetting(scope.actor)}, true)`
  return result
}
