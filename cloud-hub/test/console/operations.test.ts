import { describe, expect, it } from 'vitest'
import { accessibilityFaults, follow } from './browser.ts'
import { soon } from './call.ts'
import { noBrowser } from './chromium.ts'
import { enter, firstAlert, newPlant, type Plant } from './plant.ts'
import { useConsole } from './use-console.ts'

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
  const { hub, hubs, browser } = useConsole()

  it('all alerts that match are acknowledged at once, and the operations page shows figures with their change', async () => {
    const plant = await newPlant(hub)
    await hubs.owner`
      insert into alerts (tenant_id, machine_id, severity, metric_name, unit, trigger_value, threshold_value, message, triggered_at)
      select tenant_id, id, case when n <= 55 then 'warning' else 'critical' end, 'noise', 'decibel', 5, 4, 'high', now()
      from machines, generate_series(1, 60) n where id = ${plant.machineId}`
    await record(plant, 300, 240)
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/operations?tab=downtime')
    // nothing was recorded in the days before
    await page.getByRole('region', { name: 'Key figures' }).getByText('nothing to compare with').nth(3).waitFor()
    await follow(page, '/alerts?severity=warning')
    await page.getByLabel('Choose all', { exact: true }).check()
    await page.getByRole('button', { name: 'Choose all 55 that match' }).click()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Acknowledge all 55 that match' }).click()
    await page.getByText('55 alerts acknowledged.').waitFor()
    expect((await plant.call('GET', 'alerts/stats')).total_active).toBe(5)
    await follow(page, '/operations?tab=downtime')
    const figures = page.getByRole('region', { name: 'Key figures' })
    await figures.getByText('1 h 0 min', { exact: true }).waitFor()
    await page.getByRole('region', { name: 'Timeline' }).getByText('1 h 0 min').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    // nothing was read of a machine that has sent nothing
    await follow(page, `/machines/${plant.machineId}?tab=downtime`)
    await page
      .getByText(/^observed since/)
      .first()
      .waitFor()
    const days = 40 * 1_440
    await record(plant, days + 120, days)
    await page.goto(`${hub.url}/operations?tab=downtime`)
    await figures.getByText('−1 h 0 min').waitFor()
  })

  it('all that match are those of the chosen site, and a row that is taken out is not acknowledged', async () => {
    const plant = await newPlant(hub)
    const { id: press } = await plant.call('POST', 'machines', {
      name: 'Press',
      machine_identifier: 'press-01',
      protocol: 'opc_ua',
    })
    await plant.call('POST', 'machine-groups', { name: 'Ulm', group_type: 'site', machine_ids: [plant.machineId] })
    const munich = await plant.call('POST', 'machine-groups', { name: 'Munich', group_type: 'site', machine_ids: [press] })
    await hubs.owner`
      insert into alerts (tenant_id, machine_id, severity, metric_name, unit, trigger_value, threshold_value, message, triggered_at)
      select tenant_id, id, 'warning', 'noise', 'decibel', 5, 4, 'high', now()
      from machines, generate_series(1, 55) where id in ${hubs.owner([plant.machineId, press])}`
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, `/alerts?site=${munich.id}`)
    const all = page.getByLabel('Choose all', { exact: true })
    const choice = page.getByRole('button', { name: 'Choose all 55 that match' })
    await all.check()
    await choice.click()
    await page.getByRole('button', { name: 'Acknowledge all 55 that match' }).waitFor()
    await page
      .getByLabel(/^Choose: high/)
      .first()
      .uncheck()
    await page.getByRole('button', { name: /^Acknowledge .*49/ }).waitFor()
    await all.check()
    await choice.click()
    await page.getByRole('button', { name: 'Acknowledge all 55 that match' }).click()
    await page.getByText('55 alerts acknowledged.').waitFor()
    const left = await plant.call('GET', 'alerts?is_acknowledged=false&page_size=1')
    expect([left.pagination.total, left.items[0].machine_id]).toEqual([55, plant.machineId])
  })

  it('downtime is entered by hand, classified in the list, and ended', async () => {
    const plant = await newPlant(hub)
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/operations')
    await page.getByRole('button', { name: 'Enter downtime' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Machine').fill('pump')
    await dialog.getByRole('option', { name: 'Cooling pump' }).click()
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

  it('an operator sets up detection of downtime by a signal, and the page says in words what it does', async () => {
    const plant = await newPlant(hub)
    await plant.send(75)
    const { email } = await plant.colleague('operator')
    const { page } = await browser.visit()
    await enter(page, hub, email, `/machines/${plant.machineId}?tab=downtime`)
    await page.getByText('Downtime is entered by hand.').waitFor()
    await page.getByRole('button', { name: 'Set up detection' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Metric').selectOption('noise')
    await dialog.getByLabel('Limit, below which it is stopped').fill('20')
    await dialog.getByLabel('For at least (seconds)').fill('90')
    expect(await accessibilityFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Stopped while Noise is below 20 for at least 90 s.').waitFor()
    const settings = await plant.call('GET', `machines/${plant.machineId}/downtime-detection`)
    expect(settings).toMatchObject({ is_active: true, signal: 'level', metric_name: 'noise', limit: 20, for_seconds: 90 })
    await page.getByRole('button', { name: 'Change detection' }).click()
    await dialog.getByLabel('Record downtime automatically').uncheck()
    await dialog.getByLabel('The machine is stopped when').selectOption('silence')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Detection is switched off.').waitFor()
  })

  it('the hub says in words why a second ongoing stop is refused', async () => {
    const plant = await newPlant(hub)
    await record(plant, 30, null)
    const { page, expected } = await browser.visit()
    expected.push(/409/)
    await enter(page, hub, plant.email, `/machines/${plant.machineId}?tab=downtime`)
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
    await enter(page, hub, plant.email, '/operations?days=1')
    await page.getByTitle(/Unplanned · 40 min/).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Split' }).click()
    await dialog.getByLabel('Type').selectOption({ label: 'Maintenance' })
    await dialog.getByLabel('Note').fill('Repair')
    expect(await accessibilityFaults(page, '[role=dialog]')).toEqual([])
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
    expect(await accessibilityFaults(page, '[role=dialog]')).toEqual([])
    await dialog.getByRole('button', { name: 'Join' }).click()
    await page.getByText('The records are joined.').waitFor()
    await soon(async () => (await records(plant)).length === 1)
  })

  it('the times of a record are corrected, and one that is not touched keeps its milliseconds', async () => {
    const plant = await newPlant(hub)
    const start = new Date(Date.parse(ago(60)) + 12_345).toISOString()
    await plant.call('POST', `machines/${plant.machineId}/downtime`, { started_at: start, ended_at: ago(20) })
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, `/machines/${plant.machineId}?tab=downtime`)
    await page.getByRole('button', { name: /Edit the record/ }).click()
    const dialog = page.getByRole('dialog')
    const ended = await dialog.getByLabel('Ended').inputValue()
    await dialog.getByLabel('Ended').fill(`${ended.slice(0, 16)}:30`)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The record is saved.').waitFor()
    const [stored] = await records(plant)
    expect([stored?.started_at, stored?.ended_at?.slice(17, 19)]).toEqual([start, '30'])
  })

  it('a shift is started by hand, handed over and completed', async () => {
    const plant = await newPlant(hub)
    await plant.call('POST', 'shifts/definitions', { name: 'Early', start_time: '06:00', end_time: '14:00' })
    const { page, expected } = await browser.visit()
    expected.push(/409 .*shifts\/logs/)
    await enter(page, hub, plant.email, '/operations?tab=shifts')
    await page.getByRole('button', { name: 'Start a shift' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Machine').fill('pump')
    await dialog.getByRole('option', { name: 'Cooling pump' }).click()
    await dialog.getByLabel('Supervisor').fill('Ines')
    expect(await accessibilityFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Start a shift' }).click()
    const row = page.getByRole('row', { name: /Ines/ })
    await row.getByText('Active').waitFor()
    await dialog.waitFor({ state: 'detached' })
    // a second one of the same machine is refused in words
    await page.getByRole('button', { name: 'Start a shift' }).click()
    await dialog.getByLabel('Machine').fill('pump')
    await dialog.getByRole('option', { name: 'Cooling pump' }).click()
    await dialog.getByRole('button', { name: 'Start a shift' }).click()
    await dialog.getByText('active shift log already').waitFor()
    await dialog.getByRole('button', { name: 'Cancel', exact: true }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Discard' }).click()
    await follow(page, '/')
    await page.getByRole('row', { name: /Early In progress.* 0 s/ }).waitFor()
    await follow(page, '/operations?tab=shifts')
    await plant.send(95)
    await firstAlert(plant)
    await row.getByRole('button', { name: /^Handover/ }).click()
    await dialog.getByText(/Noise is 95\sdB/).waitFor()
    await dialog.getByRole('button', { name: 'Cancel', exact: true }).click()
    await row.getByRole('button', { name: 'Edit the log of Early' }).click()
    await dialog.getByLabel('Notes for the next shift').fill('Belt 2 slips.')
    await dialog.getByRole('button', { name: 'Complete now' }).click()
    await row.getByText('Active').waitFor({ state: 'detached' })
    const { items } = await plant.call('GET', 'shifts/logs')
    expect(items).toMatchObject([{ status: 'completed', supervisor: 'Ines', handover_notes: 'Belt 2 slips.' }])
  })

  it('the overview shows a shift in progress with its downtime and the OEE that it usually has', async () => {
    const plant = await newPlant(hub)
    const { id } = await plant.call('POST', 'shifts/definitions', { name: 'Early', start_time: '06:00', end_time: '14:00' })
    const log = (more: object) =>
      plant.call('POST', 'shifts/logs', { machine_id: plant.machineId, shift_definition_id: id, ...more })
    await log({ shift_date: ago(0).slice(0, 10), actual_start: ago(1) })
    const { page } = await browser.visit()
    await enter(page, hub, plant.email)
    await page.getByRole('row', { name: /Early In progress; OEE follows at its end – 0 s/ }).waitFor()
    const before = ago(2 * 24 * 60)
    await log({ shift_date: before.slice(0, 10), actual_start: before, actual_end: ago(2 * 24 * 60 - 60) })
    await soon(async () => (await plant.call('GET', 'shifts/comparison')).shifts[0]?.avg_oee_pct)
    await page.reload()
    await page.getByRole('row', { name: /Early In progress 100 % over 7 days 0 s/ }).waitFor()
  })

  it('shifts are put in order by hand, and stops of a few minutes are listed apart', async () => {
    const plant = await newPlant(hub)
    for (const [name, hour] of [
      ['Early', '06'],
      ['Late', '14'],
      ['Night', '22'],
    ])
      await plant.call('POST', 'shifts/definitions', { name, start_time: `${hour}:00`, end_time: '23:00' })
    const stop = { started_at: ago(30), ended_at: ago(28), reason_type: 'unplanned' }
    await plant.call('POST', `machines/${plant.machineId}/downtime`, stop)
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/operations?tab=shifts')
    const names = () => page.getByRole('table', { name: 'Shifts of a day' }).locator('tbody td:first-child').allTextContents()
    await page.getByRole('button', { name: 'Move Night up' }).press('Enter')
    await page.getByRole('button', { name: 'Move Night up' }).press('Enter')
    await expect.poll(names).toEqual(['Night', 'Early', 'Late'])
    expect(await page.getByRole('button', { name: 'Move Night up' }).isDisabled()).toBe(true)
    const stored = async () => (await plant.call('GET', 'shifts/definitions')).map(({ name }: { name: string }) => name).join()
    await soon(async () => (await stored()) === 'Night,Early,Late')
    expect(await accessibilityFaults(page)).toEqual([])
    await follow(page, '/operations?tab=downtime')
    const micro = page.getByRole('listitem').filter({ hasText: 'Micro-stops, shorter than 5 minutes' })
    await micro.getByText('2 min').waitFor()
    await micro.getByText('1 stop').waitFor()
  })

  it('a shift is defined, changed, deactivated and compared, and the plant has a day without production', async () => {
    const plant = await newPlant(hub)
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/operations?tab=shifts&days=7')
    await page.getByText('No shifts are defined').waitFor()
    await page.getByRole('button', { name: 'Define a shift' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Night')
    await dialog.getByLabel('Begins').fill('22:00')
    await dialog.getByLabel('Ends').fill('06:00')
    await dialog.getByText('8 h 0 min, ends on the next day.').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Define a shift' }).click()
    const row = page.getByRole('row', { name: /Night/ })
    await row.getByRole('button', { name: 'Edit Night' }).click()
    await dialog.getByLabel('Name').fill('Late night')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('cell', { name: 'Late night', exact: true }).waitFor()
    const [{ id }] = await plant.call('GET', 'shifts/definitions')
    await plant.call('POST', 'shifts/logs', {
      machine_id: plant.machineId,
      shift_definition_id: id,
      shift_date: ago(180).slice(0, 10),
      actual_start: ago(180),
      actual_end: ago(120),
    })
    await soon(async () => (await plant.call('GET', 'shifts/comparison')).shifts[0]?.avg_oee_pct)
    await page.reload()
    await page.getByRole('table', { name: 'Shifts compared' }).getByText('100 %').first().waitFor()
    await page.getByRole('button', { name: 'Plant calendar' }).click()
    await dialog.getByLabel('Time zone of the plant').selectOption('Europe/Berlin')
    await dialog.getByLabel('Date', { exact: true }).fill('2027-01-01')
    await dialog.getByLabel('Name', { exact: true }).fill('New Year')
    await dialog.getByRole('button', { name: 'Add' }).click()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('(Europe/Berlin)').waitFor()
    const { time_zone, non_production_days } = await plant.call('GET', 'settings/plant')
    expect([time_zone, non_production_days]).toEqual([
      'Europe/Berlin',
      [{ date: '2027-01-01', name: 'New Year', group_id: null }],
    ])
    await page
      .getByRole('row', { name: /In use/ })
      .getByRole('button', { name: 'Deactivate' })
      .click()
    await page.getByText('Late night is deactivated. Its logs stay.').waitFor()
    expect(await plant.call('GET', 'shifts/definitions')).toEqual([])
  })

  it('holidays of a file are added to the plant calendar', async () => {
    const plant = await newPlant(hub)
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/operations?tab=shifts')
    await page.getByRole('button', { name: 'Plant calendar' }).click()
    const file = { name: 'days.csv', mimeType: 'text/csv', buffer: Buffer.from('date,name\n2027-05-01,Labour Day\nsoon,Party\n') }
    await page.getByLabel(/Import a file/).setInputFiles(file)
    await page.getByText('1 day was imported, 1 row was not.').waitFor()
    await page
      .getByRole('dialog')
      .getByText(/Labour Day/)
      .waitFor()
  })

  it('a snooze is undone, and one that is under way is ended', async () => {
    const plant = await newPlant(hub)
    await plant.send(95)
    const { id } = await firstAlert(plant)
    const until = async () => Date.parse((await plant.call('GET', `alerts/${id}`)).snoozed_until)
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, `/alerts/${id}`)
    await page.getByLabel('Snooze').selectOption({ label: 'for 8 hours' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('The snooze ends in a minute.').waitFor()
    expect(await until()).toBeLessThanOrEqual(Date.now() + MINUTE)
    await page.getByLabel('Snooze').selectOption({ label: 'for a day' })
    await soon(async () => (await until()) > Date.now() + 23 * 60 * MINUTE)
    await page.getByLabel('Snooze').selectOption({ label: 'end the snooze' })
    await soon(async () => (await until()) <= Date.now() + MINUTE)
  })

  it('pages on paper are light, and have nothing to press', async () => {
    const plant = await newPlant(hub)
    await plant.send(71)
    const order = await plant.call('POST', 'work-orders', { machine_id: plant.machineId, title: 'Bearing' })
    const { page } = await browser.visit({ colorScheme: 'dark' })
    await enter(page, hub, plant.email)
    for (const path of [`/machines/${plant.machineId}`, `/work-orders/${order.id}`]) {
      await follow(page, path)
      await page.getByRole('button', { name: 'Print' }).waitFor()
      // the dialog of the browser would wait for a person
      await page.evaluate('dispatchEvent(new Event("beforeprint"))')
      await page.emulateMedia({ media: 'print' })
      expect(await page.locator('html').getAttribute('data-theme')).toBe('light')
      expect(await page.getByRole('button', { name: /Print|Edit/ }).count()).toBe(0)
      expect(await page.getByRole('navigation').count()).toBe(0)
      await page.emulateMedia({ media: 'screen' })
      await page.evaluate('dispatchEvent(new Event("afterprint"))')
      expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
    }
  })
})
