import { startChromium } from '../chromium.ts'
import type { Tab } from './tab.ts'

/** Starts the Chromium of the other tests, with the means that the other browsers have too. */
export async function startChromiumTab(): Promise<{ tab: Tab; version: string }> {
  const browser = await startChromium()
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'Europe/Berlin', reducedMotion: 'reduce' })
  const page = await context.newPage()
  const seen: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) seen.push(`${message.type()}: ${message.text()} ${message.location().url}`)
  })
  page.on('pageerror', (error) => seen.push(`error: ${error.stack ?? error.message}`))
  const tab: Tab = {
    open: async (url) => void (await page.goto(url)),
    reload: async () => void (await page.reload()),
    evaluate: (expression) => page.evaluate(expression),
    press: (x, y) => page.mouse.click(x, y),
    type: (text) => page.keyboard.type(text),
    resize: (width, height) => page.setViewportSize({ width, height }),
    screenshot: () => page.screenshot(),
    faults: async () => seen.splice(0),
    close: () => browser.close(),
  }
  return { tab, version: `Chromium ${browser.version()}` }
}
