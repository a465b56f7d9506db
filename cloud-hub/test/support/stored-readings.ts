import { setTimeout as sleep } from 'node:timers/promises'
import type postgres from 'postgres'

/**
 * The one place outside of `features/telemetry/readings` that knows the tables of readings. Tests, faults and benchmarks write,
 * read and count stored readings through it, as the owner of the database, who sees all tenants.
 */

/** A series by its name. */
interface SeriesName {
  machineId: string
  metric: string
  unit: string
}

/** Readings of one series. */
export interface History extends SeriesName {
  /** Unix ms */
  times: ArrayLike<number>
  values: ArrayLike<number>
}

/** Every given condition holds. */
export interface ReadingFilter {
  tenantId?: string
  machineId?: string
  metric?: string
  /** Unix ms */
  from?: number
  /** Unix ms, exclusive */
  until?: number
}

export interface StoredReading extends SeriesName {
  /** the machine's identifier */
  machine: string
  /** Unix ms */
  at: number
  value: number
}

/** The table into which a flush inserts readings. */
export const FLUSHED_TABLE = 'readings'
/** Readings of one statement. */
const CHUNK = 100_000
const DAY_MS = 86_400_000

/** One reading each `stepMs` from an instant (Unix ms) until another (exclusive). */
export function evenly(
  from: number,
  until: number,
  stepMs: number,
  value: (i: number, at: number) => number,
): { times: Float64Array; values: Float64Array } {
  const length = Math.max(0, Math.ceil((until - from) / stepMs))
  const times = Float64Array.from({ length }, (_, i) => from + i * stepMs)
  return { times, values: times.map((at, i) => value(i, at)) }
}

/**
 * Stores readings without ingest: no rule and no baseline sees them, and the machine's status stays. The newest of a series
 * becomes its latest reading. Repeats are ignored. Creates missing series.
 */
export async function storeReadings(owner: postgres.Sql, histories: readonly History[]): Promise<void> {
  const ids = await seriesIds(owner, histories)
  let chunk = { series: [] as number[], times: [] as number[], values: [] as number[] }
  for (const [index, { times, values }] of histories.entries())
    for (let i = 0; i < times.length; i++) {
      chunk.series.push(ids[index] as number)
      chunk.times.push(times[i] as number)
      chunk.values.push(values[i] as number)
      if (chunk.times.length < CHUNK) continue
      await storeChunk(owner, chunk)
      chunk = { series: [], times: [], values: [] }
    }
  if (chunk.times.length > 0) await storeChunk(owner, chunk)
}

async function seriesIds(owner: postgres.Sql, histories: readonly SeriesName[]): Promise<number[]> {
  const column = (name: keyof SeriesName) => histories.map((history) => history[name])
  const named = owner`
    unnest(${column('machineId')}::uuid[], ${column('metric')}::text[], ${column('unit')}::text[])
      with ordinality n(machine_id, metric, unit, place)`
  await owner`
    insert into series (tenant_id, machine_id, metric, unit)
    select m.tenant_id, m.id, n.metric, n.unit from ${named} join machines m on m.id = n.machine_id on conflict do nothing`
  const rows = await owner<{ id: number }[]>`
    select s.id from ${named} join series s using (machine_id, metric, unit) order by n.place`
  if (rows.length !== histories.length) throw new Error('a machine of these readings does not exist')
  return rows.map(({ id }) => id)
}

async function storeChunk(owner: postgres.Sql, chunk: { series: number[]; times: number[]; values: number[] }): Promise<void> {
  const days = [...new Set(chunk.times.map((at) => Math.floor(at / DAY_MS)))]
  await owner`select ensure_reading_partition(to_timestamp(d * 86400)) from unnest(${days}::float8[]) d`
  const rows = owner`
    unnest(${`{${chunk.series.join()}}`}::text::int[], ${`{${chunk.times.join()}}`}::text::float8[],
      ${`{${chunk.values.join()}}`}::text::float8[]) n(s, t, v)`
  await owner`
    insert into readings (series_id, ts, value) select s, to_timestamp(t / 1000), v from ${rows} on conflict do nothing`
  await owner`
    insert into rollup_marks (series_id, hour, marked_at)
    select distinct s, date_trunc('hour', to_timestamp(t / 1000), 'UTC'), '-infinity'::timestamptz from ${rows}`
  await owner`
    insert into latest_readings as l (series_id, ts, value)
    select distinct on (s) s, to_timestamp(t / 1000), v from ${rows} order by s, t desc
    on conflict (series_id) do update set ts = excluded.ts, value = excluded.value, raw_tag = null where l.ts < excluded.ts`
}

/** Waits until the hub's worker has rolled up everything that is stored. */
export async function untilSettled(owner: postgres.Sql): Promise<void> {
  const isDue = () => owner`select from rollup_marks where hour < (select rolled_until from rollup_state) limit 1`
  while ((await isDue()).length > 0) await sleep(200)
}

/** How many readings are stored. */
export async function countStored(owner: postgres.Sql, filter: ReadingFilter): Promise<number> {
  const [row] = await owner<{ n: number }[]>`select count(*)::float8 as n ${matching(owner, filter)}`
  return row?.n ?? 0
}

/** The stored readings, by series and ascending in time. All of them are in memory. */
export const storedReadings = (owner: postgres.Sql, filter: ReadingFilter): Promise<StoredReading[]> =>
  owner<StoredReading[]>`
    select m.id as "machineId", m.machine_identifier as machine, s.metric, s.unit,
      (extract(epoch from r.ts) * 1000)::float8 as at, r.value
    ${matching(owner, filter)} order by s.id, r.ts`

function matching(owner: postgres.Sql, { tenantId, machineId, metric, from, until }: ReadingFilter) {
  const when = (condition: unknown, sql: () => postgres.PendingQuery<postgres.Row[]>) =>
    condition === undefined ? owner`` : sql()
  return owner`
    from readings r join series s on s.id = r.series_id join machines m on m.tenant_id = s.tenant_id and m.id = s.machine_id
    where true
      ${when(tenantId, () => owner`and s.tenant_id = ${tenantId as string}`)}
      ${when(machineId, () => owner`and s.machine_id = ${machineId as string}`)}
      ${when(metric, () => owner`and s.metric = ${metric as string}`)}
      ${when(from, () => owner`and r.ts >= ${new Date(from as number)}`)}
      ${when(until, () => owner`and r.ts < ${new Date(until as number)}`)}`
}

/** The stored readings of a series by its id, ascending by value and then in time. @yields readings with `at` in Unix ms */
export async function* storedByValue(
  owner: postgres.Sql,
  seriesId: number,
): AsyncGenerator<{ value: number; at: number }, undefined> {
  const rows = owner<{ value: number; at: number }[]>`
    select value, (extract(epoch from ts) * 1000)::float8 as at from readings where series_id = ${seriesId} order by value, ts`
  for await (const part of rows.cursor(5_000)) yield* part
}

/** The latest reading of each series of a metric, by unit. */
export const latestOf = (
  owner: postgres.Sql,
  { machineId, metric }: Pick<SeriesName, 'machineId' | 'metric'>,
): Promise<{ unit: string; at: number; value: number; rawTag: string | null }[]> =>
  owner<{ unit: string; at: number; value: number; rawTag: string | null }[]>`
    select s.unit, (extract(epoch from l.ts) * 1000)::float8 as at, l.value, l.raw_tag as "rawTag"
    from latest_readings l join series s on s.id = l.series_id
    where s.machine_id = ${machineId} and s.metric = ${metric} order by s.unit`

/** Blocks every flush before it stores readings, until the transaction ends. Reads go on. */
export const blockFlushes = (tx: postgres.TransactionSql) => tx`lock table ${tx(FLUSHED_TABLE)} in exclusive mode`

/**
 * The database refuses each reading of these instants and this metric; of all where one is not given.
 * @param sqlState the error: 22003 rejects the reading, XX000 is an unexpected error
 * @returns ends that
 */
export async function refuseReadings(
  owner: postgres.Sql,
  which: { at?: readonly Date[]; metric?: string },
  sqlState: '22003' | 'XX000',
): Promise<() => Promise<unknown>> {
  const name = `refuse_${crypto.randomUUID().replaceAll('-', '')}`
  const conditions = [
    which.metric && `exists (select from series where id = new.series_id and metric = '${which.metric}')`,
    which.at && `new.ts = any('{${which.at.map((at) => at.toISOString()).join()}}'::timestamptz[])`,
  ]
  await owner.unsafe(`
    create function ${name}() returns trigger language plpgsql security definer as $$ begin
      if ${conditions.filter(Boolean).join(' and ') || 'true'} then raise exception 'refused by the test' using errcode = '${sqlState}'; end if;
      return new;
    end $$;
    create trigger ${name} before insert on ${FLUSHED_TABLE} for each row execute function ${name}()`)
  return () => owner.unsafe(`drop trigger ${name} on ${FLUSHED_TABLE}; drop function ${name}()`)
}
