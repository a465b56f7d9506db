import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { startChromium } from './chromium.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export interface Visitor {
  context: BrowserContext
  page: Page
  /** lines of the browser's console that this journey provokes, such as a refused sign-in */
  expected: RegExp[]
}

export interface TestBrowser {
  /** a browser window of somebody; everything wrong that it reports fails the test */
  visit(options?: {
    locale?: string
    width?: number
    height?: number
    colorScheme?: 'light' | 'dark'
    hasTouch?: boolean
    javaScriptEnabled?: false
    /** a worker loads every file of the console, so a journey has one only where it needs it */
    serviceWorkers?: 'allow'
    origin?: string
  }): Promise<Visitor>
}

/**
 * A Chromium for the tests of a file. Any error, warning about the policy, or request to another origin fails the test.
 * It runs the console, 'cloud-hub/console/src/main.tsx': the quoted name makes `--changed` select these tests.
 */
export function useBrowser(origin: () => string): TestBrowser {
  let browser: Browser
  const open: BrowserContext[] = []
  const faults: string[] = []
  const browsers: TestBrowser = {
    visit: async ({ width = 1280, height = 900, origin: own = origin(), ...options } = {}) => {
      const context = await browser.newContext({
        locale: 'en-GB',
        colorScheme: 'light',
        serviceWorkers: 'block',
        ...options,
        timezoneId: 'Europe/Berlin',
        viewport: { width, height },
        reducedMotion: 'reduce',
        acceptDownloads: true,
      })
      context.setDefaultTimeout(60_000)
      open.push(context)
      const visitor: Visitor = { context, page: undefined as unknown as Page, expected: [/Service Worker registration blocked/] }
      const isExpected = (text: string) => visitor.expected.some((pattern) => pattern.test(text))
      context.on('page', (page) => {
        page.on('console', (message) => {
          if (['error', 'warning'].includes(message.type()) && !isExpected(`${message.text()} ${message.location().url}`))
            faults.push(`console: ${message.text()} (${message.location().url})`)
        })
        page.on('pageerror', (error) => faults.push(`page: ${error.stack ?? error.message}`))
      })
      context.on('request', (request) => {
        const url = request.url()
        if (!url.startsWith(`${own}/`) && !/^(?:data|blob):/.test(url)) faults.push(`another origin: ${url}`)
      })
      visitor.page = await context.newPage()
      return visitor
    },
  }
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterEach(async () => {
    for (const context of open.splice(0)) {
      await context.close()
    }
    expect(faults.splice(0)).toEqual([])
  })
  afterAll(() => browser?.close())
  return browsers
}

/**
 * What axe-core finds on the page, a line each: in the light with all of its rules, in the dark with those about colours.
 * @param within a selector: only this part
 */
export async function accessibilityFaults(page: Page, within = 'html'): Promise<string[]> {
  const run = (options: object) => runAxe(page, options, within)
  const changeTo = async (colorScheme: 'light' | 'dark') => {
    await page.emulateMedia({ colorScheme })
    await page.locator(`html[data-theme=${colorScheme}]`).waitFor()
  }
  const faults = await run({})
  await changeTo('dark')
  faults.push(...(await run({ runOnly: ['color-contrast', 'link-in-text-block'] })).map((fault) => `dark: ${fault}`))
  await changeTo('light')
  return faults
}

/** What axe-core finds on a page as it is now, a line each. */
export async function runAxe(page: Page, options: object = {}, within = 'html'): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(AXE)
  const given = JSON.stringify({ resultTypes: ['violations'], ...options })
  const { violations } = await page.evaluate<{
    violations: { id: string; help: string; nodes: { html: string; failureSummary: string }[] }[]
  }>(`axe.run(${JSON.stringify(within)}, ${given})`)
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html.slice(0, 200)} ${failureSummary.slice(0, 200)}`),
  )
}

/** Leads an open console to another of its pages, as a link does, and waits until that is drawn. */
export async function follow(page: { evaluate(expression: string): Promise<unknown> }, path: string): Promise<void> {
  await page.evaluate(`(async () => {
    const router = __TSR_ROUTER__
    await router.navigate({ href: ${JSON.stringify(path)} })
    while (router.state.resolvedLocation?.href !== router.state.location.href) await new Promise(requestAnimationFrame)
  })()`)
  // Both at once, in three frames in a row: the page before may still be there, or the page may only begin to load.
  await page.evaluate(`(async () => {
    for (let frames = 0; frames < 3; frames++) {
      await new Promise(requestAnimationFrame)
      if (!document.querySelector('h1') || document.querySelector('.skeleton')) frames = -1
    }
  })()`)
}

/** Elements that the mouse can press and the keyboard cannot reach. */
export const outOfKeyboard = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const REACHED = 'a[href], button, input, select, textarea, label, summary, [tabindex]'
    return [...document.querySelectorAll('body *')]
      .filter((it) => getComputedStyle(it).cursor === 'pointer' && !it.closest(REACHED))
      .map((it) => it.outerHTML.slice(0, 200))
  })()`)

/** Opens the menu of a row or of a page and chooses an action in it. @param within the row, or the page */
export async function chooseIn(within: Page | Locator, menu: RegExp | string, action: RegExp | string): Promise<void> {
  await within.getByRole('button', { name: menu }).first().click()
  const item = { name: action, exact: typeof action === 'string' }
  await within.getByRole('menuitem', item).or(within.getByRole('menuitemradio', item)).click()
}

/** Presses a key until the focus is on a control. @param name its label, or the text in it */
export async function tabTo(page: Page, name: string | RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const seen: string[] = []
  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press(key)
    const focused = await page.evaluate<string>(`(() => {
      const { activeElement: it } = document
      return (it.ariaLabel ?? it.labels?.[0]?.textContent ?? it.textContent).trim()
    })()`)
    if (typeof name === 'string' ? focused === name : name.test(focused)) return
    seen.push(focused.slice(0, 40))
  }
  throw new Error(`no number of ${key} keys leads to ${name}, but to ${[...new Set(seen)].join(' | ')}`)
}
