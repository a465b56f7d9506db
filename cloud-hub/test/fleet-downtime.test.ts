import { beforeEach, describe, expect, it } from 'vitest'
import { openStream } from './event-stream.ts'
import { plant, type TestUser, useHub } from './harness.ts'

const hub = useHub()
const UNKNOWN = '0198c7d4-5a00-7000-8000-0000f5a48bee'
let began = 0
beforeEach(() => {
  began = hub.clock.now().getTime()
})
/** An instant so many hours before the test began. */
const ago = (hours: number) => new Date(began - hours * 3_600_000).toISOString()
const codeId = async (user: TestUser, code: string): Promise<string> =>
  (await user.call('GET', 'reason-codes')).body.find((one: { code: string }) => one.code === code).id

/** Records of two machines, named by their notes. */
async function stoppedFleet() {
  const { admin, machine } = await plant(hub)
  const other = await hub.machine(admin, { name: 'Press 2' })
  const breakdown = await codeId(admin, 'breakdown')
  const make = async (machineId: string, reason_note: string, from: number, to: number | null, values: object = {}) => {
    const times = { started_at: ago(from), ended_at: to === null ? null : ago(to) }
    return (await admin.call('POST', `machines/${machineId}/downtime`, { ...times, reason_note, ...values })).body
  }
  await make(machine.id, 'a', 50, 49)
  await make(other.id, 'b', 40, 30, { reason_type: 'planned' })
  await make(machine.id, 'c', 20, null, { reason_type: 'maintenance' })
  await make(other.id, 'd', 10, 8, { reason_code_id: breakdown })
  await make(other.id, 'e', 5, null, { reason_type: 'changeover' })
  await hub.owner`update downtime_records set source = 'automatic' where tenant_id = ${admin.tenantId} and reason_note = 'a'`
  const list = async (query = '') => {
    const { items, pagination } = (await admin.call('GET', `fleet/downtime?${query}`)).body
    return [items.map((row: { reason_note: string }) => row.reason_note).join(''), pagination.total]
  }
  return { admin, machine, other, breakdown, make, list }
}

describe('the downtime of the fleet', () => {
  it('is listed newest first, in pages', async () => {
    const { admin, list } = await stoppedFleet()
    expect(await list()).toEqual(['edcba', 5])
    const page = (await admin.call('GET', 'fleet/downtime?page=2&page_size=2')).body
    expect(page).toMatchObject({
      items: [{ reason_note: 'c' }, { reason_note: 'b' }],
      pagination: { total: 5, page: 2, page_size: 2 },
    })
    expect(await list('page=4&page_size=2')).toEqual(['', 5])
    const stranger = await hub.admin()
    expect((await stranger.call('GET', 'fleet/downtime')).body.pagination.total).toBe(0)
  })

  it('is filtered to what touches a range, ongoing records included', async () => {
    const { admin, list } = await stoppedFleet()
    expect(await list(`ended_after=${ago(30.5)}`)).toEqual(['edcb', 4])
    // an end at the instant itself is before it
    expect(await list(`ended_after=${ago(30)}`)).toEqual(['edc', 3])
    expect(await list(`ended_after=${ago(30.5)}&date_to=${ago(15)}`)).toEqual(['cb', 2])
    expect((await admin.call('GET', 'fleet/downtime?ended_after=yesterday')).status).toBe(422)
  })

  it('is answered as CSV, all pages in one, to a client that prefers it', async () => {
    const { admin, machine, make } = await stoppedFleet()
    await make(machine.id, '=1+1; "x"', 60, 59)
    const csv = async (query: string, user = admin) =>
      hub.app.request(
        `/api/v1/fleet/downtime?${query}`,
        { headers: { authorization: `Bearer ${user.token}`, accept: 'text/csv' } },
        { incoming: { socket: { remoteAddress: '10.8.8.8' } } },
      )
    const answer = await csv('page_size=2&sort_dir=asc')
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="downtime.csv"')
    const [head, ...lines] = (await answer.text()).trimEnd().split('\r\n')
    expect(lines.length).toBe(6)
    const columns = head?.split(',') as string[]
    const names = ['id', 'machine_id', 'machine_name', 'started_at', 'reason_note', 'reason_code.code']
    expect(columns).toEqual(expect.arrayContaining(names))
    // the same ones, whatever the rows hold
    const none = await (await csv('reason_type=changeover&status=completed')).text()
    expect(none.trimEnd()).toBe(head)
    expect(lines[0]).toContain(`"'=1+1; ""x""" `.trim())
    expect(lines[1]?.split(',')[columns.indexOf('reason_note')]).toBe('a')
    const stranger = await hub.admin()
    expect((await (await csv('', stranger)).text()).trimEnd().split('\r\n').length).toBe(1)
  })

  it('is filtered by machine, type, code, source, status and start', async () => {
    const { admin, machine, other, breakdown, list } = await stoppedFleet()
    expect(await list(`machine_id=${machine.id}`)).toEqual(['ca', 2])
    expect(await list(`machine_ids=${machine.id},${UNKNOWN}`)).toEqual(['ca', 2])
    expect(await list(`machine_ids=${machine.id},${other.id}&reason_type=planned`)).toEqual(['b', 1])
    const status = async (ids: string[]) => (await admin.call('GET', `fleet/downtime?machine_ids=${ids}`)).status
    expect([await status(Array(50).fill(UNKNOWN)), await status(Array(51).fill(UNKNOWN)), await status(['x'])]).toEqual([
      200, 422, 422,
    ])
    expect(await list('reason_type=planned')).toEqual(['b', 1])
    expect(await list(`reason_code_id=${breakdown}`)).toEqual(['d', 1])
    expect(await list('source=automatic')).toEqual(['a', 1])
    expect(await list('status=ongoing')).toEqual(['ec', 2])
    expect(await list('status=completed')).toEqual(['dba', 3])
    expect(await list(`date_from=${ago(40)}&date_to=${ago(10)}`)).toEqual(['dcb', 3])
    expect(await list(`date_from=${ago(39.999)}&date_to=${ago(10.001)}`)).toEqual(['c', 1])
    expect(await list(`machine_id=${UNKNOWN}`)).toEqual(['', 0])
  })

  it.each([
    ['started_at', 'abcde'],
    ['ended_at', 'abdce'],
    ['created_at', 'abcde'],
    // 1, 2, 5 until now, 10, 20 until now
    ['duration_minutes', 'adebc'],
    // changeover, maintenance, planned, unplanned by start
    ['reason_type', 'ecbad'],
  ])('sorted by %s ascends to %s, and descends in the reverse order', async (sort, expected) => {
    const { list } = await stoppedFleet()
    expect(await list(`sort_by=${sort}&sort_dir=asc`)).toEqual([expected, 5])
    // of two ongoing records the later id comes first when it descends
    const reverse = sort === 'ended_at' ? 'ecdba' : [...expected].reverse().join('')
    expect(await list(`sort_by=${sort}&sort_dir=desc`)).toEqual([reverse, 5])
    expect(await list(`sort_by=${sort}&sort_dir=asc&page=2&page_size=2`)).toEqual([expected.slice(2, 4), 5])
    expect(await list(`sort_by=${sort}&sort_dir=asc&status=completed`)).toEqual([expected.replaceAll(/[ce]/g, ''), 3])
  })

  it('the longest and the shortest ongoing record are on the first page of their order', async () => {
    const { list } = await stoppedFleet()
    expect(await list('sort_by=duration_minutes&sort_dir=desc&page_size=1')).toEqual(['c', 5])
    expect(await list('sort_by=duration_minutes&sort_dir=asc&page_size=1&status=ongoing')).toEqual(['e', 2])
  })

  it.each([
    'sort_by=note',
    'sort_dir=up',
    'status=open',
    'reason_type=x',
    'machine_id=x',
    'page_size=101',
    'date_from=x',
    'source=x',
  ])('the query %s is refused', async (query) => {
    expect((await (await hub.admin()).call('GET', `fleet/downtime?${query}`)).status).toBe(422)
  })

  it.each([
    ['2026-01-05', 200],
    ['2026-01-04', 422],
    ['2026-01-05T00:00Z', 422],
  ])('from 2026-01-05 up to %s is answered with %i', async (end, status) => {
    const answer = await (await hub.admin()).call('GET', `fleet/downtime?date_from=2026-01-05&date_to=${end}`)
    expect([answer.status, answer.body.errors?.[0].path]).toEqual([status, status === 422 ? 'query.date_to' : undefined])
  })

  it('every sort reads its page from an index', async () => {
    const orders = [
      'started_at, id',
      'ended_at, id',
      'reason_type, started_at, id',
      'created_at, id',
      '(ended_at - started_at), id',
    ]
    const plans = await hub.owner.begin(async (sql) => {
      await sql`set local enable_seqscan = off`
      await sql`set local enable_sort = off`
      await sql`set local enable_incremental_sort = off`
      return Promise.all(
        orders.map((order) =>
          sql.unsafe(`explain select * from downtime_records where tenant_id = '${UNKNOWN}' order by ${order} limit 20`),
        ),
      )
    })
    for (const plan of plans) expect(JSON.stringify(plan)).not.toMatch(/Sort/)
  })
})

describe('the Pareto of reasons', () => {
  interface Reason {
    reason_type: string
    reason_code: { code: string } | null
    minutes: number
    count: number
    share_percent: number
    cumulative_percent: number
  }
  const shown = (reasons: Reason[]) =>
    reasons.map((row) => [
      row.reason_code?.code ?? row.reason_type,
      Math.round(row.minutes),
      row.count,
      Math.round(row.share_percent),
      Math.round(row.cumulative_percent),
    ])

  it('ranks codes by minutes, with the type of records that have none, and counts micro-stops apart', async () => {
    const { admin, machine } = await plant(hub)
    const other = await hub.machine(admin)
    const [jam, tool] = [await codeId(admin, 'breakdown.mechanical'), await codeId(admin, 'changeover.tool')]
    const stop = (machineId: string, from: number, to: number | null, values: object = {}) =>
      admin.call('POST', `machines/${machineId}/downtime`, {
        started_at: ago(from),
        ended_at: to === null ? null : ago(to),
        ...values,
      })
    await stop(machine.id, 40, 34, { reason_code_id: jam }) // 6 h
    await stop(other.id, 30, 26, { reason_code_id: jam }) // 4 h
    await stop(machine.id, 36, 33, { reason_code_id: tool }) // 3 h, of which the first 2 belong to the jam
    await stop(machine.id, 2, null) // 2 h until now
    await stop(other.id, 20, 13, { reason_type: 'planned' }) // 7 h
    await stop(other.id, 10, 10 - 4.99 / 60) // a micro-stop
    await stop(other.id, 9, 9 - 5 / 60) // 5 minutes: none
    const { body } = await admin.call('GET', 'fleet/downtime/pareto')
    expect(shown(body.reasons)).toEqual([
      ['breakdown.mechanical', 600, 2, 50, 50],
      ['planned', 420, 1, 35, 85],
      ['unplanned', 125, 2, 10, 95],
      ['changeover.tool', 60, 1, 5, 100],
    ])
    expect(body).toMatchObject({
      micro_stop_minutes: 5,
      total_count: 6,
      micro_stops: { count: 1, minutes: expect.closeTo(4.99, 3) },
    })
    expect(body.total_minutes).toBeCloseTo(1_205, 0)
    expect(body.reasons.reduce((sum: number, row: Reason) => sum + row.minutes, 0)).toBeCloseTo(body.total_minutes, 6)
    expect(body.other).toBeNull()
    // the rest is one sum, so that those who show three reasons show all of the downtime
    const [first, ...rest] = body.reasons
    const top = (await admin.call('GET', 'fleet/downtime/pareto?top=1')).body
    expect(top.reasons).toMatchObject([{ count: first.count, share_percent: expect.closeTo(first.share_percent, 0) }])
    // ongoing stops go on between two answers
    const sum = (name: string) => rest.reduce((total: number, it: Record<string, number>) => total + (it[name] as number), 0)
    expect(top.other).toEqual({
      reason_count: rest.length,
      minutes: expect.closeTo(sum('minutes'), 0),
      count: sum('count'),
      share_percent: expect.closeTo(sum('share_percent'), 0),
    })
    expect(rest.length).toBeGreaterThan(0)
    const none = (await admin.call('GET', 'fleet/downtime/pareto?micro_stop_minutes=0')).body
    expect([none.micro_stops.count, none.total_count]).toEqual([0, 7])
    const one = (await admin.call('GET', `fleet/downtime/pareto?machine_id=${other.id}`)).body
    expect(shown(one.reasons)[0]).toEqual(['planned', 420, 1, 63, 63])
  })

  it('counts no minute of a record that lies within an earlier one', async () => {
    const { admin, machine } = await plant(hub)
    const stop = (started_at: string, ended_at: string, reason_type: string) =>
      admin.call('POST', `machines/${machine.id}/downtime`, { started_at, ended_at, reason_type })
    await stop('2026-01-05T08:00Z', '2026-01-05T12:00Z', 'unplanned')
    await stop('2026-01-05T09:00Z', '2026-01-05T10:00Z', 'planned')
    const { body } = await admin.call('GET', 'fleet/downtime/pareto?date_from=2026-01-01&date_to=2026-01-31')
    expect(body).toMatchObject({ total_minutes: 240, total_count: 2 })
    expect(shown(body.reasons)).toEqual([
      ['unplanned', 240, 1, 100, 100],
      ['planned', 0, 1, 0, 100],
    ])
  })

  it('covers a range, clips records to it, and leaves out deactivated machines', async () => {
    const { admin, machine } = await plant(hub)
    const gone = await hub.machine(admin)
    for (const { id } of [machine, gone])
      await admin.call('POST', `machines/${id}/downtime`, { started_at: '2026-01-05T08:00Z', ended_at: '2026-01-05T12:00Z' })
    await admin.call('PATCH', `machines/${gone.id}`, { is_active: false })
    const minutes = async (query: string) => (await admin.call('GET', `fleet/downtime/pareto?${query}`)).body.total_minutes
    expect(await minutes('date_from=2026-01-05&date_to=2026-01-05')).toBe(240)
    expect(await minutes('date_from=2026-01-05T09:00Z&date_to=2026-01-05T11:30Z')).toBe(150)
    expect(await minutes('date_from=2026-01-05T12:00Z&date_to=2026-01-05T13:00Z')).toBe(0)
    await admin.call('POST', `machines/${machine.id}/downtime`, {
      started_at: '2026-01-06T08:00Z',
      ended_at: '2026-01-08T00:00Z',
    })
    expect(await minutes('date_from=2026-01-06&date_to=2026-01-07')).toBe(2_400)
  })

  it('of a range in the future is empty, also while a machine is stopped', async () => {
    const { admin, machine } = await plant(hub)
    await admin.call('POST', `machines/${machine.id}/downtime`, { started_at: ago(1) })
    const { body } = await admin.call('GET', `fleet/downtime/pareto?date_from=${ago(-1)}&date_to=${ago(-2)}`)
    expect(body).toMatchObject({ date_from: ago(-1), date_to: ago(-1), total_count: 0, total_minutes: 0, reasons: [] })
  })

  it('covers the machines of a group and of its nested groups', async () => {
    const { admin, machine } = await plant(hub)
    const other = await hub.machine(admin)
    for (const [id, hours] of [
      [machine.id, 1],
      [other.id, 2],
    ] as const)
      await admin.call('POST', `machines/${id}/downtime`, { started_at: ago(hours + 1), ended_at: ago(1) })
    const site = (await admin.call('POST', 'machine-groups', { name: 'North', group_type: 'site' })).body.id
    await admin.call('POST', 'machine-groups', { name: 'Line', parent_id: site, machine_ids: [machine.id] })
    const { body } = await admin.call('GET', `fleet/downtime/pareto?group_id=${site}`)
    expect(body.total_minutes).toBeCloseTo(60, 6)
    expect((await admin.call('GET', `fleet/downtime/pareto?group_id=${UNKNOWN}`)).body.reasons).toEqual([])
  })

  it('without downtime has no reasons and no share of nothing', async () => {
    expect((await (await hub.admin()).call('GET', 'fleet/downtime/pareto?days=1')).body).toMatchObject({
      total_minutes: 0,
      total_count: 0,
      reasons: [],
      micro_stops: { count: 0, minutes: 0 },
    })
  })

  it.each([
    ['days=0', 422],
    ['days=90', 200],
    ['days=91', 422],
    ['days=5&date_from=2026-01-05', 422],
    ['date_from=2026-01-01T00:00Z&date_to=2026-04-01T00:00Z', 200],
    ['date_from=2026-01-01T00:00Z&date_to=2026-04-01T00:01Z', 422],
    ['micro_stop_minutes=60', 200],
    ['micro_stop_minutes=0.5', 200],
    ['micro_stop_minutes=60.1', 422],
    ['micro_stop_minutes=-1', 422],
  ])('the query %s is answered with %i', async (query, status) => {
    expect((await (await hub.admin()).call('GET', `fleet/downtime/pareto?${query}`)).status).toBe(status)
  })
})

describe('a live stream', () => {
  it('sends downtime as it begins, ends, is split and is merged away, also what happened while it was disconnected', async () => {
    const { admin, machine } = await plant(hub)
    const other = await hub.machine(admin)
    const route = `machines/${machine.id}/downtime`
    const query = `?machine_id=${machine.id}`
    const client = await openStream(hub.app, admin, { query })
    await client.next('ready')
    await admin.call('POST', `machines/${other.id}/downtime`, { started_at: ago(2) })
    const { id } = (await admin.call('POST', route, { started_at: ago(2) })).body
    expect(await client.next('downtime')).toMatchObject({ id, ended_at: null, machine_id: machine.id })
    await admin.call('POST', `${route}/${id}/end`)
    expect(await client.next('downtime')).toMatchObject({ id, ended_at: expect.any(String) })
    const parts = (await admin.call('POST', `${route}/${id}/split`, { at: ago(1) })).body
    await admin.call('POST', `${route}/${id}/merge`, { record_ids: [parts[1].id] })
    const again = await openStream(hub.app, admin, { query, lastId: client.lastId })
    expect(await again.next('ready')).toEqual({ resumed: true })
    expect(await again.next('downtime')).toMatchObject({ id })
    expect(await again.next('deleted')).toMatchObject({ kind: 'downtime', id: parts[1].id, machine_id: machine.id })
  })
})
