import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { plant, type TestUser, useHub } from './harness.ts'
import { soon } from './soon.ts'
import { upload } from './upload.ts'

const hub = useHub()

/** A plant with an operator and a viewer, and a function that creates work orders of its machine. */
async function workshop() {
  const made = await plant(hub)
  const { admin, machine } = made
  const [operator, viewer] = [await hub.colleague(admin, 'operator'), await hub.colleague(admin, 'viewer')]
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  const create = async (values: object = {}): Promise<any> => {
    const { status, body } = await operator.call('POST', 'work-orders', { machine_id: machine.id, title: 'Bearing', ...values })
    expect([status, body.code]).toEqual([201, undefined])
    return body
  }
  const patch = (id: string, change: object, by: TestUser = operator) => by.call('PATCH', `work-orders/${id}`, change)
  const alert = async () => {
    const rule = { metric_name: 'temperature', warning_threshold: 1, critical_threshold: 2 }
    await admin.call('POST', 'alert-rules', rule)
    await hub.send(made.key, [{ machine: made.identifier, value: 5 }])
    return (await admin.call('GET', 'alerts')).body.items[0].id as string
  }
  const sign = (id: string) => hub.owner`
    insert into signoffs (tenant_id, work_order_id, number, sequence, signed_by, signer_name, signer_email, signer_role, names,
      payload_version, payload, key_id, signature_hash, signed_at)
    values (${admin.tenantId}, ${id}, 1, (select count(*) + 1 from signoffs where tenant_id = ${admin.tenantId}), ${admin.userId}, 'Ada',
      'ada@example.com', 'admin', '{}', 1, '{}', 'k', 'h', now())`
  const events = async (id: string) =>
    (await viewer.call('GET', `work-orders/${id}/history?page_size=100`)).body.items as Record<string, unknown>[]
  return { ...made, operator, viewer, create, patch, alert, sign, events }
}
const codeOf = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]

describe('a work order', () => {
  it('has every field that it was created with, and the defaults of the others', async () => {
    const { machine, admin, operator, viewer, create } = await workshop()
    const assignees = [viewer.userId, admin.userId]
    const given = {
      title: 'Replace the bearing',
      description: 'Spindle side',
      priority: 'high',
      assigned_to: operator.userId,
      assignee_ids: [...assignees, viewer.userId],
      due_date: '2030-03-01T10:00:00+02:00',
    }
    const order = await create(given)
    expect(order).toEqual({
      version: expect.any(String),
      ...given,
      title_facts: null,
      id: expect.any(String),
      machine_id: machine.id,
      machine_name: 'Press 1',
      alert_id: null,
      maintenance_event_id: null,
      status: 'open',
      assignee_ids: assignees,
      due_date: '2030-03-01T08:00:00.000Z',
      completed_at: null,
      completion_notes: null,
      signoff_count: 0,
      created_by: operator.userId,
      created_at: expect.any(String),
      updated_at: order.created_at,
    })
    expect((await viewer.call('GET', `work-orders/${order.id}`)).body).toEqual(order)
    const plain = { description: null, priority: 'medium', assigned_to: null, assignee_ids: [], due_date: null }
    expect(await create({ due_date: '2030-03-01' })).toMatchObject({ ...plain, due_date: '2030-03-01T23:59:59.999Z' })
    expect(await create({ description: '', assigned_to: null, due_date: null, alert_id: null })).toMatchObject(plain)
  })

  it('is refused with a field beyond its limits', async () => {
    const { machine, operator, create } = await workshop()
    await create({ title: 'x'.repeat(255), description: 'x'.repeat(10_000) })
    const refused: [object, string][] = [
      [{ title: '' }, 'body.title'],
      [{ title: 'x'.repeat(256) }, 'body.title'],
      [{ title: undefined }, 'body.title'],
      [{ title: 'a\u0000b' }, 'body.title'],
      [{ description: 'x'.repeat(10_001) }, 'body.description'],
      [{ priority: 'urgent' }, 'body.priority'],
      [{ assigned_to: 'me' }, 'body.assigned_to'],
      [{ assignee_ids: Array.from({ length: 51 }, () => randomUUID()) }, 'body.assignee_ids'],
      [{ due_date: 'tomorrow' }, 'body.due_date'],
      [{ due_date: '2030-02-30' }, 'body.due_date'],
      [{ machine_id: 'press' }, 'body.machine_id'],
      [{ machine_id: undefined }, 'body.machine_id'],
    ]
    for (const [values, path] of refused) {
      const { status, body } = await operator.call('POST', 'work-orders', { machine_id: machine.id, title: 'x', ...values })
      expect([path, status, body.errors?.[0]?.path.startsWith(path)]).toEqual([path, 422, true])
    }
  })

  it('names only machines, alerts and users of the tenant, and only active users', async () => {
    const { machine, admin, operator, viewer, create, patch } = await workshop()
    const stranger = await workshop()
    const post = async (values: object) =>
      codeOf(await operator.call('POST', 'work-orders', { machine_id: machine.id, title: 'x', ...values }))
    expect(await post({ machine_id: stranger.machine.id })).toEqual([404, 'machine_not_found'])
    expect(await post({ alert_id: await stranger.alert() })).toEqual([404, 'alert_not_found'])
    expect(await post({ assigned_to: stranger.admin.userId })).toEqual([404, 'user_not_found'])
    expect(await post({ assignee_ids: [admin.userId, randomUUID()] })).toEqual([404, 'user_not_found'])
    const order = await create({ assigned_to: viewer.userId })
    await admin.call('PATCH', `users/${viewer.userId}`, { is_active: false })
    expect(await post({ assigned_to: viewer.userId })).toEqual([422, 'validation_failed'])
    expect(await post({ assignee_ids: [viewer.userId] })).toEqual([422, 'validation_failed'])
    const invitation = { email: `${randomUUID()}@plant.example`, full_name: 'Ina', role: 'viewer' }
    const invited = (await admin.call('POST', 'users/invite', invitation)).body
    expect(await post({ assigned_to: invited.id })).toEqual([422, 'validation_failed'])
    expect(codeOf(await patch(order.id, { assignee_ids: [invited.id] }))).toEqual([422, 'validation_failed'])
    // those who are assigned already stay
    expect((await patch(order.id, { assigned_to: viewer.userId, title: 'New' })).body.assigned_to).toBe(viewer.userId)
    expect(codeOf(await patch(order.id, { assigned_to: stranger.admin.userId }))).toEqual([404, 'user_not_found'])
  })

  it('changes by PATCH field by field; null and an empty string clear, absent fields stay', async () => {
    const { operator, viewer, create, patch } = await workshop()
    const order = await create({
      description: 'a',
      assigned_to: operator.userId,
      assignee_ids: [viewer.userId],
      due_date: '2030-01-01',
    })
    hub.clock.advance(60)
    const changed = (await patch(order.id, { title: 'New', priority: 'low' })).body
    expect(changed).toEqual({ ...order, title: 'New', priority: 'low', updated_at: changed.updated_at, version: changed.version })
    expect(changed.updated_at > order.updated_at).toBe(true)
    const cleared = { description: '', assigned_to: null, assignee_ids: [], due_date: null, completion_notes: null }
    expect((await patch(order.id, cleared)).body).toMatchObject({ ...cleared, description: null, title: 'New' })
    const before = (await operator.call('GET', `work-orders/${order.id}`)).body
    hub.clock.advance(60)
    expect((await patch(order.id, { title: 'New', status: 'open', assignee_ids: [] })).body).toEqual(before)
    expect((await patch(order.id, {})).body).toEqual(before)
    expect((await patch(order.id, { title: '' })).status).toBe(422)
  })

  it('follows exactly the allowed transitions, and completed_at follows the status', async () => {
    const { create, patch, operator } = await workshop()
    const statuses = ['open', 'in_progress', 'completed', 'cancelled'] as const
    const way = { open: [], in_progress: ['in_progress'], completed: ['completed'], cancelled: ['cancelled'] } as const
    const allowed = new Set([
      'open>in_progress',
      'in_progress>open',
      'open>completed',
      'open>cancelled',
      'in_progress>completed',
      'in_progress>cancelled',
      'completed>in_progress',
      'cancelled>open',
    ])
    for (const from of statuses)
      for (const to of statuses) {
        const { id } = await create()
        for (const status of way[from]) await patch(id, { status })
        const { status, body } = await patch(id, { status: to })
        const expected = from === to || allowed.has(`${from}>${to}`)
        expect([from, to, status, body.code]).toEqual([
          from,
          to,
          expected ? 200 : 409,
          expected ? undefined : 'transition_not_allowed',
        ])
        const after = (await operator.call('GET', `work-orders/${id}`)).body
        expect([after.status, after.completed_at !== null]).toEqual([expected ? to : from, after.status === 'completed'])
      }
  })

  it('orders its instructions by any integer from 1', async () => {
    const { create, operator } = await workshop()
    const steps = `work-orders/${(await create()).id}/instructions`
    const add = async (step_order: number) => (await operator.call('POST', steps, { step_order, title: 'Drain' })).status
    expect([await add(2_147_483_647), await add(1_000_001), await add(1)]).toEqual([201, 201, 201])
    const { items } = (await operator.call('GET', steps)).body
    expect(items.map((step: Record<string, unknown>) => step.step_order)).toEqual([1, 1_000_001, 2_147_483_647])
  })

  it('that is signed can neither be changed nor deleted, nor can its instructions; comments stay possible', async () => {
    const { create, patch, sign, operator, viewer } = await workshop()
    const { id } = await create()
    const steps = `work-orders/${id}/instructions`
    const step = (await operator.call('POST', steps, { step_order: 1, title: 'Drain' })).body
    await patch(id, { status: 'completed' })
    await sign(id)
    const refused = [
      await patch(id, { title: 'New' }),
      await patch(id, { status: 'in_progress' }),
      await patch(id, { assignee_ids: [viewer.userId] }),
      await operator.call('DELETE', `work-orders/${id}`),
      await operator.call('POST', steps, { step_order: 2, title: 'Fill' }),
      await operator.call('PATCH', `${steps}/${step.id}`, { is_completed: true }),
      await operator.call('DELETE', `${steps}/${step.id}`),
    ]
    for (const answer of refused) expect(codeOf(answer)).toEqual([409, 'work_order_signed'])
    expect((await patch(id, { status: 'completed' })).body.signoff_count).toBe(1)
    expect((await viewer.call('POST', `work-orders/${id}/comments`, { body: 'noted' })).status).toBe(201)
  })

  it('of two people who press different buttons at once gets one of the changes, and never a mixture', async () => {
    const { create, patch, admin, operator } = await workshop()
    for (let i = 0; i < 10; i++) {
      const { id } = await create()
      await patch(id, { status: 'completed' })
      const answers = await Promise.all([
        patch(id, { status: 'in_progress' }, operator),
        patch(id, { status: 'in_progress', title: 'Theirs' }, admin),
        operator.call('DELETE', `work-orders/${id}`),
      ])
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => expect.toBeOneOf([200, 204, 404])))
    }
  })

  it('is gone after DELETE with its parts, and its history with it', async () => {
    const { create, operator } = await workshop()
    const { id } = await create({ assignee_ids: [operator.userId] })
    await operator.call('POST', `work-orders/${id}/instructions`, { step_order: 1, title: 'Drain' })
    await operator.call('POST', `work-orders/${id}/comments`, { body: 'noted' })
    expect((await operator.call('DELETE', `work-orders/${id}`)).status).toBe(204)
    expect(codeOf(await operator.call('DELETE', `work-orders/${id}`))).toEqual([404, 'work_order_not_found'])
    for (const table of ['work_order_instructions', 'work_order_comments', 'work_order_history', 'work_order_assignees'])
      expect(await hub.owner`select from ${hub.owner(table)} where work_order_id = ${id}`).toHaveLength(0)
  })

  it('notifies the people who become assignees, each once', async () => {
    const { create, patch, operator, viewer, admin } = await workshop()
    const told = async (id: string) =>
      (await hub.owner`select user_id, kind from work_messages where work_order_id = ${id} order by created_at, user_id`).map(
        ({ user_id, kind }) => `${kind} ${user_id}`,
      )
    const assigned = ({ userId }: TestUser) => `work_order_assigned ${userId}`
    const { id } = await create({ assigned_to: operator.userId, assignee_ids: [operator.userId, viewer.userId] })
    expect((await told(id)).sort()).toEqual([assigned(operator), assigned(viewer)].sort())
    await patch(id, { assigned_to: viewer.userId, assignee_ids: [operator.userId] })
    await patch(id, { title: 'New' })
    expect(await told(id)).toHaveLength(2)
    await patch(id, { assigned_to: admin.userId })
    expect(await told(id)).toHaveLength(3)
    expect(await told(id)).toContain(assigned(admin))
  })
})

describe('an alert', () => {
  it('shows its open work order, and has at most one, also when two are created at once', async () => {
    const { machine, operator, create, patch, alert, admin } = await workshop()
    const alert_id = await alert()
    const shown = async () => (await operator.call('GET', `alerts/${alert_id}`)).body.work_order_id
    expect(await shown()).toBe(null)
    const post = () => operator.call('POST', 'work-orders', { machine_id: machine.id, title: 'Hot', alert_id })
    const answers = await Promise.all([post(), post(), post()])
    expect(answers.map(codeOf).sort()).toEqual([
      [201, undefined],
      [409, 'work_order_exists'],
      [409, 'work_order_exists'],
    ])
    const first = answers.find(({ status }) => status === 201)?.body
    expect([first.alert_id, await shown()]).toEqual([alert_id, first.id])
    expect((await operator.call('GET', 'alerts')).body.items[0].work_order_id).toBe(first.id)
    expect((await operator.call('POST', `alerts/${alert_id}/acknowledge`)).body.work_order_id).toBe(first.id)
    await patch(first.id, { status: 'cancelled' })
    expect(await shown()).toBe(null)
    const second = await create({ alert_id })
    expect(await shown()).toBe(second.id)
    expect(codeOf(await patch(first.id, { status: 'open' }))).toEqual([409, 'work_order_exists'])
    const other = await hub.machine(admin)
    const wrong = await operator.call('POST', 'work-orders', { machine_id: other.id, title: 'Hot', alert_id })
    expect([wrong.status, wrong.body.errors]).toEqual([
      422,
      [{ path: 'body.alert_id', message: 'is an alert of another machine', code: 'other_machine', params: {} }],
    ])
    expect((await operator.call('GET', `work-orders?alert_id=${alert_id}`)).body.total).toBe(2)
  })
})

describe('the list of work orders', () => {
  it('filters by machine, status, priority, assignee, due date and text, and combines filters', async () => {
    const { admin, operator, viewer, machine, create, patch } = await workshop()
    const other = await hub.machine(admin)
    const [past, future] = ['2020-01-01T00:00:00Z', '2090-01-01T00:00:00Z']
    const a = await create({ title: 'Alpha 50%', assigned_to: operator.userId, due_date: past, priority: 'critical' })
    const b = await create({ title: 'Beta', description: 'the alphabet', assignee_ids: [operator.userId], due_date: past })
    const c = await create({ title: 'Gamma', machine_id: other.id, due_date: future, priority: 'low' })
    await patch(b.id, { status: 'completed', completion_notes: 'Done_well' })
    await patch(c.id, { status: 'in_progress' })
    const ids = async (query: string) =>
      (await viewer.call('GET', `work-orders?${query}`)).body.items.map(({ id }: { id: string }) => id)
    expect(await ids('')).toEqual([c.id, b.id, a.id])
    expect(await ids(`machine_id=${machine.id}`)).toEqual([b.id, a.id])
    expect(await ids('status=open')).toEqual([a.id])
    expect(await ids('status=open,completed')).toEqual([b.id, a.id])
    expect(await ids('status=open&status=in_progress')).toEqual([c.id, a.id])
    expect(await ids('priority=critical,low')).toEqual([c.id, a.id])
    expect(await ids(`assigned_to=${operator.userId}`)).toEqual([b.id, a.id])
    expect(await ids(`assigned_to=${randomUUID()}`)).toEqual([])
    expect(await ids('overdue=true')).toEqual([a.id])
    expect(await ids('overdue=false')).toEqual([c.id, b.id])
    expect(await ids('search=ALPHA')).toEqual([b.id, a.id])
    expect(await ids('search=done_WELL')).toEqual([b.id])
    expect(await ids('search=50%25')).toEqual([a.id])
    expect(await ids('search=%25')).toEqual([a.id])
    expect(await ids('search=_')).toEqual([b.id])
    expect(await ids(`status=open&priority=critical&overdue=true&search=alpha&assigned_to=${operator.userId}`)).toEqual([a.id])
    expect(await ids(`machine_id=${randomUUID()}`)).toEqual([])
    for (const bad of ['status=done', 'priority=1', 'overdue=yes', 'machine_id=x', `search=${'x'.repeat(201)}`, 'sort_by=id'])
      expect([bad, (await viewer.call('GET', `work-orders?${bad}`)).status]).toEqual([bad, 422])
  })

  it('sorts by each field in both directions, and pages', async () => {
    const { viewer, create, patch } = await workshop()
    const a = await create({ title: 'b', due_date: '2030-01-02', priority: 'low' })
    const b = await create({ title: 'C', due_date: '2030-01-01', priority: 'critical' })
    const c = await create({ title: 'a' })
    hub.clock.advance(1)
    await patch(c.id, { status: 'in_progress' })
    hub.clock.advance(1)
    await patch(a.id, { status: 'cancelled' })
    const names = new Map([a, b, c].map(({ id }, i) => [id, 'abc'[i]]))
    const sorted = async (by: string, dir: string) =>
      (await viewer.call('GET', `work-orders?sort_by=${by}&sort_dir=${dir}`)).body.items
        .map(({ id }: { id: string }) => names.get(id))
        .join('')
    const expected = { created_at: 'abc', updated_at: 'bca', priority: 'acb', status: 'bca', title: 'cab' }
    for (const [by, order] of Object.entries(expected)) {
      expect([by, await sorted(by, 'asc')]).toEqual([by, order])
      expect([by, await sorted(by, 'desc')]).toEqual([by, [...order].reverse().join('')])
    }
    expect([await sorted('due_date', 'asc'), await sorted('due_date', 'desc')]).toEqual(['bac', 'abc'])
    const page = (await viewer.call('GET', 'work-orders?page=2&page_size=2')).body
    expect([page.items.map(({ id }: { id: string }) => id), page.total]).toEqual([[a.id], 3])
    expect((await viewer.call('GET', 'work-orders?page=9')).body).toEqual({ items: [], total: 3 })
  })
})

describe('instructions', () => {
  it('have a stable order, and are ticked off by a person once', async () => {
    const { admin, operator, viewer, create } = await workshop()
    const { id } = await create()
    const route = `work-orders/${id}/instructions`
    const add = async (step_order: number, title: string) => (await operator.call('POST', route, { step_order, title })).body
    const [second, first, also] = [await add(2, 'Fill'), await add(1, 'Drain'), await add(2, 'Close')]
    expect(second).toEqual({
      version: expect.any(String),
      id: expect.any(String),
      work_order_id: id,
      step_order: 2,
      title: 'Fill',
      body: null,
      attachment_id: null,
      is_completed: false,
      completed_at: null,
      completed_by: null,
      created_by: operator.userId,
      created_at: expect.any(String),
      updated_at: second.created_at,
    })
    const list = (await viewer.call('GET', route)).body
    expect([list.total, list.items.map(({ title }: { title: string }) => title)]).toEqual([3, ['Drain', 'Fill', 'Close']])
    const ticked = (await operator.call('PATCH', `${route}/${first.id}`, { is_completed: true })).body
    expect(ticked).toMatchObject({ is_completed: true, completed_by: operator.userId, completed_at: expect.any(String) })
    hub.clock.advance(5)
    expect((await admin.call('PATCH', `${route}/${first.id}`, { is_completed: true })).body).toEqual(ticked)
    const open = (await operator.call('PATCH', `${route}/${first.id}`, { is_completed: false })).body
    expect(open).toMatchObject({ is_completed: false, completed_by: null, completed_at: null })
    const moved = (await operator.call('PATCH', `${route}/${also.id}`, { step_order: 1, title: 'Open', body: 'wide' })).body
    expect(moved).toMatchObject({ step_order: 1, title: 'Open', body: 'wide' })
    expect((await viewer.call('GET', `${route}/${also.id}`)).body).toEqual(moved)
    expect((await operator.call('PATCH', `${route}/${also.id}`, { body: '' })).body.body).toBe(null)
    expect((await operator.call('DELETE', `${route}/${also.id}`)).status).toBe(204)
    expect(codeOf(await operator.call('GET', `${route}/${also.id}`))).toEqual([404, 'instruction_not_found'])
    const elsewhere = await create()
    expect((await operator.call('GET', `work-orders/${elsewhere.id}/instructions/${first.id}`)).status).toBe(404)
    expect((await operator.call('PATCH', `work-orders/${elsewhere.id}/instructions/${first.id}`, {})).status).toBe(404)
    expect((await operator.call('DELETE', `work-orders/${elsewhere.id}/instructions/${first.id}`)).status).toBe(404)
  })

  it('of two people who delete one at once, or its attachment while it is added, the second gets 404', async () => {
    const { operator, create, admin } = await workshop()
    const { id } = await create()
    const path = `work-orders/${id}/instructions`
    const { body: step } = await operator.call('POST', path, { step_order: 1, title: 'Lock out' })
    const { body: file } = await upload(hub, operator, `work_order_id=${id}`)
    const isWaiting = async (n: number) => {
      const [row] = await hub.owner<{ n: number }[]>`
        select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
      expect(row?.n).toBe(n)
    }
    const late: ReturnType<TestUser['call']>[] = []
    await hub.owner.begin(async (tx) => {
      await tx`select from work_orders where id = ${id} for no key update`
      late.push(operator.call('POST', path, { step_order: 2, title: 'Look', attachment_id: file.id }))
      late.push(admin.call('DELETE', `${path}/${step.id}`))
      await soon(() => isWaiting(2))
      await tx`delete from attachments where id = ${file.id}`
      await tx`delete from work_order_instructions where id = ${step.id}`
    })
    expect((await Promise.all(late)).map(codeOf)).toEqual([
      [404, 'attachment_not_found'],
      [404, 'instruction_not_found'],
    ])
  })

  it('are refused beyond their limits, 200 of them included', async () => {
    const { operator, create, admin } = await workshop()
    const { id } = await create()
    const route = `work-orders/${id}/instructions`
    const post = async (values: object) => (await operator.call('POST', route, { step_order: 1, title: 'x', ...values })).status
    expect(await post({ title: 'x'.repeat(255), body: 'x'.repeat(5_000) })).toBe(201)
    for (const bad of [
      { step_order: 0 },
      { step_order: 1.5 },
      { step_order: '1' },
      { step_order: 2_147_483_648 },
      { title: '' },
      { title: 'x'.repeat(256) },
      { body: 'x'.repeat(5_001) },
      { attachment_id: 'x' },
    ])
      expect([bad, await post(bad)]).toEqual([bad, 422])
    expect(await post({ attachment_id: randomUUID() })).toBe(404)
    await hub.owner`insert into work_order_instructions (tenant_id, work_order_id, step_order, title, created_by)
      select ${admin.tenantId}, ${id}, 1, 'x', ${admin.userId} from generate_series(1, 198)`
    expect([await post({}), await post({})]).toEqual([201, 409])
  })
})

describe('comments on a work order', () => {
  it('carry the name of their author, in order, and any user may write them', async () => {
    const { viewer, operator, create } = await workshop()
    const { id } = await create()
    const route = `work-orders/${id}/comments`
    const first = (await viewer.call('POST', route, { body: 'noisy' })).body
    expect(first).toEqual({
      id: expect.any(String),
      author_id: viewer.userId,
      author_name: 'viewer',
      body: 'noisy',
      created_at: expect.any(String),
      updated_at: first.created_at,
    })
    await operator.call('POST', route, { body: 'x'.repeat(2_000) })
    const { body } = await viewer.call('GET', route)
    expect([body.total, body.items[0], body.items[1].author_name]).toEqual([2, first, 'operator'])
    for (const bad of ['', 'x'.repeat(2_001)]) expect((await viewer.call('POST', route, { body: bad })).status).toBe(422)
    expect((await viewer.call('GET', `work-orders/${randomUUID()}/comments`)).status).toBe(404)
  })
})

describe('the history of a work order', () => {
  it('names every change with its author, and the values before and after', async () => {
    const { viewer, operator, create, patch, events, sign } = await workshop()
    const { id } = await create()
    await patch(id, { assigned_to: operator.userId, assignee_ids: [viewer.userId], due_date: '2030-01-01T00:00:00Z' })
    const steps = `work-orders/${id}/instructions`
    const step = (await operator.call('POST', steps, { step_order: 1, title: 'Drain' })).body
    await operator.call('PATCH', `${steps}/${step.id}`, { is_completed: true })
    await operator.call('PATCH', `${steps}/${step.id}`, { is_completed: false })
    await operator.call('PATCH', `${steps}/${step.id}`, { title: 'Drain oil' })
    await operator.call('DELETE', `${steps}/${step.id}`)
    await patch(id, { assignee_ids: [] })
    await patch(id, { title: 'Bearing' })
    await patch(id, { status: 'completed' })
    await sign(id)
    const items = await events(id)
    expect(items.map(({ event }) => event)).toEqual([
      'created',
      'updated',
      'assignee_added',
      'instruction_added',
      'instruction_completed',
      'instruction_reopened',
      'instruction_updated',
      'instruction_removed',
      'assignee_removed',
      'updated',
      'signed',
    ])
    const actor = { kind: 'user', id: operator.userId, name: expect.stringContaining('@') }
    expect(items[0]).toMatchObject({ actor, subject: null, changes: null })
    expect(items[1]).toMatchObject({
      actor,
      changes: {
        assigned_to: { from: null, to: operator.userId },
        due_date: { from: null, to: '2030-01-01T00:00:00.000Z' },
      },
    })
    expect(items[2]).toMatchObject({ subject: { id: viewer.userId, name: 'viewer' }, changes: null })
    expect(items[6]).toMatchObject({
      subject: { id: step.id, name: 'Drain oil' },
      changes: { title: { from: 'Drain', to: 'Drain oil' } },
    })
    expect(items[9]?.changes).toEqual({
      status: { from: 'open', to: 'completed' },
      completed_at: { from: null, to: expect.stringMatching(/Z$/) },
    })
    expect(items[10]).toMatchObject({ actor: null, subject: { name: 'Ada' } })
    const page = (await viewer.call('GET', `work-orders/${id}/history?page=2&page_size=10`)).body
    expect([page.total, page.items.length]).toEqual([11, 1])
  })
})
