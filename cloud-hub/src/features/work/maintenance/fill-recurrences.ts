import type { RecurrenceRule } from '../../../db/enums.ts'
import type { Sql, TransactionSql } from '../../../db/pools.ts'
import { filledUntil, firstOccurrenceFrom, occurrencesUntil } from './occurrences.ts'

/** The parent of a series. */
export interface Parent {
  tenantId: string
  id: string
  scheduledStart: Date
  recurrenceRule: RecurrenceRule
  timeZone: string
  /** the number of the child that is made next; null: none was made yet */
  nextOccurrence: number | null
}

export const recurrenceOf = ({ scheduledStart, recurrenceRule, timeZone }: Parent) => ({
  start: scheduledStart,
  rule: recurrenceRule,
  timeZone,
})

/**
 * Inserts the children of a series up to 12 months ahead and notes which one comes next, in the transaction that locked the parent.
 * A duration is seconds: days would depend on the time zone of the session.
 * The number of the next child only rises, so a deleted child is not made again. No child is made in the past, and none
 * answers the parent's alert.
 */
export async function fillSeries(sql: Sql | TransactionSql, parent: Parent, now: Date): Promise<void> {
  const recurrence = recurrenceOf(parent)
  const from = Math.max(parent.nextOccurrence ?? 1, firstOccurrenceFrom(recurrence, now))
  const { made, next } = occurrencesUntil(recurrence, from, filledUntil(now))
  await sql`
    insert into maintenance_events (tenant_id, machine_id, title, description, scheduled_start, scheduled_end, assigned_to, checklist_id,
      parent_event_id, occurrence, created_by, created_at, updated_at)
    select p.tenant_id, p.machine_id, p.title, p.description, child.start, child.start + make_interval(secs => extract(epoch from p.scheduled_end - p.scheduled_start)),
      p.assigned_to, p.checklist_id, p.id, child.n, p.created_by, ${now}, ${now}
    from maintenance_events p,
      unnest(${made.map(({ n }) => n)}::int[], ${made.map(({ start }) => start.toISOString())}::text[]::timestamptz[]) child(n, start)
    where p.tenant_id = ${parent.tenantId} and p.id = ${parent.id}
    order by child.n
    on conflict do nothing`
  await sql`
    update maintenance_events set next_occurrence = ${next.n}, next_occurrence_at = ${next.start}
    where tenant_id = ${parent.tenantId} and id = ${parent.id}`
}

/**
 * Fills all series whose next child is due. Each series is one transaction, so a kill leaves none half filled, and replicas skip
 * series that another fills.
 * A series that fails does so alone, and is tried again by the next run.
 * @returns the number of series filled
 * @throws AggregateError after the others
 */
export async function fillRecurrences(allTenants: Sql, now: Date, isStopping: () => boolean = () => false): Promise<number> {
  const failures = new Map<string, Error>()
  for (let count = 0; ; count++) {
    let parent: Parent | undefined
    try {
      await allTenants.begin(async (tx) => {
        parent = await claimSeries(tx, now, [...failures.keys()])
        if (parent) await fillSeries(tx, parent, now)
      })
    } catch (error) {
      if (!parent) throw error
      failures.set(parent.id, new Error(`series ${parent.id} of tenant ${parent.tenantId}`, { cause: error }))
    }
    if (parent && !isStopping()) continue
    if (failures.size === 0) return count
    throw new AggregateError(
      [...failures.values()].slice(0, MAX_REPORTED),
      `${failures.size} series of maintenance could not be filled.`,
    )
  }
}

/** Failures that one error names. */
const MAX_REPORTED = 5

async function claimSeries(allTenants: TransactionSql, now: Date, except: readonly string[]): Promise<Parent | undefined> {
  const [parent] = await allTenants<Parent[]>`
    select tenant_id as "tenantId", id, scheduled_start as "scheduledStart", recurrence_rule as "recurrenceRule", time_zone as "timeZone",
      next_occurrence as "nextOccurrence"
    from maintenance_events where next_occurrence_at <= ${filledUntil(now)} and id <> all(${except as string[]}::uuid[])
    order by next_occurrence_at limit 1 for update skip locked`
  return parent
}
