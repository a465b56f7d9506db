import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { accessibilityFaults, tabTo } from './browser.ts'
import { noBrowser } from './chromium.ts'
import { enter, newPlant } from './plant.ts'
import { useConsole } from './use-console.ts'

const PHONE = { width: 390, height: 844, hasTouch: true }

/** Texts that are heavier than 500 and neither a heading nor a number. */
const heavyTexts = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const found = []
    while (walker.nextNode()) {
      const it = walker.currentNode.parentElement
      if (!walker.currentNode.data.trim() || Number(getComputedStyle(it).fontWeight) <= 500) continue
      if (!it.closest('h1, h2, h3, h4, legend, .tabular')) found.push(walker.currentNode.data)
    }
    return found
  })()`)

/** The width in pixels of a text in the font of the page. */
const widthOf = (page: Page, text: string, style = '') =>
  page.evaluate<number>(`(() => {
    const it = document.body.appendChild(document.createElement('span'))
    it.style.cssText = 'position: absolute; white-space: pre; font-size: 40px;' + ${JSON.stringify(style)}
    it.textContent = ${JSON.stringify(text)}
    const { width } = it.getBoundingClientRect()
    it.remove()
    return width
  })()`)

describe.skipIf(noBrowser)('the typeface', () => {
  const { hub, browser } = useConsole()

  it('of a German and of an English page is one file of the hub, which the page asks for at once and which is there for the first text', async () => {
    const plant = await newPlant(hub)
    await plant.send(85)
    for (const locale of ['de-DE', 'en-GB']) {
      const { page } = await browser.visit({ locale })
      const fonts: string[] = []
      page.on('request', (request) => request.resourceType() === 'font' && fonts.push(new URL(request.url()).pathname))
      await enter(page, hub, plant.email, `/machines/${plant.machineId}`)
      await page.locator('canvas').first().waitFor()
      expect(await page.evaluate('document.fonts.check("16px Inter")')).toBe(true)
      expect(new Set(fonts)).toEqual(new Set([expect.stringMatching(/^\/assets\/inter-latin-wght-normal-[\w-]+\.woff2$/)]))
      const size = await page.evaluate<number>(
        `performance.getEntriesByType('resource').find(({ name }) => name.endsWith('.woff2')).encodedBodySize`,
      )
      expect(size).toBeGreaterThan(10_000)
      expect(size).toBeLessThanOrEqual(60_000)
    }
  })

  it('has a second file for names with other Latin letters', async () => {
    const plant = await newPlant(hub)
    await plant.call('PATCH', `machines/${plant.machineId}`, { name: 'Łódź 1' })
    const { page } = await browser.visit()
    const extended = page.waitForRequest(/inter-latin-ext-wght-normal/)
    await enter(page, hub, plant.email, '/machines')
    await extended
  })

  it('has digits of one width in tables, and a fallback with its widths', async () => {
    const plant = await newPlant(hub)
    const { page } = await browser.visit()
    await enter(page, hub, plant.email)
    const tabular = 'font-variant-numeric: tabular-nums'
    expect(await widthOf(page, '1111', tabular)).toBe(await widthOf(page, '0000', tabular))
    expect(await widthOf(page, '1111')).not.toBe(await widthOf(page, '0000'))
    const text = 'Die Kühlwasserpumpe in Halle 3 ist seit 14 Minuten kritisch'
    const fallback = await widthOf(page, text, 'font-family: "Inter fallback"')
    expect(Math.abs(fallback / (await widthOf(page, text)) - 1)).toBeLessThan(0.04)
  })

  it('is heavier than 500 in headings and numbers only', async () => {
    const plant = await newPlant(hub)
    await plant.send(95)
    const { page } = await browser.visit()
    await enter(page, hub, plant.email)
    for (const path of ['/', '/machines', '/alerts', '/work-orders', '/maintenance', '/operations', '/agents', '/settings']) {
      await page.goto(hub.url + path)
      await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor()
      await page.locator('.skeleton').first().waitFor({ state: 'detached' })
      expect([path, await heavyTexts(page)]).toEqual([path, []])
    }
  })
})

describe.skipIf(noBrowser)('the overview', () => {
  const { hub, hubs, browser } = useConsole()

  it('of 2,000 machines shows four in trouble with their last hour, since when and who is on it, and twelve that are well, without scrolling', async () => {
    const plant = await newPlant(hub)
    const { tenant_id: tenantId } = await plant.call('GET', 'auth/me')
    const { email } = await plant.colleague('operator')
    await hubs.owner`insert into machines (tenant_id, name, machine_identifier, protocol)
      select ${tenantId}, 'Machine ' || i, 'm' || i, 'json' from generate_series(1, 2000) i`
    await plant.sendAll(
      [1, 2, 3, 4].flatMap((n) => [30, 20, 10, 0].map((ago) => ({ machine: `m${n}`, value: ago > 0 ? 60 + ago : 95, ago }))),
    )
    await plant.sendAll(Array.from({ length: 40 }, (_, n) => ({ machine: `m${n + 5}`, value: 50, ago: 0 })))
    const machines = await plant.call('GET', 'fleet/overview?page_size=1')
    await plant.call('POST', `alerts/${machines.items[0].violations[0].alert_id}/acknowledge`)
    const { page } = await browser.visit()
    const trends: string[] = []
    page.on('request', (request) => request.url().includes('trends=true') && trends.push(request.url()))
    await enter(page, hub, email)
    await page.getByText(/^Worst: Machine 1 · Noise 95\sdB · since \d\d:\d\d \(.*\) · Ada Admin is on it$/).waitFor()
    for (const [n, who] of [1, 2, 3, 4].map((n) => [n, n === 1 ? 'Ada Admin is on it' : 'nobody is on it yet'] as const))
      await page.getByRole('link', { name: new RegExp(`^Machine ${n} .*Critical.*Noise.*95.*dB.*> 90.*since.*${who}`) }).waitFor()
    await expect.poll(() => page.locator('main a svg path[stroke="currentColor"]').count()).toBe(4)
    expect(trends.length).toBe(1)
    const inView = await page.evaluate<string[]>(`[...document.querySelectorAll('main li > a')]
      .filter((it) => it.getBoundingClientRect().bottom <= innerHeight).map((it) => it.textContent)`)
    expect(inView.filter((text) => /Healthy|Offline/.test(text)).length).toBeGreaterThanOrEqual(12)
    expect(await page.evaluate('scrollY')).toBe(0)
    expect(await accessibilityFaults(page)).toEqual([])
  })

  it('shows a metric that a person pins on the page of a machine', async () => {
    const plant = await newPlant(hub)
    for (const metric of ['amperage', 'noise', 'speed']) await plant.send(20, metric)
    const { page } = await browser.visit()
    await enter(page, hub, plant.email)
    // noise has a rule
    await page.getByRole('link', { name: /^Cooling pump.*Noise 20\sdB$/ }).waitFor()
    await page.goto(`${hub.url}/machines/${plant.machineId}`)
    const pin = page.getByRole('button', { name: 'Pin Speed' })
    await pin.click()
    await page.locator('button[aria-label="Pin Speed"][aria-pressed=true]').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('link', { name: 'Overview', exact: true }).click()
    await page.getByRole('link', { name: /^Cooling pump.*Speed 20\sdB$/ }).waitFor()
  })
})

describe.skipIf(noBrowser)('the user menu', () => {
  const { hub, browser } = useConsole()

  it('names person, company and role; the keyboard opens it, changes the colours and closes it', async () => {
    const plant = await newPlant(hub)
    const { page } = await browser.visit()
    await enter(page, hub, plant.email)
    await page.getByRole('button', { name: /^Your account: Ada Admin\s*Acme\s*Administrator$/ }).waitFor()
    await tabTo(page, /^Your account/)
    await page.keyboard.press('Enter')
    const menu = page.getByRole('region', { name: 'Your account' })
    for (const text of ['Ada Admin', plant.email, 'Acme', 'Administrator']) await menu.getByText(text, { exact: true }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await tabTo(page, 'System')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await page.locator('html[data-theme=dark]').waitFor()
    await page.keyboard.press('Escape')
    await menu.waitFor({ state: 'hidden' })
    expect(await page.evaluate('document.activeElement.textContent')).toContain('Ada Admin')
  })

  it('is part of the menu of a phone, in German and with a role of the company’s own', async () => {
    const plant = await newPlant(hub)
    await plant.call('POST', 'settings/roles', { name: 'Instandhaltung', base_tier: 'operator' })
    const roles = await plant.call('GET', 'settings/roles')
    const { key } = roles.find(({ name }: { name: string }) => name === 'Instandhaltung')
    const { email } = await plant.colleague(key)
    const { page } = await browser.visit({ locale: 'de-DE', ...PHONE })
    await enter(page, hub, email)
    await page.getByRole('button', { name: 'Mehr' }).click()
    const menu = page.getByRole('dialog', { name: 'Mehr' })
    for (const text of ['Acme', 'Instandhaltung']) await menu.getByText(text, { exact: true }).waitFor()
    await menu.getByText('Dunkel', { exact: true }).click()
    await page.locator('html[data-theme=dark]').waitFor()
    await menu.getByText('System', { exact: true }).click()
    expect(await accessibilityFaults(page)).toEqual([])
    await menu.getByRole('button', { name: 'Abmelden' }).click()
    await page.getByLabel('E-Mail-Adresse').waitFor()
  })
})
