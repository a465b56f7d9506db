import { beforeAll, describe, expect, it } from 'vitest'
import type { RunningHub } from '../../src/hub.ts'
import { useRunningHubs } from '../running-hub.ts'
import { evenly, storeReadings } from '../support/stored-readings.ts'
import { accessibilityFaults, useBrowser } from './browser.ts'
import { noBrowser } from './chromium.ts'
import { enter, newPlant } from './plant.ts'

const MINUTE = 60_000
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
    await enter(page, hub, plant.email)
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
    await enter(page, hub, plant.email, '/rules?tab=thresholds')
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
    await enter(page, hub, plant.email)
    await page.getByRole('link', { name: /Cooling pump.*Healthy/ }).waitFor()
    await plant.send(95)
    await page.getByRole('link', { name: /Cooling pump.*Critical.*1 alert to acknowledge/ }).waitFor()
  })

  it('more readings than one answer holds are shown as means of minutes, until two fingers zoom in; one finger moves', async () => {
    const plant = await newPlant(hub)
    const now = Date.now()
    const history = evenly(now - 50 * MINUTE, now, 29, (i) => 70 + Math.sin(i / 9_000))
    await storeReadings(hubs.owner, [{ machineId: plant.machineId, metric: 'noise', unit: 'decibel', ...history }])
    const { context, page, expected } = await browser.visit({ ...PHONE, hasTouch: true })
    expected.push(/422 .*\/readings/)
    await enter(page, hub, plant.email, `/machines/${plant.machineId}`)
    await page.getByText(/, means of 1 min\./).waitFor()
    await page.getByText('Move with one finger, zoom with two.').waitFor()
    const chart = page.locator('figure .u-over')
    const devtools = await context.newCDPSession(page)
    /** Fingers touch at shares of the width of the chart, move to others, and leave. */
    const touch = async (from: number[], to: number[]) => {
      await chart.evaluate('(it) => it.scrollIntoView({ block: "center" })')
      const box = (await chart.boundingBox()) as { x: number; y: number; width: number; height: number }
      const points = (shares: number[]) =>
        shares.map((share, id) => ({ id, x: box.x + share * box.width, y: box.y + box.height / 2 }))
      await devtools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: points(from) })
      await devtools.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: points(to) })
      await devtools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
    }
    const shown = () => {
      const { searchParams } = new URL(page.url())
      const [from, to] = ['from', 'to'].map((name) => Date.parse(searchParams.get(name) ?? '')) as [number, number]
      return { from, minutes: (to - from) / MINUTE }
    }
    await touch([0.4, 0.6], [0.2, 0.8])
    await expect.poll(() => shown().minutes).toBeCloseTo(20, 0)
    await page.getByText(/, every reading\./).waitFor()
    const { from } = shown()
    await touch([0.2], [0.7])
    await expect.poll(() => (from - shown().from) / MINUTE).toBeCloseTo(10, 0)
    expect(shown().minutes).toBeCloseTo(20, 0)
  })
})
