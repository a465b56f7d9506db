import { describe, expect, it } from 'vitest'
import { accessibilityFaults, follow } from './browser.ts'
import { call, soon } from './call.ts'
import { noBrowser } from './chromium.ts'
import { enter, firstAlert, newPlant, type Plant } from './plant.ts'
import { useConsole } from './use-console.ts'

const sendCelsius = (hub: { url: string }, plant: Plant, value: number) => {
  const machine_identifier = plant.identifier
  const reading = { machine_identifier, metric_name: 'temperature', value, unit: 'celsius', timestamp: new Date().toISOString() }
  return call(hub.url, 'POST', 'ingest', { readings: [reading] }, { 'x-api-key': plant.key })
}

describe.skipIf(noBrowser)('in a browser', () => {
  const { hub, browser } = useConsole()

  it('a reader of degrees Fahrenheit enters thresholds in them, and the hub stores those of the machine', async () => {
    const plant = await newPlant(hub)
    await plant.call('PATCH', 'settings/units', { unit_preferences: { temperature: 'fahrenheit' } })
    await sendCelsius(hub, plant, 95)
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/rules')
    await page.getByText('Nothing to suggest yet').waitFor()
    await page.getByRole('button', { name: 'Add a rule' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Metric').fill('humidity')
    await dialog.getByText('no machine reports it yet').waitFor()
    await dialog.getByLabel('Metric').fill('temperature')
    await dialog.getByText(/it needs at least 30 readings of the last 7 days/).waitFor()
    await dialog.getByText('In °F.').first().waitFor()
    await dialog.getByLabel('Warning from').fill('194')
    await dialog.getByText('In °F; machines report 90 °C.').waitFor()
    await dialog.getByLabel('Critical from').fill('212')
    await dialog.getByRole('button', { name: 'Back-test' }).click()
    // 95 degrees Celsius are a warning, and drawn in the reader's unit
    await dialog.getByText(/It would have raised 1 alert/).waitFor()
    await dialog.getByText('203 °F').first().waitFor()
    expect(await accessibilityFaults(page, '[role=dialog]')).toEqual([])
    await dialog.getByRole('button', { name: 'Save' }).click()
    const row = page.getByRole('row', { name: /Temperature/ })
    // before the first baseline, the unit is that of the newest reading
    await row.getByText('194 °F').waitFor()
    const rule = async () => {
      const rules: { metric_name: string; warning_threshold: number; critical_threshold: number }[] = await plant.call(
        'GET',
        'alert-rules',
      )
      const { warning_threshold, critical_threshold } = rules.find(({ metric_name }) => metric_name === 'temperature') ?? {}
      return [warning_threshold, critical_threshold]
    }
    expect(await rule()).toEqual([90, 100])
    await row.getByRole('button', { name: 'Edit' }).click()
    expect(await dialog.getByLabel('Warning from').inputValue()).toBe('194')
    await dialog.getByLabel('Critical from').fill('200')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await row.getByText('200 °F').waitFor()
    expect(await rule()).toEqual([90, 93.3333333333])
  })

  it('a condition of a combined rule is entered and listed in the reader’s unit', async () => {
    const plant = await newPlant(hub)
    await plant.call('PATCH', 'settings/units', { unit_preferences: { temperature: 'fahrenheit' } })
    await sendCelsius(hub, plant, 20)
    const condition = { metric: 'temperature', op: '>', value: 80 }
    await plant.call('POST', 'composite-rules', {
      machine_id: plant.machineId,
      name: 'Hot',
      severity: 'warning',
      expression: { operator: 'AND', conditions: [condition] },
    })
    const { page } = await browser.visit({ width: 390, height: 844 })
    await enter(page, hub, plant.email, '/rules?tab=composites')
    await page.getByText('Temperature > 176 °F').waitFor()
    await page.getByRole('button', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.getByLabel('Value (°F)').inputValue()).toBe('176')
    await dialog.getByLabel('Value (°F)').fill('185')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Temperature > 185 °F').waitFor()
    const [rule] = await plant.call('GET', 'composite-rules')
    expect(rule.expression.conditions[0].value).toBe(85)
  })

  it('the deliveries of a channel name the alert that was sent, and lead to it', async () => {
    const plant = await newPlant(hub)
    const config = { url: 'https://hooks.invalid/alerts' }
    const channel = { name: 'Our tool', channel_type: 'webhook', config, is_active: true, notify_on_alert: true }
    const { id } = await plant.call('POST', 'notification-channels', channel)
    await plant.send(95)
    await firstAlert(plant)
    await soon(async () => (await plant.call('GET', `notification-channels/${id}/deliveries`)).items[0])
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/rules?tab=channels')
    let requests = 0
    page.on('request', (request) => {
      // the menu counts open alerts
      if (/\/alerts(?:\?|\/(?!stats))/.test(request.url())) requests++
    })
    await page.getByRole('button', { name: 'Deliveries' }).click()
    const alert = page.getByRole('link', { name: /Cooling pump: Noise is 95 dB, above the critical threshold of 90 dB/ }).first()
    await alert.waitFor()
    expect(requests).toBe(1)
    await alert.click()
    await page.getByRole('heading', { name: 'Cooling pump: Noise' }).waitFor()
    await page
      .getByText(/Noise is 95\sdB/)
      .first()
      .waitFor()
    await follow(page, '/rules')
  })
})
