import { randomUUID } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ADVISORY_LOCKS } from '../src/db/advisory-locks.ts'
import { joinReplicas } from '../src/db/replicas.ts'
import { divideArrivals, scanArrivals } from '../src/readings/seal/divide-arrivals.ts'
import { groupOf, seriesOf } from '../src/readings/series-group.ts'
import { createLogger } from '../src/support/logger.ts'
import { type PackedMachine, type Points, usePackedStore } from './packed-readings.ts'

const store = usePackedStore()
const NOON = Date.UTC(2026, 10, 18, 12)
const points = (from: number, count: number): Points =>
  Array.from({ length: count }, (_, i) => [NOON + (from + i) * 1_000, Math.round(Math.sin(from + i) * 1_000) / 10])
const keyOf = ({ tenantId, series }: PackedMachine) => ({ tenantId, group: groupOf(series[0] as number) })
const arrivalsOf = async (machine: PackedMachine) =>
  (await scanArrivals(store.system)).find(({ tenantId }) => tenantId === machine.tenantId)?.rows ?? 0

describe('dividing arrivals', () => {
  it('moves them into one row of the tail for each machine, and changes no reading', async () => {
    const machines = await store.machinesOfGroup(4, 3)
    for (let i = 0; i < 5; i++) await store.arrive(machines, points(2 * i, 2))
    const before = await Promise.all(machines.map(store.readings))
    expect(before.map(({ size }) => size)).toEqual([30, 30, 30, 30])
    const { machines: got, refused, isBusy } = await divideArrivals(store.system, keyOf(machines[0]))
    expect([refused, isBusy]).toEqual([[], false])
    expect(got).toHaveLength(4)
    for (const { tenantId, machineId } of machines)
      expect(got).toContainEqual({ tenantId, machineId, rows: 1, readings: 30, oldestAt: NOON })
    expect(await arrivalsOf(machines[0])).toBe(0)
    for (const machine of machines) expect(await store.counts(machine)).toEqual({ tail: 1, open: 0, day: 0 })
    expect(await Promise.all(machines.map(store.readings))).toEqual(before)
  })

  it('works in portions, and joins readings that arrived out of order', async () => {
    const machines = await store.machinesOfGroup(2)
    for (const from of [20, 0, 40, 10, 30]) await store.arrive(machines, points(from, 10))
    const before = await store.readings(machines[1] as PackedMachine)
    const { machines: got } = await divideArrivals(store.system, keyOf(machines[0]), { arrivalPortion: 2 })
    expect(got.filter(({ machineId }) => machineId === machines[1]?.machineId).map(({ readings }) => readings)).toEqual([
      20, 20, 10,
    ])
    expect(await arrivalsOf(machines[0])).toBe(0)
    expect(await store.readings(machines[1] as PackedMachine)).toEqual(before)
  })

  it('drops the readings of a machine that was deleted, and keeps those of its neighbours', async () => {
    const [gone, kept] = (await store.machinesOfGroup(2)) as [PackedMachine, PackedMachine]
    await store.arrive([gone, kept], points(0, 5))
    await store.owner`delete from machines where id = ${gone.machineId}`
    const { machines: got } = await divideArrivals(store.system, keyOf(gone))
    expect(got).toEqual([
      { tenantId: kept.tenantId, machineId: kept.machineId, rows: 1, readings: 5, oldestAt: expect.any(Number) },
    ])
    expect(await store.counts(gone)).toEqual({ tail: 0, open: 0, day: 0 })
    expect(await arrivalsOf(kept)).toBe(0)
  })

  it('leaves a damaged row where it is, names it, and moves the others', async () => {
    const machines = await store.machinesOfGroup(2)
    for (const from of [0, 10, 20]) await store.arrive(machines, points(from, 10))
    await store.owner`
      update reading_arrivals set body = substr(body, 1, 8)
      where id = (select min(id) + 1 from reading_arrivals where tenant_id = ${machines[0].tenantId})`
    for (const moved of [20, 0]) {
      const { machines: got, refused } = await divideArrivals(store.system, keyOf(machines[0]), { arrivalPortion: 2 })
      expect(got.reduce((sum, { readings }) => sum + readings, 0)).toBe(2 * moved)
      expect(refused).toEqual([
        {
          tenantId: machines[0].tenantId,
          what: expect.stringMatching(/^row \d+ of reading_arrivals$/),
          reason: expect.any(String),
        },
      ])
    }
    expect(await arrivalsOf(machines[0])).toBe(1)
  })

  it('leaves a group to the process that divides it already', async () => {
    const machines = await store.machinesOfGroup(2)
    const { tenantId, group } = keyOf(machines[0])
    await store.arrive(machines, points(0, 3))
    await store.owner.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${ADVISORY_LOCKS.sealing}, hashtext(${`${tenantId} ${group}`}))`
      expect(await divideArrivals(store.system, { tenantId, group })).toEqual({ machines: [], refused: [], isBusy: true })
    })
    const both = await Promise.all([1, 2].map(() => divideArrivals(store.system, { tenantId, group })))
    expect(both.flatMap(({ machines: got }) => got)).toHaveLength(2)
    expect((await store.readings(machines[0])).size).toBe(3)
  })

  it('never touches what another tenant has in the same group', async () => {
    const [ours] = await store.machinesOfGroup(1)
    const theirs = await store.machine(1, undefined)
    await store.arrive([ours], points(0, 3))
    await store.arrive([theirs], points(0, 4))
    expect(groupOf(theirs.series[0] as number)).toBe(groupOf(ours.series[0] as number))
    const { machines: got } = await divideArrivals(store.system, keyOf(theirs))
    expect(got).toEqual([
      { tenantId: theirs.tenantId, machineId: theirs.machineId, rows: 1, readings: 4, oldestAt: expect.any(Number) },
    ])
    expect([await arrivalsOf(ours), (await store.readings(ours)).size]).toEqual([1, 3])
  })

  it('leaves a row with series of another group where it is', async () => {
    const machines = await store.machinesOfGroup(2)
    await store.arrive(machines, points(0, 3))
    await store.owner`update reading_arrivals set series_group = series_group + 1 where tenant_id = ${machines[0].tenantId}`
    const { tenantId, group } = keyOf(machines[0])
    // the other group has a series too
    await store.owner`
      insert into series (id, tenant_id, machine_id, metric, unit, place) overriding system value
      values (${seriesOf(group + 1)[1]}, ${tenantId}, ${machines[0].machineId}, 'other', 'bar', 9)`
    const { machines: got, refused } = await divideArrivals(store.system, { tenantId, group: group + 1 })
    expect(got).toEqual([])
    expect(refused[0]?.reason).toBe(`series ${machines[0].series[0]} is not of group ${group + 1}`)
    expect(await arrivalsOf(machines[0])).toBe(1)
  })

  it('leaves rows with an instant of a series twice where they are, and moves all others of their group', async () => {
    const [twice, other] = (await store.machinesOfGroup(2)) as [PackedMachine, PackedMachine]
    await store.arrive([twice, other], points(0, 3))
    for (const from of [10, 12]) await store.arrive([twice], points(from, 3))
    await store.arrive([twice, other], points(20, 3))
    await store.arrive([other], points(30, 3))
    const { machines: got, refused } = await divideArrivals(store.system, keyOf(twice))
    expect(refused.map(({ reason }) => reason)).toEqual(Array(4).fill(`series ${twice.series[0]} has an instant twice`))
    expect(got).toEqual([
      { tenantId: other.tenantId, machineId: other.machineId, rows: 1, readings: 3, oldestAt: expect.any(Number) },
    ])
    expect(await arrivalsOf(twice)).toBe(4)
  })

  it('deletes damaged rows when all machines of the group are gone, because nobody can miss them', async () => {
    const machines = await store.machinesOfGroup(2)
    await store.arrive(machines, points(0, 3))
    await store.owner`update reading_arrivals set body = substr(body, 1, 8) where tenant_id = ${machines[0].tenantId}`
    await store.owner`delete from machines where tenant_id = ${machines[0].tenantId}`
    expect(await divideArrivals(store.system, keyOf(machines[0]))).toEqual({ machines: [], refused: [], isBusy: false })
    expect(await arrivalsOf(machines[0])).toBe(0)
  })

  it('divides the last group of series that there can be', async () => {
    const machine = await store.machine(1)
    const last = 2 ** 31 - 1
    await store.owner`
      insert into series (id, tenant_id, machine_id, metric, unit, place) overriding system value
      values (${last}, ${machine.tenantId}, ${machine.machineId}, 'last', 'bar', 1)`
    await store.arrive([{ ...machine, series: [last] }], points(0, 3))
    const { machines: got } = await divideArrivals(store.system, { tenantId: machine.tenantId, group: groupOf(last) })
    expect(got).toEqual([
      { tenantId: machine.tenantId, machineId: machine.machineId, rows: 1, readings: 3, oldestAt: expect.any(Number) },
    ])
  })
})

describe('replicas', () => {
  it('write arrivals only when every hub seen in the last hour reads them', async () => {
    const logger = createLogger('silent')
    const join = async () => {
      const replicas = await joinReplicas({ ...store.pools, box: store.box, logger })
      onTestFinished(replicas.leave)
      return replicas.allReadArrivals()
    }
    await store.owner`delete from hub_replicas`
    expect(await join()).toBe(true)
    const old = randomUUID()
    // as a hub of before writes it
    await store.owner`insert into hub_replicas (id, seen_at, wire_versions) values (${old}, now() - interval '59 minutes', '{1,2}')`
    expect(await join()).toBe(false)
    await store.owner`update hub_replicas set seen_at = now() - interval '61 minutes' where id = ${old}`
    expect(await join()).toBe(true)
  })
})
