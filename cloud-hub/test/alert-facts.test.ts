import { describe, expect, it } from 'vitest'
import type { FactsRow } from '../src/features/alerting/alerts/index.ts'
import { loadMessages, mailOf } from '../src/features/work/messages/contents.ts'
import { titleIn } from '../src/features/work/order-titles/title.ts'
import { plant, type TestUser, useHub } from './harness.ts'

const hub = useHub()
const newest = async (admin: TestUser) => (await admin.call('GET', 'alerts')).body.items[0]

/** A plant whose oil got too warm. */
async function warmOil() {
  const made = await plant(hub)
  const { admin, key, identifier } = made
  await admin.call('POST', 'alert-rules', { metric_name: 'oil_temperature', warning_threshold: 80, critical_threshold: 90 })
  await hub.send(key, [{ machine: identifier, metric: 'oil_temperature', value: 95.25 }])
  return { ...made, alert: await newest(admin) }
}
const orderFrom = async (admin: TestUser, alert: { id: string; machine_id: string }, title: string) =>
  (await admin.call('POST', 'work-orders', { machine_id: alert.machine_id, alert_id: alert.id, title })).body

const FACTS = {
  severity: 'critical',
  metric_name: 'oil_temperature',
  unit: 'celsius',
  trigger_value: 95.25,
  threshold_value: 90,
  comparison: '>',
  rule_kind: 'threshold',
  rule_name: null,
}

describe('an alert answers what its sentence was made of', () => {
  it('of a threshold that a value rose above, in the list, by itself and as CSV', async () => {
    const { admin, alert } = await warmOil()
    expect(alert).toMatchObject(FACTS)
    expect((await admin.call('GET', `alerts/${alert.id}`)).body).toMatchObject(FACTS)
    const csv = await admin.call('GET', 'alerts', undefined, { accept: 'text/csv' })
    expect(csv.body).toMatch(/comparison,rule_kind,rule_name/)
    expect(csv.body).toMatch(/,>,threshold,,/)
  })

  it('of a threshold that a value fell below', async () => {
    const { admin, key, identifier } = await plant(hub)
    await admin.call('POST', 'alert-rules', { metric_name: 'level', warning_threshold: 20, critical_threshold: 10 })
    await hub.send(key, [{ machine: identifier, metric: 'level', value: 15 }])
    expect(await newest(admin)).toMatchObject({ comparison: '<', rule_kind: 'threshold', rule_name: null, severity: 'warning' })
  })

  it('of a composite rule, with the name that it had then', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    const expression = { operator: 'OR', conditions: [{ metric: 'noise', op: '>=', value: 5 }] }
    const { body: rule } = await admin.call('POST', 'composite-rules', {
      machine_id: machine.id,
      name: 'Loud: (is it?)',
      expression,
      severity: 'info',
    })
    await hub.send(key, [{ machine: identifier, metric: 'noise', value: 5 }])
    await admin.call('PUT', `composite-rules/${rule.id}`, { name: 'Quiet' })
    expect(await newest(admin)).toMatchObject({ comparison: '>=', rule_kind: 'composite', rule_name: 'Loud: (is it?)' })
  })

  it('or nothing of it, from before it was stored', async () => {
    const { admin, alert } = await warmOil()
    await hub.owner`update alerts set comparison = null where id = ${alert.id}`
    expect(await newest(admin)).toMatchObject({ comparison: null, rule_kind: null, rule_name: null, message: alert.message })
  })

  it('in the handover of a shift', async () => {
    const { admin, alert } = await warmOil()
    const { body: shift } = await admin.call('POST', 'shifts/definitions', {
      name: 'Early',
      start_time: '06:00',
      end_time: '14:00',
      duration_minutes: 480,
      color: '#f2b705',
    })
    const { body: log } = await admin.call('POST', 'shifts/logs', {
      machine_id: alert.machine_id,
      shift_definition_id: shift.id,
      shift_date: alert.created_at.slice(0, 10),
      actual_start: new Date(Date.parse(alert.created_at) - 3_600_000).toISOString(),
    })
    const { body } = await admin.call('GET', `shifts/logs/${log.id}/handover`)
    expect(body.alerts_during_shift).toMatchObject([{ id: alert.id, ...FACTS, description: alert.message }])
  })
})

describe('a work order with the sentence of its alert as title', () => {
  it('answers the facts until a person writes another title', async () => {
    const { admin, alert } = await warmOil()
    const order = await orderFrom(admin, alert, alert.message)
    expect(order).toMatchObject({ title: alert.message, title_facts: FACTS })
    const path = `work-orders/${order.id}`
    expect((await admin.call('GET', 'work-orders')).body.items).toMatchObject([{ title_facts: FACTS }])
    await admin.call('PATCH', path, { priority: 'high', description: 'At once.' })
    expect((await admin.call('GET', path)).body).toMatchObject({ title_facts: FACTS })
    await admin.call('PATCH', path, { title: 'Change the oil' })
    expect((await admin.call('GET', path)).body).toMatchObject({ title: 'Change the oil', title_facts: null })
  })

  it('answers them where a long sentence was cut, and not for its first words', async () => {
    const { admin, alert } = await warmOil()
    const long = `${'Press '.repeat(45)}: is too warm`
    await hub.owner`update alerts set message = ${long} where id = ${alert.id}`
    const order = await orderFrom(admin, alert, long.slice(0, 255))
    expect(order.title_facts).toEqual(FACTS)
    await admin.call('PATCH', `work-orders/${order.id}`, { title: 'Press' })
    expect((await admin.call('GET', `work-orders/${order.id}`)).body.title_facts).toBeNull()
  })

  it('answers none for an alert from before the facts were stored', async () => {
    const { admin, alert } = await warmOil()
    await hub.owner`update alerts set comparison = null where id = ${alert.id}`
    expect(await orderFrom(admin, alert, alert.message)).toMatchObject({ title: alert.message, title_facts: null })
  })

  it('is found by the name of its metric in every language, while the title is that sentence', async () => {
    const { admin, alert } = await warmOil()
    const order = await orderFrom(admin, alert, alert.message)
    const found = async (search: string) =>
      (await admin.call('GET', `work-orders?search=${encodeURIComponent(search)}`)).body.total as number
    for (const search of ['öltemp', 'Oil temp', 'oil_temp', 'critical threshold', 'kritischen', 'über de'])
      expect([search, await found(search)]).toEqual([search, 1])
    for (const search of ['Vibration', 'warning threshold', 'unter de'])
      expect([search, await found(search)]).toEqual([search, 0])
    await admin.call('PATCH', `work-orders/${order.id}`, { title: 'Change it' })
    expect(await found('Öltemperatur')).toBe(0)
  })

  it('says a signal in words, and is as exact as the alert where rounding would hide that the threshold was crossed', () => {
    const facts = (value: number, threshold: number, unit: string) =>
      ({
        ...FACTS,
        metricName: 'door',
        unit,
        triggerValue: value,
        thresholdValue: threshold,
        ruleName: null,
      }) as unknown as FactsRow
    const said = (titleFacts: FactsRow) => titleIn('en', { title: '', titleFacts, machineName: 'Press 1' })
    expect(said(facts(1_234_567, 1_234_565, 'count'))).toBe(
      'Press 1: Door is 1,234,570, above the critical threshold of 1,234,565.',
    )
    expect(said(facts(80.00001, 80, 'celsius'))).toBe('Press 1: Door is 80.00001 °C, above the critical threshold of 80 °C.')
    expect(said(facts(1, 0, 'bool'))).toMatch(/^Press 1: Door is on, above/)
  })

  it('is mailed in the language of its reader', async () => {
    const { admin, alert } = await warmOil()
    const operator = await hub.colleague(admin, 'operator')
    const body = { machine_id: alert.machine_id, alert_id: alert.id, title: alert.message, assigned_to: operator.userId }
    const { body: order } = await admin.call('POST', 'work-orders', body)
    const titles = async (locale: string) => {
      await hub.owner`update users set locale = ${locale} where id = ${operator.userId}`
      const queued = await hub.owner<{ tenantId: string; id: string }[]>`
        select tenant_id as "tenantId", id from work_messages where work_order_id = ${order.id}`
      return (await loadMessages(hub.deps.pools.system, queued))
        .map((it) => mailOf(it, 'https://hub.test').params)
        .map((params) => 'title' in params && params.title)
    }
    expect(await titles('de-DE')).toEqual(['Press 1: Öltemperatur ist 95,25 °C, über dem kritischen Grenzwert von 90 °C.'])
    expect(await titles('en-GB')).toEqual(['Press 1: Oil temperature is 95.25 °C, above the critical threshold of 90 °C.'])
    await admin.call('PATCH', `work-orders/${order.id}`, { title: 'Change the oil' })
    expect(await titles('de-DE')).toEqual(['Change the oil'])
  })
})
