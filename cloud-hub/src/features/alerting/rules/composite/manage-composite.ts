import { isDeepStrictEqual } from 'node:util'
import { and, asc, eq } from 'drizzle-orm'
import { lockRulesExclusive } from '../../../../db/advisory-locks.ts'
import { first, owned, type TenantDb, type TenantScope } from '../../../../db/scope.ts'
import { compositeConditions, compositeRules, type Expression } from '../../../../db/tables/composite-rules.ts'
import { NotFound } from '../../../../support/errors.ts'
import type { z } from '../../../../support/http/z.ts'
import { latestOfMetrics } from '../../../telemetry/readings/index.ts'
import { evaluateComposite, INITIAL_COMPOSITE_STATE, recomputeMachineStatuses, resetRuleStates } from '../../evaluation/index.ts'
import { requireMachine } from '../repository.ts'
import type { CompositeCreate, CompositePut } from './schemas.ts'

export type CompositeRow = typeof compositeRules.$inferSelect

const oneRule = (scope: TenantScope, ruleId: string) => and(owned(compositeRules, scope), eq(compositeRules.id, ruleId))
const metricsOf = ({ conditions }: Expression) => [...new Set(conditions.map(({ metric }) => metric))]

async function compositeOf(db: TenantDb, scope: TenantScope, ruleId: string): Promise<CompositeRow> {
  const row = await db.select().from(compositeRules).where(oneRule(scope, ruleId)).then(first)
  if (!row) throw new NotFound('rule', ruleId)
  return row
}

/** @throws NotFound */
export const findComposite = (scope: TenantScope, { rule_id }: { rule_id: string }) =>
  scope.read((db) => compositeOf(db, scope, rule_id))

/** Oldest first; those of one machine when it is given. */
export function listComposites(scope: TenantScope, machineId: string | undefined): Promise<CompositeRow[]> {
  const ofMachine = machineId ? eq(compositeRules.machineId, machineId) : undefined
  return scope.read((db) =>
    db
      .select()
      .from(compositeRules)
      .where(and(owned(compositeRules, scope), ofMachine))
      .orderBy(asc(compositeRules.createdAt), asc(compositeRules.id)),
  )
}

/**
 * Initializes the state of a rule with the newest readings of its metrics, so that rarely reported metrics are known. The next
 * reading is evaluated.
 */
async function initialize(db: TenantDb, scope: TenantScope, { id, machineId, expression }: CompositeRow): Promise<void> {
  const latest = await latestOfMetrics(db, scope, machineId, metricsOf(expression))
  const samples = latest.map((one) => ({ ...one, timestamp: one.timestamp.getTime() }))
  const { inputs } = evaluateComposite(expression, Number.POSITIVE_INFINITY, INITIAL_COMPOSITE_STATE, samples).after
  const values = { machineId, inputs: [...inputs] }
  await db
    .insert(compositeConditions)
    .values({ tenantId: scope.tenantId, ruleId: id, ...values })
    .onConflictDoUpdate({ target: [compositeConditions.tenantId, compositeConditions.ruleId], set: values })
}

/** @throws NotFound for an unknown machine */
export const createComposite = (scope: TenantScope, body: z.output<typeof CompositeCreate>): Promise<CompositeRow> =>
  scope.tx(async (db) => {
    // A concurrent flush does not know the rule; the next flush evaluates it.
    await lockRulesExclusive(db, scope)
    await requireMachine(db, scope, body.machine_id)
    const now = scope.clock.now()
    const values = {
      tenantId: scope.tenantId,
      machineId: body.machine_id,
      name: body.name,
      description: body.description || null,
      expression: body.expression,
      metrics: metricsOf(body.expression),
      severity: body.severity,
      isActive: body.is_active,
      createdAt: now,
      updatedAt: now,
    }
    const row = await db.insert(compositeRules).values(values).returning().then(first)
    if (!row) throw new Error('an inserted rule was not returned')
    await initialize(db, scope, row)
    return row
  })

/** Changes a rule and clears its open alerts. @throws NotFound */
export const changeComposite = (scope: TenantScope, ruleId: string, body: z.output<typeof CompositePut>): Promise<CompositeRow> =>
  scope.tx(async (db) => {
    await lockRulesExclusive(db, scope)
    const before = await compositeOf(db, scope, ruleId)
    if (body.machine_id && body.machine_id !== before.machineId) await requireMachine(db, scope, body.machine_id)
    const expression = body.expression ?? before.expression
    const values = {
      machineId: body.machine_id ?? before.machineId,
      name: body.name ?? before.name,
      description: body.description === undefined ? before.description : body.description || null,
      expression,
      metrics: metricsOf(expression),
      severity: body.severity ?? before.severity,
      isActive: body.is_active ?? before.isActive,
    }
    const same = Object.fromEntries(Object.keys(values).map((key) => [key, before[key as keyof CompositeRow]]))
    if (isDeepStrictEqual(values, same)) return before
    await resetRuleStates(db, scope, { ruleId: before.id })
    const row = await db
      .update(compositeRules)
      .set({ ...values, updatedAt: scope.clock.now() })
      .where(oneRule(scope, before.id))
      .returning()
      .then(first)
    if (!row) throw new NotFound('rule', before.id)
    await initialize(db, scope, row)
    for (const machineId of new Set([before.machineId, row.machineId]))
      await recomputeMachineStatuses(db, scope, { id: row.id, machineId })
    return row
  })

/** Deletes a rule. Its alerts stay and are cleared. @throws NotFound */
export const deleteComposite = (scope: TenantScope, ruleId: string): Promise<void> =>
  scope.tx(async (db) => {
    await resetRuleStates(db, scope, { ruleId })
    const row = await db.delete(compositeRules).where(oneRule(scope, ruleId)).returning().then(first)
    if (!row) throw new NotFound('rule', ruleId)
    await recomputeMachineStatuses(db, scope, row)
  })
