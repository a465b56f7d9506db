import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { evenly, storeReadings } from '../support/stored-readings.ts'
import { accessibilityFaults, chooseIn, tabTo } from './browser.ts'
import { noBrowser } from './chromium.ts'
import { enter, newPlant, type Plant } from './plant.ts'
import { useConsole } from './use-console.ts'

const MINUTE = 60_000

describe.skipIf(noBrowser)('in a browser', () => {
  const { hub, hubs, browser } = useConsole()

  /** Half an hour of readings, and the address of their charts. */
  async function measuredPlant() {
    const plant = await newPlant(hub)
    const end = Math.floor(Date.now() / MINUTE) * MINUTE
    const start = end - 30 * MINUTE
    const history = evenly(start, end, MINUTE, (i) => 60 + i)
    await storeReadings(hubs.owner, [{ machineId: plant.machineId, metric: 'noise', unit: 'decibel', ...history }])
    const address = `/machines/${plant.machineId}?from=${new Date(start).toISOString()}&to=${new Date(end).toISOString()}`
    return { plant, start, end, address }
  }
  const notesOf = async (plant: Plant) => (await plant.call('GET', 'notes')).items
  const list = (page: Page) => page.getByRole('region', { name: 'Notes' })
  /** Moves the mouse over the chart, from one share of its width to another. */
  async function drag(page: Page, from: number, to: number) {
    const box = await page.locator('figure .u-over').boundingBox()
    if (!box) throw new Error('there is no chart')
    const y = box.y + box.height / 2
    await page.mouse.move(box.x + from * box.width, y)
    await page.mouse.down()
    await page.mouse.move(box.x + ((from + to) / 2) * box.width, y)
    await page.mouse.move(box.x + to * box.width, y)
    await page.mouse.up()
  }

  it('a drag on a chart notes a range, which the chart shows at the cursor, and its author changes and deletes it', async () => {
    const { plant, start, address } = await measuredPlant()
    const carl = await plant.colleague('operator')
    const { page } = await browser.visit()
    await enter(page, hub, carl.email, address)
    await page.locator('figure canvas').waitFor()
    await list(page).getByText('No notes in this period').waitFor()
    await page.getByRole('button', { name: 'Mark a note on a chart' }).click()
    await page.getByText('Drag to mark what the note is about.').waitFor()
    await drag(page, 0.4, 0.6)
    const dialog = page.getByRole('dialog', { name: 'Add a note' })
    await dialog.getByLabel('Note', { exact: true }).fill('New oil')
    await dialog.getByText('Notify').click()
    await dialog.getByLabel('Ada Admin').check()
    expect(await accessibilityFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Save' }).click()
    await list(page).getByText('New oil').waitFor()
    const [note] = await notesOf(plant)
    const minutes = [note.starts_at, note.ends_at].map((at) => (Date.parse(at) - start) / MINUTE)
    expect(minutes[0]).toBeCloseTo(12, 0)
    expect(minutes[1]).toBeCloseTo(18, 0)
    expect(note.mention_ids).toHaveLength(1)
    await list(page).getByText('1 person notified').waitFor()
    // the range was noted, not zoomed into
    expect(new URL(page.url()).searchParams.get('from')).toBe(new Date(start).toISOString())

    const over = page.locator('figure .u-over')
    const width = await over.evaluate<number, unknown>((element) => (element as { clientWidth: number }).clientWidth)
    await over.hover({ position: { x: width / 2, y: 50 } })
    await page.locator('.uplot-note', { hasText: 'Carl operator: New oil' }).waitFor()
    await over.hover({ position: { x: width / 5, y: 50 } })
    await expect.poll(() => page.locator('.uplot-note').count()).toBe(0)
    await tabTo(page, 'Values at the cursor')
    await page.keyboard.press('Home')
    for (let step = 0; step < 15; step++) await page.keyboard.press('ArrowRight')
    expect(await over.getAttribute('aria-valuetext')).toContain('Carl operator: New oil')
    await page.locator('.uplot-note', { hasText: 'New oil' }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])

    await list(page)
      .getByRole('button', { name: /^Change the note of Carl operator/ })
      .click()
    const change = page.getByRole('dialog', { name: 'Change the note' })
    await change.getByLabel('Note', { exact: true }).fill('Oil 46')
    await change.getByRole('button', { name: 'Save' }).click()
    await list(page).getByText('Oil 46').waitFor()
    expect((await notesOf(plant))[0]).toMatchObject({ body: 'Oil 46', starts_at: note.starts_at, ends_at: note.ends_at })
    await list(page)
      .getByRole('button', { name: /^Change the note of Carl operator/ })
      .click()
    await change.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog', { name: 'Delete the note?' }).getByRole('button', { name: 'Delete' }).click()
    await list(page).getByText('No notes in this period').waitFor()
    expect(await notesOf(plant)).toEqual([])
  })

  it('on a phone the button notes an instant of a site with exact times, and a viewer reads it as it is written', async () => {
    const { plant, end, address } = await measuredPlant()
    const viewer = await plant.colleague('viewer')
    await plant.call('POST', 'machine-groups', { name: 'Ulm', group_type: 'site', machine_ids: [plant.machineId] })
    const { page: reader } = await browser.visit()
    await enter(reader, hub, viewer.email, address)
    await list(reader).getByText('No notes in this period').waitFor()
    expect(await list(reader).getByRole('button').count()).toBe(0)
    const { page, expected } = await browser.visit({ width: 390, height: 844 })
    expected.push(/422/)
    await enter(page, hub, plant.email, address)
    await list(page).getByRole('button', { name: 'Add a note' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a note' })
    await dialog.getByLabel('Note', { exact: true }).fill('Power cut')
    await dialog.getByLabel('About').selectOption('Ulm')
    await dialog.getByLabel('Until').fill('2020-01-01T00:00:00')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('must be after', { exact: false }).first().waitFor()
    await dialog.getByLabel('Until').fill('')
    expect(await accessibilityFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Save' }).click()
    await list(page).getByText('about Ulm').waitFor()
    const [note] = await notesOf(plant)
    expect([note.starts_at, note.ends_at]).toEqual([new Date(end).toISOString(), null])
    await list(reader).getByText('Power cut').waitFor()
    await list(page).getByRole('button', { name: 'Add a note' }).click()
    await dialog.getByLabel('Note', { exact: true }).fill('Belt ordered')
    await dialog.getByLabel('Time').fill('2020-01-01T00:00:00')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('It lies outside of the time that the charts show').waitFor()
  })

  it('a range that the keyboard selects while a note is marked is noted too', async () => {
    const { plant, start, address } = await measuredPlant()
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, address)
    await page.locator('figure canvas').waitFor()
    await page.getByRole('button', { name: 'Mark a note on a chart' }).click()
    await tabTo(page, 'Values at the cursor')
    for (const key of ['Home', 'Enter', 'ArrowRight', 'ArrowRight', 'Enter']) await page.keyboard.press(key)
    const dialog = page.getByRole('dialog', { name: 'Add a note' })
    await dialog.getByLabel('Note', { exact: true }).fill('Cold start')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await list(page).getByText('Cold start').waitFor()
    const [{ starts_at, ends_at }] = await notesOf(plant)
    expect([starts_at, ends_at]).toEqual([start, start + 2 * MINUTE].map((at) => new Date(at).toISOString()))
    expect(new URL(page.url()).searchParams.get('from')).toBe(new Date(start).toISOString())
  })

  it('of more than a hundred notes in a range it lists the latest, and says so', async () => {
    const { plant, start, address } = await measuredPlant()
    const { user: ada } = await plant.call('GET', 'bootstrap')
    await hubs.owner`
      insert into notes (tenant_id, machine_id, starts_at, body, author_id, author_name)
      select tenant_id, id, ${new Date(start)}::timestamptz + n * interval '1 second', 'Cycle ' || n, ${ada.id}, 'Ada Admin'
      from machines, generate_series(1, 100) n where id = ${plant.machineId}`
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, address)
    await list(page).getByText('Cycle 100 ', { exact: false }).waitFor()
    expect(await list(page).getByRole('listitem').count()).toBe(100)
    expect(await list(page).getByText('Only the latest').count()).toBe(0)
    const at = new Date(start + 5 * MINUTE).toISOString()
    await plant.call('POST', 'notes', { machine_id: plant.machineId, starts_at: at, body: 'One too many' })
    await list(page).getByText('Only the latest 100 notes are shown', { exact: false }).waitFor()
    await list(page).getByText('One too many').waitFor()
  })

  it('the handover of a shift has the notes of its time', async () => {
    const { plant, start, end } = await measuredPlant()
    const shift = await plant.call('POST', 'shifts/definitions', { name: 'Early', start_time: '06:00', end_time: '14:00' })
    await plant.call('POST', 'shifts/logs', {
      machine_id: plant.machineId,
      shift_definition_id: shift.id,
      shift_date: new Date(start).toISOString().slice(0, 10),
      actual_start: new Date(start - MINUTE).toISOString(),
      actual_end: new Date(end).toISOString(),
    })
    const about = { machine_id: plant.machineId, starts_at: new Date(start).toISOString() }
    await plant.call('POST', 'notes', { ...about, body: 'Belt slips when it is cold' })
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/operations?tab=shifts')
    await chooseIn(page.getByRole('row').filter({ hasText: 'Cooling pump' }), 'Edit the log of Early', 'Handover')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('region', { name: 'Notes' }).getByText('Belt slips when it is cold').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
  })
})
