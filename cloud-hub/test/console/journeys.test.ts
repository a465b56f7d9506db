import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import type { RunningHub } from '../../src/hub.ts'
import { PASSWORD } from '../harness.ts'
import { endAll, run } from '../processes.ts'
import { useRunningHubs } from '../running-hub.ts'
import { startSimulatedPlant } from '../support/simulated-plant.ts'
import { useBrowser } from './browser.ts'
import { soon } from './call.ts'
import { noBrowser } from './chromium.ts'
import { enter, newPlant, type Plant, signIn } from './plant.ts'

const AGENT = 'edge-agent/src/main.ts'
const folder = mkdtempSync(path.join(tmpdir(), 'haltless-journeys-'))
const settingsFile = path.join(folder, 'agent.yaml')
const hubs = useRunningHubs({ HEARTBEAT_SECONDS: '1' })
let hub: RunningHub
/** The company of all journeys: the readings of its pump come from the simulated plant, through one agent. */
let plant: Plant
let isAgentRunning = false

/** Enrols the agent and runs it. @param line what follows `agent --` in the shown line */
async function startAgent(line: string): Promise<void> {
  const enrolment = run(AGENT, [...line.split(' '), '--config', settingsFile])
  expect([await enrolment.ended, enrolment.err()]).toEqual([0, ''])
  run(AGENT, ['run', '--config', settingsFile])
  isAgentRunning = true
}

/** For a journey that begins with readings: the first journey enrols the agent, unless it was left out. */
async function agentRuns(): Promise<void> {
  if (!isAgentRunning) {
    const { key } = await plant.call('POST', 'enrolment-keys', { name: 'Box in hall 3', agent_id: 'hall-3' })
    await startAgent(`enroll --hub ${hub.url} --key ${key}`)
  }
  await soon(async () => (await plant.call('GET', `machines/${plant.machineId}/readings/latest`)).readings.discharge_pressure)
}

const alerts = async (): Promise<{ id: string; metric_name: string; is_acknowledged: boolean }[]> =>
  (await plant.call('GET', 'alerts')).items
/** The bearing fails repeatedly, so the plant soon raises another unacknowledged alert. */
const openAlert = () => soon(async () => (await alerts()).find((it) => it.metric_name === 'vibration' && !it.is_acknowledged))

const pumpOf = (page: Page) => page.getByRole('link', { name: /^Cooling pump/ })
/** Waits until a page shows another pressure of the pump. */
async function showsNewReading(page: Page): Promise<void> {
  const pressure = pumpOf(page).getByText(/^[\d.]+\sbar$/)
  const before = await pressure.textContent()
  await expect.poll(() => pressure.textContent()).not.toBe(before)
}

/** What the CSV of a machine's charts has in a column. */
async function exportedValues(page: Page, column: string): Promise<number[]> {
  const exporting = page.waitForEvent('download')
  await page.getByRole('button', { name: 'CSV' }).click()
  const text = readFileSync(await (await exporting).path(), 'utf8').trim()
  const [head = [], ...rows] = text.split('\r\n').map((line) => line.split(','))
  expect(head[0]).toBe('time (Europe/Berlin)')
  return rows.map((row) => Number(row[head.indexOf(column)]))
}

describe.skipIf(noBrowser)('in a browser', () => {
  beforeAll(async () => {
    hub = await hubs.start()
    const [{ collectors }, company] = await Promise.all([startSimulatedPlant(path.join(folder, 'plant')), newPlant(hub)])
    plant = company
    await plant.call('POST', 'alert-rules', { metric_name: 'vibration', warning_threshold: 4.5, critical_threshold: 7.1 })
    const ofPump = collectors.filter(({ machine_identifier }) => machine_identifier === plant.identifier)
    const settings = { data_dir: path.join(folder, 'agent'), local_page: { enabled: false }, collectors: ofPump }
    await writeFile(settingsFile, stringify(settings), { mode: 0o600 })
  })
  const browser = useBrowser(() => hub.url)
  afterAll(async () => {
    await endAll()
    rmSync(folder, { recursive: true, force: true })
  })

  it('a box enrols with the shown line, and its failing pump goes from chart to alert, work order and certificate', async () => {
    const { page } = await browser.visit()
    await signIn(page, hub, plant.email, '/agents/enrol')
    await page.getByLabel('For which box').fill('Box in hall 3')
    await page.getByLabel(/^Name of the agent/).fill('hall-3')
    await page.getByRole('button', { name: 'Create the key' }).click()
    await page.getByText('Waiting for the box.').waitFor()
    await page.getByLabel('How the agent is installed').selectOption('Checkout of the source')
    const line = (await page.locator('code').filter({ hasText: 'enroll --hub' }).textContent()) as string
    const [, args] = /^npm run -s agent -- (.*) --config agent\.yaml$/.exec(line) as unknown as [string, string]
    await startAgent(args)
    await page.getByText(/^hall-3 is online, version \d/).waitFor()
    await page.getByRole('link', { name: 'Show the agent' }).click()
    const collector = page.getByRole('row', { name: /plant-pump-01/ })
    await collector.getByText('running', { exact: true }).waitFor()
    await collector.getByText(/^\d+$/).first().waitFor()

    await page.getByRole('link', { name: 'Overview' }).click()
    // its card; the sentence about the worst machine has a link to it too
    const pump = page.getByRole('link', { name: /^Cooling pump.*nobody is on it yet/ })
    await pump.getByText('Vibration').waitFor()
    await pump.getByText(/> (?:4\.5|7\.1)\smm\/s$/).waitFor()
    await pump.click()
    await page.getByRole('figure', { name: 'Chart of Vibration' }).locator('canvas').waitFor()
    const events = page.getByRole('region', { name: 'What happened in this range' })
    const alert = events.getByRole('link', { name: /Vibration is [\d.]+ mm\/s, above the critical threshold of 7.1/ }).first()
    await alert.waitFor()
    // the newest readings come with the next load of the chart
    await expect.poll(() => exportedValues(page, 'vibration (mm/s)').then((it) => Math.max(...it))).toBeGreaterThan(7.1)

    await alert.click()
    await page.getByRole('figure', { name: 'Chart of Vibration' }).locator('canvas').waitFor()
    await page.getByRole('button', { name: 'Acknowledge' }).click()
    await page.getByText('· Ada Admin').waitFor()
    await page.getByLabel('Write a comment').fill('I go there.')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('I go there.').waitFor()
    await page.getByRole('button', { name: 'Create work order' }).click()
    await page.getByLabel('Next step').fill('Replace the bearing')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('checkbox', { name: 'Replace the bearing' }).click()
    await page.getByText('Done:').waitFor()
    await page.getByRole('button', { name: 'Complete' }).click()
    await page.getByLabel(/What was done/).fill('New bearing.')
    await page.getByRole('dialog').getByRole('button', { name: 'Complete' }).click()
    await page.getByRole('button', { name: 'Sign', exact: true }).click()
    await page.getByRole('dialog').getByLabel('Password').fill(PASSWORD)
    await page.getByRole('dialog').getByRole('button', { name: 'Sign', exact: true }).click()
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByText('the signature is valid').waitFor()
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Certificate' }).click()
    expect((await saving).suggestedFilename()).toMatch(/\.pdf$/)
  })

  it('of two people who have one alert open, both see who acknowledged it, and the one who was late learns why', async () => {
    await agentRuns()
    const { id } = await openAlert()
    const { email } = await plant.colleague('operator')
    const [{ page, expected }, { page: other }] = [await browser.visit(), await browser.visit()]
    expected.push(/409 .*acknowledge/)
    await Promise.all([enter(page, hub, plant.email, `/alerts/${id}`), enter(other, hub, email, `/alerts/${id}`)])
    // the request of the second person is on its way while the first one is answered
    let release = () => {}
    const isAnswered = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/acknowledge', async (route) => {
      await isAnswered
      await route.continue()
    })
    await page.getByRole('button', { name: 'Acknowledge' }).click()
    await other.getByRole('button', { name: 'Acknowledge' }).click()
    await other.getByText('· Carl operator').waitFor()
    release()
    await page.getByText('A colleague has acknowledged it already.').waitFor()
    await page.getByText('· Carl operator').waitFor()
    await page.getByRole('button', { name: 'Acknowledge' }).waitFor({ state: 'detached' })
  })

  it('a rule is tested on the stored readings before it is saved, a channel says why a test fails, and an escalation uses it', async () => {
    await agentRuns()
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/rules')
    await page.getByRole('button', { name: 'Add a rule' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Metric').fill('discharge_pressure')
    await dialog.getByLabel('Warning from').fill('0.5')
    await dialog.getByLabel('Critical from').fill('50')
    await dialog.getByRole('button', { name: 'Back-test' }).click()
    await dialog.getByText(/It would have raised \d+ alerts? in the last 7 days\./).waitFor()
    await dialog.locator('canvas').waitFor()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('cell', { name: 'Discharge pressure' }).waitFor()
    await soon(async () => (await alerts()).find(({ metric_name }) => metric_name === 'discharge_pressure'))
    await page.getByRole('link', { name: 'Channels' }).click()
    await page.getByRole('button', { name: 'Add a channel' }).click()
    await dialog.getByLabel('Name').fill('Our tool')
    await dialog.getByLabel('Type').selectOption({ label: 'Webhook' })
    await dialog.getByLabel('Address (URL)').fill('https://hooks.invalid/alerts')
    await dialog.getByRole('button', { name: 'Add' }).click()
    const row = page.getByRole('row', { name: /Our tool/ })
    await row.getByRole('button', { name: 'Edit' }).click()
    expect(await dialog.getByLabel('Address (URL)').inputValue()).toBe('https://hooks.invalid/alerts')
    await dialog.getByLabel('Every alert').uncheck()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await row.getByText('Escalated alerts').waitFor()
    await row.getByRole('button', { name: 'Test' }).click()
    await page
      .getByRole('status')
      .getByText(/hooks\.invalid|cannot be reached|resolve/)
      .first()
      .waitFor()
    await page.getByRole('link', { name: 'Escalation' }).click()
    await page.getByRole('button', { name: 'Add an escalation' }).click()
    await dialog.getByLabel('Name').fill('Night shift')
    await dialog.getByLabel('After minutes').fill('30')
    await dialog.getByRole('button', { name: 'Save' }).click()
    const policy = page.getByRole('row', { name: /Night shift .*30 minutes.*Our tool/ })
    await policy.getByRole('button', { name: 'Edit' }).click()
    await dialog.getByLabel('After minutes').fill('5')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('row', { name: /Night shift .* 5 minutes/ }).waitFor()
  })

  it('eight tabs of one person show the readings of the plant over one stream', async () => {
    await agentRuns()
    const { context, page } = await browser.visit()
    let streams = 0
    context.on('request', (request) => {
      if (new URL(request.url()).pathname.endsWith('/stream')) streams++
    })
    await enter(page, hub, plant.email)
    const tabs = [page]
    for (let i = 1; i < 8; i++) {
      const tab = await context.newPage()
      await tab.goto(hub.url)
      tabs.push(tab)
    }
    await Promise.all(tabs.map(showsNewReading))
    // the first one begins before machines are in view
    expect(streams).toBeLessThanOrEqual(2)
    // the tab that reads the stream closes, and another continues
    await page.close()
    await Promise.all(tabs.slice(1).map(showsNewReading))
  })

  it('a phone shows the alert and acknowledges it', async () => {
    await agentRuns()
    const { id } = await openAlert()
    const { page } = await browser.visit({ width: 390, height: 844, locale: 'de-DE' })
    await page.goto(hub.url)
    await page.getByLabel('E-Mail-Adresse').fill(plant.email)
    await page.getByLabel('Passwort', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Anmelden' }).click()
    await page.getByRole('navigation', { name: 'Hauptmenü' }).getByRole('link', { name: 'Alarme' }).click()
    await page
      .locator(`a[href="/alerts/${id}"]`)
      .getByText(/Vibration ist [\d,]+\smm\/s/)
      .click()
    await page.getByRole('button', { name: 'Quittieren' }).click()
    await page.getByText('Quittiert').first().waitFor()
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')
    expect(overflow).toBeLessThanOrEqual(0)
  })

  it('an open page says when the hub is away, and is live again after the restart; the agent kept what it read meanwhile', async () => {
    await agentRuns()
    const { page, expected } = await browser.visit()
    expected.push(/ERR_|Failed to load/)
    await enter(page, hub, plant.email)
    await showsNewReading(page)
    await hub.stop()
    const start = new Date().toISOString()
    await page.getByText('The connection to the hub is lost.').waitFor()
    const [shownAt, buffer] = [Date.now(), path.join(folder, 'agent')]
    await soon(async () => readdirSync(buffer).some((file) => statSync(path.join(buffer, file)).mtimeMs > shownAt))
    const end = new Date().toISOString()
    hub = await hubs.start({ PORT: String(hub.port), MQTT_PORT: String(hub.mqttPort) })
    await page.getByText('The connection to the hub is lost.').waitFor({ state: 'detached' })
    await showsNewReading(page)
    const range = new URLSearchParams({ metric: 'discharge_pressure', start, end })
    await soon(async () => (await plant.call('GET', `machines/${plant.machineId}/readings?${range}`))[0]?.data_points.length > 0)
  })
})
