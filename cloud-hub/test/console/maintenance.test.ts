import { describe, expect, it } from 'vitest'
import { accessibilityFaults } from './browser.ts'
import { soon } from './call.ts'
import { noBrowser } from './chromium.ts'
import { enter, newPlant, type Plant } from './plant.ts'
import { useConsole } from './use-console.ts'

const MONTH = '/maintenance?date=2027-03-10'

/** Plans maintenance of the pump on a day of March 2027. */
const plan = (plant: Plant, title: string, day: string, more: object = {}) =>
  plant.call('POST', 'maintenance', {
    machine_id: plant.machineId,
    title,
    scheduled_start: `2027-03-${day}T08:00:00Z`,
    scheduled_end: `2027-03-${day}T10:00:00Z`,
    ...more,
  })
const startOf = async (plant: Plant, id: string) => (await plant.call('GET', `maintenance/${id}`)).scheduled_start

describe.skipIf(noBrowser)('in a browser', () => {
  const { hub, browser } = useConsole()

  it('what is planned begins in the future', async () => {
    const plant = await newPlant(hub)
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/maintenance')
    await page.getByRole('button', { name: 'Plan maintenance' }).click()
    const begins = await page.getByRole('dialog').getByLabel('Begins').inputValue()
    const now = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin', dateStyle: 'short', timeStyle: 'short' })
    expect(begins > now.format(new Date()).replace(' ', 'T')).toBe(true)
  })

  it('a series is planned, shown in the month, and ended', async () => {
    const plant = await newPlant(hub)
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, MONTH)
    await page.getByText('No maintenance in this time').waitFor()
    await page.getByRole('button', { name: 'Plan maintenance' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('What is done').fill('Oil change')
    await dialog.getByLabel('Machine').fill('pump')
    await dialog.getByRole('option', { name: 'Cooling pump' }).click()
    await dialog.getByLabel('Repeats').selectOption({ label: 'weekly' })
    await dialog.getByLabel('Begins').fill('2027-03-02T09:00')
    expect(await dialog.getByLabel('Ends').inputValue()).toBe('2027-03-02T11:00')
    expect(await accessibilityFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Plan maintenance' }).click()
    await page.getByText('The maintenance is planned.').waitFor()
    await expect.poll(() => page.getByRole('link', { name: /Oil change/ }).count()).toBe(5)
    await page
      .getByRole('link', { name: /Oil change/ })
      .first()
      .click()
    await dialog.getByRole('link', { name: 'Open' }).click()
    await page.getByText('weekly').waitFor()
    await page.getByRole('button', { name: 'End the series' }).click()
    await dialog.getByRole('button', { name: 'End the series' }).click()
    await page.getByText('The series has ended.').waitFor()
    const events = await plant.call('GET', 'maintenance')
    expect(events.map((it: { scheduled_start: string }) => it.scheduled_start)).toEqual(['2027-03-02T08:00:00.000Z'])
  })

  it('a dragged event moves to the other day at its time, tells of a conflict, and undo moves it back', async () => {
    const plant = await newPlant(hub)
    const { id } = await plan(plant, 'Alignment', '10')
    await plan(plant, 'Bearing', '12')
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, MONTH)
    const target = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'Fri 12 Mar' }) })
    await page.getByRole('link', { name: /Alignment/ }).dragTo(target)
    await page.getByText('It overlaps with "Bearing" on the same machine.').waitFor()
    expect(await startOf(plant, id)).toBe('2027-03-12T08:00:00.000Z')
    await page.getByRole('button', { name: 'Undo' }).click()
    await soon(async () => (await startOf(plant, id)) === '2027-03-10T08:00:00.000Z')
  })

  it('an event that the hub refuses to move goes back', async () => {
    const plant = await newPlant(hub)
    await plan(plant, 'Alignment', '10')
    const { page, expected } = await browser.visit()
    expected.push(/500/)
    await enter(page, hub, plant.email, MONTH)
    await page.route('**/api/v1/maintenance/*', (route) => route.fulfill({ status: 500, body: '{}' }))
    const cell = (name: string) => page.getByRole('listitem').filter({ has: page.getByRole('link', { name, exact: true }) })
    await page.getByRole('link', { name: /Alignment/ }).dragTo(cell('Thu 11 Mar'))
    await page.getByRole('status').getByText('The hub').waitFor()
    await cell('Wed 10 Mar')
      .getByRole('link', { name: /Alignment/ })
      .waitFor()
  })

  it('in the week an event is dragged to another hour, and moved by keyboard alone', async () => {
    const plant = await newPlant(hub)
    const { id } = await plan(plant, 'Alignment', '10')
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, `${MONTH}&view=week`)
    const chip = page.getByRole('link', { name: /Alignment/ })
    const box = await chip.boundingBox()
    const hour = (box?.height ?? 0) / 2
    await chip.dragTo(chip, { sourcePosition: { x: 20, y: 5 }, targetPosition: { x: 20, y: 5 + hour } })
    await soon(async () => (await startOf(plant, id)) === '2027-03-10T09:00:00.000Z')
    await chip.focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Move' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Move "Alignment"' }).getByLabel('Begins').fill('2027-03-11T07:30')
    await page.keyboard.press('Enter')
    await soon(async () => (await startOf(plant, id)) === '2027-03-11T06:30:00.000Z')
  })

  it('an event is changed, completed and cancelled', async () => {
    const plant = await newPlant(hub)
    await plan(plant, 'Alignment', '10')
    const other = await plan(plant, 'Bearing', '11')
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, MONTH)
    await page.getByRole('link', { name: /Alignment/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Edit' }).waitFor()
    expect(await accessibilityFaults(page, '[role=dialog]')).toEqual([])
    await dialog.getByRole('button', { name: 'Edit' }).click()
    const form = page.getByRole('dialog', { name: 'Edit the maintenance' })
    await form.getByLabel('What is done').fill('Laser alignment')
    await form.getByLabel(/Assigned to/).selectOption({ index: 1 })
    await form.getByRole('button', { name: 'Save' }).click()
    await form.waitFor({ state: 'detached' })
    await dialog.getByText('Laser alignment').waitFor()
    await dialog.getByRole('button', { name: 'Complete' }).click()
    await page.getByText('The maintenance is completed.').waitFor()
    await page.goto(`${hub.url}/maintenance/${other.id}`)
    await page.getByRole('button', { name: 'Cancel maintenance' }).click()
    await page.getByRole('button', { name: 'Cancel the maintenance' }).click()
    await page.getByText('The maintenance is cancelled.').waitFor()
    const events = await plant.call('GET', 'maintenance')
    expect(events.map((it: { title: string; status: string }) => [it.title, it.status])).toEqual([
      ['Laser alignment', 'completed'],
      ['Bearing', 'cancelled'],
    ])
  })

  it('a calendar subscription is created, read and revoked', async () => {
    const plant = await newPlant(hub)
    await plan(plant, 'Alignment', '10')
    const { email } = await plant.colleague('viewer')
    const { page } = await browser.visit()
    await enter(page, hub, email, MONTH)
    await page.getByRole('button', { name: 'Subscribe' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('None yet.').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await dialog.getByLabel('For which program or device').fill('my phone')
    await dialog.getByRole('button', { name: 'Create an address' }).click()
    const address = (await dialog.locator('code').textContent()) as string
    const path = new URL(address).pathname
    expect(await (await fetch(hub.url + path)).text()).toContain('SUMMARY:')
    await dialog.getByRole('button', { name: 'Revoke my phone' }).click()
    await page.getByRole('dialog', { name: 'Revoke the address of my phone?' }).getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('The address is revoked.').waitFor()
    expect((await fetch(hub.url + path)).status).toBe(404)
  })

  it('in the week more than three events at once share a lane that lists them', async () => {
    const plant = await newPlant(hub)
    for (const title of ['Alignment', 'Bearing', 'Coupling', 'Drive']) await plan(plant, title, '10')
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, `${MONTH}&view=week`)
    const chips = page.getByRole('link', { name: /^10|^09|Cooling pump/ })
    await expect.poll(() => chips.count()).toBe(2)
    for (const chip of await chips.all()) expect((await chip.boundingBox())?.width).toBeGreaterThan(80)
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('button', { name: '2 more' }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await expect.poll(() => dialog.getByRole('link').count()).toBe(2)
    await dialog.getByRole('link').first().press('Enter')
    await dialog.getByRole('link', { name: 'Open' }).waitFor()
  })

  it('a phone lists the days that have events, and the actions of one in a menu', async () => {
    const plant = await newPlant(hub)
    const { id } = await plan(plant, 'Alignment', '10')
    const { page } = await browser.visit({ width: 390, height: 844 })
    await enter(page, hub, plant.email, MONTH)
    await page.getByRole('heading', { name: 'Wed 10 Mar' }).waitFor()
    await page.getByRole('link', { name: /Alignment/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'More' }).click()
    await dialog.getByRole('button', { name: 'Move' }).waitFor()
    await page.goto(`${hub.url}/maintenance/${id}`)
    const buttons = page.locator('main header').getByRole('button')
    await expect.poll(() => buttons.allTextContents()).toEqual(['More', 'Complete', 'Start'])
    await buttons.first().click()
    expect(await accessibilityFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Cancel maintenance' }).click()
    await page.getByRole('dialog', { name: 'Cancel "Alignment"?' }).waitFor()
    expect(
      await page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
    ).toBeLessThanOrEqual(0)
  })
})
