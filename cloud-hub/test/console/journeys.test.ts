import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { generateSync } from 'otplib'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import type { RunningHub } from '../../src/hub.ts'
import { PASSWORD } from '../harness.ts'
import { endAll, run } from '../processes.ts'
import { useRunningHubs } from '../running-hub.ts'
import { startSimulatedPlant } from '../support/simulated-plant.ts'
import { useBrowser } from './browser.ts'
import { call } from './call.ts'
import { noBrowser } from './chromium.ts'
import { firstAlert, newPlant, signIn } from './plant.ts'

const AGENT = 'edge-agent/src/main.ts'
const folder = mkdtempSync(path.join(tmpdir(), 'haltless-journeys-'))
const hubs = useRunningHubs({ HEARTBEAT_SECONDS: '1' })
let hub: RunningHub

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
  })
  const browser = useBrowser(() => hub.url)
  afterEach(endAll)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('a wrong password is refused in plain words, a right one opens the requested page, and a reload keeps the session', async () => {
    const plant = await newPlant(hub)
    const { page, expected } = await browser.visit()
    expected.push(/401 \(Unauthorized\).*\/auth\/login/)
    await page.goto(`${hub.url}/alerts?severity=critical`)
    await page.getByLabel('E-mail address').fill(plant.email)
    await page.getByLabel('Password', { exact: true }).fill('Wrong-password-1')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('E-mail address or password is wrong.').waitFor()
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Alerts' }).waitFor()
    expect(new URL(page.url()).search).toBe('?severity=critical')
    await page.reload()
    await page.getByRole('heading', { name: 'Alerts' }).waitFor()
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.getByText('You are signed out.').waitFor()
    await page.reload()
    await page.getByLabel('E-mail address').waitFor()
  })

  it('the address that npm start prints is one click from signed in, the login leaves it, and it leads to no other site', async () => {
    const plant = await newPlant(hub)
    const { page } = await browser.visit()
    const elsewhere = `/sign-in?next=${encodeURIComponent('https://other.invalid/')}`
    await page.goto(`${hub.url}${elsewhere}#${new URLSearchParams({ email: plant.email, password: PASSWORD })}`)
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    expect(page.url()).not.toContain('#')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
  })

  it('two-factor sign-in is set up with a QR code and asks for a code from then on', async () => {
    const plant = await newPlant(hub)
    const { page, expected } = await browser.visit()
    expected.push(/40[01] .*\/auth\/mfa\//)
    await signIn(page, hub, plant.email, '/settings')
    await page.getByRole('button', { name: 'Set up' }).click()
    await page.getByAltText('QR code for the authenticator app').waitFor()
    const secret = (await page
      .locator('code')
      .filter({ hasText: /^[A-Z2-7]{16,}$/ })
      .textContent()) as string
    const code = () => generateSync({ secret, epoch: Math.floor(hubs.clock.now().getTime() / 1000) })
    await page.getByLabel('Code').fill(code())
    await page.getByRole('button', { name: 'Switch on' }).first().click()
    await page.getByText('Enter a code to switch it off.').waitFor()
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.getByText('You are signed out.').waitFor()
    await page.getByLabel('E-mail address').fill(plant.email)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('Code').fill('000000')
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByText('This code is wrong or has expired.').waitFor()
    // a code works once
    hubs.clock.advance(30)
    await page.getByLabel('Code').fill(code())
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
  })

  it('a box enrols with the shown line, and its failing pump goes from chart to alert, work order and certificate', async () => {
    const [{ collectors }, plant] = await Promise.all([startSimulatedPlant(path.join(folder, 'plant')), newPlant(hub)])
    await plant.call('POST', 'alert-rules', { metric_name: 'vibration', warning_threshold: 4.5, critical_threshold: 7.1 })
    const file = path.join(folder, 'agent.yaml')
    const ofPump = collectors.filter(({ machine_identifier }) => machine_identifier === plant.identifier)
    const settings = { data_dir: path.join(folder, 'agent'), local_page: { enabled: false }, collectors: ofPump }
    await writeFile(file, stringify(settings), { mode: 0o600 })

    const { page } = await browser.visit()
    await signIn(page, hub, plant.email, '/agents/enrol')
    await page.getByLabel('For which box').fill('Box in hall 3')
    await page.getByLabel(/^Name of the agent/).fill('hall-3')
    await page.getByRole('button', { name: 'Create the key' }).click()
    await page.getByText('Waiting for the box.').waitFor()
    await page.getByLabel('The agent runs from a checkout').check()
    const line = (await page.locator('code').filter({ hasText: 'enroll --hub' }).textContent()) as string
    const [, args] = /^npm run -s agent -- (.*) --config agent\.yaml$/.exec(line) as unknown as [string, string]
    const enrolment = run(AGENT, [...args.split(' '), '--config', file])
    expect([await enrolment.ended, enrolment.err()]).toEqual([0, ''])
    run(AGENT, ['run', '--config', file])
    await page.getByText(/^hall-3 is online, version \d/).waitFor()
    await page.getByRole('link', { name: 'Show the agent' }).click()
    await page.getByRole('row', { name: 'plant-pump-01 running 0' }).waitFor()

    await page.getByRole('link', { name: 'Overview' }).click()
    const pump = page.getByRole('link', { name: /^Cooling pump/ })
    await pump.getByText(/^[\d.]+ bar$/).waitFor()
    await page.getByRole('link', { name: /^Cooling pump.* to acknowledge/ }).waitFor()
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

  it('of two people who acknowledge one alert, the second learns that it is done', async () => {
    const plant = await newPlant(hub)
    await plant.send(95)
    const { id } = await firstAlert(plant)
    const { page, expected } = await browser.visit()
    expected.push(/409 .*acknowledge/)
    await signIn(page, hub, plant.email, `/alerts/${id}`)
    await page.getByRole('button', { name: 'Acknowledge' }).waitFor()
    // the first person's request is answered, and its event has not arrived yet
    await page.route('**/acknowledge', async (route) => {
      await plant.call('POST', `alerts/${id}/acknowledge`)
      await route.continue()
    })
    await page.getByRole('button', { name: 'Acknowledge' }).click()
    await page.getByText('A colleague has acknowledged it already.').waitFor()
    await page.getByRole('button', { name: 'Acknowledge' }).waitFor({ state: 'detached' })
  })

  it('a session that is ended elsewhere leads to the sign-in, and from there back to the page', async () => {
    const plant = await newPlant(hub)
    const { page, expected } = await browser.visit()
    expected.push(/401 \(Unauthorized\)/)
    await signIn(page, hub, plant.email, '/machines')
    const elsewhere = await call(hub.url, 'POST', 'auth/login', { email: plant.email, password: PASSWORD })
    await call(hub.url, 'POST', 'settings/logout-other-sessions', undefined, {
      authorization: `Bearer ${elsewhere.access_token}`,
    })
    await page.getByText('Your session has ended.').waitFor()
    await page.getByLabel('E-mail address').fill(plant.email)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Machines' }).waitFor()
  })

  it('a second person who signs in in another tab sees nothing of the first one', async () => {
    const [first, second] = [await newPlant(hub), await newPlant(hub)]
    await second.call('PATCH', `machines/${second.machineId}`, { name: 'Other press' })
    const { context, page } = await browser.visit()
    await signIn(page, hub, first.email)
    await page.getByRole('link', { name: /Cooling pump/ }).waitFor()
    const session = await call(hub.url, 'POST', 'auth/login', { email: second.email, password: PASSWORD })
    const tab = await context.newPage()
    await tab.goto(hub.url)
    await tab.getByRole('link', { name: /Cooling pump/ }).waitFor()
    // what the other tab announces after a sign-in
    await tab.evaluate(`new BroadcastChannel('haltless.session').postMessage({ kind: 'token', text: '${session.access_token}' })`)
    await page.getByRole('link', { name: /Other press/ }).waitFor()
    await page.getByRole('link', { name: /Cooling pump/ }).waitFor({ state: 'detached' })
  })

  it('the import says what is wrong with which row before anything is created, and creates the others', async () => {
    const plant = await newPlant(hub)
    const { page } = await browser.visit()
    await signIn(page, hub, plant.email, '/machines')
    await page.getByRole('button', { name: 'Import' }).click()
    const rows = [
      'name,machine_identifier,protocol',
      'Press,press-01,opc_ua',
      'Oven,oven-01,smoke signals',
      'Pump,pump-01,opc_ua',
    ]
    const file = { name: 'machines.csv', mimeType: 'text/csv', buffer: Buffer.from(rows.join('\n')) }
    await page.getByLabel('File').setInputFiles(file)
    await page.getByText('1 machine can be imported, 2 rows cannot.').waitFor()
    await page.getByRole('cell', { name: 'smoke signals' }).waitFor()
    await page.getByRole('cell', { name: /duplicate machine_identifier/ }).waitFor()
    expect((await plant.call('GET', 'machines')).pagination.total).toBe(1)
    await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click()
    await page.getByText('1 machine was imported, 2 rows were not.').waitFor()
    await page.getByRole('cell', { name: '3', exact: true }).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    await page.getByRole('link', { name: 'Press' }).waitFor()
  })

  it('a rule is tested on the stored readings before it is saved, a channel says why a test fails, and an escalation uses it', async () => {
    const plant = await newPlant(hub)
    for (const value of [71, 72, 85, 73]) await plant.send(value, 'pressure')
    const { page } = await browser.visit()
    await signIn(page, hub, plant.email, '/rules')
    await page.getByRole('button', { name: 'Add a rule' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Metric').fill('pressure')
    await dialog.getByLabel('Warning from').fill('80')
    await dialog.getByLabel('Critical from').fill('90')
    await dialog.getByRole('button', { name: 'Back-test' }).click()
    await dialog.getByText('It would have raised 1 alert in the last 7 days.').waitFor()
    await dialog.locator('canvas').waitFor()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('cell', { name: 'Pressure' }).waitFor()
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

  it('eight tabs of one person are live over one stream', async () => {
    const plant = await newPlant(hub)
    const { context, page } = await browser.visit()
    let streams = 0
    context.on('request', (request) => {
      if (request.url().endsWith('/stream')) streams++
    })
    await signIn(page, hub, plant.email)
    const tabs = [page]
    for (let i = 1; i < 8; i++) {
      const tab = await context.newPage()
      await tab.goto(`${hub.url}/machines/${plant.machineId}`)
      tabs.push(tab)
    }
    await Promise.all(tabs.map((tab) => tab.getByText('Cooling pump').first().waitFor()))
    await plant.send(66)
    await Promise.all(tabs.map((tab) => tab.getByText('66 dB').first().waitFor()))
    expect(streams).toBe(1)
    // the tab that reads the stream closes, and another continues
    await page.close()
    await plant.send(67)
    await Promise.all(tabs.slice(1).map((tab) => tab.getByText('67 dB').first().waitFor()))
  })

  it('a phone shows the alert and acknowledges it', async () => {
    const plant = await newPlant(hub)
    await plant.send(95)
    await firstAlert(plant)
    const { page } = await browser.visit({ width: 390, height: 844, locale: 'de-DE' })
    await page.goto(hub.url)
    await page.getByLabel('E-Mail-Adresse').fill(plant.email)
    await page.getByLabel('Passwort', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Anmelden' }).click()
    await page.getByRole('navigation', { name: 'Hauptmenü' }).getByRole('link', { name: 'Alarme' }).click()
    await page.getByRole('link', { name: /Noise ist 95 dB/ }).click()
    await page.getByRole('button', { name: 'Quittieren' }).click()
    await page.getByText('Quittiert').first().waitFor()
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')
    expect(overflow).toBeLessThanOrEqual(0)
  })
})
