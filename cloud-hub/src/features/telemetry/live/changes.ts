import { and, gte, or, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import { owned, type TenantScope } from '../../../db/scope.ts'
import { alerts } from '../../../db/tables/alerts.ts'
import { machines } from '../../../db/tables/machines.ts'
import { presentAlert } from '../../alerting/alerts/index.ts'
import { latestWritten } from '../readings/index.ts'
import { type Cursor, cursorFromSnapshot, fullXid, isVisible } from './cursor.ts'

/** Maximum of changes of each kind that one poll sends; beyond it a `reset` event follows. */
const MAX_CHANGES = { readings: 5_000, status: 1_000, alert: 500 } as const
export type ChangeKind = keyof typeof MAX_CHANGES

/** An alert's instants come from its replica's clock, and its transaction commits a little later. */
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
 * Alerts are kept for ever; their instants narrow them down first.
 * @param machineIds null for all
 */
export async function loadChanges(
  scope: TenantScope,
  since: Pick<Cursor, 'at' | 'xmin'>,
  machineIds: readonly string[] | null,
): Promise<Changes> {
  const at = scope.clock.now().getTime()
  const recent = new Date(since.at - SLACK_MS)
  const written = (table: PgTable) => sql`age(${table}.xmin) <= (select age(${String(since.xmin % 2 ** 32)}::text::xid))`
  const xid = (table: PgTable) => sql<string>`${table}.xmin::text`
  const wanted = (column: PgColumn): SQL | undefined =>
    machineIds ? sql`${column} = any(${`{${machineIds.join()}}`}::text::uuid[])` : undefined
  // The statements run in this order in one transaction, and each sees what was committed before it. Rows committed after the
  // first one follow with the next poll.
  const [moment, values, states, raised] = await scope.read((db) =>
    Promise.all([
      db.execute<{ snapshot: string }>(snapshot),
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
        .select({ xid: xid(alerts), alert: alerts })
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
    ]),
  )
  const until = cursorFromSnapshot(at, moment[0]?.snapshot ?? '') as Cursor
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
  const tooMany = (
    [
      ['readings', values.isCut],
      ['status', states.length > MAX_CHANGES.status],
      ['alert', raised.length > MAX_CHANGES.alert],
    ] as const
  ).flatMap(([kind, isTooMany]) => (isTooMany ? [kind] : []))
  return { until, changes: changes.filter(({ kind }) => !tooMany.includes(kind)), tooMany }
}

/** The changes that a client with this cursor has not received. */
export const unseenChanges = ({ changes }: Changes, since: Cursor): Change[] =>
  changes.filter(({ xid }) => !isVisible(since, xid))
