import { describe, expect, it } from 'vitest'
import { type Site, useRunningHubs } from './running-hub.ts'
import { soon } from './soon.ts'
import { useReceiver } from './support/receiver.ts'

const hubs = useRunningHubs({ OUTBOUND_ALLOW: '127.0.0.0/8', ESCALATION_TICK_SECONDS: '1' })
const receiver = useReceiver()
const alertsOf = async (site: Site) => (await site.call('GET', 'alerts')).body.items

describe('two running hubs', () => {
  it('complete a duration without a reading, and escalate once, also when one is replaced', async () => {
    const [one, two] = [await hubs.start(), await hubs.start()]
    const site = await hubs.site(one)
    const channel = { channel_type: 'webhook', is_active: true }
    const [alarm, night] = await Promise.all(
      ['/alarm', '/night'].map((path) =>
        site.call('POST', 'notification-channels', {
          ...channel,
          name: path,
          notify_on_alert: path === '/alarm',
          config: { url: `${receiver.url}${path}` },
        }),
      ),
    )
    expect([alarm?.status, night?.status]).toEqual([201, 201])
    const conditions = [{ metric: 'temperature', op: '>', value: 80, duration_seconds: 2 }]
    await site.call('POST', 'composite-rules', {
      machine_id: site.machineId,
      name: 'Hot',
      expression: { conditions },
      severity: 'info',
    })
    await site.call('POST', 'escalation-policies', {
      name: 'Wake',
      severity: 'info',
      wait_minutes: 1,
      channel_id: night?.body.id,
    })
    const at = new Date(hubs.clock.now().getTime()).toISOString()
    const reading = { machine_identifier: site.identifier, metric_name: 'temperature', unit: 'celsius', value: 85, timestamp: at }
    const sent = await fetch(`${two.url}/api/v1/ingest`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': site.key },
      body: JSON.stringify({ readings: [reading] }),
    })
    expect(sent.status).toBe(207)
    expect(await alertsOf(site)).toEqual([])
    await soon(async () => expect(await alertsOf(site)).toHaveLength(1))
    const [alert] = await alertsOf(site)
    expect(new Date(alert.triggered_at).getTime() - new Date(at).getTime()).toBe(2_000)
    await soon(() => expect(receiver.at('/alarm')).toHaveLength(1))
    expect(receiver.at('/night')).toHaveLength(0)

    await hubs.owner`update alerts set created_at = created_at - interval '1 minute', escalation_due_at = now() where id = ${alert.id}`
    await soon(() => expect(receiver.at('/night')).toHaveLength(1))
    await two.stop()
    await hubs.start()
    hubs.clock.advance(120)
    // another alert that is due shows that both have looked again
    await hubs.owner`insert into alerts (tenant_id, machine_id, unit, severity, metric_name, trigger_value, threshold_value, message, triggered_at)
      select tenant_id, machine_id, unit, severity, 'other', trigger_value, threshold_value, message, triggered_at from alerts`
    await soon(() => expect(receiver.at('/night').filter(({ text }) => text.includes('"other"'))).toHaveLength(1))
    expect([receiver.at('/alarm').length, receiver.at('/night').length]).toEqual([1, 2])
    expect(await hubs.owner`select from escalations`).toHaveLength(2)
  })
})
