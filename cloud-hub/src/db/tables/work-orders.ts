import { sql } from 'drizzle-orm'
import { foreignKey, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import type { Priority, WORK_ORDER_EVENTS, WorkOrderStatus } from '../enums.ts'
import { tenants, users } from './accounts.ts'
import { alerts } from './alerts.ts'
import { createdAt, id, instant, tenantId, updatedAt } from './common.ts'
import { machines } from './machines.ts'

/**
 * Work on a machine. Changes of its assignees also update its row, because live streams find work orders by `updated_at` and `xmin`.
 */
export const workOrders = pgTable(
  'work_orders',
  {
    id: id(),
    tenantId: tenantId().references(() => tenants.id, { onDelete: 'cascade' }),
    machineId: uuid('machine_id').notNull(),
    /** the alert finds its open work order by this */
    alertId: uuid('alert_id'),
    /** the event that created it; no foreign key, because a signed work order does not change when its event is deleted */
    maintenanceEventId: uuid('maintenance_event_id'),
    title: text('title').notNull(),
    description: text('description'),
    status: text('status').$type<WorkOrderStatus>().notNull().default('open'),
    priority: text('priority').$type<Priority>().notNull().default('medium'),
    /** the primary assignee */
    assignedTo: uuid('assigned_to'),
    dueDate: instant('due_date'),
    completedAt: instant('completed_at'),
    completionNotes: text('completion_notes'),
    createdBy: uuid('created_by').notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => {
    const isOpen = sql`${t.status} in ('open', 'in_progress')`
    return [
      primaryKey({ columns: [t.tenantId, t.id] }),
      foreignKey({ columns: [t.tenantId, t.machineId], foreignColumns: [machines.tenantId, machines.id] }).onDelete('cascade'),
      foreignKey({ columns: [t.tenantId, t.alertId], foreignColumns: [alerts.tenantId, alerts.id] }),
      foreignKey({ columns: [t.tenantId, t.assignedTo], foreignColumns: [users.tenantId, users.id] }),
      index('work_orders_newest_idx').on(t.tenantId, t.createdAt.desc(), t.id.desc()),
      index('work_orders_machine_idx').on(t.tenantId, t.machineId, t.createdAt.desc(), t.id.desc()),
      index('work_orders_status_idx').on(t.tenantId, t.status, t.createdAt.desc(), t.id.desc()),
      index('work_orders_priority_idx').on(t.tenantId, t.priority, t.createdAt.desc(), t.id.desc()),
      index('work_orders_assigned_idx').on(t.tenantId, t.assignedTo, t.createdAt.desc()).where(sql`${t.assignedTo} is not null`),
      index('work_orders_due_idx').on(t.tenantId, t.dueDate, t.id).where(isOpen),
      // An alert, and an event, has at most one open work order; closed ones are not limited.
      uniqueIndex('work_orders_alert_key').on(t.tenantId, t.alertId).where(sql`${t.alertId} is not null and ${isOpen}`),
      uniqueIndex('work_orders_event_key')
        .on(t.tenantId, t.maintenanceEventId)
        .where(sql`${t.maintenanceEventId} is not null and ${isOpen}`),
      index('work_orders_alert_idx').on(t.tenantId, t.alertId).where(sql`${t.alertId} is not null`),
      index('work_orders_event_idx').on(t.tenantId, t.maintenanceEventId).where(sql`${t.maintenanceEventId} is not null`),
      // Reminders of all tenants.
      index('work_orders_reminder_idx').on(t.dueDate).where(isOpen),
      // Recent changes, for live streams.
      index('work_orders_updated_idx').on(t.tenantId, t.updatedAt),
    ]
  },
)

/** Additional assignees. */
export const workOrderAssignees = pgTable(
  'work_order_assignees',
  {
    tenantId: tenantId(),
    workOrderId: uuid('work_order_id').notNull(),
    userId: uuid('user_id').notNull(),
    /** the index in `assignee_ids` */
    position: integer('position').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.workOrderId, t.userId] }),
    foreignKey({ columns: [t.tenantId, t.workOrderId], foreignColumns: [workOrders.tenantId, workOrders.id] }).onDelete(
      'cascade',
    ),
    foreignKey({ columns: [t.tenantId, t.userId], foreignColumns: [users.tenantId, users.id] }).onDelete('cascade'),
    index('work_order_assignees_user_idx').on(t.tenantId, t.userId),
  ],
)

/** Comments on a work order; immutable. */
export const workOrderComments = pgTable(
  'work_order_comments',
  {
    id: id(),
    tenantId: tenantId(),
    workOrderId: uuid('work_order_id').notNull(),
    authorId: uuid('author_id').notNull(),
    /** the name at that time */
    authorName: text('author_name').notNull(),
    body: text('body').notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    foreignKey({ columns: [t.tenantId, t.workOrderId], foreignColumns: [workOrders.tenantId, workOrders.id] }).onDelete(
      'cascade',
    ),
    index('work_order_comments_order_idx').on(t.tenantId, t.workOrderId, t.createdAt, t.id),
  ],
)

/** The history of a work order, its assignees, instructions, attachments and sign-offs, written by triggers. */
export const workOrderHistory = pgTable(
  'work_order_history',
  {
    id: id(),
    tenantId: tenantId(),
    workOrderId: uuid('work_order_id').notNull(),
    at: instant('at').notNull(),
    /** {kind, id, name}; null: the hub itself */
    actor: jsonb('actor').$type<{ kind: string; id: string | null; name: string | null }>(),
    event: text('event').$type<(typeof WORK_ORDER_EVENTS)[number]>().notNull(),
    /** the instruction, attachment, sign-off or assignee; null for the work order itself */
    subjectId: uuid('subject_id'),
    subjectName: text('subject_name'),
    /** by field of the API */
    changes: jsonb('changes').$type<Record<string, { from: unknown; to: unknown }>>(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    foreignKey({ columns: [t.tenantId, t.workOrderId], foreignColumns: [workOrders.tenantId, workOrders.id] }).onDelete(
      'cascade',
    ),
    index('work_order_history_order_idx').on(t.tenantId, t.workOrderId, t.at, t.id),
  ],
)
