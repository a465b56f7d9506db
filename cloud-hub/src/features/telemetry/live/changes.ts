import { and, eq, gte, or, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Sql } from '../../../db/pools.ts'
import { purge } from '../../../db/purge.ts'
import { owned, type TenantScope } from '../../../db/scope.ts'
import { alerts } from '../../../db/tables/alerts.ts'
import { downtimeRecords } from '../../../db/tables/downtime.ts'
import { machines } from '../../../db/tables/machines.ts'
import { maintenanceEvents } from '../../../db/tables/maintenance.ts'
import { shiftDefinitions, shiftLogs } from '../../../db/tables/shifts.ts'
import { deletedResources } from '../../../db/tables/work-messages.ts'
import { workOrders } from '../../../db/tables/work-orders.ts'
import { ALERT_COLUMNS, presentAlert } from '../../alerting/alerts/index.ts'
import { presentRecord, RECORD_COLUMNS } from '../../production/downtime/index.ts'
import { LOG_FIELDS, presentLog } from '../../production/shifts/index.ts'
import { presentEvent } from '../../work/maintenance/index.ts'
import { ORDER_COLUMNS, presentOrder } from '../../work/orders/index.ts'
import { latestWritten } from '../readings/index.ts'
import { type Cursor, cursorFromSnapshot, fullXid, isVisible } from './cursor.ts'

/** Maximum of changes of each kind that one poll sends; beyond it a `reset` event follows. */
const MAX_CHANGES = {
  readings: 5_000,
  status: 1_000,
  alert: 500,
  work_order: 500,
  maintenance: 1_000,
  downtime: 500,
  shift: 1_000,
  deleted: 1_000,
} as const
export type ChangeKind = keyof typeof MAX_CHANGES

/** Instants of rows come from their replica's clock, and their transactions commit a little later. */
const SLACK_MS = 60_000

/** A resource that was written; `body` is its current state, as the API shows it. */
export interface Change {
  kind: ChangeKind
  xid: number
  machineId: string
  body: Record<string, unknown>
}

export interface Changes {
  /** the snapshot up to which `changes` is complete */
  until: Cursor
  changes: Change[]
  /** kinds with more changes than the maximum */
  tooMany: ChangeKind[]
}

/** The cursor of the current snapshot. */
export async function currentCursor(scope: TenantScope): Promise<Cursor> {
  const at = scope.clock.now().getTime()
  const [row] = await scope.read((db) => db.execute<{ snapshot: string }>(snapshot))
  return cursorFromSnapshot(at, row?.snapshot ?? '') as Cursor
}
const snapshot = sql`select pg_current_snapshot()::text as snapshot`

/**
 * Loads what may have changed in a tenant since the earliest of some cursors. {@link unseenChanges} filters it for each cursor.
 * The writing transaction of a row (its `xmin`) marks latest values and machines as changed, so ingest does nothing for it.
 * Alerts, work orders, maintenance, downtime and shift logs are kept for ever; their instants narrow them down first.
 * @param machineIds null for all
 */
export async function loadChanges(
  scope: TenantScope,
  since: Pick<Cursor, 'at' | 'xmin'>,
  machineIds: readonly string[] | null,
): Promise<Changes> {
  // A read of its own: the others see all that this snapshot sees. Inside one read a query builder sends its statement when it is
  // awaited, which may be after them, and a row that commits in between would never be sent. Later rows follow with the next poll.
  const until = await currentCursor(scope)
  const recent = new Date(since.at - SLACK_MS)
  const written = (table: PgTable) => sql`age(${table}.xmin) <= (select age(${String(since.xmin % 2 ** 32)}::text::xid))`
  const xid = (table: PgTable) => sql<string>`${table}.xmin::text`
  const wanted = (column: PgColumn): SQL | undefined =>
    machineIds ? sql`${column} = any(${`{${machineIds.join()}}`}::text::uuid[])` : undefined
  const [values, states, raised, orders, events, stops, shifts, deleted] = await scope.read((db) =>
    Promise.all([
      latestWritten(db, scope, since.xmin, machineIds, MAX_CHANGES.readings + 1),
      db
        .select({
          xid: xid(machines),
          machineId: machines.id,
          identifier: machines.machineIdentifier,
          name: machines.name,
          status: machines.status,
          isActive: machines.isActive,
        })
        .from(machines)
        .where(and(owned(machines, scope), wanted(machines.id), written(machines)))
        .limit(MAX_CHANGES.status + 1),
      db
        .select({ xid: xid(alerts), alert: ALERT_COLUMNS })
        .from(alerts)
        .where(
          and(
            owned(alerts, scope),
            wanted(alerts.machineId),
            written(alerts),
            or(
              gte(alerts.createdAt, recent),
              gte(alerts.acknowledgedAt, recent),
              gte(alerts.snoozedUntil, recent),
              gte(alerts.clearedAt, recent),
            ),
          ),
        )
        .orderBy(alerts.createdAt, alerts.id)
        .limit(MAX_CHANGES.alert + 1),
      db
        .select({ xid: xid(workOrders), order: ORDER_COLUMNS })
        .from(workOrders)
        .where(
          and(owned(workOrders, scope), wanted(workOrders.machineId), gte(workOrders.updatedAt, recent), written(workOrders)),
        )
        .orderBy(workOrders.updatedAt, workOrders.id)
        .limit(MAX_CHANGES.work_order + 1),
      db
        .select({ xid: xid(maintenanceEvents), event: maintenanceEvents })
        .from(maintenanceEvents)
        .where(
          and(
            owned(maintenanceEvents, scope),
            wanted(maintenanceEvents.machineId),
            gte(maintenanceEvents.updatedAt, recent),
            written(maintenanceEvents),
          ),
        )
        .orderBy(maintenanceEvents.updatedAt, maintenanceEvents.id)
        .limit(MAX_CHANGES.maintenance + 1),
      db
        .select({ xid: xid(downtimeRecords), record: RECORD_COLUMNS })
        .from(downtimeRecords)
        .where(
          and(
            owned(downtimeRecords, scope),
            wanted(downtimeRecords.machineId),
            gte(downtimeRecords.updatedAt, recent),
            written(downtimeRecords),
          ),
        )
        .orderBy(downtimeRecords.updatedAt, downtimeRecords.id)
        .limit(MAX_CHANGES.downtime + 1),
      db
        .select({ xid: xid(shiftLogs), log: LOG_FIELDS })
        .from(shiftLogs)
        .innerJoin(shiftDefinitions, and(owned(shiftDefinitions, scope), eq(shiftDefinitions.id, shiftLogs.shiftDefinitionId)))
        .where(and(owned(shiftLogs, scope), wanted(shiftLogs.machineId), gte(shiftLogs.updatedAt, recent), written(shiftLogs)))
        .orderBy(shiftLogs.updatedAt, shiftLogs.id)
        .limit(MAX_CHANGES.shift + 1),
      // rows of the last days only
      db
        .select({ xid: xid(deletedResources), gone: deletedResources })
        .from(deletedResources)
        .where(and(owned(deletedResources, scope), wanted(deletedResources.machineId), written(deletedResources)))
        .limit(MAX_CHANGES.deleted + 1),
    ]),
  )
  const changes: Change[] = []
  const add = (kind: ChangeKind, xid: number, machineId: string, body: Change['body']) => {
    if (isVisible(until, xid)) changes.push({ kind, xid, machineId, body })
  }
  for (const row of values.readings)
    add('readings', row.writer, row.machineId, {
      metric_name: row.metric,
      unit: row.unit,
      timestamp: row.timestamp.toISOString(),
      value: row.value,
      raw_tag: row.rawTag,
    })
  for (const row of states)
    add('status', fullXid(Number(row.xid), until), row.machineId, {
      machine_id: row.machineId,
      machine_identifier: row.identifier,
      name: row.name,
      status: row.status,
      is_active: row.isActive,
    })
  for (const row of raised) add('alert', fullXid(Number(row.xid), until), row.alert.machineId, presentAlert(row.alert))
  for (const row of orders) add('work_order', fullXid(Number(row.xid), until), row.order.machineId, presentOrder(row.order))
  for (const row of events) add('maintenance', fullXid(Number(row.xid), until), row.event.machineId, presentEvent(row.event))
  for (const row of stops) add('downtime', fullXid(Number(row.xid), until), row.record.machineId, presentRecord(row.record))
  for (const { xid, log } of shifts) add('shift', fullXid(Number(xid), until), log.machineId, presentLog(log))
  for (const { xid, gone } of deleted)
    add('deleted', fullXid(Number(xid), until), gone.machineId, { kind: gone.kind, id: gone.id, machine_id: gone.machineId })
  const tooMany = (
    [
      ['readings', values.isCut],
      ['status', states.length > MAX_CHANGES.status],
      ['alert', raised.length > MAX_CHANGES.alert],
      ['work_order', orders.length > MAX_CHANGES.work_order],
      ['maintenance', events.length > MAX_CHANGES.maintenance],
      ['downtime', stops.length > MAX_CHANGES.downtime],
      ['shift', shifts.length > MAX_CHANGES.shift],
      ['deleted', deleted.length > MAX_CHANGES.deleted],
    ] as const
  ).flatMap(([kind, isTooMany]) => (isTooMany ? [kind] : []))
  return { until, changes: changes.filter(({ kind }) => !tooMany.includes(kind)), tooMany }
}

/** The changes that a client with this cursor has not received. */
export const unseenChanges = ({ changes }: Changes, since: Cursor): Change[] =>
  changes.filter(({ xid }) => !isVisible(since, xid))

/** Deletes notes of deletions that no stream resumes from, as a stream resumes within a day. */
export async function purgeDeletions(allTenants: Sql, now: Date): Promise<void> {
  const before = new Date(now.getTime() - 2 * 86_400_000)
  await purge(allTenants, { table: 'deleted_resources', column: 'deleted_at', before })
}
