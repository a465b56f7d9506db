import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { PASSWORD } from '../harness.ts'
import { accessibilityFaults, follow } from './browser.ts'
import { call } from './call.ts'
import { noBrowser } from './chromium.ts'
import { enter, newPlant } from './plant.ts'
import { useConsole } from './use-console.ts'

describe.skipIf(noBrowser)('in a browser', () => {
  const { hub, hubs, browser } = useConsole()

  it('an administrator makes a role of the company, gives it to a new member, and finds both in the audit trail', async () => {
    const plant = await newPlant(hub)
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/settings?tab=members')
    await page.getByRole('button', { name: 'Add a role' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Shift supervisor')
    await page.getByRole('dialog').getByLabel('Rights').selectOption('operator')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Delete Shift supervisor' }).waitFor()

    await page.getByRole('button', { name: 'Add a member' }).click()
    const dialog = page.getByRole('dialog')
    const email = `bea-${plant.machineId}@example.com`
    await dialog.getByLabel('Name').fill('Bea Berg')
    await dialog.getByLabel('E-mail address').fill(email)
    await dialog.getByLabel('Role').selectOption('Shift supervisor')
    await dialog.getByLabel('How the person signs in first').selectOption('password')
    await dialog.getByLabel('First password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText(`${email} can sign in now.`).waitFor()
    // a role with members cannot be deleted
    await page.getByRole('button', { name: 'Delete Shift supervisor' }).waitFor({ state: 'detached' })
    const session = await call(hub.url, 'POST', 'auth/login', { email, password: PASSWORD })
    expect(session.access_token).toBeTruthy()

    await page.getByRole('link', { name: 'Audit trail' }).click()
    await page.getByLabel('What').selectOption('role')
    await page.getByText('Role Shift supervisor created').click()
    await page.getByRole('cell', { name: 'operator', exact: true }).waitFor()
    await page.reload()
    await page.getByText('Role Shift supervisor created').waitFor()
    expect(new URL(page.url()).searchParams.get('type')).toBe('role')
    // a day is one of the reader, whose entries show the reader's time
    const asked = page.waitForRequest(/audit-log.*start=/)
    await page.getByLabel('From day').fill('2026-07-01')
    expect(new URL((await asked).url()).searchParams.get('start')).toBe('2026-06-30T22:00:00.000Z')
  })

  it('an administrator finds security events in the audit trail, refused requests among them, and another member does not', async () => {
    const plant = await newPlant(hub)
    const viewer = await plant.colleague('viewer')
    const session = await call(hub.url, 'POST', 'auth/login', { email: viewer.email, password: PASSWORD })
    const refused = await fetch(`${hub.url}/api/v1/audit-log`, { headers: { authorization: `Bearer ${session.access_token}` } })
    expect(refused.status).toBe(403)
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/settings?tab=audit')
    await page.getByText(`Member ${viewer.email} signed in`).waitFor()
    expect(await page.getByText('was refused').count()).toBe(0)
    await page.getByLabel('Kind').selectOption('Security events')
    await page.getByText(`Member ${viewer.email} was refused`).click()
    await page.getByRole('cell', { name: 'role_insufficient' }).waitFor()
    await page.reload()
    await page.getByText(`Member ${viewer.email} was refused`).waitFor()
    expect(await page.getByText('Machine Cooling pump created').count()).toBe(0)
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByText('was refused').waitFor({ state: 'detached' })

    const other = await browser.visit()
    await enter(other.page, hub, viewer.email, '/settings?tab=audit&kind=security')
    await other.page.getByRole('region', { name: 'Profile' }).waitFor()
    expect(await other.page.getByLabel('Kind').count()).toBe(0)
  })

  it('a time zone that the browser does not list stays when another field of the profile is saved', async () => {
    const plant = await newPlant(hub)
    await plant.call('PATCH', 'settings/profile', { timezone: 'Asia/Kolkata' })
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/settings')
    const panel = page.getByRole('region', { name: 'Profile' })
    await panel.getByLabel('Name').fill('Ada Adler')
    await panel.getByRole('button', { name: 'Save' }).click()
    await expect.poll(async () => (await plant.call('GET', 'auth/me')).full_name).toBe('Ada Adler')
    expect((await plant.call('GET', 'auth/me')).timezone).toBe('Asia/Kolkata')
  })

  it('an invitation is sent once a minute at most, and a deactivated member cannot sign in until he is activated', async () => {
    const plant = await newPlant(hub)
    const { email } = await plant.colleague('operator')
    const { page, expected } = await browser.visit()
    expected.push(/429 .*\/users\/invite/)
    await enter(page, hub, plant.email, '/settings?tab=members')
    await page.getByRole('button', { name: 'Add a member' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Ivo Invited')
    await dialog.getByLabel('E-mail address').fill(`ivo-${plant.machineId}@example.com`)
    await dialog.getByRole('button', { name: 'Invite' }).click()
    await page.getByRole('button', { name: 'Send again' }).click()
    await page.getByText('This address was invited less than a minute ago').waitFor()

    await page.getByLabel('Name or e-mail address').fill('carl')
    await page.getByText('Ivo Invited').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Deactivate Carl operator' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click()
    await page.getByRole('button', { name: 'Activate', exact: true }).waitFor()
    await expect(call(hub.url, 'POST', 'auth/login', { email, password: PASSWORD })).rejects.toThrow(/401/)
    await page.getByRole('button', { name: 'Activate', exact: true }).click()
    await page.getByRole('button', { name: 'Deactivate Carl operator' }).waitFor()
  })

  it('an administrator resets the second factor of a member, with the password when the sign-in is old', async () => {
    const plant = await newPlant(hub)
    const { email } = await plant.colleague('operator')
    await hubs.owner`update users set mfa_enabled = true where email = ${email}`
    const { page, expected } = await browser.visit()
    expected.push(/403 .*\/mfa-reset/)
    await enter(page, hub, plant.email, '/settings?tab=members')
    await hubs.owner`update sessions set created_at = created_at - interval '15 minutes'`
    await page.getByRole('button', { name: 'Reset the second factor of Carl operator' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Reset second factor' }).click()
    await dialog.getByLabel('Current password').fill('Wrong-password-1')
    await dialog.getByRole('button', { name: 'Reset second factor' }).click()
    await dialog.getByText('This password is wrong.').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await dialog.getByLabel('Current password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Reset second factor' }).click()
    await page.getByText('Two-factor sign-in of Carl operator is off.').waitFor()
    await page.getByRole('button', { name: 'Reset the second factor of Carl operator' }).waitFor({ state: 'detached' })
    expect(await call(hub.url, 'POST', 'auth/login', { email, password: PASSWORD })).toMatchObject({ mfa_required: false })
  })

  it('an administrator requires two-factor sign-in of all members, and is led to the own set-up', async () => {
    const plant = await newPlant(hub)
    const { page, expected } = await browser.visit()
    expected.push(/403 \(Forbidden\)/)
    await enter(page, hub, plant.email, '/settings?tab=company')
    const panel = page.getByRole('region', { name: 'Security' })
    await panel.getByText('You have not set it up yourself').waitFor()
    await panel.getByLabel('Every member needs two-factor sign-in').click()
    await page.getByRole('heading', { name: 'Set up two-factor sign-in' }).waitFor()
    expect((await plant.call('GET', 'auth/me')).mfa_setup_required).toBe(true)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('You are signed out.').waitFor()
  })

  it('an administrator sees what the company may have, and has', async () => {
    const plant = await newPlant(hub)
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/settings?tab=company')
    const panel = page.getByRole('region', { name: 'Limits' })
    const machines = panel.getByRole('listitem').filter({ hasText: 'Active machines' })
    await machines.getByText('1 of 20,000').waitFor()
    await panel
      .getByRole('listitem')
      .filter({ hasText: 'Attachments' })
      .getByText(/^0 .* of 10.7 GB$/)
      .waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
  })

  it('a checklist is written and reordered, and a reason of downtime is added, retired and used again', async () => {
    const plant = await newPlant(hub)
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/settings?tab=lists')
    await page.getByRole('button', { name: 'Add a checklist' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Oil change')
    await dialog.getByLabel('What to do in step 1').fill('Drain the oil')
    await dialog.getByRole('button', { name: 'Add a step' }).click()
    await dialog.getByLabel('What to do in step 2').fill('Lock the machine')
    await dialog.getByLabel('How to do step 2').fill('Main switch, padlock, tag.')
    await dialog.getByRole('button', { name: 'Move step 2 up' }).click()
    expect(await accessibilityFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('2 steps').waitFor()
    const [checklist] = await plant.call('GET', 'checklists')
    expect(checklist.steps).toEqual([
      { title: 'Lock the machine', body: 'Main switch, padlock, tag.' },
      { title: 'Drain the oil', body: null },
    ])

    await page.getByRole('button', { name: 'Add a reason' }).click()
    await dialog.getByLabel('Reason').fill('Jam at the infeed')
    await dialog.getByLabel('Code').fill('jam.infeed')
    await dialog.getByLabel('Counts in OEE as').selectOption('performance_loss')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Retire Jam at the infeed' }).click()
    await page.getByText('Jam at the infeed is retired.').waitFor()
    const isActive = async () =>
      (await plant.call('GET', 'reason-codes?active_only=false')).find((it: { code: string }) => it.code === 'jam.infeed')
        .is_active
    await expect.poll(isActive).toBe(false)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Retire Jam at the infeed' }).waitFor()
    await expect.poll(isActive).toBe(true)
  })

  it('single sign-on shows what to register at the provider and in the DNS, and keeps its secret', async () => {
    const plant = await newPlant(hub)
    const domain = `${plant.machineId}.example`
    const { page, expected } = await browser.visit()
    expected.push(/404 .*\/auth\/sso\/config/, /409 .*verify-domain/, /403 .*\/auth\/sso\/config/, /422 .*\/auth\/sso\/config/)
    await enter(page, hub, plant.email, '/settings?tab=sso')
    await page.getByRole('button', { name: 'Set up single sign-on' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name of the provider').fill('Acme ID')
    await dialog.getByLabel('Issuer (URL)').fill('https://login.example.com')
    await dialog.getByLabel('Client ID').fill('haltless')
    await dialog.getByLabel('Client secret').fill('a-secret-of-ours')
    await dialog.getByLabel('E-mail domain').fill(domain)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText(`Not active yet: prove that ${domain} is yours.`).waitFor()
    await page.locator('code').filter({ hasText: '/api/v1/auth/sso/callback' }).waitFor()
    await page.getByRole('button', { name: 'Check the record' }).click()
    await page.getByText('The record is not visible yet.').waitFor()
    await page.getByRole('button', { name: 'Edit' }).click()
    expect(await dialog.getByLabel('Client secret').inputValue()).toBe('')
    await dialog.getByLabel('Name of the provider').fill('Acme Login')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Acme Login', { exact: true }).waitFor()
    // trust in addresses is offered once the domain is proven
    await page.getByRole('button', { name: 'Edit' }).click()
    await dialog.getByLabel('E-mail domain').waitFor()
    expect(await dialog.getByLabel('Trust e-mail addresses').count()).toBe(0)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await hubs.owner`update sso_configs set domain_verified_at = now(), domain_proof = 'operator' where domain = ${domain}`
    await page.reload()
    await page.getByText('only those that the provider says are verified').waitFor()
    await page.getByRole('button', { name: 'Edit' }).click()
    await dialog.getByLabel('Issuer (URL)').fill('https://login.microsoftonline.com/common/v2.0')
    await dialog.getByLabel('Client secret').fill('a-secret-of-ours')
    await dialog.getByLabel('Trust e-mail addresses').check()
    await hubs.owner`update sessions set created_at = created_at - interval '15 minutes'`
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Your sign-in is older than 15 minutes.').waitFor()
    await dialog.getByLabel('Current password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Microsoft (common) serves many organisations').last().waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await dialog.getByLabel('Issuer (URL)').fill('https://login.example.com')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('the provider is trusted, unless it says that one is not verified').waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Members sign in with a password').waitFor()
  })

  it('e-mails of the company and reports of a person are switched on and off, and a refused change is undone', async () => {
    const plant = await newPlant(hub)
    const { page, expected } = await browser.visit()
    expected.push(/ERR_FAILED/, /422 .*report-schedule/)
    await enter(page, hub, plant.email, '/settings?tab=company')
    const mail = page.getByLabel('A work order was assigned')
    await page.route('**/email-notifications', (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.continue(),
    )
    await mail.click()
    await page.getByText('The hub cannot be reached.').waitFor()
    expect(await mail.isChecked()).toBe(true)
    await page.unroute('**/email-notifications')
    const saved = page.waitForResponse((it) => it.request().method() === 'PATCH')
    await mail.click()
    await saved
    await page.reload()
    await mail.waitFor()
    expect(await mail.isChecked()).toBe(false)

    await page.getByRole('link', { name: 'Personal' }).click()
    await page.getByLabel('How often').selectOption('weekly')
    await page.getByLabel(/Recipients/).fill('no address')
    const reports = page.getByRole('region', { name: 'Reports' })
    await reports.getByRole('button', { name: 'Save' }).click()
    await reports.locator('[aria-invalid]').waitFor()
    await page.getByLabel(/Recipients/).fill('lead@example.com\nplant@example.com')
    await reports.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    const { report_schedule, report_emails } = await plant.call('GET', 'settings/report-schedule')
    expect([report_schedule, report_emails]).toEqual(['weekly', ['lead@example.com', 'plant@example.com']])
  })

  it('a line below a site gets machines, filters the list, and leaves its machines when it is deleted', async () => {
    const plant = await newPlant(hub)
    await plant.call('POST', 'machines', { name: 'Oven', machine_identifier: 'oven-01', protocol: 'opc_ua' })
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/machines')
    await page.getByRole('link', { name: 'Groups' }).click()
    const dialog = page.getByRole('dialog')
    for (const [name, type, parent] of [
      ['Plant Nord', 'site', ''],
      ['Line 4', 'line', 'Plant Nord'],
    ] as const) {
      await page.getByRole('button', { name: 'Add a group' }).click()
      await dialog.getByLabel('Name').fill(name)
      await dialog.getByLabel('Type').selectOption(type)
      if (parent) await dialog.getByLabel('Below').selectOption({ label: parent })
      await dialog.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('link', { name }).waitFor()
    }
    await page.getByRole('button', { name: 'Machines of Line 4' }).click()
    await dialog.getByLabel('Name or identifier').fill('pump')
    await dialog.getByLabel('Oven').waitFor({ state: 'detached' })
    await dialog.getByLabel('Cooling pump').check()
    await dialog.getByText('1 machine', { exact: true }).waitFor()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    // a site contains the machines of the lines below it
    await page.getByRole('link', { name: 'Plant Nord' }).click()
    await page.getByRole('link', { name: 'Cooling pump' }).waitFor()
    await page.getByRole('link', { name: 'Oven' }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Groups' }).click()
    await page.getByRole('button', { name: 'Delete Plant Nord' }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('link', { name: 'Plant Nord' }).waitFor({ state: 'detached' })
    expect(await plant.call('GET', 'machine-groups')).toMatchObject([{ name: 'Line 4', parent_id: null, machine_count: 1 }])
    // the audit trail names the machine, which has no name in the entry itself
    await follow(page, '/settings?tab=audit&type=machine_group_member')
    await page.getByText('Machine of a group Cooling pump (Line 4) added').waitFor()
  })

  it('the identifier of a machine is suggested from its name, and what somebody wrote stays', async () => {
    const plant = await newPlant(hub)
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/machines')
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Add a machine' }).first().click()
    await dialog.getByLabel('Name', { exact: true }).fill('Kühlpumpe 3')
    await dialog.getByLabel('Identifier').focus()
    expect(await dialog.getByLabel('Identifier').inputValue()).toBe('kuehlpumpe-3')
    await dialog.getByLabel('Identifier').fill('kp-3')
    await dialog.getByLabel('Name', { exact: true }).fill('Kühlpumpe 4')
    await dialog.getByRole('button', { name: 'Add a machine' }).click()
    await page.getByRole('heading', { level: 1, name: 'Kühlpumpe 4' }).waitFor()
    expect((await plant.call('GET', 'machines?search=kp-3')).items).toMatchObject([{ machine_identifier: 'kp-3' }])
  })

  it('the import says what is wrong with which row before anything is created, and creates the others', async () => {
    const plant = await newPlant(hub)
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/machines')
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

  it('a key of a program and one of a box are shown once, and open nothing after they are deleted', async () => {
    const plant = await newPlant(hub)
    const { page, expected } = await browser.visit()
    await enter(page, hub, plant.email, '/settings?tab=keys')
    const dialog = page.getByRole('dialog')
    const timestamp = new Date().toISOString()
    const reading = { machine_identifier: plant.identifier, metric_name: 'noise', value: 70, unit: 'decibel', timestamp }
    const send = (key: string) => call(hub.url, 'POST', 'ingest', { readings: [reading] }, { 'x-api-key': key })
    await page.getByLabel('Name').fill('Line 4')
    // a request that fails keeps the name
    expected.push(/ERR_FAILED.*\/api-keys/)
    // the list may be read again meanwhile
    await page.route('**/api/v1/api-keys', (route) => (route.request().method() === 'POST' ? route.abort() : route.continue()))
    await page.getByRole('button', { name: 'Create a key' }).click()
    await page.getByText('The hub cannot be reached.').waitFor()
    await page.unroute('**/api/v1/api-keys')
    await page.getByRole('button', { name: 'Create a key' }).click()
    const key = (await page
      .locator('code')
      .filter({ hasText: /^hk_.{20}/ })
      .textContent()) as string
    expect(await send(key)).toMatchObject({ accepted_count: 1 })
    await page.reload()
    await page.getByRole('row', { name: /Line 4/ }).waitFor()
    expect(await page.getByText(key).count()).toBe(0)
    await page.getByRole('button', { name: 'Delete the key Line 4' }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('row', { name: /Line 4/ }).waitFor({ state: 'detached' })
    await expect(send(key)).rejects.toThrow(/ 401/)
    await page.getByLabel('Name').fill('Line 5')
    await page.getByRole('button', { name: 'Create a key' }).click()
    const shown = page.locator('code').filter({ hasText: /^hk_.{20}/ })
    await shown.waitFor()
    await page.getByRole('button', { name: 'Delete the key Line 5' }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await shown.waitFor({ state: 'detached' })

    await follow(page, '/agents/enrol')
    await page.getByLabel('For which box').fill('Box in hall 4')
    await page.getByRole('button', { name: 'Create the key' }).click()
    const line = (await page.locator('code').filter({ hasText: 'enroll --hub' }).textContent()) as string
    await page.reload()
    await page.getByRole('button', { name: /^Delete .*Box in hall 4/ }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('row', { name: /Box in hall 4/ }).waitFor({ state: 'detached' })
    const boxKey = /he_\S+/.exec(line)?.[0] as string
    const box = { agent_id: 'hall-4', agent_version: '0.1.0', instance_id: randomUUID() }
    await expect(call(hub.url, 'POST', 'agent/enroll', box, { 'x-api-key': boxKey })).rejects.toThrow(/ 401/)
  })
})
