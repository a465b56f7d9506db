import { describe, expect, it } from 'vitest'
import { chooseIn } from './browser.ts'
import { noBrowser } from './chromium.ts'
import { enter, firstAlert, newPlant } from './plant.ts'
import { useConsole } from './use-console.ts'

const PHONE = { width: 390, height: 800, hasTouch: true }

/** Targets that are less than 48 px high or wide; a control counts with its label, and links within sentences not at all. */
const SMALL_TARGETS = `[...document.querySelectorAll('button, select, summary, input, a[href], [role=button]')]
  .filter((it) => it.getClientRects().length > 0 && !it.closest('[aria-hidden=true], .sr-only, p, dd, figure') && it.type !== 'hidden')
  .filter((it) => !it.matches('.sr-only'))
  .map((it) => {
    const boxes = [it, ...(it.labels ?? [])].map((part) => part.getBoundingClientRect())
    const [width, height] = [Math.max(...boxes.map((box) => box.width)), Math.max(...boxes.map((box) => box.height))]
    return { name: it.outerHTML.slice(0, 120), width, height }
  })
  .filter(({ width, height }) => width < 47.5 || height < 47.5)
  .map(({ name, width, height }) => name + ' ' + Math.round(width) + ' x ' + Math.round(height))`

describe.skipIf(noBrowser)('in a browser', () => {
  const { hub, browser } = useConsole()

  it('with a coarse pointer every target is 48 px at least, on pages and in dialogs', async () => {
    const plant = await newPlant(hub)
    await plant.send(95)
    const { id } = await firstAlert(plant)
    const { page } = await browser.visit(PHONE)
    await enter(page, hub, plant.email)
    expect(await page.evaluate(`matchMedia('(pointer: coarse)').matches`)).toBe(true)
    const small: string[] = []
    const paths = ['/', '/machines', `/machines/${plant.machineId}`, '/alerts', `/alerts/${id}`, '/work-orders', '/maintenance']
    for (const path of [...paths, '/rules', '/operations', '/agents', '/settings', '/settings?tab=members']) {
      await page.goto(hub.url + path)
      await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor()
      await page.locator('main .skeleton').first().waitFor({ state: 'detached' })
      for (const it of await page.evaluate<string[]>(SMALL_TARGETS)) small.push(`${path}: ${it}`)
    }
    await page.goto(`${hub.url}/work-orders`)
    await page.getByRole('button', { name: 'Create a work order' }).first().click()
    await page.getByRole('dialog').waitFor()
    for (const it of await page.evaluate<string[]>(SMALL_TARGETS)) small.push(`dialog: ${it}`)
    expect(small).toEqual([])
  })

  it('the filters of a list fold on a phone, and say how many of them are set', async () => {
    const plant = await newPlant(hub)
    const { page } = await browser.visit(PHONE)
    await enter(page, hub, plant.email, '/alerts?severity=critical')
    expect(await page.getByLabel('Severity').count()).toBe(0)
    await page.getByRole('button', { name: 'Filters (1)' }).click()
    await page.getByLabel('Severity').selectOption('')
    await page.getByRole('button', { name: 'Filters', exact: true }).waitFor()
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.getByRole('button', { name: 'Filters' }).waitFor({ state: 'detached' })
    await page.getByLabel('Severity').waitFor()
  })

  it('the menu counts the alerts to acknowledge and the overdue orders, as they change', async () => {
    const plant = await newPlant(hub)
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/settings')
    const link = (name: string) => page.getByRole('navigation', { name: 'Main' }).first().getByRole('link', { name, exact: true })
    const described = (name: string) => link(name).getAttribute('aria-description')
    expect(await described('Alerts')).toBe(null)
    await plant.send(95)
    await expect.poll(() => described('Alerts')).toBe('1 alert to acknowledge')
    const { id } = await firstAlert(plant)
    await plant.call('POST', `alerts/${id}/acknowledge`)
    await expect.poll(() => described('Alerts')).toBe(null)
    const due_date = new Date(Date.now() - 60_000).toISOString()
    await plant.call('POST', 'work-orders', { machine_id: plant.machineId, title: 'Belt', due_date })
    await expect.poll(() => described('Work')).toBe('1 overdue order')
  })

  it('beginning an unassigned order assigns it to the person who begins it; an assigned one keeps its assignee', async () => {
    const plant = await newPlant(hub)
    const me = await plant.call('GET', 'auth/me')
    const { email } = await plant.colleague('operator')
    const { id: colleague } = (await plant.call('GET', 'users')).find((it: { email: string }) => it.email === email)
    const make = (title: string, assigned_to?: string) =>
      plant.call('POST', 'work-orders', { machine_id: plant.machineId, title, assigned_to })
    const orders = [await make('Belt'), await make('Seal', colleague)]
    const { page } = await browser.visit()
    await enter(page, hub, plant.email)
    for (const { id } of orders) {
      await page.goto(`${hub.url}/work-orders/${id}`)
      await page.getByRole('button', { name: 'Start', exact: true }).click()
      await page
        .getByText(/: In progress\./)
        .first()
        .waitFor()
    }
    const assigned = await Promise.all(orders.map(async ({ id }) => (await plant.call('GET', `work-orders/${id}`)).assigned_to))
    expect(assigned).toEqual([me.id, colleague])
  })

  it('a message leaves the field that is being filled in free, and takes two lines at most', async () => {
    const plant = await newPlant(hub)
    await plant.send(95)
    const { page } = await browser.visit(PHONE)
    const { id } = await firstAlert(plant)
    await enter(page, hub, plant.email, `/alerts/${id}`)
    await page.getByLabel('Write a comment').scrollIntoViewIfNeeded()
    const field = page.getByLabel('Write a comment')
    // where messages appear
    await page.evaluate(`scrollBy(0, document.querySelector('textarea').getBoundingClientRect().bottom - innerHeight + 110)`)
    await field.focus()
    const message = page.locator('[role=status] p.line-clamp-2').first()
    await chooseIn(page, /^Snooze/, 'for an hour')
    await message.waitFor()
    await field.focus()
    const overlap = async () => {
      const [a, b] = [await message.boundingBox(), await field.boundingBox()]
      return Boolean(a && b && a.y < b.y + b.height && a.y + a.height > b.y)
    }
    await expect.poll(overlap).toBe(false)
  })

  it('a new company has the zone of the browser that founds it', async () => {
    const { page } = await browser.visit()
    await page.goto(`${hub.url}/register`)
    await page.getByLabel('Company').fill('Nordwerk')
    await page.getByLabel('Your name').fill('Ada')
    await page.getByLabel('E-mail address').fill(`ada-${Date.now()}@example.com`)
    await page.getByLabel('Password', { exact: true }).fill('Correct-horse-7')
    const answer = page.waitForResponse((it) => it.url().endsWith('/settings/plant') && it.request().method() === 'PATCH')
    await page.getByRole('button', { name: 'Create company' }).click()
    expect((await (await answer).json()).time_zone).toBe('Europe/Berlin')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
  })

  it('a browser that names no time zone shows the times of the plant, and says so once', async () => {
    const plant = await newPlant(hub)
    await plant.call('PATCH', 'settings/plant', { time_zone: 'Asia/Tokyo' })
    const { page } = await browser.visit()
    await page.addInitScript(`{
      const { resolvedOptions } = Intl.DateTimeFormat.prototype
      Intl.DateTimeFormat.prototype.resolvedOptions = function () {
        const found = resolvedOptions.call(this)
        return found.timeZone === 'Europe/Berlin' ? { ...found, timeZone: 'Etc/Unknown' } : found
      }
    }`)
    await enter(page, hub, plant.email)
    await page.getByText('This browser does not say its time zone: times are those of Asia/Tokyo.').waitFor()
  })
})
