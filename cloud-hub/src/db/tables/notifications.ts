import { sql } from 'drizzle-orm'
import { boolean, foreignKey, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { tenants } from './accounts.ts'
import { alerts } from './alerts.ts'
import { createdAt, id, instant, tenantId, updatedAt } from './common.ts'

/** Who receives: programs and incident tools each alert as it commits, ticketing tools in order, people a digest of many. */
export type Audience = 'program' | 'incident' | 'ticketing' | 'people'
/** What deliveries are about at the receiver: one alert, or the series (machine, metric and unit) that raised it. */
export type SubjectKind = 'alert' | 'series'

export const notificationChannels = pgTable(
  'notification_channels',
  {
    id: id(),
    tenantId: tenantId().references(() => tenants.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    /** one of the registry's; `push` is a browser's subscription, which is not listed */
    channelType: text('channel_type').notNull(),
    /** capabilities of the type, copied from its adapter (channel.ts) for statements and triggers */
    audience: text('audience').$type<Audience>().notNull().default('people'),
    followsAlert: boolean('follows_alert').notNull().default(false),
    subjectKind: text('subject_kind').$type<SubjectKind>(),
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
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    // a browser subscribes once
    uniqueIndex('notification_channels_endpoint_idx')
      .on(t.tenantId, sql`(${t.maskedConfig} ->> 'endpoint_hash')`)
      .where(sql`${t.channelType} = 'push'`),
  ],
)

/**
 * ```
 * waiting -> delivered, or -> refused (permanent, or out of attempts)
 * gathering -> waiting, or -> grouped: told in the message of another (lead_id), whose end is its own
 * ```
 */
export const DELIVERY_STATUSES = ['gathering', 'grouped', 'waiting', 'delivered', 'refused'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]
/** What happened to the alert. Only incident and ticketing channels hear of more than that it was raised. */
export type DeliveryEvent = 'raised' | 'acknowledged' | 'cleared'

/** The outbox: one row per alert, channel and event, committed with the alert. Taken with SKIP LOCKED, woken by NOTIFY. */
export const deliveries = pgTable(
  'deliveries',
  {
    /** also the `webhook-id`, constant over retries */
    id: id(),
    tenantId: tenantId(),
    channelId: uuid('channel_id').notNull(),
    alertId: uuid('alert_id').notNull(),
    event: text('event').$type<DeliveryEvent>().notNull().default('raised'),
    /** what it is about at an incident or ticketing tool: those with the same one go out one after another */
    subject: text('subject'),
    /** the ticket that it went to, as the tool names it */
    ticketId: text('ticket_id'),
    /** the delivery that tells of this one, too */
    leadId: uuid('lead_id'),
    /** deliveries that this one tells of, itself included */
    groupSize: integer('group_size').notNull().default(1),
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
    // whose turn it is of a subject: the first of these
    index('deliveries_turn_idx')
      .on(t.tenantId, t.channelId, t.subject, sql`(event <> 'raised')`, t.id)
      .where(sql`${t.status} = 'waiting' and ${t.subject} is not null`),
    index('deliveries_gathering_idx').on(t.dueAt).where(sql`${t.status} = 'gathering'`),
    // what is over and forgotten after a while
    index('deliveries_ended_idx').on(t.createdAt).where(sql`${t.status} in ('delivered', 'refused')`),
    // one for both: with two the planner takes the shorter one for a subject, and searches all of a channel's
    index('deliveries_channel_subject_idx').on(t.tenantId, t.channelId, t.subject),
    index('deliveries_alert_idx').on(t.tenantId, t.alertId),
    index('deliveries_lead_idx').on(t.tenantId, t.leadId).where(sql`${t.leadId} is not null`),
  ],
)

/** How many messages of a people's channel may still go out at once; what comes further leaves as one message at `until`. */
export const deliveryWindows = pgTable(
  'delivery_windows',
  {
    tenantId: tenantId(),
    channelId: uuid('channel_id').notNull(),
    until: instant('until').notNull(),
    sent: integer('sent').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.channelId] }),
    foreignKey({
      columns: [t.tenantId, t.channelId],
      foreignColumns: [notificationChannels.tenantId, notificationChannels.id],
    }).onDelete('cascade'),
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
    event: text('event').$type<DeliveryEvent>().notNull().default('raised'),
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
    index('delivery_attempts_age_idx').on(t.attemptedAt),
    index('delivery_attempts_channel_idx').on(t.tenantId, t.channelId, t.attemptedAt.desc(), t.id.desc()),
  ],
)
