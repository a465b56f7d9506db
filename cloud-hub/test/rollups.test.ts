import { describe, expect, it } from 'vitest'
import type { TransactionSql } from '../src/db/pools.ts'
import { advanceRollups, rollUpMarked, rowStore, type SortedReadings } from '../src/features/telemetry/readings/index.ts'
import { acquireFlushLocks, assertCacheIsFresh } from '../src/features/telemetry/series/index.ts'
import { plant, type TestUser, useHub } from './harness.ts'
import { storedReadings } from './support/stored-readings.ts'

const hub = useHub()
const HOUR = 3_600_000
const system = () => hub.deps.pools.system
const INTERVALS = { '1m': 60, '5m': 300, '15m': 900, '1h': 3_600, '6h': 21_600, '1d': 86_400 }
const hourOf = (at: number) => Math.floor(at / HOUR) * HOUR
/** A number between 0 and 1 that is the same in every run. */
function generator(seed: number) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** All that is late is rolled up at once. */
async function rollUpAll(now = hub.clock.now()): Promise<number> {
  await advanceRollups(system(), now)
  return rollUpMarked(system(), 60_000, 0)
}
const marks = async (): Promise<number> => (await hub.owner`select count(*)::int as n from rollup_marks`)[0]?.n
const rolledHours = async (machineId: string): Promise<{ ts: Date; n: number; mean: number; m2: number; last: number }[]> =>
  hub.owner`select h.* from rollup_hours h join series s on s.id = h.series_id where s.machine_id = ${machineId} order by h.ts`

/** What the readings say, without any rollup. */
async function fromReadings(machineId: string, seconds: number, start: Date, end: Date): Promise<[string, number][]> {
  const stored = await storedReadings(hub.owner, { machineId, from: start.getTime(), until: end.getTime() + 1 })
  const buckets = Map.groupBy(stored, ({ at }) => Math.floor(at / (seconds * 1_000)) * seconds * 1_000)
  return [...buckets]
    .toSorted(([a], [b]) => a - b)
    .map(([at, of]) => [new Date(at).toISOString(), of.reduce((sum, { value }) => sum + value, 0) / of.length])
}

async function expectExact(admin: TestUser, machineId: string, start: Date, end: Date): Promise<void> {
  for (const [interval, seconds] of Object.entries(INTERVALS)) {
    const query = new URLSearchParams({ start: start.toISOString(), end: end.toISOString(), interval })
    const { body } = await admin.call('GET', `machines/${machineId}/readings?${query}`)
    const answered = (body[0]?.data_points ?? []) as { timestamp: string; value: number }[]
    const exact = await fromReadings(machineId, seconds, start, end)
    expect([interval, answered.map((p) => p.timestamp)]).toEqual([interval, exact.map(([at]) => at)])
    answered.forEach((p, i) => {
      expect(Math.abs(p.value - (exact[i]?.[1] ?? Number.NaN))).toBeLessThan(1e-9)
    })
  }
}

describe('rollups', () => {
  it('contain count, mean, deviation, extremes and last value of each whole hour, numerically stable', async () => {
    const { key, machine, identifier } = await plant(hub)
    const hour = hourOf(hub.clock.now().getTime()) - 5 * HOUR
    // a large offset in which sums of squares would lose the deviation
    const values = [1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16]
    const order = [2, 0, 3, 1]
    await hub.send(
      key,
      order.map((i) => ({ machine: identifier, value: values[i] as number, at: new Date(hour + i * 600_000) })),
    )
    await rollUpAll()
    expect(await rolledHours(machine.id)).toEqual([
      expect.objectContaining({
        ts: new Date(hour),
        n: 4,
        mean: 1e9 + 10,
        m2: 90,
        low: 1e9 + 4,
        high: 1e9 + 16,
        last: 1e9 + 16,
        last_at: new Date(hour + 3 * 600_000),
      }),
    ])
    const [minutes] =
      await hub.owner`select count(*)::int as n from rollup_minutes m join series s on s.id = m.series_id where s.machine_id = ${machine.id}`
    expect(minutes?.n).toBe(4)
    expect(await marks()).toBe(0)
  })

  it('give the same answers as readings at every interval and edge, with late and repeated readings in every order, before and after the roll-up', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    const random = generator(7)
    const now = hub.clock.now().getTime()
    const from = now - 30 * HOUR
    const readings = Array.from({ length: 3_000 }, (_, i) => ({
      machine: identifier,
      value: Math.round(random() * 1e6) / 1e3,
      at: new Date(Math.round(from + (i / 3_000) * 30 * HOUR)),
    })).filter(({ at }) => Math.floor(at.getTime() / (3 * HOUR)) % 3 !== 0)
    // edges of buckets, to the millisecond
    for (const at of [hourOf(now) - 8 * HOUR, hourOf(now) - 8 * HOUR - 1, hourOf(now) - 7 * HOUR - 60_000])
      readings.push({ machine: identifier, value: random() * 100, at: new Date(at) })
    const late = readings.filter(() => random() < 0.01)
    const first = readings.filter((r) => !late.includes(r)).sort(() => random() - 0.5)
    const spans: [number, number][] = [
      [from - HOUR, now],
      [from + 1_234_567, now - 2_345_678],
      [hourOf(now) - 8 * HOUR, hourOf(now) - 7 * HOUR - 1],
      [hourOf(now) - 8 * HOUR - 1, hourOf(now) - 7 * HOUR],
      [hourOf(now) - 8 * HOUR + 60_000, hourOf(now) - 8 * HOUR + 3_000_000],
      [now - 100_000, now],
    ]
    const checkAll = async () => {
      for (const [a, b] of spans) await expectExact(admin, machine.id, new Date(a), new Date(b))
    }
    for (let i = 0; i < first.length; i += 1_000) await hub.send(key, first.slice(i, i + 1_000))
    await checkAll()
    await rollUpAll()
    expect((await rolledHours(machine.id)).length).toBeGreaterThan(15)
    await checkAll()
    await hub.send(key, [...late, ...first.slice(0, 500)])
    expect(await marks()).toBeGreaterThan(0)
    await checkAll()
    await rollUpAll()
    expect(await marks()).toBe(0)
    await checkAll()
  })

  it('never miss or double a reading in queries that run while readings arrive and hours are rolled up', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    const hour = hourOf(hub.clock.now().getTime()) - 9 * HOUR
    let isOver = false
    const sent = (async () => {
      for (let i = 0; i < 60; i++)
        await hub.send(
          key,
          Array.from({ length: 4 }, (_, h) => ({ machine: identifier, value: 1, at: new Date(hour + h * HOUR + i * 60_000) })),
        )
      isOver = true
    })()
    const rolled = (async () => {
      while (!isOver) await rollUpMarked(system(), 1, 0)
    })()
    let least = 0
    while (!isOver) {
      // one minute has one reading, and all hours got the same
      const query = new URLSearchParams({ start: new Date(hour).toISOString(), end: new Date(hour + 4 * HOUR).toISOString() })
      const raw = await admin.call('GET', `machines/${machine.id}/readings?${query}`)
      const minutes = await admin.call('GET', `machines/${machine.id}/readings?${query}&interval=1m`)
      const known = raw.body[0]?.data_points.length ?? 0
      expect(known).toBeGreaterThanOrEqual(least)
      expect(minutes.body[0]?.data_points.length ?? 0).toBeGreaterThanOrEqual(known)
      least = known
    }
    await Promise.all([sent, rolled])
    await rollUpAll()
    await expectExact(admin, machine.id, new Date(hour), new Date(hour + 5 * HOUR))
    expect((await rolledHours(machine.id)).map((h) => h.n)).toEqual([60, 60, 60, 60])
  })

  it('wait for more of a late hour before it is rolled up, cost a live reading no mark, and are made by one replica at a time', async () => {
    const { key, machine, identifier } = await plant(hub)
    await rollUpAll()
    await hub.send(key, [{ machine: identifier, value: 1, ago: 30 }])
    expect(await marks()).toBe(0)
    await hub.send(key, [{ machine: identifier, value: 1, ago: 4 * 3_600 }])
    await hub.send(key, [{ machine: identifier, value: 2, ago: 4 * 3_600 + 1 }])
    expect(await marks()).toBeGreaterThan(1)
    expect(await rollUpMarked(system(), 1_000, 120)).toBe(0)
    const done = await Promise.all([1, 2, 3].map(() => rollUpMarked(system(), 1_000, 0)))
    expect(done.reduce((sum, n) => sum + n)).toBeGreaterThan(0)
    expect(await marks()).toBe(0)
    expect((await rolledHours(machine.id)).reduce((sum, h) => sum + h.n, 0)).toBe(2)
  })

  it('are computed from numbers whose squares overflow', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    const hour = hourOf(hub.clock.now().getTime()) - 5 * HOUR
    const values = [Number.MAX_VALUE, Number.MAX_VALUE, 1e200, -1e200, 6]
    await hub.send(
      key,
      values.map((value, i) => ({ machine: identifier, value, at: new Date(hour + (i < 2 ? 0 : HOUR) + i * 60_000) })),
    )
    await rollUpAll()
    expect((await rolledHours(machine.id)).map(({ mean, m2 }) => [mean, m2])).toEqual([
      [Number.MAX_VALUE, null],
      [2, null],
    ])
    const query = new URLSearchParams({ start: new Date(hour).toISOString(), end: new Date(hour + 3 * HOUR).toISOString() })
    for (const interval of ['1h', '15m', '1d'])
      expect((await admin.call('GET', `machines/${machine.id}/readings?${query}&interval=${interval}`)).status).toBe(200)
    const { body } = await admin.call('GET', `machines/${machine.id}/readings?${query}&interval=1h`)
    expect(body[0].data_points.map((p: { value: number }) => p.value)).toEqual([Number.MAX_VALUE, 2])
  })

  it('are computed from the smallest numbers beside the largest ones', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    const hour = hourOf(hub.clock.now().getTime()) - 5 * HOUR
    const tiny = [Number.MIN_VALUE, 0, 1e-170, 0]
    const values = [...tiny, Number.MAX_VALUE, Number.MAX_VALUE]
    await hub.send(
      key,
      values.map((value, i) => ({
        machine: identifier,
        metric: i < tiny.length ? 'tiny' : 'vast',
        value,
        at: new Date(hour + (i % tiny.length < 2 ? 0 : HOUR) + i * 60_000),
      })),
    )
    const query = new URLSearchParams({ start: new Date(hour).toISOString(), end: new Date(hour + 3 * HOUR).toISOString() })
    const statuses = async () => {
      const paths = ['1m', '15m', '1h', '1d'].map((interval) => `readings?${query}&interval=${interval}`)
      return Promise.all(
        [...paths, 'summary'].map(async (path) => (await admin.call('GET', `machines/${machine.id}/${path}`)).status),
      )
    }
    expect(await statuses()).toEqual([200, 200, 200, 200, 200])
    await rollUpAll()
    expect((await rolledHours(machine.id)).map(({ n }) => n)).toEqual([2, 2, 2])
    expect(await statuses()).toEqual([200, 200, 200, 200, 200])
    const { metrics } = (await admin.call('GET', `machines/${machine.id}/summary`)).body
    expect(metrics[0]).toMatchObject({ min_value: 0, max_value: 1e-170, sample_count: 4 })
    expect(metrics[0].avg_value).toBeLessThanOrEqual(1e-170)
  })

  it('stay correct when a flush stops between its readings and its commit', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    const now = new Date(hourOf(hub.clock.now().getTime()) + 2 * HOUR + 30 * 60_000)
    const at = now.getTime() - 90 * 60_000
    // make the series, and let this process know where the rollups are
    await hub.send(key, [{ machine: identifier, value: 0, ago: 3 * 3_600 }])
    const [series] = await hub.owner<{ id: number }[]>`select id from series where machine_id = ${machine.id}`
    const one = (value: number, when: number, newestAt = Number.POSITIVE_INFINITY): SortedReadings => ({
      spans: [{ slot: 0, seriesId: series?.id ?? 0, from: 0, to: 1, newestAt }],
      timestamps: Float64Array.of(when),
      values: Float64Array.of(value),
      rawTags: [null],
    })
    const { ingest } = hub.deps.pools
    const store = rowStore(ingest)
    await store.refresh()
    await store.prepare(Float64Array.of(at))
    /** As a flush does it. */
    const flushed = async (tx: TransactionSql, readings: SortedReadings) => {
      const late = store.lateHours(readings)
      acquireFlushLocks(tx, [admin.tenantId])
      assertCacheIsFresh(tx, new Map(), late.oldest)
      store.append(tx, readings, null, late)
    }
    /** A flush that stands still after all it had to say. */
    const standing = async (readings: SortedReadings) => {
      const [stored, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const committed = ingest.begin(async (tx) => {
        await flushed(tx, readings)
        await tx`select 1`
        stored.resolve()
        await go.promise
      })
      await stored.promise
      return async () => {
        go.resolve()
        await committed
      }
    }
    // it began when its reading was live: no mark
    const early = await standing(one(5, at, Number.NEGATIVE_INFINITY))
    const advancing = advanceRollups(system(), now)
    await expect
      .poll(async () => (await hub.owner`select marked_until as at from rollup_state`)[0]?.at.getTime())
      .toBe(hourOf(now.getTime()))
    // one that does not know it yet is refused, and marks once it has learned
    const tryOne = (value: number, when: number) => ingest.begin((tx) => flushed(tx, one(value, when)))
    await expect(tryOne(7, at + 1)).rejects.toMatchObject({ code: 'HL001' })
    await store.refresh()
    await tryOne(7, at + 1)
    expect((await hub.owner`select rolled_until < marked_until as waits from rollup_state`)[0]?.waits).toBe(true)
    await early()
    await advancing
    expect((await hub.owner`select rolled_until = marked_until as done from rollup_state`)[0]?.done).toBe(true)
    // a late one whose hour is rolled up while it stands still keeps its mark
    const late = await standing(one(9, at + 2))
    await rollUpMarked(system(), 60_000, 0)
    expect((await rolledHours(machine.id)).find((h) => h.ts.getTime() === hourOf(at))).toMatchObject({ n: 2 })
    await late()
    await expectExact(admin, machine.id, new Date(hourOf(at) - HOUR), new Date(hourOf(at) + HOUR))
    await rollUpMarked(system(), 60_000, 0)
    expect((await rolledHours(machine.id)).find((h) => h.ts.getTime() === hourOf(at))).toMatchObject({ n: 3 })
  })
})
