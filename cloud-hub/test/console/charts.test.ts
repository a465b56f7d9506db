import { describe, expect, it } from 'vitest'
import { evenly, storeReadings } from '../support/stored-readings.ts'
import { accessibilityFaults, tabTo } from './browser.ts'
import { noBrowser } from './chromium.ts'
import { enter, newPlant } from './plant.ts'
import { useConsole } from './use-console.ts'

const MINUTE = 60_000
describe.skipIf(noBrowser)('in a browser', () => {
  const { hub, hubs, browser } = useConsole()

  it('the arrow keys read a chart, and Enter zooms into the range between two readings', async () => {
    const plant = await newPlant(hub)
    const end = Math.floor(Date.now() / MINUTE) * MINUTE
    const start = end - 30 * MINUTE
    const history = evenly(start, end, MINUTE, (i) => 60 + i)
    await storeReadings(hubs.owner, [{ machineId: plant.machineId, metric: 'noise', unit: 'decibel', ...history }])
    const address = `/machines/${plant.machineId}?from=${new Date(start).toISOString()}&to=${new Date(end).toISOString()}`
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, address)
    const plot = page.getByRole('slider', { name: 'Values at the cursor' })
    await plot.waitFor()
    await tabTo(page, 'Values at the cursor')
    await page.getByText(/Enter marks the beginning/).waitFor()
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key)
    }
    const value = () => plot.getAttribute('aria-valuetext')
    await press('Home', 'ArrowRight', 'ArrowRight')
    expect(await value()).toContain('Noise 62 dB')
    await press('ArrowLeft')
    expect(await value()).toContain('Noise 61 dB')
    await press('PageUp')
    expect(await value()).toContain('Noise 64 dB')

    const span = () => {
      const { searchParams } = new URL(page.url())
      return ['from', 'to'].map((name) => (Date.parse(searchParams.get(name) ?? '') - start) / MINUTE)
    }
    await press('Enter', 'PageUp', 'PageUp', 'Enter')
    await expect.poll(span).toEqual([4, 10])
    await press('Shift+ArrowLeft')
    await expect.poll(span).toEqual([2.5, 8.5])
    await press('-')
    await expect.poll(() => span().reduce((from, to) => to - from)).toBeCloseTo(12)
    // a selection that is not wanted is given up
    await press('Home', 'Enter', 'ArrowRight', 'Escape', 'Enter')
    expect(span().reduce((from, to) => to - from)).toBeCloseTo(12)
    expect(await accessibilityFaults(page)).toEqual([])
  })

  it('a range without readings shows an empty chart, which leads to the newest readings and to the present', async () => {
    const plant = await newPlant(hub)
    await plant.send(70)
    const { page } = await browser.visit({ width: 390, height: 844 })
    await enter(page, hub, plant.email, `/machines/${plant.machineId}?from=2026-01-01T00:00:00Z&to=2026-01-01T02:00:00Z`)
    const empty = page.getByRole('figure', { name: 'No readings in this range' })
    await empty.getByRole('button', { name: /^To the newest readings/ }).waitFor()
    await empty.locator('canvas').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await empty.getByRole('button', { name: /^To the newest readings/ }).click()
    await page.getByRole('figure', { name: 'Chart of Noise' }).waitFor()
    await page.goBack()
    await empty.getByRole('button', { name: 'Back to the present' }).click()
    await page.getByRole('figure', { name: 'Chart of Noise' }).waitFor()
    expect(new URL(page.url()).search).toBe('')
  })

  it('an empty range of the chosen metrics offers the others', async () => {
    const plant = await newPlant(hub)
    await plant.send(70)
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, `/machines/${plant.machineId}?metrics=pressure`)
    await page.getByText('The chosen metrics have no readings in this range').waitFor()
    await page.getByRole('button', { name: 'Show all metrics' }).click()
    await page.getByRole('figure', { name: 'Chart of Noise' }).waitFor()
  })
})
