import { randomBytes, randomUUID } from 'node:crypto'
import { Secret } from '@haltless/edge-agent/secret'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { prepareDatabase } from '../src/db/migrate.ts'
import { openPools, type Pools } from '../src/db/pools.ts'
import { type TenantScope, tenantScope } from '../src/db/scope.ts'
import { encodeBlocks } from '../src/features/telemetry/readings/codec/block.ts'
import type { Columns } from '../src/features/telemetry/readings/codec/columns.ts'
import { CorruptReadings } from '../src/features/telemetry/readings/codec/corrupt.ts'
import { encodeInstants } from '../src/features/telemetry/readings/codec/instants.ts'
import { encodeStatistics, statisticsOf } from '../src/features/telemetry/readings/codec/statistics.ts'
import { encodeTailBody } from '../src/features/telemetry/readings/codec/tail-body.ts'
import { columnsByMetric, columnsOfRange, countsOf } from '../src/features/telemetry/readings/query/columns.ts'
import { neighbours } from '../src/features/telemetry/readings/query/neighbours.ts'
import { sampleOf, valuesOf } from '../src/features/telemetry/readings/query/sample.ts'
import { bucketsOf, totalsOf } from '../src/features/telemetry/readings/query/statistics.ts'
import { walkReadings } from '../src/features/telemetry/readings/query/walk.ts'
import { useDatabase } from './harness.ts'

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000]
/** a Sunday, long past: partitions of months */
const START = Date.UTC(2024, 4, 5)
const NOW = START + 6 * DAY + 7 * HOUR + 12_345
const database = useDatabase()
let pools: Pools
let owner: postgres.Sql

let state = 11
const random = () => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  return state / 2 ** 32
}
const below = (n: number) => Math.floor(random() * n)

interface Reading {
  at: number
  value: number
}

/** A series and what is stored of it. */
interface Stored {
  id: number
  tenantId: string
  machineId: string
  metric: string
  unit: string
  /** ascending */
  kept: Reading[]
  /** readings of which only statistics are left */
  removed: (Reading & { hasMinutes: boolean })[]
}

const columnsOf = (readings: readonly Reading[]): Columns => ({
  length: readings.length,
  times: Float64Array.from(readings, ({ at }) => at),
  values: Float64Array.from(readings, ({ value }) => value),
})
const byTime = (a: Reading, b: Reading) => a.at - b.at

async function newMachine(): Promise<{ tenantId: string; machineId: string }> {
  const [tenant] = await owner<{ id: string }[]>`insert into tenants (name) values ('Acme') returning id`
  return { tenantId: tenant!.id, machineId: await machineOf(tenant!.id) }
}

async function machineOf(tenantId: string): Promise<string> {
  const [machine] = await owner<{ id: string }[]>`
    insert into machines (tenant_id, name, machine_identifier, protocol) values (${tenantId}, 'Press', ${randomUUID()}, 'json') returning id`
  return machine!.id
}

async function seriesOf(
  tenantId: string,
  machineId: string,
  metric: string,
  unit: string,
  readings: readonly Reading[] = [],
): Promise<Stored> {
  const [series] = await owner<{ id: number }[]>`
    insert into series (tenant_id, machine_id, metric, unit, place) select ${tenantId}, ${machineId}, ${metric}, ${unit}, count(*)
    from series where machine_id = ${machineId} returning id`
  return { id: series!.id, tenantId, machineId, metric, unit, kept: [...readings].sort(byTime), removed: [] }
}

async function storeBlocks(table: 'reading_blocks' | 'reading_blocks_open', series: Stored, readings: readonly Reading[]) {
  for (const { seriesId, t0, t1, n, times, vals, hours } of encodeBlocks(series.id, columnsOf(readings))) {
    await owner`select ensure_block_partition(${new Date(t0)})`
    await owner`insert into ${owner(table)} (tenant_id, series_id, t0, t1, n, times, vals, hours)
      values (${series.tenantId}, ${seriesId}, ${new Date(t0)}, ${new Date(t1)}, ${n}, ${times}, ${vals}, ${hours})`
  }
}

async function storeTail(of: readonly { series: Stored; readings: readonly Reading[] }[]) {
  const all = columnsOf(of.flatMap(({ readings }) => readings))
  let to = 0
  const sections = of.map(({ series, readings }) => {
    const from = to
    to += readings.length
    return { seriesId: series.id, from, to }
  })
  const { t0, t1, s0, s1, n, body } = encodeTailBody(sections, all.times, all.values)
  const { tenantId, machineId } = of[0]!.series
  await owner`insert into reading_tail (tenant_id, machine_id, t0, t1, s0, s1, n, body)
    values (${tenantId}, ${machineId}, ${new Date(t0)}, ${new Date(t1)}, ${s0}, ${s1}, ${n}, ${body})`
}

async function storeRemoved(series: Stored, readings: readonly Reading[], hasMinutes: boolean) {
  for (const [day, own] of Map.groupBy(readings, ({ at }) => Math.floor(at / DAY) * DAY)) {
    const { length, times, values } = columnsOf(own)
    const date = new Date(day).toISOString().slice(0, 10)
    const encoded = (ms: number) => encodeStatistics(statisticsOf(times, values, 0, length, ms), ms)
    await owner`insert into reading_hours values (${series.tenantId}, ${series.id}, ${date}, ${length}, ${encoded(HOUR)})`
    if (!hasMinutes) continue
    await owner`select ensure_minutes_partition(${date})`
    await owner`insert into reading_minutes values (${series.tenantId}, ${series.id}, ${date}, ${encoded(MINUTE)}, ${encodeInstants(times)})`
  }
}

/** Random readings of six days, stored on every level; some come late, so that they lie among blocks. */
async function fill(series: readonly Stored[], stepsMs: readonly number[]) {
  const tail: { series: Stored; readings: Reading[] }[] = []
  for (const [i, one] of series.entries()) {
    const readings: Reading[] = []
    for (let at = START + below(DAY); at < NOW; at += 1 + below(2 * stepsMs[i]!))
      readings.push({ at, value: Math.round(random() * 1e4) / 100 })
    const gap = START + 4 * DAY + below(DAY)
    const sent = readings.filter(({ at }) => at < gap || at > gap + 5 * HOUR)
    const late = new Set(sent.filter(() => below(60) === 0))
    const isRemoved = ({ at }: Reading) => at < START + 2 * DAY
    const removed = sent.filter(isRemoved)
    const [noMinutes, minutes] = [removed.filter(({ at }) => at < START + DAY), removed.filter(({ at }) => at >= START + DAY)]
    await storeRemoved(one, noMinutes, false)
    await storeRemoved(one, minutes, true)
    one.removed = removed.map((r) => ({ ...r, hasMinutes: r.at >= START + DAY }))
    one.kept = sent.filter((r) => !isRemoved(r))
    const settled = one.kept.filter((r) => !late.has(r))
    const day = Math.floor(NOW / DAY) * DAY
    await storeBlocks(
      'reading_blocks',
      one,
      settled.filter(({ at }) => at < day),
    )
    const today = settled.filter(({ at }) => at >= day && at < NOW - HOUR)
    for (const hour of Map.groupBy(today, ({ at }) => Math.floor(at / HOUR)).values())
      await storeBlocks('reading_blocks_open', one, hour)
    const waiting = one.kept.filter((r) => late.has(r) || r.at >= NOW - HOUR)
    while (waiting.length > 0) tail.push({ series: one, readings: waiting.splice(0, 1 + below(60)) })
  }
  // rows with several series of a machine, in any order of time
  for (const own of Map.groupBy(tail, (section) => section.series.machineId).values()) {
    own.sort(() => random() - 0.5)
    while (own.length > 0) await storeTail(own.splice(0, 1 + below(5)))
  }
}

let series: Stored[]
let stranger: Stored
let scope: TenantScope
const scopeOf = (tenantId: string) => tenantScope(pools, { now: () => new Date(NOW) }, tenantId, {} as never)

beforeAll(async () => {
  pools = openPools(await prepareDatabase(database.url, new Secret(randomBytes(32).toString('base64'))))
  owner = postgres(database.url, { max: 1, onnotice: () => {} })
  const { tenantId, machineId } = await newMachine()
  const second = await machineOf(tenantId)
  series = [
    await seriesOf(tenantId, machineId, 'temperature', 'celsius'),
    await seriesOf(tenantId, machineId, 'pressure', 'bar'),
    await seriesOf(tenantId, second, 'temperature', 'celsius'),
    await seriesOf(tenantId, machineId, 'temperature', 'fahrenheit'),
    await seriesOf(tenantId, machineId, 'speed', 'rpm'),
  ]
  await fill(series.slice(0, 4), [10_000, 60_000, 20_000, 1_800_000])
  const other = await newMachine()
  stranger = await seriesOf(other.tenantId, other.machineId, 'temperature', 'celsius')
  await fill([stranger], [60_000])
  scope = scopeOf(tenantId)
}, 120_000)

afterAll(async () => {
  await owner?.end()
  await pools?.close()
})

/** Ranges on the grid of days, hours and minutes, off it, inside an hour, over everything, and empty ones. */
function ranges(): { from: number; until: number }[] {
  const at = (grid: number) => Math.floor((START - DAY / 2 + random() * 7.5 * DAY) / grid) * grid
  const found = [
    { from: START - 9 * DAY, until: NOW + 9 * DAY },
    { from: START + 3 * DAY, until: START + 3 * DAY },
    { from: START + 40 * DAY, until: START + 41 * DAY },
  ]
  for (const grid of [DAY, HOUR, HOUR, MINUTE, MINUTE, 1, 1, 1]) {
    const [a, b] = [at(grid), at(grid)]
    found.push({ from: Math.min(a, b), until: Math.max(a, b) })
  }
  for (const width of [HOUR, 3 * MINUTE, 7_001]) {
    const from = at(1)
    found.push({ from, until: from + width })
  }
  return found
}
const rangeOf = (of: readonly Stored[], { from, until }: { from: number; until: number }) => ({
  tenantId: scope.tenantId,
  seriesIds: of.map(({ id }) => id),
  from,
  until,
})
const keptIn = ({ kept }: Stored, from: number, until: number) => kept.filter(({ at }) => at >= from && at < until)
const readingsOf = ({ length, times, values }: Columns) =>
  Array.from({ length }, (_, i): Reading => ({ at: times[i]!, value: values[i]! }))

describe('the readings of a range', () => {
  it.each([1, 7, 1_000, 1e6])('are counted up to %d', async (max) => {
    for (const range of ranges())
      expect(await scope.rawRead((tx) => countsOf(tx, rangeOf(series, range), max))).toEqual(
        series.map((one) => Math.min(max, keptIn(one, range.from, range.until).length)),
      )
  })

  it.each([1, 13, 2_000, 1e6])('come as the first %d of each series', async (max) => {
    for (const range of ranges()) {
      const found = await scope.rawRead((tx) => columnsOfRange(tx, rangeOf(series, range), max))
      expect(found.map(readingsOf)).toEqual(series.map((one) => keptIn(one, range.from, range.until).slice(0, max)))
    }
  })

  it('come once in pages of each size', async () => {
    const [one] = series as [Stored]
    for (const size of [700, 4_000]) {
      const all: Reading[] = []
      for (let from = START; ; ) {
        const [page] = await scope.rawRead((tx) => columnsOfRange(tx, rangeOf([one], { from, until: NOW }), size))
        all.push(...readingsOf(page!))
        if (page!.length < size) break
        from = page!.times.at(-1)! + 1
      }
      expect(all).toEqual(keptIn(one, START, NOW))
    }
  })

  it('come by metric and unit', async () => {
    const [from, until] = [START + 3 * DAY + 5, START + 5 * DAY]
    const { machineId } = series[0]!
    // a flush, which reads statement by statement
    const found = await pools.ingest.begin((tx) =>
      columnsByMetric(tx, { tenantId: scope.tenantId, machineId, metrics: ['temperature', 'speed'], from, until }, 1_000),
    )
    expect(found.map(({ metric, unit, ...columns }) => [metric, unit, readingsOf(columns)])).toEqual(
      [series[0]!, series[3]!, series[4]!].map((one) => [one.metric, one.unit, keptIn(one, from, until).slice(0, 1_000)]),
    )
  })

  it('come as values', async () => {
    const range = { from: START + 3 * DAY, until: START + 3 * DAY + 5 * HOUR }
    const found = await scope.rawRead((tx) => valuesOf(tx, rangeOf(series, range)))
    expect(found.map((values) => values.toSorted())).toEqual(
      series.map((one) =>
        keptIn(one, range.from, range.until)
          .map(({ value }) => value)
          .toSorted(),
      ),
    )
  })

  it('are sampled over all the time between the first and the last', async () => {
    // an end inside a block would count as the last reading
    for (const range of ranges().map(({ from, until }) => ({ from, until: Math.ceil(until / DAY) * DAY }))) {
      const found = await scope.rawRead((tx) => sampleOf(tx, rangeOf(series, range), 20, 3))
      for (const [i, one] of series.entries()) {
        const kept = keptIn(one, range.from, range.until)
        const [first, last] = [kept[0]?.at ?? 0, kept.at(-1)?.at ?? 0]
        const expected = Map.groupBy(kept, ({ at }) => {
          let moment = 19
          while (at < first + (moment * (last - first)) / 20) moment--
          return moment
        })
        expect(found[i]).toEqual([...expected.values()].flatMap((of) => of.slice(0, 3).map(({ value }) => value)))
      }
    }
  })

  it('are walked by time, at one instant in the order of the series', async () => {
    for (const { from, until } of ranges().slice(0, 8)) {
      const walked: object[] = []
      const ids = series.map(({ id }) => id)
      for await (const steps of walkReadings(scope, ids, from, until)) walked.push(...steps)
      const expected = series
        .flatMap((one, place) => keptIn(one, from, until + 1).map((reading) => ({ series: place, ...reading })))
        .sort((a, b) => a.at - b.at || a.series - b.series)
      expect(walked).toEqual(expected)
    }
  })
})

/** What counts of a range: readings, and removed ones by whole minutes, in buckets of hours by whole hours. */
function counted({ kept, removed }: Stored, from: number, until: number, isOfHours: boolean): Reading[] {
  const isInside = (at: number, ms: number) => Math.floor(at / ms) * ms >= from && Math.floor(at / ms) * ms + ms <= until
  const rest = removed.filter(({ at, hasMinutes }) => (isOfHours && isInside(at, HOUR)) || (hasMinutes && isInside(at, MINUTE)))
  return [...rest, ...kept.filter(({ at }) => at >= from && at < until)].sort(byTime)
}

function naive(readings: readonly Reading[]) {
  const values = readings.map(({ value }) => value)
  const mean = values.reduce((sum, x) => sum + x, 0) / values.length
  const m2 = values.reduce((sum, x) => sum + (x - mean) ** 2, 0)
  const { at: lastAt, value: last } = readings.at(-1)!
  return {
    n: values.length,
    mean,
    m2,
    low: values.reduce((a, b) => Math.min(a, b)),
    high: values.reduce((a, b) => Math.max(a, b)),
    lastAt,
    last,
  }
}
type Statistics = ReturnType<typeof naive>

function expectClose(found: Statistics & { m2: number | null }, expected: Statistics) {
  expect(found).toMatchObject({ ...expected, mean: found.mean, m2: found.m2 })
  expect(Math.abs(found.mean - expected.mean)).toBeLessThan(1e-10)
  expect(Math.abs(found.m2! - expected.m2)).toBeLessThanOrEqual(1e-9 * Math.max(1, expected.m2))
}

describe('statistics of a range', () => {
  it.each([
    ['1m', MINUTE],
    ['5m', 5 * MINUTE],
    ['7m', 7 * MINUTE],
    ['15m', 15 * MINUTE],
    ['1h', HOUR],
    ['6h', 6 * HOUR],
    ['1d', DAY],
  ])('equal those of the readings in each bucket of %s', async (_, bucketMs) => {
    for (const range of ranges()) {
      const found = await scope.rawRead((tx) => bucketsOf(tx, rangeOf(series, range), bucketMs))
      const expected = series.flatMap((one, place) => {
        const readings = counted(one, range.from, range.until, bucketMs % HOUR === 0)
        return [...Map.groupBy(readings, ({ at }) => Math.floor(at / bucketMs) * bucketMs)].map(([at, of]) => ({
          series: place,
          at,
          ...naive(of),
        }))
      })
      expect(found.map((bucket) => [bucket.series, bucket.at])).toEqual(expected.map((bucket) => [bucket.series, bucket.at]))
      for (const [i, bucket] of found.entries()) expectClose(bucket as never, expected[i]!)
    }
  })

  it('equal those of all its readings', async () => {
    for (const range of ranges()) {
      const found = await scope.rawRead((tx) => totalsOf(tx, rangeOf(series, range)))
      const expected = series.flatMap((one, place) => {
        const readings = counted(one, range.from, range.until, true)
        return readings.length === 0 ? [] : [{ series: place, ...naive(readings) }]
      })
      expect(found.map((total) => total.series)).toEqual(expected.map((total) => total.series))
      for (const [i, total] of found.entries()) expectClose(total as never, expected[i]!)
    }
  })

  it('never overflow', async () => {
    const max = Number.MAX_VALUE
    const extreme = await seriesOf(scope.tenantId, series[0]!.machineId, 'extreme', '')
    const sent = Array.from({ length: 5_000 }, (_, i): Reading => ({ at: START + i * 1_000, value: i % 2 ? max : -max }))
    await storeBlocks('reading_blocks', extreme, sent.slice(0, 4_000))
    await storeTail([{ series: extreme, readings: sent.slice(4_000) }])
    const range = rangeOf([extreme], { from: START, until: START + DAY })
    const [total] = await scope.rawRead((tx) => totalsOf(tx, range))
    expect(total).toMatchObject({ n: 5_000, m2: null, low: -max, high: max, lastAt: sent.at(-1)!.at, last: max })
    expect(Math.abs(total!.mean)).toBeLessThan(max * 1e-12)
    for (const { mean } of await scope.rawRead((tx) => bucketsOf(tx, range, MINUTE)))
      expect(Math.abs(mean)).toBeLessThan(max * 1e-12)
  })
})

describe('neighbours of an instant', () => {
  it('are the nearest readings on either side, in all parts', async () => {
    const requests = Array.from({ length: 120 }, () => {
      const one = [...series, stranger][below(6)]!
      const at = below(2) ? START - DAY / 2 + below(7.5 * DAY) : (one.kept[below(one.kept.length)]?.at ?? START)
      return {
        one,
        series: { tenantId: one.tenantId, id: one.id },
        at,
        before: below(2) * (2 + below(300)),
        after: below(2) * (1 + below(100)),
      }
    })
    // a flush, which knows every tenant
    const together = await pools.ingest.begin((tx) => neighbours(tx, requests))
    for (const [i, { one, at, before, after, ...request }] of requests.entries()) {
      const middle = one.kept.filter((reading) => reading.at <= at).length
      const [alone] = await pools.ingest.begin((tx) => neighbours(tx, [{ ...request, at, before, after }]))
      for (const found of [together[i]!, alone!])
        expect(readingsOf(found)).toEqual(one.kept.slice(Math.max(0, middle - before), middle + after))
    }
  })

  it('of no instants are none', async () => {
    expect(await pools.ingest.begin((tx) => neighbours(tx, []))).toEqual([])
  })
})

describe('another tenant', () => {
  const everything = { from: START - DAY, until: NOW + DAY }

  it('sees nothing of these series, neither with its own id nor with a foreign one', async () => {
    const foreign = scopeOf(stranger.tenantId)
    for (const tenantId of [stranger.tenantId, scope.tenantId]) {
      const range = { ...rangeOf(series, everything), tenantId }
      const [counts, columns, buckets, totals, values] = [
        await foreign.rawRead((tx) => countsOf(tx, range, 1_000)),
        await foreign.rawRead((tx) => columnsOfRange(tx, range, 1_000)),
        await foreign.rawRead((tx) => bucketsOf(tx, range, DAY)),
        await foreign.rawRead((tx) => totalsOf(tx, range)),
        await foreign.rawRead((tx) => valuesOf(tx, range)),
      ]
      expect(counts).toEqual(series.map(() => 0))
      expect(columns.map(({ length }) => length)).toEqual(series.map(() => 0))
      expect([buckets, totals, values.flat()]).toEqual([[], [], []])
    }
  })

  it('sees no neighbours when it names a series that is not its own', async () => {
    const [one] = series as [Stored]
    const request = { series: { tenantId: stranger.tenantId, id: one.id }, at: NOW, before: 5, after: 5 }
    const [found] = await pools.ingest.begin((tx) => neighbours(tx, [request]))
    expect(found?.length).toBe(0)
  })
})

it('a damaged block fails its query, and the connection serves the next one', async () => {
  const broken = await seriesOf(scope.tenantId, series[0]!.machineId, 'broken', '')
  await storeBlocks('reading_blocks', broken, [{ at: START, value: 1 }])
  await owner`update reading_blocks set vals = '\\x01ff' where series_id = ${broken.id}`
  const range = rangeOf([broken], { from: START, until: NOW })
  for (let i = 0; i < 10; i++) await expect(scope.rawRead((tx) => columnsOfRange(tx, range, 10))).rejects.toThrow(CorruptReadings)
  expect(await scope.rawRead((tx) => countsOf(tx, range, 10))).toEqual([1])
})
