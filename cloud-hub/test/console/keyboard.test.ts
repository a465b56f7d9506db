import { beforeAll, describe, expect, it } from 'vitest'
import type { RunningHub } from '../../src/hub.ts'
import { PASSWORD } from '../harness.ts'
import { useRunningHubs } from '../running-hub.ts'
import { tabTo, useBrowser } from './browser.ts'
import { noBrowser } from './chromium.ts'
import { firstAlert, newPlant, type Plant, signIn } from './plant.ts'

const hubs = useRunningHubs()
let hub: RunningHub
let plant: Plant

describe.skipIf(noBrowser)('by keyboard alone', () => {
  beforeAll(async () => {
    hub = await hubs.start()
    plant = await newPlant(hub)
    await plant.send(95)
    await firstAlert(plant)
  })
  const browser = useBrowser(() => hub.url)

  it('a person signs in, skips to the content, chooses an alert and acknowledges it', async () => {
    const { email } = await plant.colleague('operator')
    const { page } = await browser.visit()
    await page.goto(`${hub.url}/alerts`)
    await page.getByLabel('E-mail address').focus()
    await page.keyboard.type(email)
    await page.keyboard.press('Tab')
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: /Noise is 95 dB/ }).waitFor()
    await page.keyboard.press('Tab')
    expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Skip to content')
    await page.keyboard.press('Enter')
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await page.getByRole('button', { name: 'Acknowledge 1' }).waitFor()
    await page.keyboard.press('a')
    await page.getByText('1 alert acknowledged.').waitFor()
  })

  it('the charts of a machine are zoomed and moved', async () => {
    const { page } = await browser.visit()
    await signIn(page, hub, plant.email, `/machines/${plant.machineId}`)
    await page.locator('figure canvas').waitFor()
    const spanMs = () => {
      const { searchParams } = new URL(page.url())
      return Date.parse(searchParams.get('to') ?? '') - Date.parse(searchParams.get('from') ?? '')
    }
    await tabTo(page, 'Zoom in')
    await page.keyboard.press('Enter')
    await expect.poll(spanMs).toBe(30 * 60_000)
    const before = page.url()
    await tabTo(page, 'Earlier', 'Shift+Tab')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.url()).not.toBe(before)
    expect(spanMs()).toBe(30 * 60_000)
    await tabTo(page, '1 h')
    await page.keyboard.press('Enter')
    await expect.poll(() => new URL(page.url()).search).toBe('')
  })

  it('an operator ticks a step, completes a work order, signs it with the password, and saves the certificate', async () => {
    const { email } = await plant.colleague('operator')
    const { id } = await plant.call('POST', 'work-orders', { machine_id: plant.machineId, title: 'Bearing' })
    const { page } = await browser.visit()
    const { keyboard } = page
    await signIn(page, hub, email, `/work-orders/${id}`)
    await tabTo(page, 'Next step')
    await keyboard.type('Replace the bearing')
    await keyboard.press('Enter')
    const step = page.getByRole('checkbox', { name: 'Replace the bearing' })
    await step.waitFor()
    await tabTo(page, 'Replace the bearing', 'Shift+Tab')
    await keyboard.press('Space')
    await page.getByText('Done:').waitFor()
    await tabTo(page, 'Complete', 'Shift+Tab')
    await keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await tabTo(page, /^What was done/)
    await keyboard.type('New bearing.')
    await tabTo(page, 'Complete')
    await keyboard.press('Enter')
    await page.getByRole('button', { name: 'Sign', exact: true }).waitFor()
    await tabTo(page, 'Sign')
    await keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await tabTo(page, 'Password')
    await keyboard.type(PASSWORD)
    await keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const saving = page.waitForEvent('download')
    await tabTo(page, 'Certificate')
    await keyboard.press('Enter')
    expect((await saving).suggestedFilename()).toMatch(/\.pdf$/)
  })

  it('an admin back-tests and saves a rule, moves maintenance, makes a key for an agent, and changes settings', async () => {
    await plant.colleague('viewer')
    const { id: eventId } = await plant.call('POST', 'maintenance', {
      machine_id: plant.machineId,
      title: 'Oil change',
      scheduled_start: '2027-03-10T08:00Z',
      scheduled_end: '2027-03-10T09:00Z',
    })
    const { page } = await browser.visit()
    const { keyboard } = page
    const dialog = page.getByRole('dialog')
    await signIn(page, hub, plant.email, '/rules')
    await tabTo(page, 'Add a rule')
    await keyboard.press('Enter')
    await dialog.waitFor()
    await tabTo(page, 'Metric')
    await keyboard.type('noise')
    await tabTo(page, 'Warning from')
    await keyboard.type('92')
    await tabTo(page, 'Critical from')
    await keyboard.type('96')
    await tabTo(page, 'Back-test')
    await keyboard.press('Enter')
    await dialog.getByText(/It would have raised/).waitFor()
    await tabTo(page, 'Save')
    await keyboard.press('Enter')
    await page.getByRole('cell', { name: '96' }).waitFor()

    await page.goto(`${hub.url}/maintenance?date=2027-03-10`)
    await page.getByRole('link', { name: /Oil change/ }).waitFor()
    await tabTo(page, /Oil change/)
    await keyboard.press('Enter')
    await dialog.waitFor()
    await tabTo(page, 'Move')
    await keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Move "Oil change"' }).waitFor()
    await tabTo(page, 'Begins')
    const before = await page.getByLabel('Begins').inputValue()
    await keyboard.press('ArrowUp')
    expect(await page.getByLabel('Begins').inputValue()).not.toBe(before)
    await keyboard.press('Enter')
    const event = () => plant.call('GET', `maintenance/${eventId}`)
    await expect.poll(async () => (await event()).scheduled_start).not.toBe('2027-03-10T08:00:00.000Z')

    await page.goto(`${hub.url}/agents`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await tabTo(page, 'Add an agent')
    await keyboard.press('Enter')
    await page.getByRole('button', { name: 'Create the key' }).waitFor()
    await tabTo(page, 'For which box')
    await keyboard.type('Box in hall 3')
    await keyboard.press('Enter')
    await page.getByText('Waiting for the box.').waitFor()
    await tabTo(page, /checkout/)
    await keyboard.press('Space')
    await page.locator('code').filter({ hasText: 'npm run -s agent -- enroll' }).waitFor()

    await page.goto(`${hub.url}/settings`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await tabTo(page, /^Phone/)
    await keyboard.type('+49 421 1234')
    await keyboard.press('Enter')
    await page.getByText('Saved.').waitFor()
    await tabTo(page, 'Members and roles', 'Shift+Tab')
    await keyboard.press('Enter')
    await page.getByLabel('Role of Carl viewer').waitFor()
    await tabTo(page, 'Role of Carl viewer')
    await keyboard.press('ArrowUp')
    const roles = async () => (await plant.call('GET', 'users')).map((it: { role: string }) => it.role)
    await expect.poll(roles).not.toContain('viewer')
  })
})
