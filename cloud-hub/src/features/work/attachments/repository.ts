import { tenantLockKey } from '../../../db/advisory-locks.ts'
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

/** @throws NotFound */
export async function findAttachment(sql: TransactionSql, scope: TenantScope, attachmentId: string): Promise<AttachmentRow> {
  const [row] = await sql<AttachmentRow[]>`
    select ${sql.unsafe(COLUMNS)} from attachments where tenant_id = ${scope.tenantId} and id = ${attachmentId}`
  if (!row) throw new NotFound('attachment', attachmentId)
  return row
}

/** Bytes of a tenant's attachments and of its uploads under way. Holds the lock of the quota until the commit. */
export async function lockUsedBytes(sql: TransactionSql, scope: TenantScope): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${tenantLockKey('attachments', scope)}, 0))`
  const [row] = await sql<{ bytes: number }[]>`
    select ((select coalesce(sum(size_bytes), 0) from attachments where tenant_id = ${scope.tenantId})
      + (select coalesce(sum(size_bytes), 0) from attachment_uploads where tenant_id = ${scope.tenantId}))::float8 as bytes`
  return row?.bytes ?? 0
}

export async function eventExists(sql: TransactionSql, scope: TenantScope, eventId: string): Promise<boolean> {
  const rows = await sql`select 1 from maintenance_events where tenant_id = ${scope.tenantId} and id = ${eventId}`
  return rows.length > 0
}
