import ICAL from 'ical.js'
import nodeIcal, { type VEvent } from 'node-ical'
import { describe, expect, it } from 'vitest'
import { plant, type TestUser, useHub } from './harness.ts'

const hub = useHub()

const at = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().replace(/\.\d{3}Z/, '.000Z')

async function subscribe(user: TestUser) {
  const { status, body } = await user.call('POST', 'calendar-tokens', { label: 'Phone' })
  expect(status).toBe(201)
  const path = new URL(body.url).pathname
  return { ...(body as { id: string; url: string }), path, read: (headers = {}) => hub.call('GET', path, undefined, headers) }
}

/** Both parsers' view of an answer, by UID. */
function parsed(text: string) {
  const component = new ICAL.Component(ICAL.parse(text))
  const first = component.getAllSubcomponents('vevent').map((vevent) => {
    const event = new ICAL.Event(vevent)
    return {
      uid: event.uid,
      summary: event.summary,
      description: event.description,
      location: event.location,
      start: event.startDate.toJSDate().toISOString(),
      end: event.endDate.toJSDate().toISOString(),
      status: vevent.getFirstPropertyValue('status'),
      sequence: event.sequence,
    }
  })
  const second = Object.values(nodeIcal.sync.parseICS(text))
    .filter((one): one is VEvent => one?.type === 'VEVENT')
    .map((event) => ({
      uid: event.uid,
      summary: event.summary,
      description: event.description ?? null,
      location: event.location ?? null,
      start: event.start.toISOString(),
      end: event.end?.toISOString(),
      status: event.status,
      sequence: Number(event.sequence),
    }))
  return [first, second]
}

async function planned() {
  const { admin, machine } = await plant(hub)
  const plan = async (values: object = {}) =>
    (
      await admin.call('POST', 'maintenance', {
        machine_id: machine.id,
        title: 'Oil',
        scheduled_start: at(3),
        scheduled_end: at(4),
        ...values,
      })
    ).body
  return { admin, machine, plan, ...(await subscribe(admin)) }
}

describe('a calendar', () => {
  it('says the same to two independent parsers, difficult texts included', async () => {
    const { admin, machine, plan, read } = await planned()
    const title = 'Öl, Filter; "Ø 8" \\ 漢字 🔧 '.repeat(6).trim()
    await admin.call('PATCH', `machines/${machine.id}`, { name: 'Press, 1', location: 'Hall 3; north' })
    const event = await plan({ title, description: 'One\r\ntwo: BEGIN:VEVENT\u0007' })
    const { status, body, headers } = await read()
    expect([status, headers.get('content-type'), headers.get('x-robots-tag')]).toEqual([
      200,
      'text/calendar; charset=utf-8',
      'noindex',
    ])
    const expected = {
      uid: `maintenance-${event.id}@haltless`,
      summary: `Press, 1: ${title}`,
      description: 'One\ntwo: BEGIN:VEVENT ',
      location: 'Hall 3; north',
      start: event.scheduled_start,
      end: event.scheduled_end,
      status: 'CONFIRMED',
      sequence: 0,
    }
    const [first, second] = parsed(body)
    expect(first).toEqual([expected])
    expect(second?.map((one) => ({ ...one, description: String(one.description).trimEnd() }))).toEqual([
      { ...expected, description: expected.description.trimEnd() },
    ])
    expect(body).not.toMatch(/TZID|RRULE|VTIMEZONE/)
    expect(body).toMatch(/\r\nDTSTART:\d{8}T\d{6}Z\r\n/)
    expect(body.split('\r\n').every((line: string) => Buffer.byteLength(line) <= 75)).toBe(true)
  })

  it('keeps the UID and raises the SEQUENCE with each change, and shows a cancelled event as such', async () => {
    const { admin, plan, read } = await planned()
    const { id } = await plan()
    const view = async () =>
      parsed((await read()).body).map((events) => events.map(({ uid, sequence, status }) => [uid, sequence, status]))
    const both = (sequence: number, status: string) => Array(2).fill([[`maintenance-${id}@haltless`, sequence, status]])
    await admin.call('PUT', `maintenance/${id}`, { title: 'Oil and filter' })
    expect(await view()).toEqual(both(1, 'CONFIRMED'))
    await admin.call('PUT', `maintenance/${id}`, { scheduled_end: at(5) })
    expect(await view()).toEqual(both(2, 'CONFIRMED'))
    await admin.call('PUT', `maintenance/${id}`, { status: 'cancelled' })
    expect(await view()).toEqual(both(3, 'CANCELLED'))
    await admin.call('DELETE', `maintenance/${id}`)
    expect(await view()).toEqual([[], []])
  })

  it('has each occurrence of a series as an event of its own, whose SEQUENCE rises when its parent moves', async () => {
    const { admin, plan, read } = await planned()
    const parent = await plan({ recurrence_rule: 'monthly' })
    const [before] = parsed((await read()).body)
    expect(before?.length).toBeGreaterThanOrEqual(12)
    expect(new Set(before?.map(({ uid }) => uid)).size).toBe(before?.length)
    await admin.call('PUT', `maintenance/${parent.id}`, { scheduled_end: at(5), title: 'Oil and filter' })
    const [after] = parsed((await read()).body)
    expect(after?.map(({ uid }) => uid)).toEqual(before?.map(({ uid }) => uid))
    expect(after?.every(({ sequence }) => sequence === 1)).toBe(true)
  })

  it('has a new SEQUENCE for an occurrence that changes with its parent and keeps its times', async () => {
    const { admin, plan } = await planned()
    const times = { scheduled_start: '2027-01-30T08:00:00Z', scheduled_end: '2027-01-30T09:00:00Z' }
    const { id } = await plan({ recurrence_rule: 'monthly', ...times })
    const later = { scheduled_start: '2027-01-31T08:00:00Z', scheduled_end: '2027-01-31T09:00:00Z' }
    await admin.call('PUT', `maintenance/${id}`, { ...later, title: 'Oil and filter' })
    // 28 February stands for the 30th and for the 31st
    const children = await hub.owner<{ day: string; sequence: number }[]>`
      select to_char(scheduled_start at time zone 'UTC', 'MM-DD') as day, sequence from maintenance_events
      where parent_event_id = ${id} order by scheduled_start limit 2`
    expect(children).toEqual([
      { day: '02-28', sequence: 1 },
      { day: '03-31', sequence: 1 },
    ])
  })

  it('has events of the last 90 days and to come, and none of another tenant', async () => {
    const { plan, read } = await planned()
    const other = await planned()
    await other.plan({ title: 'Theirs' })
    await plan({ title: 'Old', scheduled_start: at(-92), scheduled_end: at(-91) })
    await plan({ title: 'Recent', scheduled_start: at(-90), scheduled_end: at(-89) })
    const [events] = parsed((await read()).body)
    expect(events?.map(({ summary }) => summary)).toEqual(['Press 1: Recent'])
    expect(parsed((await other.read()).body)[1]?.map(({ summary }) => summary)).toEqual(['Press 1: Theirs'])
  })

  it('has 1,000 characters of a description, and the rest behind its link', async () => {
    const { plan, read } = await planned()
    await plan({ title: 'Short', description: 'ü'.repeat(1_000) })
    await plan({ title: 'Long', description: '🔧'.repeat(1_001) })
    const [events] = parsed((await read()).body)
    expect(Object.fromEntries((events ?? []).map(({ summary, description }) => [summary, description]))).toEqual({
      'Press 1: Short': 'ü'.repeat(1_000),
      'Press 1: Long': `${'🔧'.repeat(999)}…`,
    })
  })

  it('has a new ETag when what it shows of a machine changes', async () => {
    const { admin, machine, plan, read } = await planned()
    await plan()
    const tags = new Set<string | null>()
    for (const values of [{}, { name: 'Press, 1' }, { location: 'Hall 3' }]) {
      await admin.call('PATCH', `machines/${machine.id}`, values)
      for (let i = 0; i < 2; i++) tags.add((await read()).headers.get('etag'))
    }
    expect(tags.size).toBe(3)
  })

  it('answers 304 to a reader who has it, until it changes', async () => {
    const { plan, read } = await planned()
    await plan()
    const etag = (await read()).headers.get('etag') ?? ''
    expect((await read({ 'if-none-match': etag })).status).toBe(304)
    expect((await read({ 'if-none-match': `"other", W/${etag}` })).status).toBe(304)
    await plan()
    expect((await read({ 'if-none-match': etag })).status).toBe(200)
  })
})

describe('a calendar token', () => {
  it('is shown once, stored as a hash, and listed with its last use', async () => {
    const { admin, id, url, read } = await planned()
    expect(url).toMatch(/^http:\/\/hub\.test\/calendars\/hc_[\w-]{43}\.ics$/)
    const list = async () => (await admin.call('GET', 'calendar-tokens')).body
    expect(await list()).toEqual([{ id, label: 'Phone', created_at: expect.any(String), last_used_at: null }])
    await read()
    expect((await list())[0].last_used_at).toEqual(expect.any(String))
    const [row] = await hub.owner`select * from calendar_tokens where id = ${id}`
    expect(JSON.stringify(row)).not.toContain(url.slice(-40, -4))
    const trail = JSON.stringify((await admin.call('GET', 'audit-log?target_type=calendar_token')).body.items)
    expect(trail).toContain('"token_hash":"***"')
    expect(trail).not.toContain(row?.token_hash)
  })

  it('ends when it is revoked, which only its user can do', async () => {
    const { admin, id, read } = await planned()
    const colleague = await hub.colleague(admin, 'admin')
    expect((await colleague.call('DELETE', `calendar-tokens/${id}`)).body.code).toBe('calendar_token_not_found')
    expect((await colleague.call('GET', 'calendar-tokens')).body).toEqual([])
    expect((await admin.call('DELETE', `calendar-tokens/${id}`)).status).toBe(204)
    expect([(await read()).status, (await read()).body.code]).toEqual([404, 'calendar_token_not_found'])
  })

  it('ends with the deactivation of its user, and does not come back', async () => {
    const { admin } = await planned()
    const colleague = await hub.colleague(admin, 'viewer')
    const { read } = await subscribe(colleague)
    expect((await read()).status).toBe(200)
    for (const is_active of [false, true]) {
      await admin.call('PATCH', `users/${colleague.userId}`, { is_active })
      expect((await read()).status).toBe(404)
    }
  })

  it.each(['x.ics', 'hc_x.ics', `hc_${'A'.repeat(43)}.ics`, `hc_${'A'.repeat(43)}`, '%00.ics'])(
    'that nobody has answers 404: %s',
    async (file) => {
      expect((await hub.call('GET', `/calendars/${file}`)).status).toBe(404)
    },
  )

  it('is refused after the 20th of a user, also when two are created at once', async () => {
    const { admin } = await planned()
    const answers = await Promise.all(Array.from({ length: 21 }, () => admin.call('POST', 'calendar-tokens', { label: 'x' })))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(19)
    expect(answers.find(({ status }) => status !== 201)?.body.code).toBe('too_many_calendar_tokens')
  })

  it('does not appear in the log, in an address that is written wrongly either', async () => {
    const { path, read } = await planned()
    const wrong = [
      `/${path}`,
      `/hub${path}`,
      path.replace('calendars', 'calendar'),
      path.toUpperCase(),
      path.replace('hc_', '%68c_'),
    ]
    const lines: unknown[] = []
    const { logger } = hub.deps
    const original = logger.debug.bind(logger)
    logger.debug = ((line: unknown) => lines.push(line)) as typeof logger.debug
    try {
      await read()
      for (const one of wrong) await hub.call('GET', one)
    } finally {
      logger.debug = original
    }
    expect(lines).toHaveLength(1 + wrong.length)
    expect(JSON.stringify(lines)).toContain('/calendars/***')
    expect(JSON.stringify(lines).toLowerCase()).not.toContain(path.slice(16, 40).toLowerCase())
  })

  it('is limited by address, as anonymous reads are', async () => {
    const { path } = await planned()
    const statuses: number[] = []
    for (let i = 0; i < 31; i++) {
      const calls = Array.from({ length: 20 }, () => hub.call('GET', `${path}x`, undefined, {}, '10.250.0.1'))
      statuses.push(...(await Promise.all(calls)).map(({ status }) => status))
    }
    expect(statuses).toEqual([...Array(600).fill(404), ...Array(20).fill(429)])
  })
})
