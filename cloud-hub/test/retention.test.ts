import { describe, expect, it } from 'vitest'
import { advanceRollups, purgeExpiredReadings, rollUpMarked } from '../src/features/telemetry/readings/index.ts'
import { plant, useHub } from './harness.ts'
import { countStored } from './support/stored-readings.ts'

const hub = useHub()
const [HOUR, DAY] = [3_600_000, 86_400_000]
const system = () => hub.deps.pools.system
const HUBS = { rawDays: 90, minuteDays: 365, hourDays: 0 }
const keep = (rule = HUBS) => purgeExpiredReadings(system(), hub.clock.now(), rule)
const rollUpAll = async () => {
  await advanceRollups(system(), hub.clock.now())
  await rollUpMarked(system(), 60_000, 0)
}
const grow = () => hub.owner`with r as (update reading_partitions set created_at = now() - interval '8 days')
  update minute_partitions set created_at = now() - interval '8 days'`
const ago = (days: number) => Math.floor((hub.clock.now().getTime() - days * DAY) / HOUR) * HOUR
const counts = async (machineId: string) => {
  const [row] = await hub.owner<{ minutes: number; hours: number }[]>`
    with s as (select id from series where machine_id = ${machineId})
    select (select count(*)::int from rollup_minutes m, s where m.series_id = s.id) as minutes, (select count(*)::int from rollup_hours h, s where h.series_id = s.id) as hours`
  return { raw: await countStored(hub.owner, { machineId }), ...row }
}

describe('retention', () => {
  it('drops readings after 90 days and minutes after a year, keeps hours for ever, and none of it before it is rolled up or within a week', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    const days = [1, 89, 125, 300, 800, 3_600]
    await hub.send(
      key,
      days.flatMap((day) => [
        { machine: identifier, value: 10, at: new Date(ago(day) + 1) },
        { machine: identifier, value: 20, at: new Date(ago(day) + 60_000) },
      ]),
    )
    await grow()
    await keep()
    expect(await counts(machine.id)).toEqual({ raw: 12, minutes: 0, hours: 0 })
    await rollUpAll()
    await hub.owner`update reading_partitions set created_at = now()`
    await keep()
    expect(await counts(machine.id)).toEqual({ raw: 12, minutes: 12, hours: 6 })
    await grow()
    await Promise.all([keep(), keep()])
    expect(await counts(machine.id)).toEqual({ raw: 4, minutes: 8, hours: 6 })
    const old = new URLSearchParams({ start: new Date(ago(3_600)).toISOString(), end: new Date(ago(3_600) + DAY).toISOString() })
    const { body } = await admin.call('GET', `machines/${machine.id}/readings?${old}&interval=1h`)
    expect(body[0].data_points).toEqual([{ timestamp: new Date(ago(3_600)).toISOString(), value: 15 }])
    await keep({ ...HUBS, hourDays: 400 })
    expect(await counts(machine.id)).toEqual({ raw: 4, minutes: 8, hours: 4 })
  })

  it('waits for the tenant with the longest retention', async () => {
    const [a, b] = [await plant(hub), await plant(hub)]
    for (const { key, identifier } of [a, b]) await hub.send(key, [{ machine: identifier, value: 1, at: new Date(ago(160)) }])
    await rollUpAll()
    await grow()
    await hub.owner`update tenants set raw_retention_days = 0 where id = ${b.admin.tenantId}`
    await keep()
    expect([(await counts(a.machine.id))?.raw, (await counts(b.machine.id))?.raw]).toEqual([1, 1])
    await hub.owner`update tenants set raw_retention_days = 200 where id = ${b.admin.tenantId}`
    await keep()
    expect((await counts(a.machine.id))?.raw).toBe(1)
    await hub.owner`update tenants set raw_retention_days = null where id = ${b.admin.tenantId}`
    await keep()
    expect([(await counts(a.machine.id))?.raw, (await counts(b.machine.id))?.raw]).toEqual([0, 0])
    expect((await counts(a.machine.id))?.hours).toBe(1)
  })

  it('adds readings that come after the others of their time were dropped, and knows an hour that is repeated', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    const hour = ago(200)
    const readings = [10, 20, 60].map((value, i) => ({ machine: identifier, value, at: new Date(hour + i * 60_000) }))
    await hub.send(key, readings.slice(0, 2))
    await rollUpAll()
    await grow()
    await keep()
    expect(await counts(machine.id)).toEqual({ raw: 0, minutes: 2, hours: 1 })
    const hours = async () => {
      const query = new URLSearchParams({ start: new Date(hour).toISOString(), end: new Date(hour + HOUR).toISOString() })
      const { body } = await admin.call('GET', `machines/${machine.id}/summary?${query}`)
      return body.metrics[0]
    }
    // this process still believes that there is a partition
    expect((await hub.send(key, readings.slice(0, 2))).body.accepted_count).toBe(2)
    await rollUpAll()
    expect(await counts(machine.id)).toEqual({ raw: 0, minutes: 2, hours: 1 })
    expect(await hours()).toMatchObject({ avg_value: 15, sample_count: 2 })
    expect((await hub.send(key, readings.slice(2))).body.accepted_count).toBe(1)
    const whole = { avg_value: 30, sample_count: 3, min_value: 10, max_value: 60, latest_value: 60 }
    expect(await hours()).toMatchObject(whole)
    await rollUpAll()
    expect(await hours()).toMatchObject(whole)
    const [row] =
      await hub.owner`select h.m2 from rollup_hours h join series s on s.id = h.series_id where s.machine_id = ${machine.id}`
    expect(row?.m2).toBeCloseTo(1_400, 9)
  })

  it('adds numbers next to the smallest of all, too', async () => {
    const { key, machine, identifier } = await plant(hub)
    const hour = ago(200)
    const send = (minute: number) =>
      hub.send(key, [{ machine: identifier, value: Number.MIN_VALUE, at: new Date(hour + minute * 60_000) }])
    await send(0)
    await rollUpAll()
    await grow()
    await keep()
    await send(1)
    await rollUpAll()
    expect(await counts(machine.id)).toEqual({ raw: 0, minutes: 2, hours: 1 })
  })
})
