import { describe, expect, it } from 'vitest'
import { runAutomaticLogs } from '../src/features/production/shifts/index.ts'
import { fillRecurrences } from '../src/features/work/maintenance/index.ts'
import { type TestUser, useHub } from './harness.ts'

const hub = useHub()
const UNKNOWN = '0198c7d4-5a00-7000-8000-0000f5a48bee'
const CHICAGO = 'America/Chicago'
const run = (at: string) => runAutomaticLogs(hub.deps.pools.system, new Date(at))
const short = (at: Date) => at.toISOString().slice(5, 16)
const EARLY = { name: 'Early', start_time: '06:00', end_time: '14:00' }
const NIGHT = { name: 'Night', start_time: '22:00', end_time: '06:00' }

/** A plant in Berlin: a machine there, and one at a site in Chicago, in a line of it. Both exist since the beginning of 2026. */
async function company() {
  const admin = await hub.admin()
  await admin.call('PATCH', 'settings/plant', { time_zone: 'Europe/Berlin' })
  const berlin = (await hub.machine(admin, { name: 'Berlin press' })).id
  const chicago = (await hub.machine(admin, { name: 'Chicago press' })).id
  const group = async (values: object): Promise<string> => (await admin.call('POST', 'machine-groups', values)).body.id
  const home = await group({ name: 'Berlin', group_type: 'site', machine_ids: [berlin] })
  const site = await group({ name: 'Chicago', group_type: 'site', time_zone: CHICAGO })
  const line = await group({ name: 'Line', group_type: 'line', parent_id: site, machine_ids: [chicago] })
  await hub.owner`update machines set created_at = '2026-01-01' where tenant_id = ${admin.tenantId}`
  const define = async (values: object) => {
    const { status, body } = await admin.call('POST', 'shifts/definitions', values)
    expect(status).toBe(201)
    await hub.owner`update shift_definitions set updated_at = '2026-01-01' where id = ${body.id}`
    return body
  }
  const get = async (path: string) => (await admin.call('GET', path)).body
  /** name, date, start, end and status of the logs of a machine */
  const logs = async (machineId: string) =>
    (
      await hub.owner<{ name: string; date: string; start: Date; end: Date | null; status: string }[]>`
      select d.name, l.shift_date::text as date, l.actual_start as start, l.actual_end as end, l.status
      from shift_logs l join shift_definitions d on d.tenant_id = l.tenant_id and d.id = l.shift_definition_id
      where l.machine_id = ${machineId} order by l.actual_start`
    ).map(({ name, date, start, end, status }) => [name, date, short(start), end && short(end), status])
  const days = (...non_production_days: object[]) => admin.call('PATCH', 'settings/plant', { non_production_days })
  const automatic = () => admin.call('PATCH', 'settings/plant', { auto_shift_logs: true })
  const downtime = (machineId: string, from: string, until: string) => hub.owner`
    insert into downtime_records (tenant_id, machine_id, started_at, ended_at, reason_type)
    values (${admin.tenantId}, ${machineId}, ${from}, ${until}, 'unplanned')`
  /** makes the machine of Chicago one of the other site too, as before the rule of one site; neither has the zone of the plant */
  const putInBoth = async () => {
    await admin.call('PUT', `machine-groups/${home}`, { time_zone: 'Asia/Tokyo' })
    await hub.owner`insert into machine_group_members (tenant_id, group_id, machine_id) values (${admin.tenantId}, ${home}, ${chicago})`
  }
  return { admin, berlin, chicago, home, site, line, define, get, logs, days, automatic, downtime, putInBoth }
}

describe('shifts of a site', () => {
  it('are at most 200, as those of all sites are, and at most 2,000 of all together', async () => {
    const { admin, site, home } = await company()
    const add = async (group_id: string | null) => (await admin.call('POST', 'shifts/definitions', { ...EARLY, group_id })).body
    const fill = (groupId: string | null, count: number) => hub.owner`
      insert into shift_definitions (tenant_id, group_id, name, start_time, end_time, duration_minutes, color)
      select ${admin.tenantId}, ${groupId}, 'Filled', '06:00', '14:00', 480, '#336699' from generate_series(1, ${count}::int)`
    await fill(site, 199)
    expect((await add(site)).group_id).toBe(site)
    expect(await add(site)).toMatchObject({ code: 'too_many_shift_definitions', detail: expect.stringContaining(' 200 ') })
    expect((await add(null)).group_id).toBeNull()
    await fill(null, 199)
    expect(await add(null)).toMatchObject({ code: 'too_many_shift_definitions', detail: expect.stringContaining(' 200 ') })
    // as many as ten sites have
    await hub.owner`update shift_definitions set group_id = null where tenant_id = ${admin.tenantId}`
    await fill(null, 1_599)
    expect((await add(home)).group_id).toBe(home)
    expect(await add(home)).toMatchObject({ code: 'too_many_shift_definitions', detail: expect.stringContaining(' 2000 ') })
  })

  it('start and end at its local times, beside its own shifts, also when its clocks change and those of the plant do not', async () => {
    const { berlin, chicago, site, define, logs, automatic } = await company()
    await define(EARLY)
    await define({ ...NIGHT, group_id: site })
    await automatic()
    for (const at of ['2026-03-07T11:59Z', '2026-03-07T12:00Z', '2026-03-08T11:00:05Z']) await run(at)
    expect(await logs(berlin)).toEqual([
      ['Early', '2026-03-07', '03-07T05:00', '03-07T13:00', 'completed'],
      ['Early', '2026-03-08', '03-08T05:00', null, 'active'],
    ])
    expect(await logs(chicago)).toEqual([
      ['Night', '2026-03-06', '03-07T04:00', '03-07T12:00', 'completed'],
      ['Early', '2026-03-07', '03-07T12:00', '03-07T20:00', 'completed'],
      // seven hours: clocks went forward in Chicago
      ['Night', '2026-03-07', '03-08T04:00', '03-08T11:00', 'completed'],
      ['Early', '2026-03-08', '03-08T11:00', null, 'active'],
    ])
  })

  it('start on none of its own non-production days, nor on those of all sites', async () => {
    const { berlin, chicago, site, define, logs, days, automatic } = await company()
    await define(EARLY)
    await days({ date: '2026-05-01', name: 'Labour Day' }, { date: '2026-05-02', name: 'Inventory', group_id: site })
    await automatic()
    for (const day of ['01', '02', '03']) for (const hour of ['05', '12']) await run(`2026-05-${day}T${hour}:00Z`)
    expect((await logs(berlin)).map(([, date]) => date)).toEqual(['2026-05-02', '2026-05-03'])
    expect((await logs(chicago)).map(([, date]) => date)).toEqual(['2026-05-03'])
  })

  it('are those of the plant for a machine that is in two sites', async () => {
    const { chicago, define, logs, automatic, putInBoth } = await company()
    await define(EARLY)
    await putInBoth()
    await automatic()
    await run('2026-02-02T05:00Z')
    expect(await logs(chicago)).toEqual([['Early', '2026-02-02', '02-02T05:00', null, 'active']])
  })

  it('follow at once a change of its zone, its shifts, its days, and of the site of a machine', async () => {
    const { admin, chicago, home, site, line, define, days, automatic, logs } = await company()
    const early = await define(EARLY)
    await automatic()
    const changes: [string, () => Promise<unknown>][] = [
      ['zone', () => admin.call('PUT', `machine-groups/${site}`, { time_zone: 'America/New_York' })],
      ['shift', () => admin.call('PUT', `shifts/definitions/${early.id}`, { group_id: site })],
      ['day', () => days({ date: '2026-05-02', name: 'Inventory', group_id: site })],
      ['members', () => admin.call('PUT', `machine-groups/${line}/members`, { machine_ids: [] })],
      ['members', () => admin.call('PUT', `machine-groups/${home}`, { machine_ids: [chicago] })],
      ['parent', () => admin.call('PUT', `machine-groups/${line}`, { parent_id: null })],
      ['type', () => admin.call('PUT', `machine-groups/${site}`, { group_type: 'custom' })],
      ['deletion', () => admin.call('DELETE', `machine-groups/${home}`)],
    ]
    for (const [what, change] of changes) {
      await run('2026-02-02T03:00Z')
      await hub.owner`update tenants set shift_logs_due_at = '2026-02-02T04:00Z' where id = ${admin.tenantId}`
      await change()
      const [tenant] = await hub.owner`select shift_logs_due_at as due from tenants where id = ${admin.tenantId}`
      expect([what, tenant?.due.getTime()]).toEqual([what, 0])
    }
    expect(await logs(chicago)).toEqual([])
  })

  it('follow the new site of a machine that moves, once for each shift', async () => {
    const { admin, chicago, home, line, define, logs, automatic } = await company()
    await define(EARLY)
    await automatic()
    await run('2026-02-02T12:00Z')
    await admin.call('PUT', `machine-groups/${line}/members`, { machine_ids: [] })
    await admin.call('PUT', `machine-groups/${home}/members`, { machine_ids: [chicago] })
    await run('2026-02-03T05:00Z')
    expect(await logs(chicago)).toEqual([
      ['Early', '2026-02-02', '02-02T12:00', '02-02T20:00', 'completed'],
      ['Early', '2026-02-03', '02-03T05:00', null, 'active'],
    ])
  })

  it('plan the time of a machine without logs', async () => {
    const { berlin, chicago, site, define, get, days } = await company()
    await define(EARLY)
    await define({ ...NIGHT, name: 'Late', start_time: '14:00', end_time: '16:00', group_id: site })
    await days({ date: '2026-05-06', name: 'Inventory', group_id: site })
    const oee = (machine: string) =>
      get(`machines/${machine}/oee?interval=1d&start=2026-05-04T22:00:00Z&end=2026-05-06T22:00:00Z`)
    const periods = async (machine: string) =>
      (await oee(machine)).periods.map((it: { start: string; planned_minutes: number }) => [it.start, it.planned_minutes])
    expect(await periods(berlin)).toEqual([
      ['2026-05-04T22:00:00.000Z', 480],
      ['2026-05-05T22:00:00.000Z', 480],
    ])
    // 17:00 to midnight without a shift, the 5th with two, the 6th without production
    expect(await periods(chicago)).toEqual([
      ['2026-05-04T22:00:00.000Z', 0],
      ['2026-05-05T05:00:00.000Z', 600],
      ['2026-05-06T05:00:00.000Z', 0],
    ])
    expect([(await oee(berlin)).time_zone, (await oee(chicago)).time_zone]).toEqual(['Europe/Berlin', CHICAGO])
  })
})

describe('figures by day', () => {
  const range = 'from=2026-03-07&to=2026-03-08&interval=day'
  interface Item {
    name: string | null
    start: string
    end: string
    machine_count: number
    figures: Record<string, number>
  }

  /** Each machine stops from 04:00 to 08:00 UTC on 8 March 2026, when the clocks of Chicago go forward: that day has 23 hours there. */
  async function stopped() {
    const made = await company()
    for (const machine of [made.berlin, made.chicago])
      await made.downtime(machine, '2026-03-08T04:00:00Z', '2026-03-08T08:00:00Z')
    const items = async (query: string): Promise<Item[]> => {
      const body = await made.get(`fleet/figures?${query}`)
      if (!body.items) throw new Error(JSON.stringify(body))
      return body.items
    }
    return { ...made, items }
  }

  it('are those of the days of each machine, worked out by hand', async () => {
    const { items, site, home, chicago, get } = await stopped()
    const byMachine = (await items(`${range}&by=machine`)).map(({ name, start, end, figures }) => [
      ...[name, start.slice(5, 16), end.slice(5, 16), figures.downtime_hours, figures.downtime_count],
      figures.uptime_percent?.toFixed(3),
    ])
    const expected = [
      ['Berlin press', '03-06T23:00', '03-07T23:00', 0, 0, '100.000'],
      ['Chicago press', '03-07T06:00', '03-08T06:00', 2, 1, ((22 / 24) * 100).toFixed(3)],
      ['Berlin press', '03-07T23:00', '03-08T23:00', 4, 1, ((20 / 24) * 100).toFixed(3)],
      ['Chicago press', '03-08T06:00', '03-09T05:00', 2, 0, ((21 / 23) * 100).toFixed(3)],
    ]
    expect(byMachine).toEqual(expected)
    const bySite = (await items(`${range}&by=group&group_type=site`)).map(({ start, figures }) => [
      start.slice(5, 16),
      figures.downtime_hours,
    ])
    expect(bySite).toEqual(expected.map(([, start, , hours]) => [start, hours]))
    // 22 and 24 of 48 hours, then 20 of 24 and 21 of 23
    const all = (await items(range)).map(({ start, machine_count, figures }) => [
      ...[start.slice(5, 16), machine_count, figures.downtime_hours, figures.downtime_count],
      figures.uptime_percent?.toFixed(3),
    ])
    expect(all).toEqual([
      ['03-06T23:00', 2, 2, 1, ((46 / 48) * 100).toFixed(3)],
      ['03-07T23:00', 2, 6, 1, ((41 / 47) * 100).toFixed(3)],
    ])
    const byReason = (await items(`${range}&by=reason`)).map(({ figures }) => [figures.downtime_hours, figures.downtime_count])
    expect(byReason).toEqual([
      [2, 1],
      [6, 1],
    ])
    for (const query of [`group_id=${site}`, `machine_id=${chicago}`]) {
      const body = await get(`fleet/figures?${range}&${query}`)
      expect([body.time_zone, body.from]).toEqual([CHICAGO, '2026-03-07T06:00:00.000Z'])
      expect(body.items.map((it: Item) => it.figures.downtime_hours)).toEqual([2, 2])
    }
    expect((await get(`fleet/figures?${range}&group_id=${home}`)).time_zone).toBe('Europe/Berlin')
  })

  it('of a range between instants begin and end with them, whatever day that is where', async () => {
    const { items } = await stopped()
    const hours = (await items('from=2026-03-08T02:00:00Z&to=2026-03-08T10:00:00Z&interval=day')).map(({ figures }) => [
      figures.downtime_hours,
      figures.uptime_percent,
    ])
    // Chicago from 02:00 to 06:00; then Berlin for eight hours and Chicago for four
    expect(hours).toEqual([
      [2, 50],
      [6, 50],
    ])
    const weeks = await items('from=2026-03-08T02:00:00Z&to=2026-03-08T10:00:00Z&interval=week')
    expect(weeks.map(({ figures }) => [figures.downtime_hours, figures.uptime_percent])).toEqual([[8, 50]])
  })

  it('from a date that has not begun at a site are empty there', async () => {
    const { admin, site, get } = await company()
    await admin.call('PATCH', 'settings/plant', { time_zone: 'Pacific/Kiritimati' })
    await admin.call('PUT', `machine-groups/${site}`, { time_zone: 'Pacific/Pago_Pago' })
    // 25 hours ahead: today there is tomorrow here, at the latest
    const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'Pacific/Kiritimati' }).format(hub.clock.now())
    for (const interval of ['none', 'day', 'week', 'shift']) {
      const body = await get(`fleet/figures?from=${today}&interval=${interval}&by=machine`)
      const found = body.items.map((it: Item) => [
        it.name,
        it.machine_count,
        it.figures.downtime_hours,
        it.figures.uptime_percent,
      ])
      const expected = [
        ['Berlin press', 1, 0, 100],
        ['Chicago press', 1, 0, null],
      ]
      expect([interval, found]).toEqual([interval, interval === 'shift' ? [] : expected])
    }
  })

  it('hold the shifts of these dates, and sums over all sites those of each', async () => {
    const { admin, berlin, chicago, define, items } = await stopped()
    const { id } = await define(EARLY)
    // on 8 March each: 05:00 to 13:00 UTC in Berlin, 11:00 to 19:00 UTC in Chicago
    for (const [machine_id, start, end] of [
      [berlin, '05', '13'],
      [chicago, '11', '19'],
    ])
      await admin.call('POST', 'shifts/logs', {
        ...{ machine_id, shift_definition_id: id, shift_date: '2026-03-08' },
        ...{ actual_start: `2026-03-08T${start}:00:00Z`, actual_end: `2026-03-08T${end}:00:00Z` },
      })
    const planned = (query: string) => items(query).then((all) => all.map(({ figures }) => figures.planned_hours))
    expect(await planned(range)).toEqual([0, 16])
    expect(await planned(`${range}&by=machine`)).toEqual([0, 0, 8, 8])
    const shifts = 'from=2026-03-07&to=2026-03-08&interval=shift'
    expect(await items(shifts)).toMatchObject([{ shift_date: '2026-03-08', figures: { planned_hours: 16, downtime_hours: 3 } }])
    expect(await planned(`${shifts}&by=machine`)).toEqual([8, 8])
    // in Chicago 8 March begins at 06:00 UTC, and so its shift counts in a range that begins after the midnight of Berlin
    expect(await planned('from=2026-03-08T05:00:00Z&to=2026-03-09T12:00:00Z&interval=none&by=machine')).toEqual([0, 8])
  })

  it('are those of the plant for a machine that is in two sites', async () => {
    const { items, putInBoth } = await stopped()
    await putInBoth()
    const days = (await items(`${range}&by=machine`))
      .filter(({ name }) => name === 'Chicago press')
      .map(({ start, figures }) => [start.slice(5, 16), figures.downtime_hours])
    expect(days).toEqual([
      ['03-06T23:00', 0],
      ['03-07T23:00', 4],
    ])
  })

  it('of sites over the last days count dates of each site', async () => {
    const { admin, chicago, define, get, site } = await company()
    const { id } = await define(EARLY)
    const now = hub.clock.now()
    const today = (zone: string) => new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(now)
    // a date that is not among the last ones where the plant is
    const zone = today('Pacific/Pago_Pago') < today('Pacific/Kiritimati') ? ['Pacific/Kiritimati', 'Pacific/Pago_Pago'] : []
    expect(zone).toHaveLength(2)
    await admin.call('PATCH', 'settings/plant', { time_zone: zone[0] })
    await admin.call('PUT', `machine-groups/${site}`, { time_zone: zone[1] })
    const end = now.getTime() - 3_600_000
    await admin.call('POST', 'shifts/logs', {
      ...{ machine_id: chicago, shift_definition_id: id, shift_date: today('Pacific/Pago_Pago') },
      ...{ actual_start: new Date(end - 3_600_000).toISOString(), actual_end: new Date(end).toISOString() },
    })
    expect((await get(`fleet/sites/${site}/kpis?days=1`)).oee_pct).toBe(100)
    await admin.call('PUT', `machine-groups/${site}`, { time_zone: null })
    expect((await get(`fleet/sites/${site}/kpis?days=1`)).oee_pct).toBe(null)
  })
})

describe('series of maintenance', () => {
  it('recur in the local time of the site, and in that of another zone as soon as it has one', async () => {
    const { admin, berlin, chicago, site, line, get } = await company()
    const plan = async (machine_id: string) => {
      const times = { scheduled_start: '2027-03-13T14:00:00Z', scheduled_end: '2027-03-13T15:00:00Z' }
      const answer = await admin.call('POST', 'maintenance', { machine_id, title: 'Oil', recurrence_rule: 'daily', ...times })
      expect(answer.status).toBe(201)
      return answer.body.id as string
    }
    const starts = async (machine: string): Promise<string[]> =>
      (await get(`maintenance?machine_id=${machine}&start_after=2027-03-13&end_before=2027-03-29T20:00:00Z`)).map(
        (it: { scheduled_start: string }) => it.scheduled_start.slice(5, 16),
      )
    await plan(berlin)
    const series = await plan(chicago)
    // Chicago changes its clocks on 14 March 2027, Berlin on 28 March: 8 a.m. and 3 p.m. stay what they are
    const of = async (machine: string) => (await starts(machine)).filter((it) => /03-(13|14|27|28)/.test(it))
    expect(await of(berlin)).toEqual(['03-13T14:00', '03-14T14:00', '03-27T14:00', '03-28T13:00'])
    expect(await of(chicago)).toEqual(['03-13T14:00', '03-14T13:00', '03-27T13:00', '03-28T13:00'])
    // without daylight saving time
    const fill = () => fillRecurrences(hub.deps.pools.system, hub.clock.now())
    await fill()
    const day = async (date: string) =>
      (await get(`maintenance?machine_id=${chicago}&start_after=${date}&end_before=${date}T23:00:00Z`))[0]
    // what a person moved by itself stays
    const edited = await day('2027-03-20')
    await admin.call('PUT', `maintenance/${edited.id}`, { scheduled_end: '2027-03-20T18:00:00Z' })
    await admin.call('PUT', `machine-groups/${site}`, { time_zone: 'America/Phoenix' })
    expect(await fill()).toBe(2)
    expect(await of(chicago)).toEqual(['03-13T14:00', '03-14T14:00', '03-27T14:00', '03-28T14:00'])
    expect(await of(berlin)).toEqual(['03-13T14:00', '03-14T14:00', '03-27T14:00', '03-28T13:00'])
    expect((await day('2027-03-20')).scheduled_start).toBe('2027-03-20T13:00:00.000Z')
    expect((await day('2027-10-11')).scheduled_start).toBe('2027-10-11T14:00:00.000Z')
    expect(await fill()).toBe(0)
    // a machine that leaves the site follows the plant, and a machine of the plant its zone
    await admin.call('PUT', `machine-groups/${line}`, { machine_ids: [] })
    expect(await fill()).toBe(1)
    expect(await of(chicago)).toEqual(['03-13T14:00', '03-14T14:00', '03-27T14:00', '03-28T13:00'])
    await admin.call('PATCH', 'settings/plant', { time_zone: 'Asia/Tokyo' })
    expect(await fill()).toBe(2)
    expect(await of(berlin)).toEqual(['03-13T14:00', '03-14T14:00', '03-27T14:00', '03-28T14:00'])
    await admin.call('PUT', `machine-groups/${line}`, { machine_ids: [chicago] })
    await fill()
    const moved = { scheduled_start: '2027-03-13T14:30:00Z', scheduled_end: '2027-03-13T15:30:00Z' }
    await admin.call('PUT', `maintenance/${series}`, moved)
    expect(await of(chicago)).toEqual(['03-13T14:30', '03-14T14:30', '03-27T14:30', '03-28T14:30'])
  })
})

describe('groups that change', () => {
  const dueAt = async (tenantId: string) =>
    (
      await hub.owner`select next_occurrence_at as at from maintenance_events where tenant_id = ${tenantId} and next_occurrence_at is not null`
    )[0]?.at

  it('make series due once, and only where a site has a time zone', async () => {
    const { admin, berlin, site } = await company()
    const times = { scheduled_start: '2027-03-13T14:00:00Z', scheduled_end: '2027-03-13T15:00:00Z' }
    await admin.call('POST', 'maintenance', { machine_id: berlin, title: 'Oil', recurrence_rule: 'daily', ...times })
    const fill = () => fillRecurrences(hub.deps.pools.system, hub.clock.now())
    const isDue = async () => (await dueAt(admin.tenantId)).getTime() === 0
    await fill()
    const parent = (await admin.call('POST', 'machine-groups', { name: 'Hall', group_type: 'custom' })).body.id
    const child = (await admin.call('POST', 'machine-groups', { name: 'Cell', group_type: 'custom', parent_id: parent })).body.id
    await admin.call('PUT', `machine-groups/${child}`, { name: 'Cell 1' })
    expect(await isDue()).toBe(false)
    // children of a deleted group move up, which may be out of a site
    const written = async () =>
      (
        await hub.owner`select xmin::text from maintenance_events where tenant_id = ${admin.tenantId} and next_occurrence_at is not null`
      )[0]
    await admin.call('DELETE', `machine-groups/${parent}`)
    expect(await isDue()).toBe(true)
    const before = await written()
    await admin.call('PUT', `machine-groups/${site}`, { time_zone: 'America/Phoenix' })
    expect(await written()).toEqual(before)
    await fill()
    await admin.call('PUT', `machine-groups/${site}`, { time_zone: null })
    expect(await isDue()).toBe(true)
    await fill()
    await admin.call('PUT', `machine-groups/${child}`, { parent_id: site })
    expect(await isDue()).toBe(false)
  })
})

describe('a site', () => {
  const put = (by: TestUser, id: string, values: object) => by.call('PUT', `machine-groups/${id}`, values)

  it('has a time zone, null for that of the plant, and groups of other types have none', async () => {
    const { admin, site, line, get } = await company()
    expect((await get(`machine-groups/${site}`)).time_zone).toBe(CHICAGO)
    expect((await get('machine-groups/tree')).map((it: { time_zone: string }) => it.time_zone)).toEqual([null, CHICAGO])
    expect((await put(admin, site, { time_zone: null })).body.time_zone).toBeNull()
    const refused = { status: 422, body: { errors: [{ path: 'body.time_zone', code: 'sites_only' }] } }
    expect(await put(admin, line, { time_zone: CHICAGO })).toMatchObject(refused)
    expect(await put(admin, site, { time_zone: CHICAGO, group_type: 'line' })).toMatchObject(refused)
    expect(await admin.call('POST', 'machine-groups', { name: 'Hall', time_zone: CHICAGO })).toMatchObject(refused)
    const both = await put(admin, line, { time_zone: null, name: 'Line 1' })
    expect([both.status, both.body.time_zone]).toEqual([200, null])
    expect((await put(admin, site, { time_zone: 'asia/KOLKATA' })).body.time_zone).toBe('Asia/Kolkata')
    for (const time_zone of ['', 'Mars/Base', '+02:00', 7])
      expect(await put(admin, site, { time_zone })).toMatchObject({ status: 422 })
  })

  it('has shifts and days of its own, that lists of it and of its lines have beside those of all sites', async () => {
    const { admin, site, home, line, define, get, days } = await company()
    const early = await define(EARLY)
    const night = await define({ ...NIGHT, group_id: site })
    expect([early.group_id, night.group_id]).toEqual([null, site])
    const [christmas, inventory] = [
      { date: '2026-12-25', name: 'Christmas Day', group_id: null },
      { date: '2026-12-25', name: 'Inventory', group_id: site },
    ]
    expect((await days(christmas, inventory)).body.non_production_days).toEqual([christmas, inventory])
    const listed = async (groupId?: string) => [
      (await get(`shifts/definitions${groupId ? `?group_id=${groupId}` : ''}`)).map(({ name }: { name: string }) => name),
      (await get(`settings/plant${groupId ? `?group_id=${groupId}` : ''}`)).non_production_days.map(
        ({ name }: { name: string }) => name,
      ),
    ]
    const all = [
      ['Early', 'Night'],
      ['Christmas Day', 'Inventory'],
    ]
    expect(await listed()).toEqual(all)
    expect(await listed(site)).toEqual(all)
    expect(await listed(line)).toEqual(all)
    expect(await listed(home)).toEqual([['Early'], ['Christmas Day']])
    expect(await listed(UNKNOWN)).toEqual([[], []])
    // what is not named stays, null holds for all sites
    expect((await admin.call('PUT', `shifts/definitions/${night.id}`, { name: 'Late' })).body.group_id).toBe(site)
    expect((await admin.call('PUT', `shifts/definitions/${night.id}`, { group_id: null })).body.group_id).toBeNull()
    const easter = { date: '2026-04-06', name: 'Easter Monday' }
    expect((await days(easter)).body.non_production_days).toEqual([{ ...easter, group_id: null }, inventory])
    expect((await days(inventory)).body.non_production_days).toEqual([inventory])
  })

  it('is what shifts and days name: no other group, and none of another company', async () => {
    const { admin, line, site, days } = await company()
    const strange = (await company()).site
    const definition = (await admin.call('POST', 'shifts/definitions', EARLY)).body.id
    const day = { date: '2026-12-25', name: 'Christmas Day' }
    const calls: [string, (group_id: string) => ReturnType<TestUser['call']>][] = [
      ['body.group_id', (group_id) => admin.call('POST', 'shifts/definitions', { ...NIGHT, group_id })],
      ['body.group_id', (group_id) => admin.call('PUT', `shifts/definitions/${definition}`, { group_id })],
      ['body.non_production_days.1.group_id', (group_id) => days({ ...day, group_id: site }, { ...day, group_id })],
    ]
    for (const [path, call] of calls) {
      expect(await call(line)).toMatchObject({ status: 422, body: { errors: [{ path, code: 'not_a_site' }] } })
      for (const id of [UNKNOWN, strange])
        expect(await call(id)).toMatchObject({ status: 404, body: { code: 'machine_group_not_found' } })
      expect((await call('x')).status).toBe(422)
    }
    const twice = await days({ ...day, group_id: site }, { ...day, group_id: site, name: 'again' })
    expect(twice).toMatchObject({ status: 422, body: { errors: [{ code: 'duplicate_date' }] } })
    expect((await admin.call('GET', 'settings/plant')).body.non_production_days).toEqual([])
  })

  it('gets the days of an imported file, and others keep theirs', async () => {
    const { admin, site, line, days, get } = await company()
    const importInto = (query: string) => {
      const body = `--edge\r\ncontent-disposition: form-data; name="file"; filename="days"\r\n\r\ndate,name\n2026-12-25,Inventory\n\r\n--edge--\r\n`
      const type = { 'content-type': 'multipart/form-data; boundary=edge' }
      return admin.call('POST', `settings/plant/non-production-days/import${query}`, body, type)
    }
    await days({ date: '2026-12-25', name: 'Christmas Day' })
    for (let round = 0; round < 2; round++) expect((await importInto(`?group_id=${site}`)).status).toBe(200)
    const names = async () => (await get('settings/plant')).non_production_days.map((it: { name: string }) => it.name)
    expect(await names()).toEqual(['Christmas Day', 'Inventory'])
    const refused = await importInto(`?group_id=${line}`)
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ path: 'query.group_id', code: 'not_a_site' }] } })
    expect((await importInto(`?group_id=${UNKNOWN}`)).status).toBe(404)
  })

  it.each([
    ['is deleted', (admin: TestUser, site: string) => admin.call('DELETE', `machine-groups/${site}`)],
    ['becomes another group', (admin: TestUser, site: string) => put(admin, site, { group_type: 'department' })],
  ])('that %s leaves its definitions to their logs, deactivated and of no site; its zone and days are gone', async (_, end) => {
    const { admin, chicago, site, define, get, days } = await company()
    const night = await define({ ...NIGHT, group_id: site })
    await define(EARLY)
    const times = { shift_date: '2026-02-02', actual_start: '2026-02-02T05:00Z', actual_end: '2026-02-02T06:00Z' }
    await admin.call('POST', 'shifts/logs', { machine_id: chicago, shift_definition_id: night.id, ...times })
    await days({ date: '2026-12-25', name: 'Christmas Day' }, { date: '2026-12-26', name: 'Inventory', group_id: site })
    const operator = await hub.colleague(admin, 'operator')
    expect(await end(operator, site)).toMatchObject({ status: 409, body: { code: 'site_has_calendar' } })
    expect((await end(admin, site)).status).toBeLessThan(300)
    expect(await get('shifts/definitions?active_only=false')).toMatchObject([
      { name: 'Early', is_active: true, group_id: null },
      { name: 'Night', is_active: false, group_id: null },
    ])
    expect((await get('settings/plant')).non_production_days).toMatchObject([{ name: 'Christmas Day' }])
    expect((await get('shifts/logs')).items).toMatchObject([{ shift_name: 'Night' }])
    expect((await get(`machines/${chicago}/oee?interval=1d`)).time_zone).toBe('Europe/Berlin')
    const group = await admin.call('GET', `machine-groups/${site}`)
    if (group.status === 200) expect(group.body.time_zone).toBeNull()
    const { items } = await get('audit-log?target_type=shift_definition')
    expect(items[0]).toMatchObject({ action: 'shift_definition.updated', after: { is_active: false, group_id: null } })
  })
})
