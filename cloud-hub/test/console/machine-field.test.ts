import { beforeAll, describe, expect, it } from 'vitest'
import type { RunningHub } from '../../src/hub.ts'
import { useRunningHubs } from '../running-hub.ts'
import { accessibilityFaults, useBrowser } from './browser.ts'
import { noBrowser } from './chromium.ts'
import { enter, newPlant } from './plant.ts'

const hubs = useRunningHubs()
let hub: RunningHub

describe.skipIf(noBrowser)('in a browser', () => {
  beforeAll(async () => {
    hub = await hubs.start()
  })
  const browser = useBrowser(() => hub.url)

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
