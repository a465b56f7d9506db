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
  it('are filtered by everything at once, also over years', async () => {
    const { admin, alerts, machines } = await alarmedPlant(4)
    await admin.call('POST', `alerts/${alerts[1]?.id}/acknowledge`)
    const days = ['2024-02-29', '2025-12-31', '2026-01-01', '2026-01-01']
    for (const [i, day] of days.entries())
      await hub.owner`update alerts set created_at = ${new Date(`${day}T23:59:59.999Z`)} where id = ${alerts[i]?.id as string}`
    const all = (await list(admin)).items
    expect(all).toHaveLength(4)
    const either = (name: string, ...values: unknown[]) => [undefined, ...values].map((value) => [name, value] as const)
    for (const machine of either('machine_id', machines[0]?.id, machines[2]?.id))
      for (const severity of either('severity', 'warning', 'critical'))
        for (const seen of either('is_acknowledged', true, false))
          for (const start of either('start_date', '2024-02-29', '2026-01-01'))
            for (const end of either('end_date', '2025-12-31', '2026-12-31')) {
              if (start[1] === '2026-01-01' && end[1] === '2025-12-31') continue
              const given = [machine, severity, seen, start, end].filter(([, value]) => value !== undefined)
              const expected = all.filter((alert: Record<string, unknown>) =>
                given.every(([name, value]) =>
                  name === 'start_date'
                    ? `${alert.created_at}` >= `${value}`
                    : name === 'end_date'
                      ? `${alert.created_at}` <= `${value}T23:59:59.999Z`
                      : alert[name] === value,
                ),
              )
              const { items, pagination } = await list(admin, `?${given.map((each) => each.join('=')).join('&')}`)
              expect([given, items]).toEqual([given, expected])
              expect(pagination.total).toBe(expected.length)
            }
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

it('the text of an alert holds no character that turns the direction of the text after a machine’s name', async () => {
  const { admin, key } = await plant(hub)
  const machine = await hub.machine(admin, { name: 'Press \u202eB\u2066' })
  await admin.call('POST', 'alert-rules', { metric_name: 'temperature', warning_threshold: 80, critical_threshold: 90 })
  await hub.send(key, [{ machine: machine.machine_identifier, value: 85 }])
  const { items } = (await admin.call('GET', 'alerts')).body
  expect(items).toMatchObject([{ message: expect.stringMatching(/^Press B: /) }])
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
  it("in bulk reports alerts that are acknowledged already, unknown or another tenant's", async () => {
    const [{ admin, alerts }, other] = [await alarmedPlant(3), await alarmedPlant(1)]
    await admin.call('POST', `alerts/${alerts[0]?.id}/acknowledge`)
    const foreign = other.alerts[0]?.id as string
    const alert_ids = [...alerts.map((a) => a.id), alerts[1]?.id.toUpperCase(), foreign, NOBODY]
    expect((await admin.call('POST', 'alerts/bulk/acknowledge', { alert_ids })).body).toEqual({
      acknowledged_count: 2,
      already_acknowledged_ids: [alerts[0]?.id],
      not_found_ids: [foreign, NOBODY],
      remaining_count: 0,
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
  it('by a filter in portions of 1,000, each alert once though two people press together, and none that was raised later', async () => {
    const { admin, machine } = await plant(hub)
    const [stranger, second] = [await alarmedPlant(1), await hub.machine(admin)]
    const before = hub.clock.now()
    const insert = (machineId: string, severity: string, count: number, at: Date) => hub.owner`
      insert into alerts (tenant_id, machine_id, severity, metric_name, unit, trigger_value, threshold_value, message, triggered_at, created_at)
      select ${admin.tenantId}, ${machineId}, ${severity}, 'noise', 'decibel', 5, 4, 'high', ${at}, ${at} from generate_series(1, ${count}::int)`
    const early = new Date(before.getTime() - 1_000)
    await insert(machine.id, 'warning', 2_500, early)
    await insert(machine.id, 'critical', 2, early)
    await insert(second.id, 'warning', 3, early)
    await insert(machine.id, 'warning', 4, before)
    const operator = await hub.colleague(admin, 'operator')
    const body = { filter: { machine_id: machine.id, severity: 'warning', created_before: before.toISOString() } }
    const answers = await Promise.all([admin, operator].map((user) => user.call('POST', 'alerts/bulk/acknowledge', body)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(answers.reduce((sum, it) => sum + it.body.acknowledged_count, 0)).toBe(2_500)
    expect(answers[0]?.body).toMatchObject({ already_acknowledged_ids: [], not_found_ids: [], remaining_count: 0 })
    expect((await admin.call('POST', 'alerts/bulk/acknowledge', body)).body.acknowledged_count).toBe(0)
    expect((await admin.call('GET', 'alerts/stats')).body).toMatchObject({ critical_count: 2, warning_count: 7 })
    expect((await stranger.admin.call('GET', 'alerts/stats')).body.total_active).toBe(1)
    // the history names who it was
    const [event] =
      await hub.owner`select count(*)::int as n from alert_history where tenant_id = ${admin.tenantId} and event = 'acknowledged'`
    expect(event?.n).toBe(2_500)
  })
  it('by a filter needs created_before, and is refused together with ids, and without either', async () => {
    const { admin } = await alarmedPlant(1)
    const status = async (body: object) => (await admin.call('POST', 'alerts/bulk/acknowledge', body)).status
    const created_before = '2026-01-31T12:00:00Z'
    expect(await status({ filter: {} })).toBe(422)
    expect(await status({ filter: { created_before }, alert_ids: [] })).toBe(422)
    expect(await status({})).toBe(422)
    expect(await status({ filter: { created_before, is_acknowledged: true } })).toBe(422)
    // one that the hub does not know would narrow what the person saw
    expect(await status({ filter: { created_before, shift: 'early' } })).toBe(422)
    expect(await status({ filter: { created_before } })).toBe(200)
    const viewer = await hub.colleague(admin, 'viewer')
    expect((await viewer.call('POST', 'alerts/bulk/acknowledge', { filter: { created_before } })).status).toBe(403)
  })
  it('in bulk takes 1,000 ids and refuses 1,001, or one that is no UUID', async () => {
    const admin = await hub.admin()
    const bulk = (alert_ids: string[]) => admin.call('POST', 'alerts/bulk/acknowledge', { alert_ids })
    expect((await bulk(Array(1_000).fill(NOBODY))).body.not_found_ids).toEqual([NOBODY])
    expect((await bulk(Array(1_001).fill(NOBODY))).status).toBe(422)
    expect((await bulk(['x'])).status).toBe(422)
  })
})

describe('snoozing', () => {
  const at = (ms: number) => new Date(hub.clock.now().getTime() + ms).toISOString()
  const DAYS = 86_400_000

  it('accepts any instant in the next 30 days, in every state of the alert; the last request applies', async () => {
    const { admin, alerts } = await alarmedPlant(1)
    const path = `alerts/${alerts[0]?.id}`
    await admin.call('POST', `${path}/acknowledge`)
    const first = await admin.call('POST', `${path}/snooze`, { snooze_until: at(60_000) })
    expect(first.status).toBe(200)
    const until = at(30 * DAYS - 5_000)
    expect((await admin.call('POST', `${path}/snooze`, { snooze_until: until.replace('Z', '+00:00') })).body).toMatchObject({
      id: alerts[0]?.id,
      snoozed_until: until,
      is_acknowledged: true,
    })
    expect((await admin.call('GET', path)).body.snoozed_until).toBe(until)
  })

  it.each([
    ['the past', () => at(-1_000), 'must be in the future'],
    ['more than 30 days', () => at(30 * DAYS + 5_000), 'must be at most 30 days away'],
    ['no datetime', () => 'tomorrow', 'must be an ISO 8601'],
    ['no text', () => 5, 'must be a text'],
  ])('refuses %s with 422', async (_, given, message) => {
    const { admin, alerts } = await alarmedPlant(1)
    const answer = await admin.call('POST', `alerts/${alerts[0]?.id}/snooze`, { snooze_until: given() })
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ path: 'body.snooze_until' }] } })
    expect(answer.body.errors[0].message).toContain(message)
    expect((await admin.call('GET', `alerts/${alerts[0]?.id}`)).body.snoozed_until).toBeNull()
  })
})

describe('comments', () => {
  it('are written by anybody who reads, and listed oldest first with their total', async () => {
    const { admin, alerts } = await alarmedPlant(2)
    const viewer = await hub.colleague(admin, 'viewer')
    const path = `alerts/${alerts[0]?.id}/comments`
    const made = await viewer.call('POST', path, { body: 'Is the fan running? \u{1F914}' })
    expect(made).toMatchObject({
      status: 201,
      body: { author_id: viewer.userId, author_name: 'viewer', body: 'Is the fan running? \u{1F914}' },
    })
    expect(made.body.updated_at).toBe(made.body.created_at)
    const second = await admin.call('POST', path, { body: 'x'.repeat(2_000) })
    expect((await admin.call('GET', path)).body).toEqual({ items: [made.body, second.body], total: 2 })
    expect((await admin.call('GET', `alerts/${alerts[1]?.id}/comments`)).body).toEqual({ items: [], total: 0 })
  })

  it.each([{ body: 'x'.repeat(2_001) }, { body: '' }, { body: 5 }, {}])('refuse %o with 422', async (given) => {
    const { admin, alerts } = await alarmedPlant(1)
    expect((await admin.call('POST', `alerts/${alerts[0]?.id}/comments`, given)).status).toBe(422)
  })

  it('end at a thousand', async () => {
    const { admin, alerts } = await alarmedPlant(1)
    await hub.owner`insert into alert_comments (tenant_id, alert_id, author_id, author_name, body)
      select ${admin.tenantId}, ${alerts[0]?.id as string}, ${admin.userId}, 'Ada', 'again' from generate_series(1, 999)`
    const path = `alerts/${alerts[0]?.id}/comments`
    const answers = await Promise.all([1, 2, 3].map(() => admin.call('POST', path, { body: 'the last one' })))
    expect(answers.map((a) => a.status).sort()).toEqual([201, 409, 409])
  })
})

describe('the history of an alert', () => {
  it('tells every change of its state: what, who, when', async () => {
    const { admin, alerts, machines, key } = await alarmedPlant(1)
    const operator = await hub.colleague(admin, 'operator')
    const email = (await operator.call('GET', 'auth/me')).body.email
    const path = `alerts/${alerts[0]?.id}`
    const until = new Date(hub.clock.now().getTime() + 3_600_000).toISOString()
    await operator.call('POST', `${path}/snooze`, { snooze_until: until })
    await operator.call('POST', `${path}/comments`, { body: 'no change of state' })
    await operator.call('POST', `${path}/acknowledge`)
    await operator.call('POST', `${path}/acknowledge`)
    await hub.send(key, [{ machine: machines[0]?.machine_identifier as string, value: 20 }])
    await hub.send(key, [{ machine: machines[0]?.machine_identifier as string, value: 20 }])
    const { body } = await admin.call('GET', `${path}/history`)
    const alert = (await admin.call('GET', path)).body
    const actor = { kind: 'user', id: operator.userId, name: email }
    expect(body.items).toEqual([
      { event: 'raised', at: alert.created_at, actor: null, details: null },
      { event: 'snoozed', at: expect.any(String), actor, details: { until } },
      { event: 'acknowledged', at: alert.acknowledged_at, actor, details: null },
      { event: 'cleared', at: alert.cleared_at, actor: null, details: null },
    ])
    const pages = await Promise.all([1, 2, 3].map((page) => admin.call('GET', `${path}/history?page_size=2&page=${page}`)))
    expect(pages.flatMap((page) => page.body.items)).toEqual(body.items)
    expect(pages[2]?.body.pagination).toEqual({ total: 4, page: 3, page_size: 2 })
  })

  it('names the person whose change of a rule cleared it', async () => {
    const { admin, alerts } = await alarmedPlant(1)
    const rule = (await admin.call('GET', 'alert-rules')).body[0]
    await admin.call('DELETE', `alert-rules/${rule.id}`)
    const { items } = (await admin.call('GET', `alerts/${alerts[0]?.id}/history`)).body
    expect(items[1]).toMatchObject({ event: 'cleared', actor: { id: admin.userId } })
  })

  it('of a late alert that was already over begins with its end', async () => {
    const { admin, key } = await plant(hub)
    const machine = await hub.machine(admin)
    await admin.call('POST', 'alert-rules', { metric_name: 'temperature', warning_threshold: 80, critical_threshold: 90 })
    await hub.send(key, [{ machine: machine.machine_identifier, value: 20 }])
    await hub.send(key, [{ machine: machine.machine_identifier, value: 85, ago: 60 }])
    const [alert] = (await list(admin)).items
    expect((await admin.call('GET', `alerts/${alert.id}/history`)).body.items.map((e: { event: string }) => e.event)).toEqual([
      'raised',
      'cleared',
    ])
  })
})
