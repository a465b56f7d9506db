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

  it('of a German and of an English page is one file of the hub, which the page asks for at once and which moves no text', async () => {
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
