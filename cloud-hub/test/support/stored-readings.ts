import type postgres from 'postgres'
import type { Sql, TransactionSql } from '../../src/db/pools.ts'
import { createSeries } from '../../src/features/telemetry/series/create-series.ts'
import { claim } from '../../src/readings/claim.ts'
import type { Columns } from '../../src/readings/codec/columns.ts'
import { type Inserts, SHARING_MACHINES } from '../../src/readings/insert-readings.ts'
import { indexOfPlace, newestAt, rowOfPlace } from '../../src/readings/latest/entries.ts'
import { latestByMachine } from '../../src/readings/latest/readers.ts'
import { type LatestRow, latestKey, loadLatestRows } from '../../src/readings/latest/rows.ts'
import { columnsOfRange, countsOf } from '../../src/readings/query/columns.ts'
import { divideArrivals, scanArrivals } from '../../src/readings/seal/divide-arrivals.ts'
import { mergeDay } from '../../src/readings/seal/merge-day.ts'
import { SealHints } from '../../src/readings/seal/seal-hints.ts'
import { sealMachine } from '../../src/readings/seal/seal-machine.ts'
import { GROUP_BITS } from '../../src/readings/series-group.ts'
import type { SeriesSpan } from '../../src/readings/sorted-readings.ts'

/**
 * The one place outside of `src/readings` that knows the tables of readings. Tests, faults and benchmarks write,
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

/** As if the retention had removed a day of a machine's readings: of one series without statistics. */
export const storeRemovedDay = (owner: Sql, machineId: string, day: string) => owner`
  insert into reading_hours (tenant_id, series_id, day, n, hours)
  select tenant_id, id, ${day}, 1, '' from series where machine_id = ${machineId} order by id limit 1`

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

/** How flushes insert readings without a sealer. */
export const INSERTS: Inserts = { hints: new SealHints(), sharedFrom: () => SHARING_MACHINES }
/** The table into which a flush of few machines inserts readings. */
export const FLUSHED_TABLE = 'reading_tail'
/** Readings of one transaction. */
const CHUNK = 100_000
/** Before and after all readings that a hub takes, Unix ms. */
const [FIRST, LAST] = [Date.UTC(1970), Date.UTC(2200)]

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
 * @param sharedFrom see {@link Inserts}: with 1, up to 16 readings of a series become arrivals
 */
export async function storeReadings(
  owner: postgres.Sql,
  histories: readonly History[],
  sharedFrom = SHARING_MACHINES,
): Promise<void> {
  const series = await seriesOf(owner, histories)
  for (const [index, { times, values }] of histories.entries())
    for (let from = 0; from < times.length; from += CHUNK) {
      const to = Math.min(times.length, from + CHUNK)
      const order = Array.from({ length: to - from }, (_, i) => from + i).sort(
        (a, b) => (times[a] as number) - (times[b] as number),
      )
      const columns = {
        times: Float64Array.from(order, (i) => times[i] as number),
        values: Float64Array.from(order, (i) => values[i] as number),
      }
      await owner.begin((tx) => storeChunk(tx, series[index] as PlacedName, columns, sharedFrom))
    }
}

interface PlacedName {
  id: number
  tenantId: string
  machineId: string
  place: number
}

async function seriesOf(owner: postgres.Sql, histories: readonly SeriesName[]): Promise<PlacedName[]> {
  const column = (name: keyof SeriesName) => histories.map((history) => history[name])
  const named = owner`
    unnest(${column('machineId')}::uuid[], ${column('metric')}::text[], ${column('unit')}::text[])
      with ordinality n(machine_id, metric, unit, ord)`
  const tenants = await owner<{ tenantId: string }[]>`
    select m.tenant_id as "tenantId" from ${named} join machines m on m.id = n.machine_id order by n.ord`
  if (tenants.length !== histories.length) throw new Error('a machine of these readings does not exist')
  await createSeries(
    owner,
    histories.map(({ machineId, metric, unit }, i) => ({ tenantId: tenants[i]?.tenantId as string, machineId, metric, unit })),
  )
  return owner<PlacedName[]>`
    select s.id, s.tenant_id as "tenantId", s.machine_id as "machineId", s.place
    from ${named} join series s using (machine_id, metric, unit) order by n.ord`
}

async function storeChunk(
  tx: TransactionSql,
  { id, tenantId, machineId, place }: PlacedName,
  { times, values }: Pick<Columns, 'times' | 'values'>,
  sharedFrom: number,
): Promise<void> {
  const key = { tenantId, machineId, chunk: rowOfPlace(place) }
  const row = (await loadLatestRows(tx, [key])).get(latestKey(key)) as LatestRow
  const latest = { row, index: indexOfPlace(place) }
  const known = { latest, newestAt: newestAt(row.body, latest.index), needsNewest: false }
  const span: SeriesSpan = { slot: 0, seriesId: id, from: 0, to: times.length, ...known }
  const rawTags = new Array<null>(times.length).fill(null)
  await claim(tx, { spans: [span], timestamps: times, values, rawTags }, new Set([span]), {
    ...INSERTS,
    sharedFrom: () => sharedFrom,
  })
}

interface FoundSeries extends SeriesName {
  id: number
  tenantId: string
  machine: string
}

function findSeries(owner: postgres.Sql, { tenantId, machineId, metric }: ReadingFilter, id?: number): Promise<FoundSeries[]> {
  return owner<FoundSeries[]>`
    select s.id, s.tenant_id as "tenantId", s.machine_id as "machineId", m.machine_identifier as machine, s.metric, s.unit
    from series s join machines m on m.tenant_id = s.tenant_id and m.id = s.machine_id
    where (${tenantId ?? null}::uuid is null or s.tenant_id = ${tenantId ?? null}) and (${id ?? null}::int is null or s.id = ${id ?? null})`.then(
    (rows) =>
      rows
        .filter(
          (one) => (machineId === undefined || one.machineId === machineId) && (metric === undefined || one.metric === metric),
        )
        .sort((a, b) => a.id - b.id),
  )
}

const rangeOf = ({ tenantId, id }: FoundSeries, { from = FIRST, until = LAST }: ReadingFilter) => ({
  tenantId,
  seriesIds: [id],
  from,
  until,
})

/** How many readings are stored. */
export async function countStored(owner: postgres.Sql, filter: ReadingFilter): Promise<number> {
  let count = 0
  for (const series of await findSeries(owner, filter))
    count += (await owner.begin((tx) => countsOf(tx, rangeOf(series, filter), Number.MAX_SAFE_INTEGER)))[0] as number
  return count
}

/** The stored readings, by series and ascending in time. All of them are in memory. */
export async function storedReadings(owner: postgres.Sql, filter: ReadingFilter): Promise<StoredReading[]> {
  const found: StoredReading[] = []
  for (const series of await findSeries(owner, filter)) {
    const { machineId, machine, metric, unit } = series
    const { length, times, values } = await columnsOf(owner, series, filter)
    for (let i = 0; i < length; i++)
      found.push({ machineId, machine, metric, unit, at: times[i] as number, value: values[i] as number })
  }
  return found
}

const columnsOf = async (owner: postgres.Sql, series: FoundSeries, filter: ReadingFilter): Promise<Columns> =>
  (await owner.begin((tx) => columnsOfRange(tx, rangeOf(series, filter), Number.MAX_SAFE_INTEGER)))[0] as Columns

/** The stored readings of a series by its id, ascending by value and then in time. @yields readings with `at` in Unix ms */
export async function* storedByValue(
  owner: postgres.Sql,
  seriesId: number,
): AsyncGenerator<{ value: number; at: number }, undefined> {
  const [series] = await findSeries(owner, {}, seriesId)
  if (!series) return
  const { length, times, values } = await columnsOf(owner, series, {})
  const order = Uint32Array.from({ length }, (_, i) => i)
  order.sort((a, b) => (values[a] as number) - (values[b] as number) || (times[a] as number) - (times[b] as number))
  for (const i of order) yield { value: values[i] as number, at: times[i] as number }
}

/** The latest reading of each series of a metric, by unit. */
export async function latestOf(
  owner: postgres.Sql,
  { machineId, metric }: Pick<SeriesName, 'machineId' | 'metric'>,
): Promise<{ unit: string; at: number; value: number; rawTag: string | null }[]> {
  const [machine] = await owner<{ tenantId: string }[]>`select tenant_id as "tenantId" from machines where id = ${machineId}`
  const [all] = machine ? await owner.begin((tx) => latestByMachine(tx, machine.tenantId, [machineId])) : []
  return (all ?? [])
    .filter((one) => one.metric === metric)
    .map(({ unit, timestamp, value, rawTag }) => ({ unit, at: timestamp.getTime(), value, rawTag }))
    .sort((a, b) => (a.unit < b.unit ? -1 : 1))
}

/**
 * Moves everything that is stored into blocks, as the sealer does in time.
 * @param system the login of the sealer
 * @param areMerged false: the blocks stay open
 */
export async function sealAll(system: Sql, { areMerged = true } = {}): Promise<void> {
  const now = new Date(Date.now() + 10 * 86_400_000)
  for (const group of await scanArrivals(system)) await divideArrivals(system, group)
  const machines = await system<{ tenantId: string; machineId: string }[]>`
    select distinct tenant_id as "tenantId", machine_id as "machineId" from reading_tail`
  for (const machine of machines) await sealMachine(system, machine, now, { movesLate: true })
  if (!areMerged) return
  const days = await system<{ tenantId: string; machineId: string; day: number }[]>`
    select distinct b.tenant_id as "tenantId", s.machine_id as "machineId",
      (extract(epoch from date_trunc('day', b.t0, 'UTC')) * 1000)::float8 as day
    from reading_blocks_open b join series s on s.tenant_id = b.tenant_id and s.id = b.series_id`
  for (const { day, ...machine } of days) await mergeDay(system, machine, day, now)
}

/** Blocks every flush before it stores readings, until the transaction ends. Reads go on. */
export const blockFlushes = (tx: postgres.TransactionSql) =>
  tx`lock table reading_arrivals, ${tx(FLUSHED_TABLE)} in exclusive mode`

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
  const at =
    which.at &&
    `exists (select from unnest('{${which.at.map((one) => one.toISOString()).join()}}'::timestamptz[]) at where at between new.t0 and new.t1)`
  for (const [table, its] of [
    ['reading_arrivals', `tenant_id = new.tenant_id and id >> ${GROUP_BITS} = new.series_group`],
    [FLUSHED_TABLE, 'machine_id = new.machine_id and id between new.s0 and new.s1'],
  ] as const) {
    const metric = which.metric && `exists (select from series where ${its} and metric = '${which.metric}')`
    await owner.unsafe(`
      create function ${name}_${table}() returns trigger language plpgsql security definer as $$ begin
        if ${[metric, at].filter(Boolean).join(' and ') || 'true'} then raise exception 'refused by the test' using errcode = '${sqlState}'; end if;
        return new;
      end $$;
      create trigger ${name} before insert on ${table} for each row execute function ${name}_${table}()`)
  }
  return async () => {
    for (const table of ['reading_arrivals', FLUSHED_TABLE])
      await owner.unsafe(`drop trigger ${name} on ${table}; drop function ${name}_${table}()`)
  }
}

/** Gives each series of a database without readings a newest reading, without storing it: what jobs see of a large company. */
export const insertNewest = (owner: postgres.TransactionSql, at: Date): Promise<unknown> => owner`
  insert into machine_latest (tenant_id, machine_id, chunk, written, body)
  select tenant_id, machine_id, place / 64, pg_current_xact_id(), '\\x01'::bytea || string_agg(
    int4send(id) || int8send(${at.getTime()}::text::bigint) || float8send(50) || '\\x00'::bytea || int8send(0), ''::bytea order by place)
  from series group by 1, 2, 3 order by 1, 2, 3
  on conflict do nothing`
