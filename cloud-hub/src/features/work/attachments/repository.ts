import { columns } from '../../../db/columns.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import type { attachments } from '../../../db/tables/attachments.ts'
import { NotFound } from '../../../support/errors.ts'

export type AttachmentRow = typeof attachments.$inferSelect

/** What an attachment belongs to. */
export type Owner = { kind: 'work_order'; id: string } | { kind: 'maintenance_event'; id: string }

export const COLUMNS = columns.attachments

/** Oldest first. */
export const listAttachments = (sql: TransactionSql, { tenantId }: TenantScope, owner: Owner) => sql<AttachmentRow[]>`
  select ${sql.unsafe(COLUMNS)} from attachments
  where tenant_id = ${tenantId} and ${ownedBy(sql, owner)} order by created_at, id`

export const ownedBy = (sql: TransactionSql, { kind, id }: Owner) =>
  kind === 'work_order' ? sql`work_order_id = ${id}` : sql`maintenance_event_id = ${id}`

/** An attachment, with the machine that it is about. @throws NotFound */
export async function findAttachment(
  sql: TransactionSql,
  scope: TenantScope,
  attachmentId: string,
): Promise<AttachmentRow & { machineId: string }> {
  const [row] = await sql<(AttachmentRow & { machineId: string })[]>`
    select ${sql.unsafe(COLUMNS)}, coalesce(
      (select o.machine_id from work_orders o where o.tenant_id = attachments.tenant_id and o.id = work_order_id),
      (select e.machine_id from maintenance_events e where e.tenant_id = attachments.tenant_id and e.id = maintenance_event_id)) as "machineId"
    from attachments where tenant_id = ${scope.tenantId} and id = ${attachmentId}`
  if (!row) throw new NotFound('attachment', attachmentId)
  return row
}

/** The machine of a maintenance event. @throws NotFound */
export async function machineOfEvent(sql: TransactionSql, scope: TenantScope, eventId: string): Promise<{ machineId: string }> {
  const [row] = await sql<{ machineId: string }[]>`
    select machine_id as "machineId" from maintenance_events where tenant_id = ${scope.tenantId} and id = ${eventId}`
  if (!row) throw new NotFound('maintenance event', eventId)
  return row
}
