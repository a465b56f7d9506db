import { beforeEach, describe, expect, it } from 'vitest'
import { plant, type TestUser, useHub } from './harness.ts'
import { shiftPlant } from './support/shift-plant.ts'

const hub = useHub()
const UNKNOWN = '0198c7d4-5a00-7000-8000-0000f5a48bee'
let began = 0
beforeEach(() => {
  began = hub.clock.now().getTime()
})
/** An instant so many hours before the test began. */
const ago = (hours: number) => new Date(began - hours * 3_600_000).toISOString()
const stop = (user: TestUser, machineId: string, from: number, to: number | null, values: object = {}) =>
  user.call('POST', `machines/${machineId}/downtime`, {
    started_at: ago(from),
    ended_at: to === null ? null : ago(to),
    ...values,
  })
const group = async (user: TestUser, name: string, values: object = {}): Promise<string> =>
  (await user.call('POST', 'machine-groups', { name, ...values })).body.id

describe('the status of the fleet', () => {
  it('lists every active machine by name with status, open alerts and newest reading', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    const second = await hub.machine(admin, { name: 'Äxle 2' })
    const gone = await hub.machine(admin, { name: 'Gone' })
    await admin.call('PATCH', `machines/${gone.id}`, { is_active: false })
    await admin.call('POST', 'alert-rules', { metric_name: 'temperature', warning_threshold: 80, critical_threshold: 90 })
    await admin.call('POST', 'alert-rules', { metric_name: 'noise', warning_threshold: 80, critical_threshold: 90 })
    const at = new Date(began - 5_000)
    await hub.send(key, [
      { machine: identifier, value: 95, at },
      { machine: identifier, metric: 'noise', value: 85, at: new Date(began - 60_000) },
    ])
    const viewer = await hub.colleague(admin, 'viewer')
    expect((await viewer.call('GET', 'fleet/status')).body).toEqual({
      total_machines: 2,
      machines: [
        {
          machine_id: second.id,
          machine_name: 'Äxle 2',
          machine_identifier: second.machine_identifier,
          status: 'offline',
          active_alert_count: 0,
          last_reading_at: null,
        },
        {
          machine_id: machine.id,
          machine_name: 'Press 1',
          machine_identifier: identifier,
          status: 'critical',
          active_alert_count: 2,
          last_reading_at: at.toISOString(),
        },
      ],
    })
    const { items } = (await admin.call('GET', 'alerts')).body
    await admin.call('POST', `alerts/${items[0].id}/acknowledge`)
    expect((await admin.call('GET', 'fleet/status')).body.machines[1].active_alert_count).toBe(1)
  })

  it('is empty for a tenant without machines', async () => {
    expect((await (await hub.admin()).call('GET', 'fleet/status')).body).toEqual({ total_machines: 0, machines: [] })
  })
})

describe('the overview of the fleet', () => {
  it('pages machines by urgency and name, with their newest readings, and counts all by status', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    const quiet = await hub.machine(admin, { name: 'Äxle 2', machine_identifier: 'axle-2' })
    const gone = await hub.machine(admin, { name: 'Gone' })
    await admin.call('PATCH', `machines/${gone.id}`, { is_active: false })
    const rule = { metric_name: 'temperature', warning_threshold: 80, critical_threshold: 90 }
    await admin.call('POST', 'alert-rules', rule)
    const at = new Date(began - 5_000)
    const metrics = ['temperature', 'b', 'c', 'd', 'e']
    await hub.send(
      key,
      metrics.map((metric) => ({ machine: identifier, metric, value: 95, at })),
    )
    const viewer = await hub.colleague(admin, 'viewer')
    const { body } = await viewer.call('GET', 'fleet/overview')
    expect(body.counts).toEqual({ critical: 1, warning: 0, offline: 1, healthy: 0 })
    expect(body.pagination).toEqual({ total: 2, page: 1, page_size: 20 })
    expect(body.items).toMatchObject([
      { machine_id: machine.id, machine_name: 'Press 1', status: 'critical', active_alert_count: 1 },
      { machine_id: quiet.id, machine_name: 'Äxle 2', status: 'offline', active_alert_count: 0, readings: [] },
    ])
    const [first] = body.items[0].readings
    expect(first).toEqual({
      metric_name: 'temperature',
      unit: expect.any(String),
      value: 95,
      timestamp: at.toISOString(),
      is_pinned: false,
    })
    // what violates a threshold first, then by metric
    expect(body.items[0].readings.map((it: { metric_name: string }) => it.metric_name)).toEqual(['temperature', 'b', 'c', 'd'])
  })

  it('says what a machine violates, since when, and who is on it: one a metric, the most severe first, until it ends', async () => {
    const { admin, key, identifier } = await plant(hub)
    for (const metric_name of ['temperature', 'noise', 'level', 'flow'])
      await admin.call('POST', 'alert-rules', { metric_name, warning_threshold: 80, critical_threshold: 90 })
    await admin.call('POST', 'alert-rules', { metric_name: 'depth', warning_threshold: 20, critical_threshold: 10 })
    const at = (seconds: number) => new Date(began - seconds * 1_000)
    await hub.send(key, [
      { machine: identifier, metric: 'noise', value: 85, at: at(60) },
      { machine: identifier, metric: 'temperature', value: 95, at: at(50) },
      { machine: identifier, metric: 'depth', value: 5, at: at(40) },
      { machine: identifier, metric: 'level', value: 85, at: at(30) },
    ])
    const { items } = (await admin.call('GET', 'alerts?severity=critical')).body
    const temperature = items.find((alert: { metric_name: string }) => alert.metric_name === 'temperature')
    await admin.call('POST', `alerts/${temperature.id}/acknowledge`)
    const me = (await admin.call('GET', 'auth/me')).body
    const violations = async () => (await admin.call('GET', 'fleet/overview')).body.items[0].violations
    expect(await violations()).toEqual([
      {
        alert_id: temperature.id,
        severity: 'critical',
        metric_name: 'temperature',
        unit: temperature.unit,
        threshold_value: 90,
        is_above: true,
        triggered_at: at(50).toISOString(),
        acknowledged_at: expect.any(String),
        acknowledged_by_name: me.full_name,
      },
      expect.objectContaining({ metric_name: 'depth', threshold_value: 10, is_above: false, acknowledged_by_name: null }),
      expect.objectContaining({ metric_name: 'noise', severity: 'warning', triggered_at: at(60).toISOString() }),
    ])
    for (const seconds of [10, 5])
      await hub.send(key, [{ machine: identifier, metric: 'temperature', value: 20, at: at(seconds) }])
    expect((await violations()).map((it: { metric_name: string }) => it.metric_name)).toEqual(['depth', 'noise', 'level'])
    const stranger = await hub.admin()
    await hub.machine(stranger)
    expect((await stranger.call('GET', 'fleet/overview')).body.items[0].violations).toEqual([])
  })

  it('shows violated metrics first, then those that a person pinned, then those with a rule, and says which are pinned', async () => {
    const { admin, key, identifier } = await plant(hub)
    for (const metric_name of ['temperature', 'pressure'])
      await admin.call('POST', 'alert-rules', { metric_name, warning_threshold: 80, critical_threshold: 90 })
    const at = new Date(began - 5_000)
    const values = { a: 1, b: 1, c: 1, pressure: 1, temperature: 95, speed: 1 }
    await hub.send(
      key,
      Object.entries(values).map(([metric, value]) => ({ machine: identifier, metric, value, at })),
    )
    const shown = async (user: TestUser) =>
      (await user.call('GET', 'fleet/overview')).body.items[0].readings.map(
        (it: { metric_name: string; is_pinned: boolean }) => it.metric_name + (it.is_pinned ? ' pinned' : ''),
      )
    expect(await shown(admin)).toEqual(['temperature', 'pressure', 'a', 'b'])
    const pin = (metrics: unknown) => admin.call('PATCH', 'settings/profile', { pinned_metrics: metrics })
    expect((await pin(['speed', 'b', 'speed'])).body.pinned_metrics).toEqual(['speed', 'b'])
    expect(await shown(admin)).toEqual(['temperature', 'speed pinned', 'b pinned', 'pressure'])
    // a pin is of one person
    expect(await shown(await hub.colleague(admin, 'viewer'))).toEqual(['temperature', 'pressure', 'a', 'b'])
    const names = (count: number) => Array.from({ length: count }, (_, n) => `metric_${n}`)
    expect([(await pin(names(20))).status, (await pin(names(21))).status]).toEqual([200, 422])
    expect((await pin([])).body.pinned_metrics).toEqual([])
  })

  it('answers the last hour of what machines violate, in means of minutes, for those that are asked for and no other tenant’s', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    const well = await hub.machine(admin, { name: 'Äxle 2' })
    await admin.call('POST', 'alert-rules', { metric_name: 'temperature', warning_threshold: 80, critical_threshold: 90 })
    const minute = Math.floor(began / 60_000) * 60_000
    const send = (value: number, at: number) => hub.send(key, [{ machine: identifier, value, at: new Date(at) }])
    for (const [value, before] of [
      [10, 62],
      [20, 30],
      [95, 10],
    ] as const)
      await send(value, minute - before * 60_000)
    await send(97, minute - 10 * 60_000 + 1_000)
    expect((await admin.call('GET', 'fleet/overview')).body.items[0].trend).toBeNull()
    const ask = async (user: TestUser, ids: string[]) =>
      (await user.call('GET', `fleet/overview?trends=true&machine_ids=${ids.join()}`)).body

    const { items, counts, pagination } = await ask(admin, [machine.id])
    expect([items.length, pagination.total, counts]).toEqual([1, 1, { critical: 0, warning: 0, offline: 2, healthy: 0 }])
    const { metric_name, from, values } = items[0].trend
    const at = (value: number) => Date.parse(from) + values.indexOf(value) * 60_000 - minute
    expect([metric_name, values.length, at(20), at(96)]).toEqual(['temperature', 60, -30 * 60_000, -10 * 60_000])
    expect(values.filter((it: number | null) => it !== null)).toEqual([20, 96])
    expect((await ask(admin, [well.id])).items[0].trend).toBeNull()
    const stranger = await hub.admin()
    expect((await ask(stranger, [machine.id])).items).toEqual([])
    const many = (count: number) => Array.from({ length: count }, () => UNKNOWN)
    expect((await admin.call('GET', `fleet/overview?machine_ids=${many(20).join()}`)).status).toBe(200)
    expect((await admin.call('GET', `fleet/overview?machine_ids=${many(21).join()}`)).status).toBe(422)
  })

  it('filters by status and text, also one with the signs of a pattern, and has an empty page beyond the end', async () => {
    const admin = await hub.admin()
    for (const name of ['Press 1', 'Press 2', '100% pump']) await hub.machine(admin, { name })
    const list = async (query: string) => {
      const { items, pagination } = (await admin.call('GET', `fleet/overview?${query}`)).body
      return [pagination.total, items.map((it: { machine_name: string }) => it.machine_name)]
    }
    expect(await list('page=2&page_size=2')).toEqual([3, ['Press 2']])
    expect(await list('page=3&page_size=2')).toEqual([3, []])
    expect(await list('search=press')).toEqual([2, ['Press 1', 'Press 2']])
    expect(await list('search=0%25 p')).toEqual([1, ['100% pump']])
    expect(await list('search=%25%25')).toEqual([0, []])
    expect(await list('status=critical')).toEqual([0, []])
    expect((await admin.call('GET', 'fleet/overview?page_size=101')).status).toBe(422)
    const stranger = await hub.admin()
    expect((await stranger.call('GET', 'fleet/overview')).body.counts).toEqual({
      critical: 0,
      warning: 0,
      offline: 0,
      healthy: 0,
    })
  })
})

describe('sites', () => {
  /** A site with a machine of its own and one in a nested line, where the first is too; another without machines. */
  async function twoSites() {
    const { admin, machine: first, key, identifier } = await plant(hub)
    const second = await hub.machine(admin)
    const north = await group(admin, 'North', { group_type: 'site', machine_ids: [first.id] })
    const hall = await group(admin, 'Hall', { parent_id: north })
    await group(admin, 'Line', { group_type: 'line', parent_id: hall, machine_ids: [first.id, second.id] })
    const south = await group(admin, 'South', { group_type: 'site' })
    const list = async (path = 'fleet/sites') => (await admin.call('GET', path)).body
    return { admin, key, identifier, first, second, north, hall, south, list }
  }
  const EMPTY = {
    machine_count: 0,
    healthy_count: 0,
    warning_count: 0,
    critical_count: 0,
    offline_count: 0,
    active_alert_count: 0,
    open_work_order_count: 0,
    downtime_hours: 0,
    uptime_percent: null,
    mttr_hours: null,
    mtbf_hours: null,
    oee_pct: null,
    oee_weighted_pct: null,
  }

  it('a site without machines has no uptime, one without downtime 100 %', async () => {
    const { north, south, list } = await twoSites()
    expect(await list()).toEqual([
      { ...EMPTY, site_id: north, name: 'North', machine_count: 2, offline_count: 2, uptime_percent: 100 },
      { ...EMPTY, site_id: south, name: 'South' },
    ])
  })

  it('figures pool the events of all machines of nested groups, each machine once', async () => {
    const { admin, first, second, north, list } = await twoSites()
    await stop(admin, first.id, 100, 98)
    await stop(admin, first.id, 88, 87)
    await stop(admin, first.id, 67, 66)
    await stop(admin, second.id, 50, 40)
    await stop(admin, second.id, 45, 38, { reason_type: 'planned' })
    await stop(admin, second.id, 5, null, { reason_type: 'changeover' })
    await admin.call('POST', 'work-orders', { machine_id: first.id, title: 'Bearing' })
    const done = (await admin.call('POST', 'work-orders', { machine_id: second.id, title: 'Belt' })).body.id
    await admin.call('PATCH', `work-orders/${done}`, { status: 'completed' })
    const site = await list(`fleet/sites/${north}/kpis`)
    expect(site).toMatchObject({
      site_id: north,
      name: 'North',
      machine_count: 2,
      open_work_order_count: 1,
      downtime_hours: expect.closeTo(4 + 12 + 5, 2),
      uptime_percent: expect.closeTo(100 * (1 - 21 / 1_440), 3),
      mttr_hours: expect.closeTo(14 / 4, 6),
      mtbf_hours: expect.closeTo((10 + 20) / 2, 6),
    })
    expect((await list())[0]).toMatchObject({ mttr_hours: site.mttr_hours, mtbf_hours: site.mtbf_hours })
    const one = await list(`fleet/sites/${north}/kpis?days=2`)
    expect(one.downtime_hours).toBeCloseTo(10 + 5, 2)
    expect(one.uptime_percent).toBeCloseTo(100 * (1 - 15 / 96), 2)
  })

  it('statuses and open alerts of active machines count', async () => {
    const { admin, key, identifier, second, north, list } = await twoSites()
    await admin.call('POST', 'alert-rules', { metric_name: 'temperature', warning_threshold: 80, critical_threshold: 90 })
    await hub.send(key, [{ machine: identifier, value: 85 }])
    expect(await list(`fleet/sites/${north}/kpis`)).toMatchObject({
      machine_count: 2,
      warning_count: 1,
      offline_count: 1,
      active_alert_count: 1,
    })
    await stop(admin, second.id, 10, 5)
    await admin.call('PATCH', `machines/${second.id}`, { is_active: false })
    expect(await list(`fleet/sites/${north}/kpis`)).toMatchObject({ machine_count: 1, offline_count: 0, downtime_hours: 0 })
  })

  it('a site inside a site, from before sites could not nest, counts for both', async () => {
    const { admin, first, north, list } = await twoSites()
    const inner = await group(admin, 'Inner', { parent_id: north, machine_ids: [first.id] })
    const third = await hub.machine(admin)
    await admin.call('PUT', `machine-groups/${inner}`, { machine_ids: [third.id] })
    await hub.owner`update machine_groups set group_type = 'site' where id = ${inner}`
    const counts = (await list()).map((site: { name: string; machine_count: number }) => [site.name, site.machine_count])
    expect(counts).toEqual([
      ['Inner', 1],
      ['North', 3],
      ['South', 0],
    ])
  })

  it('the OEE of a site is the mean of its completed shift logs with planned time', async () => {
    const { admin, first, second, north, list } = await twoSites()
    const days: [string, number, number, number][] = [
      [first.id, 0, 2, 1_400_000_000],
      [second.id, 29, 1, 700_000_000],
      [second.id, 30, 1, 0],
    ]
    for (const [machineId, back, count, sum] of days)
      await hub.owner`insert into machine_oee_days (tenant_id, machine_id, shift_date, oee_count, oee_sum_ppb)
        values (${admin.tenantId}, ${machineId}, (${new Date(began)}::timestamptz at time zone 'UTC')::date - ${back}::int, ${count}, ${sum})`
    expect((await list(`fleet/sites/${north}/kpis`)).oee_pct).toBeCloseTo(70, 9)
    expect((await list(`fleet/sites/${north}/kpis?days=31`)).oee_pct).toBeCloseTo(52.5, 9)
  })

  it('a change of downtime shows in the OEE of the site at once', async () => {
    const { admin, machine, log, definition } = await shiftPlant(hub)
    const north = await group(admin, 'North', { group_type: 'site', machine_ids: [machine.id] })
    const times = { actual_start: ago(10), actual_end: ago(2), shift_date: ago(10).slice(0, 10) }
    await log({ ...times, shift_definition_id: definition.id })
    const oee = async () => (await admin.call('GET', `fleet/sites/${north}/kpis`)).body.oee_pct
    expect(await oee()).toBeCloseTo(100, 6)
    const { body } = await stop(admin, machine.id, 10, 8)
    expect(await oee()).toBeCloseTo(75, 6)
    await admin.call('PUT', `machines/${machine.id}/downtime/${body.id}`, { ended_at: ago(6) })
    expect((await admin.call('GET', 'fleet/sites')).body[0].oee_pct).toBeCloseTo(50, 6)
  })

  it('the weighted OEE of a site counts logs by their planned time', async () => {
    const { admin, machine, log, definition } = await shiftPlant(hub)
    const north = await group(admin, 'North', { group_type: 'site', machine_ids: [machine.id] })
    const shift = { shift_definition_id: definition.id, shift_date: ago(10).slice(0, 10) }
    await log({ ...shift, actual_start: ago(10), actual_end: ago(4) })
    await log({ ...shift, actual_start: ago(4), actual_end: ago(2) })
    await stop(admin, machine.id, 4, 2)
    const site = (await admin.call('GET', `fleet/sites/${north}/kpis`)).body
    expect([site.oee_pct, site.oee_weighted_pct]).toEqual([expect.closeTo(50, 6), expect.closeTo(75, 6)])
    expect((await admin.call('GET', 'fleet/sites/comparison?sort_by=oee_weighted_pct')).body[0].oee_weighted_pct).toBeCloseTo(
      75,
      6,
    )
  })

  it('the comparison ranks sites by a figure, those without it last', async () => {
    const { admin, first, list } = await twoSites()
    const east = await hub.machine(admin)
    await group(admin, 'East', { group_type: 'site', machine_ids: [east.id] })
    await stop(admin, first.id, 10, 5)
    await stop(admin, east.id, 10, 9)
    const names = async (query: string) =>
      (await list(`fleet/sites/comparison?${query}`)).map(({ name }: { name: string }) => name)
    expect(await names('')).toEqual(['East', 'North', 'South'])
    expect(await names('sort_dir=desc')).toEqual(['South', 'North', 'East'])
    expect(await names('sort_by=mttr_hours&sort_dir=asc')).toEqual(['East', 'North', 'South'])
    expect(await names('sort_by=mttr_hours&sort_dir=desc')).toEqual(['North', 'East', 'South'])
    expect(await list('fleet/sites/comparison')).toEqual(await list())
  })

  it('a group that is no site, an unknown one and that of another tenant are not found', async () => {
    const { admin, north, hall } = await twoSites()
    const stranger = await hub.admin()
    for (const id of [hall, UNKNOWN, 'no-uuid'])
      expect((await admin.call('GET', `fleet/sites/${id}/kpis`)).body.code).toBe('site_not_found')
    expect((await stranger.call('GET', `fleet/sites/${north}/kpis`)).body.code).toBe('site_not_found')
    expect((await stranger.call('GET', 'fleet/sites')).body).toEqual([])
  })

  it.each(['days=0', 'days=91', 'days=1.5', 'sort_by=color', 'sort_dir=up'])('the query %s is refused', async (query) => {
    expect((await (await hub.admin()).call('GET', `fleet/sites/comparison?${query}`)).status).toBe(422)
  })
})
