import { describe, expect, it } from 'vitest'
import { removeExpired } from '../src/readings/seal/remove-expired.ts'
import { plant, type TestUser, useHub } from './harness.ts'
import { countStored, sealAll } from './support/stored-readings.ts'

const hub = useHub()
const [HOUR, DAY] = [3_600_000, 86_400_000]
const HUBS = { rawDays: 90, minuteDays: 365, hourDays: 0 }
/** Blocks are removed a week after they were sealed at the earliest; `sealAll` seals as if ten days had passed. */
const later = (days = 20) => new Date(hub.clock.now().getTime() + days * DAY)
const remove = (rule = HUBS) => removeExpired(hub.deps.pools.system, later(), rule)
const ago = (days: number) => Math.floor((hub.clock.now().getTime() - days * DAY) / HOUR) * HOUR
const stored = (machineId: string) => countStored(hub.owner, { machineId })

async function pointsOf(admin: TestUser, machineId: string, from: number, interval: string) {
  const query = new URLSearchParams({ start: new Date(from).toISOString(), end: new Date(from + DAY).toISOString(), interval })
  const { body } = await admin.call('GET', `machines/${machineId}/readings?${query}`)
  return (body[0]?.data_points ?? []).map((point: { value: number }) => point.value)
}

describe('retention, as users see it', () => {
  it('keeps readings for 90 days, minutes for a year and hours for ever, and nothing goes within a week of its sealing', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    const days = [1, 60, 125, 300, 800, 3_600]
    await hub.send(
      key,
      days.flatMap((day) => [
        { machine: identifier, value: 10, at: new Date(ago(day) + 1) },
        { machine: identifier, value: 20, at: new Date(ago(day) + 60_000) },
      ]),
    )
    await sealAll(hub.deps.pools.system)
    await removeExpired(hub.deps.pools.system, later(15), HUBS)
    expect(await stored(machine.id)).toBe(12)
    await Promise.all([remove(), remove()])
    expect(await stored(machine.id)).toBe(4)
    for (const [day, minutes] of [
      [125, [10, 20]],
      [300, [10, 20]],
      [800, []],
      [3_600, []],
    ] as const) {
      expect([day, await pointsOf(admin, machine.id, ago(day), '1m')]).toEqual([day, minutes])
      expect([day, await pointsOf(admin, machine.id, ago(day), '1h')]).toEqual([day, [15]])
    }
    await remove({ ...HUBS, hourDays: 400 })
    expect(await pointsOf(admin, machine.id, ago(800), '1h')).toEqual([])
    expect(await pointsOf(admin, machine.id, ago(300), '1h')).toEqual([15])
  })

  it('is each tenant’s own', async () => {
    const [a, b] = [await plant(hub), await plant(hub)]
    for (const { key, identifier } of [a, b]) await hub.send(key, [{ machine: identifier, value: 1, at: new Date(ago(160)) }])
    await sealAll(hub.deps.pools.system)
    await hub.owner`update tenants set raw_retention_days = 200 where id = ${b.admin.tenantId}`
    await remove()
    expect([await stored(a.machine.id), await stored(b.machine.id)]).toEqual([0, 1])
    await hub.owner`update tenants set raw_retention_days = 0 where id = ${b.admin.tenantId}`
    await remove({ ...HUBS, rawDays: 30 })
    expect(await stored(b.machine.id)).toBe(1)
    await hub.owner`update tenants set raw_retention_days = null where id = ${b.admin.tenantId}`
    await remove()
    expect(await stored(b.machine.id)).toBe(0)
    expect(await pointsOf(b.admin, b.machine.id, ago(160), '1h')).toEqual([1])
  })

  it('adds readings that come after the others of their time were removed, and recognises each that is repeated', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    const hour = ago(200)
    const readings = [10, 20, 60].map((value, i) => ({ machine: identifier, value, at: new Date(hour + i * 60_000) }))
    await hub.send(key, readings.slice(0, 2))
    await sealAll(hub.deps.pools.system)
    await remove()
    expect(await stored(machine.id)).toBe(0)
    const summary = async () => {
      const query = new URLSearchParams({ start: new Date(hour).toISOString(), end: new Date(hour + HOUR).toISOString() })
      return (await admin.call('GET', `machines/${machine.id}/summary?${query}`)).body.metrics[0]
    }
    expect((await hub.send(key, readings.slice(0, 1))).body.accepted_count).toBe(1)
    expect(await summary()).toMatchObject({ avg_value: 15, sample_count: 2 })
    expect((await hub.send(key, readings)).body.accepted_count).toBe(3)
    const whole = { avg_value: 30, sample_count: 3, min_value: 10, max_value: 60, latest_value: 60 }
    expect(await summary()).toMatchObject(whole)
    expect(await stored(machine.id)).toBe(1)
    await sealAll(hub.deps.pools.system)
    await remove()
    expect(await stored(machine.id)).toBe(0)
    expect(await summary()).toMatchObject(whole)
    expect(await pointsOf(admin, machine.id, hour, '1m')).toEqual([10, 20, 60])
  })
})
