import { sql } from 'drizzle-orm'
import { bigint, boolean, foreignKey, index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import type { COMPARISONS, OPERATORS, Severity } from '../enums.ts'
import { createdAt, id, instant, tenantId, updatedAt } from './common.ts'
import { machines } from './machines.ts'

/** The expression in the form that the API uses. */
export interface Expression {
  operator: (typeof OPERATORS)[number]
  conditions: {
    metric: string
    op: (typeof COMPARISONS)[number]
    value: number
    /** how long the expression must stay true without interruption, by reading time */
    duration_seconds?: number | undefined
  }[]
}

export const compositeRules = pgTable(
  'composite_rules',
  {
    id: id(),
    tenantId: tenantId(),
    machineId: uuid('machine_id').notNull(),
    name: text('name').notNull(),
    description: text('description'),
    expression: jsonb('expression').$type<Expression>().notNull(),
    /** metrics of its conditions, which select the series to evaluate */
    metrics: text('metrics').array().notNull(),
    severity: text('severity').$type<Severity>().notNull(),
    isActive: boolean('is_active').notNull().default(true),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    foreignKey({ columns: [t.tenantId, t.machineId], foreignColumns: [machines.tenantId, machines.id] }).onDelete('cascade'),
    index('composite_rules_concern_idx').on(t.tenantId, t.machineId).where(sql`${t.isActive}`),
  ],
)

/**
 * The state of a composite rule for its machine: one row each, created with the rule. Locked in (tenant, rule) order after
 * `threshold_conditions`.
 */
export const compositeConditions = pgTable(
  'composite_conditions',
  {
    tenantId: tenantId(),
    ruleId: uuid('rule_id').notNull(),
    machineId: uuid('machine_id').notNull(),
    /** the rule is standing: it raised an alert that has not ended */
    standing: boolean('standing').notNull().default(false),
    /** consecutive false evaluations while standing */
    normalCount: integer('normal_count').notNull().default(0),
    /** reading time of the last evaluation */
    evaluatedAt: instant('evaluated_at'),
    /** reading time of an instant that waits for further parts before it is evaluated */
    pendingAt: instant('pending_at'),
    /** newest reading by condition of the expression: {value, unit, at, since} in Unix ms, or null; lateMs: how late it arrived */
    inputs: jsonb('inputs')
      .$type<
        ({ value: number; unit: string; at: number; since: number | null; peers?: readonly number[]; lateMs?: number } | null)[]
      >()
      .notNull(),
    /** when a timer evaluates the rule: its duration ends, or it stops waiting for parts of an instant */
    dueAt: instant('due_at'),
    /** the last evaluation was true and its inputs are valid until then; determines the machine's status */
    holdsUntil: instant('holds_until'),
    /** changes with every update, so that a process can check its cache */
    version: bigint('version', { mode: 'number' }).notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.ruleId] }),
    foreignKey({ columns: [t.tenantId, t.ruleId], foreignColumns: [compositeRules.tenantId, compositeRules.id] }).onDelete(
      'cascade',
    ),
    index('composite_conditions_machine_idx').on(t.tenantId, t.machineId),
    index('composite_conditions_due_idx').on(t.dueAt).where(sql`${t.dueAt} is not null`),
  ],
)
