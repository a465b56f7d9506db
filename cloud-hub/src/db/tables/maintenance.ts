import { sql } from 'drizzle-orm'
import {
  boolean,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import type { MaintenanceStatus, RecurrenceRule } from '../enums.ts'
import { tenants, users } from './accounts.ts'
import { alerts } from './alerts.ts'
import { createdAt, id, instant, tenantId, updatedAt } from './common.ts'
import { machines } from './machines.ts'

/** Templates of instructions: a maintenance event creates its work order from one. */
export const checklists = pgTable(
  'checklists',
  {
    id: id(),
    tenantId: tenantId().references(() => tenants.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    /** in the order of the instructions that they become */
    steps: jsonb('steps').$type<{ title: string; body: string | null }[]>().notNull(),
    createdBy: uuid('created_by').notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.id] }), uniqueIndex('checklists_name_key').on(t.tenantId, sql`lower(${t.name})`)],
)

/**
 * Maintenance of a machine. The parent of a recurrence is its first occurrence; a worker inserts the following ones as children.
 * An event `in_progress` mutes the alerts of its machine.
 */
export const maintenanceEvents = pgTable(
  'maintenance_events',
  {
    id: id(),
    tenantId: tenantId().references(() => tenants.id, { onDelete: 'cascade' }),
    machineId: uuid('machine_id').notNull(),
    title: text('title').notNull(),
    description: text('description'),
    scheduledStart: instant('scheduled_start').notNull(),
    scheduledEnd: instant('scheduled_end').notNull(),
    status: text('status').$type<MaintenanceStatus>().notNull().default('scheduled'),
    linkedAlertId: uuid('linked_alert_id'),
    assignedTo: uuid('assigned_to'),
    /** the template of its work order */
    checklistId: uuid('checklist_id'),
    recurrenceRule: text('recurrence_rule').$type<RecurrenceRule>(),
    /** of a parent: the IANA zone in whose local time it recurs */
    timeZone: text('time_zone'),
    /** of a parent: number and start of the child that is made next; null when none follows */
    nextOccurrence: integer('next_occurrence'),
    nextOccurrenceAt: instant('next_occurrence_at'),
    /** of a child; null once the parent is deleted */
    parentEventId: uuid('parent_event_id'),
    /** of a child: the number of steps after its parent */
    occurrence: integer('occurrence'),
    /** a child that was started, changed or cancelled by itself: changes of its parent no longer concern it */
    isEdited: boolean('is_edited').notNull().default(false),
    /** the iCalendar SEQUENCE: increases with every change that calendars must notice */
    sequence: integer('sequence').notNull().default(0),
    createdBy: uuid('created_by').notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    foreignKey({ columns: [t.tenantId, t.machineId], foreignColumns: [machines.tenantId, machines.id] }).onDelete('cascade'),
    foreignKey({ columns: [t.tenantId, t.linkedAlertId], foreignColumns: [alerts.tenantId, alerts.id] }),
    foreignKey({ columns: [t.tenantId, t.assignedTo], foreignColumns: [users.tenantId, users.id] }),
    // A checklist in use cannot be deleted.
    foreignKey({
      name: 'maintenance_events_checklist_fk',
      columns: [t.tenantId, t.checklistId],
      foreignColumns: [checklists.tenantId, checklists.id],
    }),
    // The children of a deleted parent are deleted or released first, in the same transaction.
    foreignKey({
      name: 'maintenance_events_parent_fk',
      columns: [t.tenantId, t.parentEventId],
      foreignColumns: [t.tenantId, t.id],
    }),
    check('maintenance_events_order_check', sql`${t.scheduledEnd} > ${t.scheduledStart}`),
    index('maintenance_events_start_idx').on(t.tenantId, t.scheduledStart, t.id),
    index('maintenance_events_machine_idx').on(t.tenantId, t.machineId, t.scheduledStart, t.id),
    index('maintenance_events_status_idx').on(t.tenantId, t.status, t.scheduledStart, t.id),
    index('maintenance_events_assigned_idx')
      .on(t.tenantId, t.assignedTo, t.scheduledStart)
      .where(sql`${t.assignedTo} is not null`),
    index('maintenance_events_alert_idx').on(t.tenantId, t.linkedAlertId).where(sql`${t.linkedAlertId} is not null`),
    index('maintenance_events_checklist_idx').on(t.tenantId, t.checklistId).where(sql`${t.checklistId} is not null`),
    // One child for each occurrence, also when two hubs fill a recurrence at once.
    uniqueIndex('maintenance_events_occurrence_key')
      .on(t.tenantId, t.parentEventId, t.occurrence)
      .where(sql`${t.parentEventId} is not null`),
    // Muting: statements that store alerts look here.
    index('maintenance_events_muting_idx').on(t.tenantId, t.machineId).where(sql`${t.status} = 'in_progress'`),
    index('maintenance_events_fill_idx').on(t.nextOccurrenceAt).where(sql`${t.nextOccurrenceAt} is not null`),
    index('maintenance_events_reminder_idx').on(t.scheduledStart).where(sql`${t.status} = 'scheduled'`),
    index('maintenance_events_overrun_idx').on(t.scheduledEnd).where(sql`${t.status} = 'in_progress'`),
    // Recent changes, for live streams.
    index('maintenance_events_updated_idx').on(t.tenantId, t.updatedAt),
  ],
)

/** Addresses of iCalendar subscriptions: each belongs to one user and ends with it. Revoking deletes the row. */
export const calendarTokens = pgTable(
  'calendar_tokens',
  {
    id: id(),
    tenantId: tenantId(),
    userId: uuid('user_id').notNull(),
    label: text('label').notNull(),
    /** SHA-256 of the token, hex (256 random bits need no slow hash) */
    tokenHash: text('token_hash').notNull().unique(),
    createdAt: createdAt(),
    lastUsedAt: instant('last_used_at'),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    foreignKey({ columns: [t.tenantId, t.userId], foreignColumns: [users.tenantId, users.id] }).onDelete('cascade'),
    index('calendar_tokens_user_idx').on(t.tenantId, t.userId, t.createdAt),
  ],
)
