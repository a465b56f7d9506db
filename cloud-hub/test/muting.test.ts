import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { escalateDue } from '../src/features/alerting/escalation/index.ts'
import { completeDurations } from '../src/features/alerting/evaluation/index.ts'
import { DeliveryWorker } from '../src/features/delivery/notifications/deliver.ts'
import { plant, useHub } from './harness.ts'
import { soon } from './soon.ts'
import { useReceiver } from './support/receiver.ts'

const hub = useHub({ OUTBOUND_ALLOW: '127.0.0.0/8' })
const receiver = useReceiver()
let worker: DeliveryWorker
beforeAll(async () => {
  const { pools } = hub.deps
  worker = await DeliveryWorker.start({ ...hub.deps, allTenants: pools.system, listen: pools.listen, observe: () => {} })
  hub.flushDeps.worker = worker
})
afterAll(() => worker?.stop())

const at = (hours: number) => new Date(hub.clock.now().getTime() + hours * 3_600_000)

/** A tenant with a rule, a webhook whose deliveries are made inline, and maintenance of its machine that may start. */
async function maintained() {
  const made = await plant(hub)
  const { admin, machine, key, identifier } = made
  await admin.call('POST', 'alert-rules', { metric_name: 'temperature', warning_threshold: 80, critical_threshold: 90 })
  const path = `/${randomUUID()}`
  const config = { url: `${receiver.url}${path}` }
  const channelId = (await admin.call('POST', 'notification-channels', { name: 'Hook', channel_type: 'webhook', config })).body.id
  const plan = { machine_id: machine.id, title: 'Oil', scheduled_start: at(24), scheduled_end: at(25) }
  const { id: eventId } = (await admin.call('POST', 'maintenance', plan)).body
  const change = async (status: string) =>
    expect((await admin.call('PUT', `maintenance/${eventId}`, { status })).status).toBe(200)
  const other = async () => (await hub.machine(admin)).machine_identifier
  const alerts = async () =>
    (await admin.call('GET', 'alerts')).body.items as { id: string; is_muted: boolean; machine_id: string }[]
  const arrived = () => receiver.at(path).map(({ text }) => JSON.parse(text).machine_identifier as string)
  const raise = (value = 85, on = identifier) => hub.send(key, [{ machine: on, value }])
  const deliveries = (alertId: string) => hub.owner`select event from deliveries where alert_id = ${alertId} order by id`
  /** Raises an alert elsewhere: when it has arrived, earlier ones would have too, and the worker has cached the channel. */
  const arrivesElsewhere = async () => {
    const on = await other()
    await raise(85, on)
    await soon(() => expect(arrived()).toContain(on))
  }
  return { ...made, channelId, eventId, change, other, alerts, arrived, raise, deliveries, arrivesElsewhere }
}

describe('an alert raised while maintenance is in progress on its machine', () => {
  it('sends no notifications, also when the process had cached its channel before the maintenance started', async () => {
    const { change, raise, arrived, alerts, deliveries, identifier, arrivesElsewhere } = await maintained()
    await arrivesElsewhere()
    await arrivesElsewhere()
    // the series is cached too, so the flush that raises the alert reads nothing before it writes
    await raise(50)
    await raise(51)
    await change('in_progress')
    await raise()
    const [alert] = await alerts()
    expect(alert?.is_muted).toBe(true)
    expect(await deliveries(alert?.id ?? '')).toEqual([])
    await arrivesElsewhere()
    expect(arrived()).not.toContain(identifier)
  })

  it('leaves the alerts of other machines in the same flush as they are: each is delivered once', async () => {
    const { key, change, other, arrived, identifier, arrivesElsewhere } = await maintained()
    await arrivesElsewhere()
    await change('in_progress')
    const loud = await Promise.all([other(), other()])
    await hub.send(
      key,
      [...loud, identifier].map((machine) => ({ machine, value: 85 })),
    )
    await soon(() => expect(arrived()).toEqual(expect.arrayContaining(loud)))
    await arrivesElsewhere()
    expect(arrived()).not.toContain(identifier)
    for (const one of loud) expect(arrived().filter((machine) => machine === one)).toHaveLength(1)
  })

  it('is muted when it is raised by a timer that completes a duration', async () => {
    const { admin, key, machine, identifier, change, alerts } = await maintained()
    const expression = { conditions: [{ metric: 'noise', op: '>', value: 5, duration_seconds: 60 }] }
    await admin.call('POST', 'composite-rules', { machine_id: machine.id, name: 'Loud', expression, severity: 'critical' })
    await hub.send(key, [{ machine: identifier, metric: 'noise', value: 9 }])
    await change('in_progress')
    hub.clock.advance(61)
    expect(await completeDurations(hub.deps.pools.ingest, hub.clock, 600)).toBe(1)
    expect(await alerts()).toMatchObject([{ is_muted: true }])
  })

  it('never escalates, not after the maintenance either, and reports neither acknowledgement nor clearing', async () => {
    const { admin, channelId, change, raise, alerts, deliveries } = await maintained()
    await admin.call('POST', 'escalation-policies', { name: 'Wake', severity: 'warning', wait_minutes: 1, channel_id: channelId })
    await hub.owner`update notification_channels set follows_alert = true where id = ${channelId}`
    await change('in_progress')
    await raise()
    const [alert] = await alerts()
    await change('completed')
    await escalateDue(hub.deps.pools.system, at(1))
    await admin.call('POST', `alerts/${alert?.id}/acknowledge`)
    expect(await deliveries(alert?.id ?? '')).toEqual([])
  })
})

describe('an alert raised before', () => {
  it('does not escalate while maintenance is in progress, and does afterwards', async () => {
    const { admin, channelId, change, raise, alerts, deliveries } = await maintained()
    await admin.call('POST', 'escalation-policies', { name: 'Wake', severity: 'warning', wait_minutes: 1, channel_id: channelId })
    await raise()
    const [alert] = await alerts()
    expect(await deliveries(alert?.id ?? '')).toHaveLength(1)
    await change('in_progress')
    await escalateDue(hub.deps.pools.system, at(1))
    expect(await deliveries(alert?.id ?? '')).toHaveLength(1)
    await change('completed')
    await escalateDue(hub.deps.pools.system, at(1))
    await escalateDue(hub.deps.pools.system, at(2))
    expect(await deliveries(alert?.id ?? '')).toHaveLength(2)
  })

  it('still reports its acknowledgement to tools that follow alerts', async () => {
    const { admin, channelId, change, raise, alerts, deliveries } = await maintained()
    await hub.owner`update notification_channels set follows_alert = true where id = ${channelId}`
    await raise()
    const [alert] = await alerts()
    await change('in_progress')
    await admin.call('POST', `alerts/${alert?.id}/acknowledge`)
    expect((await deliveries(alert?.id ?? '')).map(({ event }) => event)).toEqual(['raised', 'acknowledged'])
  })
})

describe('muting', () => {
  it.each(['completed', 'cancelled', 'deleted'])('ends when the event is %s, whatever its scheduled times', async (end) => {
    const { admin, eventId, change, raise, alerts, other, key } = await maintained()
    await raise()
    await change('in_progress')
    const quiet = await other()
    await raise(85, quiet)
    if (end === 'deleted') expect((await admin.call('DELETE', `maintenance/${eventId}`)).status).toBe(204)
    else await change(end)
    await hub.send(key, [{ machine: quiet, value: 95 }])
    await raise(95)
    expect((await alerts()).map(({ is_muted }) => is_muted)).toEqual([false, false, false, false])
  })
})
