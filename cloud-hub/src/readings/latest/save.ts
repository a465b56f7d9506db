import type { PendingQuery } from 'postgres'
import { byteaArray, int2Array, uuidArray, xid8Array } from '../../db/binary-array.ts'
import { StaleCache } from '../../db/errors.ts'
import type { TransactionSql } from '../../db/pools.ts'
import type { SeriesSpan, SortedReadings } from '../sorted-readings.ts'
import { type EntryChange, encodeChanges, entryCount, newestAt, writeEntry, writerAt, writeWriter } from './entries.ts'
import { byLockOrder, decodeRow, encodeTags, type LatestKey, type LatestRow, latestKey, selectForUpdate } from './rows.ts'

/** Rows that a transaction has written. {@link applySaved} brings them into the memory of this process after the commit. */
export interface SavedLatest {
  written: Promise<{
    /** the transaction's id */
    writer: number
    /** keys of patched rows that were in the state that this process knew */
    known: ReadonlySet<string>
  }>
  rows: readonly SavedRow[]
}

type SavedRow =
  /** the stored row is exactly this; `written` is null for the transaction itself */
  | { row: LatestRow; body: Buffer; tags: LatestRow['tags']; tagBytes: Buffer; written: number | null }
  /** these entries of the stored row are known; the others too, when it was in the state `seen` before */
  | { row: LatestRow; base: Buffer; changes: readonly EntryChange[]; isShared: boolean }

/** A row that another process has written is patched for this long. */
const SHARED_MS = 60_000
/** Beyond this many entries, a row of which few change is patched: writing it whole would log it whole. */
const SMALL_ROW = 16

/**
 * Saves the newest reading of each live span by compare-and-set: the transaction fails as stale unless every reading is newer than
 * the stored newest one. The lock on a row serialises writers of its series until the transaction ends.
 *
 * A row that this process wrote last is replaced as a whole, which costs least. Where other processes write series of the same
 * row, only the entries of these spans are compared and changed. Sent, not awaited.
 * @param isRepeated the flush found stale rows before: others are writing them
 */
export function saveLive(
  tx: TransactionSql,
  readings: SortedReadings,
  spans: readonly SeriesSpan[],
  isRepeated: boolean,
): SavedLatest {
  const saves = [...groupByRow(spans)].map(([row, its]) => ({ row, spans: its })).sort((a, b) => byLockOrder(a.row, b.row))
  if (!isRepeated && saves.every(mayReplace)) return saveWhole(tx, readings, saves)
  const changed = saves.map((save) => ({ ...save, changes: save.spans.map((span) => changeOf(span, readings)) }))
  const statement = tx<SavedResult[]>`
    with locked as materialized (
      select n.t, n.m, n.c, n.changes, l.xmin = n.seen::xid as is_known, l.tags = n.tags as has_tags
      from unnest(${keysOf(tx, saves)}, ${seenOf(tx, saves)}, ${byteaArray(
        tx,
        changed.map(({ changes }) => encodeChanges(changes)),
      )}, ${byteaArray(
        tx,
        saves.map(({ row }) => row.tagBytes),
      )}) n(t, m, c, seen, changes, tags)
      join machine_latest l on l.tenant_id = n.t and l.machine_id = n.m and l.chunk = n.c order by l.machine_id, l.chunk for update of l
    ), moved as (
      update machine_latest l set body = patch_latest(l.body, n.changes) from locked n
      where l.tenant_id = n.t and l.machine_id = n.m and l.chunk = n.c returning 1)
    select case when (select count(*) from moved) <> ${saves.length} or exists (select from locked where not has_tags) then raise_stale_cache() end,
      pg_current_xact_id()::text as writer, array(select m || ' ' || c from locked where is_known) as known`
  return {
    written: writtenBy(statement),
    rows: changed.map(({ row, changes }) => ({ row, base: row.body, changes, isShared: isRepeated })),
  }
}

/** Replaces rows that this process wrote last. */
function saveWhole(tx: TransactionSql, readings: SortedReadings, saves: readonly Save[]): SavedLatest {
  const bodies = saves.map((save) => newBody(save, readings))
  const statement = tx<SavedResult[]>`
    with moved as (
      insert into machine_latest as l (tenant_id, machine_id, chunk, written, body)
      select t, m, c, seen, body from unnest(${keysOf(tx, saves)}, ${seenOf(tx, saves)}, ${byteaArray(tx, bodies)}) n(t, m, c, seen, body)
      on conflict (tenant_id, machine_id, chunk) do update set body = excluded.body, written = pg_current_xact_id()
        where l.xmin = excluded.written::xid
      returning 1)
    select case when (select count(*) from moved) <> ${saves.length} then raise_stale_cache() end, pg_current_xact_id()::text as writer, '{}'::text[] as known`
  return {
    written: writtenBy(statement),
    rows: saves.map(({ row }, i) => ({ row, body: bodies[i] as Buffer, tags: row.tags, tagBytes: row.tagBytes, written: null })),
  }
}

/** Sends the statement: `then` does so at once, so that statements which start after it cannot take their locks before. */
function writtenBy(statement: PendingQuery<SavedResult[]>): SavedLatest['written'] {
  const written = statement.then(([one]) => ({ writer: Number(one?.writer), known: new Set(one?.known) }))
  // a failure fails the transaction, which reports it
  written.catch(() => {})
  return written
}

/** The keys of rows as three columns: tenants, machines, chunks. */
const keysOf = (tx: TransactionSql, saves: readonly { row: LatestRow }[]) => {
  const rows = saves.map(({ row }) => row)
  const tenants = rows.map(({ tenantBytes }) => tenantBytes)
  const machines = rows.map(({ machineBytes }) => machineBytes)
  const chunks = rows.map(({ chunk }) => chunk)
  return tx`${uuidArray(tx, tenants)}, ${uuidArray(tx, machines)}, ${int2Array(tx, chunks)}`
}

/** The transactions that wrote the rows. */
const seenOf = (tx: TransactionSql, saves: readonly Save[]) => {
  const seen = saves.map(({ row }) => row.seen)
  return xid8Array(tx, seen)
}

interface SavedResult {
  writer: string
  known: string[]
}

/** A row and the spans of a flush that are its newest readings. */
interface Save {
  row: LatestRow
  spans: readonly SeriesSpan[]
}

function groupByRow(spans: readonly SeriesSpan[]): Map<LatestRow, SeriesSpan[]> {
  const byRow = new Map<LatestRow, SeriesSpan[]>()
  for (const span of spans) {
    const its = byRow.get(span.latest.row)
    if (its) its.push(span)
    else byRow.set(span.latest.row, [span])
  }
  return byRow
}

/** Whether a row may be replaced as a whole. */
function mayReplace({ row, spans }: Save): boolean {
  const count = entryCount(row.body)
  return row.seen !== null && Date.now() >= row.sharedUntil && (count <= SMALL_ROW || spans.length * 2 >= count)
}

function newBody({ row, spans }: Save, { timestamps, values }: SortedReadings): Buffer {
  const body = Buffer.from(row.body)
  const count = entryCount(body)
  // `written` becomes this transaction, so the others name theirs
  if (spans.length < count)
    for (let index = 0; index < count; index++) if (writerAt(body, index) === 0) writeWriter(body, index, row.written)
  for (const { to, evaluated, latest } of spans) {
    const isAnomalous = evaluated?.isAnomalous ?? false
    writeEntry(body, latest.index, timestamps[to - 1] as number, values[to - 1] as number, isAnomalous, 0)
  }
  return body
}

function changeOf(span: SeriesSpan, { timestamps, values }: SortedReadings): EntryChange {
  const { seriesId, from, to, needsNewest, evaluated, latest } = span
  return {
    index: latest.index,
    seriesId,
    firstAt: timestamps[from] as number,
    knownAt: evaluated || needsNewest ? span.newestAt : null,
    newest: {
      at: timestamps[to - 1] as number,
      value: values[to - 1] as number,
      isAnomalous: evaluated?.isAnomalous ?? false,
    },
  }
}

/** Updates what this process knows of the rows, after the commit. */
export async function applySaved({ written, rows }: SavedLatest): Promise<void> {
  const { writer: id, known } = await written
  for (const saved of rows) {
    const { row } = saved
    if ('changes' in saved) {
      const isKnown = known.has(latestKey(row))
      row.body = Buffer.from(isKnown ? saved.base : row.body)
      row.seen = isKnown ? id : null
      if (!isKnown || saved.isShared) row.sharedUntil = Date.now() + SHARED_MS
      for (const { index, newest } of saved.changes) writeEntry(row.body, index, newest.at, newest.value, newest.isAnomalous, id)
    } else {
      row.body = saved.body
      row.tags = saved.tags
      row.tagBytes = saved.tagBytes
      row.written = saved.written ?? id
      row.seen = id
    }
  }
}

/** Rows that this transaction has locked, in their present state. */
export interface LockedLatest {
  /** this transaction's id */
  writer: number
  rows: ReadonlyMap<string, LatestRow>
}

/** Locks the rows of these spans in the lock order. @throws StaleCache when one is gone */
export async function lockLatest(tx: TransactionSql, spans: readonly SeriesSpan[]): Promise<LockedLatest> {
  const keys = new Map<string, LatestKey>()
  for (const { latest } of spans) keys.set(latestKey(latest.row), latest.row)
  const found = await selectForUpdate(tx, [...keys.values()])
  if (found.length < keys.size) throw new StaleCache('a machine was deleted')
  return { writer: Number(found[0]?.writer), rows: new Map(found.map((row) => [latestKey(row), decodeRow(row)])) }
}

/** The newest reading that a transaction saves for a locked series. */
export interface LockedSave {
  span: SeriesSpan
  at: number
  value: number
  rawTag: string | null
  isAnomalous: boolean
}

/** Saves newest readings in locked rows. Sent, not awaited. */
export function saveLocked(tx: TransactionSql, locked: LockedLatest, saves: readonly LockedSave[]): SavedLatest {
  const written = new Map<string, { row: LatestRow; body: Buffer; tags: (string | null)[]; written: number }>()
  for (const { span, ...newest } of saves) {
    const { row, index } = span.latest
    const key = latestKey(row)
    const present = locked.rows.get(key) as LatestRow
    const count = entryCount(present.body)
    const one = written.get(key) ?? {
      row,
      body: Buffer.from(present.body),
      tags: Array.from({ length: count }, (_, i) => present.tags?.[i] ?? null),
      written: present.written,
    }
    written.set(key, one)
    writeEntry(one.body, index, newest.at, newest.value, newest.isAnomalous, locked.writer)
    one.tags[index] = newest.rawTag
  }
  const rows = [...written.values()]
    .map((one) => ({ ...one, tagBytes: encodeTags(one.tags) }))
    .sort((a, b) => byLockOrder(a.row, b.row))
  if (rows.length > 0) {
    tx`
      update machine_latest l set body = n.body, tags = n.tags
      from unnest(${keysOf(tx, rows)},
        ${byteaArray(
          tx,
          rows.map(({ body }) => body),
        )}, ${byteaArray(
          tx,
          rows.map(({ tagBytes }) => tagBytes),
        )}) n(t, m, c, body, tags)
      where l.tenant_id = n.t and l.machine_id = n.m and l.chunk = n.c`.execute()
  }
  return { written: Promise.resolve({ writer: locked.writer, known: new Set() }), rows }
}

/** The instant (Unix ms) that a locked row has for the series of a span; -Infinity for none. */
export const lockedNewest = (locked: LockedLatest, { latest: { row, index } }: SeriesSpan): number =>
  newestAt((locked.rows.get(latestKey(row)) as LatestRow).body, index)
