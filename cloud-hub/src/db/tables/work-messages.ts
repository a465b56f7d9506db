import { sql } from 'drizzle-orm'
import { check, foreignKey, index, integer, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core'
import type { WORK_MESSAGE_STATUSES, WorkMessageKind } from '../enums.ts'
import { users } from './accounts.ts'
import { createdAt, id, instant, tenantId } from './common.ts'
import { maintenanceEvents } from './maintenance.ts'
import { notes } from './notes.ts'
import { notificationChannels } from './notifications.ts'
import { workOrders } from './work-orders.ts'

/**
 * Outbox of messages to assignees and to people who are mentioned, committed with their cause: one row for each user and browser, and one
 * for the user's mail, which a worker moves to `mails`. Deleted with the work order, event or note.
 */
export const workMessages = pgTable(
  'work_messages',
  {
    id: id(),
    tenantId: tenantId(),
    kind: text('kind').$type<WorkMessageKind>().notNull(),
    userId: uuid('user_id').notNull(),
    /** the browser that receives it; null: a mail */
    channelId: uuid('channel_id'),
    /** exactly one of the three */
    workOrderId: uuid('work_order_id'),
    maintenanceEventId: uuid('maintenance_event_id'),
    noteId: uuid('note_id'),
    status: text('status').$type<(typeof WORK_MESSAGE_STATUSES)[number]>().notNull().default('waiting'),
    attempts: integer('attempts').notNull().default(0),
    error: text('error'),
    dueAt: instant('due_at').notNull().default(sql`now()`),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    foreignKey({ columns: [t.tenantId, t.userId], foreignColumns: [users.tenantId, users.id] }).onDelete('cascade'),
    foreignKey({
      columns: [t.tenantId, t.channelId],
      foreignColumns: [notificationChannels.tenantId, notificationChannels.id],
    }).onDelete('cascade'),
    foreignKey({ columns: [t.tenantId, t.workOrderId], foreignColumns: [workOrders.tenantId, workOrders.id] }).onDelete(
      'cascade',
    ),
    foreignKey({
      columns: [t.tenantId, t.maintenanceEventId],
      foreignColumns: [maintenanceEvents.tenantId, maintenanceEvents.id],
    }).onDelete('cascade'),
    foreignKey({ columns: [t.tenantId, t.noteId], foreignColumns: [notes.tenantId, notes.id] }).onDelete('cascade'),
    check('work_messages_subject_check', sql`num_nonnulls(${t.workOrderId}, ${t.maintenanceEventId}, ${t.noteId}) = 1`),
    index('work_messages_due_idx').on(t.dueAt).where(sql`${t.status} = 'waiting'`),
    index('work_messages_created_idx').on(t.createdAt),
    index('work_messages_user_idx').on(t.tenantId, t.userId),
    index('work_messages_channel_idx').on(t.tenantId, t.channelId).where(sql`${t.channelId} is not null`),
    index('work_messages_order_idx').on(t.tenantId, t.workOrderId).where(sql`${t.workOrderId} is not null`),
    index('work_messages_event_idx').on(t.tenantId, t.maintenanceEventId).where(sql`${t.maintenanceEventId} is not null`),
    index('work_messages_note_idx').on(t.tenantId, t.noteId).where(sql`${t.noteId} is not null`),
  ],
)

/** Reminders that were sent, so that each is sent once. A new due date or start has reminders of its own. */
export const workReminders = pgTable(
  'work_reminders',
  {
    id: id(),
    tenantId: tenantId(),
    kind: text('kind').$type<WorkMessageKind>().notNull(),
    workOrderId: uuid('work_order_id'),
    maintenanceEventId: uuid('maintenance_event_id'),
    /** the due date, start or end that it announced */
    forTime: instant('for_time').notNull(),
    sentAt: instant('sent_at').notNull(),
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
    check('work_reminders_subject_check', sql`num_nonnulls(${t.workOrderId}, ${t.maintenanceEventId}) = 1`),
    unique('work_reminders_once_key').on(t.tenantId, t.workOrderId, t.maintenanceEventId, t.kind, t.forTime).nullsNotDistinct(),
    index('work_reminders_age_idx').on(t.forTime),
    index('work_reminders_event_idx').on(t.tenantId, t.maintenanceEventId).where(sql`${t.maintenanceEventId} is not null`),
  ],
)

/**
 * Deleted work orders, maintenance events, downtime records, shift logs and notes of the last days, for live streams; written by a trigger. No
 * foreign keys: they outlive what they name.
 */
export const deletedResources = pgTable(
  'deleted_resources',
  {
    tenantId: tenantId(),
    kind: text('kind').$type<'work_order' | 'maintenance' | 'downtime' | 'shift' | 'note'>().notNull(),
    id: uuid('id').notNull(),
    /** null: of a note of a group */
    machineId: uuid('machine_id'),
    groupId: uuid('group_id'),
    deletedAt: instant('deleted_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.kind, t.id] }),
    index('deleted_resources_newest_idx').on(t.tenantId, t.deletedAt),
    index('deleted_resources_age_idx').on(t.deletedAt),
  ],
)
