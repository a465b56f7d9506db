import { randomBytes } from 'node:crypto'
import { Secret } from '@haltless/edge-agent/secret'
import type { Sql } from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import postgres from '../src/db/driver.ts'
import { prepareDatabase } from '../src/db/migrate.ts'
import { openPools, type Pools } from '../src/db/pools.ts'
import { type TenantScope, tenantScope } from '../src/db/scope.ts'
import { readSeries } from '../src/features/telemetry/readings/read-series.ts'
import type { Columns } from '../src/readings/codec/columns.ts'
import { CorruptReadings } from '../src/readings/codec/corrupt.ts'
import { columnsByMetric, columnsOfRange, countsOf } from '../src/readings/query/columns.ts'
import { neighbours } from '../src/readings/query/neighbours.ts'
import { sampleOf, valuesOf } from '../src/readings/query/sample.ts'
import { bucketsOf, totalsOf } from '../src/readings/query/statistics.ts'
import { walkReadings } from '../src/readings/query/walk.ts'
import { packedStore } from '../src/readings/store.ts'
import { useDatabase } from './harness.ts'
import {
  below,
  DAY,
  damageBlocks,
  fillSeries,
  fillTail,
  HOUR,
  MINUTE,
  NOW,
  newMachine,
  newSeries,
  newTenant,
  type Reading,
  random,
  START,
  type Stored,
  storeBlocks,
  storeTail,
} from './support/packed-series.ts'
import { INSERTS } from './support/stored-readings.ts'

const database = useDatabase()
let pools: Pools
let owner: Sql

const byTime = (a: Reading, b: Reading) => a.at - b.at

let series: Stored[]
let stranger: Stored
let scope: TenantScope
const scopeOf = (tenantId: string) => tenantScope(pools, { now: () => new Date(NOW) }, tenantId, {} as never)

beforeAll(async () => {
  pools = openPools(await prepareDatabase(database.url, [new Secret(randomBytes(32).toString('base64'))]))
  owner = postgres(database.url, { max: 1, onnotice: () => {} })
  const tenantId = await newTenant(owner)
  const [first, second] = [await newMachine(owner, tenantId), await newMachine(owner, tenantId)]
  const names = [
    [first, 'temperature', 'celsius'],
    [first, 'pressure', 'bar'],
    [second, 'temperature', 'celsius'],
    [first, 'temperature', 'fahrenheit'],
    [first, 'speed', 'rpm'],
  ] as const
  series = []
  for (const [machineId, metric, unit] of names) series.push(await newSeries(owner, { tenantId, machineId, metric, unit }))
  const other = await newTenant(owner)
  stranger = await newSeries(owner, {
    tenantId: other,
    machineId: await newMachine(owner, other),
    metric: 'temperature',
    unit: 'celsius',
  })
  const sections: { series: Stored; readings: Reading[] }[] = []
  const stepsMs = [10_000, 60_000, 20_000, 1_800_000]
  for (const [one, stepMs] of [...stepsMs.map((ms, i) => [series[i]!, ms] as const), [stranger, 60_000] as const])
    for (const readings of await fillSeries(owner, one, stepMs)) sections.push({ series: one, readings })
  await fillTail(owner, sections)
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
      expect(await scope.read((tx) => countsOf(tx, rangeOf(series, range), max))).toEqual(
        series.map((one) => Math.min(max, keptIn(one, range.from, range.until).length)),
      )
  })

  it.each([1, 13, 2_000, 1e6])('come as the first %d of each series', async (max) => {
    for (const range of ranges()) {
      const found = await scope.read((tx) => columnsOfRange(tx, rangeOf(series, range), max))
      expect(found.map(readingsOf)).toEqual(series.map((one) => keptIn(one, range.from, range.until).slice(0, max)))
    }
  })

  it('come once in pages of each size', async () => {
    const [one] = series as [Stored]
    for (const size of [700, 4_000]) {
      const all: Reading[] = []
      for (let from = START; ; ) {
        const [page] = await scope.read((tx) => columnsOfRange(tx, rangeOf([one], { from, until: NOW }), size))
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
    const found = await scope.read((tx) => valuesOf(tx, rangeOf(series, range)))
    expect(found.map((values) => values.toSorted())).toEqual(
      series.map((one) =>
        keptIn(one, range.from, range.until)
          .map(({ value }) => value)
          .toSorted(),
      ),
    )
  })

  it('are sampled over all the time between the first and the last', async () => {
    // an end inside a block counts as the last reading
    for (const range of ranges().map(({ from, until }) => ({ from, until: Math.ceil(until / DAY) * DAY }))) {
      const found = await scope.read((tx) => sampleOf(tx, rangeOf(series, range), 20, 3))
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
  ])('count the readings in each bucket of %s, with their mean', async (_, bucketMs) => {
    for (const range of ranges()) {
      const found = await scope.read((tx) => bucketsOf(tx, rangeOf(series, range), bucketMs))
      const expected = series.flatMap((one, place) => {
        const readings = counted(one, range.from, range.until, bucketMs % HOUR === 0)
        return [...Map.groupBy(readings, ({ at }) => Math.floor(at / bucketMs) * bucketMs)].map(([at, of]) => ({
          series: place,
          at,
          ...naive(of),
        }))
      })
      expect(found.map((bucket) => [bucket.series, bucket.at])).toEqual(expected.map((bucket) => [bucket.series, bucket.at]))
      for (const [i, bucket] of found.entries()) {
        expect(bucket.n).toBe(expected[i]!.n)
        expect(Math.abs(bucket.mean - expected[i]!.mean)).toBeLessThan(1e-10)
      }
    }
  })

  it.each([
    ['1m', 60],
    ['1h', 3_600],
  ])('are read in chunks by stored days, as in one: %s', async (_, bucketSeconds) => {
    const of = series.toReversed()
    for (const { from, until } of ranges()) {
      const expected = await scope.read((tx) => bucketsOf(tx, rangeOf(of, { from, until }), bucketSeconds * 1_000))
      const query = { series: of, start: new Date(from), end: new Date(until - 1), bucketSeconds }
      const found: number[][] = []
      for await (const { series: one, times, values } of readSeries(scope, packedStore(INSERTS), query))
        for (const [i, at] of times.entries()) found.push([of.indexOf(one as Stored), at, values[i] as number])
      expect(found).toEqual(expected.map((bucket) => [bucket.series, bucket.at, bucket.mean]))
    }
  })

  it('cost by what is stored, not by empty buckets', async () => {
    const { tenantId, machineId } = series[0]!
    const sparse: Stored[] = []
    for (const metric of ['daily 1', 'daily 2', 'daily 3', 'never'])
      sparse.push(await newSeries(owner, { tenantId, machineId, metric, unit: '' }))
    for (const one of sparse.slice(0, 3))
      for (let day = 0; day < 90; day++) await storeBlocks(owner, 'day', one, [{ at: START + (day - 90) * DAY, value: day }])
    let statements = 0
    const store = packedStore(INSERTS)
    const counted: typeof store = {
      ...store,
      buckets: (...given) => {
        statements++
        return store.buckets(...given)
      },
    }
    const query = { series: sparse, start: new Date(START - 90 * DAY), end: new Date(START - 1), bucketSeconds: 60 }
    const lengths: number[] = []
    for await (const { times } of readSeries(scope, counted, query)) lengths.push(times.length)
    expect(lengths).toEqual([90, 90, 90])
    expect(statements).toBe(1)
  })

  it('equal those of all its readings', async () => {
    for (const range of ranges()) {
      const found = await scope.read((tx) => totalsOf(tx, rangeOf(series, range)))
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
    const { tenantId, machineId } = series[0]!
    const extreme = await newSeries(owner, { tenantId, machineId, metric: 'extreme', unit: '' })
    const sent = Array.from({ length: 5_000 }, (_, i): Reading => ({ at: START + i * 1_000, value: i % 2 ? max : -max }))
    await storeBlocks(owner, 'day', extreme, sent.slice(0, 4_000))
    await storeTail(owner, [{ series: extreme, readings: sent.slice(4_000) }])
    const range = rangeOf([extreme], { from: START, until: START + DAY })
    const [total] = await scope.read((tx) => totalsOf(tx, range))
    expect(total).toMatchObject({ n: 5_000, m2: null, low: -max, high: max, lastAt: sent.at(-1)!.at, last: max })
    expect(Math.abs(total!.mean)).toBeLessThan(max * 1e-12)
    for (const { mean } of await scope.read((tx) => bucketsOf(tx, range, MINUTE)))
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
        await foreign.read((tx) => countsOf(tx, range, 1_000)),
        await foreign.read((tx) => columnsOfRange(tx, range, 1_000)),
        await foreign.read((tx) => bucketsOf(tx, range, DAY)),
        await foreign.read((tx) => totalsOf(tx, range)),
        await foreign.read((tx) => valuesOf(tx, range)),
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
  const { tenantId, machineId } = series[0]!
  const broken = await newSeries(owner, { tenantId, machineId, metric: 'broken', unit: '' })
  await storeBlocks(owner, 'day', broken, [{ at: START, value: 1 }])
  await damageBlocks(owner, broken)
  const range = rangeOf([broken], { from: START, until: NOW })
  for (let i = 0; i < 10; i++) await expect(scope.read((tx) => columnsOfRange(tx, range, 10))).rejects.toThrow(CorruptReadings)
  expect(await scope.read((tx) => countsOf(tx, range, 10))).toEqual([1])
})
