import { byteaArray, uuidBytes } from '../../db/binary-array.ts'
import type { TransactionSql } from '../../db/pools.ts'
import { assertFormat, emptyBody, emptyEntries, rowOfPlace } from './entries.ts'

/** A row of `machine_latest`, as this process knows it. A commit of this process changes it in place, see {@link applySaved}. */
export interface LatestRow {
  readonly tenantId: string
  readonly machineId: string
  readonly chunk: number
  /** the same ids as bytes, for parameters in binary */
  readonly tenantBytes: Uint8Array
  readonly machineBytes: Uint8Array
  /** the transaction that wrote this state of the row (`xmin`); null: others may have changed other entries */
  seen: number | null
  /** `machine_latest.written` */
  written: number
  body: Buffer
  /** raw tags by index; null when no entry has any */
  tags: readonly (string | null)[] | null
  /** `tags` as they are stored */
  tagBytes: Buffer
  /** Unix ms; until then entries of the row are patched, because other processes write it too */
  sharedUntil: number
}

/** Where the newest reading of a series is: an entry of a row. */
export interface LatestEntry {
  row: LatestRow
  index: number
}

/** The key of a row. */
export type LatestKey = Pick<LatestRow, 'tenantId' | 'machineId' | 'chunk'>

export const latestKey = ({ machineId, chunk }: Pick<LatestKey, 'machineId' | 'chunk'>): string => `${machineId} ${chunk}`

/** The order in which transactions lock rows. */
export const byLockOrder = (a: LatestKey, b: LatestKey): number =>
  a.machineId < b.machineId ? -1 : a.machineId > b.machineId ? 1 : a.chunk - b.chunk

export interface StoredRow {
  tenantId: string
  machineId: string
  chunk: number
  seen: string
  written: string
  tags: Buffer
  body: Buffer
}

export const keyColumns = (keys: readonly LatestKey[]) => ({
  tenants: `{${keys.map(({ tenantId }) => tenantId).join()}}`,
  machines: `{${keys.map(({ machineId }) => machineId).join()}}`,
  chunks: `{${keys.map(({ chunk }) => chunk).join()}}`,
})

/** Loads rows; rows that do not exist are absent. @param areLocked until the transaction ends */
export async function loadLatestRows(
  tx: TransactionSql,
  keys: readonly LatestKey[],
  areLocked = false,
): Promise<Map<string, LatestRow>> {
  const rows = await (areLocked ? selectForUpdate(tx, keys) : select(tx, keys))
  return new Map(rows.map((row) => [latestKey(row), decodeRow(row)]))
}

function select(tx: TransactionSql, keys: readonly LatestKey[]): PromiseLike<StoredRow[]> {
  const { tenants, machines, chunks } = keyColumns(keys)
  return tx<StoredRow[]>`
    select l.tenant_id as "tenantId", l.machine_id as "machineId", l.chunk, l.xmin::text as seen, l.written::text as written, l.tags, l.body
    from unnest(${tenants}::text::uuid[], ${machines}::text::uuid[], ${chunks}::text::int2[]) w(t, m, c)
    cross join lateral (
      select l.tenant_id, l.machine_id, l.chunk, l.xmin, l.written, l.tags, l.body from machine_latest l
      where l.tenant_id = w.t and l.machine_id = w.m and l.chunk = w.c limit 1) l`
}

/** Locks rows in the lock order. @returns them with the id of this transaction */
export function selectForUpdate(tx: TransactionSql, keys: readonly LatestKey[]): PromiseLike<(StoredRow & { writer: string })[]> {
  const { tenants, machines, chunks } = keyColumns(keys)
  return tx<(StoredRow & { writer: string })[]>`
    select l.tenant_id as "tenantId", l.machine_id as "machineId", l.chunk, l.xmin::text as seen, l.written::text as written, l.tags, l.body,
      pg_current_xact_id()::text as writer
    from unnest(${tenants}::text::uuid[], ${machines}::text::uuid[], ${chunks}::text::int2[]) w(t, m, c)
    join machine_latest l on l.tenant_id = w.t and l.machine_id = w.m and l.chunk = w.c order by l.machine_id, l.chunk for update of l`
}

export function decodeRow({ tenantId, machineId, chunk, seen, written, tags, body }: StoredRow): LatestRow {
  assertFormat(body)
  const known = { seen: Number(seen), written: Number(written), body, tags: decodeTags(tags), tagBytes: tags, sharedUntil: 0 }
  return { tenantId, machineId, chunk, tenantBytes: uuidBytes(tenantId), machineBytes: uuidBytes(machineId), ...known }
}

export const decodeTags = (tags: Buffer): (string | null)[] | null =>
  tags.length === 0 ? null : (JSON.parse(tags.toString()) as (string | null)[])

export const encodeTags = (tags: readonly (string | null)[] | null): Buffer =>
  tags?.some((tag) => tag !== null) ? Buffer.from(JSON.stringify(tags)) : Buffer.alloc(0)

/** A new series and its place among the series of its machine. */
export interface PlacedSeries {
  tenantId: string
  machineId: string
  id: number
  place: number
}

/** Appends entries without readings for new series. The caller lets one transaction at a time add series to a tenant. */
export async function extendLatest(tx: TransactionSql, added: readonly PlacedSeries[]): Promise<void> {
  if (added.length === 0) return
  const rows = Map.groupBy(added, ({ machineId, place }) => latestKey({ machineId, chunk: rowOfPlace(place) }))
  const extended = [...rows.values()].map((its) => {
    const [{ tenantId, machineId, place }] = its as [PlacedSeries]
    const entries = emptyEntries(its.toSorted((a, b) => a.place - b.place).map(({ id }) => id))
    return { tenantId, machineId, chunk: rowOfPlace(place), body: Buffer.concat([emptyBody(), entries]) }
  })
  extended.sort(byLockOrder)
  const { tenants, machines, chunks } = keyColumns(extended)
  await tx`
    insert into machine_latest as l (tenant_id, machine_id, chunk, written, body)
    select t, m, c, pg_current_xact_id(), body from unnest(${tenants}::text::uuid[], ${machines}::text::uuid[], ${chunks}::text::int2[],
      ${byteaArray(
        tx,
        extended.map(({ body }) => body),
      )}) n(t, m, c, body)
    on conflict (tenant_id, machine_id, chunk) do update set body = l.body || substr(excluded.body, 2)`
}
