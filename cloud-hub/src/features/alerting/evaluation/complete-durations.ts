import { lockRulesShared } from '../../../db/advisory-locks.ts'
import { retryCollisions } from '../../../db/errors.ts'
import type { Sql, TransactionSql } from '../../../db/pools.ts'
import type { Clock } from '../../../support/clock.ts'
import { addCompositeTransitions } from './composite/flush.ts'
import { compositeRuleJson, parseCompositeRule, saveCompositeStates } from './composite/state.ts'
import { completeDue } from './composite/timer.ts'
import { updateMachineStatus } from './machine-status.ts'
import { openAlerts } from './open-alerts.ts'
import { emptyTransitions } from './transitions.ts'

/** Maximum of rules that one run completes per tenant. */
const MAX_RULES = 200
/** The due rules of a tenant that fails are tried again after this delay. */
const AGAIN_MS = 60_000
/** Failures that one error names. */
const MAX_REPORTED = 5

/**
 * Completes durations of composite rules that no reading completed, and evaluates pending instants with missing readings. A value
 * stays true until the next reading, unless it becomes stale. Safe in several replicas at once: each skips rows that another has
 * locked. The due rules of a tenant that fails are tried again after a minute; other tenants go on.
 * @returns the number of rules that were due
 * @throws AggregateError after the other tenants
 */
export async function completeDurations(allTenants: Sql, clock: Clock, offlineAfterSeconds: number): Promise<number> {
  const due = await allTenants<{ tenantId: string }[]>`
    select distinct tenant_id as "tenantId" from (
      select tenant_id from composite_conditions where due_at <= ${clock.now()} order by due_at limit ${MAX_RULES}) due`
  let count = 0
  const failures: Error[] = []
  for (const { tenantId } of due) {
    try {
      count += await retryCollisions(() => allTenants.begin((tx) => completeSome(tx, tenantId, clock.now(), offlineAfterSeconds)))
    } catch (error) {
      failures.push(new Error(`tenant ${tenantId}`, { cause: error }))
      await defer(allTenants, tenantId, clock.now())
    }
  }
  if (failures.length === 0) return count
  throw new AggregateError(failures.slice(0, MAX_REPORTED), `The rules of ${failures.length} tenants could not be completed.`)
}

const defer = (ingest: Sql, tenantId: string, now: Date) => ingest`
  update composite_conditions set due_at = ${new Date(now.getTime() + AGAIN_MS)} where tenant_id = ${tenantId} and due_at <= ${now}`

interface DueRow {
  ruleId: string
  rule: string
  machineId: string
  name: string
  identifier: string
  location: string | null
  isActive: boolean
}

async function completeSome(tx: TransactionSql, tenantId: string, now: Date, offlineAfterSeconds: number): Promise<number> {
  const staleAfterMs = offlineAfterSeconds * 1_000
  // before the rows, in the lock order of flushes
  lockRulesShared(tx, [tenantId])
  const rows = await tx<DueRow[]>`
    select c.rule_id as "ruleId", ${compositeRuleJson(tx)} as rule, m.id as "machineId", m.name, m.machine_identifier as identifier, m.location,
      r.is_active and m.is_active as "isActive"
    from composite_conditions c join composite_rules r on r.tenant_id = c.tenant_id and r.id = c.rule_id
    join machines m on m.tenant_id = r.tenant_id and m.id = r.machine_id
    where c.tenant_id = ${tenantId} and c.due_at <= ${now} order by c.tenant_id, c.rule_id limit ${MAX_RULES} for update of c skip locked`
  const evaluated = rows.map((row) => completeOne(tenantId, row, now, staleAfterMs))
  const transitions = emptyTransitions()
  addCompositeTransitions(transitions, evaluated, now)
  saveCompositeStates(tx, now, staleAfterMs, transitions.compositeStates, false)
  const unchanged = evaluated.filter(({ isCompleted }) => !isCompleted).map(({ match }) => match.composite.ruleId)
  // due again only after the next reading
  tx`update composite_conditions set due_at = null where tenant_id = ${tenantId} and rule_id = any(${unchanged}::uuid[])`.execute()
  openAlerts(tx, now, transitions, undefined)
  const reporting = evaluated
    .filter(({ isCompleted }) => isCompleted)
    .map(({ match, after }) => ({
      tenantId,
      machineId: match.machine.id,
      newestAt: Math.max(...after.inputs.map((input) => input?.at ?? 0)),
    }))
  updateMachineStatus(tx, now, offlineAfterSeconds, reporting, { areReadings: false })
  return rows.length
}

function completeOne(tenantId: string, row: DueRow, now: Date, staleAfterMs: number) {
  const { ruleId, machineId, name, identifier, location } = row
  const composite = parseCompositeRule({ tenantId, ruleId, machineId }, row.rule)
  const { expression, state } = composite
  const completed = row.isActive ? completeDue(expression, staleAfterMs, state, now.getTime()) : null
  return {
    match: { composite, machine: { id: machineId, name, identifier, location } },
    after: completed?.after ?? state,
    transitions: (completed?.transitions ?? []).map((transition) => ({ transition, isOver: false })),
    isCompleted: completed !== null,
  }
}
