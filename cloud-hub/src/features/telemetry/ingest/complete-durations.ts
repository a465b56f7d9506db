import { lockRulesShared } from '../../../db/advisory-locks.ts'
import type { Sql, TransactionSql } from '../../../db/pools.ts'
import type { Clock } from '../../../support/clock.ts'
import { openAlerts } from '../../alerting/alerts/index.ts'
import {
  completeComposite,
  completionOf,
  compositeColumns,
  concernedComposite,
  holdsUntil,
  saveComposites,
} from '../../alerting/rules/index.ts'
import { followReadings } from '../../plant/machines/index.ts'
import { addComposites } from './judge-composites.ts'

/** Rules of one turn. */
const PORTION = 200
/** How much later than an instant the timer may look at it. */
const GRACE_MS = 10_000

/**
 * Completes durations of composite rules where no reading came to do it, and evaluates instants that wait for readings in vain: what was true when it was last read is true until something else is read,
 * as long as it is known. Safe in several replicas at once: each takes other rows, and a flush that judges one has it locked.
 * @returns how many were looked at
 */
export async function completeDurations(ingest: Sql, clock: Clock, offlineAfterSeconds: number): Promise<number> {
  const limitMs = offlineAfterSeconds * 1_000
  const due = await ingest<{ tenantId: string }[]>`
    select distinct tenant_id as "tenantId" from (
      select tenant_id from composite_conditions where due_at <= ${clock.now()} order by due_at limit ${PORTION}) due`
  let looked = 0
  for (const { tenantId } of due)
    looked += await ingest.begin((tx) => completeSome(tx, tenantId, clock.now(), limitMs, offlineAfterSeconds))
  return looked
}

async function completeSome(tx: TransactionSql, tenantId: string, now: Date, limitMs: number, offlineAfterSeconds: number) {
  // before the rows, as flushes do it
  lockRulesShared(tx, [tenantId])
  const rows = await tx<
    {
      ruleId: string
      stands: string
      machineId: string
      name: string
      identifier: string
      location: string | null
      isWatched: boolean
    }[]
  >`
    select c.rule_id as "ruleId", ${compositeColumns(tx)} as stands, m.id as "machineId", m.name, m.machine_identifier as identifier, m.location,
      r.is_active and m.is_active as "isWatched"
    from composite_conditions c join composite_rules r on r.tenant_id = c.tenant_id and r.id = c.rule_id
    join machines m on m.tenant_id = r.tenant_id and m.id = r.machine_id
    where c.tenant_id = ${tenantId} and c.due_at <= ${now} order by c.tenant_id, c.rule_id limit ${PORTION} for update of c skip locked`
  const judged = rows.map(({ ruleId, stands, isWatched, machineId, ...its }) => {
    const composite = concernedComposite({ tenantId, ruleId, machineId }, stands)
    const { expression, state } = composite
    const isPending = state.pendingAt !== null
    const at = state.pendingAt ?? completionOf(expression, limitMs, state)
    const isDue = isWatched && at !== null && (isPending || at <= now.getTime())
    const completed = isDue ? completeComposite(expression, limitMs, state, at) : null
    // a hub that was away: what has been read since is on its way here, and tells better
    const isKnown =
      completed && (isPending || (holdsUntil(expression, limitMs, completed.after) ?? 0) + GRACE_MS >= now.getTime())
    return {
      watched: { composite, machine: { id: machineId, ...its } },
      after: isKnown ? completed.after : state,
      verdicts: isKnown ? completed.verdicts.map((verdict) => ({ verdict, isOver: false })) : [],
      isCompleted: isKnown === true,
    }
  })
  const verdicts = { changed: new Map(), raised: [], cleared: [] }
  const standing = addComposites(verdicts, judged, now)
  saveComposites(tx, now, limitMs, standing, false)
  const past = judged.filter(({ isCompleted }) => !isCompleted).map(({ watched }) => watched.composite.ruleId)
  // looked at in vain: not again before something is read
  tx`update composite_conditions set due_at = null where tenant_id = ${tenantId} and rule_id = any(${past}::uuid[])`.execute()
  openAlerts(tx, now, verdicts.raised, verdicts.cleared, undefined)
  const heard = judged
    .filter(({ isCompleted }) => isCompleted)
    .map(({ watched, after }) => ({
      tenantId,
      machineId: watched.machine.id,
      newestAt: Math.max(...after.inputs.map((input) => input?.at ?? 0)),
    }))
  followReadings(tx, now, offlineAfterSeconds, heard, { areReadings: false })
  return rows.length
}
