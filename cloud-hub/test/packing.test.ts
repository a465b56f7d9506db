import postgres from 'postgres'
import { expect, it, type TestContext } from 'vitest'
import { migrateTables } from '../src/db/migrate.ts'
import { dropPacked, packingLeft, packSome } from '../src/features/telemetry/readings/packing/pack-readings.ts'
import { packStatistics } from '../src/features/telemetry/readings/packing/pack-statistics.ts'
import { Packer } from '../src/features/telemetry/readings/packing/packer.ts'
import { bucketsOf, totalsOf } from '../src/features/telemetry/readings/query/statistics.ts'
import { newDatabase } from './support/old-database.ts'
import { countStored, storedReadings, storeReadings } from './support/stored-readings.ts'

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000]
const now = Math.floor(Date.now() / MINUTE) * MINUTE
/** Readings before this day were removed by retention; their statistics are kept. */
const dropped = Math.floor(now / DAY) * DAY - 70 * DAY
/** Migrations 0 to 14, as commit c79cc08 has them. */
const OLD = 15

/** Old rows of two machines: one series each 30 s for two days, one each hour for 60 days, one of a machine that is deleted. */
async function fillOld(sql: postgres.Sql) {
  const [tenant] = await sql`insert into tenants (name) values ('Mill') returning id`
  const machine = async (name: string) =>
    (
      await sql`insert into machines ${sql({ tenant_id: tenant?.id, name, machine_identifier: name, protocol: 'opcua' })} returning id`
    )[0]?.id as string
  const [saw, press] = [await machine('saw'), await machine('press')]
  const series = async (machineId: string, metric: string) =>
    (await sql`insert into series ${sql({ tenant_id: tenant?.id, machine_id: machineId, metric, unit: 'bar' })} returning id`)[0]
      ?.id as number
  const [dense, sparse, gone] = [await series(saw, 'dense'), await series(saw, 'sparse'), await series(press, 'gone')]
  const put = async (id: number, from: number, until: number, stepMs: number) => {
    for (let day = from; day < until + DAY; day += DAY)
      await sql`select ensure_reading_partition(${new Date(Math.min(day, until))})`
    await sql`
      insert into readings (series_id, ts, value) select ${id}::int, t, extract(epoch from t)::int % 1000 / 8.0
      from generate_series(${new Date(from)}::timestamptz, ${new Date(until)}::timestamptz, make_interval(secs => ${stepMs / 1_000})) t`
  }
  await put(dense, now - 2 * DAY, now - 5 * MINUTE, 30_000)
  await put(sparse, now - 60 * DAY, now - HOUR, HOUR)
  await put(gone, now - 3 * DAY, now - 2 * DAY, HOUR)
  await sql`
    insert into latest_readings (series_id, ts, value)
    select distinct on (series_id) series_id, ts, value from readings order by series_id, ts desc`
  await sql`insert into readings_dropped values ('-infinity', ${new Date(dropped)})`
  for (const [table, step] of [
    ['rollup_hours', '1 hour'],
    ['rollup_minutes', '1 minute'],
  ] as const) {
    if (table === 'rollup_minutes') await sql`select ensure_minute_partition(${new Date(dropped - HOUR)})`
    await sql`
      insert into ${sql(table)} (series_id, ts, n, mean, m2, low, high, last, last_at)
      select ${dense}::int, t, 60, 5, 12, 1, 9, 7, t + interval '30 seconds'
      from generate_series(${new Date(dropped - 2 * HOUR)}::timestamptz, ${new Date(dropped - MINUTE)}::timestamptz, ${step}::interval) t`
  }
  await sql`delete from machines where id = ${press}`
  return { tenantId: tenant?.id as string, saw, dense, sparse }
}

/** A connection with the rights of the sealer. */
function sealerOf({ onTestFinished }: TestContext, url: string): postgres.Sql {
  const sql = postgres(url, { max: 4, onnotice: () => {}, connection: { role: 'haltless_system' } })
  onTestFinished(() => sql.end({ timeout: 1 }))
  return sql
}

const oldRows = (sql: postgres.Sql) => sql<{ metric: string; at: number; value: number }[]>`
  select s.metric, (extract(epoch from r.ts) * 1000)::float8 as at, r.value from readings r join series s on s.id = r.series_id order by s.id, r.ts`

it('old rows are read before, while and after they are packed, beside readings that come meanwhile; none is lost, doubled or changed', async (test) => {
  const { url, sql } = await newDatabase(test, OLD)
  const { tenantId, saw, dense, sparse } = await fillOld(sql)
  const expected = new Map((await oldRows(sql)).map((row) => [`${row.metric} ${row.at}`, row.value]))
  expect(expected.size).toBeGreaterThan(7_000)
  await migrateTables(url)
  const sealer = sealerOf(test, url)

  const read = async () => new Map((await storedReadings(sql, {})).map((row) => [`${row.metric} ${row.at}`, row.value]))
  const range = { tenantId, seriesIds: [dense, sparse], from: dropped - DAY, until: now + DAY }
  const statistics = async () =>
    sql.begin(async (tx) => [await totalsOf(tx, range), await bucketsOf(tx, range, HOUR), await bucketsOf(tx, range, MINUTE)])
  const removed = { ...range, seriesIds: [dense], until: dropped }
  const [hours, minutes] = await sql.begin(async (tx) => [
    await bucketsOf(tx, removed, HOUR),
    await bucketsOf(tx, removed, MINUTE),
  ])
  expect([hours?.length, hours?.[0]]).toEqual([2, expect.objectContaining({ n: 60, mean: 5 })])
  const firstHour = { ...removed, from: hours![0]!.at, until: hours![0]!.at + HOUR }
  expect(await sql.begin((tx) => totalsOf(tx, firstHour))).toEqual([
    expect.objectContaining({ n: 60, mean: 5, m2: 12, low: 1, high: 9, last: 7 }),
  ])
  expect(minutes).toHaveLength(120)

  let step = 0
  /** A repeat with another value, a late reading between old ones, and a new one. */
  const come = async () => {
    step++
    const late = now - DAY + step * 1_000 + 7
    const times = [now - 2 * DAY, late, now + step * 1_000]
    await storeReadings(sql, [{ machineId: saw, metric: 'dense', unit: 'bar', times, values: [-1, step, step] }])
    expected.set(`dense ${late}`, step).set(`dense ${now + step * 1_000}`, step)
  }
  await come()
  expect(await read()).toEqual(expected)
  const { partitions } = await packingLeft(sealer)
  expect(partitions).toBeGreaterThan(3)
  for (let packed = await packSome(sealer, new Date(now)); packed !== null; packed = await packSome(sealer, new Date(now))) {
    await come()
    expect(await read()).toEqual(expected)
  }
  const before = await statistics()
  while (await packStatistics(sealer)) expect(await statistics()).toEqual(before)
  expect(await statistics()).toEqual(before)
  expect(await packingLeft(sealer)).toMatchObject({ partitions: 0, rows: 0, removed: 0 })
  // a statement that began before may still read a packed partition, so it goes some minutes later
  await dropPacked(sealer)
  expect((await packingLeft(sealer)).packed).toBe(partitions)
  await sql`update legacy_partitions set packed_at = packed_at - interval '4 minutes'`
  await dropPacked(sealer)
  expect((await packingLeft(sealer)).packed).toBe(0)
  expect(await read()).toEqual(expected)
  expect(await countStored(sql, {})).toBe(expected.size)
}, 60_000)

it('two packers share the work, and the last one says when it is done', async (test) => {
  const { url, sql } = await newDatabase(test, OLD)
  await fillOld(sql)
  const expected = (await oldRows(sql)).length
  await migrateTables(url)
  const sealer = sealerOf(test, url)
  const lines: string[] = []
  const packers = [1, 2].map(() => new Packer(sealer, ({ message }) => lines.push(message)))
  const { signal } = new AbortController()
  // a partition that the other packer is about to empty is dropped in the next run
  for (let left = await packingLeft(sealer); left.removed + left.partitions > 0; left = await packingLeft(sealer))
    await Promise.all(packers.map((packer) => packer.run(new Date(now), 50, signal)))
  expect(await packingLeft(sealer)).toMatchObject({ partitions: 0, rows: 0, removed: 0 })
  expect(await countStored(sql, {})).toBe(expected)
  expect(lines).toContain('packing the readings of the version before; they can be read meanwhile')
}, 60_000)
