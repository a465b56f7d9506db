import type { CDPSession, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { insertLargeCompany, sendReadings, TWO_THOUSAND_MACHINES } from '../support/large-company.ts'
import { noBrowser } from './chromium.ts'
import { pathsOf } from './paths.ts'
import { enter } from './plant.ts'
import { type Company, newCompany } from './screenshots/company.ts'
import { useConsole } from './use-console.ts'

const WALK_MS = 600_000

interface Traffic {
  requests: string[]
  bytes: number
}

/** What the pages of a tab load from the hub since the last `taken`. */
async function watchTraffic(page: Page): Promise<{ cdp: CDPSession; taken(): Traffic }> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Network.enable')
  let traffic: Traffic = { requests: [], bytes: 0 }
  cdp.on('Network.requestWillBeSent', ({ request }) => {
    const { pathname, search } = new URL(request.url)
    if (pathname.startsWith('/api/v1/') && pathname !== '/api/v1/stream')
      traffic.requests.push(`${request.method} ${pathname}${search}`)
  })
  cdp.on('Network.dataReceived', ({ encodedDataLength }) => {
    traffic.bytes += encodedDataLength
  })
  return {
    cdp,
    taken: () => {
      const taken = traffic
      traffic = { requests: [], bytes: 0 }
      return taken
    },
  }
}

const SETTLED = `(async () => {
  for (let frames = 0; frames < 5; frames++) {
    await new Promise((done) => setTimeout(done, 100))
    if (!document.querySelector('main h1') || document.querySelector('.skeleton')) frames = -1
  }
})()`

const SHIFTS = `
  window.layoutShift = 0
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.layoutShift += entry.value
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
    paths = pathsOf(
      {
        machine: await first('machines?page_size=1'),
        alert: await first('alerts?page_size=1'),
        order: await first('work-orders?page_size=1'),
        event: event.id,
        erp: '',
        agent: 'box-7',
        rollout: '',
        site: site.id,
      },
      new Date().toISOString().slice(0, 10),
    ).filter((it) => !/(?:erp|updates)\/$/.test(it))
  }, 300_000)

  it('measures', { timeout: WALK_MS }, async () => {
    for (const [width, height] of [
      [1280, 900],
      [390, 844],
    ] as const) {
      const { page, context, expected } = await browser.visit({ width, height })
      expected.push(/404 .*\/auth\/sso\/config/, /429/)
      await context.addInitScript(SHIFTS)
      await enter(page, hub, company.email)
      const { taken } = await watchTraffic(page)
      for (const path of [
        ...paths,
        ...paths.map((it) => `${it}${it.includes('?') ? '&' : '?'}site=${paths.find((p) => p.startsWith('/sites/'))?.slice(7)}`),
      ]) {
        await page.goto(`${hub.url}${path}`)
        await page.evaluate(SETTLED)
        taken()
        await page.goto(`${hub.url}${path}`)
        await page.evaluate(SETTLED)
        const { requests, bytes } = taken()
        const shift = await page.evaluate<number>('window.layoutShift')
        console.log(`${width} ${path} requests ${requests.length} kB ${Math.round(bytes / 1000)} shift ${shift.toFixed(3)}`)
        if (requests.length > 12) console.log(requests.join('\n   '))
      }
    }
  })
})
