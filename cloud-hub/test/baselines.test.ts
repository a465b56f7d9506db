import { describe, expect, it } from 'vitest'
import { recomputeBaselines } from '../src/features/telemetry/baselines/index.ts'
import { plant, type TestUser, useHub } from './harness.ts'
import { useRunningHubs } from './running-hub.ts'

const hub = useHub()
const hubs = useRunningHubs({ BASELINE_INTERVAL_SECONDS: '1' })
const DAY = 86_400_000
const system = () => hub.deps.pools.system
const recompute = () => recomputeBaselines(system(), hub.deps.store, hub.clock.now())
const baselinesOf = async (admin: TestUser, machineId: string) =>
  (await admin.call('GET', `machines/${machineId}/baselines`)).body

describe('GET /machines/{machine_id}/baselines', () => {
  it('returns mean, deviation, extremes and count of the trailing 7 days, by metric and unit', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    const now = hub.clock.now().getTime()
    const at = (i: number) => new Date(now - 6.9 * DAY + (i / 40) * 6.8 * DAY)
    const readings = Array.from({ length: 40 }, (_, i) => ({ machine: identifier, value: 1e6 + (i % 5), at: at(i) }))
    const older = { machine: identifier, value: -5, at: new Date(now - 7.01 * DAY) }
    const few = readings.slice(0, 29).map((r) => ({ ...r, metric: 'pressure', unit: 'bar' }))
    await hub.send(key, [...readings, older, ...few])
    expect(await baselinesOf(admin, machine.id)).toEqual([])
    const expected = {
      id: expect.any(String),
      machine_id: machine.id,
      metric_name: 'temperature',
      unit: 'celsius',
      mean_value: 1_000_002,
      // 8 of each of -2 to 2: sqrt(80 / 39)
      std_dev: expect.closeTo(Math.sqrt(80 / 39), 9),
      min_value: 1e6,
      max_value: 1e6 + 4,
      sample_count: 40,
      window_start: expect.any(String),
      window_end: expect.any(String),
    }
    await recompute()
    const first = await baselinesOf(admin, machine.id)
    expect(first).toEqual([expected])
    expect(Date.parse(first[0].window_end) - Date.parse(first[0].window_start)).toBe(7 * DAY)
    await recompute()
    expect(await baselinesOf(admin, machine.id)).toEqual([{ ...expected, id: first[0].id }])
    await hub.send(key, [{ ...(few[0] as (typeof few)[number]), at: new Date(now - 1_000), value: 3 }])
    await recompute()
    expect((await baselinesOf(admin, machine.id)).map((b: { metric_name: string }) => b.metric_name)).toEqual([
      'pressure',
      'temperature',
    ])
  })

  it('returns no baseline when fewer than 30 readings are left in the window', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    const now = hub.clock.now().getTime()
    const readings = Array.from({ length: 30 }, (_, i) => ({ machine: identifier, value: i, at: new Date(now - i * 60_000) }))
    await hub.send(key, readings)
    await recompute()
    expect(await baselinesOf(admin, machine.id)).toHaveLength(1)
    await recomputeBaselines(system(), hub.deps.store, new Date(now + 7 * DAY - 29 * 60_000 + 1))
    expect(await baselinesOf(admin, machine.id)).toEqual([])
  })

  it('is computed once by several replicas at once, and not at all from numbers without a deviation', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    const now = hub.clock.now().getTime()
    const series = (metric: string, value: number) =>
      Array.from({ length: 30 }, (_, i) => ({
        machine: identifier,
        metric,
        value: value * (i % 2),
        at: new Date(now - i * 1_000),
      }))
    await hub.send(key, [...series('good', 1), ...series('broken', Number.MAX_VALUE)])
    await hub.send(key, [...series('tiny', Number.MIN_VALUE), ...series('minute', 2e-162)])
    await Promise.all([recompute(), recompute(), recompute()])
    await recompute()
    const metrics = (await baselinesOf(admin, machine.id)).map((b: { metric_name: string }) => b.metric_name)
    expect(metrics).toEqual(['good', 'minute', 'tiny'])
  })

  it('is recomputed by a running hub every BASELINE_INTERVAL_SECONDS', async () => {
    const running = await hubs.start()
    const site = await hubs.site(running)
    const readings = Array.from({ length: 30 }, (_, i) => ({
      machine_identifier: site.identifier,
      metric_name: 'temperature',
      unit: 'celsius',
      value: i,
      timestamp: new Date(hubs.clock.now().getTime() - i * 60_000).toISOString(),
    }))
    const sent = await fetch(`${running.url}/api/v1/ingest`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': site.key },
      body: JSON.stringify({ readings }),
    })
    expect(sent.status).toBe(207)
    await expect
      .poll(async () => (await site.call('GET', `machines/${site.machineId}/baselines`)).body, { timeout: 10_000 })
      .toEqual([expect.objectContaining({ sample_count: 30, mean_value: 14.5 })])
  })
})
