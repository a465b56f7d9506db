import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import postgres from '../src/db/driver.ts'
import { fillRecurrences } from '../src/features/work/maintenance/index.ts'
import { plant, type TestUser, useHub } from './harness.ts'

const hub = useHub()

interface Event {
  id: string
  title: string
  status: string
  scheduled_start: string
  scheduled_end: string
  parent_event_id: string | null
}

const DAY_MS = 86_400_000
const at = (days: number, hours = 0) => new Date(Date.now() + days * DAY_MS + hours * 3_600_000).toISOString()
const times = { scheduled_start: at(10), scheduled_end: at(10, 2) }
const audited = async (admin: TestUser) =>
  (await admin.call('GET', 'audit-log?target_type=maintenance_event&page_size=100')).body.items.map(
    ({ action, target }: { action: string; target: { id: string } }) => [action, target.id],
  )

/** A plant, and calls about its maintenance. */
async function maintained() {
  const made = await plant(hub)
  const operator = await hub.colleague(made.admin, 'operator')
  const body = { machine_id: made.machine.id, title: 'Oil', ...times }
  const plan = async (values: object = {}): Promise<Event> => {
    const answer = await operator.call('POST', 'maintenance', { ...body, ...values })
    expect([answer.status, answer.body]).toEqual([201, expect.anything()])
    return answer.body
  }
  const change = (id: string, values: object) => operator.call('PUT', `maintenance/${id}`, values)
  const get = async (id: string): Promise<Event & Record<string, unknown>> =>
    (await operator.call('GET', `maintenance/${id}`)).body
  const list = async (query = ''): Promise<Event[]> => (await operator.call('GET', `maintenance${query}`)).body
  const children = async (id: string) => (await list()).filter((event) => event.parent_event_id === id)
  return { ...made, operator, body, plan, change, get, list, children }
}

describe('a maintenance event', () => {
  it('has the fields that were given, and the others by default', async () => {
    const { admin, operator, machine, plan, get } = await maintained()
    const event = await plan({ description: '', assigned_to: operator.userId })
    expect(event).toEqual({
      version: expect.any(String),
      id: expect.any(String),
      tenant_id: admin.tenantId,
      machine_id: machine.id,
      machine_name: 'Press 1',
      title: 'Oil',
      description: null,
      ...times,
      status: 'scheduled',
      linked_alert_id: null,
      assigned_to: operator.userId,
      checklist_id: null,
      created_by: operator.userId,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      recurrence_rule: null,
      parent_event_id: null,
    })
    expect(await get(event.id)).toEqual(event)
    expect(await audited(admin)).toEqual([['maintenance_event.created', event.id]])
  })

  it('of a series can last 366 days, and start in the year 9997', async () => {
    const { plan, change } = await maintained()
    const long = { scheduled_start: '2030-01-01T00:00:00.000Z', scheduled_end: '2031-01-02T00:00:00.000Z' }
    const { id } = await plan({ recurrence_rule: 'quarterly', ...long })
    expect((await change(id, { scheduled_end: '2031-01-02T00:00:00.001Z' })).status).toBe(422)
    const last = { scheduled_start: '9997-12-31T00:00:00.000Z', scheduled_end: '9998-12-31T00:00:00.000Z' }
    expect((await change(id, last)).body).toMatchObject(last)
    await plan({ scheduled_start: '2030-01-01', scheduled_end: '9999-12-31' })
  })

  it.each([
    ['title', { title: '' }],
    ['title', { title: 'x'.repeat(301) }],
    ['title', { title: null }],
    ['description', { description: 'x'.repeat(4_001) }],
    ['scheduled_start', { scheduled_start: 'soon' }],
    ['scheduled_end', { scheduled_end: times.scheduled_start }],
    ['scheduled_end', { recurrence_rule: 'daily', scheduled_start: '2030-01-01', scheduled_end: '2031-01-03T00:00:01Z' }],
    [
      'scheduled_start',
      { recurrence_rule: 'daily', scheduled_start: '9999-12-31T00:00:00Z', scheduled_end: '9999-12-31T01:00:00Z' },
    ],
    ['recurrence_rule', { recurrence_rule: 'yearly' }],
    ['machine_id', { machine_id: 'x' }],
    ['assigned_to', { assigned_to: 7 }],
  ])('is refused with 422 for a wrong %s: %o', async (field, values) => {
    const { operator, body } = await maintained()
    const { status, body: problem } = await operator.call('POST', 'maintenance', { ...body, ...values })
    expect([status, problem.errors?.[0]?.path]).toEqual([422, `body.${field}`])
  })

  it('is accepted at its limits', async () => {
    const { plan } = await maintained()
    const end = new Date(Date.parse(times.scheduled_start) + 1).toISOString()
    const event = await plan({ title: '🔧'.repeat(300), description: 'x'.repeat(4_000), scheduled_end: end })
    expect(event.scheduled_end).toBe(end)
  })

  it.each([
    ['machine_id', 'machine_not_found'],
    ['linked_alert_id', 'alert_not_found'],
    ['assigned_to', 'user_not_found'],
    ['checklist_id', 'checklist_not_found'],
  ])('is refused with 404 for an unknown %s, and for one of another tenant', async (field, code) => {
    const { operator, body, plan, change } = await maintained()
    const other = await maintained()
    const foreign: Record<string, string> = { machine_id: other.machine.id, assigned_to: other.operator.userId }
    for (const id of [randomUUID(), foreign[field] ?? randomUUID()]) {
      const answer = await operator.call('POST', 'maintenance', { ...body, [field]: id })
      expect([answer.status, answer.body.code]).toEqual([404, code])
    }
    if (field === 'assigned_to' || field === 'checklist_id')
      expect((await change((await plan()).id, { [field]: randomUUID() })).body.code).toBe(code)
  })

  it('is assigned to active members only', async () => {
    const { admin, operator, body } = await maintained()
    const gone = await hub.colleague(admin, 'operator')
    await admin.call('PATCH', `users/${gone.userId}`, { is_active: false })
    expect((await operator.call('POST', 'maintenance', { ...body, assigned_to: gone.userId })).body.code).toBe('user_not_found')
  })

  const STATUSES = ['scheduled', 'in_progress', 'completed', 'cancelled']
  const WAYS: Record<string, string[]> = {
    scheduled: [],
    in_progress: ['in_progress'],
    completed: ['in_progress', 'completed'],
    cancelled: ['cancelled'],
  }
  const ALLOWED = ['scheduled in_progress', 'scheduled cancelled', 'in_progress completed', 'in_progress cancelled']
  it.each(STATUSES.flatMap((from) => STATUSES.map((to) => [from, to] as const)))(
    'that is %s, asked to become %s',
    async (from, to) => {
      const { plan, change } = await maintained()
      const { id } = await plan()
      for (const status of WAYS[from] ?? []) expect((await change(id, { status })).status).toBe(200)
      const { status, body } = await change(id, { status: to, title: 'Changed' })
      if (from === to || ALLOWED.includes(`${from} ${to}`))
        expect([status, body.status, body.title]).toEqual([200, to, 'Changed'])
      else expect([status, body.code]).toEqual([409, 'maintenance_transition'])
    },
  )

  it('has one outcome when two people complete and cancel it at once', async () => {
    const { plan, change, get } = await maintained()
    const { id } = await plan()
    await change(id, { status: 'in_progress' })
    const answers = await Promise.all([change(id, { status: 'completed' }), change(id, { status: 'cancelled' })])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect((await get(id)).status).toBe(answers.find(({ status }) => status === 200)?.body.status)
  })

  it('is changed where a field is named, cleared by null, and checked against what stays', async () => {
    const { admin, operator, plan, change } = await maintained()
    const { id } = await plan({ description: 'Filter too', assigned_to: operator.userId })
    const end = at(10, 3)
    expect((await change(id, { scheduled_end: end })).body).toMatchObject({ title: 'Oil', ...times, scheduled_end: end })
    expect((await change(id, { description: null, assigned_to: null })).body).toMatchObject({
      description: null,
      assigned_to: null,
    })
    const early = await change(id, { scheduled_end: at(9) })
    expect([early.status, early.body.errors[0].path]).toEqual([422, 'body.scheduled_end'])
    const before = (await audited(admin)).length
    expect((await change(id, {})).status).toBe(200)
    expect((await change(id, { title: 'Oil' })).body.updated_at).toBe((await change(id, {})).body.updated_at)
    expect((await audited(admin)).length).toBe(before)
  })

  it('is deleted with 204, and gone', async () => {
    const { admin, operator, plan } = await maintained()
    const { id } = await plan()
    expect((await operator.call('DELETE', `maintenance/${id}`)).status).toBe(204)
    expect((await operator.call('GET', `maintenance/${id}`)).body.code).toBe('maintenance_event_not_found')
    expect((await operator.call('DELETE', `maintenance/${id}`)).status).toBe(404)
    expect((await audited(admin))[0]).toEqual(['maintenance_event.deleted', id])
  })
})

describe('the list of maintenance events', () => {
  it('is ordered by start and filtered by machine, status and time, ends included', async () => {
    const { admin, plan, change, list, machine } = await maintained()
    const other = await hub.machine(admin)
    const early = await plan({ scheduled_start: at(1), scheduled_end: at(2) })
    const late = await plan({ scheduled_start: at(5), scheduled_end: at(6) })
    const elsewhere = await plan({ machine_id: other.id, scheduled_start: at(3), scheduled_end: at(4) })
    await change(late.id, { status: 'cancelled' })
    const ids = async (query: string) => (await list(query)).map(({ id }) => id)
    expect(await ids('')).toEqual([early.id, elsewhere.id, late.id])
    expect(await ids(`?machine_id=${machine.id}`)).toEqual([early.id, late.id])
    expect(await ids(`?machine_id=${randomUUID()}`)).toEqual([])
    expect(await ids('?status=cancelled')).toEqual([late.id])
    expect(await ids(`?start_after=${elsewhere.scheduled_start}`)).toEqual([elsewhere.id, late.id])
    expect(await ids(`?end_before=${elsewhere.scheduled_end}`)).toEqual([early.id, elsewhere.id])
    expect(await ids(`?start_after=${elsewhere.scheduled_start}&end_before=${elsewhere.scheduled_end}`)).toEqual([elsewhere.id])
  })

  it('has those that overlap a range, which does not touch its ends', async () => {
    const { plan, list } = await maintained()
    const [one, two, three, four, five] = [1, 2, 3, 4, 5].map((days) => at(days)) as [string, string, string, string, string]
    const before = await plan({ scheduled_start: one, scheduled_end: two })
    const across = await plan({ scheduled_start: one, scheduled_end: three })
    const within = await plan({ scheduled_start: two, scheduled_end: four })
    const after = await plan({ scheduled_start: four, scheduled_end: five })
    const ids = async (query: string) => new Set((await list(query)).map(({ id }) => id))
    expect(await ids(`?end_after=${two}&start_before=${four}`)).toEqual(new Set([across.id, within.id]))
    expect(await ids(`?end_after=${two}`)).toEqual(new Set([across.id, within.id, after.id]))
    expect(await ids(`?start_before=${four}`)).toEqual(new Set([before.id, across.id, within.id]))
  })

  it.each([
    'status=done',
    'start_after=x',
    'machine_id=x',
    'start_after=2026-02-01&end_before=2026-01-01',
    'end_after=2026-02-01&start_before=2026-01-01',
  ])('refuses %s', async (query) => {
    const { operator } = await maintained()
    expect((await operator.call('GET', `maintenance?${query}`)).status).toBe(422)
  })

  it('answers 10,000 events, and refuses more by naming the filters', async () => {
    const { admin, operator, machine } = await maintained()
    await hub.owner`
      insert into maintenance_events (tenant_id, machine_id, title, scheduled_start, scheduled_end, created_by)
      select ${admin.tenantId}, ${machine.id}, 'x', now() + n * interval '1 minute', now() + n * interval '1 minute' + interval '30 s', ${admin.userId}
      from generate_series(1, 10000) n`
    expect((await operator.call('GET', 'maintenance')).body).toHaveLength(10_000)
    await hub.owner`
      insert into maintenance_events (tenant_id, machine_id, title, scheduled_start, scheduled_end, created_by)
      values (${admin.tenantId}, ${machine.id}, 'x', now(), now() + interval '1 h', ${admin.userId})`
    const { status, body } = await operator.call('GET', 'maintenance')
    expect([status, body.errors.map(({ path }: { path: string }) => path)]).toEqual([
      422,
      ['query.start_after', 'query.end_before'],
    ])
    expect((await operator.call('GET', `maintenance?start_after=${at(1)}`)).status).toBe(200)
  })
})

describe('a series', () => {
  it('has its first occurrence as parent and a child for each step of the next 12 months', async () => {
    const { admin, operator, plan, children } = await maintained()
    const parent = await plan({ recurrence_rule: 'weekly', assigned_to: operator.userId, description: 'Filter' })
    const its = await children(parent.id)
    expect(its.length).toBeGreaterThanOrEqual(50)
    expect(its.length).toBeLessThanOrEqual(52)
    expect(its[0]).toMatchObject({
      title: 'Oil',
      description: 'Filter',
      assigned_to: operator.userId,
      created_by: operator.userId,
      status: 'scheduled',
      linked_alert_id: null,
      recurrence_rule: null,
      scheduled_start: new Date(Date.parse(parent.scheduled_start) + 7 * DAY_MS).toISOString(),
      scheduled_end: new Date(Date.parse(parent.scheduled_end) + 7 * DAY_MS).toISOString(),
    })
    expect(await audited(admin)).toEqual([['maintenance_event.created', parent.id]])
  })

  it('follows the local time of the plant', async () => {
    const { admin, plan, children } = await maintained()
    await hub.owner`update tenants set time_zone = 'Europe/Berlin' where id = ${admin.tenantId}`
    // noon exists on every day; an hour of the night is missing once a year
    const noon = `${at(10).slice(0, 10)}T12:00:00.000Z`
    const parent = await plan({
      recurrence_rule: 'daily',
      scheduled_start: noon,
      scheduled_end: `${noon.slice(0, 10)}T13:00:00.000Z`,
    })
    const clock = new Intl.DateTimeFormat('en', { timeZone: 'Europe/Berlin', timeStyle: 'short' })
    const its = (await children(parent.id)).map(({ scheduled_start }) => scheduled_start)
    expect(new Set(its.map((start) => start.slice(11, 16))).size).toBe(2)
    expect(new Set(its.map((start) => clock.format(new Date(start)))).size).toBe(1)
  })

  it('ends when its rule becomes null, also after its first occurrence, and keeps what was started or changed', async () => {
    const { operator, plan, children } = await maintained()
    const parent = await plan({ recurrence_rule: 'weekly' })
    const [started, edited] = await children(parent.id)
    const put = (id: string | undefined, body: object) => operator.call('PUT', `maintenance/${id}`, body)
    await put(started?.id, { status: 'in_progress' })
    await put(edited?.id, { title: 'Oil and filter' })
    for (const status of ['in_progress', 'completed']) await put(parent.id, { status })
    const refused = await put(parent.id, { recurrence_rule: 'daily' })
    expect([refused.status, refused.body.errors[0].path]).toEqual([422, 'body.recurrence_rule'])
    expect((await put(parent.id, { recurrence_rule: 'weekly' })).body.recurrence_rule).toBe('weekly')
    expect(await put(parent.id, { recurrence_rule: null })).toMatchObject({
      status: 200,
      body: { recurrence_rule: null, status: 'completed' },
    })
    const left = async () => (await children(parent.id)).map(({ id }) => id)
    expect(await left()).toEqual([started?.id, edited?.id])
    await fillRecurrences(hub.deps.pools.system, new Date(Date.now() + 400 * DAY_MS))
    expect(await left()).toEqual([started?.id, edited?.id])
  })

  it('makes no child in the past', async () => {
    const { plan, children } = await maintained()
    const parent = await plan({ recurrence_rule: 'daily', scheduled_start: at(-100, 1), scheduled_end: at(-100, 2) })
    const its = await children(parent.id)
    expect(its.length).toBeGreaterThanOrEqual(364)
    expect(its.every(({ scheduled_start }) => Date.parse(scheduled_start) >= Date.now() - 60_000)).toBe(true)
  })

  it('is filled further as time passes, by several hubs at once, without an entry in the audit log', async () => {
    const { admin, plan, children } = await maintained()
    const parent = await plan({ recurrence_rule: 'monthly' })
    const before = await children(parent.id)
    const now = new Date(Date.now() + 61 * DAY_MS)
    await Promise.all([1, 2, 3].map(() => fillRecurrences(hub.deps.pools.system, now)))
    const after = await children(parent.id)
    expect(after.length).toBe(before.length + 2)
    expect(new Set(after.map(({ scheduled_start }) => scheduled_start)).size).toBe(after.length)
    expect(await audited(admin)).toHaveLength(1)
    await fillRecurrences(hub.deps.pools.system, now)
    expect(await children(parent.id)).toHaveLength(after.length)
  })

  it('that cannot be filled holds up no other', async () => {
    const [bad, good] = [await maintained(), await maintained()]
    const broken = await bad.plan({ recurrence_rule: 'monthly' })
    const parent = await good.plan({ recurrence_rule: 'monthly' })
    // a zone of another version of the time zone database
    await hub.owner`update tenants set time_zone = 'Mars/Olympus' where id = ${bad.admin.tenantId}`
    await hub.owner`update maintenance_events set next_occurrence_at = '2020-01-01' where id = ${broken.id}`
    const before = await good.children(parent.id)
    const filling = fillRecurrences(hub.deps.pools.system, new Date(Date.now() + 61 * DAY_MS))
    await expect(filling).rejects.toThrow('1 series of maintenance could not be filled.')
    expect(await good.children(parent.id)).toHaveLength(before.length + 2)
    await hub.owner`update maintenance_events set next_occurrence_at = null where id = ${broken.id}`
  })

  it('lasts as long in each occurrence, to the second, whatever the time zone of the database session', async () => {
    const { admin, plan, children } = await maintained()
    const parent = await plan({ recurrence_rule: 'daily', scheduled_end: at(11, 6) })
    await hub.owner`delete from maintenance_events where parent_event_id = ${parent.id}`
    await hub.owner`update maintenance_events set next_occurrence = 1, next_occurrence_at = now() where id = ${parent.id}`
    const local = postgres(hub.url, { max: 1, connection: { TimeZone: 'Europe/Berlin' } })
    try {
      await fillRecurrences(local, new Date())
    } finally {
      await local.end()
    }
    const length = (event: Event) => Date.parse(event.scheduled_end) - Date.parse(event.scheduled_start)
    expect(new Set((await children(parent.id)).map(length))).toEqual(new Set([length(parent)]))
    expect((await audited(admin)).length).toBe(1)
  })

  it('makes no deleted child again', async () => {
    const { operator, plan, children } = await maintained()
    const parent = await plan({ recurrence_rule: 'monthly' })
    const before = await children(parent.id)
    const [gone] = before
    await operator.call('DELETE', `maintenance/${gone?.id}`)
    await operator.call('DELETE', `maintenance/${before.at(-1)?.id}`)
    await fillRecurrences(hub.deps.pools.system, new Date())
    await operator.call('PUT', `maintenance/${parent.id}`, { scheduled_start: at(10, 1) })
    await fillRecurrences(hub.deps.pools.system, new Date())
    expect(await children(parent.id)).toHaveLength(before.length - 2)
  })

  it('passes changes of its parent to children that have neither started nor been changed by themselves, with one entry in the audit log', async () => {
    const { admin, plan, change, children, get } = await maintained()
    const parent = await plan({ recurrence_rule: 'weekly' })
    const [started, edited, cancelled, plain] = (await children(parent.id)) as [Event, Event, Event, Event]
    await change(started.id, { status: 'in_progress' })
    await change(edited.id, { title: 'Special' })
    await change(cancelled.id, { status: 'cancelled' })
    const before = (await audited(admin)).length
    const shift = 26 * 3_600_000
    const moved = (instant: string) => new Date(Date.parse(instant) + shift).toISOString()
    await change(parent.id, {
      title: 'Oil and filter',
      scheduled_start: moved(parent.scheduled_start),
      scheduled_end: moved(parent.scheduled_end),
    })
    expect(await get(plain.id)).toMatchObject({
      title: 'Oil and filter',
      scheduled_start: moved(plain.scheduled_start),
      scheduled_end: moved(plain.scheduled_end),
    })
    for (const same of [started, edited, cancelled]) expect((await get(same.id)).scheduled_start).toBe(same.scheduled_start)
    expect((await get(edited.id)).title).toBe('Special')
    expect((await audited(admin)).length).toBe(before + 1)
  })

  it('cancels with its parent what has not started, and makes no further children', async () => {
    const { plan, change, children } = await maintained()
    const parent = await plan({ recurrence_rule: 'monthly' })
    const [edited] = (await children(parent.id)) as [Event]
    await change(edited.id, { title: 'Special' })
    await change(parent.id, { status: 'cancelled' })
    const its = await children(parent.id)
    expect(its.map(({ status }) => status)).toEqual(['scheduled', ...its.slice(1).map(() => 'cancelled')])
    await fillRecurrences(hub.deps.pools.system, new Date(Date.now() + 90 * DAY_MS))
    expect(await children(parent.id)).toHaveLength(its.length)
  })

  it('goes on when its first occurrence is started and completed', async () => {
    const { plan, change, children } = await maintained()
    const parent = await plan({ recurrence_rule: 'monthly' })
    const before = (await children(parent.id)).length
    await change(parent.id, { status: 'in_progress' })
    await change(parent.id, { status: 'completed' })
    await fillRecurrences(hub.deps.pools.system, new Date(Date.now() + 61 * DAY_MS))
    const its = await children(parent.id)
    expect(its.length).toBe(before + 2)
    expect(its.every(({ status }) => status === 'scheduled')).toBe(true)
  })

  it('is deleted with its parent, except for children that had started or been changed by themselves', async () => {
    const { admin, operator, plan, change, children, get, list } = await maintained()
    const parent = await plan({ recurrence_rule: 'monthly' })
    const [started, edited] = (await children(parent.id)) as [Event, Event]
    await change(started.id, { status: 'in_progress' })
    await change(edited.id, { title: 'Special' })
    const before = (await audited(admin)).length
    expect((await operator.call('DELETE', `maintenance/${parent.id}`)).status).toBe(204)
    expect((await list()).map(({ id }) => id)).toEqual([started.id, edited.id])
    for (const { id } of [started, edited]) expect((await get(id)).parent_event_id).toBeNull()
    expect((await audited(admin)).length).toBe(before + 1)
  })
})

describe('the alert of an event', () => {
  it('is one of its machine', async () => {
    const { admin, key, identifier, plan, operator } = await maintained()
    await admin.call('POST', 'alert-rules', { metric_name: 'temperature', warning_threshold: 80, critical_threshold: 90 })
    await hub.send(key, [{ machine: identifier, value: 95 }])
    const [alert] = (await admin.call('GET', 'alerts')).body.items
    expect(await plan({ linked_alert_id: alert.id })).toMatchObject({ linked_alert_id: alert.id })
    const other = await hub.machine(admin)
    const given = { machine_id: other.id, title: 'Oil', ...times, linked_alert_id: alert.id }
    const { status, body } = await operator.call('POST', 'maintenance', given)
    expect([status, body.errors[0].path, body.errors[0].code]).toEqual([422, 'body.linked_alert_id', 'other_machine'])
  })
})

describe('the work order of an event', () => {
  it('has its machine, title, description, alert and assignee, is due at its end, and has the steps of its checklist', async () => {
    const { admin, operator, key, machine, identifier, plan } = await maintained()
    await admin.call('POST', 'alert-rules', { metric_name: 'temperature', warning_threshold: 80, critical_threshold: 90 })
    await hub.send(key, [{ machine: identifier, value: 95 }])
    const [alert] = (await admin.call('GET', 'alerts')).body.items
    const steps = [{ title: 'Lock', body: 'Main switch' }, { title: 'Drain' }, { title: 'Fill' }]
    const checklist = (await admin.call('POST', 'checklists', { name: 'Oil', steps })).body
    const links = { checklist_id: checklist.id, assigned_to: operator.userId, linked_alert_id: alert.id }
    const event = await plan({ ...links, title: 'x'.repeat(300), description: 'Filter' })
    const { status, body: order } = await operator.call('POST', `maintenance/${event.id}/work-order`)
    expect([status, order]).toEqual([
      201,
      expect.objectContaining({
        machine_id: machine.id,
        maintenance_event_id: event.id,
        alert_id: alert.id,
        title: `${'x'.repeat(254)}…`,
        description: 'Filter',
        assigned_to: operator.userId,
        due_date: event.scheduled_end,
        status: 'open',
      }),
    ])
    const { items } = (await operator.call('GET', `work-orders/${order.id}/instructions`)).body
    expect(items.map((item: Record<string, unknown>) => [item.step_order, item.title, item.body])).toEqual([
      [1, 'Lock', 'Main switch'],
      [2, 'Drain', null],
      [3, 'Fill', null],
    ])
  })

  it('is one while it is open, also when two people create it at once, and can be created again afterwards', async () => {
    const { operator, plan } = await maintained()
    const { id } = await plan()
    const create = () => operator.call('POST', `maintenance/${id}/work-order`)
    const answers = await Promise.all([create(), create()])
    expect(answers.map(({ status, body }) => body.code ?? status).toSorted()).toEqual([201, 'work_order_exists'])
    const order = answers.find(({ status }) => status === 201)?.body
    await operator.call('PATCH', `work-orders/${order.id}`, { status: 'completed' })
    expect((await create()).status).toBe(201)
    expect((await operator.call('DELETE', `maintenance/${id}`)).status).toBe(204)
    expect((await operator.call('GET', `work-orders/${order.id}`)).body.maintenance_event_id).toBe(id)
  })

  it('is refused for an unknown event', async () => {
    const { operator } = await maintained()
    expect((await operator.call('POST', `maintenance/${randomUUID()}/work-order`)).body.code).toBe('maintenance_event_not_found')
  })
})
