import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { PASSWORD } from '../harness.ts'
import { insertLargeCompany, sendReadings, TWO_THOUSAND_MACHINES } from '../support/large-company.ts'
import { follow } from './browser.ts'
import { noBrowser } from './chromium.ts'
import { pathsOf } from './paths.ts'
import { addColleague, enter } from './plant.ts'
import { type Company, newCompany } from './screenshots/company.ts'
import { useConsole } from './use-console.ts'

const WALK_MS = 900_000
/** Pages, and the seconds for which each is watched: the overview over several rounds of its live values. */
const IDLE = { '/': 45, '/alerts': 20, '/work-orders': 20, '/operations': 20 }
const MOST_A_MINUTE = 50_000
const REFUSED_PAUSE_MS = 10_000
/** Filling the company, on a loaded machine. */
const FILL_MS = 300_000
/** What a page may cost that this browser has opened before. */
const MOST = { requests: 12, bytes: 150_000, shift: 0.1 }

interface Traffic {
  requests: string[]
  bytes: number
  /** by path */
  ofPaths: Record<string, number>
}

/** What the pages of a tab load since the last call, the stream apart. */
async function watchTraffic(page: Page): Promise<() => Traffic> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Network.enable')
  const none = (): Traffic => ({ requests: [], bytes: 0, ofPaths: {} })
  let traffic = none()
  const paths = new Map<string, string>()
  cdp.on('Network.requestWillBeSent', ({ request, requestId }) => {
    const { pathname, search } = new URL(request.url)
    paths.set(requestId, pathname)
    if (pathname.startsWith('/api/v1/') && pathname !== '/api/v1/stream') traffic.requests.push(`${pathname}${search}`)
  })
  cdp.on('Network.dataReceived', ({ requestId, encodedDataLength }) => {
    traffic.bytes += encodedDataLength
    const path = paths.get(requestId) ?? ''
    traffic.ofPaths[path] = (traffic.ofPaths[path] ?? 0) + encodedDataLength
  })
  return () => {
    const taken = traffic
    traffic = none()
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

  it.each([
    ['a desk', 1280, 900],
    ['a phone', 390, 844],
  ])(
    'with 2,000 machines each page at %s asks for little, and nothing jumps while it loads',
    async (_at, width, height) => {
      const { page, context, expected } = await browser.visit({ width, height })
      expected.push(/404 .*\/auth\/sso\/config/, /429/)
      await context.addInitScript(WATCH_SHIFTS)
      await enter(page, hub, company.email)
      const taken = await watchTraffic(page)
      const wrong: string[] = []
      let isRefused = false
      page.on('response', (response) => {
        isRefused ||= response.status() === 429
      })
      // a page that is refused something says so, which moves the rest: the walk asks for more in a minute than a person
      const loadUnrefused = async (path: string) => {
        for (;;) {
          isRefused = false
          taken()
          await load(page, `${hub.url}${path}`)
          if (!isRefused) return
          await page.waitForTimeout(REFUSED_PAUSE_MS)
        }
      }
      const checkShift = async (path: string, when: string) => {
        const shifts = await page.evaluate<[number, string[]][]>('window.shifts')
        const shift = shifts.reduce((sum, [value]) => sum + value, 0)
        if (shift > MOST.shift)
          wrong.push(
            `${path} moves ${when} by ${shift}:\n${shifts.map(([value, what]) => `${value.toFixed(3)} ${what.join('\n      ')}`).join('\n')}`,
          )
      }
      for (const path of paths) {
        await loadUnrefused(path)
        await checkShift(path, 'at first')
        await loadUnrefused(path)
        const { requests, bytes } = taken()
        if (requests.length > MOST.requests) wrong.push(`${path} makes ${requests.length} requests:\n${requests.join('\n')}`)
        if (bytes > MOST.bytes) wrong.push(`${path} loads ${bytes} bytes`)
        await checkShift(path, 'again')
      }
      expect(wrong.join('\n')).toBe('')
    },
    WALK_MS,
  )

  it('each page comes whole where the hub refuses every third request for a second', { timeout: WALK_MS }, async () => {
    const { page, expected } = await browser.visit()
    expected.push(/404 .*\/auth\/sso\/config/, /429 /)
    await enter(page, hub, company.email)
    let asked = 0
    const refusal = { type: 'about:blank', title: 'x', status: 429, code: 'rate_limited', detail: 'x', request_id: 'r' }
    // what was refused is answered after its second: counting alone would refuse the same request again and again
    const refused = new Set<string>()
    await page.route('**/api/v1/**', (route) => {
      const url = route.request().url()
      if (route.request().method() !== 'GET' || url.includes('/stream') || refused.delete(url) || asked++ % 3 !== 0)
        return route.continue()
      refused.add(url)
      return route.fulfill({
        status: 429,
        headers: { 'retry-after': '1' },
        contentType: 'application/problem+json',
        body: JSON.stringify(refusal),
      })
    })
    const wrong: string[] = []
    for (const path of paths) {
      await follow(page, path)
      const main = page.getByRole('main')
      if ((await main.getByRole('button', { name: 'Try again' }).count()) > 0) wrong.push(`${path}: gives up`)
      if ((await page.getByRole('navigation', { name: 'Main' }).first().count()) === 0) wrong.push(`${path}: no navigation`)
    }
    expect(wrong).toEqual([])
  })

  it('two tabs share one stream and show what was done in the other one', async () => {
    const { context, page } = await browser.visit()
    const streams: string[] = []
    context.on('request', (request) => {
      if (new URL(request.url()).pathname === '/api/v1/stream') streams.push(request.url())
    })
    await enter(page, hub, company.email, '/alerts')
    const other = await context.newPage()
    await other.goto(`${hub.url}/alerts`)
    const first = page.getByRole('main').locator('[data-alert]').first()
    const id = await first.getAttribute('data-alert')
    const there = other.locator(`[data-alert="${id}"]`)
    await there.waitFor()
    const opened = streams.length
    await first.click()
    await page.getByRole('button', { name: 'Acknowledge' }).click()
    await there.waitFor({ state: 'detached' })
    // the other tab opens none of its own
    expect(streams.length - opened).toBeLessThanOrEqual(1)
  })

  it('a page keeps its data while the network is down, says so, and loads changes when it is up again', async () => {
    const { context, page, expected } = await browser.visit()
    expected.push(/ERR_INTERNET_DISCONNECTED/)
    await enter(page, hub, company.email, '/work-orders?find=Grease')
    await page.getByText('No work order', { exact: false }).first().waitFor()
    await context.setOffline(true)
    await page.getByText('The connection to the hub is lost').waitFor()
    const { items } = await company.call('GET', 'machines?page_size=1')
    await company.call('POST', 'work-orders', { machine_id: items[0].id, title: 'Grease the guide' })
    await context.setOffline(false)
    await page.getByRole('link', { name: /Grease the guide/ }).waitFor()
  })

  it('a session that has ended leads to the sign-in, and from there back to the page', async () => {
    const { page, expected } = await browser.visit()
    expected.push(/401 /)
    const { email } = await addColleague(company.call, 'operator')
    await enter(page, hub, email, '/operations?tab=sites')
    const sessions = hubs.owner`select s.tenant_id from sessions s join users u on u.tenant_id = s.tenant_id and u.id = s.user_id where u.email = ${email}`
    expect((await sessions).length).toBe(1)
    await hubs.owner`delete from sessions where user_id = (select id from users where email = ${email})`
    await page.getByRole('navigation', { name: 'Main' }).first().getByRole('link', { name: 'Maintenance' }).click()
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('main').getByRole('heading', { level: 1, name: 'Maintenance' }).waitFor()
  })

  it('a page that is left open loads little while a plant sends', { timeout: WALK_MS }, async () => {
    const { page } = await browser.visit()
    await enter(page, hub, company.email)
    const taken = await watchTraffic(page)
    const wrong: string[] = []
    for (const [path, seconds] of Object.entries(IDLE)) {
      await load(page, `${hub.url}${path}`)
      await page.waitForTimeout(2_500)
      taken()
      const since = Date.now()
      for (let second = 0; second < seconds; second += 5) {
        await sendReadings(hub.url, company.key, TWO_THOUSAND_MACHINES.machines)
        await page.waitForTimeout(Math.max(0, since + (second + 5) * 1_000 - Date.now()))
      }
      const { bytes, ofPaths } = taken()
      const minute = (bytes * 60_000) / (Date.now() - since)
      if (minute > MOST_A_MINUTE) wrong.push(`${path} loads ${Math.round(minute)} bytes a minute: ${JSON.stringify(ofPaths)}`)
    }
    expect(wrong).toEqual([])
  })
})
