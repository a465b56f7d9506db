import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { plant, useHub } from './harness.ts'

const hub = useHub()
const HOUR = 3_600_000

async function addGap(tenantId: string, machine: string, from: number, to: number, count: number, metric = 'temperature') {
  await hub.owner`insert into agents (tenant_id, agent_id, agent_version, last_seen) values (${tenantId}, 'edge', '0.1.0', now()) on conflict do nothing`
  await hub.owner`insert into data_gaps (id, tenant_id, agent_id, machine_identifier, metric_name, unit, from_at, to_at, count, reason)
    values (${randomUUID()}, ${tenantId}, 'edge', ${machine}, ${metric}, 'celsius', ${new Date(from)}, ${new Date(to)}, ${count}, 'disk_full')`
}

describe('GET /machines/{machine_id}/summary', () => {
  it('is minimum, maximum, mean and newest of the last 24 hours, by metric and unit', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    const values = [4, 9, 2, 5]
    await hub.send(key, [
      ...values.map((value, i) => ({ machine: identifier, value, ago: (23 - 7 * i) * 3_600 })),
      { machine: identifier, value: 99, ago: 25 * 3_600 },
      { machine: identifier, value: 300, ago: 60, unit: 'kelvin' },
    ])
    const path = `machines/${machine.id}/summary`
    const before = (await admin.call('GET', path)).body
    expect(before).toMatchObject({ machine_id: machine.id, completeness_percent: 100 })
    expect(before.metrics.map((m: { unit: string }) => m.unit)).toEqual(['celsius', 'kelvin'])
    expect(before.metrics[0]).toEqual({
      metric_name: 'temperature',
      unit: 'celsius',
      min_value: 2,
      max_value: 9,
      avg_value: 5,
      latest_value: 5,
      latest_timestamp: expect.any(String),
      sample_count: 4,
      lost_count: 0,
      completeness_percent: 100,
    })
    expect((await admin.call('GET', path)).body.metrics).toEqual(before.metrics)
    const end = new Date(hub.clock.now().getTime() - 24.5 * HOUR).toISOString()
    const older = (await admin.call('GET', `${path}?${new URLSearchParams({ end })}`)).body
    expect(older.metrics).toEqual([expect.objectContaining({ avg_value: 99, latest_value: 99, sample_count: 1 })])
  })

  it('reports the share of stored readings, from the losses that agents report in the range', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    const now = hub.clock.now().getTime()
    await hub.send(
      key,
      Array.from({ length: 90 }, (_, i) => ({ machine: identifier, value: i, ago: 60 + i })),
    )
    await addGap(admin.tenantId, identifier, now - 2 * HOUR, now - HOUR, 9)
    // half of it before the range
    await addGap(admin.tenantId, identifier, now - 25 * HOUR, now - 23 * HOUR, 2)
    await addGap(admin.tenantId, identifier, now - 30 * HOUR, now - 29 * HOUR, 1_000)
    await addGap(admin.tenantId, identifier, now - 2 * HOUR, now - 2 * HOUR, 100, 'pressure')
    await addGap(admin.tenantId, 'another-machine', now - 2 * HOUR, now - HOUR, 1_000)
    const { body } = await admin.call('GET', `machines/${machine.id}/summary`)
    expect(body.metrics).toEqual([expect.objectContaining({ sample_count: 90, lost_count: 10, completeness_percent: 90 })])
    // pressure was lost as a whole: 90 of 200
    expect(body.completeness_percent).toBe(45)
  })

  it('has no metrics without readings, and takes the ranges that readings take', async () => {
    const { admin, machine } = await plant(hub)
    const { body } = await admin.call('GET', `machines/${machine.id}/summary`)
    expect(body).toMatchObject({ completeness_percent: 100, metrics: [] })
    expect((await admin.call('GET', `machines/${machine.id}/summary?start=2026-01-01&end=2026-05-01`)).status).toBe(422)
    expect((await admin.call('GET', `machines/${randomUUID()}/summary`)).status).toBe(404)
  })

  it('survives numbers whose squares overflow', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    await hub.send(
      key,
      [Number.MAX_VALUE, Number.MAX_VALUE, -1e200].map((value, i) => ({ machine: identifier, value, ago: 100 - i })),
    )
    const { body } = await admin.call('GET', `machines/${machine.id}/summary`)
    expect(body.metrics[0]).toMatchObject({ max_value: Number.MAX_VALUE, latest_value: -1e200, sample_count: 3 })
  })
})
