import type { Sql, TransactionSql } from '../../db/pools.ts'
import { purge } from '../../db/purge.ts'
import type { TenantScope } from '../../db/scope.ts'
import { latestWritten } from '../../readings/index.ts'
import { ALERT_COLUMNS, type AlertRow, presentAlert } from '../alerting/alerts/index.ts'
import { presentRecord, RECORD_COLUMNS, type RecordRow } from '../production/downtime/index.ts'
import { presentLog, SHIFT_LOG_COLUMNS, type ShiftLogRow } from '../production/shifts/index.ts'
import { EVENT_COLUMNS, type MaintenanceEventRow, presentEvent } from '../work/maintenance/index.ts'
import { ORDER_COLUMNS, type OrderRow, presentOrder } from '../work/orders/index.ts'
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
  const [row] = await scope.read((sql) => sql<{ snapshot: string }[]>`select pg_current_snapshot()::text as snapshot`)
  return cursorFromSnapshot(at, row?.snapshot ?? '') as Cursor
}

/** A row and the transaction that wrote it. */
type Written<T> = T & { xid: string }

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
  // A read of its own, and before the others: they see all that this snapshot sees. A row that committed in between would never be sent.
  const until = await currentCursor(scope)
  const [values, states, raised, orders, events, stops, shifts, deleted] = await scope.read((sql) =>
    selectWritten(sql, scope, since, machineIds),
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
  const addWritten = <T extends { machineId: string }>(
    kind: ChangeKind,
    rows: Written<T>[],
    present: (row: T) => Change['body'],
  ) => {
    for (const row of rows) add(kind, fullXid(Number(row.xid), until), row.machineId, present(row))
  }
  addWritten('alert', raised, presentAlert)
  addWritten('work_order', orders, presentOrder)
  addWritten('maintenance', events, presentEvent)
  addWritten('downtime', stops, presentRecord)
  addWritten('shift', shifts, presentLog)
  addWritten('deleted', deleted, ({ kind, id, machineId }) => ({ kind, id, machine_id: machineId }))
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

function selectWritten(
  sql: TransactionSql,
  scope: TenantScope,
  since: Pick<Cursor, 'at' | 'xmin'>,
  machineIds: readonly string[] | null,
) {
  const { tenantId } = scope
  const recent = new Date(since.at - SLACK_MS)
  const ids = machineIds && `{${machineIds.join()}}`
  const isWritten = (xmin: string) => sql`age(${sql.unsafe(xmin)}) <= (select age(${String(since.xmin % 2 ** 32)}::text::xid))`
  const isWanted = (column: string) => (ids ? sql`and ${sql.unsafe(column)} = any(${ids}::text::uuid[])` : sql``)
  return Promise.all([
    latestWritten(sql, scope, since.xmin, machineIds, MAX_CHANGES.readings + 1),
    sql<Written<{ machineId: string; identifier: string; name: string; status: string; isActive: boolean }>[]>`
      select xmin::text as xid, id as "machineId", machine_identifier as identifier, name, status, is_active as "isActive"
      from machines where tenant_id = ${tenantId} ${isWanted('id')} and ${isWritten('xmin')} limit ${MAX_CHANGES.status + 1}`,
    sql<Written<AlertRow>[]>`
      select a.xmin::text as xid, ${sql.unsafe(ALERT_COLUMNS)} from alerts a
      where a.tenant_id = ${tenantId} ${isWanted('a.machine_id')} and ${isWritten('a.xmin')}
        and (a.created_at >= ${recent} or a.acknowledged_at >= ${recent} or a.snoozed_until >= ${recent} or a.cleared_at >= ${recent})
      order by a.created_at, a.id limit ${MAX_CHANGES.alert + 1}`,
    sql<Written<OrderRow>[]>`
      select o.xmin::text as xid, ${sql.unsafe(ORDER_COLUMNS)} from work_orders o
      where o.tenant_id = ${tenantId} ${isWanted('o.machine_id')} and o.updated_at >= ${recent} and ${isWritten('o.xmin')}
      order by o.updated_at, o.id limit ${MAX_CHANGES.work_order + 1}`,
    sql<Written<MaintenanceEventRow>[]>`
      select xmin::text as xid, ${sql.unsafe(EVENT_COLUMNS)} from maintenance_events
      where tenant_id = ${tenantId} ${isWanted('machine_id')} and updated_at >= ${recent} and ${isWritten('xmin')}
      order by updated_at, id limit ${MAX_CHANGES.maintenance + 1}`,
    sql<Written<RecordRow>[]>`
      select r.xmin::text as xid, ${sql.unsafe(RECORD_COLUMNS)} from downtime_records r
      where r.tenant_id = ${tenantId} ${isWanted('r.machine_id')} and r.updated_at >= ${recent} and ${isWritten('r.xmin')}
      order by r.updated_at, r.id limit ${MAX_CHANGES.downtime + 1}`,
    sql<Written<ShiftLogRow>[]>`
      select l.xmin::text as xid, ${sql.unsafe(SHIFT_LOG_COLUMNS)}
      from shift_logs l join shift_definitions d on d.tenant_id = ${tenantId} and d.id = l.shift_definition_id
      where l.tenant_id = ${tenantId} ${isWanted('l.machine_id')} and l.updated_at >= ${recent} and ${isWritten('l.xmin')}
      order by l.updated_at, l.id limit ${MAX_CHANGES.shift + 1}`,
    // rows of the last days only
    sql<Written<{ kind: string; id: string; machineId: string }>[]>`
      select xmin::text as xid, kind, id, machine_id as "machineId" from deleted_resources
      where tenant_id = ${tenantId} ${isWanted('machine_id')} and ${isWritten('xmin')} limit ${MAX_CHANGES.deleted + 1}`,
  ])
}

/** The changes that a client with this cursor has not received. */
export const unseenChanges = ({ changes }: Changes, since: Cursor): Change[] =>
  changes.filter(({ xid }) => !isVisible(since, xid))

/** Deletes notes of deletions that no stream resumes from, as a stream resumes within a day. */
export async function purgeDeletions(allTenants: Sql, now: Date): Promise<void> {
  const before = new Date(now.getTime() - 2 * 86_400_000)
  await purge(allTenants, { table: 'deleted_resources', column: 'deleted_at', before })
}
