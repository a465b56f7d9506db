import { describe, expect, it } from 'vitest'
import { plant, type TestUser, useHub } from './harness.ts'

const hub = useHub()

const rule = async (admin: TestUser, values: Record<string, unknown> = {}) =>
  (
    await admin.call('POST', 'alert-rules', {
      metric_name: 'temperature',
      warning_threshold: 80,
      critical_threshold: 90,
      ...values,
    })
  ).body
const alertsOf = async (admin: TestUser, machineId: string) =>
  (await admin.call('GET', `alerts?machine_id=${machineId}&page_size=100`)).body.items
const statusOf = async (admin: TestUser, machineId: string) => (await admin.call('GET', `machines/${machineId}`)).body.status

/** A plant whose readings go up by one second each. */
async function ruledPlant(values: Record<string, unknown> = {}) {
  const made = await plant(hub)
  const its = await rule(made.admin, values)
  let second = 300
  const feed = (...numbers: number[]) =>
    hub.send(
      made.key,
      numbers.map((value) => ({ machine: made.identifier, value, ago: second-- })),
    )
  return { ...made, rule: its, feed }
}

describe('threshold rules', () => {
  it('raise, escalate in severity, and clear after two normal readings, independently of acknowledgement', async () => {
    const { admin, machine, rule: its, feed } = await ruledPlant()
    await feed(50, 85, 95)
    const [critical, warning] = await alertsOf(admin, machine.id)
    expect(warning).toMatchObject({
      severity: 'warning',
      trigger_value: 85,
      threshold_value: 80,
      metric_name: 'temperature',
      rule_id: its.id,
      is_acknowledged: false,
      cleared_at: null,
      is_too_old_to_notify: false,
      is_muted: false,
    })
    expect(critical).toMatchObject({ severity: 'critical', trigger_value: 95, threshold_value: 90 })
    expect(critical.message).toBe('Press 1: temperature is 95 celsius, above the critical threshold of 90 celsius.')
    await feed(70)
    expect((await alertsOf(admin, machine.id)).every((a: { cleared_at: null }) => a.cleared_at === null)).toBe(true)
    await feed(70)
    expect(
      (await alertsOf(admin, machine.id)).every(
        (a: { cleared_at: string; is_acknowledged: boolean }) => a.cleared_at && !a.is_acknowledged,
      ),
    ).toBe(true)
  })

  it('watch for low values when critical is below warning', async () => {
    const { admin, machine, feed } = await ruledPlant({ warning_threshold: 20, critical_threshold: 10 })
    await feed(20, 19, 9)
    expect((await alertsOf(admin, machine.id)).map((a: { trigger_value: number }) => a.trigger_value)).toEqual([9, 19])
  })

  it('for all machines stand per machine and unit', async () => {
    const { admin, key, identifier, machine } = await ruledPlant()
    const other = await hub.machine(admin)
    await hub.send(key, [
      { machine: identifier, value: 85 },
      { machine: identifier, value: 85, unit: 'kelvin' },
      { machine: other.machine_identifier, value: 95 },
    ])
    expect(await alertsOf(admin, machine.id)).toHaveLength(2)
    expect(await alertsOf(admin, other.id)).toHaveLength(1)
  })

  it('of one machine leave the others alone, as do inactive ones', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    const other = await hub.machine(admin)
    await rule(admin, { machine_id: other.id })
    await rule(admin, { is_active: false })
    await hub.send(key, [{ machine: identifier, value: 95 }])
    expect(await alertsOf(admin, machine.id)).toEqual([])
  })

  it('do not evaluate a repeated batch again', async () => {
    const { admin, key, machine, identifier } = await ruledPlant()
    const at = (s: number) => new Date(hub.clock.now().getTime() - s * 1000)
    const batch = [95, 70, 70].map((value, i) => ({ machine: identifier, value, at: at(10 - i) }))
    await hub.send(key, batch)
    await hub.send(key, batch)
    await Promise.all([hub.send(key, batch), hub.send(key, batch)])
    expect(await alertsOf(admin, machine.id)).toHaveLength(1)
  })

  it('raise one alert when many readings of one machine arrive at once in parallel', async () => {
    const { admin, key, machine, identifier } = await ruledPlant()
    const now = hub.clock.now().getTime()
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => hub.send(key, [{ machine: identifier, value: 85, at: new Date(now - i * 1000) }])),
    )
    expect(await alertsOf(admin, machine.id)).toHaveLength(1)
  })

  it('raise one late alert per excursion, cleared at once, for a 24-hour backlog beside live readings', async () => {
    const { admin, key, machine, identifier } = await ruledPlant()
    await hub.send(key, [{ machine: identifier, value: 50 }])
    const backlog = Array.from({ length: 240 }, (_, i) => ({
      machine: identifier,
      value: (i >= 50 && i < 60) || (i >= 150 && i < 155) ? 85 : 50,
      ago: 86_400 - i * 300,
    }))
    for (let from = 0; from < backlog.length; from += 7) await hub.send(key, backlog.slice(from, from + 7))
    const raised = await alertsOf(admin, machine.id)
    expect(raised.map((a: { triggered_at: string }) => a.triggered_at)).toHaveLength(2)
    expect(
      raised.every((a: { is_too_old_to_notify: boolean; cleared_at: string }) => a.is_too_old_to_notify && a.cleared_at),
    ).toBe(true)
    expect(raised[0].message).toContain('Reported late')
    expect(await statusOf(admin, machine.id)).toBe('healthy')
  })

  it('clear their alerts at once when they change, are deactivated or deleted, and evaluate again', async () => {
    const { admin, machine, rule: its, feed } = await ruledPlant()
    await feed(85)
    expect(await statusOf(admin, machine.id)).toBe('warning')
    const put = await admin.call('PUT', `alert-rules/${its.id}`, { warning_threshold: 82, metric_name: 'ignored' })
    expect(put).toMatchObject({
      status: 200,
      body: { warning_threshold: 82, critical_threshold: 90, metric_name: 'temperature' },
    })
    expect((await alertsOf(admin, machine.id))[0].cleared_at).not.toBeNull()
    expect(await statusOf(admin, machine.id)).toBe('healthy')
    await feed(85)
    expect(await alertsOf(admin, machine.id)).toHaveLength(2)
    await admin.call('DELETE', `alert-rules/${its.id}`)
    expect((await alertsOf(admin, machine.id)).every((a: { cleared_at: string | null }) => a.cleared_at)).toBe(true)
    await feed(95)
    expect(await alertsOf(admin, machine.id)).toHaveLength(2)
  })

  it('stay as they are when a PUT changes nothing', async () => {
    const { admin, machine, rule: its, feed } = await ruledPlant()
    await feed(85)
    expect((await admin.call('PUT', `alert-rules/${its.id}`, {})).status).toBe(200)
    expect((await alertsOf(admin, machine.id))[0].cleared_at).toBeNull()
  })

  it.each([
    [{ critical_threshold: 80 }, 422],
    [{ metric_name: '' }, 422],
    [{ metric_name: 'x'.repeat(101) }, 422],
    [{ metric_name: 'x'.repeat(100) }, 201],
    [{ warning_threshold: '80' }, 422],
    [{ machine_id: 'nobody' }, 422],
    [{ machine_id: '00000000-0000-4000-8000-000000000000' }, 404],
    [{ machine_id: null }, 201],
  ])('with %o are answered %d', async (values, status) => {
    const admin = await hub.admin()
    const answer = await admin.call('POST', 'alert-rules', {
      metric_name: 'temperature',
      warning_threshold: 80,
      critical_threshold: 90,
      ...values,
    })
    expect(answer.status).toBe(status)
  })

  it('refuse a PUT that would make the thresholds equal', async () => {
    const admin = await hub.admin()
    const its = await rule(admin)
    expect((await admin.call('PUT', `alert-rules/${its.id}`, { warning_threshold: 90 })).status).toBe(422)
  })

  it('are listed for a machine together with those for all', async () => {
    const { admin, machine } = await plant(hub)
    const other = await hub.machine(admin)
    const ids = [
      await rule(admin),
      await rule(admin, { machine_id: machine.id }),
      await rule(admin, { machine_id: other.id }),
    ].map((r) => r.id)
    const listed = async (query = '') => (await admin.call('GET', `alert-rules${query}`)).body.map((r: { id: string }) => r.id)
    expect(await listed()).toEqual(ids)
    expect(await listed(`?machine_id=${machine.id}`)).toEqual(ids.slice(0, 2))
    expect(await listed('?machine_id=00000000-0000-4000-8000-000000000000')).toEqual([])
  })
})

describe('machine status', () => {
  it('follows the newest value, from offline over healthy and warning to critical and back', async () => {
    const { admin, machine, feed } = await ruledPlant()
    const seen = [await statusOf(admin, machine.id)]
    for (const value of [50, 85, 95, 85, 50]) {
      await feed(value)
      seen.push(await statusOf(admin, machine.id))
    }
    expect(seen).toEqual(['offline', 'healthy', 'warning', 'critical', 'warning', 'healthy'])
  })

  it('set by a person stands until the next reading', async () => {
    const { admin, machine, feed } = await ruledPlant()
    await feed(50)
    await admin.call('PATCH', `machines/${machine.id}`, { status: 'critical' })
    expect(await statusOf(admin, machine.id)).toBe('critical')
    await feed(50)
    expect(await statusOf(admin, machine.id)).toBe('healthy')
  })

  it('is untouched by readings older than the offline limit', async () => {
    const { admin, key, machine, identifier } = await ruledPlant()
    await hub.send(key, [{ machine: identifier, value: 95, ago: 3_600 }])
    expect(await statusOf(admin, machine.id)).toBe('offline')
  })

  it('deactivation clears active alerts and keeps the status', async () => {
    const { admin, machine, feed } = await ruledPlant()
    await feed(95)
    expect((await admin.call('DELETE', `machines/${machine.id}`)).status).toBe(204)
    expect((await alertsOf(admin, machine.id))[0].cleared_at).not.toBeNull()
    expect(await statusOf(admin, machine.id)).toBe('critical')
  })
})
