import { expect, it } from 'vitest'
import { plant, useHub } from './harness.ts'
import { until } from './processes.ts'

const hub = useHub()
const LOW = '00000000-0000-7000-8000-000000000001'
const HIGH = 'ffffffff-ffff-7fff-bfff-fffffffffffe'

/** A machine with two open warnings; the one that was raised and stored first has the higher id. */
async function withTwoAlerts() {
  const made = await plant(hub)
  const { admin, key, identifier } = made
  const metrics = ['pressure', 'temperature']
  const rules: string[] = []
  for (const metric_name of metrics) {
    const rule = await admin.call('POST', 'alert-rules', { metric_name, warning_threshold: 80, critical_threshold: 90 })
    rules.push(rule.body.id)
  }
  const send = (value: number, ago: number) =>
    hub.send(
      key,
      metrics.map((metric) => ({ machine: identifier, metric, value, ago })),
    )
  await send(85, 2)
  await hub.owner`delete from alert_history where tenant_id = ${admin.tenantId}`
  await hub.owner`
    update alerts set id = (case metric_name when 'pressure' then ${HIGH} else ${LOW} end)::uuid where tenant_id = ${admin.tenantId}`
  const channel = { name: 'Night', channel_type: 'email', config: { to_email: 'night@example.com' }, notify_on_alert: false }
  const channelId = (await admin.call('POST', 'notification-channels', channel)).body.id as string
  return { ...made, send, rules, channelId }
}

type Made = Awaited<ReturnType<typeof withTwoAlerts>>

/** Puts a maintenance of the machine into progress. */
async function startMaintenance({ admin, machine }: Made): Promise<string> {
  const plan = {
    machine_id: machine.id,
    title: 'Bearing',
    scheduled_start: hub.clock.now(),
    scheduled_end: new Date(hub.clock.now().getTime() + 3_600_000),
  }
  const { id } = (await admin.call('POST', 'maintenance', plan)).body
  expect((await admin.call('PUT', `maintenance/${id}`, { status: 'in_progress' })).status).toBe(200)
  return id
}

const policyOf = ({ channelId }: Made) => ({ name: 'Wake', severity: 'warning', wait_minutes: 10, channel_id: channelId })

const LOCKING: [string, (made: Made) => Promise<() => Promise<{ status: number }>>][] = [
  [
    'a flush that clears both',
    async ({ send }) => {
      await send(20, 1)
      return () => send(20, 0)
    },
  ],
  [
    'the end of maintenance',
    async (made) => {
      const id = await startMaintenance(made)
      return () => made.admin.call('PUT', `maintenance/${id}`, { status: 'completed' })
    },
  ],
  ['a new policy', async (made) => () => made.admin.call('POST', 'escalation-policies', policyOf(made))],
  [
    'a channel that is enabled',
    async (made) => {
      await made.admin.call('POST', 'escalation-policies', policyOf(made))
      const enable = (is_active: boolean) => made.admin.call('PUT', `notification-channels/${made.channelId}`, { is_active })
      await enable(false)
      return () => enable(true)
    },
  ],
  [
    'a machine that is deactivated',
    async ({ admin, machine }) =>
      () =>
        admin.call('DELETE', `machines/${machine.id}`),
  ],
  [
    'a person who acknowledges both',
    async ({ admin }) =>
      () =>
        admin.call('POST', 'alerts/bulk/acknowledge', { alert_ids: [HIGH, LOW] }),
  ],
]

it.each(LOCKING)('%s locks alerts in the order of their ids, so that no two wait for each other', async (_, prepare) => {
  const made = await withTwoAlerts()
  const act = await prepare(made)
  let acting: Promise<{ status: number }> | undefined
  await hub.owner.begin(async (first) => {
    await first`select from alerts where tenant_id = ${made.admin.tenantId} and id = ${LOW} for update`
    acting = act()
    await until('the other waits for the lock of the first', async () => {
      const waiting = await hub.owner`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      return waiting.length > 0
    })
    const free = await first`
      select from alerts where tenant_id = ${made.admin.tenantId} and id = ${HIGH} for update skip locked`
    expect(free).toHaveLength(1)
  })
  expect((await acting)?.status).toBeLessThan(300)
  await hub.owner`delete from tenants where id = ${made.admin.tenantId}`
})
