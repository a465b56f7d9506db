import { sql } from 'drizzle-orm'
import { boolean, doublePrecision, foreignKey, index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import type { AlertEvent, Comparison, Level, Severity } from '../enums.ts'
import { tenants } from './accounts.ts'
import { createdAt, id, instant, tenantId, updatedAt } from './common.ts'
import { machines } from './machines.ts'

export const thresholdRules = pgTable(
  'threshold_rules',
  {
    id: id(),
    tenantId: tenantId().references(() => tenants.id, { onDelete: 'cascade' }),
    /** null: every machine of the tenant */
    machineId: uuid('machine_id'),
    metricName: text('metric_name').notNull(),
    warningThreshold: doublePrecision('warning_threshold').notNull(),
    criticalThreshold: doublePrecision('critical_threshold').notNull(),
    isActive: boolean('is_active').notNull().default(true),
    createdBy: uuid('created_by').notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    foreignKey({ columns: [t.tenantId, t.machineId], foreignColumns: [machines.tenantId, machines.id] }).onDelete('cascade'),
    index('threshold_rules_concern_idx').on(t.tenantId, t.metricName, t.machineId).where(sql`${t.isActive}`),
  ],
)

/**
 * How one rule stands for one machine and unit. Rows are locked in (rule, machine, unit) order, so any replica may evaluate any batch.
 * ```
 * normal --beyond warning--> warning --beyond critical--> critical      (each raises an alert; critical -> warning raises none)
 * warning, critical --2 consecutive newer readings not beyond warning--> normal  (alerts get cleared_at)
 * ```
 */
export const thresholdConditions = pgTable(
  'threshold_conditions',
  {
    tenantId: tenantId(),
    ruleId: uuid('rule_id').notNull(),
    machineId: uuid('machine_id').notNull(),
    unit: text('unit').notNull(),
    /** highest level alerted since the condition became standing; `normal` when it is not */
    standing: text('standing').$type<Level>().notNull().default('normal'),
    /** level of the newest evaluated reading, which determines the machine's status */
    current: text('current').$type<Level>().notNull().default('normal'),
    /** consecutive newest readings not beyond warning while standing */
    normalCount: integer('normal_count').notNull().default(0),
    /** timestamp of the newest evaluated reading; null: evaluation starts anew with the next reading */
    evaluatedAt: instant('evaluated_at'),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.ruleId, t.machineId, t.unit] }),
    foreignKey({ columns: [t.tenantId, t.ruleId], foreignColumns: [thresholdRules.tenantId, thresholdRules.id] }).onDelete(
      'cascade',
    ),
    foreignKey({ columns: [t.tenantId, t.machineId], foreignColumns: [machines.tenantId, machines.id] }).onDelete('cascade'),
    index('threshold_conditions_machine_idx').on(t.tenantId, t.machineId),
  ],
)

export const alerts = pgTable(
  'alerts',
  {
    id: id(),
    /** deleted with its machine, and that with its tenant: one foreign key check for each alert instead of two */
    tenantId: tenantId(),
    machineId: uuid('machine_id').notNull(),
    /** the threshold rule or composite rule; it stays when the rule is deleted, and is null where none is known */
    ruleId: uuid('rule_id'),
    unit: text('unit').notNull(),
    severity: text('severity').$type<Severity>().notNull(),
    metricName: text('metric_name').notNull(),
    triggerValue: doublePrecision('trigger_value').notNull(),
    thresholdValue: doublePrecision('threshold_value').notNull(),
    message: text('message').notNull(),
    /** how the value was compared with the threshold; null before this was stored */
    comparison: text('comparison').$type<Comparison>(),
    /** the name that the composite rule had then; null for a threshold rule, which has none, and before this was stored */
    ruleName: text('rule_name'),
    /** timestamp of the reading that raised it */
    triggeredAt: instant('triggered_at').notNull(),
    /** the reading arrived too long after its timestamp (`NOTIFY_WITHIN_MS`): the alert sends no notifications */
    isTooOldToNotify: boolean('is_too_old_to_notify').notNull().default(false),
    /** stored while maintenance was in progress on the machine: the alert sends no notifications and never escalates */
    isMuted: boolean('is_muted').notNull().default(false),
    acknowledgedAt: instant('acknowledged_at'),
    acknowledgedBy: uuid('acknowledged_by'),
    snoozedUntil: instant('snoozed_until'),
    /** when the job of escalations examines the alert next; null: no policy will escalate it. Triggers keep it */
    escalationDueAt: instant('escalation_due_at'),
    clearedAt: instant('cleared_at'),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    foreignKey({ columns: [t.tenantId, t.machineId], foreignColumns: [machines.tenantId, machines.id] }).onDelete('cascade'),
    index('alerts_newest_idx').on(t.tenantId, t.createdAt.desc(), t.id.desc()),
    // What a job examines of all tenants: recent changes, and escalations that are due.
    index('alerts_created_idx').on(t.createdAt),
    index('alerts_ended_idx').on(t.clearedAt).where(sql`${t.clearedAt} is not null`),
    index('alerts_escalation_idx')
      .on(t.escalationDueAt)
      .where(sql`${t.acknowledgedAt} is null and ${t.clearedAt} is null and ${t.escalationDueAt} is not null`),
    index('alerts_machine_idx').on(t.tenantId, t.machineId, t.createdAt.desc()),
    index('alerts_open_idx').on(t.tenantId, t.severity).where(sql`${t.acknowledgedAt} is null`),
    index('alerts_standing_idx').on(t.tenantId, t.ruleId, t.machineId, t.unit).where(sql`${t.clearedAt} is null`),
    // Recent changes, for live streams; an alert that was only raised is in none of these indexes.
    index('alerts_acknowledged_idx').on(t.tenantId, t.acknowledgedAt).where(sql`${t.acknowledgedAt} is not null`),
    index('alerts_snoozed_idx').on(t.tenantId, t.snoozedUntil).where(sql`${t.snoozedUntil} is not null`),
    index('alerts_cleared_idx').on(t.tenantId, t.clearedAt).where(sql`${t.clearedAt} is not null`),
  ],
)

/** Comments on an alert; immutable. */
export const alertComments = pgTable(
  'alert_comments',
  {
    id: id(),
    tenantId: tenantId(),
    alertId: uuid('alert_id').notNull(),
    authorId: uuid('author_id').notNull(),
    /** the name at that time: users are renamed and deleted */
    authorName: text('author_name').notNull(),
    body: text('body').notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    foreignKey({ columns: [t.tenantId, t.alertId], foreignColumns: [alerts.tenantId, alerts.id] }).onDelete('cascade'),
    index('alert_comments_alert_idx').on(t.tenantId, t.alertId, t.createdAt, t.id),
  ],
)

/** Events of an alert after it was raised, written by triggers. The alert's own row records the raising. */
export const alertHistory = pgTable(
  'alert_history',
  {
    id: id(),
    tenantId: tenantId(),
    alertId: uuid('alert_id').notNull(),
    event: text('event').$type<AlertEvent>().notNull(),
    at: instant('at').notNull(),
    /** {kind, id, name}; null: the hub itself, from readings or a timer */
    actor: jsonb('actor').$type<{ kind: string; id: string | null; name: string | null }>(),
    /** `snoozed`: {until}; `escalated`: {policy_id, policy_name, channel_id, channel_name} */
    details: jsonb('details').$type<Record<string, string>>(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    foreignKey({ columns: [t.tenantId, t.alertId], foreignColumns: [alerts.tenantId, alerts.id] }).onDelete('cascade'),
    index('alert_history_alert_idx').on(t.tenantId, t.alertId, t.at, t.id),
  ],
)
