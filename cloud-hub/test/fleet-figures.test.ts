import { beforeEach, describe, expect, it } from 'vitest'
import { selectPeriods, selectReasons } from '../src/features/production/figures/select-sums.ts'
import { type TestUser, useHub } from './harness.ts'
import { shiftPlant } from './support/shift-plant.ts'

const hub = useHub()
const UNKNOWN = '0198c7d4-5a00-7000-8000-0000f5a48bee'
const HOUR = 3_600_000
let now = 0
beforeEach(() => {
  now = hub.clock.now().getTime()
})
const ago = (hours: number) => new Date(now - hours * HOUR).toISOString()
const group = async (user: TestUser, name: string, values: object = {}): Promise<string> =>
  (await user.call('POST', 'machine-groups', { name, ...values })).body.id
const rounded = (value: number | null) => (value === null ? null : Math.round(value * 100) / 100)

/** A site with two machines, one of them in a nested line, and a third machine in no group. */
async function company() {
  const made = await shiftPlant(hub)
  const { admin, machine: first } = made
  const second = await hub.machine(admin, { name: 'Press 2' })
  const third = await hub.machine(admin, { name: 'Press 10' })
  const site = await group(admin, 'North', { group_type: 'site', machine_ids: [first.id] })
  const line = await group(admin, 'Line', { group_type: 'line', parent_id: site, machine_ids: [first.id, second.id] })
  const get = async (path: string) => (await admin.call('GET', path)).body
  const figures = async (query: string) => (await get(`fleet/figures?${query}`)).items
  const counts = (logId: string, total: number, good: number) => hub.owner`
    update shift_log_oee set total_count = ${total}, good_count = ${good} where shift_log_id = ${logId}`
  return { ...made, first, second, third, site, line, get, figures, counts }
}

describe('the figures of the fleet', () => {
  it('of a site equal its own operation, to the digit', async () => {
    const { admin, first, second, third, site, downtime, log, get, figures } = await company()
    await downtime(ago(100), ago(98))
    await downtime(ago(88), ago(87), { type: 'planned' })
    await downtime(ago(67.123), ago(66))
    await downtime(ago(50), ago(40), { machineId: second.id })
    await downtime(ago(45), ago(38), { machineId: second.id, type: 'maintenance' })
    await downtime(ago(800), ago(700), { machineId: second.id })
    await downtime(ago(5), null, { machineId: second.id, type: 'changeover' })
    await downtime(ago(60), ago(20), { machineId: third.id })
    for (const [machine_id, day] of [
      [first.id, 2],
      [second.id, 3],
      [third.id, 2],
    ] as const) {
      const date = ago(day * 24).slice(0, 10)
      await log({ machine_id, shift_date: date, actual_start: `${date}T06:00:00.000Z`, actual_end: `${date}T14:00:00.000Z` })
    }
    const kpis = await get(`fleet/sites/${site}/kpis`)
    const [entry] = await figures(`by=group&group_type=site&from=${ago(720)}&to=${ago(0)}`)
    expect(entry).toMatchObject({ group_id: site, name: 'North', machine_count: 2, machine_id: null, previous: null })
    expect(kpis.oee_weighted_pct).toBeGreaterThan(0)
    // the site's window ends at the instant of its own request
    const of = (it: Record<string, number>) => [it.mttr_hours, it.mtbf_hours]
    expect(of(entry.figures)).toEqual(of(kpis))
    expect(entry.figures.oee_pct).toBe(kpis.oee_weighted_pct)
    expect(entry.figures.downtime_hours).toBeCloseTo(kpis.downtime_hours, 2)
    expect(entry.figures.uptime_percent).toBeCloseTo(kpis.uptime_percent, 3)
    // and the group that the filter names has the same
    const [total] = await figures(`group_id=${site}&from=${ago(720)}&to=${ago(0)}`)
    expect(total.figures).toEqual(entry.figures)
    expect((await admin.call('GET', `fleet/figures?group_id=${UNKNOWN}`)).body.items).toMatchObject([
      { machine_count: 0, figures: { downtime_hours: 0, uptime_percent: null, oee_pct: null } },
    ])
  })

  it('of a machine equal its own operations, to the digit', async () => {
    const { first, downtime, log, get, figures, counts, admin } = await company()
    await downtime('2026-01-30T07:00:00.000Z', '2026-01-30T08:12:34.567Z')
    await downtime('2026-01-30T08:00:00.000Z', '2026-01-30T09:00:00.000Z', { type: 'planned' })
    await downtime('2026-01-30T12:00:00.000Z', '2026-01-30T12:30:00.000Z')
    const { id } = await log()
    await log({ shift_date: '2026-01-31', actual_start: '2026-01-31T06:00:00.000Z', actual_end: '2026-01-31T10:00:00.000Z' })
    await get(`machines/${first.id}/oee?interval=shift&start=2026-01-30&end=2026-01-31`)
    await counts(id, 1_000, 950)
    const range = 'start=2026-01-30&end=2026-01-31'
    const uptime = await get(`machines/${first.id}/uptime-summary?${range}`)
    const oee = await get(`machines/${first.id}/oee?interval=shift&${range}`)
    const [{ figures: own, machine_count }] = await figures(`machine_id=${first.id}&from=2026-01-30&to=2026-01-31`)
    expect(machine_count).toBe(1)
    expect([own.downtime_hours, own.uptime_percent]).toEqual([uptime.downtime_hours, uptime.uptime_percent])
    expect({
      oee_pct: rounded(own.oee_pct),
      availability_pct: rounded(own.availability_pct),
      performance_pct: rounded(own.performance_pct),
      quality_pct: rounded(own.quality_pct),
    }).toEqual(oee.weighted)
    expect([own.part_count, own.good_part_count]).toEqual([1_000, 950])
    const minutes = oee.periods.reduce((sum: number, it: { planned_minutes: number }) => sum + it.planned_minutes, 0)
    expect(own.planned_hours * 60).toBeCloseTo(minutes, 1)
    // the machine answers for itself after it was deactivated, and no longer for the fleet
    await admin.call('PATCH', `machines/${first.id}`, { is_active: false })
    const [after] = await figures(`machine_id=${first.id}&from=2026-01-30&to=2026-01-31`)
    expect(after.figures).toEqual(own)
    expect((await figures('from=2026-01-30&to=2026-01-31'))[0].figures.downtime_hours).toBe(0)
  })

  it('of several machines are weighted, worked out by hand', async () => {
    const { second, downtime, log, figures } = await company()
    // 8 hours with 4 lost: 50 %. 2 hours with none lost: 100 %. Together 6 of 10 hours, where the mean of both would be 75 %.
    await downtime('2026-01-30T06:00:00.000Z', '2026-01-30T10:00:00.000Z')
    await log()
    await log({ machine_id: second.id, actual_end: '2026-01-30T08:00:00.000Z' })
    const [{ figures: all }] = await figures('from=2026-01-30&to=2026-01-30')
    expect(all).toMatchObject({
      ...{ planned_hours: 10, run_hours: 6, oee_pct: 60, availability_pct: 60, downtime_hours: 4, downtime_count: 1 },
      ...{ repair_event_count: 1, failure_event_count: 1, mttr_hours: 4, mtbf_hours: null, alert_count: 0 },
      uptime_percent: (68 / 72) * 100,
    })
    const machines = await figures('by=machine&from=2026-01-30&to=2026-01-30&sort_by=downtime_hours&sort_dir=desc')
    expect(machines.map((it: { name: string; figures: { oee_pct: number | null } }) => [it.name, it.figures.oee_pct])).toEqual([
      ['Press 1', 50],
      ['Press 2', 100],
      ['Press 10', null],
    ])
  })

  it('of each period equal those of a request with its bounds, and the sums of all periods are those of the range', async () => {
    const { second, downtime, figures } = await company()
    await downtime('2026-01-04T22:00:00.000Z', '2026-01-06T01:30:00.000Z')
    await downtime('2026-01-06T01:00:00.000Z', '2026-01-06T02:00:00.000Z')
    await downtime('2026-01-12T00:00:00.000Z', '2026-01-12T05:00:00.000Z')
    await downtime('2026-01-11T23:00:00.000Z', '2026-01-13T00:00:00.000Z', { machineId: second.id, type: 'maintenance' })
    for (const interval of ['day', 'week']) {
      const periods = await figures(`interval=${interval}&from=2026-01-03&to=2026-01-14`)
      expect(periods).toHaveLength(interval === 'day' ? 12 : 3)
      for (const { start, end, figures: own } of periods)
        expect((await figures(`from=${start}&to=${end}`))[0].figures).toEqual(own)
      const [{ figures: whole }] = await figures('from=2026-01-03&to=2026-01-14')
      for (const name of ['downtime_hours', 'downtime_count', 'repair_event_count'] as const)
        expect(periods.reduce((sum: number, it: { figures: Record<string, number> }) => sum + (it.figures[name] ?? 0), 0)).toBe(
          whole[name],
        )
      expect(whole.downtime_hours).toBe(28 + 5 + 25)
    }
  })

  it('by reason add up to the downtime, and by shift are those of the logs', async () => {
    const { admin, downtime, log, figures, definition } = await company()
    const values = { code: 'jam', label: 'Jam', category: 'unplanned', oee_loss_category: 'availability_loss' }
    const code = (await admin.call('POST', 'reason-codes', values)).body.id
    await downtime('2026-01-30T07:00:00.000Z', '2026-01-30T09:00:00.000Z', { code })
    await downtime('2026-01-30T08:00:00.000Z', '2026-01-30T10:00:00.000Z', { type: 'planned' })
    await downtime('2026-01-30T20:00:00.000Z', '2026-01-30T20:30:00.000Z', { type: 'planned' })
    await log()
    const reasons = await figures('by=reason&from=2026-01-30&to=2026-01-30&sort_by=downtime_hours&sort_dir=desc')
    expect(
      reasons.map((it: { name: string; reason_type: string; figures: { downtime_hours: number; downtime_count: number } }) => [
        it.name,
        it.reason_type,
        it.figures.downtime_hours,
        it.figures.downtime_count,
      ]),
    ).toEqual([
      ['Jam', 'unplanned', 2, 1],
      [null, 'planned', 1.5, 2],
    ])
    expect(await figures('interval=shift&from=2026-01-30&to=2026-01-30')).toMatchObject([
      {
        ...{ shift_date: '2026-01-30', shift_definition_id: definition.id, shift_name: 'Early', machine_count: null },
        ...{ start: '2026-01-30T06:00:00.000Z', end: '2026-01-30T14:00:00.000Z' },
        figures: { downtime_hours: 3, planned_hours: 6, mttr_hours: null, alert_count: null },
      },
    ])
  })

  it('beside those of the range before, which is as long', async () => {
    const { downtime, figures } = await company()
    await downtime('2026-01-09T00:00:00.000Z', '2026-01-09T06:00:00.000Z')
    await downtime('2026-01-12T00:00:00.000Z', '2026-01-12T02:00:00.000Z')
    const [{ figures: own, previous, change }] = await figures('from=2026-01-11&to=2026-01-13&compare=previous')
    expect([own.downtime_hours, previous.downtime_hours, change.downtime_hours]).toEqual([2, 6, -4])
    expect((await figures('from=2026-01-08&to=2026-01-10'))[0].figures).toEqual(previous)
    expect(change.oee_pct).toBeNull()
  })

  it('count days of the plant, those of a change of clocks too', async () => {
    const { admin, downtime, figures, get } = await company()
    await admin.call('PATCH', 'settings/plant', { time_zone: 'Europe/Berlin' })
    await downtime('2025-10-25T22:00:00.000Z', '2025-10-26T23:00:00.000Z')
    const body = await get('fleet/figures?from=2025-10-26&to=2025-10-26&interval=day')
    expect([body.from, body.to, body.time_zone]).toEqual([
      '2025-10-25T22:00:00.000Z',
      '2025-10-26T23:00:00.000Z',
      'Europe/Berlin',
    ])
    expect(body.items).toMatchObject([{ figures: { downtime_hours: 25 } }])
    expect(await figures('from=2025-10-25&to=2025-10-27&interval=day')).toMatchObject([
      { figures: { downtime_hours: 0 } },
      { figures: { downtime_hours: 25 } },
      { figures: { downtime_hours: 0 } },
    ])
  })

  it('span 366 days, fewer by machine and day, and are paged', async () => {
    const { admin, get } = await company()
    const status = async (query: string) => (await admin.call('GET', `fleet/figures?${query}`)).status
    expect(await status('from=2025-01-01&to=2026-01-01')).toBe(200)
    expect(await status('from=2025-01-01&to=2026-01-02')).toBe(422)
    expect(await status('from=2026-01-01&to=2026-01-31&interval=day&by=machine')).toBe(200)
    expect(await status('from=2026-01-01&to=2026-02-01&interval=day&by=machine')).toBe(422)
    expect(await status('from=2026-01-02&to=2026-01-01')).toBe(422)
    expect(await status('from=2026-02-30')).toBe(422)
    expect(await status('compare=previous&interval=day')).toBe(422)
    expect(await status('by=reason&interval=shift')).toBe(422)
    expect(await status('page_size=501')).toBe(422)
    const body = await get('fleet/figures?by=machine&sort_by=name&page=2&page_size=2')
    expect(body.pagination).toEqual({ total: 3, page: 2, page_size: 2 })
    expect(body.items.map((it: { name: string }) => it.name)).toEqual(['Press 10'])
    const future = await get(
      `fleet/figures?from=${new Date(now + HOUR).toISOString()}&to=${new Date(now + 2 * HOUR).toISOString()}`,
    )
    expect(future.items).toMatchObject([{ figures: { downtime_hours: 0, uptime_percent: null } }])
  })

  it('of many time zones over many days are refused before their days are computed, and few are not', async () => {
    const { admin } = await company()
    const zones = Intl.supportedValuesOf('timeZone').slice(0, 60)
    await hub.owner`
      insert into machine_groups (tenant_id, name, group_type, time_zone)
      select ${admin.tenantId}, zone, 'site', zone from unnest(${zones}::text[]) zone`
    const status = async (query: string) => (await admin.call('GET', `fleet/figures?${query}`)).status
    expect(await status('from=2025-01-01&to=2025-12-31&interval=day')).toBe(422)
    expect(await status('from=2025-01-01&to=2025-12-31&interval=week')).toBe(200)
  })

  it('count at most 20,000 entries on all pages, and a refusal says what to ask for instead', async () => {
    const { admin, first, log } = await company()
    const insertGroups = (count: number, type: string) => hub.owner`
      insert into machine_groups (tenant_id, name, group_type) select ${admin.tenantId}, 'Cell ' || i, ${type} from generate_series(1, ${count}::int) i`
    const insertMembers = () => hub.owner`
      insert into machine_group_members (tenant_id, group_id, machine_id)
      select ${admin.tenantId}, id, ${first.id} from machine_groups where tenant_id = ${admin.tenantId} on conflict do nothing`
    const insertCodes = (count: number, prefix: string) => hub.owner`
      insert into reason_codes (tenant_id, code, label, category, oee_loss_category)
      select ${admin.tenantId}, ${prefix} || i, 'Jam', 'unplanned', 'availability_loss' from generate_series(1, ${count}::int) i`
    const [codes] = await hub.owner`select count(*)::int as n from reason_codes where tenant_id = ${admin.tenantId}`
    const ask = (query: string) => admin.call('GET', `fleet/figures?to=2026-01-25&page_size=1&${query}`)
    const total = async (query: string) => (await ask(query)).body.pagination?.total
    const byDay = ['by=group&interval=day', 'by=group&interval=shift', 'by=reason&interval=day']
    const [days, shifts, reasons] = byDay.map((query) => `from=2026-01-01&${query}`) as [string, string, string]

    // 800 groups and reasons in 25 days; besides the codes, records without one are a reason for each type
    await insertGroups(798, 'cell')
    await insertMembers()
    await insertCodes(800 - 4 - codes?.n, 'a')
    for (let day = 1; day <= 25; day++) {
      const date = `2026-01-${String(day).padStart(2, '0')}`
      await log({ shift_date: date, actual_start: `${date}T06:00:00.000Z`, actual_end: `${date}T14:00:00.000Z` })
    }
    expect([await total(days), await total(shifts), await total(reasons)]).toEqual([20_000, 20_000, 0])

    await insertGroups(1, 'area')
    await insertMembers()
    await insertCodes(1, 'b')
    const text = 'there are more than 20,000 entries: choose a shorter range, a longer interval, or a group'
    for (const query of [days, shifts, reasons]) {
      const { status, body } = await ask(query)
      expect([query, status, body.errors]).toMatchObject([
        query,
        422,
        [{ path: 'query.from', code: 'max_matches', params: { limit: 20_000 }, message: text }],
      ])
    }
    expect(await total('from=2026-01-02&by=group&interval=day')).toBe(801 * 24)
    expect(await total('from=2026-01-01&by=group&interval=week')).toBe(801 * 4)
    expect(await total(`${days}&group_type=cell`)).toBe(798 * 25)
    expect(await total(`${shifts}&group_type=cell`)).toBe(798 * 25)
    expect(await total('from=2026-01-01&interval=day')).toBe(25)
  })

  it('of a machine outside of the group are none, as its downtime by reason', async () => {
    const { first, second, third, site, downtime, log, get, figures } = await company()
    for (const machineId of [first.id, second.id, third.id]) {
      await downtime('2026-01-30T07:00:00.000Z', '2026-01-30T09:00:00.000Z', { machineId })
      await log({ machine_id: machineId })
    }
    const range = 'from=2026-01-30&to=2026-01-30'
    const pareto = (query: string) => get(`fleet/downtime/pareto?date_from=2026-01-30&date_to=2026-01-30&${query}`)
    for (const [machine, count] of [
      [second.id, 1],
      [third.id, 0],
    ] as const) {
      const scope = `machine_id=${machine}&group_id=${site}`
      for (const query of [scope, `${scope}&interval=day`, `${scope}&by=group&group_type=site`]) {
        const [entry] = await figures(`${range}&${query}`)
        expect([query, entry]).toMatchObject([
          query,
          {
            machine_count: count,
            figures: { downtime_hours: 2 * count, downtime_count: count, repair_event_count: count, planned_hours: 8 * count },
          },
        ])
      }
      for (const query of ['by=machine', 'by=reason', 'interval=shift'])
        expect([query, await figures(`${range}&${scope}&${query}`)]).toMatchObject([query, { length: count }])
      expect((await pareto(scope)).total_minutes).toBe(120 * count)
    }
  })

  it('of a range in the future are empty, up to its last instant', async () => {
    const { downtime, get } = await company()
    await downtime(ago(5), null)
    const last = 'from=9999-12-31T12:00:00Z&to=9999-12-31T13:00:00Z'
    const tomorrow = `from=${ago(-24)}&to=${ago(-48)}`
    for (const range of [last, tomorrow, 'from=9999-12-31&to=9999-12-31']) {
      const total = { machine_count: 3, figures: { downtime_hours: 0, downtime_count: 0, uptime_percent: null, oee_pct: null } }
      expect([range, (await get(`fleet/figures?${range}`)).items]).toMatchObject([range, [total]])
      const [compared] = (await get(`fleet/figures?${range}&compare=previous`)).items
      expect([range, compared]).toMatchObject([range, { ...total, previous: { downtime_hours: 0 } }])
      for (const query of ['interval=day', 'interval=week', 'interval=shift', 'by=reason', 'by=machine&interval=day']) {
        const body = await get(`fleet/figures?${range}&${query}`)
        expect([range, query, body.items, body.pagination?.total]).toEqual([range, query, [], 0])
      }
    }
  })

  it('come from statements that parse the bounds of periods once, and not for each row', async () => {
    const periods = [0, 1, 2].map((day) => ({ start: now + day * 24 * HOUR, end: now + (day + 1) * 24 * HOUR }))
    const window = { start: now, end: now + 72 * HOUR, periods, dates: ['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04'] }
    for (const select of [selectPeriods, selectReasons]) {
      const query = { interval: 'day' } as Parameters<typeof select>[2]
      const windows = { each: [window] as const, ofSites: new Map() }
      const { string } = await hub.owner.begin((sql) =>
        select(sql, UNKNOWN, query, windows, { listed: null, inactive: null }).describe(),
      )
      const [, after] = string.split(/\bbounds as materialized \([\s\S]*?group by zone\)/)
      expect(after).toContain('from bounds')
      expect(after?.match(/\$\d+::text(\[\])?::\w+/g)).toBeNull()
    }
  })

  it('show a viewer nothing of another tenant', async () => {
    const { first, site, downtime } = await company()
    await downtime(ago(10), ago(5))
    const stranger = await hub.colleague(await hub.admin(), 'viewer')
    for (const query of ['', 'by=machine', 'by=group', 'by=reason', `machine_id=${first.id}`, `group_id=${site}`]) {
      const { status, body } = await stranger.call('GET', `fleet/figures?${query}`)
      expect(status).toBe(200)
      for (const it of body.items) expect([query, it.machine_count, it.figures.downtime_hours]).toEqual([query, 0, 0])
    }
  })
})
