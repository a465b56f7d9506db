import { describe, expect, it } from 'vitest'
import { plant, type TestUser, useHub } from './harness.ts'

const hub = useHub()
const NOBODY = '00000000-0000-4000-8000-000000000000'

/** `n` machines, each with a standing alert, alternately warning and critical. */
async function alarmedPlant(n: number) {
  const made = await plant(hub)
  const { admin, key } = made
  await admin.call('POST', 'alert-rules', { metric_name: 'temperature', warning_threshold: 80, critical_threshold: 90 })
  const machines = await Promise.all(Array.from({ length: n }, () => hub.machine(admin)))
  for (const [i, machine] of machines.entries())
    await hub.send(key, [{ machine: machine.machine_identifier, value: i % 2 === 0 ? 85 : 95 }])
  const alerts = (await admin.call('GET', 'alerts?page_size=100')).body.items as { id: string; machine_id: string }[]
  return { ...made, machines, alerts }
}
const list = async (admin: TestUser, query = '') => (await admin.call('GET', `alerts${query}`)).body

describe('alerts', () => {
  it('are listed newest first, in pages, with every filter', async () => {
    const { admin, alerts, machines } = await alarmedPlant(4)
    expect(alerts.map((a) => a.machine_id)).toEqual(machines.map((m) => m.id).reverse())
    expect(await list(admin, '?page=2&page_size=3')).toMatchObject({
      items: [{ id: alerts[3]?.id }],
      pagination: { total: 4, page: 2, page_size: 3 },
    })
    expect((await list(admin, `?machine_id=${machines[0]?.id}`)).items).toHaveLength(1)
    expect((await list(admin, `?machine_id=${NOBODY}`)).items).toEqual([])
    expect((await list(admin, '?severity=critical')).pagination.total).toBe(2)
    expect((await list(admin, '?severity=info')).pagination.total).toBe(0)
    await admin.call('POST', `alerts/${alerts[0]?.id}/acknowledge`)
    expect((await list(admin, '?is_acknowledged=true')).items.map((a: { id: string }) => a.id)).toEqual([alerts[0]?.id])
    expect((await list(admin, '?is_acknowledged=false')).pagination.total).toBe(3)
    const today = hub.clock.now().toISOString().slice(0, 10)
    expect((await list(admin, `?start_date=${today}&end_date=${today}`)).pagination.total).toBe(4)
    expect((await list(admin, '?end_date=2020-01-01')).pagination.total).toBe(0)
  })
  it.each([
    'severity=fatal',
    'is_acknowledged=1',
    'machine_id=x',
    'start_date=soon',
    'page_size=101',
    'start_date=2026-02-01&end_date=2026-01-01',
  ])('refuse the filter %s with 422', async (query) => {
    expect((await (await hub.admin()).call('GET', `alerts?${query}`)).status).toBe(422)
  })
  it('are counted while unacknowledged, cleared or not', async () => {
    const { admin, alerts } = await alarmedPlant(3)
    expect((await admin.call('GET', 'alerts/stats')).body).toEqual({
      total_active: 3,
      critical_count: 1,
      warning_count: 2,
      info_count: 0,
    })
    await admin.call('POST', `alerts/${alerts[0]?.id}/acknowledge`)
    expect((await admin.call('GET', 'alerts/stats')).body.total_active).toBe(2)
  })
})

describe('acknowledging', () => {
  it('records who and when; a second time is 409, also when two press together', async () => {
    const { admin, alerts } = await alarmedPlant(1)
    const operator = await hub.colleague(admin, 'operator')
    const path = `alerts/${alerts[0]?.id}/acknowledge`
    const answers = await Promise.all([admin.call('POST', path), operator.call('POST', path), admin.call('POST', path)])
    expect(answers.map((a) => a.status).sort()).toEqual([200, 409, 409])
    const { body } = await admin.call('GET', `alerts/${alerts[0]?.id}`)
    expect(body).toMatchObject({ is_acknowledged: true, acknowledged_at: expect.any(String), cleared_at: null })
    expect([admin.userId, operator.userId]).toContain(body.acknowledged_by)
    expect((await admin.call('POST', path)).body.code).toBe('alert_already_acknowledged')
    expect((await admin.call('POST', `alerts/${NOBODY}/acknowledge`)).status).toBe(404)
  })
  it("in bulk reports what was done already, and what is not there or another tenant's", async () => {
    const [{ admin, alerts }, other] = [await alarmedPlant(3), await alarmedPlant(1)]
    await admin.call('POST', `alerts/${alerts[0]?.id}/acknowledge`)
    const foreign = other.alerts[0]?.id as string
    const alert_ids = [...alerts.map((a) => a.id), alerts[1]?.id.toUpperCase(), foreign, NOBODY]
    expect((await admin.call('POST', 'alerts/bulk/acknowledge', { alert_ids })).body).toEqual({
      acknowledged_count: 2,
      already_acknowledged_ids: [alerts[0]?.id],
      not_found_ids: [foreign, NOBODY],
    })
    expect((await other.admin.call('GET', `alerts/${foreign}`)).body.is_acknowledged).toBe(false)
  })
  it('in bulk by two people counts each alert once', async () => {
    const { admin, alerts } = await alarmedPlant(6)
    const ids = alerts.map((a) => a.id)
    const answers = await Promise.all(
      [ids, [...ids].reverse()].map((alert_ids) => admin.call('POST', 'alerts/bulk/acknowledge', { alert_ids })),
    )
    expect(answers.reduce((sum, a) => sum + a.body.acknowledged_count, 0)).toBe(6)
  })
  it('in bulk takes 1,000 ids and refuses 1,001, or one that is no UUID', async () => {
    const admin = await hub.admin()
    const bulk = (alert_ids: string[]) => admin.call('POST', 'alerts/bulk/acknowledge', { alert_ids })
    expect((await bulk(Array(1_000).fill(NOBODY))).body.not_found_ids).toEqual([NOBODY])
    expect((await bulk(Array(1_001).fill(NOBODY))).status).toBe(422)
    expect((await bulk(['x'])).status).toBe(422)
  })
})
