import { generateSync } from 'otplib'
import { beforeAll, describe, expect, it } from 'vitest'
import type { RunningHub } from '../../src/hub.ts'
import { PASSWORD } from '../harness.ts'
import { useRunningHubs } from '../running-hub.ts'
import { follow, useBrowser } from './browser.ts'
import { call } from './call.ts'
import { noBrowser } from './chromium.ts'
import { enter, newPlant } from './plant.ts'

const hubs = useRunningHubs()
let hub: RunningHub

describe.skipIf(noBrowser)('in a browser', () => {
  beforeAll(async () => {
    hub = await hubs.start()
  })
  const browser = useBrowser(() => hub.url)

  it('a wrong password is refused in plain words, a right one opens the requested page, and a reload keeps the session', async () => {
    const plant = await newPlant(hub)
    const { page, expected } = await browser.visit()
    expected.push(/401 \(Unauthorized\).*\/auth\/login/)
    await page.goto(`${hub.url}/alerts?severity=critical`)
    await page.getByLabel('E-mail address').fill(plant.email)
    await page.getByLabel('Password', { exact: true }).fill('Wrong-password-1')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('E-mail address or password is wrong.').waitFor()
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Alerts' }).waitFor()
    expect(new URL(page.url()).search).toBe('?severity=critical')
    await page.reload()
    await page.getByRole('heading', { name: 'Alerts' }).waitFor()
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.getByText('You are signed out.').waitFor()
    await page.reload()
    await page.getByLabel('E-mail address').waitFor()
  })

  it('the address that npm start prints is one click from signed in, the login leaves it, and it leads to no other site', async () => {
    const plant = await newPlant(hub)
    const { page } = await browser.visit()
    const elsewhere = `/sign-in?next=${encodeURIComponent('https://other.invalid/')}`
    await page.goto(`${hub.url}${elsewhere}#${new URLSearchParams({ email: plant.email, password: PASSWORD })}`)
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    expect(page.url()).not.toContain('#')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
  })

  it('two-factor sign-in is set up with a QR code and asks for a code from then on', async () => {
    const plant = await newPlant(hub)
    const { page, expected } = await browser.visit()
    expected.push(/40[01] .*\/auth\/mfa\//)
    await enter(page, hub, plant.email, '/settings')
    await page.getByRole('button', { name: 'Set up' }).click()
    await page.getByAltText('QR code for the authenticator app').waitFor()
    const secret = (await page
      .locator('code')
      .filter({ hasText: /^[A-Z2-7]{16,}$/ })
      .textContent()) as string
    const code = () => generateSync({ secret, epoch: Math.floor(hubs.clock.now().getTime() / 1000) })
    await page.getByLabel('Code').fill(code())
    await page.getByRole('button', { name: 'Switch on' }).first().click()
    await page.getByText('Enter a code to switch it off.').waitFor()
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.getByText('You are signed out.').waitFor()
    await page.getByLabel('E-mail address').fill(plant.email)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('Code').fill('000000')
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByText('This code is wrong or has expired.').waitFor()
    // a code works once
    hubs.clock.advance(30)
    await page.getByLabel('Code').fill(code())
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
  })

  it('a session that is ended elsewhere leads to the sign-in, and from there back to the page', async () => {
    const plant = await newPlant(hub)
    const { page, expected } = await browser.visit()
    expected.push(/401 \(Unauthorized\)/)
    await enter(page, hub, plant.email, '/machines')
    const elsewhere = await call(hub.url, 'POST', 'auth/login', { email: plant.email, password: PASSWORD })
    await call(hub.url, 'POST', 'settings/logout-other-sessions', undefined, {
      authorization: `Bearer ${elsewhere.access_token}`,
    })
    await page.getByText('Your session has ended.').waitFor()
    await page.getByLabel('E-mail address').fill(plant.email)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Machines' }).waitFor()
  })

  it('a second person who signs in in another tab sees nothing of the first one', async () => {
    const [first, second] = [await newPlant(hub), await newPlant(hub)]
    await second.call('PATCH', `machines/${second.machineId}`, { name: 'Other press' })
    const { context, page } = await browser.visit()
    await enter(page, hub, first.email)
    await page.getByRole('link', { name: /Cooling pump/ }).waitFor()
    const session = await call(hub.url, 'POST', 'auth/login', { email: second.email, password: PASSWORD })
    const tab = await context.newPage()
    await tab.goto(hub.url)
    await tab.getByRole('link', { name: /Cooling pump/ }).waitFor()
    // what the other tab announces after a sign-in
    await tab.evaluate(`new BroadcastChannel('haltless.session').postMessage({ kind: 'token', text: '${session.access_token}' })`)
    await page.getByRole('link', { name: /Other press/ }).waitFor()
    await page.getByRole('link', { name: /Cooling pump/ }).waitFor({ state: 'detached' })
  })

  it('the shell opens without a network and says so, and continues by itself when the hub answers', async () => {
    const { context, page, expected } = await browser.visit({ serviceWorkers: 'allow' })
    expected.push(/ERR_INTERNET_DISCONNECTED|Failed to fetch/)
    const plant = await newPlant(hub)
    await enter(page, hub, plant.email)
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
    const { context, page } = await browser.visit({ serviceWorkers: 'allow' })
    await context.grantPermissions(['notifications'], { origin: hub.url })
    const plant = await newPlant(hub)
    await enter(page, hub, plant.email)
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
    const plant = await newPlant(hub)
    await plant.send(95)
    const { id } = await plant.call('POST', 'work-orders', { machine_id: plant.machineId, title: 'Bearing' })
    await enter(page, hub, plant.email, `/work-orders/${id}`)
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
    await follow(page, '/')
    const attention = page.getByRole('region', { name: 'Needs attention' })
    await attention.getByText(/r-1/).waitFor()
    expect(await attention.getByText('Nothing needs attention.').count()).toBe(0)
    await page.unroute('**/api/v1/alerts?*')
    await attention.getByRole('button', { name: 'Try again' }).click()
    await attention.getByRole('link', { name: /Noise is 95 dB/ }).waitFor()
  })

  it('a page whose files an update of the hub has replaced loads itself again', async () => {
    const { page, expected } = await browser.visit()
    expected.push(/404 .*\/assets\//)
    const plant = await newPlant(hub)
    await enter(page, hub, plant.email)
    await page.evaluate('window.isBefore = true')
    await page.route('**/assets/*.js', (route) => route.fulfill({ status: 404 }), { times: 1 })
    await page.getByRole('link', { name: 'Agents', exact: true }).click()
    await page.getByRole('heading', { name: 'Agents' }).waitFor()
    expect(await page.evaluate('window.isBefore')).toBeUndefined()
  })
})
