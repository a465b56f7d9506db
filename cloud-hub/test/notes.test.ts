import { randomUUID } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createApp } from '../src/app.ts'
import { createGroupGate } from '../src/features/plant/machine-groups/index.ts'
import { Live } from '../src/features/stream/index.ts'
import { sendWorkMessages } from '../src/features/work/messages/index.ts'
import { createLogger } from '../src/support/logger.ts'
import { openStream } from './event-stream.ts'
import { plant, type TestUser, useHub } from './harness.ts'
import { mailsTo } from './mailbox.ts'

const hub = useHub()
const START = '2026-01-31T09:00:00.000Z'
const END = '2026-01-31T09:40:00.000Z'
const codeOf = ({ status, body }: { status: number; body: { code?: string; errors?: { code: string }[] } }) => [
  status,
  body.errors?.[0]?.code ?? body.code,
]
const bodies = (answer: { body: { items: { body: string }[] } }) => answer.body.items.map(({ body }) => body)

/** A plant: a site with a line, which has a machine; and a machine elsewhere. */
async function site() {
  const made = await plant(hub)
  const { admin, machine } = made
  const other = await hub.machine(admin, { name: 'Oven' })
  const group = async (body: object) => (await admin.call('POST', 'machine-groups', body)).body.id as string
  const ulm = await group({ name: 'Ulm', group_type: 'site' })
  const line = await group({ name: 'Line 1', group_type: 'line', parent_id: ulm, machine_ids: [machine.id] })
  const note = (by: TestUser, values: object) => by.call('POST', 'notes', { starts_at: START, body: 'New oil', ...values })
  return { ...made, other, ulm, line, note }
}

describe('a note', () => {
  it('is about an instant or a range of a machine, with the name of its author', async () => {
    const { admin, machine, note } = await site()
    const operator = await hub.colleague(admin, 'operator')
    const { status, body } = await note(operator, { machine_id: machine.id, ends_at: END })
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(String),
        machine_id: machine.id,
        group_id: null,
        subject_name: 'Press 1',
        starts_at: START,
        ends_at: END,
        body: 'New oil',
        mention_ids: [],
        author_id: operator.userId,
        author_name: (await operator.call('GET', 'auth/me')).body.full_name,
        created_at: expect.any(String),
        updated_at: expect.any(String),
        version: expect.any(String),
      },
    ])
    expect((await admin.call('GET', `notes/${body.id}`)).body).toEqual(body)
    const { body: changed } = await operator.call('PATCH', `notes/${body.id}`, { ends_at: null, body: 'Oil 46' })
    expect(changed).toMatchObject({ ends_at: null, body: 'Oil 46', starts_at: START })
    const audited = (await admin.call('GET', 'audit-log?target_type=note')).body.items
    expect(audited.map((entry: { action: string }) => entry.action)).toEqual(['note.updated', 'note.created'])
  })

  it.each([
    ['required', { machine_id: undefined }],
    ['exclusive', { group_id: randomUUID() }],
    ['not_after', { ends_at: START }],
    ['max_range_days', { ends_at: '2027-02-01T09:00:00.001Z' }],
    ['empty', { body: '' }],
    ['max_characters', { body: 'x'.repeat(2_001) }],
    ['invalid_date_time', { starts_at: 'yesterday' }],
  ])('with the fault %s is refused', async (code, values) => {
    const { admin, machine, note } = await site()
    expect(codeOf(await note(admin, { machine_id: machine.id, ...values }))).toEqual([422, code])
  })

  it('has at most 2,000 characters, 366 days and 20 mentions', async () => {
    const { admin, machine, note } = await site()
    const longest = { body: 'x'.repeat(2_000), ends_at: '2027-02-01T09:00:00.000Z' }
    expect((await note(admin, { machine_id: machine.id, ...longest })).status).toBe(201)
    const ids = (n: number) => Array.from({ length: n }, () => randomUUID())
    expect((await note(admin, { machine_id: machine.id, mention_ids: ids(21) })).status).toBe(422)
    expect(codeOf(await note(admin, { machine_id: machine.id, mention_ids: ids(20) }))).toEqual([404, 'user_not_found'])
  })

  it('until the last day of the calendar ends with it', async () => {
    const { admin, machine, note } = await site()
    const { status, body } = await note(admin, { machine_id: machine.id, starts_at: '9999-12-31', ends_at: '9999-12-31' })
    expect([status, body.ends_at]).toEqual([201, '9999-12-31T23:59:59.999Z'])
  })

  it('of an unknown machine, group or note is not found, also when another tenant has it', async () => {
    const { note } = await site()
    const theirs = await site()
    const { admin } = await site()
    const { body: foreign } = await theirs.note(theirs.admin, { machine_id: theirs.machine.id })
    expect(codeOf(await note(admin, { machine_id: theirs.machine.id }))).toEqual([404, 'machine_not_found'])
    expect(codeOf(await note(admin, { group_id: theirs.ulm }))).toEqual([404, 'machine_group_not_found'])
    for (const method of ['GET', 'PATCH', 'DELETE'])
      expect(codeOf(await admin.call(method, `notes/${foreign.id}`, method === 'PATCH' ? {} : undefined))).toEqual([
        404,
        'note_not_found',
      ])
    expect((await admin.call('GET', `notes?machine_id=${theirs.machine.id}`)).body.items).toEqual([])
  })

  it('is changed and deleted by its author and by admins, and read by viewers', async () => {
    const { admin, machine, note } = await site()
    const [author, other, viewer] = [
      await hub.colleague(admin, 'operator'),
      await hub.colleague(admin, 'operator'),
      await hub.colleague(admin, 'viewer'),
    ]
    const { id } = (await note(author, { machine_id: machine.id })).body
    expect(codeOf(await other.call('PATCH', `notes/${id}`, { body: 'x' }))).toEqual([403, 'not_author'])
    expect(codeOf(await other.call('DELETE', `notes/${id}`))).toEqual([403, 'not_author'])
    expect(bodies(await viewer.call('GET', 'notes'))).toEqual(['New oil'])
    expect(codeOf(await note(viewer, { machine_id: machine.id }))).toEqual([403, 'role_insufficient'])
    expect((await admin.call('PATCH', `notes/${id}`, { body: 'By the admin' })).body).toMatchObject({
      body: 'By the admin',
      author_id: author.userId,
    })
    expect((await author.call('DELETE', `notes/${id}`)).status).toBe(204)
    expect(codeOf(await author.call('GET', `notes/${id}`))).toEqual([404, 'note_not_found'])
  })

  it('stays within 10,000 of a machine', async () => {
    const { admin, machine, other, note } = await site()
    await hub.owner`
      insert into notes (tenant_id, machine_id, starts_at, body, author_id, author_name)
      select ${admin.tenantId}, ${machine.id}, now(), 'x', ${admin.userId}, 'x' from generate_series(1, 9999)`
    expect((await note(admin, { machine_id: machine.id })).status).toBe(201)
    expect(codeOf(await note(admin, { machine_id: machine.id }))).toEqual([409, 'too_many_notes'])
    expect((await note(admin, { machine_id: other.id })).status).toBe(201)
  })

  it('goes with its group', async () => {
    const { admin, ulm, note } = await site()
    const { id } = (await note(admin, { group_id: ulm })).body
    await admin.call('DELETE', `machine-groups/${ulm}`)
    expect(await hub.owner`select from notes where id = ${id}`).toHaveLength(0)
  })

  it('of others about a group keeps operators from deleting it, but not its admins', async () => {
    const { admin, ulm, line, note } = await site()
    const [olga, max] = [await hub.colleague(admin, 'operator'), await hub.colleague(admin, 'operator')]
    for (const group_id of [ulm, line]) expect((await note(olga, { group_id })).status).toBe(201)
    expect(codeOf(await max.call('DELETE', `machine-groups/${line}`))).toEqual([403, 'not_author'])
    expect((await olga.call('DELETE', `machine-groups/${line}`)).status).toBe(204)
    expect((await admin.call('DELETE', `machine-groups/${ulm}`)).status).toBe(204)
  })
})

describe('GET /notes', () => {
  it('lists the notes of a machine, and with its groups those of its line and site, the latest first', async () => {
    const { admin, machine, other, ulm, line, note } = await site()
    await note(admin, { machine_id: machine.id, body: 'machine', starts_at: '2026-01-03' })
    await note(admin, { group_id: ulm, body: 'site', starts_at: '2026-01-02' })
    await note(admin, { group_id: line, body: 'line', starts_at: '2026-01-01' })
    await note(admin, { machine_id: other.id, body: 'elsewhere', starts_at: '2026-01-04' })
    const list = async (query: string) => bodies(await admin.call('GET', `notes?${query}`))
    expect(await list('')).toEqual(['elsewhere', 'machine', 'site', 'line'])
    expect(await list(`machine_id=${machine.id}`)).toEqual(['machine'])
    expect(await list(`machine_id=${machine.id}&with_groups=true`)).toEqual(['machine', 'site', 'line'])
    expect(await list(`machine_id=${other.id}&with_groups=true`)).toEqual(['elsewhere'])
    expect(await list(`group_id=${ulm}`)).toEqual(['machine', 'site', 'line'])
    expect(await list(`group_id=${line}`)).toEqual(['machine', 'line'])
    const { body } = await admin.call('GET', 'notes?page=2&page_size=3')
    expect([body.items.length, body.pagination]).toEqual([1, { total: 4, page: 2, page_size: 3 }])
  })

  it('answers what touches a range, both ends of which count', async () => {
    const { admin, machine, note } = await site()
    const on = (body: string, starts_at: string, ends_at?: string) =>
      note(admin, { machine_id: machine.id, body, starts_at, ends_at })
    await on('before', '2026-01-01T07:59:59.999Z')
    await on('ends at the begin', '2026-01-01T07:00:00Z', '2026-01-01T08:00:00Z')
    await on('reaches in', '2026-01-01T07:00:00Z', '2026-01-01T08:00:00.001Z')
    await on('begins with it', '2026-01-01T08:00:00Z')
    await on('covers it', '2025-12-01', '2026-02-01')
    await on('last', '2026-01-01T08:59:59.999Z')
    await on('after', '2026-01-01T09:00:00Z')
    const found = bodies(await admin.call('GET', 'notes?from=2026-01-01T08:00Z&to=2026-01-01T09:00Z'))
    expect(found).toEqual(['last', 'begins with it', 'reaches in', 'covers it'])
    expect(codeOf(await admin.call('GET', 'notes?from=2026-01-02&to=2026-01-01'))).toEqual([422, 'not_after'])
  })

  it('finds the notes of a machine and its groups by their indexes', async () => {
    const { admin, machine } = await site()
    const plan = await hub.owner.begin(async (sql) => {
      await sql`set local enable_seqscan = off`
      return sql`explain select * from notes n where n.tenant_id = ${admin.tenantId} and (n.machine_id = ${machine.id} or n.group_id = any(array(
        select group_id from machine_group_members where tenant_id = ${admin.tenantId} and machine_id = ${machine.id})))`
    })
    expect(JSON.stringify(plan)).toContain('notes_machine_idx')
    expect(JSON.stringify(plan)).toContain('notes_group_idx')
  })

  it('shows an access token for some groups no notes about groups that contain its own', async () => {
    const { admin, machine, ulm, line, note } = await site()
    await note(admin, { machine_id: machine.id, body: 'machine' })
    await note(admin, { group_id: ulm, body: 'site' })
    await note(admin, { group_id: line, body: 'line' })
    const scopes = ['work:read', 'work:write', 'production:read']
    const made = await admin.call('POST', 'tokens', { name: 'x', scopes, expires_in_days: 30, group_ids: [line] })
    const call = (method: string, path: string, body?: unknown) =>
      hub.call(method, path, body, { authorization: `Bearer ${made.body.token}` })
    expect(bodies(await call('GET', 'notes')).toSorted()).toEqual(['line', 'machine'])
    expect(bodies(await call('GET', `notes?machine_id=${machine.id}&with_groups=true`))).toEqual(['machine'])
    expect(codeOf(await call('POST', 'notes', { group_id: ulm, starts_at: START, body: 'x' }))).toEqual([
      403,
      'token_outside_groups',
    ])
    expect((await call('POST', 'notes', { machine_id: machine.id, starts_at: START, body: 'x' })).status).toBe(201)
  })
})

describe('a mention', () => {
  const emailOf = async ({ userId }: TestUser) => (await hub.owner`select email from users where id = ${userId}`)[0]?.email
  const sent = async (user: TestUser) => {
    await sendWorkMessages({ ...hub.deps, allTenants: hub.deps.pools.system })
    return mailsTo(hub, await emailOf(user))
  }

  it('notifies each user once, with a link to the charts, and not the author', async () => {
    const { admin, machine, note } = await site()
    const [olga, max] = [await hub.colleague(admin, 'operator'), await hub.colleague(admin, 'viewer')]
    const mention_ids = [olga.userId, olga.userId, admin.userId]
    const { body } = await note(admin, { machine_id: machine.id, ends_at: END, mention_ids })
    expect(body.mention_ids).toEqual([olga.userId, admin.userId])
    const [mail, ...more] = await sent(olga)
    expect(more).toEqual([])
    expect(mail?.subject).toMatch(/mentions you in a note about Press 1$/)
    expect(mail?.paragraphs.at(-1)).toBe('New oil')
    expect(mail?.button?.url).toContain(`/machines/${machine.id}?from=2026-01-31T08%3A00%3A00.000Z&to=2026-01-31T10%3A40`)
    expect(await sent(admin)).toEqual([])
    await admin.call('PATCH', `notes/${body.id}`, { mention_ids: [olga.userId, max.userId], body: 'Oil 46' })
    expect(await sent(olga)).toHaveLength(1)
    expect((await sent(max)).map(({ paragraphs }) => paragraphs.at(-1))).toEqual(['Oil 46'])
    for (const mention_ids of [[], [olga.userId]]) await admin.call('PATCH', `notes/${body.id}`, { mention_ids })
    expect(await sent(olga)).toHaveLength(1)
  })

  it('in a note about a site leads to the charts of one of its machines', async () => {
    const { admin, machine, ulm, line, note } = await site()
    const olga = await hub.colleague(admin, 'operator')
    await note(admin, { group_id: line, mention_ids: [olga.userId] })
    await note(admin, { group_id: ulm, mention_ids: [olga.userId] })
    const empty = (await admin.call('POST', 'machine-groups', { name: 'Empty', group_type: 'line' })).body.id
    await note(admin, { group_id: empty, mention_ids: [olga.userId] })
    const links = (await sent(olga)).map(({ button }) => button?.url ?? '')
    expect(links.filter((link) => link.includes(`/machines/${machine.id}?from=`))).toHaveLength(2)
    expect(links.filter((link) => link.endsWith('/machines/groups'))).toHaveLength(1)
  })

  it('of somebody who is inactive, unknown or of another tenant is refused', async () => {
    const { admin, machine, note } = await site()
    const gone = await hub.colleague(admin, 'operator')
    const kept = (await note(admin, { machine_id: machine.id, mention_ids: [gone.userId] })).body
    await admin.call('DELETE', `users/${gone.userId}`)
    const mention = (id: string) => note(admin, { machine_id: machine.id, mention_ids: [id] })
    expect(codeOf(await mention(gone.userId))).toEqual([422, 'inactive_user'])
    expect(codeOf(await mention((await hub.admin()).userId))).toEqual([404, 'user_not_found'])
    const { status, body } = await admin.call('PATCH', `notes/${kept.id}`, { body: 'x', mention_ids: [gone.userId] })
    expect([status, body.mention_ids]).toEqual([200, [gone.userId]])
  })
})

describe('notes elsewhere', () => {
  it('the handover of a shift lists those of its machine and of its site that touch the shift', async () => {
    const { admin, machine, other, ulm, note } = await site()
    const shift = await admin.call('POST', 'shifts/definitions', { name: 'Early', start_time: '06:00', end_time: '14:00' })
    const log = await admin.call('POST', 'shifts/logs', {
      machine_id: machine.id,
      shift_definition_id: shift.body.id,
      shift_date: '2025-12-01',
      actual_start: '2025-12-01T06:00Z',
      actual_end: '2025-12-01T14:00Z',
    })
    await note(admin, { machine_id: machine.id, body: 'during', starts_at: '2025-12-01T13:59:59.999Z' })
    await note(admin, { group_id: ulm, body: 'site', starts_at: '2025-12-01T06:00Z' })
    await note(admin, { machine_id: machine.id, body: 'after', starts_at: '2025-12-01T14:00Z' })
    await note(admin, { machine_id: other.id, body: 'elsewhere', starts_at: '2025-12-01T08:00Z' })
    const { status, body } = await admin.call('GET', `shifts/logs/${log.body.id}/handover`)
    expect([status, body.notes?.map((one: { body: string }) => one.body)]).toEqual([200, ['site', 'during']])
  })

  it('the stream sends them when written, changed and deleted; one of single machines not those about groups', async () => {
    const { admin, machine, ulm, note } = await site()
    const { pools, keys, clock } = hub.deps
    const deps = { system: pools.system, keys, groups: createGroupGate({ pools }), clock, logger: createLogger('silent') }
    const live = new Live(deps, { pollMs: 50, heartbeatMs: 15_000, stuckMs: 30_000 })
    onTestFinished(() => live.stop())
    const { app } = createApp({ ...hub.deps, live }, { checkAnswers: true })
    const whole = await openStream(app, admin)
    const ofSite = await openStream(app, admin, { query: `?group_id=${ulm}` })
    const ofMachine = await openStream(app, admin, { query: `?machine_id=${machine.id}` })
    for (const client of [whole, ofSite, ofMachine]) await client.next('ready')
    const about = (await note(admin, { group_id: ulm, body: 'site' })).body
    for (const client of [whole, ofSite]) expect(await client.next('note')).toEqual(about)
    const own = (await note(admin, { machine_id: machine.id, body: 'machine' })).body
    for (const client of [whole, ofSite, ofMachine]) expect(await client.next('note', ({ id }) => id === own.id)).toEqual(own)
    await admin.call('DELETE', `notes/${about.id}`)
    for (const client of [whole, ofSite])
      expect(await client.next('deleted')).toEqual({ kind: 'note', id: about.id, machine_id: null })
    await admin.call('DELETE', `notes/${own.id}`)
    expect(await ofMachine.next('deleted')).toEqual({ kind: 'note', id: own.id, machine_id: machine.id })
    expect(ofMachine.events.filter(({ data }) => data.id === about.id)).toEqual([])
  })
})
