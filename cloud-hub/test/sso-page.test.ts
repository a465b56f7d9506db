import { describe, expect, it } from 'vitest'
import { createToken } from '../src/features/people/accounts/index.ts'
import { useHub } from './harness.ts'

const hub = useHub()
const open = (path: string, headers: Record<string, string> = {}) => hub.call('GET', path, undefined, headers)
const send = (fields: Record<string, string>, headers: Record<string, string> = {}, ip?: string) => {
  const body = new URLSearchParams(fields).toString()
  const form = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': String(body.length) }
  return hub.call('POST', '/sso', body, { ...form, ...headers }, ip)
}
const newCode = async () => createToken(hub.deps.pools.system, await hub.admin(), 'sso_exchange', hub.clock.now())

describe('the page that SSO returns to', () => {
  it('works without JavaScript, fetches nothing, is not framed, not kept and tells no address where it came from', async () => {
    for (const path of ['/sso?code=x', '/sso?error=sso_failed']) {
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
    expect((await open('/sso?code=x')).body).toContain('Almost there')
    const german = (await open('/sso?code=x', { 'accept-language': 'fr, de-AT;q=0.8, en;q=0.5' })).body
    expect(german).toContain('Fast geschafft')
    expect(german).toContain('<html lang="de">')
  })
  it('shows what it was given as text', async () => {
    const { body } = await open(`/sso?code=${encodeURIComponent('"><script>alert(1)</script>')}`)
    expect(body).not.toContain('<script>')
    expect(body).toContain('value="&quot;&gt;&lt;script&gt;')
    expect((await open('/sso?error=<b>')).body).not.toContain('<b>')
  })
  it('refuses forms of other sites, and forms that are far too large', async () => {
    const code = await newCode()
    expect((await send({ code }, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await send({ code, more: 'x'.repeat(20_000) })).status).toBe(413)
    expect((await send({ code }, { 'sec-fetch-site': 'same-origin' })).status).toBe(200)
  })
  it('shares the limit of writes with the API', async () => {
    const ip = '192.0.2.40'
    const answers = []
    for (let i = 0; i < 121; i++) answers.push((await send({}, { 'content-length': '99999' }, ip)).status)
    expect(answers.slice(0, 120).every((status) => status === 413)).toBe(true)
    expect(answers[120]).toBe(429)
  })
  it('signs in with its one-time code and sets the refresh cookie', async () => {
    const code = await newCode()
    expect((await open(`/sso?code=${code}`)).body).toContain(`value="${code}"`)
    const done = await send({ code })
    expect(done.body).toContain('You are signed in.')
    const cookie = /refresh_token=([^;]+)/.exec(done.headers.get('set-cookie') ?? '')?.[1]
    expect((await hub.call('POST', 'auth/refresh', undefined, { cookie: `refresh_token=${cookie}` })).status).toBe(200)
    expect((await send({ code })).status).toBe(401)
  })
  it('locks out who guesses codes', async () => {
    const ip = '192.0.2.41'
    for (let i = 0; i < 10; i++) expect((await send({ code: 'guess' }, {}, ip)).status).toBe(401)
    const locked = await send({ code: await newCode() }, {}, ip)
    expect([locked.status, locked.body.includes('Try again in 15 minutes.')]).toEqual([429, true])
  })
  it('says in plain words why a sign-in was refused', async () => {
    const { status, body } = await open('/sso?error=email_not_verified')
    expect([status, body.includes('has not verified your e-mail address')]).toEqual([401, true])
  })
})
