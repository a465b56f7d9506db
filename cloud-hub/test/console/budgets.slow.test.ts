import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { insertLargeCompany, sendReadings, TWO_THOUSAND_MACHINES } from '../support/large-company.ts'
import { noBrowser } from './chromium.ts'
import { pathsOf } from './paths.ts'
import { enter } from './plant.ts'
import { type Company, newCompany } from './screenshots/company.ts'
import { useConsole } from './use-console.ts'

const WALK_MS = 900_000
/** Filling the company, on a loaded machine. */
const FILL_MS = 300_000
/** What a page may cost that this browser has opened before. */
const MOST = { requests: 12, bytes: 150_000, shift: 0.1 }

interface Traffic {
  requests: string[]
  bytes: number
}

/** What the pages of a tab load since the last call, the stream apart. */
async function watchTraffic(page: Page): Promise<() => Traffic> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Network.enable')
  let traffic: Traffic = { requests: [], bytes: 0 }
  cdp.on('Network.requestWillBeSent', ({ request }) => {
    const { pathname, search } = new URL(request.url)
    if (pathname.startsWith('/api/v1/') && pathname !== '/api/v1/stream') traffic.requests.push(`${pathname}${search}`)
  })
  cdp.on('Network.dataReceived', ({ encodedDataLength }) => {
    traffic.bytes += encodedDataLength
  })
  return () => {
    const taken = traffic
    traffic = { requests: [], bytes: 0 }
    return taken
  }
}

/** Loads a page anew, until it has shown for a while what it loads. */
async function load(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await page.evaluate(`(async () => {
    for (let frames = 0; frames < 5; frames++) {
      await new Promise((done) => setTimeout(done, 100))
      if (!document.querySelector('main h1') || document.querySelector('.skeleton')) frames = -1
    }
  })()`)
}

/** Sums what moves without that somebody did something, and notes what that is. Source: web.dev, "Cumulative Layout Shift" */
const WATCH_SHIFTS = `
  window.shifts = []
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value, sources } of list.getEntries())
      if (!hadRecentInput) window.shifts.push([value, sources.map(({ node, previousRect, currentRect }) =>
        (node?.outerHTML ?? node?.parentElement?.outerHTML ?? 'gone').slice(0, 100) + ' from ' + previousRect.top + ' to ' + currentRect.top)])
  }).observe({ type: 'layout-shift', buffered: true })`

describe.skipIf(noBrowser)('in a browser', () => {
  const { hub, hubs, browser } = useConsole()
  let company: Company
  let paths: string[] = []
  beforeAll(async () => {
    company = await newCompany(hub.url, 'Nordwerk Group')
    const { owner } = hubs
    const { tenantId, userId } = company
    await insertLargeCompany(owner, tenantId, userId)
    await sendReadings(hub.url, company.key, TWO_THOUSAND_MACHINES.machines)
    const first = async (path: string) => (await company.call('GET', path)).items[0].id as string
    const [site] = await owner<[{ id: string }]>`select id from machine_groups where tenant_id = ${tenantId} and name = 'Bremen'`
    const [event] = await owner<[{ id: string }]>`select id from maintenance_events where tenant_id = ${tenantId} limit 1`
    const ids = {
      machine: await first('machines?page_size=1'),
      alert: await first('alerts?page_size=1'),
      order: await first('work-orders?page_size=1'),
      event: event.id,
      agent: 'box-7',
      site: site.id,
      erp: 'none',
      rollout: 'none',
    }
    paths = pathsOf(ids, new Date().toISOString().slice(0, 10)).filter((it) => !it.endsWith('/none'))
  }, FILL_MS)

  it.each([['a phone', 390, 844]])(
    'with 2,000 machines each page at %s asks for little, and nothing jumps while it loads',
    async (_at, width, height) => {
      const { page, context, expected } = await browser.visit({ width, height })
      expected.push(/404 .*\/auth\/sso\/config/, /429/)
      await context.addInitScript(WATCH_SHIFTS)
      await enter(page, hub, company.email)
      const taken = await watchTraffic(page)
      const wrong: string[] = []
      for (const path of paths.filter((it) =>
        /groups|thresholds|predictions|sites|members|lists|^.agents$|shifts|data/.test(it),
      )) {
        await load(page, `${hub.url}${path}`)
        taken()
        await load(page, `${hub.url}${path}`)
        const { requests, bytes } = taken()
        if (requests.length > MOST.requests) wrong.push(`${path} makes ${requests.length} requests:\n${requests.join('\n')}`)
        if (bytes > MOST.bytes) wrong.push(`${path} loads ${bytes} bytes`)
        const shifts = await page.evaluate<[number, string[]][]>('window.shifts')
        const shift = shifts.reduce((sum, [value]) => sum + value, 0)
        if (shift > MOST.shift)
          wrong.push(
            `${path} moves by ${shift}:\n${shifts.map((it) => `${it[0].toFixed(3)} ${it[1].join('\n      ')}`).join('\n')}`,
          )
      }
      expect(wrong.join('\n')).toBe('')
    },
    WALK_MS,
  )
})
