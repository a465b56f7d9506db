import { describe, expect, it } from 'vitest'
import { GROUP_BITS } from '../src/readings/series-group.ts'
import { type TestUser, useHub } from './harness.ts'
import { arrivalGroups, flushedRows } from './support/reading-storage.ts'
import { sealAll } from './support/stored-readings.ts'

const hub = useHub()
const SIZE = 2 ** GROUP_BITS
const NOW = Date.now()

/** Machines of a tenant whose series will be of one group. */
async function machinesOfGroup(count: number, of?: TestUser) {
  const admin = of ?? (await hub.admin())
  const { key } = await hub.apiKey(admin)
  const machines = []
  for (let i = 0; i < count; i++) machines.push(await hub.machine(admin))
  await hub.owner`select setval('series_id_seq', (nextval('series_id_seq') / ${SIZE}::int + 1) * ${SIZE}::int - 1)`
  return { admin, key, machines }
}
type Plant = Awaited<ReturnType<typeof machinesOfGroup>>

/** Sends readings of all machines, in one request: `values` by seconds before now. */
async function send({ key, machines }: Plant, values: readonly (readonly [ago: number, value: number])[]): Promise<void> {
  const readings = machines.flatMap(({ machine_identifier: machine }, m) =>
    values.map(([ago, value]) => ({ machine, value: value + m, at: new Date(NOW - ago * 1_000) })),
  )
  expect((await hub.send(key, readings)).body).toMatchObject({ accepted_count: readings.length })
}

/** The values of each machine as the API answers them, in the order of time. */
const read = ({ admin, machines }: Plant) =>
  Promise.all(
    machines.map(async ({ id }) => {
      const { body } = await admin.call('GET', `machines/${id}/readings`)
      return body[0].data_points.map(({ value }: { value: number }) => value)
    }),
  )

const rowsOf = ({ admin }: Plant) => flushedRows(hub.owner, admin.tenantId)

describe('a flush', () => {
  it('stores the readings of four machines of a group in one row, and those of three in a row for each', async () => {
    const [three, four] = [await machinesOfGroup(3), await machinesOfGroup(4)]
    await send(three, [[60, 1]])
    await send(four, [[60, 1]])
    expect([await rowsOf(three), await rowsOf(four)]).toEqual([
      { arrivals: 0, tail: 3 },
      { arrivals: 1, tail: 0 },
    ])
    expect(await read(three)).toEqual([[1], [2], [3]])
    expect(await read(four)).toEqual([[1], [2], [3], [4]])
  })

  it('stores many readings of each series in rows of their machines', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => [600 - i, i] as const)
    const [sixteen, seventeen] = [await machinesOfGroup(4), await machinesOfGroup(4)]
    await send(sixteen, many(16))
    await send(seventeen, many(17))
    expect(await rowsOf(sixteen)).toEqual({ arrivals: 1, tail: 0 })
    expect(await rowsOf(seventeen)).toEqual({ arrivals: 0, tail: 4 })
  })

  it('stores a repeat once and a late reading in its place, wherever the others are', async () => {
    const of = await machinesOfGroup(5)
    await send(of, [
      [60, 10],
      [40, 30],
    ])
    const repeated = [60, 40].map((ago) => [ago, 999] as const)
    await send(of, [...repeated, [50, 20]])
    const expected = of.machines.map((_, m) => [10 + m, 20 + m, 30 + m])
    expect(await read(of)).toEqual(expected)
    await sealAll(hub.deps.pools.system, { areMerged: false })
    expect(await rowsOf(of)).toEqual({ arrivals: 0, tail: 0 })
    await send(of, [...repeated, [30, 40]])
    expect(await read(of)).toEqual(expected.map((values, m) => [...values, 40 + m]))
  })

  it('keeps tenants apart that have series in one group', async () => {
    const ours = await machinesOfGroup(4)
    const theirs = await machinesOfGroup(4)
    await send(ours, [[60, 1]])
    // the next series are in the group of ours
    await hub.owner`
      select setval('series_id_seq', (select max(s.id) from series s join machines m on m.id = s.machine_id where m.tenant_id = ${ours.admin.tenantId}))`
    await send(theirs, [[60, 100]])
    const groups = await Promise.all([ours, theirs].map(({ admin }) => arrivalGroups(hub.owner, admin.tenantId)))
    expect(groups[0]).toHaveLength(1)
    expect(groups[1]).toEqual(groups[0])
    expect(await read(ours)).toEqual([[1], [2], [3], [4]])
    expect(await read(theirs)).toEqual([[100], [101], [102], [103]])
    expect((await theirs.admin.call('GET', `machines/${ours.machines[0]?.id}/readings`)).status).toBe(404)
  })
})
