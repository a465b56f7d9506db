import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createToken } from '../src/features/people/accounts/index.ts'
import { PASSWORD, useHub } from './harness.ts'
import { lastMailTo } from './mailbox.ts'

const hub = useHub()
/** As a browser without JavaScript: the console's page leads it here. */
const open = (path: string, headers: Record<string, string> = {}) =>
  hub.call('GET', `${path}${path.includes('?') ? '&' : '?'}plain=1`, undefined, headers)
const send = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}, ip?: string) => {
  const body = new URLSearchParams(fields).toString()
  const form = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': String(body.length) }
  return hub.call('POST', path, body, { ...form, ...headers }, ip)
}
const both = { password: 'Fresh-pass-1', repeat: 'Fresh-pass-1' }
async function invited() {
  const admin = await hub.admin()
  const email = `${randomUUID()}@example.com`
  await admin.call('POST', 'users/invite', { email, full_name: 'Ina', role: 'viewer' })
  return { email, token: (await lastMailTo(hub, email)).token }
}
const login = async (email: string, password: string) => (await hub.call('POST', 'auth/login', { email, password })).status

describe('every page', () => {
  it('works without JavaScript, fetches nothing, is not framed, not kept and tells no address where it came from', async () => {
    for (const path of ['/reset-password', '/invite?token=x', '/sso?code=x', '/sso?error=sso_failed']) {
      const { headers, body } = await open(path)
      expect(headers.get('content-type')).toMatch(/^text\/html/)
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
      )
      expect([headers.get('cache-control'), headers.get('referrer-policy')]).toEqual(['no-store', 'no-referrer'])
      expect(body).not.toMatch(/<script|src=|@import|url\(|style="/)
    }
  })
  it("speaks the browser's language", async () => {
    expect((await open('/reset-password')).body).toContain('Forgot your password?')
    const german = (await open('/reset-password', { 'accept-language': 'fr, de-AT;q=0.8, en;q=0.5' })).body
    expect(german).toContain('Passwort vergessen?')
    expect(german).toContain('<html lang="de">')
  })
  it('shows what it was given as text', async () => {
    const { body } = await send('/invite', { token: '"><script>alert(1)</script>', password: 'x', repeat: 'x' })
    expect(body).not.toContain('<script>')
    expect(body).toContain('&quot;&gt;&lt;script&gt;')
  })
  it('refuses forms of other sites, and forms that are far too large', async () => {
    const { token } = await invited()
    expect((await send('/invite', { token, ...both }, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await send('/invite', { token, password: 'x'.repeat(20_000) })).status).toBe(413)
    expect((await send('/invite', { token, ...both }, { 'sec-fetch-site': 'same-origin' })).status).toBe(200)
  })
  it('shares the limit of writes with the API', async () => {
    const ip = '192.0.2.40'
    const answers = []
    for (let i = 0; i < 121; i++) answers.push((await send('/sso', {}, { 'content-length': '99999' }, ip)).status)
    expect(answers.slice(0, 120).every((status) => status === 413)).toBe(true)
    expect(answers[120]).toBe(429)
  })
})

describe('the page of an invitation', () => {
  it('sets the password once, and says what is wrong with what was typed', async () => {
    const { email, token } = await invited()
    expect((await open(`/invite?token=${token}`)).body).toContain(`value="${token}"`)
    const weak = await send('/invite', { token, password: 'weak', repeat: 'weak' })
    expect([weak.status, weak.body.includes('role="alert"'), weak.body.includes(`value="${token}"`)]).toEqual([422, true, true])
    const different = await send('/invite', { token, password: 'Fresh-pass-1', repeat: 'Fresh-pass-2' })
    expect([different.status, different.body.includes('The two passwords differ.')]).toEqual([422, true])
    const done = (await send('/invite', { token, ...both })).body
    expect(done).toContain('Your account is ready.')
    expect(done).toContain('<a href="/sign-in">Go to the sign-in</a>')
    expect(await login(email, 'Fresh-pass-1')).toBe(200)
    expect((await open(`/invite?token=${token}`)).status).toBe(410)
    expect((await send('/invite', { token, ...both })).status).toBe(410)
  })
  it('does not take a token of another purpose', async () => {
    const { token } = await invited()
    expect((await open(`/reset-password?token=${token}`)).status).toBe(410)
  })
  it('locks out who guesses tokens', async () => {
    const ip = '192.0.2.41'
    for (let i = 0; i < 10; i++) expect((await send('/invite', { token: 'guess', ...both }, {}, ip)).status).toBe(410)
    expect((await send('/invite', { token: 'guess', ...both }, {}, ip)).status).toBe(429)
  })
})

describe('the page of a forgotten password', () => {
  it('asks for the address, mails a link, and the link sets a new password', async () => {
    const admin = await hub.admin()
    const { email } = (await admin.call('GET', 'auth/me')).body
    const asked = await send('/reset-password', { email })
    const unknown = await send('/reset-password', { email: 'nobody@example.com' })
    expect([asked.status, asked.body]).toEqual([unknown.status, unknown.body])
    const { token } = await lastMailTo(hub, email)
    expect((await open(`/reset-password?token=${token}`)).status).toBe(200)
    expect((await send('/reset-password', { token, ...both })).body).toContain('Your password was changed.')
    expect([await login(email, PASSWORD), await login(email, 'Fresh-pass-1')]).toEqual([401, 200])
  })
})

describe('the page that SSO returns to', () => {
  it('signs in with its one-time code and sets the refresh cookie', async () => {
    const admin = await hub.admin()
    const code = await createToken(hub.deps.pools.system, admin, 'sso_exchange', hub.clock.now())
    expect((await open(`/sso?code=${code}`)).body).toContain('Almost there')
    const done = await send('/sso', { code })
    expect(done.body).toContain('You are signed in.')
    const cookie = /refresh_token=([^;]+)/.exec(done.headers.get('set-cookie') ?? '')?.[1]
    expect((await hub.call('POST', 'auth/refresh', undefined, { cookie: `refresh_token=${cookie}` })).status).toBe(200)
    expect((await send('/sso', { code })).status).toBe(401)
  })
  it('says in plain words why a sign-in was refused', async () => {
    const { status, body } = await open('/sso?error=email_not_verified')
    expect([status, body.includes('has not verified your e-mail address')]).toEqual([401, true])
    expect((await open('/sso?error=<b>')).body).not.toContain('<b>')
  })
})
