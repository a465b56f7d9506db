import { describe, expect, it } from 'vitest'
import { addDays, dayOf, firstOfMonth, mondayOf, wallTime } from '../../console/src/i18n/wall-time.ts'
import { accessibilityFaults, chooseIn, follow } from './browser.ts'
import { soon } from './call.ts'
import { noBrowser } from './chromium.ts'
import { enter, firstAlert, newPlant } from './plant.ts'
import { useConsole } from './use-console.ts'

const MINUTE = 60_000
const ZONE = 'Europe/Berlin'
const ago = (minutes: number) => new Date(Date.now() - minutes * MINUTE).toISOString()

describe.skipIf(noBrowser)('in a browser', () => {
  const { hub, browser } = useConsole()

  it('rows of operations hold text and one menu, which arrow keys walk and which classifies a stop', async () => {
    const plant = await newPlant(hub)
    const stop = { started_at: ago(60), ended_at: ago(20), reason_note: 'Jam' }
    await plant.call('POST', `machines/${plant.machineId}/downtime`, stop)
    await plant.call('POST', 'shifts/definitions', { name: 'Night', start_time: '22:00', end_time: '06:00' })
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/operations')
    const row = page.getByRole('row', { name: /Jam/ })
    await row.waitFor()
    expect(await row.getByRole('combobox').count()).toBe(0)
    expect(await row.getByRole('button').count()).toBe(1)
    await row.getByRole('button').press('Enter')
    const menu = page.getByRole('menu')
    await menu.getByRole('menuitem', { name: 'Edit' }).and(page.locator(':focus')).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.keyboard.press('ArrowDown')
    await menu.getByRole('menuitemradio', { checked: true }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('End')
    await page.keyboard.press('ArrowDown')
    await menu.getByRole('menuitem', { name: 'Edit' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Escape')
    await row.getByRole('button').and(page.locator(':focus')).waitFor()
    await chooseIn(row, /^Reason and more/, 'Breakdown')
    await row.getByRole('cell', { name: 'Breakdown' }).waitFor()
    const stored = async () => (await plant.call('GET', 'fleet/downtime')).items[0].reason_code
    await soon(async () => (await stored())?.code === 'breakdown')
    await follow(page, '/operations?tab=shifts')
    const shift = page.getByRole('row', { name: /Night/ })
    expect([await shift.getByRole('button').count(), await shift.getByRole('combobox').count()]).toEqual([1, 0])
  })

  it('operations show the week before, the month before and own dates, in the address, against the same span before', async () => {
    const plant = await newPlant(hub)
    const monday = mondayOf(dayOf(Date.now(), ZONE))
    const within = (day: string, hour: number) => `${day}T${String(hour).padStart(2, '0')}:00:00Z`
    const lastWeek = addDays(monday, -4)
    const stop = (day: string, note: string) =>
      plant.call('POST', `machines/${plant.machineId}/downtime`, {
        started_at: within(day, 8),
        ended_at: within(day, 10),
        reason_note: note,
      })
    await stop(lastWeek, 'Last week')
    await stop(addDays(lastWeek, -7), 'A week earlier')
    await stop(addDays(lastWeek, -8), 'A week earlier')
    await stop(addDays(monday, -60), 'Long ago')
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/operations')
    const shown = () => {
      const { searchParams } = new URL(page.url())
      return ['from', 'to'].map((name) => wallTime(searchParams.get(name) ?? 0, ZONE))
    }
    const span = page.getByLabel('Span')
    await span.selectOption('Last week')
    await expect.poll(shown).toEqual([`${addDays(monday, -7)}T00:00`, `${monday}T00:00`])
    await page.getByRole('row', { name: /Last week/ }).waitFor()
    await page
      .getByText(/(against|as in) the 7 days before/)
      .first()
      .waitFor()
    await page.reload()
    await page.getByRole('row', { name: /Last week/ }).waitFor()
    expect(await span.inputValue()).toBe('lastWeek')
    const today = dayOf(Date.now(), ZONE)
    await span.selectOption('Last month')
    await expect.poll(shown).toEqual([`${firstOfMonth(today, -1)}T00:00`, `${firstOfMonth(today)}T00:00`])
    await span.selectOption('Own dates')
    const own = page.getByRole('form', { name: 'Own dates' })
    await own.getByLabel('From').fill(addDays(monday, -61))
    await own.getByLabel('To').fill(addDays(monday, -60))
    await own.getByRole('button', { name: 'Show' }).click()
    // the last day is meant as a whole
    await expect.poll(shown).toEqual([`${addDays(monday, -61)}T00:00`, `${addDays(monday, -59)}T00:00`])
    await page.getByRole('row', { name: /Long ago/ }).waitFor()
    expect(await page.getByRole('row', { name: /Last week/ }).count()).toBe(0)
    await follow(page, '/operations?tab=shifts&from=2026-03-01T00:00:00Z&to=2026-03-08T00:00:00Z')
    expect(await page.getByLabel('Span').inputValue()).toBe('own')
    expect(await accessibilityFaults(page)).toEqual([])
  })

  it('the calendar begins with this week, and the step before it is the whole month', async () => {
    const plant = await newPlant(hub)
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/maintenance')
    const days = () =>
      page.evaluate<string[]>(`[...document.querySelectorAll('main a[aria-label][href*="date="]')]
        .map((it) => /date=([0-9-]+)/.exec(it.getAttribute('href'))[1])`)
    const today = dayOf(Date.now(), ZONE)
    await expect.poll(async () => (await days())[0]).toBe(mondayOf(today))
    expect((await days()).length).toBe(35)
    await page.getByRole('button', { name: 'Previous month' }).click()
    await expect.poll(async () => (await days())[0]).toBe(mondayOf(firstOfMonth(today)))
    await page.getByRole('link', { name: 'Today' }).click()
    await expect.poll(async () => (await days())[0]).toBe(mondayOf(today))
  })

  it('an alert is named by machine and metric, and its actions stay at the bottom of a phone', async () => {
    const plant = await newPlant(hub)
    await plant.send(95)
    const { id } = await firstAlert(plant)
    const { page } = await browser.visit({ locale: 'de-DE', width: 390, height: 844, hasTouch: true })
    await enter(page, hub, plant.email, `/alerts/${id}`)
    await page.getByRole('heading', { name: 'Cooling pump: Geräuschpegel' }).waitFor()
    const bar = page.getByRole('toolbar', { name: 'Aktionen' })
    const acknowledge = bar.getByRole('button', { name: 'Quittieren' })
    const bottom = async () => {
      const box = await acknowledge.boundingBox()
      return box ? box.y + box.height : 0
    }
    const first = await bottom()
    expect(first).toBeGreaterThan(600)
    expect(first).toBeLessThan(844 - 50)
    await page.evaluate('scrollTo(0, document.body.scrollHeight)')
    expect(await bottom()).toBe(first)
    expect(await accessibilityFaults(page)).toEqual([])
    await acknowledge.click()
    await acknowledge.waitFor({ state: 'detached' })
    await chooseIn(bar, /^Zurückstellen/, 'für eine Stunde')
    await soon(async () => (await plant.call('GET', `alerts/${id}`)).snoozed_until !== null)
  })

  it('lists of texts are 1,200 px wide at most, and what is empty draws what will be there', async () => {
    const plant = await newPlant(hub)
    await plant.send(95)
    await firstAlert(plant)
    const { page } = await browser.visit({ width: 1920, height: 1080 })
    await enter(page, hub, plant.email, '/alerts')
    const list = page.locator('main .card').filter({ has: page.getByRole('link', { name: /Noise is 95/ }) })
    expect((await list.boundingBox())?.width).toBeLessThanOrEqual(1_200)
    for (const path of ['/work-orders', '/operations', '/erp']) {
      await follow(page, path)
      await page.locator('main svg path[stroke-dasharray]').first().waitFor()
    }
    expect(await accessibilityFaults(page)).toEqual([])
  })
})
