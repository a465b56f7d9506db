import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { plant, useHub } from './harness.ts'

const hub = useHub()

describe('gaps that an agent reports', () => {
  it('are stored once each, before the answer that lets the agent delete them, and shown with the machine', async () => {
    const [{ admin, key, machine, identifier }, stranger] = [await plant(hub), await plant(hub)]
    const gap = {
      gap_id: randomUUID(),
      machine_identifier: identifier,
      metric_name: 'temperature',
      unit: 'celsius',
      from: '2026-01-31T12:00:00.000Z',
      to: '2026-01-31T13:00:00.000Z',
      count: 3_600,
      reason: 'disk_full',
    }
    const beat = (gaps: unknown[]) =>
      hub.call('POST', 'agent/heartbeat', { agent_id: 'a1', agent_version: '0.1.0', gaps }, { 'x-api-key': key })
    expect((await beat([gap])).status).toBe(200)
    expect(
      (await beat([gap, { ...gap, gap_id: randomUUID(), from: '2026-02-01T00:00:00Z', to: '2026-02-01T00:00:00Z', count: 1 }]))
        .status,
    ).toBe(200)
    const { body } = await admin.call('GET', `machines/${machine.id}/data-gaps?page_size=1`)
    expect(body.pagination).toEqual({ total: 2, page: 1, page_size: 1 })
    expect(body.items[0]).toMatchObject({ from: '2026-02-01T00:00:00.000Z', count: 1, reason: 'disk_full', agent_id: 'a1' })
    const second = (await admin.call('GET', `machines/${machine.id}/data-gaps?page_size=1&page=2`)).body.items[0]
    expect(second).toEqual({
      id: gap.gap_id,
      agent_id: 'a1',
      collector: null,
      metric_name: 'temperature',
      unit: 'celsius',
      from: gap.from,
      to: gap.to,
      count: 3_600,
      reason: 'disk_full',
      created_at: expect.any(String),
    })
    expect((await stranger.admin.call('GET', `machines/${machine.id}/data-gaps`)).status).toBe(404)
    expect((await stranger.admin.call('GET', `machines/${stranger.machine.id}/data-gaps`)).body.items).toEqual([])
  })
  it("are stored with start and end swapped when the agent's clock was set back in between", async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    const [from, to] = ['2026-01-31T12:00:00.000Z', '2026-01-31T13:00:00.000Z']
    const gap = {
      gap_id: randomUUID(),
      machine_identifier: identifier,
      metric_name: 'm',
      unit: 'u',
      count: 4,
      reason: 'disk_full',
    }
    const beat = { agent_id: 'a1', agent_version: '0.1.0', gaps: [{ ...gap, from: to, to: from }] }
    await hub.call('POST', 'agent/heartbeat', beat, { 'x-api-key': key })
    const { items } = (await admin.call('GET', `machines/${machine.id}/data-gaps`)).body
    expect(items[0]).toMatchObject({ from, to })
    // all of it before the range, all in it, a half of it
    const lost = async (start: string, end: string) =>
      (await admin.call('GET', `machines/${machine.id}/summary?start=${start}&end=${end}`)).body.completeness_percent
    expect(await lost('2026-02-01', '2026-02-02')).toBe(100)
    expect(await lost('2026-01-31T12:30:00Z', '2026-02-02')).toBe(0)
  })
  it('are stored also while payment is required, because a 402 lets the agent delete them too', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    await hub.owner`update tenants set subscription_status = 'past_due' where id = ${admin.tenantId}`
    const gap = {
      gap_id: randomUUID(),
      machine_identifier: identifier,
      metric_name: 'm',
      unit: 'u',
      from: '2026-01-31T12:00:00Z',
      to: '2026-01-31T12:00:00Z',
      count: 1,
      reason: 'age_limit',
    }
    expect(
      (await hub.call('POST', 'agent/heartbeat', { agent_id: 'a1', agent_version: '0.1.0', gaps: [gap] }, { 'x-api-key': key }))
        .status,
    ).toBe(402)
    expect((await admin.call('GET', `machines/${machine.id}/data-gaps`)).body.pagination.total).toBe(1)
  })
  it('are accepted with an impossible year, because the agent would report them forever', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    const gap = {
      gap_id: randomUUID(),
      machine_identifier: identifier,
      metric_name: 'm',
      unit: 'u',
      from: '0000-01-01T00:00:00Z',
      to: '9999-12-31T23:59:59-14:00',
      count: 1,
      reason: 'damaged',
    }
    const beat = { agent_id: 'a1', agent_version: '0.1.0', gaps: [gap] }
    expect((await hub.call('POST', 'agent/heartbeat', beat, { 'x-api-key': key })).status).toBe(200)
    const [shown] = (await admin.call('GET', `machines/${machine.id}/data-gaps`)).body.items
    expect(shown).toMatchObject({ from: '1000-01-01T00:00:00.000Z', to: '9999-12-31T23:59:59.999Z' })
  })
})
