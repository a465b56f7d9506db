import { describe, expect, it } from 'vitest'
import { plant, type TestUser, useHub } from './harness.ts'
import { sealAll, storedReadings } from './support/stored-readings.ts'

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

/** What the readings say, without any statistics. */
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

describe('charts and summaries', () => {
  it('give the same answers as readings at every interval and edge, with late and repeated readings in every order, before and after sealing', async () => {
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
    await sealAll(system())
    await checkAll()
    await hub.send(key, [...late, ...first.slice(0, 500)])
    await checkAll()
    await sealAll(system())
    await checkAll()
  })

  it('never miss or double a reading in queries that run while readings arrive and are sealed', async () => {
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
    const sealed = (async () => {
      while (!isOver) await sealAll(system())
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
    await Promise.all([sent, sealed])
    await sealAll(system())
    await expectExact(admin, machine.id, new Date(hour), new Date(hour + 5 * HOUR))
  })

  it('are computed from numbers whose squares overflow', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    const hour = hourOf(hub.clock.now().getTime()) - 5 * HOUR
    const values = [Number.MAX_VALUE, Number.MAX_VALUE, 1e200, -1e200, 6]
    await hub.send(
      key,
      values.map((value, i) => ({ machine: identifier, value, at: new Date(hour + (i < 2 ? 0 : HOUR) + i * 60_000) })),
    )
    await sealAll(system())
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
    await sealAll(system())
    expect(await statuses()).toEqual([200, 200, 200, 200, 200])
    const { metrics } = (await admin.call('GET', `machines/${machine.id}/summary`)).body
    expect(metrics[0]).toMatchObject({ min_value: 0, max_value: 1e-170, sample_count: 4 })
    expect(metrics[0].avg_value).toBeLessThanOrEqual(1e-170)
  })
})
