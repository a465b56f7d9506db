import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { addDays, dayOf, firstOfMonth, mondayOf, wallTime } from '../../console/src/i18n/wall-time.ts'
import { evenly, storeReadings } from '../support/stored-readings.ts'
import { accessibilityFaults, follow, tabTo } from './browser.ts'
import { call } from './call.ts'
import { noBrowser } from './chromium.ts'
import { enter, firstAlert, newPlant } from './plant.ts'
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
    expect(await value()).toContain('Noise 62\u00a0dB')
    await press('ArrowLeft')
    expect(await value()).toContain('Noise 61\u00a0dB')
    await press('PageUp')
    expect(await value()).toContain('Noise 64\u00a0dB')

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

  it('charts of a machine have one axis of times and one cursor, zones beyond thresholds, and flags on the chart of the alert', async () => {
    const plant = await newPlant(hub)
    const end = Math.floor(Date.now() / MINUTE) * MINUTE
    const start = end - 30 * MINUTE
    const steps = evenly(start, end, MINUTE, (i) => 60 + i)
    await storeReadings(hubs.owner, [
      { machineId: plant.machineId, metric: 'noise', unit: 'decibel', ...steps },
      { machineId: plant.machineId, metric: 'speed', unit: 'rpm', ...steps },
    ])
    await plant.send(95)
    await firstAlert(plant)
    const { page, expected } = await browser.visit()
    // the test reads the canvas several times
    expected.push(/willReadFrequently/)
    await enter(page, hub, plant.email, `/machines/${plant.machineId}`)
    const [noise, speed] = ['Noise', 'Speed'].map((name) => page.getByRole('figure', { name: `Chart of ${name}` })) as [
      Locator,
      Locator,
    ]
    await speed.locator('canvas').waitFor()
    const each = <T>(expression: string) => Promise.all(['Noise', 'Speed'].map((it) => inChart<T>(page, it, expression)))
    const [high = 0, low] = await each<number>('canvas.clientHeight')
    expect(low).toBe(high + 30)

    await noise.locator('.u-over').hover({ position: { x: 300, y: 50 } })
    const cursors = () => each<string>('figure.querySelector(".u-cursor-x").style.transform')
    await expect.poll(async () => new Set(await cursors()).size).toBe(1)
    expect((await cursors())[0]).toMatch(/translate\([1-9]/)

    // the zone above 90 dB, and the flag at its top; the other chart has neither
    await expect.poll(() => reds(page, 'Noise')).toEqual({ hasZone: true, hasFlag: true })
    expect(await reds(page, 'Speed')).toEqual({ hasZone: false, hasFlag: false })
    // beside the plot stands the newest value
    expect(await inChart(page, 'Noise', 'some(left + width + 8, top, 40, 150, ([, , , a]) => a > 200)')).toBe(true)

    await page.setViewportSize({ width: 1700, height: 900 })
    const boxes = await Promise.all([noise.boundingBox(), speed.boundingBox()])
    expect(boxes[0]?.y).toBe(boxes[1]?.y)
    await expect.poll(() => inChart(page, 'Noise', 'canvas.clientHeight')).toBe(low)
  })

  it('numbers beside a plot are not cut, however long, and the charts of a machine stay under each other', async () => {
    const plant = await newPlant(hub)
    const end = Math.floor(Date.now() / MINUTE) * MINUTE
    const start = end - 30 * MINUTE
    await storeReadings(hubs.owner, [
      { machineId: plant.machineId, metric: 'noise', unit: 'decibel', ...evenly(start, end, MINUTE, (i) => 60 + i) },
      { machineId: plant.machineId, metric: 'part_count', unit: 'count', ...evenly(start, end, MINUTE, (i) => 1_534_200 + i) },
    ])
    for (const [width, locale] of [
      [390, 'en-GB'],
      [1_280, 'de-DE'],
    ] as const) {
      const { page } = await browser.visit({ width, height: 900, locale })
      await enter(page, hub, plant.email, `/machines/${plant.machineId}`)
      await expect.poll(() => page.locator('figure .u-over').count()).toBe(2)
      const lefts = () =>
        page.evaluate<number[]>('Array.from(document.querySelectorAll("figure .u-over"), (it) => it.offsetLeft)')
      const text = await page.evaluate<number>(`(() => {
        const pen = document.createElement('canvas').getContext('2d')
        pen.font = '12px ' + getComputedStyle(document.documentElement).fontFamily
        return pen.measureText('1,534,200').width
      })()`)
      await expect.poll(async () => new Set(await lefts()).size).toBe(1)
      // the tick and its gap are between the number and the plot
      expect((await lefts())[0]).toBeGreaterThanOrEqual(Math.floor(text) + 10)
      await page.close()
    }
  })

  it('charts show the week before, the month before and own dates exactly, which the address keeps', async () => {
    const plant = await newPlant(hub)
    await plant.send(70)
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, `/machines/${plant.machineId}`)
    const span = page.getByLabel('Span')
    const shown = async () => {
      await expect.poll(() => new URL(page.url()).searchParams.has('from')).toBe(true)
      return ['from', 'to'].map((name) => wallTime(new URL(page.url()).searchParams.get(name) ?? '', 'Europe/Berlin'))
    }
    const today = dayOf(Date.now(), 'Europe/Berlin')
    const monday = mondayOf(today)
    await span.selectOption('Last week')
    expect(await shown()).toEqual([`${addDays(monday, -7)}T00:00`, `${monday}T00:00`])
    await page.reload()
    await expect.poll(() => span.inputValue()).toBe('lastWeek')
    await span.selectOption('Last month')
    await expect.poll(shown).toEqual([`${firstOfMonth(today, -1)}T00:00`, `${firstOfMonth(today)}T00:00`])
    await span.selectOption('Own dates')
    const own = page.getByRole('form', { name: 'Own dates' })
    await own.getByLabel('From').fill('2026-03-02T06:00')
    await own.getByLabel('To').fill('2026-03-01T06:00')
    await own.getByRole('button', { name: 'Show' }).click()
    await own.getByText('The end must be after the beginning.').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await own.getByLabel('To').fill('2026-03-02T14:00')
    await own.getByRole('button', { name: 'Show' }).click()
    await expect.poll(shown).toEqual(['2026-03-02T06:00', '2026-03-02T14:00'])
    await span.selectOption('Last 24 hours')
    await expect.poll(() => new URL(page.url()).search).toBe('?window=24h')
    // what is typed stays while the window of the last hour moves on, every 5 s
    await span.selectOption('Last hour')
    await expect.poll(() => new URL(page.url()).search).toBe('')
    await span.selectOption('Own dates')
    await own.getByLabel('From').fill('2026-03-02T07:00')
    await page.waitForTimeout(6_000)
    expect(await own.getByLabel('From').inputValue()).toBe('2026-03-02T07:00')
  })

  it('signals of two states are on or off in tiles, charts and tables, and counts have no unit', async () => {
    const plant = await newPlant(hub)
    const values = [
      ['door_open', 'bool', 1],
      ['part_count', 'count', 3],
      ['load_share', 'none', 0.5],
    ] as const
    const readings = values.map(([metric_name, unit, value]) => {
      return { machine_identifier: plant.identifier, metric_name, unit, value, timestamp: new Date().toISOString() }
    })
    await call(hub.url, 'POST', 'ingest', { readings }, { 'x-api-key': plant.key })
    const rule = { machine_id: plant.machineId, metric_name: 'door_open', warning_threshold: 0, critical_threshold: 0.5 }
    await plant.call('POST', 'alert-rules', rule)
    for (const [locale, on] of [
      ['en-GB', 'on'],
      ['de-DE', 'ein'],
    ] as const) {
      const { page } = await browser.visit({ locale })
      await enter(page, hub, plant.email, `/machines/${plant.machineId}`)
      await page.locator('figure').first().waitFor()
      const text = async () => ((await page.getByRole('main').textContent()) ?? '').replace(/\s+/g, ' ')
      await expect.poll(text).toMatch(new RegExp(`Door open ?${on}`))
      expect(await text()).not.toMatch(/\bbool\b|3 count|0[.,]5 none/)
      await follow(page, `/machines/${plant.machineId}?tab=data`)
      expect(await text()).not.toMatch(/\bbool\b|3 count|0[.,]5 none/)
      await page.close()
    }
  })
})

/** Reads something of the chart of a metric: an expression of its figure, its canvas and the plot over that. */
const inChart = <T>(page: Page, metric: string, expression: string): Promise<T> =>
  page.evaluate<T>(`(() => {
    const figure = document.querySelector('figure[aria-label="Chart of ${metric}"]')
    const [canvas, over] = [figure.querySelector('.uplot canvas'), figure.querySelector('.u-over')]
    const [left, top, width] = [over.offsetLeft, over.offsetTop, over.offsetWidth].map((it) => Math.round(it * devicePixelRatio))
    const some = (x, y, w, h, is) => {
      const { data } = canvas.getContext('2d').getImageData(x, y, w, h)
      for (let at = 0; at < data.length; at += 4) if (is(data.slice(at, at + 4))) return true
      return false
    }
    return (${expression})
  })()`)

const reds = (page: Page, metric: string) =>
  inChart<{ hasZone: boolean; hasFlag: boolean }>(
    page,
    metric,
    `{
      hasZone: some(left + 60, top + 3, 1, 1, ([r, g, , a]) => a > 10 && a < 60 && r > g),
      hasFlag: some(left, top, width, 12, ([r, g, b, a]) => a > 200 && r > 150 && g < 60 && b < 60),
    }`,
  )
