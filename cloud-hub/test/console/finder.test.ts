import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { accessibilityFaults } from './browser.ts'
import { noBrowser } from './chromium.ts'
import { enter as enterConsole, firstAlert, newPlant } from './plant.ts'
import { useConsole } from './use-console.ts'

const field = (page: Page) => page.getByRole('combobox', { name: 'Find anything' })
const options = (page: Page) => page.getByRole('listbox', { name: 'Find anything' }).getByRole('option')
const chosen = (page: Page) => page.getByRole('option', { selected: true })
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })

/** Opens a page, and waits for the button that comes with the keys. */
async function enter(page: Page, ...given: [{ readonly url: string }, string, string?]): Promise<void> {
  await enterConsole(page, ...given)
  await page.getByRole('button', { name: 'Find' }).first().waitFor()
}

describe.skipIf(noBrowser)('in a browser', () => {
  const { hub, browser } = useConsole()

  it('Ctrl+K finds a machine, its alert and its work order by a few letters, and Enter opens what is chosen', async () => {
    const plant = await newPlant(hub)
    await plant.send(95)
    await firstAlert(plant)
    await plant.call('POST', 'work-orders', { machine_id: plant.machineId, title: 'Grease the bearing' })
    const { page } = await browser.visit()
    const { keyboard } = page
    await enter(page, hub, plant.email)
    await keyboard.press('Control+k')
    await field(page).and(page.locator(':focus')).waitFor()
    expect(await options(page).filter({ hasText: 'Overview' }).count()).toBe(1)
    await keyboard.type('cool')
    await page
      .getByRole('group', { name: 'Work' })
      .getByRole('option', { name: /Grease the bearing/ })
      .waitFor()
    await page
      .getByRole('group', { name: 'Alerts' })
      .getByRole('option', { name: /Cooling pump: Noise/ })
      .waitFor()
    expect(await options(page).count()).toBe(3)
    expect(await accessibilityFaults(page)).toEqual([])
    await chosen(page).filter({ hasText: 'pump-01' }).waitFor()
    const active = await field(page).getAttribute('aria-activedescendant')
    expect(await chosen(page).getAttribute('id')).toBe(active)
    await keyboard.press('ArrowUp')
    await chosen(page).filter({ hasText: 'Grease' }).waitFor()
    await keyboard.press('ArrowDown')
    await keyboard.press('Enter')
    await heading(page, 'Cooling pump').waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    await keyboard.press('Control+k')
    await page
      .getByRole('group', { name: 'Chosen last' })
      .getByRole('option', { name: /Cooling pump/ })
      .waitFor()
    await keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  it('Enter that comes before the answer of the hub opens what was typed, and nothing found says so', async () => {
    const plant = await newPlant(hub)
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/settings')
    await page.getByRole('button', { name: 'Find' }).first().click()
    await field(page).fill('zzz')
    await page.getByText('Nothing found.').waitFor()
    await page.route('**/api/v1/search*', async (route) => {
      await page.getByText('Loading…').waitFor()
      await route.continue()
    })
    await field(page).fill('pump')
    await page.keyboard.press('Enter')
    await heading(page, 'Cooling pump').waitFor()
  })

  it('a refusal is said, and the pages stay in reach', async () => {
    const plant = await newPlant(hub)
    const { page, expected } = await browser.visit()
    expected.push(/search/, /500/)
    await enter(page, hub, plant.email)
    await page.route('**/api/v1/search*', (route) =>
      route.fulfill({ status: 500, json: { status: 500, code: 'internal', detail: 'No.' } }),
    )
    await page.keyboard.press('Control+k')
    await field(page).fill('machi')
    await page.getByRole('status').filter({ hasNotText: 'Loading…' }).getByText(/./).first().waitFor()
    await page.getByRole('group', { name: 'Pages' }).getByRole('option', { name: 'Machines', exact: true }).click()
    await heading(page, 'Machines').waitFor()
  })

  it('a viewer is offered neither pages of administrators nor actions that change something', async () => {
    const plant = await newPlant(hub)
    const { email } = await plant.colleague('viewer')
    const { page } = await browser.visit()
    await enter(page, hub, email)
    await page.keyboard.press('Control+k')
    await options(page).filter({ hasText: 'Colours: Dark' }).waitFor()
    for (const text of ['Add a machine', 'Create a work order', 'Add an agent', 'Audit trail', 'Agents'])
      expect([text, await options(page).filter({ hasText: text }).count()]).toEqual([text, 0])
  })

  it('an action opens its dialog, and another one lists the keys', async () => {
    const plant = await newPlant(hub)
    const { page } = await browser.visit()
    await enter(page, hub, plant.email)
    await page.keyboard.press('Control+k')
    await field(page).fill('add mach')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Add a machine' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('Control+k')
    await field(page).fill('keyboard')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  })

  it('`/` goes to the filter, `g` and a letter to a page, `?` lists the keys; not while typing, in a dialog, or switched off', async () => {
    const plant = await newPlant(hub)
    const { page } = await browser.visit()
    const { keyboard } = page
    await enter(page, hub, plant.email)
    await keyboard.press('g')
    await keyboard.press('m')
    await heading(page, 'Machines').waitFor()
    const filter = page.getByRole('searchbox')
    await filter.waitFor()
    await keyboard.press('/')
    await filter.and(page.locator(':focus')).waitFor()
    await keyboard.type('g?a/')
    expect(await filter.inputValue()).toBe('g?a/')
    expect([await page.getByRole('dialog').count(), new URL(page.url()).pathname]).toEqual([0, '/machines'])
    await page.getByRole('heading', { level: 1 }).focus()
    await keyboard.press('?')
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await help.waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await keyboard.press('g')
    await keyboard.press('a')
    await help.getByLabel('Shortcuts of a single key').click()
    await keyboard.press('Escape')
    await help.waitFor({ state: 'detached' })
    await keyboard.press('g')
    await keyboard.press('a')
    await keyboard.press('?')
    await keyboard.press('Control+k')
    await field(page).waitFor()
    expect([await help.count(), new URL(page.url()).pathname]).toEqual([0, '/machines'])
    await field(page).fill('settings')
    await keyboard.press('Enter')
    await heading(page, 'Settings').waitFor()
    await page.getByLabel('Shortcuts of a single key').click()
    await page.getByRole('heading', { level: 1 }).focus()
    await keyboard.press('g')
    await keyboard.press('a')
    await heading(page, 'Alerts').waitFor()
  })

  it('on a phone the bar at the bottom finds', async () => {
    const plant = await newPlant(hub)
    const { page } = await browser.visit({ width: 390, height: 844, hasTouch: true })
    await enter(page, hub, plant.email, '/machines')
    await page.getByRole('navigation').getByRole('button', { name: 'Find' }).click()
    await field(page).fill('pump')
    await options(page).filter({ hasText: 'pump-01' }).click()
    await heading(page, 'Cooling pump').waitFor()
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  })
})
