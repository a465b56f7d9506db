import type { Fault } from '@haltless/protocol'
import { sql } from 'drizzle-orm'
import { boolean, foreignKey, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import type { DeliveryStatus } from '../enums.ts'
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
    /** a type of the registry; `push` is a browser subscription, which lists do not show */
    channelType: text('channel_type').notNull(),
    /** capabilities of the type, copied from its adapter (channel.ts) for statements and triggers */
    audience: text('audience').$type<Audience>().notNull().default('people'),
    followsAlert: boolean('follows_alert').notNull().default(false),
    subjectKind: text('subject_kind').$type<SubjectKind>(),
    /** the configuration as responses show it: secrets are `***` */
    maskedConfig: jsonb('masked_config').$type<Record<string, unknown>>().notNull(),
    /** the complete configuration as JSON, encrypted under SECRET_KEY and bound to this row */
    sealedConfig: text('sealed_config').notNull(),
    isActive: boolean('is_active').notNull().default(true),
    notifyOnAlert: boolean('notify_on_alert').notNull().default(true),
    /** of a browser: since when its push service has answered nothing but 401 and 403 */
    refusedSince: instant('refused_since'),
    createdBy: uuid('created_by').notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    // A browser subscribes once.
    uniqueIndex('notification_channels_endpoint_idx')
      .on(t.tenantId, sql`(${t.maskedConfig} ->> 'endpoint_hash')`)
      .where(sql`${t.channelType} = 'push'`),
  ],
)

/** The event of the alert. Only incident and ticketing channels receive others than `raised`. */
export type DeliveryEvent = 'raised' | 'acknowledged' | 'cleared'

/**
 * The outbox: one row per alert, channel and event, committed with the alert. Workers claim rows with SKIP LOCKED and wake by
 * NOTIFY.
 */
export const deliveries = pgTable(
  'deliveries',
  {
    /** also the `webhook-id`, constant over retries */
    id: id(),
    tenantId: tenantId(),
    channelId: uuid('channel_id').notNull(),
    alertId: uuid('alert_id').notNull(),
    event: text('event').$type<DeliveryEvent>().notNull().default('raised'),
    /** the subject at an incident or ticketing tool: deliveries of one subject are sent in order */
    subject: text('subject'),
    /** the ticket's id at the tool */
    ticketId: text('ticket_id'),
    /** the delivery whose message includes this one */
    leadId: uuid('lead_id'),
    /** number of deliveries in this message, itself included */
    groupSize: integer('group_size').notNull().default(1),
    status: text('status').$type<DeliveryStatus>().notNull().default('waiting'),
    attempts: integer('attempts').notNull().default(0),
    /** when a worker may claim it; a claim moves it ahead as a lease, so a killed worker's delivery becomes due again */
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
    // The first row of a subject is the next to send.
    index('deliveries_turn_idx')
      .on(t.tenantId, t.channelId, t.subject, sql`(event <> 'raised')`, t.id)
      .where(sql`${t.status} = 'waiting' and ${t.subject} is not null`),
    index('deliveries_pending_digest_idx').on(t.dueAt).where(sql`${t.status} = 'pending_digest'`),
    // Ended deliveries, for the purge.
    index('deliveries_ended_idx').on(t.createdAt).where(sql`${t.status} in ('delivered', 'refused')`),
    // One index for both: with two, the planner uses the shorter one for a subject and scans a whole channel.
    index('deliveries_channel_subject_idx').on(t.tenantId, t.channelId, t.subject),
    index('deliveries_alert_idx').on(t.tenantId, t.alertId),
    index('deliveries_lead_idx').on(t.tenantId, t.leadId).where(sql`${t.leadId} is not null`),
  ],
)

/** The number of messages that a human-facing channel may still send at once; further ones form one message at `until`. */
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

/** Every attempt, as `GET /notification-channels/{channel_id}/deliveries` returns it. A test has neither delivery nor alert. */
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
    /** the English text of `fault` */
    error: text('error'),
    fault: jsonb('fault').$type<Fault>(),
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
