import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { openStream } from './event-stream.ts'
import { useHub } from './harness.ts'
import { shiftPlant } from './support/shift-plant.ts'

const hub = useHub()
const at = (offsetSeconds: number) => new Date(hub.clock.now().getTime() + offsetSeconds * 1_000).toISOString()

describe('a shift definition', () => {
  it('has the fields that were given, and the others by default', async () => {
    const admin = await hub.admin()
    const given = { name: 'Night', start_time: '22:00', end_time: '06:00:00' }
    const { status, body } = await admin.call('POST', 'shifts/definitions', given)
    expect([status, body]).toEqual([
      201,
      {
        version: expect.any(String),
        id: expect.any(String),
        group_id: null,
        name: 'Night',
        start_time: '22:00:00',
        end_time: '06:00:00',
        duration_minutes: 480,
        color: '#3B82F6',
        is_active: true,
        sort_order: 0,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ])
    expect((await admin.call('GET', 'shifts/definitions')).body).toEqual([body])
    const coloured = (color: string) => admin.call('PUT', `shifts/definitions/${body.id}`, { color })
    expect((await coloured('#336699')).body.color).toBe('#336699')
    expect((await coloured('')).body.color).toBe('#3B82F6')
  })

  it.each([
    ['06:00', '14:00', 480],
    ['06:00', '06:00', 1_440],
    ['22:30', '00:15', 105],
    ['00:00:00', '00:00:10', 1],
  ])('from %s to %s lasts %i minutes unless a duration is stated', async (start_time, end_time, minutes) => {
    const admin = await hub.admin()
    const { body } = await admin.call('POST', 'shifts/definitions', { name: 'x', start_time, end_time })
    expect(body.duration_minutes).toBe(minutes)
    const stated = { duration_minutes: 7, end_time: '23:00' }
    expect((await admin.call('PUT', `shifts/definitions/${body.id}`, stated)).body.duration_minutes).toBe(7)
    const again = await admin.call('PUT', `shifts/definitions/${body.id}`, { start_time: '22:00' })
    expect(again.body.duration_minutes).toBe(60)
  })

  it.each([
    ['name', { name: '' }],
    ['name', { name: 'x'.repeat(201) }],
    ['start_time', { start_time: '24:00' }],
    ['end_time', { end_time: '6:00' }],
    ['duration_minutes', { duration_minutes: 0 }],
    ['duration_minutes', { duration_minutes: 1_441 }],
    ['color', { color: 'red' }],
    ['is_active', { is_active: null }],
    ['sort_order', { sort_order: 1.5 }],
  ])('is refused with 422 for a wrong %s: %o', async (field, values) => {
    const { admin, definition } = await shiftPlant(hub)
    const given = { name: 'x', start_time: '06:00', end_time: '14:00', ...values }
    for (const answer of [
      await admin.call('POST', 'shifts/definitions', given),
      await admin.call('PUT', `shifts/definitions/${definition.id}`, values),
    ])
      expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([422, `body.${field}`])
  })

  it('is listed by sort order and start, without deactivated ones unless they are asked for', async () => {
    const { admin, definition } = await shiftPlant(hub, { sort_order: 5 })
    const make = async (name: string, start_time: string, sort_order: number) =>
      (await admin.call('POST', 'shifts/definitions', { name, start_time, end_time: '23:59', sort_order })).body.id
    const late = await make('Late', '14:00', 5)
    const first = await make('First', '20:00', -1)
    expect((await admin.call('DELETE', `shifts/definitions/${definition.id}`)).status).toBe(204)
    const names = async (query = '') =>
      (await admin.call('GET', `shifts/definitions${query}`)).body.map(({ id }: { id: string }) => id)
    expect(await names()).toEqual([first, late])
    expect(await names('?active_only=false')).toEqual([first, definition.id, late])
    const { body } = await admin.call('PUT', `shifts/definitions/${definition.id}`, { is_active: true })
    expect(body).toMatchObject({ is_active: true, name: 'Early', sort_order: 5 })
  })

  it('is refused with 409 beyond 200 in a tenant', async () => {
    const { admin, definition } = await shiftPlant(hub)
    await hub.owner`insert into shift_definitions (tenant_id, name, start_time, end_time, duration_minutes, color)
      select tenant_id, name, start_time, end_time, duration_minutes, color from shift_definitions, generate_series(1, 198) where id = ${definition.id}`
    const given = { name: 'x', start_time: '06:00', end_time: '14:00' }
    const both = await Promise.all([1, 2].map(() => admin.call('POST', 'shifts/definitions', given)))
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409])
  })
})

describe('a shift log', () => {
  it('has the fields that were given, and name and colour of its definition as they are now', async () => {
    const { admin, machine, definition, log } = await shiftPlant(hub)
    const viewer = await hub.colleague(admin, 'viewer')
    const more = { supervisor: 'Sam', operator_count: 4, handover_notes: 'Belt 2 slips.' }
    const made = await log(more, viewer)
    const expected = {
      version: expect.any(String),
      id: expect.any(String),
      machine_id: machine.id,
      machine_name: 'Press 1',
      shift_definition_id: definition.id,
      shift_date: '2026-01-30',
      actual_start: '2026-01-30T06:00:00.000Z',
      actual_end: '2026-01-30T14:00:00.000Z',
      ...more,
      status: 'completed',
      shift_name: 'Early',
      shift_color: '#336699',
      duration_minutes: 480,
      is_automatic: false,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    }
    expect(made).toEqual(expected)
    await admin.call('PUT', `shifts/definitions/${definition.id}`, { name: 'First', color: '#000000' })
    const { items } = (await viewer.call('GET', 'shifts/logs')).body
    expect(items).toEqual([{ ...expected, shift_name: 'First', shift_color: '#000000' }])
    const cleared = await admin.call('PUT', `shifts/definitions/${definition.id}`, { color: '' })
    expect([cleared.status, cleared.body.color]).toEqual([200, '#3B82F6'])
    const { body } = await admin.call('GET', `audit-log?target_id=${made.id}`)
    expect(body.items[0]).toMatchObject({ action: 'shift_log.created', actor: { id: viewer.userId } })
  })

  it('is active without an end, and completed with one; completed without an end means now', async () => {
    const { admin, log } = await shiftPlant(hub)
    const active = await log({ actual_end: undefined })
    expect(active).toMatchObject({ status: 'active', actual_end: null, duration_minutes: null })
    const now = hub.clock.now().getTime()
    const { body } = await admin.call('PATCH', `shifts/logs/${active.id}`, { status: 'completed' })
    expect(body.status).toBe('completed')
    expect(Date.parse(body.actual_end)).toBeGreaterThanOrEqual(now)
    const made = await log({ actual_end: undefined, status: 'completed' })
    expect(Date.parse(made.actual_end)).toBeGreaterThanOrEqual(now)
    expect(await log({ actual_end: undefined, status: 'cancelled' })).toMatchObject({ status: 'cancelled', actual_end: null })
  })

  it.each<[string, string, () => object]>([
    ['an end before its start', 'actual_end', () => ({ actual_end: '2026-01-30T05:59:59.999Z' })],
    ['an end at its start', 'actual_end', () => ({ actual_end: '2026-01-30T06:00:00Z' })],
    ['an end while it is active', 'actual_end', () => ({ status: 'active' })],
    ['an end in the future', 'actual_end', () => ({ actual_end: at(60) })],
    ['a start in the future', 'actual_start', () => ({ actual_start: at(60), actual_end: null })],
    ['an unknown status', 'status', () => ({ status: 'paused' })],
    ['a date that does not exist', 'shift_date', () => ({ shift_date: '2026-02-30' })],
    ['too many operators', 'operator_count', () => ({ operator_count: 10_001 })],
    ['a negative number of operators', 'operator_count', () => ({ operator_count: -1 })],
    ['long notes', 'handover_notes', () => ({ handover_notes: 'x'.repeat(10_001) })],
    ['a long supervisor', 'supervisor', () => ({ supervisor: 'x'.repeat(201) })],
    ['no start', 'actual_start', () => ({ actual_start: undefined })],
  ])('is refused with 422 for %s', async (_, field, values) => {
    const { admin, body } = await shiftPlant(hub)
    const answer = await admin.call('POST', 'shifts/logs', body(values() as Record<string, unknown>))
    expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([422, `body.${field}`])
  })

  it('is accepted at its limits', async () => {
    const { log } = await shiftPlant(hub)
    const limits = { operator_count: 10_000, handover_notes: 'x'.repeat(10_000), supervisor: '🔧'.repeat(200) }
    expect(await log({ ...limits, actual_end: '2026-01-30T06:00:00.001Z' })).toMatchObject(limits)
    expect(await log({ operator_count: 0, supervisor: '', handover_notes: null })).toMatchObject({
      operator_count: 0,
      supervisor: null,
      handover_notes: null,
    })
  })

  it.each([
    ['machine_id', 'machine_not_found'],
    ['shift_definition_id', 'shift_definition_not_found'],
  ])('is refused with 404 for an unknown %s, and for one of another tenant', async (field, code) => {
    const { admin, body } = await shiftPlant(hub)
    const other = await shiftPlant(hub)
    const foreign = field === 'machine_id' ? other.machine.id : other.definition.id
    for (const id of [randomUUID(), foreign]) {
      const answer = await admin.call('POST', 'shifts/logs', body({ [field]: id }))
      expect([answer.status, answer.body.code]).toEqual([404, code])
    }
  })

  it('is refused with 409 while the machine has an active one; of two people who start one at once, one does', async () => {
    const { admin, body } = await shiftPlant(hub)
    const start = () => admin.call('POST', 'shifts/logs', body({ actual_end: null }))
    const both = await Promise.all([start(), start()])
    expect(both.map(({ status, body }) => [status, body.code])).toEqual(
      expect.arrayContaining([
        [201, undefined],
        [409, 'shift_log_active'],
      ]),
    )
    expect((await admin.call('POST', 'shifts/logs', body())).status).toBe(201)
  })

  it('goes from active to completed or cancelled, and nowhere from there', async () => {
    const { admin, log } = await shiftPlant(hub)
    const change = async (id: string, values: object) => {
      const { status, body } = await admin.call('PATCH', `shifts/logs/${id}`, values)
      return [status, body.code ?? body.status]
    }
    const { id } = await log({ actual_end: null })
    expect(await change(id, { status: 'active' })).toEqual([200, 'active'])
    expect(await change(id, { status: 'cancelled' })).toEqual([200, 'cancelled'])
    for (const status of ['active', 'completed']) expect(await change(id, { status })).toEqual([409, 'transition_not_allowed'])
    const done = await log()
    for (const status of ['active', 'cancelled'])
      expect(await change(done.id, { status })).toEqual([409, 'transition_not_allowed'])
    expect(
      (await admin.call('PATCH', `shifts/logs/${done.id}`, { status: 'active', actual_end: done.actual_start })).status,
    ).toBe(422)
    expect(await change(done.id, { status: 'completed', supervisor: 'Sam' })).toEqual([200, 'completed'])
  })

  it('changes its times and notes after completion, within the same rules', async () => {
    const { admin, log } = await shiftPlant(hub)
    const { id, updated_at } = await log({ supervisor: 'Sam' })
    const change = (values: object) => admin.call('PATCH', `shifts/logs/${id}`, values)
    expect((await change({})).body).toMatchObject({ updated_at, supervisor: 'Sam' })
    const end = '2026-01-30T15:00:00.000Z'
    expect((await change({ actual_end: end, supervisor: null, operator_count: 3 })).body).toMatchObject({
      actual_end: end,
      duration_minutes: 540,
      supervisor: null,
      operator_count: 3,
      handover_notes: null,
    })
    for (const values of [{ actual_end: null }, { actual_end: at(60) }, { actual_start: end }])
      expect((await change(values)).status).toBe(422)
  })

  it('is listed newest first, by machine, date and status, in pages', async () => {
    const { admin, machine, log } = await shiftPlant(hub)
    const other = await hub.machine(admin)
    const old = await log({ shift_date: '2026-01-29', machine_id: other.id })
    const first = await log({ actual_start: '2026-01-30T01:00Z', actual_end: '2026-01-30T02:00Z' })
    const second = await log()
    const active = await log({ shift_date: '2026-01-31', actual_end: null })
    const list = async (query: string) => {
      const { items, ...rest } = (await admin.call('GET', `shifts/logs${query}`)).body
      return [items.map(({ id }: { id: string }) => id), rest]
    }
    const all = { total: 4, page: 1, page_size: 20 }
    expect(await list('')).toEqual([[active.id, second.id, first.id, old.id], all])
    expect(await list('?page=2&page_size=3')).toEqual([[old.id], { total: 4, page: 2, page_size: 3 }])
    expect(await list(`?machine_id=${machine.id}&status=completed`)).toEqual([[second.id, first.id], { ...all, total: 2 }])
    expect(await list('?from_date=2026-01-30&to_date=2026-01-30')).toEqual([[second.id, first.id], { ...all, total: 2 }])
    expect(await list(`?machine_id=${randomUUID()}`)).toEqual([[], { ...all, total: 0 }])
    expect((await admin.call('GET', 'shifts/logs?from_date=2026-13-01')).status).toBe(422)
  })

  it('is deleted by an admin', async () => {
    const { admin, log } = await shiftPlant(hub)
    const { id } = await log()
    const operator = await hub.colleague(admin, 'operator')
    expect((await operator.call('DELETE', `shifts/logs/${id}`)).status).toBe(403)
    const statuses = [await admin.call('DELETE', `shifts/logs/${id}`), await admin.call('DELETE', `shifts/logs/${id}`)]
    expect(statuses.map(({ status }) => status)).toEqual([204, 404])
  })
})

describe('shifts in progress', () => {
  it('are listed with the minutes since their start', async () => {
    const { admin, log } = await shiftPlant(hub)
    await log()
    const active = await log({ actual_start: at(-90 * 60), actual_end: null })
    const { body } = await admin.call('GET', 'shifts/active')
    expect(body).toEqual([{ ...active, machine_name: 'Press 1', elapsed_minutes: expect.closeTo(90, 0) }])
  })

  it('are the first logs of each definition where that is asked for, however many machines work', async () => {
    const { admin, log } = await shiftPlant(hub)
    const { id: other } = (
      await admin.call('POST', 'shifts/definitions', { name: 'Long', start_time: '06:00', end_time: '18:00' })
    ).body
    const starts = [-90, -80, -70]
    const logs = []
    for (const minutes of starts) {
      const begun = async (more: object) =>
        log({ machine_id: (await hub.machine(admin)).id, actual_start: at(minutes * 60), actual_end: null, ...more })
      logs.push(await begun({}), await begun({ shift_definition_id: other }))
    }
    const answer = async (query: string) => {
      const { body, headers } = await admin.call('GET', `shifts/active?first_of_each=true${query}`)
      return [body.map(({ id }: { id: string }) => id).sort(), headers.get('x-total-count')]
    }
    const firsts = [logs[0].id, logs[1].id].sort()
    expect(await answer('')).toEqual([firsts, null])
    expect(await answer('&page_size=10')).toEqual([firsts, '2'])
    expect((await admin.call('GET', 'shifts/active?first_of_each=false')).body).toHaveLength(6)
    expect((await admin.call('GET', 'shifts/active?first_of_each=1')).status).toBe(422)
  })
})

describe('the handover of a shift', () => {
  it('lists its alerts and whole downtime records, with the downtime inside the shift counted once', async () => {
    const { admin, machine, key, identifier, log, downtime } = await shiftPlant(hub)
    const rule = { metric_name: 'temperature', warning_threshold: 80, critical_threshold: 90 }
    await admin.call('POST', 'alert-rules', rule)
    await hub.send(key, [{ machine: identifier, value: 95 }])
    const [alert] = (await admin.call('GET', 'alerts')).body.items
    await hub.owner`update alerts set created_at = '2026-01-30T07:00Z' where id = ${alert.id}`
    const before = await downtime('2026-01-30T05:30Z', '2026-01-30T06:10Z')
    const inside = await downtime('2026-01-30T06:05Z', '2026-01-30T06:20Z', { type: 'planned' })
    await downtime('2026-01-30T05:00Z', '2026-01-30T06:00Z')
    await downtime('2026-01-30T14:00Z', '2026-01-30T15:00Z')
    const ongoing = await downtime('2026-01-30T13:50Z', null)
    const other = await hub.machine(admin)
    await downtime('2026-01-30T07:00Z', '2026-01-30T08:00Z', { machineId: other.id })
    const made = await log()
    const { body } = await admin.call('GET', `shifts/logs/${made.id}/handover`)
    expect(body).toEqual({
      shift_log: made,
      alerts_during_shift: [
        {
          id: alert.id,
          severity: 'critical',
          metric_name: 'temperature',
          unit: 'celsius',
          trigger_value: 95,
          threshold_value: 90,
          comparison: '>',
          rule_kind: 'threshold',
          rule_name: null,
          description: alert.message,
          created_at: '2026-01-30T07:00:00.000Z',
        },
      ],
      downtime_during_shift: [
        expect.objectContaining({ id: before, duration_minutes: 40, started_at: '2026-01-30T05:30:00.000Z' }),
        expect.objectContaining({ id: inside, reason_type: 'planned', duration_minutes: 15, reason_note: null }),
        expect.objectContaining({ id: ongoing, ended_at: null, duration_minutes: null }),
      ],
      micro_stops: [],
      notes: [],
      // 06:00-06:20 and 13:50-14:00
      total_downtime_minutes: 30,
      alert_count: 1,
    })
    expect(machine.id).toBe(made.machine_id)
  })

  it('sums micro-stops by reason', async () => {
    const { admin, log, downtime } = await shiftPlant(hub)
    const codes = (await admin.call('GET', 'reason-codes')).body as { id: string; code: string }[]
    const code = codes.find((it) => it.code === 'breakdown.mechanical')
    await downtime('2026-01-30T07:00:00Z', '2026-01-30T07:04:59Z')
    await downtime('2026-01-30T08:00:00Z', '2026-01-30T08:05:00Z')
    for (const hour of ['09', '10', '11'])
      await downtime(`2026-01-30T${hour}:00:00Z`, `2026-01-30T${hour}:02:00Z`, { code: code?.id ?? null })
    const { id } = await log()
    const { body } = await admin.call('GET', `shifts/logs/${id}/handover`)
    expect(body.downtime_during_shift).toHaveLength(5)
    expect(body.micro_stops).toEqual([
      { reason_type: 'unplanned', reason_code: expect.objectContaining({ code: 'breakdown.mechanical' }), count: 3, minutes: 6 },
      { reason_type: 'unplanned', reason_code: null, count: 1, minutes: 4.98 },
    ])
  })

  it('of an active shift lasts until now', async () => {
    const { admin, log, downtime } = await shiftPlant(hub)
    await downtime(at(-600), null)
    const { id } = await log({ actual_start: at(-3_600), actual_end: null })
    const { body } = await admin.call('GET', `shifts/logs/${id}/handover`)
    expect(body.total_downtime_minutes).toBeCloseTo(10, 0)
  })
})

describe('the stream', () => {
  it('sends shift logs as they start and change, and their deletion', async () => {
    const { admin, machine, log } = await shiftPlant(hub)
    const client = await openStream(hub.app, admin)
    await client.next('ready')
    const started = await log({ actual_start: at(-3_600), actual_end: null })
    expect(await client.next('shift')).toEqual(started)
    const done = (await admin.call('PATCH', `shifts/logs/${started.id}`, { status: 'completed' })).body
    expect(await client.next('shift')).toEqual(done)
    await admin.call('DELETE', `shifts/logs/${started.id}`)
    expect(await client.next('deleted')).toEqual({ kind: 'shift', id: started.id, machine_id: machine.id })
  })

  it('finds changed logs by an index', async () => {
    const [{ 'QUERY PLAN': plan } = {}] = await hub.owner.begin(async (sql) => {
      await sql`set local enable_seqscan = off`
      return sql`explain (format json) select from shift_logs where tenant_id = ${randomUUID()} and updated_at >= now()`
    })
    expect(JSON.stringify(plan)).toContain('shift_logs_updated_idx')
  })
})
