import { beforeAll, describe, expect, it } from 'vitest'
import type { RunningHub } from '../../src/hub.ts'
import { useRunningHubs } from '../running-hub.ts'
import { accessibilityFaults, useBrowser } from './browser.ts'
import { soon } from './call.ts'
import { noBrowser } from './chromium.ts'
import { newPlant, type Plant, signIn } from './plant.ts'

const hubs = useRunningHubs()
let hub: RunningHub

const MINUTE = 60_000
/** An instant so many minutes ago. */
const ago = (minutes: number) => new Date(Math.floor(Date.now() / MINUTE) * MINUTE - minutes * MINUTE).toISOString()
const record = (plant: Plant, from: number, to: number | null, more: object = {}) =>
  plant.call('POST', `machines/${plant.machineId}/downtime`, {
    started_at: ago(from),
    ...(to === null ? {} : { ended_at: ago(to) }),
    ...more,
  })
interface Listed {
  started_at: string
  ended_at: string | null
  reason_type: string
  reason_code: { code: string } | null
  reason_note: string | null
}
const records = async (plant: Plant): Promise<Listed[]> =>
  (await plant.call('GET', `fleet/downtime?machine_id=${plant.machineId}&sort_by=started_at&sort_dir=asc`)).items

describe.skipIf(noBrowser)('in a browser', () => {
  beforeAll(async () => {
    hub = await hubs.start()
  })
  const browser = useBrowser(() => hub.url)

  it('downtime is entered by hand, classified in the list, and ended', async () => {
    const plant = await newPlant(hub)
    const { page } = await browser.visit()
    await signIn(page, hub, plant.email)
    await page.goto(`${hub.url}/operations`)
    await page.getByRole('button', { name: 'Enter downtime' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Note').fill('Belt is off.')
    expect(await accessibilityFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Enter downtime' }).click()
    await page.getByText('The downtime is entered.').waitFor()
    const row = page.getByRole('row', { name: /Belt is off/ })
    await row.getByText('Ongoing').waitFor()
    await row.getByLabel(/Reason of the stop/).selectOption({ index: 1 })
    await page.getByText('The record is saved.').first().waitFor()
    await row.getByRole('button', { name: /Edit/ }).click()
    await dialog.getByRole('button', { name: 'End now' }).click()
    await row.getByText('Ongoing').waitFor({ state: 'detached' })
    const [stored] = await records(plant)
    expect([stored?.ended_at !== null, stored?.reason_code !== null]).toEqual([true, true])
  })

  it('the hub says in words why a second ongoing stop is refused', async () => {
    const plant = await newPlant(hub)
    await record(plant, 30, null)
    const { page, expected } = await browser.visit()
    expected.push(/409/)
    await signIn(page, hub, plant.email, `/machines/${plant.machineId}?tab=downtime`)
    await page.getByRole('button', { name: 'Enter downtime' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Enter downtime' }).click()
    await page
      .getByRole('alert')
      .getByText(/ongoing/)
      .waitFor()
  })

  it('a record is opened from the timeline, split in two reasons, and joined again', async () => {
    const plant = await newPlant(hub)
    await record(plant, 60, 20, { reason_note: 'Jam' })
    const { page } = await browser.visit()
    await signIn(page, hub, plant.email, '/operations?days=1')
    await page.getByTitle(/Unplanned · 40 min/).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Split' }).click()
    await dialog.getByLabel('Type').selectOption({ label: 'Maintenance' })
    await dialog.getByLabel('Note').fill('Repair')
    await dialog.getByRole('button', { name: 'Split' }).click()
    await page.getByText('The record is split.').waitFor()
    const parts = await records(plant)
    expect(parts.map((it) => [it.started_at, it.ended_at, it.reason_type, it.reason_note])).toEqual([
      [parts[0]?.started_at, parts[1]?.started_at, 'unplanned', 'Jam'],
      [parts[1]?.started_at, parts[1]?.ended_at, 'maintenance', 'Repair'],
    ])
    await page.getByRole('row', { name: /Jam/ }).getByRole('button', { name: /Edit/ }).click()
    await dialog.getByRole('button', { name: 'Join' }).click()
    expect(await dialog.getByLabel(/Maintenance/).isChecked()).toBe(true)
    await dialog.getByRole('button', { name: 'Join' }).click()
    await page.getByText('The records are joined.').waitFor()
    await soon(async () => (await records(plant)).length === 1)
  })

  it('the times of a record are corrected, and one that is not touched keeps its milliseconds', async () => {
    const plant = await newPlant(hub)
    const start = new Date(Date.parse(ago(60)) + 12_345).toISOString()
    await plant.call('POST', `machines/${plant.machineId}/downtime`, { started_at: start, ended_at: ago(20) })
    const { page } = await browser.visit()
    await signIn(page, hub, plant.email, `/machines/${plant.machineId}?tab=downtime`)
    await page.getByRole('button', { name: /Edit the record/ }).click()
    const dialog = page.getByRole('dialog')
    const ended = await dialog.getByLabel('Ended').inputValue()
    await dialog.getByLabel('Ended').fill(`${ended.slice(0, 16)}:30`)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The record is saved.').waitFor()
    const [stored] = await records(plant)
    expect([stored?.started_at, stored?.ended_at?.slice(17, 19)]).toEqual([start, '30'])
  })
})
