import { describe, expect, it } from 'vitest'
import { lockRulesShared } from '../src/db/advisory-locks.ts'
import { escalateDue } from '../src/features/alerting/escalation/index.ts'
import { plant, type TestUser, useHub } from './harness.ts'
import { until } from './processes.ts'

const hub = useHub()
const NOBODY = '00000000-0000-4000-8000-000000000000'
const minutes = (n: number) => new Date(hub.clock.now().getTime() + n * 60_000)
const escalate = (at: Date) => escalateDue(hub.deps.pools.system, at)

const mail = async (admin: TestUser, values: Record<string, unknown> = {}) =>
  (
    await admin.call('POST', 'notification-channels', {
      name: 'Night shift',
      channel_type: 'email',
      config: { to_email: 'night@example.com' },
      notify_on_alert: false,
      ...values,
    })
  ).body.id as string

/** A machine with a standing warning, and a policy that waits ten minutes. */
async function escalating(values: Record<string, unknown> = {}) {
  const made = await plant(hub)
  const { admin, key, identifier } = made
  await admin.call('POST', 'alert-rules', { metric_name: 'temperature', warning_threshold: 80, critical_threshold: 90 })
  await hub.send(key, [{ machine: identifier, value: 85, ago: 1 }])
  const alert = (await admin.call('GET', 'alerts')).body.items[0].id as string
  const channelId = await mail(admin)
  const given = { name: 'Wake', severity: 'warning', wait_minutes: 10, channel_id: channelId, ...values }
  const { status, body: policy } = await admin.call('POST', 'escalation-policies', given)
  expect(status).toBe(201)
  const queued = async () =>
    (
      await hub.owner<{ c: string; a: string }[]>`
        select channel_id as c, alert_id as a from deliveries where tenant_id = ${admin.tenantId} order by created_at`
    ).map(({ c, a }) => [c, a])
  return { ...made, alert, channelId, given, policy, queued }
}

describe('an escalation policy', () => {
  it('sends an alert once, after its minutes, and its history says so', async () => {
    const { admin, alert, channelId, policy, queued } = await escalating()
    await escalate(minutes(9.9))
    expect(await queued()).toEqual([])
    await escalate(minutes(10.1))
    expect(await queued()).toEqual([[channelId, alert]])
    await escalate(minutes(2_000))
    expect(await queued()).toHaveLength(1)
    const { items } = (await admin.call('GET', `alerts/${alert}/history`)).body
    const details = { policy_id: policy.id, policy_name: 'Wake', channel_id: channelId, channel_name: 'Night shift' }
    expect(items.slice(1)).toMatchObject([{ event: 'escalated', actor: null, details }])
  })

  it('sends once when several replicas poll at once, and when clocks jump', async () => {
    const { queued } = await escalating()
    await Promise.all(Array.from({ length: 12 }, () => escalate(minutes(11))))
    await escalate(minutes(-600))
    await Promise.all([escalate(minutes(600)), escalate(minutes(11))])
    expect(await queued()).toHaveLength(1)
  })

  it('wakes the delivery workers', async () => {
    await escalating()
    const heard = Promise.withResolvers<void>()
    const { unlisten } = await hub.owner.listen('haltless_deliveries', () => heard.resolve())
    await escalate(minutes(11))
    await heard.promise
    await unlisten()
  })

  it('selects alerts by severity, independently of other policies', async () => {
    const { admin, alert, channelId, key, identifier, queued } = await escalating()
    const other = await mail(admin, { name: 'Boss' })
    await admin.call('POST', 'escalation-policies', { name: 'Boss', severity: 'warning', wait_minutes: 60, channel_id: other })
    await admin.call('POST', 'escalation-policies', { name: 'No', severity: 'critical', wait_minutes: 1, channel_id: other })
    await escalate(minutes(11))
    expect(await queued()).toEqual([[channelId, alert]])
    await escalate(minutes(61))
    expect(await queued()).toEqual([
      [channelId, alert],
      [other, alert],
    ])
    await hub.send(key, [{ machine: identifier, value: 95 }])
    await escalate(minutes(62))
    const critical = (await admin.call('GET', 'alerts?severity=critical')).body.items[0].id
    expect((await queued()).slice(2)).toEqual([[other, critical]])
  })

  it.each<[string, (plant: Awaited<ReturnType<typeof escalating>>) => Promise<unknown>]>([
    ['acknowledged', ({ admin, alert }) => admin.call('POST', `alerts/${alert}/acknowledge`)],
    [
      'cleared',
      async ({ key, identifier }) => {
        for (const ago of [0.5, 0]) await hub.send(key, [{ machine: identifier, value: 20, ago }])
      },
    ],
    ['of an inactive policy', ({ admin, policy }) => admin.call('PUT', `escalation-policies/${policy.id}`, { is_active: false })],
    ['of a deleted policy', ({ admin, policy }) => admin.call('DELETE', `escalation-policies/${policy.id}`)],
    [
      'of another severity by now',
      ({ admin, policy }) => admin.call('PUT', `escalation-policies/${policy.id}`, { severity: 'info' }),
    ],
  ])('does not send what is %s', async (_, happen) => {
    const made = await escalating()
    await happen(made)
    await escalate(minutes(11))
    expect(await made.queued()).toEqual([])
  })

  it('waits for the end of a snooze; the minutes count from when the alert was raised', async () => {
    const { admin, alert, queued } = await escalating()
    await admin.call('POST', `alerts/${alert}/snooze`, { snooze_until: minutes(30).toISOString() })
    await escalate(minutes(29))
    expect(await queued()).toEqual([])
    await escalate(minutes(31))
    expect(await queued()).toHaveLength(1)
  })

  it('does not send late alerts, which had no deliveries', async () => {
    const { admin, key, queued } = await escalating()
    const machine = await hub.machine(admin)
    await hub.send(key, [{ machine: machine.machine_identifier, value: 85, ago: 3_600 }])
    await escalate(minutes(11))
    expect(await queued()).toHaveLength(1)
  })

  it('waits while its channel is inactive', async () => {
    const { admin, channelId, queued } = await escalating()
    await admin.call('PUT', `notification-channels/${channelId}`, { is_active: false })
    await escalate(minutes(11))
    expect(await queued()).toEqual([])
    await admin.call('PUT', `notification-channels/${channelId}`, { is_active: true })
    await escalate(minutes(12))
    expect(await queued()).toHaveLength(1)
  })

  it('escalates a storm completely and soon enough, because it finds earlier escalations by key', async () => {
    const { admin, alert, queued } = await escalating()
    await hub.owner`insert into alerts (tenant_id, machine_id, rule_id, unit, severity, metric_name, trigger_value, threshold_value, message, triggered_at)
      select tenant_id, machine_id, rule_id, unit, severity, metric_name, trigger_value, threshold_value, message, triggered_at
      from alerts, generate_series(1, 8000) where id = ${alert}`
    const began = performance.now()
    await Promise.all([escalate(minutes(11)), escalate(minutes(11)), escalate(minutes(11))])
    await escalate(minutes(11))
    // as a search it took minutes
    expect(performance.now() - began).toBeLessThan(20_000)
    const sent = await queued()
    expect(sent).toHaveLength(8_001)
    expect(new Set(sent.map(([, id]) => id)).size).toBe(8_001)
    expect((await admin.call('GET', 'alerts')).body.pagination.total).toBe(8_001)
  })

  it('whose delay cannot be added holds up no other tenant, and is reported once in ten minutes', async () => {
    const [bad, good] = [await escalating(), await escalating()]
    // sums beyond the largest instant
    await hub.owner`update escalation_policies set wait_minutes = 2147483647 where tenant_id = ${bad.admin.tenantId}`
    await hub.owner`
      update alerts set created_at = '294000-01-01', escalation_due_at = '1999-01-01' where tenant_id = ${bad.admin.tenantId}`
    const error = await escalate(minutes(11)).catch((thrown) => thrown)
    expect(error.message).toBe('1 alerts could not be examined for escalation.')
    expect(error.errors[0].message).toBe(`alert ${bad.alert} of tenant ${bad.admin.tenantId}`)
    expect(await good.queued()).toHaveLength(1)
    expect(await escalate(minutes(20.9))).toBe(0)
    await expect(escalate(minutes(21.1))).rejects.toThrow()
    // the fault is corrected: the trigger makes the alert due at once
    await hub.owner`update alerts set created_at = ${hub.clock.now()} where tenant_id = ${bad.admin.tenantId}`
    await hub.owner`update escalation_policies set wait_minutes = 10 where tenant_id = ${bad.admin.tenantId}`
    await escalate(minutes(21.2))
    expect(await bad.queued()).toHaveLength(1)
  })

  it('keeps its channel from being deleted, until it has another or is gone', async () => {
    const { admin, channelId, policy } = await escalating()
    const gone = () => admin.call('DELETE', `notification-channels/${channelId}`)
    expect(await gone()).toMatchObject({ status: 409, body: { code: 'channel_in_use' } })
    expect((await admin.call('GET', 'notification-channels')).body).toHaveLength(1)
    const other = await mail(admin)
    await admin.call('PUT', `escalation-policies/${policy.id}`, { channel_id: other })
    expect((await gone()).status).toBe(204)
  })

  it.each<[string, (plant: Awaited<ReturnType<typeof escalating>>) => Promise<unknown>]>([
    ['created', ({ admin, given }) => admin.call('POST', 'escalation-policies', given)],
    ['changed', ({ admin, policy }) => admin.call('PUT', `escalation-policies/${policy.id}`, { severity: 'warning' })],
  ])('escalates the alert of a flush that commits while the policy is %s', async (_, change) => {
    const made = await escalating({ severity: 'critical' })
    const { admin, alert, queued } = made
    let changing: Promise<unknown> | undefined
    let isChanged = false
    await hub.owner.begin(async (flush) => {
      await lockRulesShared(flush, [admin.tenantId])
      await flush`
        insert into alerts (tenant_id, machine_id, rule_id, unit, severity, metric_name, trigger_value, threshold_value, message, triggered_at)
        select tenant_id, machine_id, rule_id, unit, severity, metric_name, trigger_value, threshold_value, message, triggered_at
        from alerts where id = ${alert}`
      changing = change({ ...made, given: { ...made.given, severity: 'warning' } }).then(() => {
        isChanged = true
      })
      await until('the change waits for the flush, or does not', async () => {
        const waiting = await hub.owner`
          select from pg_locks where locktype = 'advisory' and not granted
            and database = (select oid from pg_database where datname = current_database())`
        return isChanged || waiting.length > 0
      })
    })
    await changing
    await escalate(minutes(11))
    expect(await queued()).toHaveLength(2)
  })

  it('is deleted with its tenant', async () => {
    const { admin } = await escalating()
    await escalate(minutes(11))
    await hub.owner`delete from tenants where id = ${admin.tenantId}`
    expect(await hub.owner`select from escalation_policies where tenant_id = ${admin.tenantId}`).toHaveLength(0)
  })

  it('shows whether its channel is active, in every answer', async () => {
    const { admin, policy, given, channelId } = await escalating()
    await admin.call('PUT', `notification-channels/${channelId}`, { is_active: false })
    const inactive = { channel_is_active: false, is_active: true }
    expect((await admin.call('GET', 'escalation-policies')).body).toMatchObject([inactive])
    expect((await admin.call('PUT', `escalation-policies/${policy.id}`, { name: 'Call' })).body).toMatchObject(inactive)
    expect((await admin.call('POST', 'escalation-policies', given)).body).toMatchObject(inactive)
    await admin.call('PUT', `notification-channels/${channelId}`, { is_active: true })
    const all = (await admin.call('GET', 'escalation-policies')).body
    expect(all.map((one: Record<string, boolean>) => one.channel_is_active)).toEqual([true, true])
  })

  it('is changed with all fields of its creation, and listed', async () => {
    const { admin, policy, given, channelId } = await escalating()
    expect(policy).toEqual({
      ...given,
      version: expect.any(String),
      id: expect.any(String),
      tenant_id: admin.tenantId,
      channel_is_active: true,
      is_active: true,
      created_at: expect.any(String),
      updated_at: policy.created_at,
    })
    const change = { name: 'Call', severity: 'critical', wait_minutes: 1_440, channel_id: await mail(admin), is_active: false }
    const put = await admin.call('PUT', `escalation-policies/${policy.id}`, change)
    expect(put).toMatchObject({
      status: 200,
      body: { ...policy, ...change, updated_at: expect.any(String), version: expect.any(String) },
    })
    expect((await admin.call('PUT', `escalation-policies/${policy.id}`, {})).body).toMatchObject(change)
    expect((await admin.call('GET', 'escalation-policies')).body).toMatchObject([{ id: policy.id, ...change }])
    expect((await admin.call('PUT', `escalation-policies/${policy.id}`, { channel_id: NOBODY })).status).toBe(404)
    expect((await admin.call('DELETE', `escalation-policies/${policy.id}`)).status).toBe(204)
    expect((await admin.call('DELETE', `escalation-policies/${policy.id}`)).status).toBe(404)
    expect(channelId).not.toBe(change.channel_id)
  })

  it.each<[Record<string, unknown>, number]>([
    [{ name: 'x'.repeat(200) }, 201],
    [{ name: 'x'.repeat(201) }, 422],
    [{ name: '' }, 422],
    [{ severity: 'info' }, 201],
    [{ severity: 'normal' }, 422],
    [{ wait_minutes: 1 }, 201],
    [{ wait_minutes: 0 }, 422],
    [{ wait_minutes: 1_440 }, 201],
    [{ wait_minutes: 1_441 }, 422],
    [{ wait_minutes: 1.5 }, 422],
    [{ wait_minutes: undefined }, 422],
    [{ channel_id: NOBODY }, 404],
    [{ channel_id: 'x' }, 422],
    [{ is_active: false }, 201],
  ])('with %o is answered %d', async (values, status) => {
    const admin = await hub.admin()
    const given = { name: 'x', severity: 'warning', wait_minutes: 5, channel_id: await mail(admin), ...values }
    expect((await admin.call('POST', 'escalation-policies', given)).status).toBe(status)
  })

  it("takes no channel of another tenant's", async () => {
    const [admin, other] = [await hub.admin(), await hub.admin()]
    const given = { name: 'x', severity: 'warning', wait_minutes: 5, channel_id: await mail(other) }
    expect((await admin.call('POST', 'escalation-policies', given)).status).toBe(404)
  })
})
