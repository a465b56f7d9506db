import { isDeepStrictEqual } from 'node:util'
import { and, asc, eq } from 'drizzle-orm'
import { lockRulesExclusive } from '../../../../db/advisory-locks.ts'
import { first, owned, type TenantDb, type TenantScope } from '../../../../db/scope.ts'
import { compositeConditions, compositeRules, type Expression } from '../../../../db/tables/composite-rules.ts'
import { machines } from '../../../../db/tables/machines.ts'
import { NotFound } from '../../../../support/errors.ts'
import { routeFor } from '../../../../support/http/route.ts'
import { z } from '../../../../support/http/z.ts'
import { latestOfMetrics } from '../../../telemetry/readings/index.ts'
import { evaluateComposite, INITIAL_COMPOSITE_STATE, recomputeMachineStatuses, resetRuleStates } from '../../evaluation/index.ts'
import { RuleParams, RuleQuery } from '../schemas.ts'
import { CompositeBody, CompositeCreate, CompositePut } from './schemas.ts'

const route = routeFor<TenantScope>()
const tag = 'Alert rules'
type CompositeRow = typeof compositeRules.$inferSelect

const presentComposite = (row: CompositeRow) => ({
  id: row.id,
  machine_id: row.machineId,
  name: row.name,
  description: row.description,
  expression: row.expression,
  severity: row.severity,
  is_active: row.isActive,
  created_at: row.createdAt.toISOString(),
})

const oneRule = (scope: TenantScope, ruleId: string) => and(owned(compositeRules, scope), eq(compositeRules.id, ruleId))
const metricsOf = ({ conditions }: Expression) => [...new Set(conditions.map(({ metric }) => metric))]

async function compositeOf(db: TenantDb, scope: TenantScope, ruleId: string): Promise<CompositeRow> {
  const row = await db.select().from(compositeRules).where(oneRule(scope, ruleId)).then(first)
  if (!row) throw new NotFound('rule', ruleId)
  return row
}
const findComposite = (scope: TenantScope, { rule_id }: { rule_id: string }) =>
  scope.read((db) => compositeOf(db, scope, rule_id))

async function knownMachine(db: TenantDb, scope: TenantScope, machineId: string): Promise<void> {
  const machine = await db
    .select({ id: machines.id })
    .from(machines)
    .where(and(owned(machines, scope), eq(machines.id, machineId)))
    .then(first)
  if (!machine) throw new NotFound('machine', machineId)
}

/** Initializes the state of a rule with the newest readings of its metrics, so that rare ones are known. The next reading is evaluated. */
async function begin(db: TenantDb, scope: TenantScope, { id, machineId, expression }: CompositeRow): Promise<void> {
  const latest = await latestOfMetrics(db, scope, machineId, metricsOf(expression))
  const samples = latest.map((one) => ({ ...one, timestamp: one.timestamp.getTime() }))
  const { inputs } = evaluateComposite(expression, Number.POSITIVE_INFINITY, INITIAL_COMPOSITE_STATE, samples).after
  const values = { machineId, inputs: [...inputs] }
  await db
    .insert(compositeConditions)
    .values({ tenantId: scope.tenantId, ruleId: id, ...values })
    .onConflictDoUpdate({ target: [compositeConditions.tenantId, compositeConditions.ruleId], set: values })
}

export const compositeRoutes = () => [
  route(
    {
      method: 'post',
      path: '/composite-rules',
      access: 'admin',
      tag,
      summary: 'Create a composite rule',
      description:
        'One to ten conditions on metrics of one machine, all (`AND`) or any (`OR`) of which must be true. A value older than the offline limit of the hub (10 minutes unless set otherwise) is unknown, and unknown is not true. An alert carries metric, value and threshold of the first true condition. The alert clears when the expression is false at two consecutive evaluations.',
      body: CompositeCreate,
      returns: CompositeBody,
      creates: true,
      refuses: { 404: ['machine_not_found'] },
    },
    async ({ scope, body }) =>
      scope.tx(async (db) => {
        // a flush under way does not know the rule: what it stores is judged by the next
        await lockRulesExclusive(db, scope)
        await knownMachine(db, scope, body.machine_id)
        const now = scope.clock.now()
        const values = {
          tenantId: scope.tenantId,
          machineId: body.machine_id,
          name: body.name,
          description: body.description ?? null,
          expression: body.expression,
          metrics: metricsOf(body.expression),
          severity: body.severity,
          isActive: body.is_active,
          createdAt: now,
          updatedAt: now,
        }
        const row = await db.insert(compositeRules).values(values).returning().then(first)
        if (!row) throw new Error('an inserted rule was not returned')
        await begin(db, scope, row)
        return presentComposite(row)
      }),
  ),
  route(
    {
      method: 'get',
      path: '/composite-rules',
      access: 'any',
      tag,
      summary: 'List composite rules, oldest first',
      description:
        'All composite rules of the tenant in one list, or those of one machine. An unknown machine answers an empty list.',
      query: RuleQuery,
      returns: z.array(CompositeBody),
    },
    async ({ scope, query }) => {
      const ofMachine = query.machine_id ? eq(compositeRules.machineId, query.machine_id) : undefined
      const rows = await scope.read((db) =>
        db
          .select()
          .from(compositeRules)
          .where(and(owned(compositeRules, scope), ofMachine))
          .orderBy(asc(compositeRules.createdAt), asc(compositeRules.id)),
      )
      return rows.map(presentComposite)
    },
  ),
  route(
    {
      method: 'put',
      path: '/composite-rules/{rule_id}',
      access: 'admin',
      tag,
      summary: 'Change a composite rule',
      description:
        'Changes the given fields. When something changes, what the rule had raised is cleared at once, and the next reading is evaluated afresh.',
      params: RuleParams,
      body: CompositePut,
      returns: CompositeBody,
      refuses: { 404: ['machine_not_found'] },
    },
    async ({ scope, params, body }) =>
      scope.tx(async (db) => {
        await lockRulesExclusive(db, scope)
        const before = await compositeOf(db, scope, params.rule_id)
        if (body.machine_id && body.machine_id !== before.machineId) await knownMachine(db, scope, body.machine_id)
        const expression = body.expression ?? before.expression
        const values = {
          machineId: body.machine_id ?? before.machineId,
          name: body.name ?? before.name,
          description: body.description === undefined ? before.description : body.description,
          expression,
          metrics: metricsOf(expression),
          severity: body.severity ?? before.severity,
          isActive: body.is_active ?? before.isActive,
        }
        if (
          isDeepStrictEqual(
            values,
            Object.fromEntries(Object.keys(values).map((key) => [key, before[key as keyof CompositeRow]])),
          )
        )
          return presentComposite(before)
        await resetRuleStates(db, scope, { ruleId: before.id })
        const row = await db
          .update(compositeRules)
          .set({ ...values, updatedAt: scope.clock.now() })
          .where(oneRule(scope, before.id))
          .returning()
          .then(first)
        if (!row) throw new NotFound('rule', before.id)
        await begin(db, scope, row)
        for (const machineId of new Set([before.machineId, row.machineId]))
          await recomputeMachineStatuses(db, scope, { id: row.id, machineId })
        return presentComposite(row)
      }),
    findComposite,
  ),
  route(
    {
      method: 'delete',
      path: '/composite-rules/{rule_id}',
      access: 'admin',
      tag,
      summary: 'Delete a composite rule; its alerts stay and are cleared',
      description: 'The alerts of the rule stay and are cleared, not acknowledged. The status of the machine is computed anew.',
      params: RuleParams,
      returns: null,
    },
    async ({ scope, params }) =>
      scope.tx(async (db) => {
        await resetRuleStates(db, scope, { ruleId: params.rule_id })
        const row = await db.delete(compositeRules).where(oneRule(scope, params.rule_id)).returning().then(first)
        if (!row) throw new NotFound('rule', params.rule_id)
        await recomputeMachineStatuses(db, scope, row)
        return undefined
      }),
  ),
]
