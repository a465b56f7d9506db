import { and, asc, eq, isNull, type SQL, sql } from 'drizzle-orm'
import { lockRulesExclusive } from '../../../db/advisory-locks.ts'
import { owned, type TenantDb, type TenantScope } from '../../../db/scope.ts'
import { alerts, ruleConditions } from '../../../db/tables/alerts.ts'
import { compositeConditions } from '../../../db/tables/composite-rules.ts'

const THRESHOLD = { standing: 'normal' as const, current: 'normal' as const, backCount: 0, judgedAt: null }
const COMPOSITE = { standing: false, backCount: 0, judgedAt: null, pendingAt: null, inputs: [], dueAt: null, holdsUntil: null }

/**
 * Resets the states of a rule, or of all rules on a machine. Sets `cleared_at` of their open alerts without acknowledging them.
 * The next reading is evaluated from the initial state.
 */
export async function resetRuleStates(
  db: TenantDb,
  scope: TenantScope,
  of: { ruleId: string } | { machineId: string },
): Promise<void> {
  await lockRulesExclusive(db, scope)
  const concerned = (table: typeof ruleConditions | typeof compositeConditions | typeof alerts): SQL =>
    'ruleId' in of ? eq(table.ruleId, of.ruleId) : eq(table.machineId, of.machineId)
  await db
    .update(ruleConditions)
    .set(THRESHOLD)
    .where(and(owned(ruleConditions, scope), concerned(ruleConditions)))
  await db
    .update(compositeConditions)
    .set({ ...COMPOSITE, version: sql`${compositeConditions.version} + 1` })
    .where(and(owned(compositeConditions, scope), concerned(compositeConditions)))
  // locked by id, as each statement locks several alerts
  const open = db
    .select({ id: alerts.id })
    .from(alerts)
    .where(and(owned(alerts, scope), concerned(alerts), isNull(alerts.clearedAt)))
    .orderBy(asc(alerts.id))
    .for('no key update')
  await db
    .update(alerts)
    .set({ clearedAt: scope.clock.now() })
    .where(and(owned(alerts, scope), sql`${alerts.id} = any(array(${open}))`))
}
