import { randomUUID } from 'node:crypto'
import { generateSync } from 'otplib'
import { describe, expect, it } from 'vitest'
import { createToken, DemoSignIn } from '../../src/features/people/accounts/index.ts'
import { sha256 } from '../../src/support/secrets/hash.ts'
import { PASSWORD } from '../harness.ts'
import { accessibilityFaults } from './browser.ts'
import { call } from './call.ts'
import { noBrowser } from './chromium.ts'
import { enter, newPlant, signOut } from './plant.ts'
import { useConsole } from './use-console.ts'

describe.skipIf(noBrowser)('in a browser', () => {
  const demo = new DemoSignIn()
  const { hub, hubs, browser } = useConsole({}, demo)

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
    await signOut(page)
    await page.getByText('You are signed out.').waitFor()
    await page.reload()
    await page.getByLabel('E-mail address').waitFor()
  })

  it('the address that npm start prints signs in once, the token leaves it, it leads to no other site, and later the page asks for the password', async () => {
    const plant = await newPlant(hub)
    const [user] = await hubs.owner<{ tenantId: string; userId: string }[]>`
      select tenant_id as "tenantId", id as "userId" from users where email = ${plant.email}`
    if (!user) throw new Error('The plant has no user.')
    const token = demo.offer(user, hubs.clock.now())
    const { page } = await browser.visit()
    const elsewhere = `/sign-in?next=${encodeURIComponent('https://other.invalid/')}`
    // also where the sign-in is open already, so that the browser loads nothing
    await page.goto(`${hub.url}${elsewhere}`)
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await page.goto(`${hub.url}${elsewhere}#demo=${token}`)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(page.url()).not.toContain('#')
    await page.reload()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()

    const second = await browser.visit()
    second.expected.push(/401 .*\/auth\/demo/)
    await second.page.goto(`${hub.url}/sign-in#demo=${token}`)
    await second.page.getByText('This address does not sign in: it was used already').waitFor()
    expect(second.page.url()).not.toContain('#')
    await second.page.getByLabel('E-mail address').fill(plant.email)
    await second.page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await second.page.getByRole('button', { name: 'Sign in' }).click()
    await second.page.getByRole('heading', { name: 'Overview' }).waitFor()
  })

  it('an address fills in no login', async () => {
    const { page } = await browser.visit()
    await page.goto(`${hub.url}/sign-in#email=ada%40example.com&password=Correct-horse-7`)
    expect(await page.getByLabel('E-mail address').inputValue()).toBe('')
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('')
  })

  it('a person who is locked out reads at what time the lockout ends, also after the right password', async () => {
    const plant = await newPlant(hub)
    const { page, expected } = await browser.visit()
    expected.push(/(?:401|429) .*\/auth\/login/)
    await page.goto(hub.url)
    await page.getByLabel('E-mail address').fill(plant.email)
    await page.getByLabel('Password', { exact: true }).fill('Wrong-password-1')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('E-mail address or password is wrong.').waitFor()
    // as after nine more of them; the account alone, because the other tests come from the same address
    const ends = new Date(Math.floor(Date.now() / 60_000) * 60_000 + 14 * 60_000 + 1_000)
    const subject = `account:${sha256(plant.email)}`
    await hubs.owner`update login_throttle set locked_until = ${ends} where subject = ${subject}`
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    const time = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'Europe/Berlin' })
    const shown = time.format(new Date(ends.getTime() + 59_000))
    await page.getByText(new RegExp(`Too many failed attempts. You can try again at ${shown}, in 1\\d minutes.`)).waitFor()
    await hubs.owner`update login_throttle set locked_until = ${new Date(0)} where subject = ${subject}`
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
  })

  it('two-factor sign-in is set up with a QR code and asks for a code from then on', async () => {
    const plant = await newPlant(hub)
    const { page, expected } = await browser.visit()
    expected.push(/40[01] .*\/auth\/mfa\//)
    await enter(page, hub, plant.email, '/settings')
    await page.getByRole('button', { name: 'Set up' }).click()
    await page.getByAltText('QR code for the authenticator app').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
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
    await signOut(page)
    await page.getByText('You are signed out.').waitFor()
    await page.getByLabel('E-mail address').fill(plant.email)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('Code').fill('000000')
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByText('This code is wrong or has expired.').waitFor()
    // a hub that does not answer is no wrong code
    expected.push(/ERR_FAILED.*\/auth\/mfa\/verify/)
    await page.route('**/auth/mfa/verify', (route) => route.abort(), { times: 1 })
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByText('The hub cannot be reached.').waitFor()
    // a code works once
    hubs.clock.advance(30)
    await page.getByLabel('Code').fill(code())
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
  })

  it('the password is changed with the current one, which browsers know by its name', async () => {
    const plant = await newPlant(hub)
    const { page, expected } = await browser.visit()
    expected.push(/403 .*change-password/)
    await enter(page, hub, plant.email, '/settings')
    const panel = page.getByRole('region', { name: 'Password and sessions' })
    expect(await panel.locator('input[name=username]').inputValue()).toBe(plant.email)
    for (const given of ['Wrong-pass-1', PASSWORD]) {
      await panel.getByLabel('Current password').fill(given)
      await panel.getByLabel('New password').fill('Second-pass-1')
      await panel.getByRole('button', { name: 'Change password' }).click()
      await page.getByText(given === PASSWORD ? 'Your password was changed.' : 'This password is wrong.').waitFor()
    }
    const body = { email: plant.email, password: 'Second-pass-1' }
    expect((await call(hub.url, 'POST', 'auth/login', body)).access_token).toBeTruthy()
  })

  it('two-factor sign-in asks for the password when the sign-in is older than 15 minutes', async () => {
    const plant = await newPlant(hub)
    const { page, expected } = await browser.visit()
    expected.push(/403 .*\/auth\/mfa\//)
    await enter(page, hub, plant.email, '/settings')
    const age = () => hubs.owner`update sessions set created_at = created_at - interval '15 minutes'`
    await age()
    const panel = page.getByRole('region', { name: 'Two-factor sign-in' })
    await panel.getByRole('button', { name: 'Set up' }).click()
    await panel.getByText('Your sign-in is older than 15 minutes.').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await panel.getByLabel('Current password').fill('Wrong-password-1')
    await panel.getByRole('button', { name: 'Set up' }).click()
    await panel.getByText('This password is wrong.').waitFor()
    await panel.getByLabel('Current password').fill(PASSWORD)
    await panel.getByRole('button', { name: 'Set up' }).click()
    const secret = (await panel
      .locator('code')
      .filter({ hasText: /^[A-Z2-7]{16,}$/ })
      .textContent()) as string
    await panel.getByLabel('Code').fill(generateSync({ secret, epoch: Math.floor(hubs.clock.now().getTime() / 1000) }))
    await panel.getByRole('button', { name: 'Switch on' }).click()
    await panel.getByText('Enter a code to switch it off.').waitFor()
  })

  it('a set-up that takes longer than 15 minutes asks for the password with the code', async () => {
    const plant = await newPlant(hub)
    const { page, expected } = await browser.visit()
    expected.push(/403 .*\/auth\/mfa\//)
    await enter(page, hub, plant.email, '/settings')
    const panel = page.getByRole('region', { name: 'Two-factor sign-in' })
    await panel.getByRole('button', { name: 'Set up' }).click()
    const secret = (await panel
      .locator('code')
      .filter({ hasText: /^[A-Z2-7]{16,}$/ })
      .textContent()) as string
    await hubs.owner`update sessions set created_at = created_at - interval '15 minutes'`
    await panel.getByLabel('Code').fill(generateSync({ secret, epoch: Math.floor(hubs.clock.now().getTime() / 1000) }))
    await panel.getByRole('button', { name: 'Switch on' }).click()
    await panel.getByLabel('Current password').fill(PASSWORD)
    await panel.getByRole('button', { name: 'Switch on' }).click()
    await panel.getByText('Enter a code to switch it off.').waitFor()
  })

  it('who must set up two-factor sign-in is led to it from an open page, in German, and then back', async () => {
    const plant = await newPlant(hub)
    const { email } = await plant.colleague('viewer')
    await hubs.owner`update users set locale = 'de' where email = ${email}`
    const { page, expected } = await browser.visit()
    expected.push(/403 \(Forbidden\)/)
    await enter(page, hub, email, '/machines')
    await page.getByRole('heading', { name: 'Maschinen' }).waitFor()
    await plant.call('PATCH', 'settings/security', { require_mfa: true })
    await page.getByRole('heading', { name: 'Anmeldung in zwei Schritten einrichten' }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.reload()
    await page.getByRole('button', { name: 'Einrichten' }).click()
    const secret = (await page
      .locator('code')
      .filter({ hasText: /^[A-Z2-7]{16,}$/ })
      .textContent()) as string
    await page.getByLabel('Code').fill(generateSync({ secret, epoch: Math.floor(hubs.clock.now().getTime() / 1000) }))
    await page.getByRole('button', { name: 'Einschalten' }).click()
    await page.getByRole('heading', { name: 'Maschinen' }).waitFor()
  })

  it('a session that is ended elsewhere leads to the sign-in, and from there back to the page', async () => {
    const plant = await newPlant(hub)
    const { page, expected } = await browser.visit()
    expected.push(/401 \(Unauthorized\)/)
    await enter(page, hub, plant.email, '/machines')
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
    await enter(page, hub, first.email)
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

  it('an invited person sets a password, and one who forgot it sets another with the link of a mail', async () => {
    const plant = await newPlant(hub)
    const email = `ina-${plant.machineId}@example.com`
    const { id: userId } = await plant.call('POST', 'users/invite', { email, full_name: 'Ina', role: 'viewer' })
    const { tenant_id: tenantId } = await plant.call('GET', 'auth/me')
    const tokenFor = (purpose: 'invitation' | 'password_reset') =>
      createToken(hubs.owner, { tenantId, userId }, purpose, hubs.clock.now())
    const { page, expected } = await browser.visit()
    expected.push(/401 .*\/auth\/invitations\/accept/, /422 .*\/auth\/invitations\/accept/)
    const invitation = `${hub.url}/invite?token=${await tokenFor('invitation')}`
    await page.goto(invitation)
    await page.getByLabel('New password').fill('no-digit-here')
    await page.getByLabel('Repeat the password').fill('Other-pass-1')
    await page.getByRole('button', { name: 'Set password' }).click()
    await page.getByText('The two passwords differ.').waitFor()
    await page.getByLabel('Repeat the password').fill('no-digit-here')
    await page.getByRole('button', { name: 'Set password' }).click()
    await page.getByText('The password needs 8 to 128 characters').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByLabel('New password').fill('First-pass-1')
    await page.getByLabel('Repeat the password').fill('First-pass-1')
    await page.getByRole('button', { name: 'Set password' }).click()
    await page.getByText('Your account is ready.').waitFor()
    await page.goto(invitation)
    await page.getByLabel('New password').fill('Second-pass-1')
    await page.getByLabel('Repeat the password').fill('Second-pass-1')
    await page.getByRole('button', { name: 'Set password' }).click()
    await page.getByRole('heading', { name: 'This link no longer works' }).waitFor()
    // a link that a mail program has cut
    await page.goto(`${hub.url}/invite`)
    await page.getByRole('heading', { name: 'This link no longer works' }).waitFor()
    await page.getByRole('link', { name: 'Sign in' }).click()

    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    // the form before has the same field
    await page.getByRole('button', { name: 'Send link' }).waitFor()
    await page.getByLabel('E-mail address').fill(email)
    await page.getByRole('button', { name: 'Send link' }).click()
    await page.getByText('a link is on its way').waitFor()
    await page.goto(`${hub.url}/reset-password?token=${await tokenFor('password_reset')}`)
    await page.getByLabel('New password').fill('Second-pass-1')
    await page.getByLabel('Repeat the password').fill('Second-pass-1')
    await page.getByRole('button', { name: 'Set password' }).click()
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password', { exact: true }).fill('Second-pass-1')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
  })

  it('a person with a used link to a new password asks for another one, in German', async () => {
    const { page, expected } = await browser.visit({ locale: 'de-AT' })
    expected.push(/401 .*\/auth\/password-reset\/confirm/)
    await page.goto(`${hub.url}/reset-password?token=${'x'.repeat(43)}`)
    await page.getByRole('heading', { name: 'Neues Passwort wählen' }).waitFor()
    await page.getByLabel('Neues Passwort').fill('Second-pass-1')
    await page.getByLabel('Passwort wiederholen').fill('Second-pass-1')
    await page.getByRole('button', { name: 'Passwort setzen' }).click()
    await page.getByRole('heading', { name: 'Dieser Link gilt nicht mehr' }).waitFor()
    await page.getByRole('button', { name: 'Einen anderen Link senden' }).click()
    await page.getByRole('heading', { name: 'Passwort vergessen?' }).waitFor()
    await page.getByRole('button', { name: 'Link senden' }).waitFor()
    await page.goto(`${hub.url}/invite?token=${'x'.repeat(43)}`)
    await page.getByRole('heading', { name: 'Einladung annehmen' }).waitFor()
  })

  it('a person creates a company on a hub with open registration, and reads why the hub refuses the password', async () => {
    const email = `${randomUUID()}@example.com`
    const { page, expected } = await browser.visit()
    expected.push(/422 .*\/auth\/register/)
    await page.goto(`${hub.url}/sign-in`)
    await page.getByRole('link', { name: 'New company' }).click()
    await page.getByLabel('Company').fill('Nordwerk')
    await page.getByLabel('Your name').fill('Nora Nord')
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill('no-digit-here')
    await page.getByRole('button', { name: 'Create company' }).click()
    await page.getByText('The password needs 8 to 128 characters').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Create company' }).click()
    await page.getByRole('link', { name: 'Add machines' }).waitFor()
    await page.getByText('Nora Nord').first().waitFor()
  })
})
