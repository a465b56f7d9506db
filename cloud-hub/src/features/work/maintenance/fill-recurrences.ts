import type { RecurrenceRule } from '../../../db/enums.ts'
import type { Sql, TransactionSql } from '../../../db/pools.ts'
import { zoneOf } from '../../plant/machine-groups/index.ts'
import { filledUntil, firstOccurrenceFrom, occurrenceStart, occurrencesUntil } from './occurrences.ts'

/** The parent of a series. */
export interface Parent {
  tenantId: string
  id: string
  machineId: string
  scheduledStart: Date
  scheduledEnd: Date
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

/** A condition: the children of a series that have neither started nor been changed by themselves. */
export const openChildren = (sql: Sql | TransactionSql, parent: Parent) =>
  sql`tenant_id = ${parent.tenantId} and parent_event_id = ${parent.id} and not is_edited and status = 'scheduled'`

/**
 * Each open child starts its number of steps after the parent's local start, so all of them move by the same shift.
 * @param from only those that start after it, before and afterwards
 */
export async function moveChildren(sql: Sql | TransactionSql, parent: Parent, now: Date, from?: Date): Promise<void> {
  const children = await sql<{ id: string; n: number }[]>`
    select id, occurrence as n from maintenance_events
    where ${openChildren(sql, parent)} ${from ? sql`and scheduled_start > ${from}` : sql``} order by occurrence for update`
  const moved = children
    .map(({ id, n }) => ({ id, start: occurrenceStart(recurrenceOf(parent), n) }))
    .filter(({ start }) => !from || start > from)
  const seconds = (parent.scheduledEnd.getTime() - parent.scheduledStart.getTime()) / 1_000
  await sql`
    update maintenance_events e
    set scheduled_start = moved.start, scheduled_end = moved.start + make_interval(secs => ${seconds}),
      updated_at = ${now}, sequence = e.sequence + 1
    from unnest(${moved.map(({ id }) => id)}::uuid[], ${moved.map(({ start }) => start.toISOString())}::text[]::timestamptz[]) moved(id, start)
    where e.tenant_id = ${parent.tenantId} and e.id = moved.id
      and (e.scheduled_start, e.scheduled_end) <> (moved.start, moved.start + make_interval(secs => ${seconds}))`
}

/**
 * A series follows the local time of its machine: where that is of another zone now, the children ahead keep the parent's instant as
 * their time of day, and change their clocks as the new zone does.
 */
async function followZone(sql: TransactionSql, parent: Parent, now: Date): Promise<Parent> {
  const timeZone = await zoneOf(sql, parent.tenantId, { machine_id: parent.machineId })
  if (timeZone === parent.timeZone) return parent
  const moved = { ...parent, timeZone }
  await sql`update maintenance_events set time_zone = ${timeZone} where tenant_id = ${parent.tenantId} and id = ${parent.id}`
  await moveChildren(sql, moved, now, now)
  return moved
}

/**
 * Fills all series whose next child is due. A change of time zones makes the series of its machines due (`recheck_series`). Each series is one transaction, so a kill leaves none half filled, and replicas skip
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
        if (parent) await fillSeries(tx, await followZone(tx, parent, now), now)
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
    select tenant_id as "tenantId", id, machine_id as "machineId", scheduled_start as "scheduledStart", scheduled_end as "scheduledEnd", recurrence_rule as "recurrenceRule", time_zone as "timeZone",
      next_occurrence as "nextOccurrence"
    from maintenance_events where next_occurrence_at <= ${filledUntil(now)} and id <> all(${except as string[]}::uuid[])
    order by next_occurrence_at limit 1 for update skip locked`
  return parent
}
