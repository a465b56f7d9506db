import { createECDH, randomBytes } from 'node:crypto'
// @ts-expect-error it has no types: decrypt(body, { version, privateKey: ECDH, authSecret: base64url }): Buffer
import { decrypt } from 'http_ece'
import { describe, expect, it } from 'vitest'
import { notifyAssignees } from '../src/features/work/messages/enqueue.ts'
import { purgeReminders, purgeWorkMessages, queueReminders, sendWorkMessages } from '../src/features/work/messages/index.ts'
import { plant, type TestUser, useHub } from './harness.ts'
import { mailsTo } from './mailbox.ts'
import { useReceiver } from './support/receiver.ts'

const hub = useHub({ OUTBOUND_ALLOW: '127.0.0.0/8' })
const receiver = useReceiver()

const send = () => sendWorkMessages({ ...hub.deps, allTenants: hub.deps.pools.system })
const remind = () => queueReminders(hub.deps.pools.system, hub.clock.now())
const hours = (n: number) => new Date(hub.clock.now().getTime() + n * 3_600_000)
const emailOf = async ({ userId }: TestUser): Promise<string> =>
  (await hub.owner`select email from users where id = ${userId}`)[0]?.email

/** Subscribes a browser of a user. */
async function browser(user: TestUser, path: string) {
  const [keys, auth] = [createECDH('prime256v1'), randomBytes(16).toString('base64url')]
  const p256dh = keys.generateKeys('base64url')
  expect((await user.call('POST', 'push/subscribe', { endpoint: `${receiver.url}${path}`, keys: { p256dh, auth } })).status).toBe(
    201,
  )
  return (body: Buffer) => JSON.parse(decrypt(body, { version: 'aes128gcm', privateKey: keys, authSecret: auth }).toString())
}

/** A plant with a colleague, and rows of work that tests insert. */
async function work() {
  const { admin, machine } = await plant(hub)
  const colleague = await hub.colleague(admin, 'operator')
  const { tenantId } = admin
  const base = { tenant_id: tenantId, machine_id: machine.id, created_by: admin.userId }
  const insert = async (table: string, row: object): Promise<string> => {
    const [made] = await hub.owner<{ id: string }[]>`insert into ${hub.owner(table)} ${hub.owner(row as never)} returning *`
    return made?.id ?? ''
  }
  const order = (values: object = {}) => insert('work_orders', { ...base, title: 'Bearing', ...values })
  const event = (values: object = {}) =>
    insert('maintenance_events', { ...base, title: 'Oil', scheduled_start: hours(48), scheduled_end: hours(49), ...values })
  const notify = (workOrderId: string, userIds: string[]) =>
    notifyAssignees(hub.deps.pools.system, tenantId, hub.clock.now(), { kind: 'work_order_assigned', workOrderId, userIds })
  const assign = (workOrderId: string, user: TestUser) =>
    insert('work_order_assignees', { tenant_id: tenantId, work_order_id: workOrderId, user_id: user.userId, position: 0 })
  const subjects = async (user: TestUser) => (await mailsTo(hub, await emailOf(user))).map(({ subject }) => subject)
  return { admin, colleague, machine, tenantId, order, event, notify, assign, subjects }
}

describe('a message about work', () => {
  it('reaches each assignee once by mail and once in each browser, with a link', async () => {
    const { admin, colleague, machine, order, notify } = await work()
    const read = await browser(colleague, '/browser')
    await browser(admin, '/not-assigned')
    const id = await order({ priority: 'high', due_date: '2030-05-01T10:00Z' })
    await notify(id, [colleague.userId, colleague.userId])
    await Promise.all([send(), send()])
    const [mail, ...more] = await mailsTo(hub, await emailOf(colleague))
    expect(more).toEqual([])
    expect(mail).toMatchObject({ template: 'work_order_assigned', subject: 'Work order for you: Bearing' })
    expect(mail?.text).toContain('The work order “Bearing” on Press 1 is assigned to you. Its priority is high.')
    expect(mail?.text).toContain('1 May 2030 at 10:00 UTC')
    expect(mail?.text).toContain(`http://hub.test/work-orders/${id}`)
    expect(receiver.at('/not-assigned')).toHaveLength(0)
    expect(receiver.at('/browser').map(({ bytes }) => read(bytes))).toEqual([
      {
        title: 'Work order for you: Bearing',
        body: 'The work order “Bearing” on Press 1 is assigned to you. Its priority is high.',
        severity: 'info',
        machine: { id: machine.id, name: 'Press 1' },
        alert_id: null,
        work_order_id: id,
        maintenance_event_id: null,
        link: `http://hub.test/work-orders/${id}`,
        tag: expect.any(String),
      },
    ])
  })

  it('reaches no deactivated user and nobody of another tenant', async () => {
    const { admin, colleague, order, notify, subjects } = await work()
    const stranger = await hub.admin()
    await admin.call('PATCH', `users/${colleague.userId}`, { is_active: false })
    await notify(await order(), [colleague.userId, stranger.userId])
    await send()
    expect(await hub.owner`select from work_messages where user_id in ${hub.owner([colleague.userId, stranger.userId])}`).toEqual(
      [],
    )
    expect(await subjects(stranger)).toEqual([])
  })

  it('is not mailed when the tenant has switched it off, and still reaches browsers', async () => {
    const { admin, colleague, order, notify, subjects } = await work()
    await browser(colleague, '/only-browser')
    await admin.call('PATCH', 'settings/email-notifications', { prefs: { work_order_assigned: false } })
    await notify(await order(), [colleague.userId])
    await send()
    expect(await subjects(colleague)).toEqual([])
    expect(receiver.at('/only-browser')).toHaveLength(1)
  })

  it('is repeated under the same tag until the push service accepts it, and given up after six attempts', async () => {
    const { colleague, order, notify, tenantId } = await work()
    const read = await browser(colleague, '/away')
    receiver.script('/away', 503)
    await notify(await order(), [colleague.userId])
    for (let attempt = 1; attempt <= 8; attempt++) {
      await send()
      expect(receiver.at('/away')).toHaveLength(Math.min(attempt, 6))
      hub.clock.advance(7_300)
    }
    expect(new Set(receiver.at('/away').map(({ bytes }) => read(bytes).tag)).size).toBe(1)
    const [row] =
      await hub.owner`select status, attempts from work_messages where tenant_id = ${tenantId} and channel_id is not null`
    expect(row).toEqual({ status: 'refused', attempts: 6 })
  })

  it('ends the subscription of a browser that is gone', async () => {
    const { colleague, order, notify } = await work()
    await browser(colleague, '/gone')
    receiver.script('/gone', 410)
    await notify(await order(), [colleague.userId])
    await send()
    expect(await hub.owner`select from notification_channels where created_by = ${colleague.userId}`).toEqual([])
  })

  it('is sent by another worker when the first one died after it claimed it', async () => {
    const { colleague, order, notify, tenantId } = await work()
    await browser(colleague, '/late')
    await notify(await order(), [colleague.userId])
    await hub.owner`update work_messages set attempts = 1, due_at = ${hours(0.01)} where tenant_id = ${tenantId} and channel_id is not null`
    await send()
    expect(receiver.at('/late')).toHaveLength(0)
    hub.clock.advance(61)
    await send()
    expect(receiver.at('/late')).toHaveLength(1)
  })

  it('is deleted after 30 days', async () => {
    const { colleague, order, notify, tenantId } = await work()
    await notify(await order(), [colleague.userId])
    await purgeWorkMessages(hub.deps.pools.system, hours(29 * 24))
    expect(await hub.owner`select from work_messages where tenant_id = ${tenantId}`).toHaveLength(1)
    await purgeWorkMessages(hub.deps.pools.system, hours(31 * 24))
    expect(await hub.owner`select from work_messages where tenant_id = ${tenantId}`).toHaveLength(0)
  })
})

describe('reminders', () => {
  it('announce a work order a day before it is due and when it is overdue, to all assignees, once', async () => {
    const { admin, colleague, order, assign, subjects } = await work()
    const id = await order({ assigned_to: admin.userId, due_date: hours(25) })
    await assign(id, colleague)
    await order({ title: 'Done', assigned_to: admin.userId, due_date: hours(1), status: 'completed' })
    const step = async (advanceHours: number) => {
      hub.clock.advance(advanceHours * 3_600)
      await Promise.all([remind(), remind()])
      await send()
      return [await subjects(admin), await subjects(colleague)]
    }
    expect(await step(0)).toEqual([[], []])
    const soon = ['Due soon: Bearing']
    expect(await step(2)).toEqual([soon, soon])
    expect(await step(20)).toEqual([soon, soon])
    const overdue = [...soon, 'Overdue: Bearing']
    expect(await step(4)).toEqual([overdue, overdue])
    expect(await step(1)).toEqual([overdue, overdue])
    await hub.owner`update work_orders set due_date = ${hours(2)} where id = ${id}`
    expect((await step(0))[0]).toEqual([...overdue, 'Due soon: Bearing'])
  })

  it('of work and maintenance without an assignee hold nobody else up', async () => {
    const { admin, event, order, subjects } = await work()
    await order({ title: 'Nobody', due_date: hours(2) })
    const overrun = { scheduled_start: hours(-3), scheduled_end: hours(-2), status: 'in_progress' }
    await event(overrun)
    await order({ assigned_to: admin.userId, due_date: hours(2) })
    await remind()
    await send()
    expect((await subjects(admin)).sort()).toEqual(['Due soon: Bearing', 'Maintenance still in progress: Oil'])
  })

  it('of a work order that nobody is assigned to reach the person who is assigned later', async () => {
    const { colleague, order, assign, subjects } = await work()
    const id = await order({ due_date: hours(23) })
    await remind()
    await assign(id, colleague)
    await remind()
    await send()
    expect(await subjects(colleague)).toEqual(['Due soon: Bearing'])
  })

  it('announce maintenance a day and an hour before it starts, to its assignee or else its creator, once', async () => {
    const { admin, colleague, event, subjects } = await work()
    const start = hours(25)
    await event({ assigned_to: colleague.userId, scheduled_start: start, scheduled_end: hours(26) })
    await event({ title: 'Belt', scheduled_start: start, scheduled_end: hours(26) })
    await event({ title: 'Off', scheduled_start: start, scheduled_end: hours(26), status: 'cancelled' })
    const counts: number[][] = []
    for (const advance of [0, 2, 21, 1.5, 1]) {
      hub.clock.advance(advance * 3_600)
      await Promise.all([remind(), remind()])
      await send()
      counts.push([(await subjects(admin)).length, (await subjects(colleague)).length])
    }
    expect(counts).toEqual([
      [0, 0],
      [1, 1],
      [1, 1],
      [2, 2],
      [2, 2],
    ])
    expect(new Set([...(await subjects(admin)), ...(await subjects(colleague))])).toEqual(
      new Set(['Maintenance ahead: Belt', 'Maintenance ahead: Oil']),
    )
  })

  it('tell assignee and creator that maintenance is still in progress an hour after its end, once', async () => {
    const { admin, colleague, event, subjects } = await work()
    const times = { scheduled_start: hours(-2), scheduled_end: hours(0) }
    await event({ ...times, assigned_to: colleague.userId, status: 'in_progress' })
    await event({ ...times, title: 'Waiting', status: 'scheduled' })
    hub.clock.advance(3_590)
    await remind()
    await send()
    expect(await subjects(admin)).toEqual([])
    hub.clock.advance(20)
    for (let i = 0; i < 2; i++) {
      await remind()
      await send()
      for (const user of [admin, colleague]) expect(await subjects(user)).toEqual(['Maintenance still in progress: Oil'])
    }
  })

  it('tell so too when maintenance was started long after its planned end, once while it goes on', async () => {
    const { admin, event, subjects } = await work()
    await event({ scheduled_start: hours(-30 * 24), scheduled_end: hours(-29 * 24), status: 'in_progress' })
    for (let i = 0; i < 2; i++) {
      await remind()
      await send()
      expect(await subjects(admin)).toEqual(['Maintenance still in progress: Oil'])
      await purgeReminders(hub.deps.pools.system, hub.clock.now())
    }
  })

  it('announce maintenance to its creator when its assignee was deactivated', async () => {
    const { admin, colleague, event, subjects } = await work()
    await event({ assigned_to: colleague.userId, scheduled_start: hours(20), scheduled_end: hours(21) })
    await admin.call('PATCH', `users/${colleague.userId}`, { is_active: false })
    await remind()
    await send()
    expect(await subjects(admin)).toEqual(['Maintenance ahead: Oil'])
    expect(await subjects(colleague)).not.toContain('Maintenance ahead: Oil')
  })

  it('of what a service account has planned go to the person who answers for it', async () => {
    const { admin, colleague, tenantId, event, subjects } = await work()
    const given = { name: 'MES', role: 'operator', responsible_id: colleague.userId }
    const { id } = (await admin.call('POST', 'service-accounts', given)).body
    await event({ created_by: id, scheduled_start: hours(20), scheduled_end: hours(21) })
    await event({ created_by: id, scheduled_start: hours(-3), scheduled_end: hours(-2), status: 'in_progress' })
    await remind()
    await send()
    expect((await subjects(colleague)).toSorted()).toEqual(['Maintenance ahead: Oil', 'Maintenance still in progress: Oil'])
    expect(await subjects(admin)).toEqual([])
    expect(await hub.owner`select 1 from work_messages where tenant_id = ${tenantId} and user_id = ${id}`).toHaveLength(0)
  })

  it('are noted for a week', async () => {
    const { event, tenantId, admin } = await work()
    await event({ scheduled_start: hours(2), scheduled_end: hours(3), assigned_to: admin.userId })
    await remind()
    const noted = () => hub.owner`select from work_reminders where tenant_id = ${tenantId}`
    await purgeReminders(hub.deps.pools.system, hours(6 * 24))
    expect(await noted()).toHaveLength(1)
    await purgeReminders(hub.deps.pools.system, hours(8 * 24))
    expect(await noted()).toHaveLength(0)
  })
})
