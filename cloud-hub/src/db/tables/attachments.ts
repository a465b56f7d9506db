import { sql } from 'drizzle-orm'
import { bigint, check, foreignKey, index, integer, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core'
import { createdAt, id, instant, tenantId, updatedAt } from './common.ts'
import { maintenanceEvents } from './maintenance.ts'
import { workOrders } from './work-orders.ts'

/** Stored files. A trigger queues the deletion of the file of every deleted row. */
export const attachments = pgTable(
  'attachments',
  {
    id: id(),
    /** deleted with its owner, as the instructions that name it are */
    tenantId: tenantId(),
    /** exactly one of the two owners */
    workOrderId: uuid('work_order_id'),
    maintenanceEventId: uuid('maintenance_event_id'),
    uploadedBy: uuid('uploaded_by').notNull(),
    filename: text('filename').notNull(),
    /** what the bytes show */
    contentType: text('content_type').notNull(),
    sizeBytes: bigint('size_bytes', { mode: 'number' }).notNull(),
    /** hex */
    sha256: text('sha256').notNull(),
    /** the name in the attachment store */
    storageKey: text('storage_key').notNull().unique(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    foreignKey({ columns: [t.tenantId, t.workOrderId], foreignColumns: [workOrders.tenantId, workOrders.id] }).onDelete(
      'cascade',
    ),
    foreignKey({
      columns: [t.tenantId, t.maintenanceEventId],
      foreignColumns: [maintenanceEvents.tenantId, maintenanceEvents.id],
    }).onDelete('cascade'),
    check('attachments_owner_check', sql`num_nonnulls(${t.workOrderId}, ${t.maintenanceEventId}) = 1`),
    // An instruction names an attachment of its own work order.
    unique('attachments_work_order_key').on(t.tenantId, t.workOrderId, t.id),
    index('attachments_order_idx').on(t.tenantId, t.workOrderId, t.createdAt, t.id).where(sql`${t.workOrderId} is not null`),
    index('attachments_event_idx')
      .on(t.tenantId, t.maintenanceEventId, t.createdAt, t.id)
      .where(sql`${t.maintenanceEventId} is not null`),
    // The sum of a tenant's sizes, for its quota.
    index('attachments_size_idx').on(t.tenantId, t.sizeBytes),
  ],
)

/**
 * Files to delete from the attachment store after the commit that deleted their row. Kept until the store has deleted the file. No
 * foreign key: they outlive their tenant.
 */
export const attachmentDeletions = pgTable(
  'attachment_deletions',
  {
    tenantId: tenantId(),
    storageKey: text('storage_key').notNull(),
    attempts: integer('attempts').notNull().default(0),
    error: text('error'),
    dueAt: instant('due_at').notNull().default(sql`now()`),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.storageKey] }), index('attachment_deletions_due_idx').on(t.dueAt)],
)

/**
 * Uploads whose file is being stored. A row reserves its size in the tenant's quota, and makes sure that the file is deleted if its
 * row is never inserted. No foreign key: it outlives its tenant.
 */
export const attachmentUploads = pgTable(
  'attachment_uploads',
  {
    tenantId: tenantId(),
    storageKey: text('storage_key').notNull(),
    sizeBytes: bigint('size_bytes', { mode: 'number' }).notNull(),
    /** from then on the file is deleted; later than any upload lasts */
    expiresAt: instant('expires_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.storageKey] }), index('attachment_uploads_expiry_idx').on(t.expiresAt)],
)

/** Steps of a work order, listed by `step_order`, then by creation. */
export const workOrderInstructions = pgTable(
  'work_order_instructions',
  {
    id: id(),
    tenantId: tenantId(),
    workOrderId: uuid('work_order_id').notNull(),
    stepOrder: integer('step_order').notNull(),
    title: text('title').notNull(),
    body: text('body'),
    /** an attachment of the same work order; cleared before that is deleted */
    attachmentId: uuid('attachment_id'),
    completedAt: instant('completed_at'),
    completedBy: uuid('completed_by'),
    createdBy: uuid('created_by').notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    foreignKey({ columns: [t.tenantId, t.workOrderId], foreignColumns: [workOrders.tenantId, workOrders.id] }).onDelete(
      'cascade',
    ),
    foreignKey({
      name: 'work_order_instructions_attachment_fk',
      columns: [t.tenantId, t.workOrderId, t.attachmentId],
      foreignColumns: [attachments.tenantId, attachments.workOrderId, attachments.id],
    }),
    check('work_order_instructions_step_check', sql`${t.stepOrder} >= 1`),
    index('work_order_instructions_order_idx').on(t.tenantId, t.workOrderId, t.stepOrder, t.createdAt, t.id),
    index('work_order_instructions_attachment_idx').on(t.tenantId, t.attachmentId).where(sql`${t.attachmentId} is not null`),
  ],
)
