import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PASSWORD } from '../harness.ts'
import { type ErpServer, startErpServer } from '../support/erp/server.ts'
import { follow } from './browser.ts'
import { soon } from './call.ts'
import { noBrowser } from './chromium.ts'
import { enter, newPlant, type Plant } from './plant.ts'
import { useConsole } from './use-console.ts'

let erp: ErpServer
const BOARD = '/work-orders?view=board'

const create = (plant: Plant, title: string, more: object = {}) =>
  plant.call('POST', 'work-orders', { machine_id: plant.machineId, title, ...more })
const statusOf = async (plant: Plant, id: string) => (await plant.call('GET', `work-orders/${id}`)).status
const column = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const card = (page: Page, name: string, title: string) => column(page, name).getByRole('listitem').filter({ hasText: title })

describe.skipIf(noBrowser)('in a browser', () => {
  const { hub, browser } = useConsole({ OUTBOUND_ALLOW: '127.0.0.0/8' })
  beforeAll(async () => {
    erp = await startErpServer('erp_c', { maxLengths: { title: 20 } })
  })
  afterAll(() => erp.close())

  it('a dragged card changes the status of its order, and undo changes it back', async () => {
    const plant = await newPlant(hub)
    const { id } = await create(plant, 'Bearing', { priority: 'critical', due_date: '2026-01-02T08:00Z' })
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, BOARD)
    await card(page, 'Open', 'Bearing').getByText('was due 2 Jan 2026').waitFor()
    await card(page, 'Open', 'Bearing').getByText('Critical').waitFor()
    await card(page, 'Open', 'Bearing').dragTo(column(page, 'In progress'))
    await card(page, 'In progress', 'Bearing').waitFor()
    await page.getByText('Bearing: In progress.').waitFor()
    expect(await statusOf(plant, id)).toBe('in_progress')
    await page.getByRole('button', { name: 'Undo' }).click()
    await card(page, 'Open', 'Bearing').waitFor()
    await soon(async () => (await statusOf(plant, id)) === 'open')
  })

  it('a card whose change the hub refuses goes back', async () => {
    const plant = await newPlant(hub)
    await create(plant, 'Bearing')
    const { page, expected } = await browser.visit()
    expected.push(/500/)
    await enter(page, hub, plant.email, BOARD)
    await page.route('**/api/v1/work-orders/*', (route) => route.fulfill({ status: 500, body: '{}' }))
    await card(page, 'Open', 'Bearing').dragTo(column(page, 'Cancelled'))
    await page.getByRole('status').getByText('The hub').waitFor()
    await card(page, 'Open', 'Bearing').waitFor()
  })

  it('the list on a card does the same by keyboard, and a completion asks for notes', async () => {
    const plant = await newPlant(hub)
    const { id } = await create(plant, 'Bearing')
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, BOARD)
    await page.getByLabel('Status of Bearing').selectOption({ label: 'Completed' })
    await page.getByLabel(/What was done/).fill('New bearing.')
    await page.getByRole('dialog').getByRole('button', { name: 'Complete' }).click()
    await card(page, 'Completed', 'Bearing').waitFor()
    const order = await plant.call('GET', `work-orders/${id}`)
    expect([order.status, order.completion_notes]).toEqual(['completed', 'New bearing.'])
    await plant.call('POST', `work-orders/${id}/signoffs`, { password: PASSWORD })
    await card(page, 'Completed', 'Bearing').getByText('Signed').waitFor()
    await page.getByLabel('Status of Bearing').waitFor({ state: 'detached' })
    // the history names the new status once
    await card(page, 'Completed', 'Bearing').getByRole('link').click()
    await page.getByText('Open › Completed, What was done', { exact: true }).waitFor()
  })

  it('a viewer sees the board without a way to change it', async () => {
    const plant = await newPlant(hub)
    await create(plant, 'Bearing')
    const { email } = await plant.colleague('viewer')
    const { page } = await browser.visit()
    await enter(page, hub, email, BOARD)
    await card(page, 'Open', 'Bearing').waitFor()
    expect(await page.getByLabel('Status of Bearing').count()).toBe(0)
    expect(await page.locator('[draggable=true]').count()).toBe(0)
  })

  it('an operator changes an order on its page, assigns it to others, and deletes it', async () => {
    const plant = await newPlant(hub)
    const { id } = await create(plant, 'Bearing', { due_date: '2027-01-02T08:00Z' })
    const { email } = await plant.colleague('operator')
    await plant.colleague('viewer')
    const { page, expected } = await browser.visit()
    expected.push(/413 .*\/attachments/, /412 .*\/work-orders/)
    await enter(page, hub, email, `/work-orders/${id}`)
    await page.getByRole('button', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.getByLabel(/Due/).inputValue()).toBe('2027-01-02T09:00')
    // what a colleague changes while the dialog is open stays; of what the form changes too the person is asked
    await plant.call('PATCH', `work-orders/${id}`, { title: 'Rear bearing', priority: 'high' })
    await dialog.getByLabel('Title').fill('Front bearing')
    // a slip beside the dialog loses nothing that was entered
    await page.mouse.click(5, 5)
    await page.getByRole('alertdialog').getByRole('button', { name: 'Go on with it' }).click()
    expect(await dialog.getByLabel('Title').inputValue()).toBe('Front bearing')
    await dialog.getByLabel(/Due/).fill('')
    await dialog.getByLabel(/Assigned to/).selectOption({ label: 'Ada Admin' })
    await dialog.getByText('Also assigned').click()
    await dialog.getByLabel('Carl viewer').check()
    await dialog.getByRole('button', { name: 'Save' }).click()
    const question = page.getByRole('alertdialog', { name: 'Somebody else has changed this too' })
    await question.getByText('Rear bearing').waitFor()
    await question.getByLabel('Front bearing').check()
    await question.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Front bearing' }).waitFor()
    await page.getByText('Carl viewer', { exact: true }).first().waitFor()
    const order = await plant.call('GET', `work-orders/${id}`)
    expect([order.title, order.due_date, order.assigned_to !== null]).toEqual(['Front bearing', null, true])
    expect(order.priority).toBe('high')
    expect(order.assignee_ids).toHaveLength(1)

    // a step is deleted after a question, photos are added together and deleted, and the cancelled order is deleted
    await page.getByLabel('Next step').fill('Wrong step')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('button', { name: 'Delete Wrong step' }).click()
    expect((await plant.call('GET', `work-orders/${id}/instructions`)).items).toHaveLength(1)
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await expect.poll(async () => (await plant.call('GET', `work-orders/${id}/instructions`)).items).toEqual([])
    const photo = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from('bearing') })
    const failed = { status: 413, json: { status: 413, code: 'too_large', detail: 'Too large.' } }
    await page.route('**/api/v1/attachments?*', (route) => route.fulfill(failed), { times: 1 })
    await page.setInputFiles('input[type=file]', [photo('large.txt'), photo('front.txt'), photo('rear.txt')])
    await page.getByText('large.txt: Too large.').waitFor()
    for (const name of ['front.txt', 'rear.txt']) {
      await page.getByRole('button', { name: `Delete ${name}` }).click()
      await dialog.getByRole('button', { name: 'Delete' }).click()
      await dialog.waitFor({ state: 'detached' })
    }
    await page.getByText('No attachments.').waitFor()
    await page.getByRole('button', { name: 'Cancel the order' }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('The work order is deleted.').waitFor()
    expect((await plant.call('GET', 'work-orders')).total).toBe(0)
  })

  it('a phone swipes through the columns', async () => {
    const plant = await newPlant(hub)
    const { id } = await create(plant, 'Bearing')
    await plant.call('PATCH', `work-orders/${id}`, { status: 'cancelled' })
    await create(plant, 'Bearing')
    const { page } = await browser.visit({ width: 390, height: 844 })
    await enter(page, hub, plant.email, BOARD)
    await card(page, 'Open', 'Bearing').waitFor()
    await card(page, 'Cancelled', 'Bearing').waitFor({ state: 'attached' })
    expect(
      await page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
    ).toBeLessThanOrEqual(0)
    await column(page, 'Cancelled').scrollIntoViewIfNeeded()
    expect((await column(page, 'Cancelled').boundingBox())?.x).toBeLessThan(390)
  })

  it('the steps, comments and sign-offs of a colleague show on an open order without a reload', async () => {
    const plant = await newPlant(hub)
    const { id } = await create(plant, 'Bearing')
    const step = await plant.call('POST', `work-orders/${id}/instructions`, { step_order: 1, title: 'Lock out' })
    const { page } = await browser.visit()
    await enter(page, hub, (await plant.colleague('viewer')).email, `/work-orders/${id}`)
    await page.getByText('Lock out').first().waitFor()
    await plant.call('PATCH', `work-orders/${id}/instructions/${step.id}`, { is_completed: true })
    await plant.call('POST', `work-orders/${id}/comments`, { body: 'The key is with me.' })
    await plant.call('PATCH', `work-orders/${id}`, { status: 'in_progress' })
    await plant.call('PATCH', `work-orders/${id}`, { status: 'completed' })
    await plant.call('POST', `work-orders/${id}/signoffs`, { password: PASSWORD })
    await page.getByRole('checkbox', { name: 'Lock out', checked: true }).waitFor()
    await page.getByText('The key is with me.').waitFor()
    await page.getByRole('region', { name: 'Sign-offs' }).getByText('Ada Admin').waitFor()
  })

  it('an ERP is connected and tested, records are sent, and one that it refuses says why', async () => {
    const plant = await newPlant(hub)
    const order = (title: string) => plant.call('POST', 'work-orders', { machine_id: plant.machineId, title })
    await order('Bearing')
    await order('A title that is too long for this ERP')
    const config = erp.config as Record<'base_url' | 'username' | 'password' | 'ca_certificate', string>
    const { page, expected } = await browser.visit()
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
    // until the chosen entries are there, those before stay
    await expect.poll(() => log.getByText(/^POST .*work-orders/).count()).toBe(1)
    await log.getByText(/refuses the record/).click()
    await log.getByText(/^POST .*work-orders/).waitFor()
    await log.getByRole('link', { name: 'Show the record' }).click()
    await page.getByRole('heading', { name: 'A title that is too long for this ERP' }).waitFor()

    // a link to a connection that was deleted
    expected.push(/404 .*\/erp\/connections/)
    await page.goto(`${hub.url}/erp/${plant.machineId}`)
    await page.getByRole('heading', { level: 1, name: 'This ERP connection no longer exists.' }).waitFor()
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

  it('a German reads in German why an ERP refuses a record and which path it lacks; the words of the ERP stay', async () => {
    const plant = await newPlant(hub)
    await plant.call('POST', 'work-orders', { machine_id: plant.machineId, title: 'A title that is too long for this ERP' })
    const config = { ...erp.config, paths: { downtime: 'stops' } }
    const { id } = await plant.call('POST', 'erp/connections', { provider: 'erp_c', name: 'ERP', config })
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/settings')
    await page.getByLabel('Language and formats').selectOption({ label: 'Deutsch' })
    await page.getByRole('region', { name: 'Profile' }).getByRole('button', { name: 'Save' }).click()
    await page.getByRole('status').getByText('Gespeichert.').waitFor()

    await follow(page, `/erp/${id}`)
    await page.getByRole('button', { name: 'Verbindung testen' }).click()
    await page.getByText(/wurde erreicht und nimmt die Zugangsdaten an\. Der Test schreibt nichts/).waitFor()
    await page.getByText(/^Das ERP hat kein stops: Legen Sie es dort an/).waitFor()
    await page.getByText('Lesbar.').first().waitFor()
    await page.getByRole('button', { name: 'Jetzt abgleichen: Arbeitsaufträge' }).click()
    const list = page.getByRole('list', { name: 'Protokoll' })
    await list.getByText(/^Das ERP nimmt den Datensatz nicht an \(Status 400\)\. .*maximum length of 20/).waitFor()
  })
})
