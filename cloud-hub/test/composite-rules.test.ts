import { setTimeout } from 'node:timers/promises'
import { toColumns } from '@haltless/protocol'
import { describe, expect, it } from 'vitest'
import { isLocked } from '../src/db/errors.ts'
import { completeDurations } from '../src/features/alerting/evaluation/index.ts'
import { Flusher, IngestQueue, submissionFromBatch } from '../src/features/telemetry/ingest/index.ts'
import { Unavailable } from '../src/support/errors.ts'
import { createLogger } from '../src/support/logger.ts'
import { plant, type TestUser, useHub } from './harness.ts'
import { evenly, storeReadings } from './support/stored-readings.ts'

const hub = useHub()
const NOBODY = '00000000-0000-4000-8000-000000000000'
const HOT = { metric: 'temperature', op: '>', value: 80 }
const LOUD = { metric: 'noise', op: '>=', value: 5 }

interface Alert {
  id: string
  rule_id: string
  severity: string
  metric_name: string
  unit: string
  trigger_value: number
  threshold_value: number
  message: string
  triggered_at: string
  cleared_at: string | null
  is_too_old_to_notify: boolean
}
const alertsOf = async (admin: TestUser, machineId: string) =>
  (await admin.call('GET', `alerts?machine_id=${machineId}&page_size=100`)).body.items as Alert[]
const statusOf = async (admin: TestUser, machineId: string) => (await admin.call('GET', `machines/${machineId}`)).body.status

/** A plant with a composite rule for its machine. */
async function combined(values: Record<string, unknown> = {}) {
  const made = await plant(hub)
  const { admin, key, machine, identifier } = made
  const given = {
    machine_id: machine.id,
    name: 'Hot and loud',
    expression: { operator: 'AND', conditions: [HOT, LOUD] },
    severity: 'critical',
    ...values,
  }
  const { status, body: rule } = await admin.call('POST', 'composite-rules', given)
  expect(status).toBe(201)
  const start = hub.clock.now().getTime() - 300_000
  /** readings by seconds after a moment five minutes ago */
  const feed = (...readings: [metric: string, second: number, value: number][]) =>
    hub.send(
      key,
      readings.map(([metric, second, value]) => ({
        machine: identifier,
        metric,
        unit: metric === 'noise' ? 'db' : 'celsius',
        value,
        at: new Date(start + second * 1_000),
      })),
    )
  return { ...made, rule, given, feed, start, alerts: () => alertsOf(admin, machine.id) }
}

describe('composite rules', () => {
  it('raise when all is true, carry the first true condition, and clear after two evaluations that are false', async () => {
    const { admin, machine, rule, feed, alerts } = await combined()
    await feed(['temperature', 1, 85])
    await feed(['noise', 2, 4])
    expect(await alerts()).toEqual([])
    await feed(['noise', 3, 7])
    const [alert] = await alerts()
    expect(alert).toMatchObject({
      rule_id: rule.id,
      severity: 'critical',
      metric_name: 'temperature',
      unit: 'celsius',
      trigger_value: 85,
      threshold_value: 80,
      message: 'Press 1: Hot and loud (temperature is 85 celsius, > 80).',
      is_too_old_to_notify: false,
      is_muted: false,
      cleared_at: null,
    })
    expect(await statusOf(admin, machine.id)).toBe('critical')
    await feed(['noise', 4, 1])
    expect(await statusOf(admin, machine.id)).toBe('healthy')
    expect((await alerts())[0]?.cleared_at).toBeNull()
    await feed(['temperature', 5, 85])
    expect((await alerts())[0]?.cleared_at).not.toBeNull()
    expect(await alerts()).toHaveLength(1)
  })

  it('of severity info raise, and are no status', async () => {
    const { admin, machine, feed, alerts } = await combined({ severity: 'info', expression: { conditions: [HOT] } })
    await feed(['temperature', 1, 85])
    expect(await alerts()).toMatchObject([{ severity: 'info' }])
    expect(await statusOf(admin, machine.id)).toBe('healthy')
    expect((await admin.call('GET', 'alerts/stats')).body.info_count).toBe(1)
  })

  it('combine with threshold rules: the highest level is the machine status', async () => {
    const { admin, machine, feed } = await combined({ severity: 'warning', expression: { conditions: [LOUD] } })
    await admin.call('POST', 'alert-rules', { metric_name: 'temperature', warning_threshold: 80, critical_threshold: 90 })
    await feed(['noise', 1, 7], ['temperature', 1, 95])
    expect(await statusOf(admin, machine.id)).toBe('critical')
    await feed(['temperature', 2, 20])
    expect(await statusOf(admin, machine.id)).toBe('warning')
  })

  it('give the same alerts for an instant that comes in two requests as for one that comes whole, as a back-test does', async () => {
    const expression = { operator: 'OR', conditions: [HOT, LOUD] }
    const [apart, whole] = [await combined({ expression }), await combined({ expression })]
    for (let second = 1; second <= 6; second++) {
      await apart.feed(['temperature', second, 20])
      await apart.feed(['noise', second, 9])
      await whole.feed(['temperature', second, 20], ['noise', second, 9])
    }
    const shown = async ({ alerts }: typeof apart) => (await alerts()).map((a) => [a.metric_name, a.trigger_value, a.cleared_at])
    expect(await shown(apart)).toEqual([['noise', 9, null]])
    expect(await shown(whole)).toEqual([['noise', 9, null]])
    const period = { start: new Date(apart.start).toISOString(), end: new Date(apart.start + 60_000).toISOString() }
    const tried = await apart.admin.call('POST', 'alert-rules/backtest', { machine_id: apart.machine.id, expression, ...period })
    expect([tried.status, tried.body.alert_count]).toEqual([200, 1])
  })

  it('wait for the series that last reported at the same instant, also when the instant before had one metric and requests are parallel', async () => {
    const { feed, alerts, start } = await combined({ expression: { operator: 'OR', conditions: [HOT, LOUD] } })
    await feed(['temperature', 1, 20], ['noise', 1, 9])
    for (const second of [2, 4, 6]) {
      await feed(['noise', second, 1])
      const parts = [() => feed(['temperature', second + 1, 20]), () => feed(['noise', second + 1, 9])]
      if (second === 6) await Promise.all(parts.map((part) => part()))
      else for (const part of second === 2 ? parts : parts.reverse()) await part()
    }
    expect(await alerts()).toMatchObject([{ triggered_at: new Date(start + 1_000).toISOString(), cleared_at: null }])
  })

  it('are evaluated by the timer where the rest of an instant never comes', async () => {
    const { admin, machine, feed, alerts, start } = await combined()
    await feed(['temperature', 1, 20], ['noise', 1, 9])
    await feed(['temperature', 2, 85])
    const look = () => completeDurations(hub.deps.pools.ingest, hub.clock, 600)
    await look()
    expect(await alerts()).toEqual([])
    hub.clock.advance(2)
    await Promise.all([look(), look()])
    expect(await alerts()).toMatchObject([{ triggered_at: new Date(start + 2_000).toISOString(), cleared_at: null }])
    expect(await statusOf(admin, machine.id)).toBe('critical')
  })

  it('are delivered like the alerts of threshold rules', async () => {
    const { admin, feed, alerts } = await combined({ expression: { conditions: [HOT] } })
    await admin.call('POST', 'notification-channels', {
      name: 'mail',
      channel_type: 'email',
      config: { to_email: 'a@example.com' },
    })
    await feed(['temperature', 1, 85])
    const [alert] = await alerts()
    expect(await hub.owner`select alert_id as id from deliveries where tenant_id = ${admin.tenantId}`).toEqual([
      { id: alert?.id },
    ])
  })

  it('complete a duration by the timer without a further reading, once over all replicas', async () => {
    const { admin, machine, feed, start, alerts } = await combined({
      expression: { conditions: [{ ...HOT, duration_seconds: 330 }] },
    })
    await feed(['temperature', 0, 85])
    await feed(['temperature', 200, 85])
    const look = () => completeDurations(hub.deps.pools.ingest, hub.clock, 600)
    expect(await look()).toBe(0)
    expect(await alerts()).toEqual([])
    // the newest reading arrived 100 seconds late, so the timer waits for 100 more
    hub.clock.advance(129)
    expect(await look()).toBe(0)
    hub.clock.advance(2)
    await Promise.all([look(), look(), look()])
    expect(await alerts()).toMatchObject([
      { severity: 'critical', trigger_value: 85, triggered_at: new Date(start + 330_000).toISOString(), cleared_at: null },
    ])
    expect(await statusOf(admin, machine.id)).toBe('critical')
    expect(await look()).toBe(0)
    // the replica that remembers it otherwise learns of it
    await feed(['temperature', 331, 20])
    await feed(['temperature', 332, 20])
    expect(await alerts()).toMatchObject([{ cleared_at: expect.any(String) }])
    expect(await statusOf(admin, machine.id)).toBe('healthy')
  })

  it('of a tenant that fails hold up no other, and are tried again after a minute', async () => {
    const long = { expression: { conditions: [{ ...HOT, duration_seconds: 330 }] } }
    const [bad, good] = [await combined(long), await combined(long)]
    for (const { feed } of [bad, good]) await feed(['temperature', 0, 85], ['temperature', 200, 85])
    await hub.owner.unsafe(`
      create function refuse_alert() returns trigger language plpgsql as $$ begin raise datetime_field_overflow; end $$;
      create trigger refuse_alert before insert on alerts for each row when (new.tenant_id = '${bad.admin.tenantId}') execute function refuse_alert()`)
    // the newest readings arrived 100 seconds late
    hub.clock.advance(131)
    const look = () => completeDurations(hub.deps.pools.ingest, hub.clock, 600)
    await expect(look()).rejects.toThrow('The rules of 1 tenants could not be completed.')
    expect(await good.alerts()).toHaveLength(1)
    expect(await look()).toBe(0)
    hub.clock.advance(59)
    expect(await look()).toBe(0)
    hub.clock.advance(2)
    await expect(look()).rejects.toThrow()
    await hub.owner.unsafe('drop trigger refuse_alert on alerts; drop function refuse_alert()')
  })

  it('wait with the timer for the rest of a backlog, and agree with a back-test', async () => {
    const expression = { conditions: [{ ...HOT, duration_seconds: 60 }] }
    const { admin, machine, feed, start, alerts } = await combined({ expression })
    const look = () => completeDurations(hub.deps.pools.ingest, hub.clock, 600)
    await feed(['temperature', 0, 85], ['temperature', 50, 85])
    hub.clock.advance(5)
    expect(await look()).toBe(0)
    await feed(['temperature', 55, 20], ['temperature', 56, 20], ['temperature', 57, 85])
    hub.clock.advance(300)
    await look()
    const period = { start: new Date(start).toISOString(), end: hub.clock.now().toISOString() }
    const tried = await admin.call('POST', 'alert-rules/backtest', { machine_id: machine.id, expression, ...period })
    const expected = [{ triggered_at: new Date(start + 117_000).toISOString() }]
    expect(tried.body.alerts).toMatchObject(expected)
    expect(await alerts()).toMatchObject(expected)
  })

  it('do not complete a duration by the timer once its values are stale', async () => {
    const { admin, feed } = await combined({ expression: { conditions: [{ ...HOT, duration_seconds: 400 }] } })
    await feed(['temperature', 0, 85])
    hub.clock.advance(1_000)
    await completeDurations(hub.deps.pools.ingest, hub.clock, 600)
    expect(await completeDurations(hub.deps.pools.ingest, hub.clock, 600)).toBe(0)
    expect(await hub.owner`select from alerts where tenant_id = ${admin.tenantId}`).toHaveLength(0)
  })

  it('leave a status that a person has set until the next reading', async () => {
    const { admin, machine, feed } = await combined({ expression: { conditions: [{ ...HOT, duration_seconds: 330 }] } })
    await feed(['temperature', 0, 85])
    await admin.call('PATCH', `machines/${machine.id}`, { status: 'warning' })
    hub.clock.advance(331)
    await completeDurations(hub.deps.pools.ingest, hub.clock, 600)
    expect(await statusOf(admin, machine.id)).toBe('warning')
    await feed(['temperature', 332, 85])
    expect(await statusOf(admin, machine.id)).toBe('critical')
  })

  it('know the latest values from before their creation, and evaluate them with the next reading', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    await hub.send(key, [{ machine: identifier, value: 85, ago: 20 }])
    const expression = { conditions: [HOT, LOUD] }
    await admin.call('POST', 'composite-rules', { machine_id: machine.id, name: 'x', expression, severity: 'warning' })
    expect(await alertsOf(admin, machine.id)).toEqual([])
    await hub.send(key, [{ machine: identifier, metric: 'noise', unit: 'db', value: 9, ago: 10 }])
    expect(await alertsOf(admin, machine.id)).toHaveLength(1)
  })

  it('raise once for late readings and readings out of order, and clear at once when newer ones are normal', async () => {
    const { feed, alerts, start } = await combined()
    await feed(['temperature', 1, 85], ['temperature', 20, 50], ['temperature', 21, 50])
    const late = () => feed(['noise', 10, 7], ['noise', 12, 7])
    await late()
    await Promise.all([late(), late()])
    expect(await alerts()).toMatchObject([
      { triggered_at: new Date(start + 10_000).toISOString(), cleared_at: expect.any(String) },
    ])
    // crosswise: noise of 29 comes after temperature of 30
    await feed(['temperature', 30, 90])
    await feed(['noise', 29, 7])
    const [alert] = await alerts()
    expect(alert).toMatchObject({ triggered_at: new Date(start + 30_000).toISOString(), cleared_at: null })
  })

  it('evaluate a late reading also when more newer readings follow it than one pass evaluates', async () => {
    const conditions = [{ ...HOT, duration_seconds: 86_400 }, LOUD, { metric: 'speed', op: '<', value: 0 }]
    const { key, machine, identifier, start, feed, alerts } = await combined({ expression: { operator: 'OR', conditions } })
    await feed(['noise', 60, 1], ['temperature', 61, 20])
    await hub.send(key, [{ machine: identifier, metric: 'speed', unit: 'rpm', value: 1, at: new Date(start + 60_000) }])
    const older = evenly(start - 85_000_000, start, 1_000, () => 1)
    const series = [
      { metric: 'noise', unit: 'db' },
      { metric: 'temperature', unit: 'celsius' },
      { metric: 'speed', unit: 'rpm' },
    ]
    await storeReadings(
      hub.owner,
      series.map((names) => ({ machineId: machine.id, ...names, ...older })),
    )
    await feed(['noise', 30, 9])
    expect((await alerts()).map((a) => [a.metric_name, a.trigger_value, a.cleared_at !== null])).toEqual([['noise', 9, true]])
  })

  it('evaluate a backlog in several batches like one: one late alert per excursion', async () => {
    const { admin, key, machine, identifier, feed } = await combined()
    await feed(['temperature', 1, 20], ['noise', 1, 1])
    const day = hub.clock.now().getTime() - 86_400_000
    const backlog = Array.from({ length: 200 }, (_, i) => [
      { metric: 'temperature', unit: 'celsius', value: i % 50 >= 20 && i % 50 < 30 ? 85 : 20 },
      { metric: 'noise', unit: 'db', value: i < 100 ? 9 : 1 },
    ]).flatMap((pair, i) => pair.map((one) => ({ ...one, machine: identifier, at: new Date(day + i * 60_000) })))
    for (let from = 0; from < backlog.length; from += 17) await hub.send(key, backlog.slice(from, from + 17))
    const raised = await alertsOf(admin, machine.id)
    expect(raised.map((a) => [a.triggered_at, a.is_too_old_to_notify, a.cleared_at !== null])).toEqual([
      [new Date(day + 70 * 60_000).toISOString(), true, true],
      [new Date(day + 20 * 60_000).toISOString(), true, true],
    ])
    expect(raised[0]?.message).toContain('Reported late')
  })

  it('raise one alert when several replicas, each with its own cache, evaluate the same machine', async () => {
    const { admin, identifier, alerts } = await combined()
    const replicas = [1, 2, 3].map(() => new IngestQueue(new Flusher(hub.flushDeps), createLogger('silent')))
    const now = hub.clock.now().getTime()
    const send = (i: number, value: number) => {
      const [metric, unit] = i % 2 ? ['noise', 'db'] : ['temperature', 'celsius']
      const reading = { machine: identifier, metric, unit, rawTag: null, timestamp: now - 60_000 + i * 500, value }
      return replicas[i % 3]?.acceptReadings(admin.tenantId, submissionFromBatch(toColumns([reading]), now))
    }
    for (let i = 0; i < 12; i++) await send(i, 90)
    await Promise.all(Array.from({ length: 20 }, (_, i) => send(12 + i, 90)))
    expect(await alerts()).toMatchObject([{ cleared_at: null }])
    for (let i = 32; i < 38; i++) await send(i, 0)
    expect(await alerts()).toMatchObject([{ cleared_at: expect.any(String) }])
    for (let i = 38; i < 48; i++) await send(i, 90)
    expect(await alerts()).toHaveLength(2)
  })

  it('raise exactly one alert per machine in a storm of 1,000 machines that is sent twice to three replicas', async () => {
    const { admin, rule } = await combined()
    const machines = await hub.owner<{ id: string; identifier: string }[]>`
      insert into machines (tenant_id, name, machine_identifier, protocol)
      select ${admin.tenantId}, 'Press ' || n, ${rule.id} || '-' || n, 'json' from generate_series(1, 1000) n
      returning id, machine_identifier as identifier`
    await hub.owner`insert into composite_rules (tenant_id, machine_id, name, expression, metrics, severity)
      select r.tenant_id, m.id, r.name, r.expression, r.metrics, r.severity from composite_rules r, machines m
      where r.id = ${rule.id} and m.tenant_id = r.tenant_id and m.id <> r.machine_id`
    await hub.owner`insert into composite_conditions (tenant_id, rule_id, machine_id, inputs)
      select tenant_id, id, machine_id, '[]' from composite_rules where tenant_id = ${admin.tenantId} and id <> ${rule.id}`
    await admin.call('POST', 'alert-rules', { metric_name: 'noise', warning_threshold: 5, critical_threshold: 50 })
    const replicas = [1, 2, 3].map(() => new IngestQueue(new Flusher(hub.flushDeps), createLogger('silent')))
    const now = hub.clock.now().getTime()
    const batch = (from: number, metric: string, unit: string) =>
      toColumns(
        machines.slice(from, from + 50).map(({ identifier }, i) => ({
          ...{ machine: identifier, metric, unit, rawTag: null, value: 90 },
          timestamp: now - 1_000 + ((i * 7) % 90),
        })),
      )
    const sends = Array.from({ length: 20 }, (_, n) => n * 50).flatMap((from) =>
      [batch(from, 'temperature', 'celsius'), batch(from, 'noise', 'db')].flatMap((columns) => [columns, columns]),
    )
    // a lock that another replica holds for long fails a flush on a busy machine, then the tenant is refused for a while: a sender sends again
    const send = async (columns: (typeof sends)[number], i: number): Promise<unknown> =>
      replicas[i % 3]?.acceptReadings(admin.tenantId, submissionFromBatch(columns, now)).catch(async (error) => {
        if (!isLocked(error) && !(error instanceof Unavailable)) throw error
        await setTimeout(100)
        return send(columns, i)
      })
    await Promise.all(sends.map(send))
    const raised = await hub.owner<{ rule: boolean; n: number; machines: number }[]>`
      select exists (select from composite_rules c where c.id = a.rule_id) as rule, count(*)::int as n, count(distinct machine_id)::int as machines
      from alerts a where tenant_id = ${admin.tenantId} group by 1 order by 1`
    expect(raised).toEqual([
      { rule: false, n: 1_000, machines: 1_000 },
      { rule: true, n: 1_000, machines: 1_000 },
    ])
  })

  it('accept all fields of their creation in a change, which clears active alerts and evaluates again', async () => {
    const { admin, machine, rule, feed, alerts } = await combined({ expression: { conditions: [HOT] } })
    await feed(['temperature', 1, 85])
    expect(await alerts()).toHaveLength(1)
    const other = await hub.machine(admin)
    const change = { machine_id: other.id, name: 'Other', description: 'why', severity: 'warning', is_active: true }
    const put = await admin.call('PUT', `composite-rules/${rule.id}`, {
      ...change,
      expression: { operator: 'OR', conditions: [LOUD] },
    })
    expect(put).toMatchObject({
      status: 200,
      body: { ...rule, ...change, version: expect.any(String), expression: { operator: 'OR', conditions: [LOUD] } },
    })
    expect((await alerts())[0]?.cleared_at).not.toBeNull()
    expect(await statusOf(admin, machine.id)).toBe('healthy')
    expect((await admin.call('PUT', `composite-rules/${rule.id}`, { description: null })).body).toMatchObject({
      name: 'Other',
      description: null,
    })
    await feed(['temperature', 2, 85])
    expect(await alerts()).toHaveLength(1)
  })

  it('stay as they are when a PUT changes nothing', async () => {
    const { admin, rule, given, feed, alerts } = await combined()
    await feed(['noise', 1, 6], ['temperature', 1, 85])
    const put = await admin.call('PUT', `composite-rules/${rule.id}`, given)
    expect([put.status, put.body]).toEqual([200, rule])
    await admin.call('PUT', `composite-rules/${rule.id}`, {})
    expect((await alerts()).map(({ cleared_at }) => cleared_at)).toEqual([null])
    await admin.call('PUT', `composite-rules/${rule.id}`, { ...given, severity: 'warning' })
    expect((await alerts())[0]?.cleared_at).not.toBeNull()
  })

  it('are silent while inactive, and clear when deleted or when their machine is deactivated', async () => {
    const { admin, machine, rule, feed, alerts } = await combined({ expression: { conditions: [HOT] }, is_active: false })
    await feed(['temperature', 1, 85])
    expect(await alerts()).toEqual([])
    await admin.call('PUT', `composite-rules/${rule.id}`, { is_active: true })
    await feed(['temperature', 2, 85])
    await admin.call('DELETE', `machines/${machine.id}`)
    expect((await alerts()).map((a) => a.cleared_at !== null)).toEqual([true])
    await admin.call('PATCH', `machines/${machine.id}`, { is_active: true })
    await feed(['temperature', 3, 85])
    expect((await admin.call('DELETE', `composite-rules/${rule.id}`)).status).toBe(204)
    expect((await alerts()).map((a) => a.cleared_at !== null)).toEqual([true, true])
    expect(await statusOf(admin, machine.id)).toBe('healthy')
    expect((await admin.call('DELETE', `composite-rules/${rule.id}`)).status).toBe(404)
  })

  it('have no description after an empty one, at their creation and in a change', async () => {
    const { admin, rule, given } = await combined({ description: 'why' })
    expect((await admin.call('PUT', `composite-rules/${rule.id}`, { description: '' })).body.description).toBeNull()
    expect((await admin.call('POST', 'composite-rules', { ...given, description: '' })).body.description).toBeNull()
  })

  it.each<[Record<string, unknown>, number]>([
    [{}, 201],
    [{ name: '' }, 422],
    [{ name: 'x'.repeat(255) }, 201],
    [{ name: 'x'.repeat(256) }, 422],
    [{ description: 'why', is_active: false }, 201],
    [{ severity: 'fatal' }, 422],
    [{ severity: 'info' }, 201],
    [{ machine_id: NOBODY }, 404],
    [{ machine_id: 'x' }, 422],
    [{ expression: { conditions: [] } }, 422],
    [{ expression: { conditions: Array(10).fill(HOT) } }, 201],
    [{ expression: { conditions: Array(11).fill(HOT) } }, 422],
    [{ expression: { operator: 'XOR', conditions: [HOT] } }, 422],
    [{ expression: { operator: 'OR', conditions: [HOT] } }, 201],
    [{ expression: { conditions: [{ ...HOT, op: '!=' }] } }, 422],
    [{ expression: { conditions: [{ ...HOT, value: '80' }] } }, 422],
    [{ expression: { conditions: [{ ...HOT, metric: '' }] } }, 422],
    [{ expression: { conditions: [{ ...HOT, metric: 'm'.repeat(101) }] } }, 422],
    [{ expression: { conditions: [{ ...HOT, duration_seconds: 0 }] } }, 201],
    [{ expression: { conditions: [{ ...HOT, duration_seconds: 2_592_000 }] } }, 201],
    [{ expression: { conditions: [{ ...HOT, duration_seconds: 2_592_001 }] } }, 422],
    [{ expression: { conditions: [{ ...HOT, duration_seconds: -1 }] } }, 422],
    [{ expression: { conditions: [{ ...HOT, duration_seconds: 1.5 }] } }, 422],
  ])('with %o are answered %d', async (values, status) => {
    const { admin, machine } = await plant(hub)
    const expression = { operator: 'AND', conditions: [HOT] }
    const given = { machine_id: machine.id, name: 'x', expression, severity: 'warning', ...values }
    const answer = await admin.call('POST', 'composite-rules', given)
    expect(answer.status).toBe(status)
    if (status === 201)
      expect(answer.body).toEqual({
        description: null,
        is_active: true,
        ...given,
        expression: { ...{ operator: 'AND' }, ...given.expression },
        version: expect.any(String),
        id: expect.any(String),
        created_at: expect.any(String),
      })
  })

  it('are listed oldest first, those of a machine if it is named', async () => {
    const { admin, machine, rule, given } = await combined()
    const other = await hub.machine(admin)
    const second = (await admin.call('POST', 'composite-rules', { ...given, machine_id: other.id })).body
    expect((await admin.call('GET', 'composite-rules')).body).toEqual([rule, second])
    expect((await admin.call('GET', `composite-rules?machine_id=${machine.id}`)).body).toEqual([rule])
    expect((await admin.call('GET', `composite-rules?machine_id=${NOBODY}`)).body).toEqual([])
  })
})
