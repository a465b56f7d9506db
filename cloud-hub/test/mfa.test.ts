import { generate } from 'otplib'
import { describe, expect, it } from 'vitest'
import { PASSWORD, type TestUser, useHub } from './harness.ts'
import { mailsTo } from './mailbox.ts'

const hub = useHub()
const codeAt = (secret: string, at = hub.clock.now()) => generate({ secret, epoch: Math.floor(at.getTime() / 1000) })
/** codes work once, so the next one is a step later */
const nextCode = (secret: string) => {
  hub.clock.advance(30)
  return codeAt(secret)
}
const wrongCode = async (secret: string) => String((Number(await codeAt(secret)) + 1) % 1_000_000).padStart(6, '0')
const emailOf = async (user: TestUser) => (await user.call('GET', 'auth/me')).body.email as string
const login = async (email: string) => (await hub.call('POST', 'auth/login', { email, password: PASSWORD })).body
const verify = (mfa_token: string, code: string, ip?: string) => hub.call('POST', 'auth/mfa/verify', { mfa_token, code }, {}, ip)

async function withMfa() {
  const user = await hub.admin()
  const setup = (await user.call('POST', 'auth/mfa/setup')).body
  const email = await emailOf(user)
  const on = await user.call('POST', 'auth/mfa/verify-setup', { code: await codeAt(setup.secret) })
  expect(on.status).toBe(200)
  return { user, email, secret: setup.secret as string, recovery: setup.recovery_codes as string[] }
}

describe('setting up two-factor sign-in', () => {
  it('gives a secret, an otpauth URI, a QR code and ten recovery codes, and counts after the first code', async () => {
    const user = await hub.admin()
    const email = await emailOf(user)
    const { status, body } = await user.call('POST', 'auth/mfa/setup')
    expect(status).toBe(200)
    expect(body.qr_code_uri).toBe(`otpauth://totp/Haltless:${encodeURIComponent(email)}?secret=${body.secret}&issuer=Haltless`)
    expect(body.qr_code).toMatch(/^data:image\/png;base64,/)
    expect(new Set(body.recovery_codes).size).toBe(10)
    expect((await login(email)).mfa_required).toBe(false)
    expect((await user.call('POST', 'auth/mfa/verify-setup', { code: await codeAt(body.secret) })).body.mfa_enabled).toBe(true)
    expect(await login(email)).toMatchObject({ mfa_required: true, token_type: 'bearer' })
    expect((await mailsTo(hub, email)).map((m) => m.template)).toEqual(['mfa_changed'])
    expect(await user.call('POST', 'auth/mfa/setup')).toMatchObject({ status: 409, body: { code: 'mfa_enabled' } })
    expect((await user.call('POST', 'auth/mfa/verify-setup', { code: '123456' })).status).toBe(409)
  })
  it('asked for again, makes new ones and forgets the first', async () => {
    const user = await hub.admin()
    const first = (await user.call('POST', 'auth/mfa/setup')).body
    const second = (await user.call('POST', 'auth/mfa/setup')).body
    const confirm = async (secret: string) => user.call('POST', 'auth/mfa/verify-setup', { code: await codeAt(secret) })
    expect(await confirm(first.secret)).toMatchObject({
      status: 422,
      body: { code: 'mfa_code_wrong', errors: [{ path: 'body.code' }] },
    })
    expect((await confirm(second.secret)).status).toBe(200)
  })
  it('is needed before a code can be confirmed', async () => {
    const user = await hub.admin()
    expect(await user.call('POST', 'auth/mfa/verify-setup', { code: '123456' })).toMatchObject({
      status: 409,
      body: { code: 'mfa_not_set_up' },
    })
  })
  it('stores neither secret nor recovery codes as they are', async () => {
    const { user, secret, recovery } = await withMfa()
    const rows = JSON.stringify([
      await hub.owner`select * from mfa_secrets where user_id = ${user.userId}`,
      await hub.owner`select * from recovery_codes where user_id = ${user.userId}`,
      await hub.owner`select * from audit_log where tenant_id = ${user.tenantId}`,
    ])
    for (const hidden of [secret, ...recovery, (recovery[0] as string).replace('-', '')]) expect(rows).not.toContain(hidden)
  })
})

describe('signing in with two factors', () => {
  it('gives a pending token that nothing else takes, then token and cookie', async () => {
    const { email, secret } = await withMfa()
    const pending = (await login(email)).access_token
    expect((await hub.call('GET', 'auth/me', undefined, { authorization: `Bearer ${pending}` })).status).toBe(401)
    const done = await verify(pending, await nextCode(secret))
    expect(done).toMatchObject({ status: 200, body: { mfa_required: false } })
    expect(done.headers.get('set-cookie')).toMatch(/^refresh_token=/)
    const me = await hub.call('GET', 'auth/me', undefined, { authorization: `Bearer ${done.body.access_token}` })
    expect(me.body.mfa_enabled).toBe(true)
    expect(await verify(pending, await nextCode(secret))).toMatchObject({ status: 401, body: { code: 'mfa_token_invalid' } })
  })
  it('accepts a code of one step before or after, and none further away', async () => {
    const { email, secret } = await withMfa()
    for (const [seconds, status] of [
      [-60, 401],
      [60, 401],
      [-30, 200],
      [30, 200],
    ] as const) {
      hub.clock.advance(600)
      const pending = (await login(email)).access_token
      const code = await codeAt(secret, new Date(hub.clock.now().getTime() + seconds * 1000))
      expect([seconds, (await verify(pending, code)).status]).toEqual([seconds, status])
    }
  })
  it('takes a code once, also of two at the same time, and also what a setup was confirmed with', async () => {
    const user = await hub.admin()
    const { secret } = (await user.call('POST', 'auth/mfa/setup')).body
    const email = await emailOf(user)
    const code = await codeAt(secret)
    await user.call('POST', 'auth/mfa/verify-setup', { code })
    expect((await verify((await login(email)).access_token, code)).status).toBe(401)
    const fresh = await nextCode(secret)
    const pending = [(await login(email)).access_token, (await login(email)).access_token]
    const answers = await Promise.all(pending.map((token) => verify(token, fresh)))
    expect(answers.map((a) => a.status).sort()).toEqual([200, 401])
  })
  it('leaves the pending token usable after a wrong code, for 5 minutes', async () => {
    const { email, secret } = await withMfa()
    const pending = (await login(email)).access_token
    expect(await verify(pending, await wrongCode(secret))).toMatchObject({ status: 401, body: { code: 'mfa_code_wrong' } })
    expect((await verify(pending, '12')).status).toBe(401)
    expect((await verify(pending, await nextCode(secret))).status).toBe(200)
    const late = (await login(email)).access_token
    hub.clock.advance(301)
    expect((await verify(late, await codeAt(secret))).body.code).toBe('mfa_token_invalid')
  })
  it('takes each recovery code once, however it is typed', async () => {
    const { email, recovery } = await withMfa()
    const typed = (recovery[0] as string).toUpperCase().replace('-', ' ')
    expect((await verify((await login(email)).access_token, typed)).status).toBe(200)
    expect((await verify((await login(email)).access_token, recovery[0] as string)).status).toBe(401)
    expect((await verify((await login(email)).access_token, recovery[1] as string)).status).toBe(200)
  })
  it('locks the account after 10 wrong codes; the right password alone resets nothing', async () => {
    const { email, secret } = await withMfa()
    for (let i = 0; i < 10; i++) {
      const pending = (await login(email)).access_token
      expect((await verify(pending, await wrongCode(secret))).status).toBe(401)
    }
    expect((await hub.call('POST', 'auth/login', { email, password: PASSWORD })).status).toBe(429)
    hub.clock.advance(15 * 60 + 1)
    expect((await verify((await login(email)).access_token, await codeAt(secret))).status).toBe(200)
  })
  it('evaluates at most 10 of 50 concurrent guesses', async () => {
    const { user, email } = await withMfa()
    const pending = (await login(email)).access_token
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => verify(pending, String(100_000 + i))))
    expect(answers.filter((a) => a.status !== 429).length).toBeLessThanOrEqual(10)
    expect(user.userId).toBeTruthy()
  })
  it('is noted in the audit trail, as is a wrong password', async () => {
    const { user, email, secret } = await withMfa()
    await hub.call('POST', 'auth/login', { email, password: 'Wrong-pass-1' })
    await verify((await login(email)).access_token, await nextCode(secret))
    const { items } = (await user.call('GET', 'audit-log?action=user.')).body
    expect(items.map((e: { action: string }) => e.action)).toEqual([
      'user.signed_in',
      'user.sign_in_failed',
      'user.updated',
      'user.registered',
    ])
    expect(items[2].after).toEqual({ mfa_enabled: true })
  })
})

describe('switching it off', () => {
  it('asks for a code, and the password alone signs in again', async () => {
    const { user, email, secret } = await withMfa()
    expect(await user.call('POST', 'auth/mfa/disable', { code: await wrongCode(secret) })).toMatchObject({
      status: 403,
      body: { code: 'mfa_code_wrong' },
    })
    expect((await user.call('POST', 'auth/mfa/disable', { code: await nextCode(secret) })).body.mfa_enabled).toBe(false)
    expect((await login(email)).mfa_required).toBe(false)
    expect(await user.call('POST', 'auth/mfa/disable', { code: '123456' })).toMatchObject({
      status: 409,
      body: { code: 'mfa_disabled' },
    })
    const left = await hub.owner`select 1 from recovery_codes where user_id = ${user.userId}`
    expect(left.length).toBe(0)
  })
  it('works with a recovery code', async () => {
    const { user, recovery } = await withMfa()
    expect((await user.call('POST', 'auth/mfa/disable', { code: recovery[9] })).status).toBe(200)
  })
})
