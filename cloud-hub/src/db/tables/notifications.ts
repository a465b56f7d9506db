import { sql } from 'drizzle-orm'
import { boolean, foreignKey, index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { tenants } from './accounts.ts'
import { alerts } from './alerts.ts'
import { createdAt, id, instant, tenantId, updatedAt } from './common.ts'

export const notificationChannels = pgTable(
  'notification_channels',
  {
    id: id(),
    tenantId: tenantId().references(() => tenants.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    channelType: text('channel_type').notNull(),
    /** as answered: secrets are `***` */
    maskedConfig: jsonb('masked_config').$type<Record<string, unknown>>().notNull(),
    /** the whole configuration as JSON, sealed under SECRET_KEY and bound to this row */
    sealedConfig: text('sealed_config').notNull(),
    isActive: boolean('is_active').notNull().default(true),
    notifyOnAlert: boolean('notify_on_alert').notNull().default(true),
    createdBy: uuid('created_by').notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.id] })],
)

/** waiting -> delivered, or -> refused (permanent, or out of attempts) */
export const DELIVERY_STATUSES = ['waiting', 'delivered', 'refused'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** The outbox: one row per alert and channel, committed with the alert. Taken with SKIP LOCKED, woken by NOTIFY. */
export const deliveries = pgTable(
  'deliveries',
  {
    /** also the `webhook-id`, constant over retries */
    id: id(),
    tenantId: tenantId(),
    channelId: uuid('channel_id').notNull(),
    alertId: uuid('alert_id').notNull(),
    status: text('status').$type<DeliveryStatus>().notNull().default('waiting'),
    attempts: integer('attempts').notNull().default(0),
    /** when it may next be taken; pushed ahead while a worker holds it, so that a killed worker's delivery comes back */
    dueAt: instant('due_at').notNull().default(sql`now()`),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    foreignKey({
      columns: [t.tenantId, t.channelId],
      foreignColumns: [notificationChannels.tenantId, notificationChannels.id],
    }).onDelete('cascade'),
    foreignKey({ columns: [t.tenantId, t.alertId], foreignColumns: [alerts.tenantId, alerts.id] }).onDelete('cascade'),
    index('deliveries_due_idx').on(t.dueAt).where(sql`${t.status} = 'waiting'`),
    index('deliveries_channel_idx').on(t.tenantId, t.channelId),
  ],
)

/** Every attempt, as answered at `GET /notification-channels/{channel_id}/deliveries`. Test deliveries have no delivery and no alert. */
export const deliveryAttempts = pgTable(
  'delivery_attempts',
  {
    id: id(),
    tenantId: tenantId(),
    channelId: uuid('channel_id').notNull(),
    deliveryId: uuid('delivery_id'),
    alertId: uuid('alert_id'),
    attempt: integer('attempt').notNull(),
    status: text('status').notNull(),
    responseStatus: integer('response_status'),
    error: text('error'),
    attemptedAt: instant('attempted_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    foreignKey({
      columns: [t.tenantId, t.channelId],
      foreignColumns: [notificationChannels.tenantId, notificationChannels.id],
    }).onDelete('cascade'),
    index('delivery_attempts_channel_idx').on(t.tenantId, t.channelId, t.attemptedAt.desc(), t.id.desc()),
  ],
)
