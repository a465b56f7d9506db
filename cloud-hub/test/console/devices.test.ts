import { beforeAll, describe, expect, it } from 'vitest'
import type { RunningHub } from '../../src/hub.ts'
import { useRunningHubs } from '../running-hub.ts'
import { accessibilityFaults, useBrowser } from './browser.ts'
import { noBrowser } from './chromium.ts'
import { newPlant, signIn } from './plant.ts'

const hubs = useRunningHubs()
let hub: RunningHub

describe.skipIf(noBrowser)('in a browser', () => {
  beforeAll(async () => {
    hub = await hubs.start()
  })
  const browser = useBrowser(() => hub.url)

  it('an operator has metrics suggested for tags, corrects one and confirms the others together', async () => {
    const plant = await newPlant(hub)
    await plant.send(41, 'TT_101.PV', 'TT_101.PV')
    const operator = await plant.colleague('operator')
    const { page } = await browser.visit()
    await signIn(page, hub, operator.email)
    await page.goto(`${hub.url}/machines/${plant.machineId}?tab=data`)
    await page.getByRole('button', { name: 'Suggest metrics' }).click()
    const dialog = page.getByRole('dialog')
    const tags = dialog.getByLabel('Tags')
    await expect.poll(() => tags.inputValue()).toBe('TT_101.PV')
    await tags.fill('TT_101.PV | oil temperature, celsius\nMotor_Speed_RPM\nXQ_77')
    expect(await accessibilityFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Suggest for 3 tags' }).click()
    await page.getByText('3 suggestions to review.').waitFor()
    await page.getByLabel('Show').selectOption('open')
    expect(new URL(page.url()).searchParams.get('mappings')).toBe('open')
    await page.getByRole('button', { name: 'Edit the mapping of XQ_77' }).click()
    await dialog.getByLabel('Metric').fill('coolant_flow')
    await dialog.getByLabel('Unit').fill('m3/h')
    await dialog.getByRole('button', { name: 'Save and confirm' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /XQ_77/ }).waitFor({ state: 'detached' })
    await page.getByLabel('Choose all on this page').check()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Confirm the chosen ones (2)' }).click()
    await page.getByText('2 mappings confirmed.').waitFor()
    await page.getByText('Nothing to review').waitFor()
    const stored = await plant.call('GET', `machines/${plant.machineId}/tag-mappings`)
    const brief = stored.map((it: Record<string, unknown>) => [it.raw_tag, it.standardized_name, it.is_confirmed])
    expect(brief).toEqual([
      ['Motor_Speed_RPM', 'speed', true],
      ['TT_101.PV', 'oil_temperature', true],
      ['XQ_77', 'coolant_flow', true],
    ])
  })
})
