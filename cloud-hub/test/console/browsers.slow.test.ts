import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { DemoSignIn } from '../../src/features/people/accounts/index.ts'
import type { RunningHub } from '../../src/hub.ts'
import { PASSWORD } from '../harness.ts'
import { useRunningHubs } from '../running-hub.ts'
import { follow } from './browser.ts'
import { call } from './call.ts'
import { noBrowser } from './chromium.ts'
import { startChromiumTab } from './drivers/chromium.ts'
import { noFirefox, startFirefox } from './drivers/firefox.ts'
import { fill, holds, press, shows, type Tab } from './drivers/tab.ts'
import { noWebKit, startWebKit } from './drivers/webkit.ts'
import { pathsOf } from './paths.ts'
import { type Company, newCompany } from './screenshots/company.ts'
import { fillCompany } from './screenshots/full-plant.ts'

const WALK_MS = 600_000

/** What is no fault: requests of a browser without a session, no identity provider, and a font that Firefox still loads at the reload. */
const EXPECTED = [/40[14] .*\/auth\/(?:refresh|sso\/config)/, /download failed .* status=2152398850 /]

const hubs = useRunningHubs()
let hub: RunningHub
let company: Company
let paths: string[] = []

beforeAll(async () => {
  // the hub of the demonstration: WebKit keeps no `Secure` cookie of a hub without TLS
  hub = await hubs.start({}, undefined, new DemoSignIn())
  company = await newCompany(hub.url, 'Nordwerk')
  paths = pathsOf(await fillCompany(company, hubs.owner), new Date().toISOString().slice(0, 10))
})

/** An alert that nobody acknowledged, and an order of it that is in progress. */
async function addAlertAndOrder(): Promise<{ machine: string; alert: string; order: string }> {
  const identifier = `press-${Date.now()}`
  const machine = { name: `Press ${identifier}`, machine_identifier: identifier, protocol: 'opc_ua' }
  const { id } = await company.call('POST', 'machines', machine)
  await hubs.owner`
    insert into alerts (tenant_id, machine_id, severity, metric_name, threshold_value, trigger_value, unit, message, triggered_at)
    values (${company.tenantId}, ${id}, 'critical', 'vibration', 7.1, 8.2, 'mm/s', 'Vibration', now())`
  const { items } = await company.call('GET', `alerts?machine_id=${id}`)
  const order = await company.call('POST', 'work-orders', { machine_id: id, title: 'Grease the guide', priority: 'high' })
  await company.call('PATCH', `work-orders/${order.id}`, { status: 'in_progress' })
  return { machine: id, alert: items[0].id, order: order.id }
}

let vibration = 9
/** Sends another vibration of the pump. @returns it */
async function sendReading(): Promise<string> {
  vibration += 0.25
  const timestamp = new Date().toISOString()
  const reading = { machine_identifier: 'pump-01', metric_name: 'vibration', value: vibration, unit: 'mm/s', timestamp }
  await call(hub.url, 'POST', 'ingest', { readings: [reading] }, { 'x-api-key': company.key })
  return String(vibration)
}

const faultsOf = async (tab: Tab) => (await tab.faults()).filter((it) => !EXPECTED.some((pattern) => pattern.test(it)))

async function signIn(tab: Tab): Promise<void> {
  await tab.open(hub.url)
  await fill(tab, 'E-mail address', company.email)
  await fill(tab, 'Password', PASSWORD)
  await press(tab, 'button', 'Sign in')
  await shows(tab, 'Overview', 'main h1')
}

describe.each([
  ['Chromium', noBrowser, startChromiumTab],
  ['Firefox ESR', noFirefox, startFirefox],
  ['WebKitGTK', noWebKit, startWebKit],
])('in %s', (_name, missing, start) => {
  describe.skipIf(missing)(missing ? `skipped, ${missing}` : 'the console', () => {
    let tab: Tab
    beforeAll(async () => {
      const started = await start()
      tab = started.tab
      console.log(`The console is tried in ${started.version}.`)
    })
    afterAll(() => tab?.close())
    beforeEach(() => tab.resize(1280, 900))
    afterEach(async () => {
      expect(await faultsOf(tab)).toEqual([])
    })

    it('a person signs in, stays signed in after a reload, reads live charts of a machine, acknowledges an alert and completes an order', async () => {
      const { alert, order } = await addAlertAndOrder()
      await signIn(tab)
      await tab.reload()
      await shows(tab, 'Overview', 'main h1')
      await press(tab, 'link', 'Machines', 'nav')
      await press(tab, 'link', /^Cooling water pump 1/, 'main')
      await holds(
        tab,
        'drawn chart',
        `[...document.querySelectorAll('canvas')].some((it) => {
          const { data } = it.getContext('2d').getImageData(0, 0, it.width, it.height)
          return it.width > 200 && data.some((byte) => byte !== 0)
        })`,
      )
      const times = '[...document.querySelectorAll(".u-legend .u-series:first-child")]'
      await holds(
        tab,
        'legend without a time where there is no cursor',
        `${times}.length > 0 && !${times}.some((it) => it.checkVisibility())`,
      )
      const vibration = await sendReading()
      await shows(tab, new RegExp(`^${vibration.replace('.', '\\.')}\\s+mm/s`, 'm'), 'main')
      await follow(tab, `/alerts/${alert}`)
      await press(tab, 'button', 'Acknowledge')
      await shows(tab, '· Ada Brandt', 'main')
      await follow(tab, `/work-orders/${order}`)
      await press(tab, 'button', 'Complete', 'main')
      await fill(tab, /What was done/, 'Greased.', '[role=dialog]')
      await press(tab, 'button', 'Complete', '[role=dialog]')
      await shows(tab, 'Greased.', 'main')
      await tab.reload()
      await shows(tab, 'Greased.', 'main')
      expect((await company.call('GET', `alerts/${alert}`)).is_acknowledged).toBe(true)
      expect((await company.call('GET', `work-orders/${order}`)).status).toBe('completed')
    })

    it('every page opens at a desk and on a phone, and nothing is wider than the screen', { timeout: WALK_MS }, async () => {
      await tab.open(hub.url)
      if (!(await tab.evaluate<boolean>(`'haltless.signed-in' in localStorage`))) await signIn(tab)
      const wrong: string[] = []
      for (const width of [1280, 390]) {
        await tab.resize(width, 900)
        await holds(tab, `viewport of ${width} pixels`, `innerWidth === ${width}`)
        for (const path of paths) {
          await follow(tab, path)
          const over = await tab.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')
          if (over > 0) wrong.push(`${path} at ${width} is ${over} pixels too wide`)
          for (const fault of await faultsOf(tab)) wrong.push(`${path} at ${width}: ${fault}`)
        }
      }
      expect(wrong).toEqual([])
    })
  })
})
