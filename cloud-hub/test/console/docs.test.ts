import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { runAxe } from './browser.ts'
import { noBrowser } from './chromium.ts'
import { enter, newPlant, type Plant } from './plant.ts'
import { useConsole } from './use-console.ts'

/** With what axe looks at: of pages with everything one part, because all parts are alike and axe takes a minute for all of them. */
const PAGES = {
  '/docs': 'html',
  '/docs/guides/first-readings': 'html',
  '/docs/errors': '#tenant_limit',
  '/docs/reference': '#createWorkOrder',
  '/docs/objects': '#WorkOrder',
}

describe.skipIf(noBrowser)('the documentation in a browser', () => {
  const { hub, browser } = useConsole()
  let plant: Plant
  beforeAll(async () => {
    plant = await newPlant(hub)
  })
  const open = async (page: Page, path: string) => {
    await page.goto(`${hub.url}${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
  }

  it.each([390, 1280])(
    'has nothing for axe to find at %i px, light and dark, and no page is wider than the window',
    async (width) => {
      const { page } = await browser.visit({ width, height: 900 })
      for (const [path, part] of Object.entries(PAGES))
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          await open(page, path)
          expect([path, colorScheme, await runAxe(page, {}, part)]).toEqual([path, colorScheme, []])
          expect([path, await page.evaluate('document.documentElement.scrollWidth - innerWidth')]).toEqual([path, 0])
        }
    },
  )

  it('finds operations, guides and codes by words, and the keyboard chooses among them', async () => {
    const { page } = await browser.visit()
    await open(page, '/docs')
    await page.keyboard.press('/')
    await page.keyboard.type('idempotency')
    const found = page.getByRole('region', { name: 'Search results' })
    await found.getByRole('link', { name: /idempotency_key_reused/ }).waitFor()
    await page.getByRole('searchbox').fill('create a work order')
    await found.getByRole('link', { name: /^Create a work order Operation: POST \/work-orders/ }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/docs\/reference#createWorkOrder$/)
    // the words of a question that say nothing are left out, unless it has no others
    await page.getByRole('searchbox').fill('How do I verify the sender?')
    await found.getByRole('link', { name: /^Webhooks: Verify the sender Guide/ }).waitFor()
    await page.getByRole('searchbox').fill('the')
    await found.getByRole('link').first().waitFor()
    await page.getByRole('searchbox').fill('nothing-has-this')
    await page.getByText('Nothing has all these words.').waitFor()
    // marks alone are no words: nothing is sought
    for (const marks of ['?', ', ...']) {
      await page.getByRole('searchbox').fill('nothing-has-this')
      await found.waitFor()
      await page.getByRole('searchbox').fill(marks)
      await found.waitFor({ state: 'hidden' })
    }
    // marks and spaces beside and between the words of a whole title leave it the best
    for (const [question, best] of [
      ['Machine?', /^Machine Object/],
      ['"machine".', /^Machine Object/],
      ['Webhooks,  verify the sender?', /^Webhooks: Verify the sender Guide/],
    ] as const) {
      await page.getByRole('searchbox').fill('nothing-has-this')
      await page.getByText('Nothing has all these words.').waitFor()
      await page.getByRole('searchbox').fill(question)
      await expect
        .poll(() =>
          found
            .getByRole('link')
            .first()
            .textContent({ timeout: 1_000 })
            .catch(() => null),
        )
        .toMatch(best)
    }
  })

  it.each([true, false])('has its contents beside the page, and closed on a phone, with its script: %s', async (withScript) => {
    for (const [width, isPhone] of [
      [390, true],
      [1280, false],
    ] as const) {
      const { page } = await browser.visit({ width, ...(withScript ? {} : { javaScriptEnabled: false as const }) })
      await open(page, '/docs')
      const link = page.getByRole('navigation').getByRole('link', { name: 'Webhooks' })
      await expect.poll(() => link.isVisible()).toBe(!isPhone)
      const summary = page.getByText('Contents', { exact: true })
      expect(await summary.isVisible()).toBe(isPhone)
      if (isPhone) await summary.click()
      await expect.poll(() => link.isVisible()).toBe(true)
    }
  })

  it('remembers the language of examples', async () => {
    const { page } = await browser.visit()
    await open(page, '/docs/reference#createWorkOrder')
    const operation = page.locator('#createWorkOrder')
    await operation.getByRole('button', { name: 'Python' }).click()
    await operation.getByText('urllib.request.Request(').waitFor()
    await open(page, '/docs/guides/first-readings')
    await page.getByText('import json, time, urllib.request').first().waitFor()
    expect(await page.getByText('curl -s --fail-with-body "$url/machines"').first().isVisible()).toBe(false)
  })

  it('has the own ids of a signed-in reader; the token is copied and never shown', async () => {
    const { page, context } = await browser.visit()
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await enter(page, hub, plant.email)
    await open(page, '/docs/reference#getMachine')
    await page.getByText('Signed in: copying can add').waitFor()
    const operation = page.locator('#getMachine')
    await operation.getByText(plant.machineId).first().waitFor()
    await operation.getByRole('button', { name: 'Copy with my token' }).click()
    await operation.getByRole('button', { name: 'Copied' }).waitFor()
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(copied).toMatch(/^url=http.*\/api\/v1\ntoken=eyJ/)
    expect(copied).toContain(plant.machineId)
    expect(await page.content()).not.toContain(/^token=(\S+)/m.exec(copied)?.[1])
    // an example that changes something has no id of a real machine
    expect(await page.locator('#deactivateMachine').textContent()).not.toContain(plant.machineId)
    await open(page, '/docs/guides/limits')
    await page.getByText(`url=${hub.url}/api/v1`).waitFor()
    // the console in the same browser is still signed in
    await page.goto(`${hub.url}/machines`)
    await page.getByRole('heading', { level: 1, name: 'Machines' }).waitFor()
  })

  it('leads links of the page before to the operation', async () => {
    const { page } = await browser.visit()
    await page.goto(`${hub.url}/docs#/Machines%20and%20groups/createMachine`)
    await page.waitForURL(/\/docs\/reference#createMachine$/)
  })
})
