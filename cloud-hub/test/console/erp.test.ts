import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunningHub } from '../../src/hub.ts'
import { useRunningHubs } from '../running-hub.ts'
import { type ErpServer, startErpServer } from '../support/erp/server.ts'
import { useBrowser } from './browser.ts'
import { noBrowser } from './chromium.ts'
import { enter, newPlant } from './plant.ts'

const hubs = useRunningHubs({ OUTBOUND_ALLOW: '127.0.0.0/8' })
let hub: RunningHub
let erp: ErpServer

describe.skipIf(noBrowser)('in a browser', () => {
  beforeAll(async () => {
    hub = await hubs.start()
    erp = await startErpServer('erp_c', { maxLengths: { title: 20 } })
  })
  afterAll(() => erp.close())
  const browser = useBrowser(() => hub.url)

  it('an ERP is connected and tested, records are sent, and one that it refuses says why', async () => {
    const plant = await newPlant(hub)
    const order = (title: string) => plant.call('POST', 'work-orders', { machine_id: plant.machineId, title })
    await order('Bearing')
    await order('A title that is too long for this ERP')
    const config = erp.config as Record<'base_url' | 'username' | 'password' | 'ca_certificate', string>
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/erp')
    await page.getByRole('button', { name: 'Connect an ERP' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill('ERP of plant 1')
    await dialog.getByLabel('Kind of ERP').selectOption('erp_c')
    await dialog.getByLabel('Address of the interface').fill(config.base_url)
    await dialog.getByLabel('User name').fill(config.username)
    await dialog.getByLabel('Password').fill('wrong')
    await dialog.getByText('Paths and certificate').click()
    await dialog.getByLabel('Certificate of a private authority').fill(config.ca_certificate)
    await dialog.getByRole('button', { name: 'Save' }).click()

    await page.getByRole('button', { name: 'Test the connection' }).click()
    await page.getByText('does not accept the credentials').waitFor()
    await page.getByRole('button', { name: 'Edit' }).click()
    expect(await dialog.getByLabel('Password').inputValue()).toBe('')
    await dialog.getByLabel('Password').fill(config.password)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Test the connection' }).click()
    await page.getByText('does not accept the credentials').waitFor({ state: 'detached' })
    await page.getByRole('region', { name: 'Connection test' }).getByText('Work orders', { exact: true }).waitFor()

    await page.getByRole('button', { name: 'Sync now: Work orders' }).click()
    await page.getByText(/1 record failed: The ERP refuses the record/).waitFor()
    expect(erp.records('work_order')).toHaveLength(1)
    await page.getByRole('cell', { name: 'Partly failed' }).waitFor()
    await page.getByRole('status').getByRole('button', { name: 'Close' }).last().click()
    await page.getByLabel('Outcome').selectOption('failed')
    await page.waitForURL(/status=failed/)
    const log = page.getByRole('list', { name: 'Log' })
    await log.getByText(/refuses the record/).click()
    await log.getByText(/^POST .*work-orders/).waitFor()
    await log.getByRole('link', { name: 'Show the record' }).click()
    await page.getByRole('heading', { name: 'A title that is too long for this ERP' }).waitFor()
  })

  it('a field is left out of what is sent, and what is automatic is undone when the hub refuses it', async () => {
    const plant = await newPlant(hub)
    await plant.call('POST', 'work-orders', { machine_id: plant.machineId, title: 'Oil change' })
    const body = { provider: 'erp_c', name: 'ERP', config: erp.config }
    const { id } = await plant.call('POST', 'erp/connections', body)
    const { page, expected } = await browser.visit()
    expected.push(/ERR_FAILED/)
    await enter(page, hub, plant.email, `/erp/${id}`)
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Field names' }).click()
    await dialog.getByLabel('Name of title in the ERP').fill('shortText')
    await dialog.getByLabel('Leave out priority').check()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Preview' }).click()
    await dialog.getByRole('button', { name: 'Show the request' }).click()
    const sent = JSON.parse((await dialog.locator('pre').textContent()) as string)
    expect([sent.shortText, 'title' in sent, 'priority' in sent]).toEqual(['Oil change', false, false])
    await dialog.getByRole('button', { name: 'Close' }).click()

    const automatic = page.getByLabel('Automatic: Machines')
    await page.route('**/erp/connections/*', (route) => (route.request().method() === 'PATCH' ? route.abort() : route.continue()))
    await automatic.click()
    await page.getByText('The hub cannot be reached.').waitFor()
    expect(await automatic.isChecked()).toBe(false)
    await page.unroute('**/erp/connections/*')
    await automatic.click()
    await page.getByText('Saved.').last().waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No ERP is connected').waitFor()
  })
})
