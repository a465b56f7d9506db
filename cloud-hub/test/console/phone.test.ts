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
  const PHONE = { width: 390, height: 844 }

  it('the menu of a phone leads to the other pages and to the sign-in', async () => {
    const plant = await newPlant(hub)
    const { page } = await browser.visit(PHONE)
    await signIn(page, hub, plant.email)
    // React Aria still announces the button of the sign-in
    await page.reload()
    const menu = page.getByRole('dialog', { name: 'More' })
    await page.getByRole('button', { name: 'More' }).click()
    await menu.waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await menu.getByRole('link', { name: 'Rules', exact: true }).click()
    await page.getByRole('heading', { name: 'Rules and channels' }).waitFor()
    await menu.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'More' }).click()
    await menu.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('E-mail address').waitFor()
  })

  it('a table that is wider than a phone lists the values of each row with their labels', async () => {
    const plant = await newPlant(hub)
    const { page } = await browser.visit(PHONE)
    await signIn(page, hub, plant.email)
    await page.goto(`${hub.url}/rules?tab=thresholds`)
    const cell = page.getByRole('table', { name: 'Thresholds' }).getByRole('cell', { name: '80' })
    await page.locator('table.stacked').waitFor()
    expect(await cell.getAttribute('data-label')).toBe('Warning')
    expect(await accessibilityFaults(page)).toEqual([])
    const box = await page.getByRole('button', { name: /Delete/ }).boundingBox()
    expect((box?.x ?? Infinity) + (box?.width ?? 0)).toBeLessThanOrEqual(PHONE.width)
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.locator('table.stacked').waitFor({ state: 'detached' })
  })

  it('the overview counts a new alert at its machine without a reload', async () => {
    const plant = await newPlant(hub)
    await plant.send(20)
    const { page } = await browser.visit()
    await signIn(page, hub, plant.email)
    await page.getByRole('link', { name: /Cooling pump.*Healthy/ }).waitFor()
    await plant.send(95)
    await page.getByRole('link', { name: /Cooling pump.*Critical.*1 alert to acknowledge/ }).waitFor()
  })
})
