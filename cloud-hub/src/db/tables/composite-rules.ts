import { sql } from 'drizzle-orm'
import { bigint, boolean, foreignKey, index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import type { Severity } from './alerts.ts'
import { createdAt, id, instant, tenantId, updatedAt } from './common.ts'
import { machines } from './machines.ts'

export const OPERATORS = ['AND', 'OR'] as const
export const COMPARISONS = ['>', '>=', '<', '<=', '=='] as const

/** As people give it and see it. */
export interface Expression {
  operator: (typeof OPERATORS)[number]
  conditions: {
    metric: string
    op: (typeof COMPARISONS)[number]
    value: number
    /** how long it must hold without a break, by reading time */
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
    /** those of its conditions: which series concern it */
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

/** How a composite rule stands for its machine: one row each, made with the rule, locked in (tenant, rule) order after `rule_conditions`. */
export const compositeConditions = pgTable(
  'composite_conditions',
  {
    tenantId: tenantId(),
    ruleId: uuid('rule_id').notNull(),
    machineId: uuid('machine_id').notNull(),
    /** it has raised an alert that has not ended */
    standing: boolean('standing').notNull().default(false),
    /** consecutive evaluations that were false while standing */
    backCount: integer('back_count').notNull().default(0),
    /** reading time of the last evaluation */
    judgedAt: instant('judged_at'),
    /** reading time of an instant that is not evaluated yet, because parts of it are still missing */
    pendingAt: instant('pending_at'),
    /** by condition of the expression: {value, unit, at, since} of its newest reading in Unix ms, or null */
    inputs: jsonb('inputs')
      .$type<({ value: number; unit: string; at: number; since: number | null; peers?: readonly number[] } | null)[]>()
      .notNull(),
    /** when it becomes true unless a reading comes before, or stops waiting for the rest of an instant: a timer evaluates it then */
    dueAt: instant('due_at'),
    /** the last evaluation was true, and what made it so is known until then: what the machine's status goes by */
    holdsUntil: instant('holds_until'),
    /** moves with every change, so that a process knows whether what it remembers still holds */
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
