import { isDeepStrictEqual } from 'node:util'
import { lockRulesExclusive } from '../../../../db/advisory-locks.ts'
import { columns } from '../../../../db/columns.ts'
import type { TransactionSql } from '../../../../db/pools.ts'
import type { TenantScope } from '../../../../db/scope.ts'
import type { compositeRules, Expression } from '../../../../db/tables/composite-rules.ts'
import { latestOfMetrics } from '../../../../readings/index.ts'
import { NotFound } from '../../../../support/errors.ts'
import type { z } from '../../../../support/http/z.ts'
import { claimPlace } from '../../../people/limits/index.ts'
import { evaluateComposite, INITIAL_COMPOSITE_STATE, recomputeMachineStatuses, resetRuleStates } from '../../evaluation/index.ts'
import { requireMachine } from '../repository.ts'
import type { CompositeCreate, CompositePut } from './schemas.ts'

export type CompositeRow = typeof compositeRules.$inferSelect

const COLUMNS = columns.compositeRules

const metricsOf = ({ conditions }: Expression) => [...new Set(conditions.map(({ metric }) => metric))]

async function compositeOf(sql: TransactionSql, { tenantId }: TenantScope, ruleId: string): Promise<CompositeRow> {
  const [row] = await sql<CompositeRow[]>`
    select ${sql.unsafe(COLUMNS)} from composite_rules where tenant_id = ${tenantId} and id = ${ruleId}`
  if (!row) throw new NotFound('rule', ruleId)
  return row
}

/** @throws NotFound */
export const findComposite = (scope: TenantScope, { rule_id }: { rule_id: string }): Promise<CompositeRow> =>
  scope.read((sql) => compositeOf(sql, scope, rule_id))

/** Oldest first; those of one machine when it is given. */
export const listComposites = (scope: TenantScope, machineId: string | undefined): Promise<CompositeRow[]> =>
  scope.read(
    (sql) => sql<CompositeRow[]>`
      select ${sql.unsafe(COLUMNS)} from composite_rules
      where tenant_id = ${scope.tenantId} ${machineId ? sql`and machine_id = ${machineId}` : sql``} order by created_at, id`,
  )

/**
 * Initializes the state of a rule with the newest readings of its metrics, so that rarely reported metrics are known. The next
 * reading is evaluated.
 */
async function initialize(sql: TransactionSql, scope: TenantScope, { id, machineId, expression }: CompositeRow): Promise<void> {
  const latest = await latestOfMetrics(sql, scope, machineId, metricsOf(expression))
  const samples = latest.map((one) => ({ ...one, timestamp: one.timestamp.getTime() }))
  const { inputs } = evaluateComposite(expression, Number.POSITIVE_INFINITY, INITIAL_COMPOSITE_STATE, samples).after
  await sql`
    insert into composite_conditions (tenant_id, rule_id, machine_id, inputs)
    values (${scope.tenantId}, ${id}, ${machineId}, ${JSON.stringify(inputs)}::text::jsonb)
    on conflict (tenant_id, rule_id) do update set machine_id = excluded.machine_id, inputs = excluded.inputs`
}

/** @throws NotFound for an unknown machine, Conflict at the limit of the tenant */
export const createComposite = (scope: TenantScope, body: z.output<typeof CompositeCreate>): Promise<CompositeRow> =>
  scope.tx(async (sql) => {
    // A concurrent flush does not know the rule; the next flush evaluates it.
    await lockRulesExclusive(sql, scope)
    await requireMachine(sql, scope, body.machine_id)
    await claimPlace(sql, scope, 'rules')
    const now = scope.clock.now()
    const [row] = await sql<CompositeRow[]>`
      insert into composite_rules (tenant_id, machine_id, name, description, expression, metrics, severity, is_active, created_at, updated_at)
      values (${scope.tenantId}, ${body.machine_id}, ${body.name}, ${body.description || null}, ${JSON.stringify(body.expression)}::text::jsonb,
        ${metricsOf(body.expression)}::text[], ${body.severity}, ${body.is_active}, ${now}, ${now})
      returning ${sql.unsafe(COLUMNS)}`
    if (!row) throw new Error('an inserted rule was not returned')
    await initialize(sql, scope, row)
    return row
  })

/** Changes a rule and clears its open alerts. @throws NotFound */
export const changeComposite = (scope: TenantScope, ruleId: string, body: z.output<typeof CompositePut>): Promise<CompositeRow> =>
  scope.tx(async (sql) => {
    await lockRulesExclusive(sql, scope)
    const before = await compositeOf(sql, scope, ruleId)
    if (body.machine_id && body.machine_id !== before.machineId) await requireMachine(sql, scope, body.machine_id)
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
    await resetRuleStates(sql, scope, { ruleId: before.id })
    const [row] = await sql<CompositeRow[]>`
      update composite_rules set machine_id = ${values.machineId}, name = ${values.name}, description = ${values.description},
        expression = ${JSON.stringify(expression)}::text::jsonb, metrics = ${values.metrics}::text[], severity = ${values.severity},
        is_active = ${values.isActive}, updated_at = ${scope.clock.now()}
      where tenant_id = ${scope.tenantId} and id = ${before.id} returning ${sql.unsafe(COLUMNS)}`
    if (!row) throw new NotFound('rule', before.id)
    await initialize(sql, scope, row)
    for (const machineId of new Set([before.machineId, row.machineId]))
      await recomputeMachineStatuses(sql, scope, { id: row.id, machineId })
    return row
  })

/** Deletes a rule. Its alerts stay and are cleared. @throws NotFound */
export const deleteComposite = (scope: TenantScope, ruleId: string): Promise<void> =>
  scope.tx(async (sql) => {
    await resetRuleStates(sql, scope, { ruleId })
    const [row] = await sql<Pick<CompositeRow, 'id' | 'machineId'>[]>`
      delete from composite_rules where tenant_id = ${scope.tenantId} and id = ${ruleId} returning id, machine_id as "machineId"`
    if (!row) throw new NotFound('rule', ruleId)
    await recomputeMachineStatuses(sql, scope, row)
  })
