import { beforeAll, describe, expect, it } from 'vitest'
import type { RunningHub } from '../../src/hub.ts'
import { useRunningHubs } from '../running-hub.ts'
import { ensureRelease, takesUpdates } from '../support/agent-releases.ts'
import { accessibilityFaults, outOfKeyboard, useBrowser } from './browser.ts'
import { call } from './call.ts'
import { noBrowser } from './chromium.ts'
import { pathsOf } from './paths.ts'
import { firstAlert, newPlant, type Plant, signIn } from './plant.ts'

/** Fifty pages take two minutes beside other tests on two cores. */
const WALK_MS = 400_000

const hubs = useRunningHubs()
let hub: RunningHub
let plant: Plant
let paths: string[] = []

describe.skipIf(noBrowser)('in a browser', () => {
  beforeAll(async () => {
    hub = await hubs.start()
    plant = await newPlant(hub)
    await plant.send(95)
    const alert = await firstAlert(plant)
    const order = await plant.call('POST', 'work-orders', { machine_id: plant.machineId, alert_id: alert.id, title: 'Bearing' })
    const event = await plant.call('POST', 'maintenance', {
      machine_id: plant.machineId,
      title: 'Oil',
      scheduled_start: '2026-03-02T08:00Z',
      scheduled_end: '2026-03-02T09:00Z',
    })
    await plant.call('POST', 'machine-groups', { name: 'Hall 3', group_type: 'site', machine_ids: [plant.machineId] })
    const tag = { raw_tag: 'TT_101.PV', machine_id: plant.machineId, context: 'oil temperature' }
    await plant.call('POST', 'tag-mappings/auto-map', { tags: [tag] })
    const config = { base_url: 'https://erp.example.com/api', username: 'haltless', password: 'secret' }
    const erp = await plant.call('POST', 'erp/connections', { provider: 'erp_c', name: 'ERP', config, is_active: false })
    const telemetry = { agent_id: 'hall-3', agent_version: '0.1.0', collectors: { pump: 'reconnecting: connection refused' } }
    await call(hub.url, 'POST', 'agent/heartbeat', telemetry, { 'x-api-key': plant.key })
    await ensureRelease(hubs.owner, '0.2.0', 7)
    const updating = { agent_id: 'hall-4', agent_version: '0.1.0', update: takesUpdates }
    await call(hub.url, 'POST', 'agent/heartbeat', updating, { 'x-api-key': plant.key })
    const rollout = await plant.call('POST', 'agent/rollouts', { version: '0.2.0', all_agents: true })
    const ids = {
      rollout: rollout.id,
      machine: plant.machineId,
      alert: alert.id,
      order: order.id,
      event: event.id,
      erp: erp.id,
      agent: 'hall-3',
    }
    paths = pathsOf(ids, '2026-03-02')
  })
  const browser = useBrowser(() => hub.url)

  it('axe finds nothing on any page, light and dark, and the keyboard reaches what the mouse does', {
    timeout: WALK_MS,
  }, async () => {
    const { page, expected } = await browser.visit()
    const deleted = '/alerts/00000000-0000-7000-8000-000000000000'
    expected.push(/404 .*\/auth\/sso\/config/, /404 .*\/alerts\/0{8}-/)
    const faults = async () => {
      const found = await outOfKeyboard(page)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await page.locator(`html[data-theme=${colorScheme}]`).waitFor()
        found.push(...(await accessibilityFaults(page)))
      }
      return found
    }
    for (const path of ['/sign-in', '/register', '/invite?token=x', '/reset-password', '/reset-password?token=x']) {
      await page.goto(hub.url + path)
      await page.getByRole('textbox').first().waitFor()
      expect([path, await faults()]).toEqual([path, []])
    }
    await signIn(page, hub, plant.email)
    for (const path of [...paths, deleted]) {
      await page.goto(hub.url + path)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.locator('.skeleton').first().waitFor({ state: 'detached' })
      expect([path, await faults()]).toEqual([path, []])
    }
    await page.goto(`${hub.url}/machines`)
    await page.getByRole('button', { name: 'Add a machine' }).click()
    await page.getByRole('dialog').waitFor()
    expect(await faults()).toEqual([])
  })

  it.each(['viewer', 'operator'])('no page asks the hub for what it refuses a %s, or offers it', async (role) => {
    const { email } = await plant.colleague(role)
    const { context, page } = await browser.visit()
    const refused: string[] = []
    context.on('response', (response) => {
      if (response.status() === 403) refused.push(response.url())
    })
    await signIn(page, hub, email)
    for (const path of paths.filter((it) => !it.startsWith('/agents'))) {
      await page.goto(hub.url + path)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.locator('.skeleton').first().waitFor({ state: 'detached' })
      const offered = await page.getByRole('main').getByRole('button').allTextContents()
      const forAdmins = [
        'Invite',
        'Add a member',
        'Add a role',
        'Connect an ERP',
        'Field names',
        'Test the connection',
        'Create a key',
        'Add a rule',
        'Combine conditions',
        'Deactivate',
        'Define a shift',
        'Plant calendar',
      ]
      const forOperators = [
        'Suggest metrics',
        'Confirm',
        'Add a machine',
        'Add a group',
        'Import',
        'Edit',
        'Add a channel',
        'Acknowledge',
        'Create work order',
        'Plan maintenance',
        'Enter downtime',
        'Start',
        'Complete',
        'Sign',
      ]
      for (const name of role === 'viewer' ? [...forAdmins, ...forOperators] : forAdmins)
        expect([path, name, offered.includes(name)]).toEqual([path, name, false])
    }
    expect(refused).toEqual([])
    await page.getByRole('link', { name: 'Agents' }).waitFor({ state: 'detached' })
  })

  it('the shell opens without a network and says so, and continues by itself when the hub answers', async () => {
    const { context, page, expected } = await browser.visit()
    expected.push(/ERR_INTERNET_DISCONNECTED|Failed to fetch/)
    await signIn(page, hub, plant.email)
    await page.evaluate('navigator.serviceWorker.ready')
    await page.reload()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await context.setOffline(true)
    await page.reload()
    await page.getByText('The hub cannot be reached. You stay signed in').waitFor()
    await context.setOffline(false)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    const cached = await page.evaluate<string[]>(
      'caches.keys().then(async ([name]) => (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname))',
    )
    expect(cached.filter((path) => path.startsWith('/api'))).toEqual([])
    expect(cached).toContain('/index.html')
  })

  it('the service worker shows a push message, and a click on it opens its page', async () => {
    const { context, page } = await browser.visit()
    await context.grantPermissions(['notifications'], { origin: hub.url })
    await signIn(page, hub, plant.email)
    await page.evaluate('navigator.serviceWorker.ready')
    const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'))
    const shown = await worker.evaluate<{ title: string; options: { body: string; tag: string; data: { link: string } } }>(`
      new Promise((resolve) => {
        self.registration.showNotification = async (title, options) => resolve({ title, options })
        const message = { title: 'Pump: critical', body: 'Too loud.', tag: 't1', link: '/alerts' }
        self.dispatchEvent(new PushEvent('push', { data: JSON.stringify(message) }))
      })`)
    expect(shown.title).toBe('Pump: critical')
    expect([shown.options.body, shown.options.tag, shown.options.data.link]).toEqual(['Too loud.', 't1', '/alerts'])
  })

  it('a panel that fails says so in its place, and the others go on', async () => {
    const { page, expected } = await browser.visit()
    expected.push(/TypeError/)
    await page.route('**/work-orders/*/instructions', (route) => route.fulfill({ json: { items: null } }))
    await signIn(
      page,
      hub,
      plant.email,
      paths.find((it) => /^\/work-orders\/./.test(it)),
    )
    await page.getByRole('alert').getByText('This part of the page has failed.').waitFor()
    await page.unroute('**/work-orders/*/instructions')
    await page.getByLabel('Write a comment').fill('It goes on.')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('It goes on.', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByLabel('Next step').waitFor()

    // alerts that could not be loaded are not "nothing"
    expected.push(/500 .*\/alerts/)
    const problem = { status: 500, title: 'Internal error', detail: 'x', code: 'internal', request_id: 'r-1' }
    await page.route('**/api/v1/alerts?*', (route) => route.fulfill({ status: 500, json: problem }))
    await page.goto(hub.url)
    const attention = page.getByRole('region', { name: 'Needs attention' })
    await attention.getByText(/r-1/).waitFor()
    expect(await attention.getByText('Nothing needs attention.').count()).toBe(0)
    await page.unroute('**/api/v1/alerts?*')
    await attention.getByRole('button', { name: 'Try again' }).click()
    await attention.getByRole('link', { name: /Noise is 95 dB/ }).waitFor()
  })

  it('a page whose files an update of the hub has replaced loads itself again', async () => {
    const { page, expected } = await browser.visit({ serviceWorkers: 'block' })
    // React logs why it cannot draw the page, in the moment before the reload
    expected.push(/blocked by Playwright/, /404 .*\/assets\//, /Failed to fetch dynamically imported module/)
    await signIn(page, hub, plant.email)
    await page.evaluate('window.isBefore = true')
    await page.route('**/assets/*.js', (route) => route.fulfill({ status: 404 }), { times: 1 })
    await page.getByRole('link', { name: 'Agents', exact: true }).click()
    await page.getByRole('heading', { name: 'Agents' }).waitFor()
    expect(await page.evaluate('window.isBefore')).toBeUndefined()
  })

  it('an open page says when the hub is away, and is live again after the restart', async () => {
    const other = await hubs.start()
    const port = new URL(other.url).port
    const own = await newPlant(other)
    const { page, expected } = await browser.visit({ origin: other.url })
    expected.push(/ERR_|Failed to load/)
    await signIn(page, other, own.email)
    await page.getByRole('link', { name: /Cooling pump/ }).waitFor()
    await other.stop()
    await page.getByText('The connection to the hub is lost.').waitFor()
    const again = await hubs.start({ PORT: port })
    await page.getByText('The connection to the hub is lost.').waitFor({ state: 'detached' })
    expect(again.url).toBe(other.url)
    await call(
      again.url,
      'POST',
      'ingest',
      {
        readings: [
          {
            machine_identifier: own.identifier,
            metric_name: 'noise',
            value: 62,
            unit: 'decibel',
            timestamp: new Date().toISOString(),
          },
        ],
      },
      { 'x-api-key': own.key },
    )
    await page.getByText('62 dB').waitFor()
  })
})
