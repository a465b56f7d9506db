import { describe, expect, it } from 'vitest'
import { ADVISORY_LOCKS } from '../src/db/advisory-locks.ts'
import { compactMachine } from '../src/readings/seal/compact-machine.ts'
import { mergeDay } from '../src/readings/seal/merge-day.ts'
import { sealMachine } from '../src/readings/seal/seal-machine.ts'
import { type PackedMachine, type Points, usePackedStore } from './packed-readings.ts'

const store = usePackedStore()
const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000]
/** noon of a day, after which the tests count */
const NOON = Date.UTC(2026, 10, 18, 12)
const at = (ms: number) => new Date(NOON + ms)
/** `count` readings from `from` ms after noon on, one each `step` ms. */
const points = (from: number, count: number, step = SECOND): Points =>
  Array.from({ length: count }, (_, i) => [NOON + from + i * step, Math.round(Math.sin(i) * 1_000) / 10])
const appendTo = (machine: PackedMachine, its: Points, series = machine.series) =>
  store.append(machine, new Map(series.map((id) => [id, its])))
/** Runs work and compares the stored readings before and after. */
async function unchanged<T>(machine: PackedMachine, work: () => Promise<T>): Promise<T> {
  const before = await store.readings(machine)
  const result = await work()
  expect(await store.readings(machine)).toEqual(before)
  return result
}
const seal = (machine: PackedMachine, now: Date, options = {}) =>
  unchanged(machine, () => sealMachine(store.system, machine, now, options))

describe('sealing', () => {
  it('moves readings of an hour into one block per series when the hour has been over for 2 minutes', async () => {
    const machine = await store.machine(2)
    for (let i = 0; i < 6; i++) await appendTo(machine, points(i * 100 * SECOND, 100))
    expect(await seal(machine, at(HOUR + 2 * MINUTE - 1))).toMatchObject({ sealed: 0, isBusy: false })
    expect(await store.counts(machine)).toEqual({ tail: 6, open: 0, day: 0 })
    expect(await seal(machine, at(HOUR + 2 * MINUTE))).toMatchObject({ sealed: 1_200, late: 0, refused: [] })
    expect(await store.counts(machine)).toEqual({ tail: 0, open: 2, day: 0 })
  })

  it('leaves readings of the hour that is not over in the tail', async () => {
    const machine = await store.machine(2)
    await appendTo(machine, points(HOUR - 600 * SECOND, 700))
    expect(await seal(machine, at(HOUR + 5 * MINUTE))).toMatchObject({ sealed: 1_200 })
    const rest = await store.owner`select n, t0 from reading_tail where machine_id = ${machine.machineId}`
    expect([...rest]).toEqual([{ n: 200, t0: at(HOUR) }])
  })

  it('waits for 512 readings of a series, each series for itself', async () => {
    const machine = await store.machine(3)
    const [a, b, c] = machine.series as [number, number, number]
    await store.append(
      machine,
      new Map([
        [a, points(0, 511)],
        [b, points(0, 512)],
        [c, points(0, 3)],
      ]),
    )
    expect(await seal(machine, at(2 * HOUR))).toMatchObject({ sealed: 512 })
    await store.append(machine, new Map([[a, points(HOUR, 1)]]))
    expect(await seal(machine, at(2 * HOUR))).toMatchObject({ sealed: 0 })
    expect(await seal(machine, at(2 * HOUR + 2 * MINUTE))).toMatchObject({ sealed: 512 })
    expect(await store.counts(machine)).toEqual({ tail: 1, open: 2, day: 0 })
  })

  it('moves readings of a finished day, however few', async () => {
    const machine = await store.machine(1)
    await appendTo(machine, points(-DAY, 3, HOUR))
    await appendTo(machine, points(12 * HOUR - SECOND, 2))
    expect(await seal(machine, at(12 * HOUR + 2 * MINUTE - 1))).toMatchObject({ sealed: 3 })
    expect(await seal(machine, at(12 * HOUR + 2 * MINUTE))).toMatchObject({ sealed: 1 })
    expect(await store.counts(machine)).toEqual({ tail: 1, open: 2, day: 0 })
  })

  it('moves everything of a machine whose tail has too many readings', async () => {
    const machine = await store.machine(2)
    const limits = { tailReadings: 1_000 }
    await appendTo(machine, points(0, 500))
    expect(await seal(machine, at(0), { limits })).toMatchObject({ sealed: 0 })
    await appendTo(machine, points(500 * SECOND, 1))
    expect(await seal(machine, at(0), { limits })).toMatchObject({ sealed: 1_002 })
    expect(await store.counts(machine)).toEqual({ tail: 0, open: 2, day: 0 })
  })

  it('moves a tail in portions of rows and of readings, and days apart', async () => {
    const machine = await store.machine(3)
    for (let i = 0; i < 12; i++) await appendTo(machine, points(-2 * DAY + i * 6 * HOUR, 30, 10 * MINUTE))
    for (const limits of [{ portionRows: 5 }, { portionReadings: 200 }])
      expect(await seal(machine, at(-DAY / 2 + HOUR), { limits })).toMatchObject({ isBusy: false, refused: [] })
    await seal(machine, at(2 * DAY), { limits: { portionReadings: 100, rewrittenReadings: 50 }, movesLate: true })
    expect((await store.counts(machine)).tail).toBe(0)
  })

  it('drops readings of a series that is gone, and keeps the others', async () => {
    const machine = await store.machine(2)
    await appendTo(machine, points(0, 600))
    await store.owner`delete from series where id = ${machine.series[0] as number}`
    await sealMachine(store.system, machine, at(2 * HOUR))
    expect(await store.counts(machine)).toEqual({ tail: 0, open: 1, day: 0 })
    expect((await store.readings(machine)).size).toBe(600)
  })
})

describe('late readings', () => {
  it('wait for one percent of their block, and join it', async () => {
    const machine = await store.machine(1)
    const odd = points(500, 3_000)
    await appendTo(machine, points(0, 1_000))
    await seal(machine, at(2 * HOUR))
    await appendTo(machine, odd.slice(0, 9))
    expect(await seal(machine, at(2 * HOUR))).toMatchObject({ sealed: 0, late: 9 })
    await appendTo(machine, odd.slice(9, 10))
    expect(await seal(machine, at(2 * HOUR))).toMatchObject({ sealed: 10, late: 0 })
    expect(await store.counts(machine)).toEqual({ tail: 0, open: 1, day: 0 })
  })

  it('join their block when their time has come, however few', async () => {
    const machine = await store.machine(1)
    await appendTo(machine, points(0, 1_000))
    await seal(machine, at(2 * HOUR))
    await appendTo(machine, points(500, 1))
    expect(await seal(machine, at(2 * HOUR), { movesLate: true })).toMatchObject({ sealed: 1, late: 0 })
    expect(await store.counts(machine)).toEqual({ tail: 0, open: 1, day: 0 })
  })

  it('become blocks of their own between others, and rewrite the block of a merged day among which they fall', async () => {
    const machine = await store.machine(1)
    for (const hours of [0, 2, 1]) {
      await appendTo(machine, points(hours * HOUR, 600))
      await seal(machine, at(4 * HOUR))
    }
    expect(await store.counts(machine)).toEqual({ tail: 0, open: 3, day: 0 })
    const day = Date.UTC(2026, 10, 18)
    await unchanged(machine, () => mergeDay(store.system, machine, day, at(DAY)))
    expect(await store.counts(machine)).toEqual({ tail: 0, open: 0, day: 1 })
    await appendTo(machine, points(500, 100))
    await appendTo(machine, points(6 * HOUR, 5))
    expect(await seal(machine, at(DAY))).toMatchObject({ sealed: 105 })
    expect(await store.counts(machine)).toEqual({ tail: 0, open: 1, day: 1 })
    await unchanged(machine, () => mergeDay(store.system, machine, day, at(DAY)))
    expect(await store.counts(machine)).toEqual({ tail: 0, open: 0, day: 1 })
  })
})

describe('merging', () => {
  it('makes blocks of at most 131,072 readings', async () => {
    const machine = await store.machine(1)
    const day = Date.UTC(2026, 10, 18)
    for (let i = 0; i < 3; i++) {
      await appendTo(machine, points(-HOUR + i * HOUR, 60_000, 50))
      await seal(machine, at(3 * HOUR))
    }
    await unchanged(machine, () => mergeDay(store.system, machine, day, at(DAY)))
    const blocks =
      await store.owner`select n, hours <> '' as "hasHours" from reading_blocks where series_id = ${machine.series[0] as number} order by t0`
    expect([...blocks]).toEqual([
      { n: 131_072, hasHours: true },
      { n: 48_928, hasHours: true },
    ])
  })

  it('merges days of several series in portions', async () => {
    const machine = await store.machine(5)
    for (let i = 0; i < 4; i++) {
      await appendTo(machine, points(i * HOUR, 600))
      await seal(machine, at(5 * HOUR))
    }
    const merged = await unchanged(machine, () =>
      mergeDay(store.system, machine, Date.UTC(2026, 10, 18), at(DAY), { limits: { portionReadings: 3_000 } }),
    )
    expect(merged).toEqual({ merged: 12_000, refused: [], isBusy: false })
    expect(await store.counts(machine)).toEqual({ tail: 0, open: 0, day: 5 })
  })
})

describe('compaction', () => {
  it('makes one row of 64 rows, and leaves 63 alone', async () => {
    const machine = await store.machine(3)
    for (let i = 0; i < 63; i++) await appendTo(machine, points(i * SECOND, 1))
    await unchanged(machine, () => compactMachine(store.system, machine))
    expect(await store.counts(machine)).toEqual({ tail: 63, open: 0, day: 0 })
    await appendTo(machine, points(63 * SECOND, 1))
    await unchanged(machine, () => compactMachine(store.system, machine))
    expect(await store.counts(machine)).toEqual({ tail: 1, open: 0, day: 0 })
  })

  it('leaves a large row alone until the others are as large', async () => {
    const machine = await store.machine(1)
    await appendTo(machine, points(0, 3_000))
    for (let i = 0; i < 64; i++) await appendTo(machine, points(HOUR + i * SECOND, 1))
    await unchanged(machine, () => compactMachine(store.system, machine))
    expect(await store.counts(machine)).toEqual({ tail: 2, open: 0, day: 0 })
  })

  it('cuts rows at 256 series', async () => {
    const machine = await store.machine(300)
    for (let i = 0; i < 64; i++) await appendTo(machine, points(i * SECOND, 1))
    await unchanged(machine, () => compactMachine(store.system, machine))
    const rows = await store.owner`select n from reading_tail where machine_id = ${machine.machineId} order by s0`
    expect([...rows]).toEqual([{ n: 256 * 64 }, { n: 44 * 64 }])
  })
})

describe('several sealers', () => {
  it('move every reading once', async () => {
    const machine = await store.machine(4)
    for (let i = 0; i < 40; i++) await appendTo(machine, points(i * 100 * SECOND, 100))
    const now = at(DAY)
    await unchanged(machine, async () => {
      for (let round = 0; round < 5; round++) {
        await Promise.all([
          ...Array.from({ length: 3 }, () => sealMachine(store.system, machine, now, { limits: { portionRows: 4 } })),
          compactMachine(store.system, machine, { limits: { compactRows: 2 } }),
          mergeDay(store.system, machine, Date.UTC(2026, 10, 18), now),
        ])
      }
    })
    expect((await store.counts(machine)).tail).toBe(0)
  })

  it('leave a machine to the one that is at work', async () => {
    const machine = await store.machine(1)
    await appendTo(machine, points(0, 600))
    await store.owner.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${ADVISORY_LOCKS.sealing}, hashtext(${machine.machineId}))`
      expect(await seal(machine, at(DAY))).toMatchObject({ sealed: 0, isBusy: true })
    })
    expect(await seal(machine, at(DAY))).toMatchObject({ sealed: 600, isBusy: false })
  })

  it('do not disturb readings that arrive meanwhile', async () => {
    const machine = await store.machine(2)
    const work = []
    for (let i = 0; i < 60; i++) {
      work.push(appendTo(machine, points(i * 100 * SECOND, 100)))
      work.push(sealMachine(store.system, machine, at(DAY), { movesLate: true }))
      await work[work.length - 2]
    }
    await Promise.all(work)
    expect((await store.readings(machine)).size).toBe(12_000)
  })
})

describe('damaged readings', () => {
  it('in a block stay as they are, and the other series are sealed', async () => {
    const machine = await store.machine(2)
    const [a, b] = machine.series as [number, number]
    await appendTo(machine, points(0, 600))
    await sealMachine(store.system, machine, at(2 * HOUR))
    await store.owner`update reading_blocks_open set vals = substr(vals, 1, 50) where series_id = ${a}`
    await appendTo(machine, points(500, 100))
    const { sealed, refused } = await sealMachine(store.system, machine, at(2 * HOUR))
    expect(sealed).toBe(100)
    expect(refused).toMatchObject([
      {
        tenantId: machine.tenantId,
        machineId: machine.machineId,
        what: `block of series ${a} from ${at(0).toISOString()} in reading_blocks_open`,
        reason: expect.any(String),
      },
    ])
    const merged = await mergeDay(store.system, machine, Date.UTC(2026, 10, 18), at(DAY))
    expect(merged).toMatchObject({ merged: 700, refused: [{ what: expect.stringContaining(`series ${a} `) }] })
    const rest = await store.owner`
      select n from reading_tail where machine_id = ${machine.machineId}
      union all select n from reading_blocks where series_id = ${b} union all select n from reading_blocks_open where series_id = ${a} order by n`
    expect([...rest]).toEqual([{ n: 100 }, { n: 600 }, { n: 700 }])
  })

  it('in a row of the tail stay as they are, and the other rows are sealed', async () => {
    const machine = await store.machine(1)
    await appendTo(machine, points(0, 600))
    await store.owner`update reading_tail set body = substr(body, 1, 20) where machine_id = ${machine.machineId}`
    await appendTo(machine, points(600 * SECOND, 600))
    const { sealed, refused } = await sealMachine(store.system, machine, at(2 * HOUR))
    expect([sealed, refused.map(({ what }) => what)]).toEqual([600, [expect.stringMatching(/^row \d+ of reading_tail$/)]])
    expect(await store.counts(machine)).toEqual({ tail: 1, open: 1, day: 0 })
  })
})
