import { describe, expect, it } from 'vitest'
import { noBrowser } from './chromium.ts'
import { enter, newPlant } from './plant.ts'
import { useConsole } from './use-console.ts'

describe.skipIf(noBrowser)('two people who change one thing', () => {
  const { hub, browser } = useConsole()

  it('keep what both have changed of different fields, and nobody is asked', async () => {
    const plant = await newPlant(hub)
    const { id } = await plant.call('POST', 'work-orders', {
      machine_id: plant.machineId,
      title: 'Bearing',
      description: 'noise',
    })
    const { page, expected } = await browser.visit()
    expected.push(/412 \(Precondition Failed\)/)
    await enter(page, hub, plant.email, `/work-orders/${id}`)
    await page.getByRole('button', { name: 'Edit' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Title').fill('Drive bearing')
    await plant.call('PATCH', `work-orders/${id}`, { description: 'noise since Monday' })
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await plant.call('GET', `work-orders/${id}`)).toMatchObject({
      title: 'Drive bearing',
      description: 'noise since Monday',
    })
  })

  it('see both values of the same field, by its name and in words, and choose; back to the form nothing is lost', async () => {
    const plant = await newPlant(hub)
    const { id } = await plant.call('POST', 'work-orders', { machine_id: plant.machineId, title: 'Bearing', priority: 'low' })
    const { page, expected } = await browser.visit()
    expected.push(/412 \(Precondition Failed\)/)
    await enter(page, hub, plant.email, `/work-orders/${id}`)
    await page.getByRole('button', { name: 'Edit' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Title').fill('Mine')
    await dialog.getByLabel('Priority').selectOption('medium')
    await plant.call('PATCH', `work-orders/${id}`, { title: 'Theirs', priority: 'critical' })
    const save = dialog.getByRole('button', { name: 'Save' })
    await save.click()
    const question = page.getByRole('alertdialog', { name: 'Somebody else has changed this too' })
    await question.getByRole('button', { name: 'Back to the form' }).click()
    await dialog.getByText('Somebody else has changed this meanwhile.').waitFor()
    expect(await dialog.getByLabel('Title').inputValue()).toBe('Mine')
    expect(await plant.call('GET', `work-orders/${id}`)).toMatchObject({ title: 'Theirs', priority: 'critical' })
    await save.click()
    const title = question.getByRole('group', { name: 'Title' })
    await expect.poll(() => title.getByRole('radio').count()).toBe(2)
    await title.getByLabel('Mine').check()
    const priority = question.getByRole('group', { name: 'Priority' })
    expect(await priority.getByText('Medium').count()).toBe(1)
    await priority.getByLabel('Critical').check()
    await question.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await plant.call('GET', `work-orders/${id}`)).toMatchObject({ title: 'Mine', priority: 'critical' })
  })

  it('see a threshold in the unit of the reader', async () => {
    const plant = await newPlant(hub)
    await plant.call('PATCH', 'settings/units', { unit_preferences: { temperature: 'fahrenheit' } })
    const reading = {
      machine_identifier: plant.identifier,
      metric_name: 'temperature',
      unit: 'celsius',
      value: 20,
      timestamp: new Date(),
    }
    await fetch(`${hub.url}/api/v1/ingest`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': plant.key },
      body: JSON.stringify({ readings: [reading] }),
    })
    const rule = { machine_id: null, metric_name: 'temperature', warning_threshold: 70, critical_threshold: 80 }
    const { id } = await plant.call('POST', 'alert-rules', rule)
    const { page, expected } = await browser.visit()
    expected.push(/412 \(Precondition Failed\)/)
    await enter(page, hub, plant.email, '/rules')
    await page.getByText('176 °F').waitFor()
    await page
      .getByRole('row', { name: /176 °F/ })
      .getByRole('button', { name: 'Edit' })
      .click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Critical').fill('203')
    await plant.call('PUT', `alert-rules/${id}`, { warning_threshold: 70, critical_threshold: 90 })
    await dialog.getByRole('button', { name: 'Save' }).click()
    const question = page.getByRole('alertdialog', { name: 'Somebody else has changed this too' })
    await question.getByText('203 °F', { exact: true }).waitFor()
    await question.getByText('194 °F', { exact: true }).waitFor()
  })

  it('choose in a form of a page too, which then shows what is stored', async () => {
    const plant = await newPlant(hub)
    const { page, expected } = await browser.visit()
    expected.push(/412 \(Precondition Failed\)/)
    await enter(page, hub, plant.email, '/settings')
    const reports = page.getByRole('region', { name: 'Reports' })
    await reports.getByRole('textbox').fill('mine@example.com')
    await plant.call('PATCH', 'settings/report-schedule', { report_emails: ['theirs@example.com'], report_schedule: 'weekly' })
    await reports.getByRole('button', { name: 'Save' }).click()
    const question = page.getByRole('alertdialog', { name: 'Somebody else has changed this too' })
    await question.getByLabel('theirs@example.com').check()
    await question.getByRole('button', { name: 'Save' }).click()
    await question.waitFor({ state: 'detached' })
    await expect.poll(() => reports.getByRole('textbox').inputValue()).toBe('theirs@example.com')
    expect(await reports.getByRole('combobox').inputValue()).toBe('weekly')
    expect(await plant.call('GET', 'settings/report-schedule')).toMatchObject({
      report_emails: ['theirs@example.com'],
      report_schedule: 'weekly',
    })
  })

  it('add different machines to a group: both are in it', async () => {
    const plant = await newPlant(hub)
    const other = await plant.call('POST', 'machines', { name: 'Mill', machine_identifier: 'mill', protocol: 'opc_ua' })
    const { id } = await plant.call('POST', 'machine-groups', { name: 'Hall' })
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/machines/groups')
    await page
      .getByRole('button', { name: /Machines of|Choose machines/ })
      .first()
      .click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Mill').check()
    await plant.call('PUT', `machine-groups/${id}/members`, { machine_ids: [plant.machineId] })
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    const { machine_ids } = await plant.call('GET', `machine-groups/${id}`)
    expect(machine_ids.toSorted()).toEqual([plant.machineId, other.id].toSorted())
  })
})

describe.skipIf(noBrowser)('a draft', () => {
  const { hub, browser } = useConsole()

  it('has the rows that a button added, with what was typed in them', async () => {
    const plant = await newPlant(hub)
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/settings?tab=lists')
    const dialog = page.getByRole('dialog')
    const open = () => page.getByRole('button', { name: 'Add a checklist' }).first().click()
    await open()
    await dialog.getByLabel('Name').fill('Oil')
    const steps = ['Lock the machine', 'Drain', 'Fill', 'Start']
    for (const [n, step] of steps.entries()) {
      if (n > 0) await dialog.getByRole('button', { name: 'Add a step' }).click()
      await dialog.getByLabel(`What to do in step ${n + 1}`).fill(step)
    }
    page.once('dialog', (it) => void it.accept())
    await page.reload()
    await open()
    for (const [n, step] of steps.entries())
      await expect.poll(() => dialog.getByLabel(`What to do in step ${n + 1}`).inputValue()).toBe(step)
    expect(await dialog.getByLabel(/^What to do in step/).count()).toBe(steps.length)
  })

  it('of a rule has as many conditions as it had, though the name of their unit comes later', async () => {
    const plant = await newPlant(hub)
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/rules?tab=composites')
    const dialog = page.getByRole('dialog')
    const open = () =>
      page
        .getByRole('button', { name: /^(?:Add|Combine)/ })
        .first()
        .click()
    await plant.send(20)
    await open()
    await dialog.getByLabel('Name').fill('Hot')
    await dialog.getByLabel('Machine').fill(plant.identifier)
    await dialog.getByRole('option', { name: new RegExp(plant.identifier) }).click()
    const values = dialog.getByLabel(/^Value/)
    for (const [n, value] of ['70', '80'].entries()) {
      await dialog.getByLabel('Metric').nth(n).fill('noise')
      await values.nth(n).fill(value)
    }
    await dialog
      .getByLabel(/^Value \(/)
      .nth(1)
      .waitFor()
    page.once('dialog', (it) => void it.accept())
    await page.reload()
    await open()
    await expect.poll(() => values.nth(1).inputValue()).toBe('80')
    expect(await values.count()).toBe(2)
  })
})
