import { describe, expect, it } from 'vitest'
import { purgeDeliveries } from '../src/features/delivery/notifications/index.ts'
import { plant, useHub } from './harness.ts'

const hub = useHub()
const keep = (days = 90) => purgeDeliveries(hub.deps.pools.system, hub.clock.now(), days)

/** A tenant with a standing alert and a channel; `delivery` makes one of this age in days. */
async function alarmed() {
  const { admin, key, identifier } = await plant(hub)
  await admin.call('POST', 'alert-rules', { metric_name: 'temperature', warning_threshold: 80, critical_threshold: 90 })
  await hub.send(key, [{ machine: identifier, value: 85 }])
  const alert = (await admin.call('GET', 'alerts')).body.items[0].id as string
  const given = { name: 'Night', channel_type: 'email', config: { to_email: 'a@example.com' } }
  const channel = (await admin.call('POST', 'notification-channels', given)).body.id as string
  const delivery = (status: string, days: number, subject: string | null = null) =>
    hub.owner`
      with made as (insert into deliveries (tenant_id, channel_id, alert_id, status, subject, created_at)
        values (${admin.tenantId}, ${channel}, ${alert}, ${status}, ${subject}, now() - make_interval(days => ${days})) returning *)
      insert into delivery_attempts (tenant_id, channel_id, delivery_id, alert_id, attempt, status, attempted_at)
      select tenant_id, channel_id, id, alert_id, 1, 'failed', created_at from made`
  const left = async () =>
    (
      await hub.owner<{ status: string; days: number }[]>`
        select status, round(extract(epoch from now() - created_at) / 86400)::int as days from deliveries where tenant_id = ${admin.tenantId} order by 2, 1`
    ).map(({ status, days }) => `${status} ${days}`)
  const attempts = async () =>
    (await admin.call('GET', `notification-channels/${channel}/deliveries`)).body.pagination.total as number
  const clear = (days: number) =>
    hub.owner`update alerts set cleared_at = now() - make_interval(days => ${days}) where id = ${alert}`
  return { delivery, left, attempts, clear }
}

describe('deliveries', () => {
  it('are purged with their attempts after the retention period, but only ended ones', async () => {
    const { delivery, left, attempts } = await alarmed()
    for (const status of ['delivered', 'refused', 'waiting', 'pending_digest', 'in_digest'])
      for (const days of [89, 91]) await delivery(status, days)
    await keep(0)
    expect([(await left()).length, await attempts()]).toEqual([10, 10])
    await keep()
    const open = ['in_digest', 'pending_digest', 'waiting']
    const young = ['delivered', ...open, 'refused'].sort().map((status) => `${status} 89`)
    expect([await left(), await attempts()]).toEqual([[...young, ...open.map((status) => `${status} 91`)], 5])
  })

  it('stay while a tool still needs them for the end of their alert', async () => {
    const { delivery, left, clear } = await alarmed()
    await delivery('delivered', 200, 'an-incident')
    await keep()
    expect(await left()).toEqual(['delivered 200'])
    await clear(89)
    await keep()
    // the tool was told of its end
    expect(await left()).toContain('delivered 200')
    await clear(91)
    await keep()
    expect(await left()).not.toContain('delivered 200')
  })

  it('are purged in batches, several in one run', async () => {
    const { delivery, left, attempts } = await alarmed()
    await delivery('delivered', 100)
    await hub.owner`insert into deliveries (tenant_id, channel_id, alert_id, status, created_at)
      select tenant_id, channel_id, alert_id, status, created_at from deliveries, generate_series(1, 5200) where created_at < now() - interval '99 days'`
    await hub.owner`insert into delivery_attempts (tenant_id, channel_id, delivery_id, alert_id, attempt, status, attempted_at)
      select tenant_id, channel_id, id, alert_id, 1, 'delivered', created_at from deliveries where status = 'delivered'`
    await keep()
    expect([await left(), await attempts()]).toEqual([[], 0])
  })
})
