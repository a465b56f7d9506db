import { describe, expect, it } from 'vitest'
import { evenly, storeReadings } from '../support/stored-readings.ts'
import { accessibilityFaults, follow } from './browser.ts'
import { noBrowser } from './chromium.ts'
import { enter, newPlant, signOut } from './plant.ts'
import { useConsole } from './use-console.ts'

const MINUTE = 60_000
const PHONE = { width: 390, height: 844 }

describe.skipIf(noBrowser)('in a browser', () => {
  const { hub, hubs, browser } = useConsole()

  it('the shell opens without a network and says so, and continues by itself when the hub answers', async () => {
    const { context, page, expected } = await browser.visit({ serviceWorkers: 'allow' })
    expected.push(/ERR_INTERNET_DISCONNECTED|Failed to fetch/)
    const plant = await newPlant(hub)
    await enter(page, hub, plant.email)
    await page.evaluate('navigator.serviceWorker.ready')
    await page.reload()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(await page.title()).toBe('Overview · Haltless')
    await context.setOffline(true)
    await page.getByText('The connection to the hub is lost').waitFor()
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

  it('the service worker shows a push message, which names the page that a click opens', async () => {
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

  it('a click on a notification opens its page: in an open window, else in a new one, and never on another site', async () => {
    const { context, page } = await browser.visit({ serviceWorkers: 'allow' })
    const plant = await newPlant(hub)
    await enter(page, hub, plant.email)
    await page.evaluate('navigator.serviceWorker.ready')
    const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'))
    // only a click of a person lets a worker focus or open a window, so that both are recorded instead
    await worker.evaluate(`
      self.done = []
      WindowClient.prototype.focus = async function () { self.done.push('focused'); return this }
      Clients.prototype.openWindow = async (url) => { self.done.push('opened ' + url) }
      self.click = async (link) => {
        const pending = []
        const event = new Event('notificationclick')
        event.notification = { data: { link }, close: () => self.done.push('closed') }
        event.waitUntil = (promise) => pending.push(promise)
        self.dispatchEvent(event)
        await Promise.all(pending)
        return self.done.splice(0)
      }`)
    const click = (link: string) => worker.evaluate<string[]>(`click(${JSON.stringify(link)})`)
    const alerts = page.waitForURL(`${hub.url}/alerts?severity=critical`)
    expect(await click('/alerts?severity=critical')).toEqual(['closed', 'focused'])
    await alerts
    await page.getByRole('heading', { name: 'Alerts' }).waitFor()
    await click('https://other.invalid/phishing')
    await page.waitForURL(`${hub.url}/`)
    // no window is open any more
    await worker.evaluate('Clients.prototype.matchAll = async () => []')
    expect(await click('/work-orders')).toEqual(['closed', `opened ${hub.url}/work-orders`])
    expect(await click('https://other.invalid/phishing')).toEqual(['closed', `opened ${hub.url}`])
  })

  it('a person switches off push messages that the hub does not know of, and a sign-out ends them too', async () => {
    const { page, expected } = await browser.visit()
    expected.push(/404 .*\/push\/subscribe/)
    await page.addInitScript(`
      let made = { endpoint: 'https://push.example.com/1', unsubscribe: async () => { made = null } }
      globalThis.isSubscribed = () => made !== null
      ServiceWorkerContainer.prototype.getRegistration = async () => ({ pushManager: { getSubscription: async () => made } })`)
    const plant = await newPlant(hub)
    await enter(page, hub, plant.email, '/settings')
    const panel = page.getByRole('region', { name: 'Notifications in this browser' })
    await panel.getByRole('button', { name: 'Switch off' }).click()
    await panel.getByText('Off', { exact: true }).waitFor()
    await page.reload()
    await panel.getByText('On', { exact: true }).waitFor()
    await signOut(page)
    await page.getByText('You are signed out.').waitFor()
    expect(await page.evaluate('isSubscribed()')).toBe(false)
  })

  it('push messages follow who is signed in, also when the session of the last person ended without a sign-out', async () => {
    const { page } = await browser.visit()
    // A push service whose subscriptions outlive the page; each has an endpoint of its own.
    await page.addInitScript(`
      const stored = () => JSON.parse(localStorage.getItem('test.push') ?? 'null')
      const store = (value) => localStorage.setItem('test.push', JSON.stringify(value))
      const subscription = (value) => value && {
        ...value,
        options: { applicationServerKey: new Uint8Array([4]).buffer },
        toJSON: () => ({ endpoint: value.endpoint, keys: { p256dh: 'p', auth: 'a' } }),
        unsubscribe: async () => store(null),
      }
      const pushManager = {
        getSubscription: async () => subscription(stored()),
        subscribe: async () => { store({ endpoint: 'https://push.example.com/' + crypto.randomUUID() }); return subscription(stored()) },
      }
      Notification.requestPermission = async () => 'granted'
      ServiceWorkerContainer.prototype.getRegistration = async () => ({ pushManager })
      Object.defineProperty(ServiceWorkerContainer.prototype, 'ready', { get: async () => ({ pushManager }) })`)
    const announced: { user: string; endpoint: string }[] = []
    await page.route('**/api/v1/push/subscribe', (route) => {
      const [, claims = ''] = (route.request().headers().authorization ?? '').split('.')
      const { sub } = JSON.parse(Buffer.from(claims, 'base64url').toString())
      announced.push({ user: sub, endpoint: route.request().postDataJSON().endpoint })
      return route.fulfill({ status: 201, json: { subscribed: true } })
    })
    const idOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sub
    const here = () => page.evaluate<{ endpoint: string }>(`JSON.parse(localStorage.getItem('test.push'))`)
    const [ada, bo] = [await newPlant(hub), await newPlant(hub)]
    const panel = page.getByRole('region', { name: 'Notifications in this browser' })

    await enter(page, hub, ada.email, '/settings')
    await panel.getByRole('button', { name: 'Switch on' }).click()
    await panel.getByText('On', { exact: true }).waitFor()
    const first = await here()
    expect(announced).toEqual([{ user: idOf(ada.token), endpoint: first.endpoint }])

    // her session ends at the hub, and a person of another company signs in
    await page.context().clearCookies()
    await enter(page, hub, bo.email, '/settings')
    await expect.poll(() => announced.length).toBe(2)
    const second = await here()
    expect(second.endpoint).not.toBe(first.endpoint)
    expect(announced[1]).toEqual({ user: idOf(bo.token), endpoint: second.endpoint })

    // the same person again changes nothing
    await page.reload()
    await panel.getByText('On', { exact: true }).waitFor()
    expect(await here()).toEqual(second)
    expect(announced).toHaveLength(2)
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
    // until the answer to the reload comes, the old page goes on: it must not show or log that it has failed
    await page.evaluate(`addEventListener('vite:preloadError', async () => {
      for (let frames = 0; frames < 20; frames++) await new Promise(requestAnimationFrame)
      fetch('/healthz?alerts=' + document.querySelectorAll('main [role=alert]').length)
    })`)
    const drawn = page.waitForRequest('**/healthz?*')
    await page.route('**/agents', async (route) => {
      await drawn
      await route.continue()
    })
    await page.getByRole('link', { name: 'Agents', exact: true }).click()
    await page.getByRole('heading', { name: 'Agents' }).waitFor()
    expect((await drawn).url()).toMatch(/alerts=0$/)
    expect(await page.evaluate('window.isBefore')).toBeUndefined()
  })

  it('the menu of a phone leads to the other pages and to the sign-in', async () => {
    const plant = await newPlant(hub)
    const { page } = await browser.visit(PHONE)
    await enter(page, hub, plant.email)
    const menu = page.getByRole('dialog', { name: 'More' })
    await page.getByRole('button', { name: 'More' }).click()
    await menu.waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await menu.getByRole('link', { name: 'Rules', exact: true }).click()
    await page.getByRole('heading', { name: 'Rules and channels' }).waitFor()
    await menu.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'More' }).click()
    await menu.getByRole('link', { name: 'Profile and settings' }).click()
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
    await menu.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'More' }).click()
    await menu.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('E-mail address').waitFor()
  })

  it('the menu of the person closes when it leads to the settings', async () => {
    const plant = await newPlant(hub)
    const { page } = await browser.visit()
    await enter(page, hub, plant.email)
    const menu = page.getByRole('region', { name: 'Your account' })
    await page.getByRole('button', { name: /^Your account/ }).click()
    await menu.getByRole('link', { name: 'Profile and settings' }).click()
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
    await menu.waitFor({ state: 'hidden' })
  })

  it('a table that is wider than a phone lists the values of each row with their labels', async () => {
    const plant = await newPlant(hub)
    const { page } = await browser.visit(PHONE)
    await enter(page, hub, plant.email, '/rules?tab=thresholds')
    const cell = page.getByRole('table', { name: 'Thresholds' }).getByRole('cell', { name: '80' })
    await page.locator('table.stacked').waitFor()
    expect(await cell.getAttribute('data-label')).toBe('Warning')
    expect(await accessibilityFaults(page)).toEqual([])
    const box = await page.getByRole('button', { name: /Delete/ }).boundingBox()
    expect((box?.x ?? Infinity) + (box?.width ?? 0)).toBeLessThanOrEqual(PHONE.width)
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.locator('table.stacked').waitFor({ state: 'detached' })
  })

  it('the overview says what a machine violates, and that nobody is on it, without a reload', async () => {
    const plant = await newPlant(hub)
    await plant.send(20)
    const { page } = await browser.visit()
    await enter(page, hub, plant.email)
    await page.getByRole('link', { name: /Cooling pump.*Healthy/ }).waitFor()
    await plant.send(95)
    await page.getByRole('link', { name: /Cooling pump.*Critical.*Noise.*95.*since.*nobody is on it yet/i }).waitFor()
  })

  it('more readings than one answer holds are shown as means of minutes, until two fingers zoom in; one finger moves', async () => {
    const plant = await newPlant(hub)
    const now = Date.now()
    const history = evenly(now - 50 * MINUTE, now, 29, (i) => 70 + Math.sin(i / 9_000))
    await storeReadings(hubs.owner, [{ machineId: plant.machineId, metric: 'noise', unit: 'decibel', ...history }])
    const { context, page, expected } = await browser.visit({ ...PHONE, hasTouch: true })
    expected.push(/422 .*\/readings/)
    await enter(page, hub, plant.email, `/machines/${plant.machineId}`)
    await page.getByText(/, means of 1 min\./).waitFor()
    await page.getByText('Move with one finger, zoom with two.').waitFor()
    const chart = page.locator('figure .u-over')
    const devtools = await context.newCDPSession(page)
    /** Fingers touch at shares of the width of the chart, move to others, and leave. */
    const touch = async (from: number[], to: number[]) => {
      await chart.scrollIntoViewIfNeeded()
      const box = (await chart.boundingBox()) as { x: number; y: number; width: number; height: number }
      const points = (shares: number[]) =>
        shares.map((share, id) => ({ id, x: box.x + share * box.width, y: box.y + box.height / 2 }))
      await devtools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: points(from) })
      await devtools.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: points(to) })
      await devtools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
    }
    const shown = () => {
      const { searchParams } = new URL(page.url())
      const [from, to] = ['from', 'to'].map((name) => Date.parse(searchParams.get(name) ?? '')) as [number, number]
      return { from, minutes: (to - from) / MINUTE }
    }
    await touch([0.4, 0.6], [0.2, 0.8])
    await expect.poll(() => shown().minutes).toBeCloseTo(20, 0)
    await page.getByText(/, every reading\./).waitFor()
    const { from } = shown()
    await touch([0.2], [0.7])
    await expect.poll(() => (from - shown().from) / MINUTE).toBeCloseTo(10, 0)
    expect(shown().minutes).toBeCloseTo(20, 0)
  })

  it('a filter finds one of many machines by keyboard, keeps it in the address and clears it', async () => {
    const plant = await newPlant(hub)
    for (let number = 1; number <= 25; number++)
      await plant.call('POST', 'machines', { name: `Press ${number}`, machine_identifier: `press-${number}`, protocol: 'opc_ua' })
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/alerts')
    const field = page.getByRole('combobox', { name: 'Machine' })
    await field.click()
    await page.getByText('6 more machines: type to narrow the list.').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await field.fill('press-1')
    await expect.poll(() => page.getByRole('listbox').getByRole('option').count()).toBe(11)
    await field.press('ArrowDown')
    await field.press('ArrowUp')
    await field.press('ArrowUp')
    await field.press('Enter')
    await expect.poll(() => field.inputValue()).toBe('Press 19')
    expect(new URL(page.url()).searchParams.get('machine')).toMatch(/^[0-9a-f-]{36}$/)
    await page.reload()
    await expect.poll(() => field.inputValue()).toBe('Press 19')
    await field.press('ArrowDown')
    await field.fill('no such machine')
    await page.getByText('No machine found.').waitFor()
    await field.press('Escape')
    await expect.poll(() => field.inputValue()).toBe('Press 19')
    await field.click()
    await page.getByRole('listbox').getByRole('option', { name: 'All', exact: true }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('machine')).toBeNull()
  })

  it('the overview of thousands of machines draws those in view, loads their pages, and puts trouble first', async () => {
    const plant = await newPlant(hub)
    const { tenant_id: tenantId } = await plant.call('GET', 'auth/me')
    await hubs.owner`insert into machines (tenant_id, name, machine_identifier, protocol)
      select ${tenantId}, 'Machine ' || lpad(i::text, 5, '0'), 'm' || i, 'json' from generate_series(1, 10000) i`
    const { page } = await browser.visit()
    const pages: string[] = []
    page.on('request', (request) => request.url().includes('/fleet/overview') && pages.push(request.url()))
    await enter(page, hub, plant.email)
    await page.getByText('10,001', { exact: true }).waitFor()
    await page.getByRole('link', { name: /^Machine 00001/ }).waitFor()
    expect(await page.locator('main a[href^="/machines/"]').count()).toBeLessThan(80)
    // the page of the machines that are seen, and that of the counts
    expect(new Set(pages).size).toBeLessThanOrEqual(2)
    await page.evaluate('scrollTo(0, document.body.scrollHeight)')
    await page.getByRole('link', { name: /^Machine 10000/ }).waitFor()
    expect(await page.locator('main a[href^="/machines/"]').count()).toBeLessThan(80)
    expect(new Set(pages).size).toBeLessThanOrEqual(6)
    await page.evaluate('scrollTo(0, 0)')
    await plant.send(95)
    await expect.poll(() => page.locator('main ul a[href^="/machines/"]').first().textContent()).toContain('Cooling pump')
    await page.getByLabel('Find a machine').fill('m1234')
    await page.getByRole('link', { name: /^Machine 01234/ }).waitFor()
    await page.getByRole('link', { name: /^Cooling pump/ }).waitFor({ state: 'detached' })
  })

  it('Escape closes the list and leaves the dialog open, and a dialog without a machine is not sent', async () => {
    const plant = await newPlant(hub)
    const { page } = await browser.visit({ width: 390, height: 800 })
    await enter(page, hub, plant.email, '/work-orders')
    await page.getByRole('button', { name: 'Create a work order' }).click()
    const dialog = page.getByRole('dialog')
    const field = dialog.getByRole('combobox', { name: 'Machine' })
    await dialog.getByLabel('Title').fill('Bearing')
    await field.fill('pump')
    await dialog.getByRole('option', { name: /Cooling pump/ }).waitFor()
    await field.press('Escape')
    await dialog.getByRole('listbox').waitFor({ state: 'detached' })
    await dialog.getByRole('button', { name: 'Create a work order' }).click()
    expect(await dialog.locator('input:invalid').getAttribute('role')).toBe('combobox')
    // Enter before the hub has answered chooses what it finds
    await field.fill('pump-0')
    await field.press('Enter')
    await expect.poll(() => field.inputValue()).toBe('Cooling pump')
    await dialog.getByRole('button', { name: 'Create a work order' }).click()
    await page.getByRole('heading', { name: 'Bearing' }).waitFor()
    await page.getByText('Cooling pump').first().waitFor()
  })
})
