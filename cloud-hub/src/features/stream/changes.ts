import type { Sql, TransactionSql } from '../../db/pools.ts'
import { purge } from '../../db/purge.ts'
import type { TenantScope } from '../../db/scope.ts'
import { latestWritten, type WrittenReading } from '../../readings/index.ts'
import { ALERT_COLUMNS, type AlertRow, presentAlert } from '../alerting/alerts/index.ts'
import { inGroup } from '../plant/machine-groups/index.ts'
import { presentRecord, RECORD_COLUMNS, type RecordRow } from '../production/downtime/index.ts'
import { presentLog, SHIFT_LOG_COLUMNS, type ShiftLogRow } from '../production/shifts/index.ts'
import { EVENT_COLUMNS, type MaintenanceEventRow, presentEvent } from '../work/maintenance/index.ts'
import { isAboutGroup, NOTE_COLUMNS, type NoteRow, presentNote } from '../work/notes/index.ts'
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
  note: 500,
  deleted: 1_000,
} as const
/** A round of readings after so many seconds or more may have {@link MAX_CHANGES} for each of them. */
const MAX_SECONDS_COUNTED = 4
/** Maximum of readings in a round. @param interval seconds between two rounds */
export const maxReadings = (interval: number): number => MAX_CHANGES.readings * Math.min(interval, MAX_SECONDS_COUNTED)
export type ChangeKind = keyof typeof MAX_CHANGES

/** Instants of rows come from their replica's clock, and their transactions commit a little later. */
const SLACK_MS = 60_000

/** A resource that was written; `body` is its current state, as the API shows it. */
export interface Change {
  kind: ChangeKind
  xid: number
  /** null: of a note about a group */
  machineId: string | null
  body: Record<string, unknown>
}

/** The machines whose changes a stream gets. */
export interface Wanted {
  /** null for all */
  machineIds: readonly string[] | null
  /** only machines of this group and of the groups below it */
  groupId: string | undefined
}

/** The machines whose readings streams get, by a key of the caller: those of these ids, of the other changes; null for all of them. */
export type ReadingsWanted = ReadonlyMap<string, readonly string[] | null>

export interface Changes {
  /** the snapshot up to which the changes are complete */
  until: Cursor
  /** all but readings */
  changes: Change[]
  /** kinds with more changes than the maximum */
  tooMany: ChangeKind[]
  /** by the key of {@link ReadingsWanted}; null: more than the maximum */
  readings: ReadonlyMap<string, Change[] | null>
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
 * Alerts, work orders, maintenance, downtime, shift logs and notes are kept for ever; their instants narrow them down first.
 * @param readingsSince `xmin` of the earliest cursor of readings
 * @param most readings that a key may have, see {@link maxReadings}
 */
export async function loadChanges(
  scope: TenantScope,
  since: Pick<Cursor, 'at' | 'xmin'>,
  wanted: Wanted,
  readingsWanted: ReadingsWanted,
  readingsSince = since.xmin,
  most = maxReadings(1),
): Promise<Changes> {
  // A read of its own, and before the others: they see all that this snapshot sees. A row that committed in between would never be sent.
  const until = await currentCursor(scope)
  const keys = [...readingsWanted]
  const select = (sql: TransactionSql, part: readonly KeyOfReadings[]) =>
    selectReadings(sql, scope, { since: readingsSince, most }, wanted, part)
  const [[states, raised, orders, events, stops, shifts, notes, deleted], found] = await scope.read((sql) =>
    Promise.all([selectWritten(sql, scope, since, wanted), select(sql, keys)]),
  )
  const values = await readingsByKey(keys, found, (part) => scope.read((sql) => select(sql, part)))
  const changes: Change[] = []
  const add = (kind: ChangeKind, xid: number, machineId: string | null, body: Change['body']) => {
    if (isVisible(until, xid)) changes.push({ kind, xid, machineId, body })
  }
  for (const row of states)
    add('status', fullXid(Number(row.xid), until), row.machineId, {
      machine_id: row.machineId,
      machine_identifier: row.identifier,
      name: row.name,
      status: row.status,
      is_active: row.isActive,
    })
  const addWritten = <T extends { machineId: string | null }>(
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
  addWritten('note', notes, presentNote)
  addWritten('deleted', deleted, ({ kind, id, machineId }) => ({ kind, id, machine_id: machineId }))
  const tooMany = (
    [
      ['status', states.length > MAX_CHANGES.status],
      ['alert', raised.length > MAX_CHANGES.alert],
      ['work_order', orders.length > MAX_CHANGES.work_order],
      ['maintenance', events.length > MAX_CHANGES.maintenance],
      ['downtime', stops.length > MAX_CHANGES.downtime],
      ['shift', shifts.length > MAX_CHANGES.shift],
      ['note', notes.length > MAX_CHANGES.note],
      ['deleted', deleted.length > MAX_CHANGES.deleted],
    ] as const
  ).flatMap(([kind, isTooMany]): ChangeKind[] => (isTooMany ? [kind] : []))
  const readings = new Map(values.map(([key, written]) => [key, written?.filter(({ xid }) => isVisible(until, xid)) ?? null]))
  return { until, changes: changes.filter(({ kind }) => !tooMany.includes(kind)), tooMany, readings }
}

const presentReading = (row: WrittenReading): Change => ({
  kind: 'readings',
  xid: row.writer,
  machineId: row.machineId,
  body: {
    metric_name: row.metric,
    unit: row.unit,
    timestamp: row.timestamp.toISOString(),
    value: row.value,
    raw_tag: row.rawTag,
  },
})

/** A condition on a column with the id of a machine. */
const isAnyOf = (sql: TransactionSql, ids: readonly string[], column: string) =>
  sql`and ${sql.unsafe(column)} = any(${`{${ids.join()}}`}::text::uuid[])`

const isWanted = (sql: TransactionSql, tenantId: string, { machineIds, groupId }: Wanted, column: string) =>
  sql`${machineIds ? isAnyOf(sql, machineIds, column) : sql``} ${inGroup(sql, tenantId, groupId, column)}`

/** The same for a row `n` that may be about a group instead: of single machines only their own, because a group has others too. */
const isNoteWanted = (sql: TransactionSql, tenantId: string, { machineIds, groupId }: Wanted) =>
  sql`${machineIds ? isAnyOf(sql, machineIds, 'n.machine_id') : sql``} ${groupId ? sql`and ${isAboutGroup(sql, tenantId, groupId)}` : sql``}`

type KeyOfReadings = readonly [key: string, machineIds: readonly string[] | null]
type Found = Awaited<ReturnType<typeof latestWritten>>

/** The readings of all these keys, in one statement: many people who look at machines of their own cost no more than one. */
async function selectReadings(
  sql: TransactionSql,
  scope: TenantScope,
  { since, most }: { since: number; most: number },
  wanted: Wanted,
  keys: readonly KeyOfReadings[],
): Promise<Found> {
  const ids = keys.some(([, machineIds]) => machineIds === null)
    ? null
    : [...new Set(keys.flatMap(([, machineIds]) => machineIds ?? []))]
  if (ids?.length === 0) return { readings: [], isCut: false }
  const column = 'l.machine_id'
  const condition = sql`${isWanted(sql, scope.tenantId, wanted, column)} ${ids ? isAnyOf(sql, ids, column) : sql``}`
  return latestWritten(sql, scope, since, condition, most + 1)
}

/**
 * The readings of each of these keys; null: more than the maximum. Where all of them together have more, those of some keys may still be
 * fewer: each half of the keys is read by itself.
 */
async function readingsByKey(
  keys: readonly KeyOfReadings[],
  { readings, isCut }: Found,
  select: (part: readonly KeyOfReadings[]) => Promise<Found>,
): Promise<[key: string, readings: Change[] | null][]> {
  if (!isCut) {
    const all = readings.map(presentReading)
    const ofMachine = Map.groupBy(all, ({ machineId }) => machineId)
    return keys.map(([key, ids]) => [key, ids ? ids.flatMap((id) => ofMachine.get(id) ?? []) : all])
  }
  const [one] = keys
  if (one && keys.length === 1) return [[one[0], null]]
  // A key of all machines wants just what was read, so it needs no statement of its own.
  const [whole, rest] = [keys.filter(([, ids]) => ids === null), keys.filter(([, ids]) => ids !== null)]
  const half = whole.length > 0 ? rest.length : Math.ceil(rest.length / 2)
  const parts: [string, Change[] | null][] = whole.map(([key]) => [key, null])
  for (const part of [rest.slice(0, half), rest.slice(half)])
    if (part.length > 0) parts.push(...(await readingsByKey(part, await select(part), select)))
  return parts
}

function selectWritten(sql: TransactionSql, scope: TenantScope, since: Pick<Cursor, 'at' | 'xmin'>, wanted: Wanted) {
  const { tenantId } = scope
  const recent = new Date(since.at - SLACK_MS)
  const isWritten = (xmin: string) => sql`age(${sql.unsafe(xmin)}) <= (select age(${String(since.xmin % 2 ** 32)}::text::xid))`
  return Promise.all([
    sql<Written<{ machineId: string; identifier: string; name: string; status: string; isActive: boolean }>[]>`
      select xmin::text as xid, id as "machineId", machine_identifier as identifier, name, status, is_active as "isActive"
      from machines where tenant_id = ${tenantId} ${isWanted(sql, tenantId, wanted, 'id')} and ${isWritten('xmin')} limit ${MAX_CHANGES.status + 1}`,
    sql<Written<AlertRow>[]>`
      select a.xmin::text as xid, ${sql.unsafe(ALERT_COLUMNS)} from alerts a
      where a.tenant_id = ${tenantId} ${isWanted(sql, tenantId, wanted, 'a.machine_id')} and ${isWritten('a.xmin')}
        and (a.created_at >= ${recent} or a.acknowledged_at >= ${recent} or a.snoozed_until >= ${recent} or a.cleared_at >= ${recent})
      order by a.created_at, a.id limit ${MAX_CHANGES.alert + 1}`,
    sql<Written<OrderRow>[]>`
      select o.xmin::text as xid, ${sql.unsafe(ORDER_COLUMNS)} from work_orders o
      where o.tenant_id = ${tenantId} ${isWanted(sql, tenantId, wanted, 'o.machine_id')} and o.updated_at >= ${recent} and ${isWritten('o.xmin')}
      order by o.updated_at, o.id limit ${MAX_CHANGES.work_order + 1}`,
    sql<Written<MaintenanceEventRow>[]>`
      select e.xmin::text as xid, ${sql.unsafe(EVENT_COLUMNS)} from maintenance_events e
      where e.tenant_id = ${tenantId} ${isWanted(sql, tenantId, wanted, 'e.machine_id')} and e.updated_at >= ${recent} and ${isWritten('e.xmin')}
      order by e.updated_at, e.id limit ${MAX_CHANGES.maintenance + 1}`,
    sql<Written<RecordRow>[]>`
      select r.xmin::text as xid, ${sql.unsafe(RECORD_COLUMNS)} from downtime_records r
      where r.tenant_id = ${tenantId} ${isWanted(sql, tenantId, wanted, 'r.machine_id')} and r.updated_at >= ${recent} and ${isWritten('r.xmin')}
      order by r.updated_at, r.id limit ${MAX_CHANGES.downtime + 1}`,
    sql<Written<ShiftLogRow>[]>`
      select l.xmin::text as xid, ${sql.unsafe(SHIFT_LOG_COLUMNS)}
      from shift_logs l join shift_definitions d on d.tenant_id = ${tenantId} and d.id = l.shift_definition_id
      where l.tenant_id = ${tenantId} ${isWanted(sql, tenantId, wanted, 'l.machine_id')} and l.updated_at >= ${recent} and ${isWritten('l.xmin')}
      order by l.updated_at, l.id limit ${MAX_CHANGES.shift + 1}`,
    sql<Written<NoteRow>[]>`
      select n.xmin::text as xid, ${sql.unsafe(NOTE_COLUMNS)} from notes n
      where n.tenant_id = ${tenantId} ${isNoteWanted(sql, tenantId, wanted)} and n.updated_at >= ${recent} and ${isWritten('n.xmin')}
      order by n.updated_at, n.id limit ${MAX_CHANGES.note + 1}`,
    // rows of the last days only
    sql<Written<{ kind: string; id: string; machineId: string | null }>[]>`
      select n.xmin::text as xid, n.kind, n.id, n.machine_id as "machineId" from deleted_resources n
      where n.tenant_id = ${tenantId} ${isNoteWanted(sql, tenantId, wanted)} and ${isWritten('n.xmin')} limit ${MAX_CHANGES.deleted + 1}`,
  ])
}

/**
 * The changes that a client has not received.
 * @param seen its cursor
 * @param wanted its readings: their key of {@link ReadingsWanted}, its cursor of them, and how many it may get; null: none now
 */
export function unseenChanges(
  found: Changes,
  seen: Cursor,
  wanted: { key: string; seen: Cursor; most: number } | null,
): Pick<Changes, 'changes' | 'tooMany'> {
  const written = wanted ? found.readings.get(wanted.key) : []
  const readings = written?.filter(({ xid }) => !isVisible(wanted?.seen ?? seen, xid))
  const areTooMany = written === null || (readings !== undefined && readings.length > (wanted?.most ?? 0))
  return {
    changes: [...found.changes.filter(({ xid }) => !isVisible(seen, xid)), ...(areTooMany ? [] : (readings ?? []))],
    tooMany: areTooMany ? ['readings', ...found.tooMany] : found.tooMany,
  }
}

/** Deletes notes of deletions that no stream resumes from, as a stream resumes within a day. */
export async function purgeDeletions(allTenants: Sql, now: Date): Promise<void> {
  const before = new Date(now.getTime() - 2 * 86_400_000)
  await purge(allTenants, { table: 'deleted_resources', column: 'deleted_at', before })
}
