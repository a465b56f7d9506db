import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { noBrowser } from './chromium.ts'
import { pathsOf } from './paths.ts'
import { enter, newPlant } from './plant.ts'
import { type Company, newCompany } from './screenshots/company.ts'
import { fillCompany } from './screenshots/full-plant.ts'
import { useConsole } from './use-console.ts'

const WALK_MS = 1_200_000
/** On a fast machine the walk meets the hub's limit of requests a minute, and the console waits for it. */
const SETTLED_MS = 120_000

/** What the frame needs to show any page. */
const OF_FRAME = /\/(?:auth\/(?:me|refresh)|settings\/(?:units|roles)|stream)(?:\?|$)/
/** Pages that load nothing before somebody presses something. */
const LOAD_NOTHING = ['/no/such/page', '/agents/enrol']

const failure = {
  status: 500,
  contentType: 'application/problem+json',
  body: JSON.stringify({ type: 'about:blank', title: 'x', status: 500, code: 'internal_error', detail: 'x', request_id: 'r' }),
}

let company: Company
let paths: string[] = []

/** Goes to a page within the console, as a link does. */
const go = (page: Page, path: string) =>
  page.evaluate(`(() => { history.pushState({}, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate')) })()`)

describe.skipIf(noBrowser)('in a browser', () => {
  const { hub, hubs, browser } = useConsole()
  beforeAll(async () => {
    company = await newCompany(hub.url, 'Nordwerk')
    paths = pathsOf(await fillCompany(company, hubs.owner), new Date().toISOString().slice(0, 10))
  })

  it('every panel of every page shows its shape while it loads, says what failed with a way to try again, and then shows what it has', {
    timeout: WALK_MS,
  }, async () => {
    const { page, expected } = await browser.visit()
    expected.push(/500 .*\/api\/v1/, /404 .*\/api\/v1/)
    let answer: 'wait' | 'fail' | 'serve' = 'serve'
    let release = () => {}
    let released = Promise.resolve()
    await page.route('**/api/v1/**', async (route) => {
      const url = route.request().url()
      if (route.request().method() !== 'GET' || OF_FRAME.test(url)) return route.continue()
      if (answer === 'wait') await released
      await (answer === 'serve' ? route.continue() : route.fulfill(failure)).catch(() => {})
    })
    await enter(page, hub, company.email)
    const wrong: string[] = []
    for (const path of paths.filter((it) => !LOAD_NOTHING.includes(it))) {
      answer = 'wait'
      released = new Promise((resolve) => {
        release = resolve
      })
      await page.goto(`${hub.url}${path}`)
      const main = page.getByRole('main')
      const look = async (what: string, selector: string, state: 'visible' | 'detached' = 'visible') => {
        const found = main.locator(selector).first()
        await found.waitFor({ state, timeout: SETTLED_MS }).catch(() => wrong.push(`${path}: ${what}`))
      }
      await look('nothing shows that it loads', '.skeleton')
      answer = 'fail'
      release()
      await look('no way to try again', 'button:text-is("Try again")')
      await look('a skeleton stays after a failure', '.skeleton', 'detached')
      if (await main.getByText('This part of the page has failed').count()) wrong.push(`${path}: a part has failed`)
      answer = 'serve'
      // each that can be pressed: while the first one waits for the limit of requests, those below it are still to be pressed
      const again = main.locator('button:text-is("Try again")')
      const pressed = Date.now()
      while ((await again.count()) > 0 && Date.now() - pressed < SETTLED_MS) {
        for (const button of await again.and(page.locator(':not([aria-disabled])')).all())
          await button.click({ timeout: 2_000 }).catch(() => {})
        await page.waitForTimeout(100)
      }
      await look('a failure stays after it is tried again', 'button:text-is("Try again")', 'detached')
      await look('a skeleton stays', '.skeleton', 'detached')
    }
    expect(wrong).toEqual([])
  })

  it('a company that has nothing yet reads on every page what will be there', { timeout: WALK_MS }, async () => {
    const plant = await newPlant(hub)
    await plant.call('DELETE', `machines/${plant.machineId}`)
    const { page, expected } = await browser.visit()
    expected.push(/404 .*\/auth\/sso\/config/)
    await enter(page, hub, plant.email)
    for (const path of paths.filter((it) => !/[0-9a-f]{8}-|hall/.test(it))) {
      await go(page, path)
      await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor()
      const bare = () =>
        page.evaluate<string[]>(`[...document.querySelectorAll('main section.card, main > .card, main > div > .card')]
        .filter((card) => card.innerText.replace(card.querySelector('h2')?.innerText ?? '', '').trim() === '')
        .map((card) => card.ariaLabel ?? card.className)`)
      // the page before may still be there for a moment, and its heading with it
      await expect.poll(bare, { timeout: SETTLED_MS, message: path }).toEqual([])
    }
  })
})
