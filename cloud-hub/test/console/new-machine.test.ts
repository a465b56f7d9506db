import { describe, expect, it } from 'vitest'
import { accessibilityFaults } from './browser.ts'
import { soon } from './call.ts'
import { noBrowser } from './chromium.ts'
import { enter, newPlant } from './plant.ts'
import { useConsole } from './use-console.ts'

describe.skipIf(noBrowser)('in a browser', () => {
  const { hub, browser } = useConsole()

  it('a dialog that needs a machine creates one, keeps what was typed, and chooses it', async () => {
    const plant = await newPlant(hub)
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/work-orders')
    await page.getByRole('button', { name: 'Create a work order' }).first().click()
    const order = page.getByRole('dialog', { name: 'Create a work order' })
    await order.getByLabel('Title').fill('Level the feet')
    const field = order.getByRole('combobox', { name: 'Machine' })
    await field.click()
    await field.fill('Press 9')
    await order.getByText('No machine found.').waitFor()
    await order.getByRole('option', { name: /^Add a machine/ }).click()
    const machine = page.getByRole('dialog', { name: 'Add a machine' })
    expect(await machine.getByLabel('Name').inputValue()).toBe('Press 9')
    expect(await machine.getByLabel('Identifier').inputValue()).toBe('press-9')
    expect(await accessibilityFaults(page)).toEqual([])
    await machine.getByRole('button', { name: 'Add a machine' }).click()
    await machine.waitFor({ state: 'detached' })
    await expect.poll(() => field.inputValue()).toBe('Press 9')
    expect(await order.getByLabel('Title').inputValue()).toBe('Level the feet')
    expect((await plant.call('GET', 'work-orders')).items).toEqual([])
    await order.getByRole('button', { name: 'Create a work order' }).click()
    const made = await soon(async () => (await plant.call('GET', 'work-orders')).items[0])
    expect([made.title, made.machine_name]).toEqual(['Level the feet', 'Press 9'])
  })

  it('Escape leaves only the form of the machine, and the keyboard reaches it; a filter offers none', async () => {
    const plant = await newPlant(hub)
    const { page } = await browser.visit({ width: 390, height: 844 })
    await enter(page, hub, plant.email, '/maintenance')
    await page.getByRole('button', { name: 'Plan maintenance' }).first().click()
    const event = page.getByRole('dialog', { name: 'Plan maintenance' })
    await event.getByLabel('What is done').fill('Oil')
    const field = event.getByRole('combobox', { name: 'Machine' })
    await field.focus()
    await page.keyboard.press('ArrowDown')
    await field.fill('Nowhere')
    await page.keyboard.press('Enter')
    await event.getByText('No machine found.').waitFor()
    await event.getByRole('option', { name: /^Add a machine/ }).waitFor()
    // what is found by name is chosen with Enter; nothing is created so
    await page.keyboard.press('Enter')
    expect(await page.getByRole('dialog').count()).toBe(1)
    expect(await field.getAttribute('aria-activedescendant')).toBeNull()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    const machine = page.getByRole('dialog', { name: 'Add a machine' })
    await machine.getByLabel('Identifier').waitFor()
    await page.keyboard.press('Escape')
    await machine.waitFor({ state: 'detached' })
    expect(await event.getByLabel('What is done').inputValue()).toBe('Oil')
    await field.and(page.locator(':focus')).waitFor()
    await page.goto(`${hub.url}/alerts?state=all`)
    await page.getByRole('button', { name: /^Filters/ }).click()
    await page.getByRole('combobox', { name: 'Machine' }).click()
    await page.getByRole('option', { name: /Cooling pump/ }).waitFor()
    expect(await page.getByRole('option', { name: /Add a machine/ }).count()).toBe(0)
  })
})
