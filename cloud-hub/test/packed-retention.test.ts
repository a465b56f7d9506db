import { describe, expect, it } from 'vitest'
import { ADVISORY_LOCKS } from '../src/db/advisory-locks.ts'
import { decodeInstants } from '../src/readings/codec/instants.ts'
import { decodeStatistics } from '../src/readings/codec/statistics.ts'
import { withMachine } from '../src/readings/seal/machine.ts'
import { mergeDay } from '../src/readings/seal/merge-day.ts'
import { removeExpired } from '../src/readings/seal/remove-expired.ts'
import { sealMachine } from '../src/readings/seal/seal-machine.ts'
import { type PackedMachine, type Points, usePackedStore } from './packed-readings.ts'
import { until } from './processes.ts'

const store = usePackedStore()
const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000]
/** the start of a UTC day */
const TODAY = Date.UTC(2026, 10, 18)
const HUB = { rawDays: 90, minuteDays: 365, hourDays: 0 }
const remove = (now: number, retention = HUB) => removeExpired(store.system, new Date(now), retention)

/** Stores readings in day blocks, as if they had been sealed then. */
async function sealed(machine: PackedMachine, points: Points, now: number): Promise<void> {
  await store.append(machine, new Map([[machine.series[0] as number, points]]))
  await sealMachine(store.system, machine, new Date(now), { movesLate: true })
  for (const day of new Set(points.map(([at]) => Math.floor(at / DAY) * DAY)))
    await mergeDay(store.system, machine, day, new Date(now))
}

async function statistics({ series: [id] }: PackedMachine) {
  const hours = await store.owner<{ n: number; hours: Buffer }[]>`
    select n, hours from reading_hours where series_id = ${id as number} order by day`
  const minutes = await store.owner<{ minutes: Buffer; times: Buffer }[]>`
    select minutes, times from reading_minutes where series_id = ${id as number} order by day`
  return {
    n: hours.map(({ n }) => n),
    hours: hours.flatMap(({ hours }) => decodeStatistics(hours, HOUR)),
    minutes: minutes.flatMap(({ minutes }) => decodeStatistics(minutes, MINUTE)),
    times: minutes.flatMap(({ times }) => [...decodeInstants(times)]),
  }
}
const rawCount = async (machine: PackedMachine) => (await store.readings(machine)).size

describe('retention', () => {
  it('removes a day when all of it is older, and keeps its statistics and instants', async () => {
    const machine = await store.machine()
    const at = [TODAY + 10, TODAY + 20, TODAY + MINUTE, TODAY + HOUR, TODAY + DAY - 1]
    const points = at.map((time, i) => [time, 10 * i] as const)
    await sealed(machine, points, TODAY + 2 * DAY)
    await remove(TODAY + 91 * DAY - 1)
    expect(await rawCount(machine)).toBe(5)
    await remove(TODAY + 91 * DAY)
    expect(await rawCount(machine)).toBe(0)
    expect(await statistics(machine)).toMatchObject({
      n: [5],
      hours: [
        { at: TODAY, n: 3, mean: 10, low: 0, high: 20, last: 20, lastAt: TODAY + MINUTE },
        { at: TODAY + HOUR, n: 1, mean: 30 },
        { at: TODAY + 23 * HOUR, n: 1, mean: 40 },
      ],
      minutes: [
        { at: TODAY, n: 2, mean: 5 },
        { at: TODAY + MINUTE, n: 1, mean: 20 },
        { at: TODAY + HOUR, n: 1, mean: 30 },
        { at: TODAY + DAY - MINUTE, n: 1, mean: 40 },
      ],
      times: at,
    })
  })

  it('waits for a transaction that seals the machine, and then removes', async () => {
    const machine = await store.machine()
    await sealed(machine, [[TODAY, 1]], TODAY + 2 * DAY)
    const removing = await withMachine(store.system, machine, async () => {
      const running = remove(TODAY + 91 * DAY)
      await until('retention waits for the lock', async () => {
        const [row] = await store.owner`
          select from pg_locks
          where locktype = 'advisory' and classid = ${ADVISORY_LOCKS.sealing} and not granted
            and database = (select oid from pg_database where datname = current_database())`
        return row
      })
      return { running }
    })
    await removing?.running
    expect(await rawCount(machine)).toBe(0)
  })

  it('removes minutes and hours after retentions of their own, and stores none that are older', async () => {
    const machine = await store.machine()
    const ages = [1, 89, 125, 300, 800, 3_600]
    await sealed(machine, ages.map((days) => [TODAY - days * DAY + 1, days] as const).toReversed(), TODAY - 8 * DAY)
    await remove(TODAY)
    expect(await rawCount(machine)).toBe(2)
    expect(await statistics(machine)).toMatchObject({ minutes: [{ n: 1, mean: 300 }, { mean: 125 }], n: [1, 1, 1, 1] })
    await remove(TODAY, { ...HUB, hourDays: 400 })
    expect((await statistics(machine)).hours.map(({ mean }) => mean)).toEqual([300, 125])
    await remove(TODAY + 100 * DAY, { ...HUB, hourDays: 400 })
    expect((await statistics(machine)).minutes.map(({ mean }) => mean)).toEqual([125, 89])
  })

  it('follows the rule of each tenant', async () => {
    const [a, b, c] = [await store.machine(), await store.machine(), await store.machine()]
    await store.owner`update tenants set raw_retention_days = 0 where id = ${b.tenantId}`
    await store.owner`update tenants set raw_retention_days = 200 where id = ${c.tenantId}`
    for (const machine of [a, b, c]) await sealed(machine, [[TODAY, 1]], TODAY + 2 * DAY)
    const counts = async () => [await rawCount(a), await rawCount(b), await rawCount(c)]
    await remove(TODAY + 150 * DAY)
    expect(await counts()).toEqual([0, 1, 1])
    await remove(TODAY + 202 * DAY)
    expect(await counts()).toEqual([0, 1, 0])
    await store.owner`update tenants set raw_retention_days = null where id = ${b.tenantId}`
    await remove(TODAY + 202 * DAY)
    expect(await counts()).toEqual([0, 0, 0])
  })

  it('keeps readings for a week that arrive after the others of their day were removed, and then adds them', async () => {
    const machine = await store.machine()
    const points = [10, 20, 60].map((value, i) => [TODAY + i * MINUTE, value] as const)
    await sealed(machine, points.slice(0, 2), TODAY + 2 * DAY)
    const now = TODAY + 200 * DAY
    await remove(now)
    await sealed(machine, points.slice(2), now)
    await remove(now + 7 * DAY)
    expect(await rawCount(machine)).toBe(1)
    await Promise.all([remove(now + 7 * DAY + 1), remove(now + 7 * DAY + 1)])
    expect(await rawCount(machine)).toBe(0)
    const { hours, minutes, times } = await statistics(machine)
    expect(hours).toMatchObject([{ n: 3, mean: 30, low: 10, high: 60, last: 60 }])
    expect(hours[0]?.m2).toBeCloseTo(1_400, 9)
    expect(minutes).toHaveLength(3)
    expect(times).toEqual(points.map(([at]) => at))
  })

  it('adds the smallest and the largest numbers', async () => {
    const machine = await store.machine()
    const values = [Number.MIN_VALUE, -0, Number.MAX_VALUE, -Number.MAX_VALUE]
    await sealed(
      machine,
      values.map((value, i) => [TODAY + i, value]),
      TODAY + 2 * DAY,
    )
    await remove(TODAY + 91 * DAY)
    expect((await statistics(machine)).hours).toMatchObject([{ n: 4, low: -Number.MAX_VALUE, high: Number.MAX_VALUE, m2: null }])
  })

  it('leaves a damaged block as it is, and removes the others', async () => {
    const [a, b] = [await store.machine(), await store.machine()]
    for (const machine of [a, b]) await sealed(machine, [[TODAY, 1]], TODAY + 2 * DAY)
    await store.owner`update reading_blocks set vals = '' where series_id = ${a.series[0] as number}`
    const { refused } = await remove(TODAY + 91 * DAY)
    expect(refused).toMatchObject([{ machineId: a.machineId, what: expect.stringContaining('in reading_blocks') }])
    expect([await store.counts(a), await store.counts(b)]).toMatchObject([{ day: 1 }, { day: 0 }])
  })

  it('drops partitions in which nothing is left', async () => {
    const machine = await store.machine()
    const partitions = async () =>
      (await store.owner`select name from store_partitions where lower < '2001-01-01' order by name`).map(({ name }) => name)
    await sealed(machine, [[Date.UTC(2000, 5, 15), 1]], TODAY)
    expect(await partitions()).toEqual(['reading_blocks_20000601_month'])
    await remove(TODAY + 8 * DAY, { ...HUB, minuteDays: 0 })
    expect(await partitions()).toEqual(['reading_minutes_20000601_month'])
    await remove(TODAY + 8 * DAY)
    expect(await partitions()).toEqual([])
  })
})
