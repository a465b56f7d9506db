import type { PendingQuery, Row } from 'postgres'
import type { Sql, TransactionSql } from '../../db/pools.ts'
import type { TenantScope } from '../../db/scope.ts'
import { assertFormat, entryCount, newestAt, seriesIdAt, valueAt, writerAt } from './entries.ts'
import { decodeTags, type LatestKey } from './rows.ts'

type Fragment = PendingQuery<Row[]>

export interface LatestReading {
  metric: string
  unit: string
  timestamp: Date
  value: number
  rawTag: string | null
}

interface RowBytes {
  tags: Buffer
  body: Buffer
}

/** An entry with a reading. */
interface DecodedEntry {
  seriesId: number
  /** Unix ms */
  at: number
  value: number
  rawTag: string | null
  /** the transaction of the last change; 0: that of the row */
  writer: number
}

/** The entries of a row that have a reading. */
function entriesOf({ tags, body }: RowBytes): DecodedEntry[] {
  assertFormat(body)
  const names = decodeTags(tags)
  const entries: DecodedEntry[] = []
  for (let i = 0; i < entryCount(body); i++) {
    const at = newestAt(body, i)
    if (at === Number.NEGATIVE_INFINITY) continue
    entries.push({
      seriesId: seriesIdAt(body, i),
      at,
      value: valueAt(body, i),
      rawTag: names?.[i] ?? null,
      writer: writerAt(body, i),
    })
  }
  return entries
}

interface Named {
  id: number
  metric: string
  unit: string
}

/**
 * The newest reading of each series of some machines, in the order of the ids; null where the tenant has no such machine. Both statements
 * are sent at once. Each machine is looked up by its key: a join would scan all machines, because the generic plan cannot know how few
 * are asked for.
 */
export async function latestByMachine(
  tx: TransactionSql,
  tenantId: string,
  machineIds: readonly string[],
): Promise<(LatestReading[] | null)[]> {
  const ids = `{${machineIds.join()}}`
  const [rows, named] = await Promise.all([
    tx<{ slot: number; tags: Buffer | null; body: Buffer | null }[]>`
      select k.slot::int - 1 as slot, l.tags, l.body
      from unnest(${ids}::text::uuid[]) with ordinality k(id, slot)
      cross join lateral (select m.id from machines m where m.tenant_id = ${tenantId} and m.id = k.id limit 1) m
      left join machine_latest l on l.tenant_id = ${tenantId} and l.machine_id = m.id`,
    tx<Named[]>`select id, metric, unit from series where tenant_id = ${tenantId} and machine_id = any(${ids}::text::uuid[])`,
  ])
  const names = namesOf(named)
  const found: (LatestReading[] | null)[] = machineIds.map(() => null)
  for (const { slot, tags, body } of rows) {
    const readings = found[slot] ?? []
    found[slot] = readings
    if (tags && body) readings.push(...withNames([{ tags, body }], names))
  }
  for (const readings of found) readings?.sort(byMetricAndTime)
  return found
}

/**
 * The newest readings of some machines by metric, of at most 64 series each: a machine has few, and the rows of one with thousands
 * would be the larger part of the answer. Machines without readings are absent.
 */
export async function latestOfMachines(
  tx: TransactionSql,
  tenantId: string,
  machineIds: readonly string[],
): Promise<Map<string, LatestReading[]>> {
  const rows = await tx<{ machineId: string; series: Named[] | null; tags: Buffer; body: Buffer }[]>`
    select l.machine_id as "machineId", l.tags, l.body, (
      select json_agg(json_build_object('id', s.id, 'metric', s.metric, 'unit', s.unit)) from series s
      where s.tenant_id = l.tenant_id and s.machine_id = l.machine_id and s.place / 64 = l.chunk) as series
    from machine_latest l where l.tenant_id = ${tenantId} and l.machine_id = any(${`{${machineIds.join()}}`}::text::uuid[])
      and l.chunk = 0`
  return new Map(
    rows.map(({ machineId, series, ...bytes }) => [machineId, withNames([bytes], namesOf(series ?? [])).sort(byMetricAndTime)]),
  )
}

const byMetricAndTime = (a: LatestReading, b: LatestReading) =>
  compare(a.metric, b.metric) || a.timestamp.getTime() - b.timestamp.getTime() || compare(a.unit, b.unit)

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const namesOf = (series: readonly Named[]): ReadonlyMap<number, Named> => new Map(series.map((one) => [one.id, one]))

function withNames(rows: readonly RowBytes[], names: ReadonlyMap<number, Named>): LatestReading[] {
  return rows.flatMap(entriesOf).flatMap(({ seriesId, at, value, rawTag }) => {
    const name = names.get(seriesId)
    return name ? [{ metric: name.metric, unit: name.unit, timestamp: new Date(at), value, rawTag }] : []
  })
}

/** A subquery: the newest instant of all series of a machine; null without readings. */
export const newestOfMachine = (sql: Sql, tenantId: Fragment, machineId: Fragment): Fragment =>
  sql`select max(newest_of_latest(l.body)) from machine_latest l where l.tenant_id = ${tenantId} and l.machine_id = ${machineId}`

/**
 * A subquery: `machine_id` and `newest` (Unix ms), the newest instant of all series of each machine of a tenant that has readings. It
 * reads the entries in place: a call of newest_of_latest for each row takes ten times as long.
 * @param wanted a condition on `l.machine_id` that begins with `and`; null for all machines
 */
export const newestByMachine = (sql: Sql | TransactionSql, tenantId: string, wanted: Fragment | null): Fragment => sql`
  select l.machine_id, max(e.newest)::float8 as newest
  from machine_latest l cross join lateral (
    select max(ms) as newest from (
      select substr(l.body, 6 + 29 * i, 8)::bigint as ms from generate_series(0, (length(l.body) - 1) / 29 - 1) i) instants
    where ms > -9223372036854775808) e
  where l.tenant_id = ${tenantId} ${wanted ?? sql``} group by l.machine_id`

/** A subquery: the newest instant of all series of a tenant; null without readings. */
export const newestOfTenant = (sql: Sql, tenantId: string): Fragment =>
  sql`select max(newest_of_latest(l.body)) from machine_latest l where l.tenant_id = ${tenantId}`

const NIL = '00000000-0000-0000-0000-000000000000'
const BEFORE_ALL: LatestKey = { tenantId: NIL, machineId: NIL, chunk: -1 }

/**
 * A subquery: the next `max` rows of newest readings of all tenants after a key, in its order, with `is_recent`: whether one of its
 * series has a reading at `since` or later. It reads the entries in place, as {@link newestByMachine} does.
 */
export const nextLatestRows = (
  sql: Sql,
  { after = BEFORE_ALL, max, since }: { after: LatestKey | undefined; max: number; since: Date },
): Fragment => sql`
  select l.tenant_id, l.machine_id, l.chunk, exists (
    select from generate_series(0, (length(l.body) - 1) / 29 - 1) i where substr(l.body, 6 + 29 * i, 8)::bigint >= ${since.getTime()}) as is_recent
  from machine_latest l
  where (l.tenant_id, l.machine_id, l.chunk) > (${after.tenantId}, ${after.machineId}, ${after.chunk})
  order by l.tenant_id, l.machine_id, l.chunk limit ${max}`

/** The newest reading of each series of these metrics of a machine, ascending by time. */
export async function latestOfMetrics(
  sql: TransactionSql,
  { tenantId }: TenantScope,
  machineId: string,
  metrics: string[],
): Promise<Omit<LatestReading, 'rawTag'>[]> {
  const named = await sql<Named[]>`
    select id, metric, unit from series where tenant_id = ${tenantId} and machine_id = ${machineId} and metric = any(${metrics}::text[])`
  const rows = await sql<RowBytes[]>`
    select tags, body from machine_latest where tenant_id = ${tenantId} and machine_id = ${machineId} order by chunk`
  return withNames(rows, namesOf(named)).sort((a, b) => a.timestamp.getTime() - b.timestamp.getTime() || compare(a.unit, b.unit))
}

/** A newest reading that a transaction wrote. */
export interface WrittenReading extends LatestReading {
  /** the transaction */
  writer: number
  machineId: string
}

/**
 * The newest readings that transactions from `xmin` on wrote: rows that one of them wrote, and of these only the entries that it changed.
 * @param xmin a transaction id
 * @param wanted a condition on `l.machine_id` that begins with `and`; null for all machines
 * @returns at most `max`; `isCut` when there may be more
 */
export async function latestWritten(
  sql: TransactionSql,
  scope: TenantScope,
  xmin: number,
  wanted: Fragment | null,
  max: number,
): Promise<{ readings: WrittenReading[]; isCut: boolean }> {
  const rows = await sql<{ machineId: string; written: string; tags: Buffer; body: Buffer; series: Named[] }[]>`
    select l.machine_id as "machineId", l.written::text as written, l.tags, l.body, (
      select json_agg(json_build_object('id', s.id, 'metric', s.metric, 'unit', s.unit)) from series s
      where s.tenant_id = l.tenant_id and s.machine_id = l.machine_id and s.place / 64 = l.chunk) as series
    from machine_latest l
    where l.tenant_id = ${scope.tenantId} ${wanted ?? sql``} and age(l.xmin) <= (select age(${String(xmin % 2 ** 32)}::text::xid)) limit ${max}`
  const found: WrittenReading[] = []
  for (const { machineId, written, series: named, ...bytes } of rows) {
    const names = new Map(named.map((one) => [one.id, one]))
    for (const entry of entriesOf(bytes)) {
      const writer = entry.writer === 0 ? Number(written) : entry.writer
      const name = names.get(entry.seriesId)
      if (writer < xmin || !name) continue
      found.push({
        writer,
        machineId,
        metric: name.metric,
        unit: name.unit,
        timestamp: new Date(entry.at),
        value: entry.value,
        rawTag: entry.rawTag,
      })
      if (found.length >= max) return { readings: found, isCut: true }
    }
  }
  return { readings: found, isCut: rows.length >= max }
}
