import { setTimeout } from 'node:timers/promises'
import { type BenchRow, fullOrShort, runRows } from '@haltless/protocol/bench'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { ensureConsole } from '../src/console-build.ts'
import { noBrowser, startChromium } from '../test/console/chromium.ts'
import { insertLargeCompany, sendReadings as sendNewestReadings, TWO_THOUSAND_MACHINES } from '../test/support/large-company.ts'
import { mergeAll } from '../test/support/reading-storage.ts'
import { evenly, storeReadings } from '../test/support/stored-readings.ts'
import { addMachines, type BenchHub, onHub, startBenchHub } from './environment.ts'

/** What the console may take: docs/bench.md says where the limits come from. */
const LIMITS = { load: 400_000, lcp: 2_500, days: 1_000, zoom: 200, alerts: 1_000, scroll: 100, memory: 1.2 }

const EMAIL = 'bench0@example.com'
const PASSWORD = 'Correct-horse-7'
const DAY_MS = 86_400_000
const VIEWPORT = { width: 1280, height: 900 }
const METRICS = ['temperature', 'vibration', 'speed', 'current']

interface Visit {
  hub: BenchHub
  browser: Browser
  machineId: string
}

type Fill = (visit: Visit) => Promise<unknown>

/** A hub with machines and a browser; the browser is signed in by each page anew. */
const withBrowser =
  (fill: Fill, ours: (visit: Visit) => Promise<number>, limit: number, plant = fiveMachines): BenchRow['prepare'] =>
  () =>
    onHub(startBenchHub(), async (hub) => {
      await plant(hub)
      const [machine] = await hub.owner<[{ id: string }]>`select id from machines order by name`
      const visit = { hub, browser: await startChromium(), machineId: machine.id }
      await fill(visit)
      await hub.owner`vacuum analyze`
      const close = async () => {
        await visit.browser.close()
        await hub.close()
      }
      return { ours: () => ours(visit), theirs: () => limit, close }
    })

const fiveMachines = (hub: BenchHub) => addMachines(hub, 0, 5)

/** The company of `test/console/budgets.slow.test.ts`, with this many machines. The hub still computes the OEE of its shifts: one day of them. */
const largeCompany = (machines: number) => async (hub: BenchHub) => {
  const { owner, tenantId, userId, url, keys } = hub
  await insertLargeCompany(owner, tenantId, userId, {
    ...TWO_THOUSAND_MACHINES,
    machines,
    alerts: fullOrShort(10_000, 200),
    shiftDays: 1,
  })
  await sendNewestReadings(url, keys[0] as string, machines)
}

const isoOf = (ms: number) => new Date(ms).toISOString()

/** Opens a page of the console in a browser of its own, as a person who signs in first. */
async function signedIn({ browser, hub }: Visit): Promise<{ page: Page; cdp: CDPSession; end(): Promise<void> }> {
  const context = await browser.newContext({ viewport: VIEWPORT, locale: 'en-GB', timezoneId: 'Europe/Berlin' })
  const page = await context.newPage()
  const cdp = await context.newCDPSession(page)
  await cdp.send('Network.enable')
  await page.goto(hub.url)
  await page.getByLabel('E-mail address').fill(EMAIL)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  return { page, cdp, end: () => context.close() }
}

/** From an action until the page has drawn what the selector finds, ms. */
async function drawnAfter(page: Page, act: () => Promise<unknown>, selector: string): Promise<number> {
  const started = performance.now()
  await act()
  await page.locator(selector).first().waitFor()
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
  return performance.now() - started
}

/** Bytes on the wire of a first visit, until the overview shows machines. */
async function transferred(visit: Visit): Promise<number> {
  const context = await visit.browser.newContext({ viewport: VIEWPORT, locale: 'en-GB', serviceWorkers: 'block' })
  const page = await context.newPage()
  const cdp = await context.newCDPSession(page)
  await cdp.send('Network.enable')
  let bytes = 0
  cdp.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await page.goto(visit.hub.url)
  await page.getByLabel('E-mail address').fill(EMAIL)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('main a[href^="/machines/"]').first().waitFor()
  await context.close()
  return bytes
}

/** The largest contentful paint of the overview of a person who is signed in, without the browser's cache, ms. */
async function largestPaint(visit: Visit): Promise<number> {
  const { page, cdp, end } = await signedIn(visit)
  await cdp.send('Network.setCacheDisabled', { cacheDisabled: true })
  await page.reload()
  await page.locator('main a[href^="/machines/"]').first().waitFor()
  const at = await page.evaluate<number>(
    `new Promise((done) => new PerformanceObserver((list) => done(list.getEntries().at(-1).startTime)).observe({ type: 'largest-contentful-paint', buffered: true }))`,
  )
  await end()
  return at
}

/** Until the end of the day before yesterday, so that all days are sealed and merged. */
const END = (Math.floor(Date.now() / DAY_MS) - 1) * DAY_MS

/** The last days of four metrics, sealed. */
async function storeHistory({ hub, machineId }: Visit, days: number, stepMs: number): Promise<void> {
  for (let from = END - days * DAY_MS; from < END; from += DAY_MS) {
    const times = evenly(from, from + DAY_MS, stepMs, (_, at) => 50 + 10 * Math.sin(at / 1_000_000))
    await storeReadings(
      hub.owner,
      METRICS.map((metric) => ({ machineId, metric, unit: 'celsius', ...times })),
    )
  }
  await mergeAll(hub.owner)
}

const CHART = 'main figure canvas'

async function ninetyDays(visit: Visit): Promise<number> {
  const { page, end } = await signedIn(visit)
  await page.goto(`${visit.hub.url}/machines/${visit.machineId}`)
  await page.getByText('No readings in this range').waitFor()
  const took = await drawnAfter(page, () => page.getByLabel('Span').selectOption('Last 90 days'), CHART)
  await end()
  return took
}

async function zoomed(visit: Visit): Promise<number> {
  const { page, end } = await signedIn(visit)
  const query = (spanMs: number) => `from=${isoOf(END - spanMs)}&to=${isoOf(END)}`
  await page.goto(`${visit.hub.url}/machines/${visit.machineId}?${query(365 * DAY_MS)}`)
  await page.locator(CHART).waitFor()
  let slowest = 0
  // each drag zooms to the last thirtieth: a year, 12 days, 10 hours, 20 minutes, 40 seconds, about one second
  for (let step = 0; step < 5; step++) {
    const box = await page.locator('main figure .u-over').first().boundingBox()
    if (!box) throw new Error('there is no chart to zoom')
    const y = box.y + box.height / 2
    const right = box.x + box.width - 2
    await page.mouse.move(right - box.width / 30, y)
    await page.mouse.down()
    await page.mouse.move(right, y, { steps: 3 })
    const before = page.url()
    const started = performance.now()
    await page.mouse.up()
    await page.waitForURL((url) => url.href !== before)
    await page.locator('main figure').first().waitFor()
    await page.locator('main .opacity-60').waitFor({ state: 'detached' })
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
    slowest = Math.max(slowest, performance.now() - started)
  }
  await end()
  return slowest
}

async function inbox(visit: Visit): Promise<number> {
  const { page, end } = await signedIn(visit)
  await page.locator('main a[href^="/machines/"]').first().waitFor()
  const link = page.getByRole('navigation').first().getByRole('link', { name: 'Alerts' })
  const took = await drawnAfter(page, () => link.click(), 'main a[href^="/alerts/"]')
  await end()
  return took
}

/** Sends a batch as fast as the hub takes it, which may be slower than the benchmark. */
async function sendReadings(hub: BenchHub, readings: readonly object[]): Promise<void> {
  const post = () =>
    fetch(`${hub.url}/api/v1/ingest`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': hub.keys[0] as string },
      body: JSON.stringify({ readings }),
    })
  let answer = await post()
  for (; answer.status === 429; answer = await post()) await setTimeout(1_000 * Number(answer.headers.get('retry-after') ?? 1))
  if (answer.status !== 207) throw new Error(`ingest answered ${answer.status}`)
}

const FLEET = fullOrShort(10_000, 200)
/** Steps from the first machine to the last, one a frame. */
const SCROLLS = 100

/** The longest time between two frames while the overview scrolls from the first machine to the last, ms. */
async function scrolled(visit: Visit): Promise<number> {
  const { page, end } = await signedIn(visit)
  await page.locator('main a[href^="/machines/"]').first().waitFor()
  const longest = await page.evaluate<number>(`new Promise((done) => {
    let [step, last, longest] = [0, 0, 0]
    requestAnimationFrame(function next(now) {
      if (last) longest = Math.max(longest, now - last)
      last = now
      if (step === ${SCROLLS}) return done(longest)
      scrollTo(0, (document.documentElement.scrollHeight * ++step) / ${SCROLLS})
      requestAnimationFrame(next)
    })
  })`)
  await page.locator('main a[href^="/machines/"]').last().waitFor()
  const shown = await page.locator('main li').count()
  if (shown > 100) throw new Error(`${shown} machines are drawn at once`)
  await end()
  return longest
}

/** An hour of five machines with four metrics each second, sent as fast as the hub takes it. */
const INSTANTS = fullOrShort(3_600, 60)

async function grown(visit: Visit): Promise<number> {
  const { hub } = visit
  const { page, cdp, end } = await signedIn(visit)
  await page.goto(`${hub.url}/machines/${visit.machineId}`)
  const machines = await hub.owner<{ id: string; machine_identifier: string }[]>`select id, machine_identifier from machines`
  const from = Date.now() - INSTANTS * 1_000
  const send = async (first: number, last: number) => {
    for (let i = first; i < last; i++) {
      const timestamp = isoOf(from + i * 1_000)
      const readings = machines.flatMap(({ machine_identifier }) =>
        METRICS.map((metric_name) => ({ machine_identifier, metric_name, unit: 'celsius', value: 50 + Math.sin(i), timestamp })),
      )
      await sendReadings(hub, readings)
    }
  }
  const used = async () => {
    await cdp.send('HeapProfiler.collectGarbage')
    const { metrics } = await cdp.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0
  }
  await cdp.send('Performance.enable')
  await send(0, INSTANTS / 6)
  // a page that is still loading would make the rest look like growth
  await page.locator(CHART).first().waitFor()
  const early = await used()
  await send(INSTANTS / 6, INSTANTS)
  const late = await used()
  await end()
  return late / early
}

const rows: BenchRow[] = [
  {
    row: 'console.load.bytes',
    against: 'the limit of 400 kB',
    unit: 'bytes on the wire of a first visit, from the address to the machines of the overview, sign-in included',
    prepare: withBrowser(async () => {}, transferred, LIMITS.load),
  },
  {
    row: 'console.load.paint',
    against: 'the limit of 2,500 ms',
    unit: 'milliseconds to the largest contentful paint of the overview, empty cache',
    prepare: withBrowser(async () => {}, largestPaint, LIMITS.lcp),
  },
  {
    row: 'console.chart.90d',
    against: 'the limit of 1,000 ms',
    unit: 'milliseconds from the click to the drawn chart of 90 days, 4 metrics',
    prepare: withBrowser((visit) => storeHistory(visit, fullOrShort(90, 3), 10_000), ninetyDays, LIMITS.days),
  },
  {
    row: 'console.chart.zoom',
    against: 'the limit of 200 ms',
    unit: 'milliseconds of the slowest of 5 zooms from a year to a second, 4 metrics',
    prepare: withBrowser((visit) => storeHistory(visit, fullOrShort(365, 3), 10_000), zoomed, LIMITS.zoom),
  },
  {
    row: 'console.alerts',
    against: 'the limit of 1,000 ms',
    unit: 'milliseconds from the click to the drawn inbox with 10,000 alerts of 2,000 machines',
    prepare: withBrowser(async () => {}, inbox, LIMITS.alerts, largeCompany(fullOrShort(2_000, 100))),
  },
  {
    row: 'console.machines',
    against: 'the limit of 100 ms',
    unit: 'milliseconds of the longest frame while the overview scrolls through 10,000 machines',
    prepare: withBrowser(async () => {}, scrolled, LIMITS.scroll, largeCompany(FLEET)),
  },
  {
    row: 'console.memory',
    against: 'the limit of 1.2',
    unit: 'heap of a machine page after an hour of live values, against that after 10 minutes',
    rounds: 1,
    prepare: withBrowser(async () => {}, grown, LIMITS.memory),
  },
]

if (noBrowser) process.stderr.write(`Not run: ${noBrowser}\n`)
else {
  await ensureConsole((text) => process.stderr.write(`${text}\n`))
  await runRows(rows, process.argv.slice(2))
}
