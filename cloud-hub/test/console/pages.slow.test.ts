import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { accessibilityFaults, follow, outOfKeyboard } from './browser.ts'
import { noBrowser } from './chromium.ts'
import { pathsOf } from './paths.ts'
import { addColleague, enter } from './plant.ts'
import { type Company, newCompany } from './screenshots/company.ts'
import { fillCompany } from './screenshots/full-plant.ts'
import { useConsole } from './use-console.ts'

/** Fifty pages and as many dialogs take two minutes beside other tests on two cores. */
const WALK_MS = 400_000

/** Buttons that act at once, or change the page; each other one must open a dialog. */
const ACTS =
  /^(?:Acknowledge|Activate|All about this|Cancel the order|Change password|Check the record|CSV|Create work order|Deactivate|Next.*|Previous.*|Print|Earlier|Later|Move .+ (?:up|down)|Zoom .*|Remove .*|Resume|Retire .*|Send again|Set|Sign out .*|Set up|Start|Switch on|Sync .*|Test .*|Test|\d+ [a-z]+)$/
const ON_MAINTENANCE = /^(?:Complete)$/

/** The maximum time until the focus returns to the opener. */
const RETURN_MS = 10_000

let company: Company
let paths: string[] = []

/** The first button of each kind in each part of the page that should open a dialog. */
async function openers(page: Page, path: string): Promise<string[]> {
  const names = await page.evaluate<string[]>(`(() => {
    const kinds = new Map()
    for (const button of document.querySelectorAll('main button:not([type=submit], [role^=menuitem], [aria-pressed], [aria-expanded], [disabled], th *, [aria-hidden=true] *)')) {
      const name = button.ariaLabel ?? button.textContent.trim()
      const kind = (button.closest('section, table')?.ariaLabel ?? '') + name.split(' ')[0]
      if (!kinds.has(kind)) kinds.set(kind, name)
    }
    return [...kinds.values()]
  })()`)
  return names.filter((name) => !ACTS.test(name) && !(path.startsWith('/maintenance/') && ON_MAINTENANCE.test(name)))
}

/** Opens each dialog and menu of a page by keyboard, also the dialogs in menus, and closes it with Escape. @returns what is wrong with them */
async function dialogFaults(page: Page, path: string): Promise<string[]> {
  const found: string[] = []
  for (const name of await openers(page, path)) {
    const opener = page.getByRole('main').getByRole('button', { name, exact: true }).first()
    const check = async (role: 'dialog' | 'menu') => {
      const shown = page.getByRole(role)
      await shown.waitFor()
      await shown.locator('.skeleton').first().waitFor({ state: 'detached' })
      found.push(...(await accessibilityFaults(page, `[role=${role}]`)).map((fault) => `${name}: ${fault}`))
      const items = role === 'menu' ? await shown.locator('[role=menuitem]:enabled').allTextContents() : []
      await page.keyboard.press('Escape')
      await shown.waitFor({ state: role === 'menu' ? 'hidden' : 'detached' })
      const returned = opener.and(page.locator(':focus')).waitFor({ timeout: RETURN_MS })
      await returned.catch(() => found.push(`${name}: the focus does not return`))
      return items
    }
    const isMenu = (await opener.getAttribute('aria-haspopup')) === 'menu'
    await opener.press('Enter')
    for (const item of (await check(isMenu ? 'menu' : 'dialog')).filter((it) => !ACTS.test(it) && !/^for /.test(it))) {
      await opener.press('Enter')
      await page.getByRole('menuitem', { name: item, exact: true }).press('Enter')
      await check('dialog')
    }
  }
  return found
}

describe.skipIf(noBrowser)('in a browser', () => {
  const { hub, hubs, browser } = useConsole()
  beforeAll(async () => {
    company = await newCompany(hub.url, 'Nordwerk')
    paths = pathsOf(await fillCompany(company, hubs.owner), new Date().toISOString().slice(0, 10))
  })

  it('axe finds nothing on any page and in any dialog, light and dark, and the keyboard reaches what the mouse does', {
    timeout: WALK_MS,
  }, async () => {
    const { page, expected } = await browser.visit()
    const deleted = '/alerts/00000000-0000-7000-8000-000000000000'
    expected.push(/404 .*\/auth\/sso\/config/, /404 .*\/alerts\/0{8}-/)
    const faults = async () => [...(await outOfKeyboard(page)), ...(await accessibilityFaults(page))]
    await page.goto(hub.url)
    for (const path of ['/sign-in', '/register', '/invite?token=x', '/reset-password', '/reset-password?token=x']) {
      await follow(page, path)
      await page.getByRole('textbox').first().waitFor()
      expect([path, await faults()]).toEqual([path, []])
    }
    await enter(page, hub, company.email)
    const found: string[] = []
    for (const path of [...paths, deleted]) {
      await follow(page, path)
      for (const fault of [...(await faults()), ...(await dialogFaults(page, path))]) found.push(`${path}: ${fault}`)
    }
    expect(found).toEqual([])
  })

  it.each(['viewer', 'operator'])('no page asks the hub for what it refuses the role %s, or offers it', async (role) => {
    const { email } = await addColleague(company.call, role)
    const { context, page } = await browser.visit()
    const refused: string[] = []
    context.on('response', (response) => {
      if (response.status() === 403) refused.push(response.url())
    })
    await enter(page, hub, email)
    // also those of administrators, to which a colleague may send the address
    for (const path of paths) {
      await follow(page, path)
      const offered = await page.getByRole('main').getByRole('button').allTextContents()
      const forAdmins = [
        'Invite',
        'Add a member',
        'Add a role',
        'Connect an ERP',
        'Field names',
        'Test the connection',
        'Create a key',
        'Add a rule',
        'Combine conditions',
        'Deactivate',
        'Define a shift',
        'Plant calendar',
      ]
      const forOperators = [
        'Suggest metrics',
        'Confirm',
        'Add a machine',
        'Add a group',
        'Import',
        'Edit',
        'Add a channel',
        'Acknowledge',
        'Create work order',
        'Plan maintenance',
        'Enter downtime',
        'Start',
        'Complete',
        'Sign',
      ]
      // everybody may write shift logs
      const refusedNames = role === 'viewer' ? [...forAdmins, ...forOperators] : forAdmins
      for (const name of refusedNames.filter((it) => !(path.endsWith('tab=shifts') && it === 'Edit')))
        expect([path, name, offered.includes(name)]).toEqual([path, name, false])
    }
    expect(refused).toEqual([])
    await page.getByRole('link', { name: 'Agents' }).waitFor({ state: 'detached' })
  })
})
