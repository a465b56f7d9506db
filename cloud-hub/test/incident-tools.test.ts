import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { escalateDue } from '../src/features/alerting/escalation/index.ts'
import { DeliveryWorker } from '../src/features/delivery/notifications/deliver.ts'
import { createLogger } from '../src/support/logger.ts'
import { createGuardedClient } from '../src/support/net/guarded-client.ts'
import { plant, TestClock, type TestUser, useHub } from './harness.ts'
import { soon } from './soon.ts'
import { useVendor, type VendorCall } from './support/vendor.ts'

const allow = ['127.0.0.0/8']
const hub = useHub({ OUTBOUND_ALLOW: allow.join() })
const clock = new TestClock()
const http = createGuardedClient({ allow, timeoutMs: 30_000 })
/** a ServiceNow with records by correlation id, and a PagerDuty */
let records: Map<string, { sys_id: string; active: boolean }>
const serve = ({ method, path, body }: VendorCall): { status: number; body?: unknown } => {
  if (path.startsWith('/v2/enqueue')) return { status: 202, body: { status: 'success' } }
  if (method === 'PATCH') return { status: 200, body: { result: {} } }
  if (method === 'GET') {
    const key = /correlation_id=([\w-]+)/.exec(decodeURIComponent(path))?.[1] ?? ''
    const found = records.get(key)
    return { status: 200, body: { result: found?.active ? [{ ...found, correlation_id: key }] : [] } }
  }
  const record = { sys_id: `s${records.size + 1}`, active: true }
  records.set(body.correlation_id, record)
  return { status: 201, body: { result: record } }
}
const vendor = useVendor(serve)
let stop: () => Promise<void>

async function begin(isInline: boolean) {
  const { pools, box, mailer } = hub.deps
  const publicUrl = 'https://hub.example.com'
  const logger = createLogger('silent')
  const worker = await DeliveryWorker.start({
    allTenants: pools.system,
    listen: pools.listen,
    box,
    mailer,
    publicUrl,
    vapid: null,
    http,
    clock,
    logger,
    observe: () => {},
  })
  hub.flushDeps.worker = isInline ? worker : null
  stop = () => worker.stop()
}
beforeEach(async () => {
  // a delivery that an earlier test left would come back as the clock moves
  await hub.owner`delete from deliveries where status = 'waiting'`
  records = new Map()
  vendor.calls.length = 0
  vendor.answer = serve
})
afterAll(() => http.close())

async function alarmed(type: 'incident_a' | 'ticketing_b') {
  const made = await plant(hub)
  const { admin } = made
  await admin.call('POST', 'alert-rules', { metric_name: 'temperature', warning_threshold: 80, critical_threshold: 90 })
  const config = {
    incident_a: { routing_key: 'key', base_url: vendor.url },
    ticketing_b: { instance_url: vendor.url, username: 'u', password: 'secret' },
  }[type]
  const channel = (await admin.call('POST', 'notification-channels', { name: 'Tool', channel_type: type, config })).body
  const raise = (value: number) => hub.send(made.key, [{ machine: made.identifier, value }])
  const alerts = async () => (await admin.call('GET', 'alerts')).body.items as { id: string; severity: string }[]
  return { ...made, channel, raise, alerts }
}
const attemptsOf = async (admin: TestUser, id: string) =>
  (await admin.call('GET', `notification-channels/${id}/deliveries`)).body.items as {
    alert_id: string
    event: string
    status: string
  }[]
const wake = async (seconds = 0) => {
  clock.advance(seconds)
  await hub.owner.notify('haltless_deliveries', '')
}
const actions = () => vendor.calls.map(({ body }) => [body.event_action, body.dedup_key])
const back = async (raise: (value: number) => Promise<unknown>) => {
  await raise(20)
  await raise(20)
}

describe.each([
  ['taken from the outbox', false],
  ['delivered inline with its flush', true],
])('an incident tool, its deliveries %s,', (_way, isInline) => {
  beforeAll(() => begin(isInline))
  afterAll(() => stop())

  it('receives raised, acknowledged and cleared in this order, and the API lists each attempt', async () => {
    const { admin, channel, raise, alerts } = await alarmed('incident_a')
    await raise(85)
    await soon(() => expect(vendor.calls).toHaveLength(1))
    const [alert] = await alerts()
    await admin.call('POST', `alerts/${alert?.id}/acknowledge`)
    await soon(() => expect(vendor.calls).toHaveLength(2))
    await back(raise)
    await soon(() => expect(vendor.calls).toHaveLength(3))
    expect(actions()).toEqual([
      ['trigger', alert?.id],
      ['acknowledge', alert?.id],
      ['resolve', alert?.id],
    ])
    await soon(async () =>
      expect((await attemptsOf(admin, channel.id)).map((a) => [a.alert_id, a.event, a.status])).toEqual(
        ['cleared', 'acknowledged', 'raised'].map((event) => [alert?.id, event, 'delivered']),
      ),
    )
  })

  it('receives the end of an alert only after it accepted the beginning, however long that takes', async () => {
    const { admin, channel, raise } = await alarmed('incident_a')
    let status = 503
    vendor.answer = () => ({ status })
    await raise(85)
    await soon(async () => expect(await attemptsOf(admin, channel.id)).toHaveLength(1))
    await back(raise)
    await wake()
    status = 202
    await wake(7)
    await soon(() => expect(vendor.calls).toHaveLength(3))
    expect(actions().map(([action]) => action)).toEqual(['trigger', 'trigger', 'resolve'])
  })

  it('receives no end of an alert that it refused, and the attempt gives the reason', async () => {
    const { admin, channel, raise, alerts } = await alarmed('incident_a')
    vendor.answer = () => ({ status: 400 })
    await raise(85)
    await soon(async () => expect((await attemptsOf(admin, channel.id)).map((a) => a.status)).toEqual(['failed']))
    vendor.answer = serve
    const [alert] = await alerts()
    await admin.call('POST', `alerts/${alert?.id}/acknowledge`)
    await back(raise)
    await soon(async () => expect(await attemptsOf(admin, channel.id)).toHaveLength(3))
    expect((await attemptsOf(admin, channel.id)).slice(0, 2)).toMatchObject(
      ['cleared', 'acknowledged'].map((event) => ({
        event,
        status: 'failed',
        response_status: null,
        error: 'not sent: the tool did not accept this alert when it was raised',
      })),
    )
    expect(actions().map(([action]) => action)).toEqual(['trigger'])
    // the next alert is told whole
    await raise(85)
    await back(raise)
    await soon(() => expect(actions().map(([action]) => action)).toEqual(['trigger', 'trigger', 'resolve']))
  })

  it('receives each of the alerts that one request acknowledged', async () => {
    const { admin, raise, alerts } = await alarmed('incident_a')
    await raise(85)
    await raise(95)
    await soon(() => expect(vendor.calls).toHaveLength(2))
    const ids = (await alerts()).map(({ id }) => id)
    await admin.call('POST', 'alerts/bulk/acknowledge', { alert_ids: ids })
    await soon(() => expect(vendor.calls).toHaveLength(4))
    expect(
      new Set(
        actions()
          .slice(2)
          .map(([action, key]) => `${action} ${key}`),
      ),
    ).toEqual(new Set(ids.map((id) => `acknowledge ${id}`)))
  })

  it('receives no events of alerts whose raise it never received, nor while it is inactive', async () => {
    const { admin, channel, raise, alerts } = await alarmed('incident_a')
    await admin.call('PUT', `notification-channels/${channel.id}`, { notify_on_alert: false })
    await raise(85)
    await back(raise)
    await admin.call('PUT', `notification-channels/${channel.id}`, { notify_on_alert: true })
    await raise(95)
    await soon(() => expect(vendor.calls).toHaveLength(1))
    await admin.call('PUT', `notification-channels/${channel.id}`, { is_active: false })
    for (const { id } of await alerts()) await admin.call('POST', `alerts/${id}/acknowledge`)
    const [row] = await hub.owner`select count(*)::int as n from deliveries where channel_id = ${channel.id}`
    expect(row?.n).toBe(1)
  })
})

describe('a ticketing tool', () => {
  beforeAll(() => begin(true))
  afterAll(() => stop())
  const told = () =>
    vendor.calls
      .filter(({ method }) => method !== 'GET')
      .map(({ method, path, body }) => [method, path.split('/').at(-1), body.work_notes?.slice(0, 12)])

  it('has one ticket per machine and metric: worse values, acknowledgement and end are comments', async () => {
    const { admin, machine, raise, alerts } = await alarmed('ticketing_b')
    await raise(85)
    await soon(() => expect(told()).toHaveLength(1))
    await raise(95)
    await soon(() => expect(told()).toHaveLength(2))
    await admin.call('POST', `alerts/${(await alerts())[1]?.id}/acknowledge`)
    await soon(() => expect(told()).toHaveLength(3))
    await back(raise)
    await soon(() => expect(told()).toHaveLength(5))
    expect(told()).toEqual([
      ['POST', 'incident', undefined],
      ['PATCH', 's1', 'Press 1: tem'],
      ['PATCH', 's1', 'Acknowledged'],
      ['PATCH', 's1', 'Cleared: the'],
      ['PATCH', 's1', 'Cleared: the'],
    ])
    expect([...records.keys()]).toEqual([expect.stringMatching(/^haltless-[0-9a-f]{32}$/)])
    expect(machine.id).toBeTruthy()
  })

  it('gets a new ticket after the first was closed, and for another machine', async () => {
    const { admin, key, raise } = await alarmed('ticketing_b')
    await raise(85)
    await soon(() => expect(told()).toHaveLength(1))
    for (const record of records.values()) record.active = false
    await raise(95)
    await soon(() => expect(told()).toHaveLength(2))
    const other = await hub.machine(admin)
    await hub.send(key, [{ machine: other.machine_identifier, value: 85 }])
    await soon(() => expect(told()).toHaveLength(3))
    expect(told().map(([method]) => method)).toEqual(['POST', 'POST', 'POST'])
  })

  it('receives one request at a time per machine and metric, so that two alerts create one ticket', async () => {
    const { key, identifier } = await alarmed('ticketing_b')
    let [now, most] = [0, 0]
    vendor.answer = async (call) => {
      most = Math.max(most, ++now)
      await new Promise((done) => setTimeout(done, 60))
      now--
      return serve(call)
    }
    // one flush, two alerts
    await hub.send(key, [
      { machine: identifier, value: 85, ago: 2 },
      { machine: identifier, value: 95, ago: 1 },
    ])
    await soon(() => expect(told()).toHaveLength(2))
    expect([told().map(([method]) => method), most]).toEqual([['POST', 'PATCH'], 1])
  })

  it('has one ticket when several policies escalate the same alert to it, and receives the end', async () => {
    const { admin, channel, raise } = await alarmed('ticketing_b')
    await admin.call('PUT', `notification-channels/${channel.id}`, { notify_on_alert: false })
    for (const wait_minutes of [1, 2]) {
      const policy = { name: 'Unseen', severity: 'warning', wait_minutes, channel_id: channel.id }
      expect((await admin.call('POST', 'escalation-policies', policy)).status).toBe(201)
    }
    await raise(85)
    vendor.answer = async (call) => {
      await new Promise((done) => setTimeout(done, 60))
      return serve(call)
    }
    // first the clock of the worker: it would take the escalations for deferred ones, and their lease would end as the clock moves
    await wake(181)
    expect(await escalateDue(hub.deps.pools.system, new Date(hub.clock.now().getTime() + 180_000))).toBe(2)
    await wake()
    await soon(() => expect(told()).toHaveLength(2))
    await back(raise)
    await soon(() => expect(told()).toHaveLength(3))
    expect(told()).toEqual([
      ['POST', 'incident', undefined],
      ['PATCH', 's1', 'Escalated (U'],
      ['PATCH', 's1', 'Cleared: the'],
    ])
    // an escalation says that it is one, by the name of its policy
    const [opened, commented] = vendor.calls.filter(({ method }) => method !== 'GET')
    expect(opened?.body.short_description).toMatch(/^\[warning\] Escalated \(Unseen\): Press 1: temperature is 85/)
    expect(commented?.body.work_notes).toMatch(/^Escalated \(Unseen\): Press 1: temperature is 85/)
  })
})
