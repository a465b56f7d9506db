import { beforeEach, describe, expect, it } from 'vitest'
import { plant, type TestUser, useHub } from './harness.ts'

const hub = useHub()
const HOUR = 3_600_000
const UNKNOWN = '0198c7d4-5a00-7000-8000-0000f5a48bee'
let began = 0
beforeEach(() => {
  began = hub.clock.now().getTime()
})
/** An instant so many hours before the test began. */
const ago = (hours: number) => new Date(began - hours * HOUR).toISOString()

/** A plant whose admin records downtime of its machine. */
async function stoppedPlant() {
  const { admin, machine } = await plant(hub)
  const route = `machines/${machine.id}/downtime`
  const record = (started_at: string, ended_at?: string | null, values: object = {}) =>
    admin.call('POST', route, { started_at, ...(ended_at === undefined ? {} : { ended_at }), ...values })
  const made = async (...given: Parameters<typeof record>) => {
    const answer = await record(...given)
    expect([answer.status, answer.body.code]).toEqual([201, undefined])
    return answer.body
  }
  return { admin, machine, route, record, made }
}
const codeNamed = async (user: TestUser, code: string) =>
  (await user.call('GET', 'reason-codes?active_only=false')).body.find((one: { code: string }) => one.code === code)
/** As detection would store it. */
const automatic = async (admin: TestUser, machineId: string, started_at: string, ended_at: string | null) => {
  const [row] = await hub.owner<{ id: string }[]>`
    insert into downtime_records (tenant_id, machine_id, started_at, ended_at, source)
    values (${admin.tenantId}, ${machineId}, ${started_at}, ${ended_at}, 'automatic') returning id`
  return row?.id as string
}

describe('recording downtime', () => {
  it('an operator records a stop with its reason; a viewer reads it, newest first and in pages', async () => {
    const { admin, machine, route, made } = await stoppedPlant()
    const operator = await hub.colleague(admin, 'operator')
    const code = await codeNamed(admin, 'changeover.tool')
    const [start, end] = [ago(5), ago(4.5)]
    const { status, body } = await operator.call('POST', route, {
      started_at: start,
      ended_at: end,
      reason_code_id: code.id,
      reason_note: 'Tool 7',
    })
    expect([status, body]).toEqual([
      201,
      {
        version: expect.any(String),
        id: expect.any(String),
        machine_id: machine.id,
        machine_name: 'Press 1',
        started_at: start,
        ended_at: end,
        duration_minutes: 30,
        reason_type: 'changeover',
        reason_code_id: code.id,
        reason_code: {
          id: code.id,
          code: 'changeover.tool',
          label: 'Tool change',
          category: 'changeover',
          oee_loss_category: 'availability_loss',
        },
        reason_note: 'Tool 7',
        source: 'manual',
        edited_at: null,
        created_by: operator.userId,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ])
    const later = await made(ago(1))
    expect(later).toMatchObject({ ended_at: null, duration_minutes: null, reason_type: 'unplanned', reason_code: null })
    const viewer = await hub.colleague(admin, 'viewer')
    expect((await viewer.call('GET', route)).body).toEqual([later, body])
    expect((await viewer.call('GET', `${route}?page=2&page_size=1`)).body).toEqual([body])
    expect((await viewer.call('GET', `${route}?page=3&page_size=1`)).body).toEqual([])
    expect((await viewer.call('POST', route, { started_at: start })).status).toBe(403)
  })

  it('a machine has one ongoing record, also when two people press the button at once; ended ones may overlap it', async () => {
    const { record, made } = await stoppedPlant()
    const answers = await Promise.all([record(ago(1)), record(ago(2))])
    expect(answers.map(({ status, body }) => (status === 201 ? 201 : body.code)).toSorted()).toEqual([201, 'downtime_ongoing'])
    await made(ago(3), ago(0.5))
  })

  it('the type of a record is the one given, else the category of its code, else unplanned', async () => {
    const { admin, made } = await stoppedPlant()
    const { id: reason_code_id } = await codeNamed(admin, 'planned.break')
    expect((await made(ago(2), ago(1), { reason_code_id })).reason_type).toBe('planned')
    expect((await made(ago(2), ago(1), { reason_code_id, reason_type: 'maintenance' })).reason_type).toBe('maintenance')
    expect((await made(ago(2), ago(1), { reason_code_id: null })).reason_type).toBe('unplanned')
  })

  it('an end that is a date is the midnight after it, so that the stop of the next day adjoins', async () => {
    const { made } = await stoppedPlant()
    expect(await made('2026-01-05', '2026-01-06')).toMatchObject({
      ended_at: '2026-01-07T00:00:00.000Z',
      duration_minutes: 2_880,
    })
  })

  it.each<[string, () => object, string]>([
    ['a start in the future', () => ({ started_at: ago(-0.01) }), 'body.started_at'],
    ['an end in the future', () => ({ started_at: ago(1), ended_at: ago(-0.01) }), 'body.ended_at'],
    ['an end at its start', () => ({ started_at: '2026-01-05T08:00Z', ended_at: '2026-01-05T08:00Z' }), 'body.ended_at'],
    ['an end before its start', () => ({ started_at: '2026-01-05T08:00Z', ended_at: '2026-01-05T07:00Z' }), 'body.ended_at'],
    ['no start', () => ({ ended_at: ago(1) }), 'body.started_at'],
    ['a start that is no time', () => ({ started_at: 'yesterday' }), 'body.started_at'],
    ['an unknown type', () => ({ started_at: ago(1), reason_type: 'broken' }), 'body.reason_type'],
    ['a note of 2,001 characters', () => ({ started_at: ago(1), reason_note: 'x'.repeat(2_001) }), 'body.reason_note'],
    ['a code that is no id', () => ({ started_at: ago(1), reason_code_id: 'none' }), 'body.reason_code_id'],
  ])('%s is refused', async (_, body, path) => {
    const { admin, route } = await stoppedPlant()
    const answer = await admin.call('POST', route, body())
    expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([422, path])
  })

  it('a note of 2,000 characters and a stop of a millisecond are accepted', async () => {
    const { made } = await stoppedPlant()
    const body = await made('2026-01-05T08:00:00.000Z', '2026-01-05T08:00:00.001Z', { reason_note: '𝕏'.repeat(2_000) })
    expect(body.duration_minutes).toBeCloseTo(1 / 60_000, 12)
  })

  it('an unknown machine or code is refused with 404, an inactive code with 422', async () => {
    const { admin, record } = await stoppedPlant()
    expect((await admin.call('POST', `machines/${UNKNOWN}/downtime`, {})).body.code).toBe('machine_not_found')
    expect((await record(ago(1), null, { reason_code_id: UNKNOWN })).body.code).toBe('reason_code_not_found')
    const stranger = await codeNamed(await hub.admin(), 'breakdown')
    expect((await record(ago(1), null, { reason_code_id: stranger.id })).body.code).toBe('reason_code_not_found')
    const retired = await codeNamed(admin, 'quality')
    await admin.call('PUT', `reason-codes/${retired.id}`, { is_active: false })
    const { status, body } = await record(ago(1), null, { reason_code_id: retired.id })
    expect([status, body.errors[0].path]).toEqual([422, 'body.reason_code_id'])
  })
})

describe('changing a record', () => {
  it('an operator corrects times and reason; what is not named stays, and the audit log notes it', async () => {
    const { admin, route, made } = await stoppedPlant()
    const body = await made(ago(3), null, { reason_note: 'noise' })
    const put = (values: object) => admin.call('PUT', `${route}/${body.id}`, values)
    const end = ago(2)
    expect((await put({ ended_at: end })).body).toMatchObject({ ended_at: end, duration_minutes: 60, reason_note: 'noise' })
    const code = await codeNamed(admin, 'maintenance.corrective')
    expect((await put({ reason_code_id: code.id })).body).toMatchObject({ reason_type: 'maintenance', reason_note: 'noise' })
    expect((await put({ reason_code_id: null, reason_note: '' })).body).toMatchObject({
      reason_type: 'maintenance',
      reason_code: null,
      reason_note: null,
    })
    expect((await put({ started_at: ago(2.5) })).body.duration_minutes).toBeCloseTo(30, 1)
    const before = (await admin.call('GET', route)).body[0]
    expect((await put({})).body).toEqual(before)
    const { items } = (await admin.call('GET', `audit-log?target_id=${body.id}`)).body
    expect(items.map(({ action }: { action: string }) => action)).toEqual([
      'downtime.updated',
      'downtime.updated',
      'downtime.updated',
      'downtime.updated',
      'downtime.created',
    ])
  })

  it('an ended record stays ended, and null leaves an ongoing one ongoing', async () => {
    const { admin, route, made } = await stoppedPlant()
    const ended = await made(ago(3), ago(2))
    expect((await admin.call('PUT', `${route}/${ended.id}`, { ended_at: null })).status).toBe(422)
    const ongoing = await made(ago(1))
    expect((await admin.call('PUT', `${route}/${ongoing.id}`, { ended_at: null, reason_note: 'x' })).body.ended_at).toBeNull()
  })

  it('times that would not ascend or lie in the future are refused', async () => {
    const { admin, route, made } = await stoppedPlant()
    const { id } = await made(ago(3), ago(2))
    for (const values of [{ ended_at: ago(3) }, { started_at: ago(1) }, { ended_at: ago(-1) }, { started_at: ago(-1) }])
      expect((await admin.call('PUT', `${route}/${id}`, values)).status).toBe(422)
  })

  it('a record keeps the inactive code that it has, and gets no other', async () => {
    const { admin, route, made } = await stoppedPlant()
    const [kept, other] = [await codeNamed(admin, 'quality'), await codeNamed(admin, 'waiting')]
    const { id } = await made(ago(2), ago(1), { reason_code_id: kept.id })
    for (const code of [kept, other]) await admin.call('PUT', `reason-codes/${code.id}`, { is_active: false })
    const put = (reason_code_id: string) => admin.call('PUT', `${route}/${id}`, { reason_code_id, reason_note: 'again' })
    expect((await put(kept.id)).status).toBe(200)
    expect((await put(other.id)).status).toBe(422)
  })

  it('a code without a type brings its category, also the code that the record has', async () => {
    const { admin, route, made } = await stoppedPlant()
    const { id: reason_code_id } = await codeNamed(admin, 'waiting')
    const { id } = await made(ago(2), ago(1), { reason_code_id, reason_type: 'planned' })
    const typeAfter = async (body: object) => (await admin.call('PUT', `${route}/${id}`, body)).body.reason_type
    expect(await typeAfter({ reason_note: 'late truck' })).toBe('planned')
    expect(await typeAfter({ reason_code_id, reason_type: 'changeover' })).toBe('changeover')
    expect(await typeAfter({ reason_code_id })).toBe('unplanned')
  })

  it('the first change of an automatic record by a person sets edited_at, once', async () => {
    const { admin, machine, route } = await stoppedPlant()
    const id = await automatic(admin, machine.id, ago(3), ago(2))
    const put = async (values: object) => (await admin.call('PUT', `${route}/${id}`, values)).body
    expect(await put({})).toMatchObject({ source: 'automatic', edited_at: null, created_by: null })
    const { edited_at } = await put({ reason_note: 'jam' })
    expect(edited_at).not.toBeNull()
    expect((await put({ reason_note: 'another' })).edited_at).toBe(edited_at)
  })

  it('ending closes an ongoing record now; of two who press the button one is refused', async () => {
    const { admin, route, made } = await stoppedPlant()
    const { id } = await made(ago(1))
    const end = () => admin.call('POST', `${route}/${id}/end`)
    const answers = await Promise.all([end(), end()])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    const ended = answers.find(({ status }) => status === 200)?.body
    expect(ended.duration_minutes).toBeCloseTo(60, 0)
    expect((await end()).body.code).toBe('downtime_ended')
  })

  it("a record of another machine or tenant is not found, and neither is another tenant's machine", async () => {
    const { admin, route, made } = await stoppedPlant()
    const { id } = await made(ago(1))
    const other = await hub.machine(admin)
    const stranger = await hub.admin()
    expect((await admin.call('PUT', `machines/${other.id}/downtime/${id}`, {})).body.code).toBe('downtime_record_not_found')
    expect((await stranger.call('PUT', `${route}/${id}`, {})).body.code).toBe('machine_not_found')
    expect((await stranger.call('POST', `${route}/${id}/end`)).body.code).toBe('machine_not_found')
  })
})

describe('splitting a record', () => {
  it('a record becomes two that meet, the second with its own reason', async () => {
    const { admin, route, made } = await stoppedPlant()
    const [start, at, end] = [ago(5), ago(4), ago(2)]
    const whole = await made(start, end, { reason_note: 'jam' })
    const code = await codeNamed(admin, 'waiting.material')
    const { status, body } = await admin.call('POST', `${route}/${whole.id}/split`, { at, reason_code_id: code.id })
    expect([status, body]).toEqual([
      201,
      [
        { ...whole, ended_at: at, duration_minutes: 60, updated_at: expect.any(String), version: expect.any(String) },
        expect.objectContaining({
          started_at: at,
          ended_at: end,
          duration_minutes: 120,
          reason_type: 'unplanned',
          reason_code: expect.objectContaining({ code: 'waiting.material' }),
          reason_note: 'jam',
        }),
      ],
    ])
    const { machine_id } = whole
    const summary = (await admin.call('GET', `machines/${machine_id}/uptime-summary`)).body
    expect(summary.downtime_hours).toBeCloseTo(3, 6)
    // One failure, although two records: they adjoin.
    expect((await admin.call('GET', `machines/${machine_id}/mttr-mtbf`)).body).toMatchObject({ failure_event_count: 1 })
  })

  it('the second part of an ongoing record is the ongoing one; of an automatic record both parts count as edited', async () => {
    const { admin, machine, route } = await stoppedPlant()
    const id = await automatic(admin, machine.id, ago(3), null)
    const { body } = await admin.call('POST', `${route}/${id}/split`, { at: ago(1), reason_type: 'maintenance' })
    expect(body).toMatchObject([
      { id, reason_type: 'unplanned', ended_at: expect.any(String), source: 'automatic', edited_at: expect.any(String) },
      { reason_type: 'maintenance', ended_at: null, source: 'automatic', edited_at: expect.any(String) },
    ])
  })

  it('an instant at the start, at the end or outside is refused, and changes nothing', async () => {
    const { admin, route, made } = await stoppedPlant()
    const whole = await made('2026-01-05T08:00Z', '2026-01-05T09:00Z')
    for (const at of ['2026-01-05T07:59Z', '2026-01-05T08:00Z', '2026-01-05T09:00Z', '2026-01-05T09:01Z'])
      expect((await admin.call('POST', `${route}/${whole.id}/split`, { at })).status).toBe(422)
    const ongoing = await made(ago(1))
    expect((await admin.call('POST', `${route}/${ongoing.id}/split`, { at: ago(-1) })).status).toBe(422)
    expect((await admin.call('GET', route)).body).toEqual([ongoing, whole])
    const just = { at: '2026-01-05T08:00:00.001Z' }
    expect((await admin.call('POST', `${route}/${whole.id}/split`, just)).status).toBe(201)
  })
})

describe('merging records', () => {
  const merge = (user: TestUser, route: string, id: string, record_ids: string[]) =>
    user.call('POST', `${route}/${id}/merge`, { record_ids })

  it('records that overlap, adjoin or lie 5 minutes apart become one, which keeps its reason', async () => {
    const { admin, route, made } = await stoppedPlant()
    const a = await made('2026-01-05T08:00Z', '2026-01-05T09:00Z')
    const b = await made('2026-01-05T08:30Z', '2026-01-05T09:30Z', { reason_type: 'maintenance', reason_note: 'bearing' })
    const c = await made('2026-01-05T09:35Z', '2026-01-05T10:00Z')
    const { status, body } = await merge(admin, route, b.id, [a.id, c.id, a.id])
    expect([status, body]).toEqual([
      200,
      {
        ...b,
        version: expect.any(String),
        started_at: a.started_at,
        ended_at: c.ended_at,
        duration_minutes: 120,
        updated_at: expect.any(String),
      },
    ])
    expect((await admin.call('GET', route)).body).toEqual([body])
    const { items } = (await admin.call('GET', `audit-log?target_id=${a.id}`)).body
    expect(items[0].action).toBe('downtime.deleted')
    expect((await merge(admin, route, b.id, [b.id])).body).toEqual(body)
  })

  it('with an ongoing record the merged one is ongoing', async () => {
    const { admin, route, made } = await stoppedPlant()
    const a = await made(ago(3), ago(1))
    const b = await made(ago(2))
    expect((await merge(admin, route, a.id, [b.id])).body).toMatchObject({ id: a.id, ended_at: null, started_at: a.started_at })
  })

  it('a gap of more than 5 minutes is refused, unless a third record closes it', async () => {
    const { admin, route, made } = await stoppedPlant()
    const a = await made('2026-01-05T08:00Z', '2026-01-05T09:00Z')
    const b = await made('2026-01-05T09:05:00.001Z', '2026-01-05T10:00Z')
    expect((await merge(admin, route, a.id, [b.id])).body.code).toBe('downtime_gap')
    const c = await made('2026-01-05T09:00Z', '2026-01-05T09:01Z')
    expect((await merge(admin, route, a.id, [b.id, c.id])).body.duration_minutes).toBe(120)
  })

  it('records of another machine, unknown ones, none and 101 are refused', async () => {
    const { admin, route, made } = await stoppedPlant()
    const { id } = await made(ago(2), ago(1))
    const other = await hub.machine(admin)
    const theirs = (await admin.call('POST', `machines/${other.id}/downtime`, { started_at: ago(2), ended_at: ago(1) })).body.id
    for (const unknown of [theirs, UNKNOWN])
      expect((await merge(admin, route, id, [unknown])).body.code).toBe('downtime_record_not_found')
    expect((await merge(admin, route, id, [])).status).toBe(422)
    expect((await merge(admin, route, id, Array(101).fill(id))).status).toBe(422)
    expect((await merge(admin, route, id, Array(100).fill(id))).status).toBe(200)
  })

  it('of two who merge the same records at once one is refused', async () => {
    const { admin, route, made } = await stoppedPlant()
    const [a, b] = [await made(ago(3), ago(2)), await made(ago(2.5), ago(1))]
    const answers = await Promise.all([merge(admin, route, a.id, [b.id]), merge(admin, route, b.id, [a.id])])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404])
    expect((await admin.call('GET', route)).body).toHaveLength(1)
  })
})
