import { boolean, foreignKey, index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import type { Severity } from '../enums.ts'
import { tenants } from './accounts.ts'
import { alerts } from './alerts.ts'
import { createdAt, id, instant, tenantId, updatedAt } from './common.ts'
import { notificationChannels } from './notifications.ts'

export const escalationPolicies = pgTable(
  'escalation_policies',
  {
    id: id(),
    tenantId: tenantId().references(() => tenants.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    severity: text('severity').$type<Severity>().notNull(),
    /** delay from the alert's `created_at` */
    waitMinutes: integer('wait_minutes').notNull(),
    channelId: uuid('channel_id').notNull(),
    isActive: boolean('is_active').notNull().default(true),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    // no action: a channel in use by a policy cannot be deleted.
    foreignKey({
      name: 'escalation_policies_channel_fk',
      columns: [t.tenantId, t.channelId],
      foreignColumns: [notificationChannels.tenantId, notificationChannels.id],
    }),
  ],
)

/** Records that a policy was applied to an alert, once; written with the delivery. */
export const escalations = pgTable(
  'escalations',
  {
    tenantId: tenantId(),
    policyId: uuid('policy_id').notNull(),
    alertId: uuid('alert_id').notNull(),
    escalatedAt: instant('escalated_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.policyId, t.alertId] }),
    foreignKey({
      columns: [t.tenantId, t.policyId],
      foreignColumns: [escalationPolicies.tenantId, escalationPolicies.id],
    }).onDelete('cascade'),
    foreignKey({ columns: [t.tenantId, t.alertId], foreignColumns: [alerts.tenantId, alerts.id] }).onDelete('cascade'),
    index('escalations_alert_idx').on(t.tenantId, t.alertId),
  ],
)
