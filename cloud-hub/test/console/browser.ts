import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContext, Page } from 'playwright-core'
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
    origin?: string
  }): Promise<Visitor>
}

/** A Chromium for the tests of a file. Any error, warning about the policy, or request to another origin fails the test. */
export function useBrowser(origin: () => string): TestBrowser {
  let browser: Browser
  const open: BrowserContext[] = []
  const faults: string[] = []
  const browsers: TestBrowser = {
    visit: async ({ locale = 'en-GB', width = 1280, height = 900, colorScheme = 'light', origin: own = origin() } = {}) => {
      const context = await browser.newContext({
        locale,
        timezoneId: 'Europe/Berlin',
        viewport: { width, height },
        colorScheme,
        reducedMotion: 'reduce',
        acceptDownloads: true,
      })
      context.setDefaultTimeout(60_000)
      open.push(context)
      const visitor: Visitor = { context, page: undefined as unknown as Page, expected: [] }
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

/** What axe-core finds on the page, a line each. @param rules the only ones that are applied; all without */
export async function accessibilityFaults(page: Page, rules?: string[]): Promise<string[]> {
  await page.evaluate(AXE)
  const { violations } = await page.evaluate<{
    violations: { id: string; help: string; nodes: { html: string; failureSummary: string }[] }[]
  }>(`axe.run(document, ${JSON.stringify(rules ? { runOnly: rules } : {})})`)
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html.slice(0, 200)} ${failureSummary.slice(0, 200)}`),
  )
}

/** Elements that the mouse can press and the keyboard cannot reach. */
export const outOfKeyboard = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const REACHED = 'a[href], button, input, select, textarea, label, summary, [tabindex]'
    return [...document.querySelectorAll('body *')]
      .filter((it) => getComputedStyle(it).cursor === 'pointer' && !it.closest(REACHED))
      .map((it) => it.outerHTML.slice(0, 200))
  })()`)
