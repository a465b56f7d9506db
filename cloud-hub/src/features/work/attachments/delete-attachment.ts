import type { TenantScope } from '../../../db/scope.ts'
import { lockOwner } from './add-attachment.ts'
import { findAttachment } from './repository.ts'

/**
 * Deletes an attachment and clears it from instructions. A trigger queues the deletion of its file.
 * @throws NotFound; Conflict when its work order is signed
 */
export const deleteAttachment = (scope: TenantScope, attachmentId: string): Promise<void> =>
  scope.tx(async (sql) => {
    const { workOrderId, maintenanceEventId } = await findAttachment(sql, scope, attachmentId)
    await lockOwner(
      sql,
      scope,
      workOrderId ? { kind: 'work_order', id: workOrderId } : { kind: 'maintenance_event', id: maintenanceEventId ?? '' },
    )
    // Of two concurrent deletions, the second waited for the lock.
    await findAttachment(sql, scope, attachmentId)
    await sql`update work_order_instructions set attachment_id = null, updated_at = ${scope.clock.now()}
      where tenant_id = ${scope.tenantId} and attachment_id = ${attachmentId}`
    await sql`delete from attachments where tenant_id = ${scope.tenantId} and id = ${attachmentId}`
  })
