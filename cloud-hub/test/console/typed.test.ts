import { describe, expect, it } from 'vitest'
import { chooseIn } from './browser.ts'
import { noBrowser } from './chromium.ts'
import { enter, firstAlert, newPlant, signIn, signOut } from './plant.ts'
import { useConsole } from './use-console.ts'

const TEXT = 'The bearing on the drive side is loud.'

describe.skipIf(noBrowser)('in a browser', () => {
  const { hub, browser } = useConsole()

  it('a dialog with input asks before Escape, a press beside it and Back; without input they close it, and Back leaves no page', async () => {
    const plant = await newPlant(hub)
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/machines')
    await page.getByRole('link', { name: 'Work', exact: true }).click()
    await page.getByRole('heading', { name: 'Work', level: 1 }).waitFor()
    const opener = page.getByRole('button', { name: 'Create a work order' })
    const dialog = page.getByRole('dialog')
    const question = page.getByRole('alertdialog', { name: 'Discard what you entered?' })
    const ways = {
      Escape: () => page.keyboard.press('Escape'),
      'a press beside it': () => page.mouse.click(20, 450),
      Back: () => page.evaluate('history.back()'),
    }
    for (const [way, leave] of Object.entries(ways)) {
      await opener.click()
      await dialog.waitFor()
      await leave()
      await dialog.waitFor({ state: 'detached' })
      await opener.click()
      await dialog.getByLabel('Title').fill(TEXT)
      await leave()
      await question.waitFor()
      await leave()
      await question.waitFor({ state: 'detached' })
      expect([way, await dialog.getByLabel('Title').inputValue()]).toEqual([way, TEXT])
      await leave()
      await question.getByRole('button', { name: 'Discard' }).click()
      await dialog.waitFor({ state: 'detached' })
      expect([way, new URL(page.url()).pathname]).toEqual([way, '/work-orders'])
      // what is discarded does not come back
      await opener.click()
      expect([way, await dialog.getByLabel('Title').inputValue()]).toEqual([way, ''])
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
    }
    await page.goBack()
    await page.getByRole('heading', { name: 'Machines', level: 1 }).waitFor()
  })

  it('an order that is being written outlives a reload, which asks, and the session, with its machine; it is gone when it is sent', async () => {
    const plant = await newPlant(hub)
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/work-orders')
    const dialog = page.getByRole('dialog')
    const open = () => page.getByRole('button', { name: 'Create a work order' }).first().click()
    await open()
    await dialog.getByLabel('Title').fill(TEXT)
    await dialog.getByLabel('Priority').selectOption('high')
    await dialog.getByRole('combobox', { name: 'Machine' }).fill('pump')
    await dialog.getByRole('option', { name: /Cooling pump/ }).click()
    await expect.poll(() => dialog.getByRole('combobox', { name: 'Machine' }).inputValue()).toBe('Cooling pump')
    const asked = new Promise<string>((resolve) => {
      page.once('dialog', (it) => {
        resolve(it.type())
        it.accept()
      })
    })
    await page.reload()
    expect(await asked).toBe('beforeunload')
    const isBack = async () => {
      await open()
      await page.getByText(/^What you entered on .* is still here\./).waitFor()
      await expect.poll(() => dialog.getByLabel('Title').inputValue()).toBe(TEXT)
      await expect.poll(() => dialog.getByLabel('Priority').inputValue()).toBe('high')
      await expect.poll(() => dialog.getByRole('combobox', { name: 'Machine' }).inputValue()).toBe('Cooling pump')
    }
    await isBack()
    await plant.call('POST', 'settings/logout-other-sessions').catch(() => {})
    await page.evaluate(`new BroadcastChannel('haltless.session').postMessage({ kind: 'signed_out' })`)
    await page.context().clearCookies()
    await page.getByLabel('E-mail address').waitFor()
    await signIn(page, hub, plant.email, '/work-orders')
    await isBack()
    await dialog.getByRole('button', { name: 'Create a work order' }).click()
    await page.getByRole('heading', { name: TEXT }).waitFor()
    await page.goBack()
    await open()
    await dialog.getByLabel('Title').waitFor()
    expect(await dialog.getByLabel('Title').inputValue()).toBe('')
  })

  it('a comment that is being written is there in another tab, and nobody else who signs in finds it', async () => {
    const plant = await newPlant(hub)
    const { email } = await plant.colleague('viewer')
    const { id } = await plant.call('POST', 'work-orders', { machine_id: plant.machineId, title: 'Bearing' })
    const { context, page } = await browser.visit()
    await enter(page, hub, plant.email, `/work-orders/${id}`)
    await page.getByLabel('Write a comment').fill(TEXT)
    const tab = await context.newPage()
    await tab.goto(`${hub.url}/work-orders/${id}`)
    await expect.poll(() => tab.getByLabel('Write a comment').inputValue()).toBe(TEXT)
    await tab.close()
    await signOut(page)
    await signIn(page, hub, email, `/work-orders/${id}`)
    await page.getByLabel('Write a comment').waitFor()
    expect(await page.getByLabel('Write a comment').inputValue()).toBe('')
    expect(await page.evaluate(`Object.values(localStorage).some((text) => text.includes('${TEXT}'))`)).toBe(false)
  })

  it('what was typed for one record is not put into another, "Cancel" asks before it is lost, and so does the step to divide it', async () => {
    const plant = await newPlant(hub)
    for (const hours of [8, 5]) {
      const at = (more: number) => new Date(Date.now() - (hours - more) * 3_600_000)
      await plant.call('POST', `machines/${plant.machineId}/downtime`, {
        started_at: at(0),
        ended_at: at(1),
        reason_type: 'unplanned',
      })
    }
    const { page } = await browser.visit()
    page.on('dialog', (it) => it.accept())
    await enter(page, hub, plant.email, '/operations')
    const dialog = page.getByRole('dialog')
    const question = page.getByRole('alertdialog')
    const rows = page.getByRole('row').filter({ has: page.getByRole('button', { name: /^Reason and more/ }) })
    const open = (index: number) => chooseIn(rows.nth(index), /^Reason and more/, 'Edit')
    await open(0)
    await dialog.getByLabel('Note').fill(TEXT)
    await expect.poll(() => page.evaluate(`Object.values(localStorage).join()`)).toContain(TEXT)
    await page.reload()
    await open(1)
    expect(await dialog.getByLabel('Note').inputValue()).toBe('')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await open(0)
    await expect.poll(() => dialog.getByLabel('Note').inputValue()).toBe(TEXT)
    for (const button of ['Cancel', 'Split']) {
      await dialog.getByRole('button', { name: button, exact: true }).click()
      await question.getByRole('button', { name: 'Go on with it' }).click()
      await question.waitFor({ state: 'detached' })
      expect([button, await dialog.getByLabel('Note').inputValue()]).toEqual([button, TEXT])
    }
    await dialog.getByRole('button', { name: 'Cancel', exact: true }).click()
    await question.getByRole('button', { name: 'Discard' }).click()
    await dialog.waitFor({ state: 'detached' })
    await open(0)
    expect(await dialog.getByLabel('Note').inputValue()).toBe('')
  })

  it('a comment waits for who goes to another page, and what is typed while one is sent is not lost with it', async () => {
    const plant = await newPlant(hub)
    const { id } = await plant.call('POST', 'work-orders', { machine_id: plant.machineId, title: 'Bearing' })
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, `/work-orders/${id}`)
    const field = page.getByLabel('Write a comment')
    await field.fill(TEXT)
    await page.getByRole('navigation').first().getByRole('link', { name: 'Machines' }).click()
    await page.getByRole('heading', { name: 'Machines', level: 1 }).waitFor()
    await page.goBack()
    await expect.poll(() => field.inputValue()).toBe(TEXT)
    let release = () => {}
    await page.route('**/comments', (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      release = () => void route.continue()
    })
    const asked = page.waitForRequest((it) => it.method() === 'POST' && it.url().endsWith('/comments'))
    await page.getByRole('button', { name: 'Send' }).click()
    await asked
    await field.pressSequentially(' It smells.')
    release()
    await page.getByRole('listitem').getByText(TEXT).waitFor()
    expect(await field.inputValue()).toBe(`${TEXT} It smells.`)
  })

  it('passwords and secrets are not kept', async () => {
    const plant = await newPlant(hub)
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/settings?tab=members')
    await page.getByRole('button', { name: 'Add a member' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Ina')
    const password = dialog.locator('input[type=password]').first()
    if ((await password.count()) > 0) await password.fill('Secret-pass-1')
    await expect.poll(() => page.evaluate(`Object.values(localStorage).join()`)).toContain('Ina')
    expect(await page.evaluate(`Object.values(localStorage).join()`)).not.toContain('Secret-pass-1')
  })

  it('the focus goes to the heading of the next page, and back to the row that led there', async () => {
    const plant = await newPlant(hub)
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/machines')
    await page.getByRole('link', { name: 'Cooling pump' }).focus()
    await page.keyboard.press('Enter')
    const focused = () => page.evaluate<string>('document.activeElement.textContent')
    await page.getByRole('heading', { name: 'Cooling pump', level: 1 }).waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H1')
    expect(await focused()).toBe('Cooling pump')
    await page.goBack()
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('A')
    expect(await focused()).toBe('Cooling pump')
    // a tab of the same page keeps the focus
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Cooling pump', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'Data', exact: true }).press('Enter')
    await page.waitForURL(/tab=data/)
    expect(await focused()).toBe('Data')
    // a row that is gone leaves the focus to the heading
    await plant.send(95)
    await firstAlert(plant)
    await page.getByRole('navigation').first().getByRole('link', { name: 'Alerts' }).click()
    await page.getByRole('link', { name: /Cooling pump: noise/i }).press('Enter')
    await page.getByRole('button', { name: 'Acknowledge' }).click()
    await page.getByRole('button', { name: 'Acknowledge' }).waitFor({ state: 'detached' })
    await page.goBack()
    await page.getByText('No open alerts').waitFor()
    await expect.poll(focused).toBe('Alerts')
  })
})
