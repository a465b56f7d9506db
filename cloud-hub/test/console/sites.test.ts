import { describe, expect, it } from 'vitest'
import { accessibilityFaults } from './browser.ts'
import { noBrowser } from './chromium.ts'
import { enter, newPlant } from './plant.ts'
import { useConsole } from './use-console.ts'

const PHONE = { width: 390, height: 844 }

describe.skipIf(noBrowser)('in a browser', () => {
  const { hub, browser } = useConsole()

  /** The site Munich with a press and the site Ulm with a pump, each with an alert and a work order. */
  async function twoSites() {
    const plant = await newPlant(hub)
    const add = async (site: string, name: string) => {
      const machine = await plant.call('POST', 'machines', { name, machine_identifier: name, protocol: 'opc_ua' })
      const group = await plant.call('POST', 'machine-groups', { name: site, group_type: 'site', machine_ids: [machine.id] })
      const reading = { machine_identifier: name, metric_name: 'noise', unit: 'decibel', value: 99, timestamp: new Date() }
      await fetch(`${hub.url}/api/v1/ingest`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': plant.key },
        body: JSON.stringify({ readings: [reading] }),
      })
      await plant.call('POST', 'work-orders', { machine_id: machine.id, title: `Grease the ${name}` })
      return { machine: machine.id as string, site: group.id as string }
    }
    return { plant, munich: await add('Munich', 'press'), ulm: await add('Ulm', 'pump') }
  }

  it('a site narrows all pages, stays with links, and is there again after a new start', async () => {
    const { page } = await browser.visit()
    const { plant, munich } = await twoSites()
    await enter(page, hub, plant.email)
    await page.getByRole('link', { name: /pump/ }).first().waitFor()
    const nav = page.getByRole('navigation')
    await nav.getByLabel('Site').selectOption('Munich')
    await page.getByRole('link', { name: /pump/ }).waitFor({ state: 'detached' })
    await page
      .getByRole('link', { name: /^press/ })
      .first()
      .waitFor()
    expect(new URL(page.url()).searchParams.get('site')).toBe(munich.site)
    for (const [link, seen] of [
      ['Alerts', /press: noise/i],
      ['Work', /Grease the press/],
    ] as const) {
      await nav.getByRole('link', { name: link }).click()
      await page.getByRole('link', { name: seen }).waitFor()
      expect(await page.getByRole('link', { name: /pump/ }).count()).toBe(0)
      expect(new URL(page.url()).searchParams.get('site')).toBe(munich.site)
    }
    for (const link of ['Machines', 'Maintenance', 'Operations', 'Agents']) {
      await nav.getByRole('link', { name: link }).click()
      await page.getByRole('heading', { level: 1, name: link }).waitFor()
      expect(new URL(page.url()).searchParams.get('site')).toBe(munich.site)
    }
    await page.goto(`${hub.url}/alerts`)
    await page.getByRole('link', { name: /press: noise/i }).waitFor()
    expect(await page.getByRole('link', { name: /pump/ }).count()).toBe(0)
    expect(new URL(page.url()).searchParams.get('site')).toBe(munich.site)
    await nav.getByLabel('Site').selectOption('All sites')
    await page.getByRole('link', { name: /^pump: noise/i }).waitFor()
    expect(new URL(page.url()).searchParams.has('site')).toBe(false)
    await page.goto(`${hub.url}/alerts`)
    await page.getByRole('link', { name: /^pump: noise/i }).waitFor()
  })

  it('Back leads from a site to all sites, and past a site that is gone; a machine or group of another site is no filter then', async () => {
    const { page } = await browser.visit()
    const { plant, munich, ulm } = await twoSites()
    await enter(page, hub, plant.email, '/machines')
    const nav = page.getByRole('navigation')
    const press = page.getByRole('link', { name: 'press', exact: true })
    const pump = page.getByRole('link', { name: 'pump', exact: true })
    await pump.waitFor()
    await nav.getByLabel('Site').selectOption('Munich')
    await pump.waitFor({ state: 'detached' })
    await page.goBack()
    await pump.waitFor()
    expect(new URL(page.url()).searchParams.has('site')).toBe(false)
    await page.goForward()
    await pump.waitFor({ state: 'detached' })
    // what is shown while another site loads is not that of the site before
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route(/\/api\/v1\/machines\?/, async (route) => {
      await released
      await route.continue().catch(() => {})
    })
    await nav.getByLabel('Site').selectOption('Ulm')
    await page.waitForURL((url) => url.searchParams.get('site') === ulm.site)
    await press.waitFor({ state: 'detached' })
    expect(await pump.count()).toBe(0)
    release()
    await pump.waitFor()
    await page.goto(`${hub.url}/machines?site=${ulm.site}&group=${ulm.site}`)
    await pump.waitFor()
    await nav.getByLabel('Site').selectOption('Munich')
    await press.waitFor()
    expect(await pump.count()).toBe(0)
    // an address that names no site of this company leaves the one that was chosen last
    await page.goto(`${hub.url}/work-orders`)
    await page.getByRole('heading', { level: 1, name: 'Work' }).waitFor()
    await page.goto(`${hub.url}/machines?site=${crypto.randomUUID()}`)
    await page.waitForURL((url) => !url.searchParams.has('site'))
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'Work' }).waitFor()
    await page.goto(`${hub.url}/machines`)
    await page.waitForURL((url) => url.searchParams.get('site') === munich.site)
    // a site that a colleague added after the sites were read is known
    const { id } = await plant.call('POST', 'machine-groups', { name: 'Bonn', group_type: 'site' })
    await page.evaluate(`history.pushState(null, '', '/machines?site=${id}'); dispatchEvent(new PopStateEvent('popstate'))`)
    await nav.locator('option', { hasText: 'Bonn' }).waitFor({ state: 'attached' })
    expect(new URL(page.url()).searchParams.get('site')).toBe(id)
  })

  it('a site has a page: figures with their change, machines, what needs attention, reasons of downtime, agents', async () => {
    const { page, expected } = await browser.visit()
    // a site that is gone is asked for
    expected.push(/404 .*machine-groups/)
    const { plant, munich } = await twoSites()
    const stopped = (hours: number) => new Date(Date.now() - hours * 3_600_000)
    const record = { started_at: stopped(5), ended_at: stopped(3), reason_type: 'unplanned' }
    await plant.call('POST', `machines/${munich.machine}/downtime`, record)
    await enter(page, hub, plant.email)
    await page.goto(`${hub.url}/operations?tab=sites`)
    await page.getByRole('link', { name: 'Munich' }).click()
    await page.getByRole('heading', { level: 1, name: 'Munich' }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`/sites/${munich.site}`)
    await page.getByRole('region', { name: 'Key figures' }).getByText('2 h 0 min', { exact: true }).waitFor()
    await page
      .getByRole('region', { name: 'Needs attention' })
      .getByText(/press: noise/i)
      .waitFor()
    await page.getByRole('region', { name: 'Downtime by reason' }).getByText('Unplanned').waitFor()
    await page.getByRole('region', { name: 'Agents' }).getByText('No agents yet').waitFor()
    await page.getByRole('region', { name: 'Shifts today' }).getByText('No shift has begun today').waitFor()
    expect(await page.getByText(/pump/).count()).toBe(0)
    expect(await accessibilityFaults(page)).toEqual([])
    const asked: string[] = []
    const note = (request: { url(): string }) => {
      const { pathname, search } = new URL(request.url())
      if (pathname.startsWith('/api/v1/') && pathname !== '/api/v1/stream') asked.push(`${pathname}${search}`)
    }
    page.on('request', note)
    await page.reload()
    await page.getByRole('region', { name: 'Shifts today' }).getByText('No shift has begun today').waitFor()
    await page.getByRole('region', { name: 'Agents' }).getByText('No agents yet').waitFor()
    await page.waitForLoadState('networkidle', { timeout: 2_000 }).catch(() => {})
    page.off('request', note)
    expect(asked.slice(12)).toEqual([])
    // its counts lead to its machines, not to those of the company
    await page
      .getByRole('list', { name: 'Machines by status' })
      .getByRole('link', { name: /Critical/ })
      .click()
    await page.getByRole('link', { name: /^press/ }).waitFor()
    expect(await page.getByRole('link', { name: /pump/ }).count()).toBe(0)
    expect(new URL(page.url()).searchParams.get('site')).toBe(munich.site)
    await page.goto(`${hub.url}/sites/${crypto.randomUUID()}`)
    await page.getByRole('link', { name: 'Overview' }).first().waitFor()
  })

  it('a site is chosen on a phone too, and seen on each page', async () => {
    const { page } = await browser.visit(PHONE)
    const { plant } = await twoSites()
    await enter(page, hub, plant.email)
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('dialog').getByLabel('Site').selectOption('Ulm')
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: /press/ }).waitFor({ state: 'detached' })
    const shown = page.getByLabel('Site').locator('visible=true')
    expect(await shown.locator('option:checked').textContent()).toBe('Ulm')
    expect(await accessibilityFaults(page)).toEqual([])
  })

  it('a site gets its time zone, shifts and days without production, and a shift of its machine the date there', async () => {
    const { page } = await browser.visit()
    const { plant, ulm } = await twoSites()
    await enter(page, hub, plant.email, '/machines/groups')
    const dialog = page.getByRole('dialog')
    // a zone in which it is another day than in UTC
    const zone = new Date().getUTCHours() >= 11 ? 'Pacific/Kiritimati' : 'Pacific/Pago_Pago'
    const shown = zone.replace('_', ' ')
    await page.getByRole('button', { name: 'Edit Ulm' }).click()
    await dialog.getByLabel('Time zone').selectOption(zone)
    await dialog.getByLabel('Type').selectOption('Line')
    expect(await dialog.getByLabel('Time zone').count()).toBe(0)
    await dialog.getByLabel('Type').selectOption('Site')
    await dialog.getByLabel('Time zone').selectOption(zone)
    expect(await accessibilityFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('cell', { name: shown }).waitFor()
    await page.goto(`${hub.url}/operations?tab=shifts`)
    await page.getByText(`Ulm: ${shown}.`).waitFor()
    await page.getByRole('button', { name: 'Define a shift' }).click()
    await dialog.getByLabel('Name').fill('Night')
    await dialog.getByLabel('Site').selectOption('Ulm')
    await dialog.getByRole('button', { name: 'Define a shift' }).click()
    await page.getByRole('cell', { name: 'Night Ulm' }).waitFor()
    expect(await plant.call('GET', 'shifts/definitions')).toMatchObject([{ name: 'Night', group_id: ulm.site }])
    await page.getByRole('button', { name: 'Plant calendar' }).click()
    for (const [site, name] of [
      ['All sites', 'New Year'],
      ['Ulm', 'Inventory'],
    ] as const) {
      await dialog.getByLabel('Site').selectOption(site)
      await dialog.getByText('None, such as holidays.').waitFor()
      await dialog.getByLabel('Date', { exact: true }).fill('2027-01-01')
      await dialog.getByLabel('Name', { exact: true }).fill(name)
      await dialog.getByRole('button', { name: 'Add' }).click()
    }
    expect(await accessibilityFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect((await plant.call('GET', 'settings/plant')).non_production_days).toEqual([
      { date: '2027-01-01', name: 'New Year', group_id: null },
      { date: '2027-01-01', name: 'Inventory', group_id: ulm.site },
    ])
    await page.getByRole('button', { name: 'Start a shift' }).click()
    await dialog.getByLabel('Machine').fill('pump')
    await dialog.getByRole('option', { name: 'pumppump', exact: true }).click()
    await dialog.getByLabel('Shift', { exact: true }).selectOption('Night')
    await dialog.getByRole('button', { name: 'Start a shift' }).click()
    await dialog.waitFor({ state: 'detached' })
    const [log] = (await plant.call('GET', 'shifts/logs')).items
    const dateIn = (timeZone: string) => new Intl.DateTimeFormat('en-CA', { timeZone }).format(new Date(log.actual_start))
    expect([log.shift_date, log.shift_date === dateIn('UTC')]).toEqual([dateIn(zone), false])
  })

  it('a company without sites sees no switch, and an address with an unknown site leaves it', async () => {
    const { page } = await browser.visit()
    const plant = await newPlant(hub)
    await enter(page, hub, plant.email)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(await page.getByLabel('Site').count()).toBe(0)
    await page.goto(`${hub.url}/alerts?site=${crypto.randomUUID()}`)
    await page.getByRole('heading', { name: 'Alerts' }).waitFor()
    await page.waitForURL((url) => !url.searchParams.has('site'))
  })
})
