import { describe, expect, it } from 'vitest'
import { accessibilityFaults } from './browser.ts'
import { soon } from './call.ts'
import { noBrowser } from './chromium.ts'
import { enter, firstAlert, newPlant, type Plant } from './plant.ts'
import { useConsole } from './use-console.ts'

describe.skipIf(noBrowser)('in a browser', () => {
  const { hubs, hub, browser } = useConsole()

  /** Loud alerts of the pump, three unless told, and two of a fan, which a composite rule of it raised. */
  async function groupedPlant(loud = 3) {
    const plant = await newPlant(hub)
    const machine = { name: 'Fan 2', machine_identifier: 'fan-02', protocol: 'opc_ua' }
    const { id: fanId } = await plant.call('POST', 'machines', machine)
    const expression = { operator: 'AND', conditions: [{ metric: 'noise', op: '>=', value: 50 }] }
    const hot = { machine_id: fanId, name: 'Too loud at night', expression, severity: 'info' }
    const { id: composite } = await plant.call('POST', 'composite-rules', hot)
    const { id: rule } = (await plant.call('GET', 'alert-rules'))[0] ?? (await plant.call('GET', 'alert-rules')).items[0]
    const { tenant_id } = await plant.call('GET', 'auth/me')
    const raise = (machineId: string, ruleId: string | null, severity: string, name: string | null, count: number) => hubs.owner`
      insert into alerts (tenant_id, machine_id, rule_id, severity, metric_name, unit, trigger_value, threshold_value, message, comparison, rule_name,
        triggered_at, created_at)
      select ${tenant_id}, ${machineId}, ${ruleId}, ${severity}, 'noise', 'decibel', 95, 90, 'Too loud', '>', ${name}, s.at, s.at
      from generate_series(1, ${count}::int) n cross join lateral (select now() - n * interval '5 minutes' as at) s`
    await raise(plant.machineId, rule, 'warning', null, loud)
    await raise(fanId, composite, 'info', 'Too loud at night', 2)
    return { plant, fanId, rule, raise }
  }
  const open = async (plant: Plant) => (await plant.call('GET', 'alerts/stats')).total_active

  it('alerts are grouped by machine and rule: a group leads to its alerts, is acknowledged as a whole, and the choice is remembered', async () => {
    const { plant, rule } = await groupedPlant()
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/alerts')
    await page.getByRole('link', { name: 'By machine and rule' }).click()
    const pump = page.getByRole('listitem').filter({ hasText: 'Cooling pump: Noise' })
    await pump.getByText('3 alerts').waitFor()
    const fan = page.getByRole('listitem').filter({ hasText: 'Fan 2: Too loud at night' })
    await fan.getByText('2 alerts').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await pump.getByRole('link').click()
    await page.getByText('Cooling pump: Noise', { exact: true }).waitFor()
    await page.getByText('Only alerts of one rule.').waitFor()
    await page.getByRole('heading', { level: 1, name: 'Alerts' }).and(page.locator(':focus')).waitFor()
    await expect.poll(() => page.locator('[data-alert]').count()).toBe(3)
    expect(new URL(page.url()).searchParams.get('rule')).toBe(rule)
    await page.goBack()
    await pump.getByRole('link').and(page.locator(':focus')).waitFor()
    await pump.getByRole('button', { name: /^Acknowledge 3 alerts: Cooling pump/ }).press('Enter')
    await page.getByText('3 alerts acknowledged.').waitFor()
    await pump.waitFor({ state: 'detached' })
    expect(await open(plant)).toBe(2)
    await page.getByRole('heading', { level: 1, name: 'Alerts' }).and(page.locator(':focus')).waitFor()
    await page.goto(`${hub.url}/alerts`)
    await fan.waitFor()
    await page.getByRole('link', { name: 'List' }).click()
    await expect.poll(() => page.locator('[data-alert]').count()).toBe(2)
    await page.goto(`${hub.url}/alerts`)
    await expect.poll(() => page.locator('[data-alert]').count()).toBe(2)
  })

  it('20 alerts of a group are acknowledged after a question, 19 without, and the focus stays on the page', async () => {
    const { plant, fanId, raise, rule } = await groupedPlant(19)
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/alerts?view=groups')
    await page.getByRole('button', { name: /^Acknowledge 2 alerts: Fan 2/ }).press('Enter')
    await page.getByText('2 alerts acknowledged.').waitFor()
    await page.getByRole('link', { name: 'Cooling pump: Noise' }).and(page.locator(':focus')).waitFor()
    await page.getByRole('button', { name: /^Acknowledge 19 alerts: Cooling pump/ }).press('Enter')
    await page.getByText('19 alerts acknowledged.').waitFor()
    await page.getByText('No open alerts').waitFor()
    await page.getByRole('heading', { level: 1, name: 'Alerts' }).and(page.locator(':focus')).waitFor()
    await raise(fanId, rule, 'warning', null, 20)
    await page.reload()
    const button = page.getByRole('button', { name: /^Acknowledge 20 alerts: Fan 2/ })
    await button.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Acknowledge 20 alerts: Fan 2, Noise' })
    await dialog.waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await open(plant)).toBe(20)
    await button.press('Enter')
    await dialog.getByRole('button', { name: 'Acknowledge 20' }).press('Enter')
    await page.getByText('20 alerts acknowledged.').waitFor()
    await button.waitFor({ state: 'detached' })
    expect(await open(plant)).toBe(0)
    await page.getByRole('heading', { level: 1, name: 'Alerts' }).and(page.locator(':focus')).waitFor()
  })

  it('a group without a rule leads to the alerts of its machine, and the groups stay the choice', async () => {
    const { plant, fanId, raise } = await groupedPlant()
    await raise(fanId, null, 'critical', null, 1)
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/alerts')
    await page.getByRole('link', { name: 'By machine and rule' }).click()
    await page.getByRole('link', { name: 'Fan 2: Noise', exact: true }).click()
    await expect.poll(() => page.locator('[data-alert]').count()).toBe(3)
    await page.goto(`${hub.url}/alerts`)
    await page.getByRole('link', { name: 'Fan 2: Noise', exact: true }).waitFor()
    await page.goto(`${hub.url}/alerts?view=groups&severity=critical&from=2020-01-01T00:00:00.000Z&to=2020-01-02T00:00:00.000Z`)
    await page.getByText('No alert matches these filters.').waitFor()
    await page.getByRole('link', { name: 'List' }).click()
    await page.getByText('No alert matches these filters.').waitFor()
  })

  it('a signal of an alert is on or off', async () => {
    const plant = await newPlant(hub)
    const { tenant_id } = await plant.call('GET', 'auth/me')
    await hubs.owner`
      insert into alerts (tenant_id, machine_id, severity, metric_name, unit, trigger_value, threshold_value, message, comparison, rule_name, triggered_at)
      values (${tenant_id}, ${plant.machineId}, 'warning', 'door_open', 'bool', 1, 1, 'Door', '==', 'Door is open', now())`
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/alerts')
    await page.getByRole('link', { name: /^Cooling pump: Door is open \(Door open is on, == on\)\.$/ }).waitFor()
  })

  it('groups fit on a phone, and a viewer acknowledges none', async () => {
    const { plant } = await groupedPlant()
    const { email } = await plant.colleague('viewer')
    const { page } = await browser.visit({ width: 390, height: 844, hasTouch: true, locale: 'de-DE' })
    await enter(page, hub, plant.email, '/alerts?view=groups')
    await page.getByRole('button', { name: /^2 Alarme quittieren: Fan 2/ }).waitFor()
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')
    expect(overflow).toBeLessThanOrEqual(0)
    const other = (await browser.visit()).page
    await enter(other, hub, email, '/alerts?view=groups')
    await other.getByText('3 alerts').waitFor()
    expect(await other.getByRole('button', { name: /^Acknowledge/ }).count()).toBe(0)
  })

  it('an order made from an alert has its title in the language of each reader, until a person writes another one', async () => {
    const plant = await newPlant(hub)
    await plant.send(95)
    const { id, message } = await firstAlert(plant)
    const german = (await browser.visit({ locale: 'de-DE' })).page
    await enter(german, hub, plant.email, `/alerts/${id}`)
    const title = /^Cooling pump: Geräuschpegel ist 95\sdB, über dem kritischen Grenzwert von 90\sdB\.$/
    await german.getByText(title).waitFor()
    await german.getByRole('button', { name: 'Auftrag anlegen' }).click()
    await german.getByRole('heading', { level: 1, name: title }).waitFor()
    const order = await soon(async () => (await plant.call('GET', 'work-orders')).items[0])
    expect(order.title).toBe(message)
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/work-orders')
    await page.getByRole('link', { name: /^Cooling pump: Noise is 95\sdB, above the critical threshold of 90\sdB\.$/ }).click()
    await page.getByRole('button', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Priority').selectOption('Low')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await soon(async () => (await plant.call('GET', `work-orders/${order.id}`)).priority === 'low')
    expect((await plant.call('GET', `work-orders/${order.id}`)).title).toBe(message)
    await german.goto(`${hub.url}/work-orders?find=Ger%C3%A4usch`)
    await german.getByRole('link', { name: title }).waitFor()
    await page.getByRole('button', { name: 'Edit' }).click()
    await dialog.getByLabel('Title').fill('Replace the fan')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await german.goto(`${hub.url}/work-orders`)
    await german.getByRole('link', { name: 'Replace the fan' }).waitFor()
  })

  it('an alert from before its facts were stored is shown as it was stored', async () => {
    const plant = await newPlant(hub)
    await plant.send(95)
    const { id, message } = await firstAlert(plant)
    await hubs.owner`update alerts set comparison = null where id = ${id}`
    const { page } = await browser.visit({ locale: 'de-DE' })
    await enter(page, hub, plant.email, `/alerts/${id}`)
    await page.getByText(message, { exact: true }).waitFor()
  })
})
