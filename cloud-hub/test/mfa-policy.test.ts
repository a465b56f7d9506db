import { randomUUID } from 'node:crypto'
import { generate } from 'otplib'
import { describe, expect, it } from 'vitest'
import { createToken } from '../src/features/people/accounts/index.ts'
import { PASSWORD, type TestUser, useHub } from './harness.ts'
import { lastMailTo, mailsTo } from './mailbox.ts'

const hub = useHub()
const QUARTER_HOUR = 15 * 60
const codeOf = (secret: string) => generate({ secret, epoch: Math.floor(hub.clock.now().getTime() / 1000) })
const emailOf = async (user: TestUser) => (await user.call('GET', 'auth/me')).body.email as string
/** The same session with a new access token, as a thief who has the refresh cookie gets it. */
async function refreshed(user: TestUser): Promise<TestUser> {
  const answer = await hub.call('POST', 'auth/refresh', undefined, { cookie: `refresh_token=${user.cookie}` })
  expect(answer.status).toBe(200)
  const authorization = `Bearer ${answer.body.access_token}`
  const call: TestUser['call'] = (method, path, body) => hub.call(method, path, body, { authorization })
  return { ...user, call }
}
async function stolen(user: TestUser): Promise<TestUser> {
  hub.clock.advance(QUARTER_HOUR)
  return refreshed(user)
}
async function setUp(user: TestUser): Promise<string> {
  const { secret } = (await user.call('POST', 'auth/mfa/setup')).body
  expect((await user.call('POST', 'auth/mfa/verify-setup', { code: await codeOf(secret) })).status).toBe(200)
  return secret
}
async function sso(user: TestUser): Promise<TestUser> {
  const code = await createToken(hub.deps.pools.system, user, 'sso_exchange', hub.clock.now())
  const { access_token } = (await hub.call('POST', 'auth/sso/exchange', { code })).body
  const authorization = `Bearer ${access_token}`
  return { ...user, call: (method, path, body) => hub.call(method, path, body, { authorization }) }
}
const refused = (code: string, status = 403) => ({ status, body: { code } })

describe('the set-up of a second factor', () => {
  it('is refused to a session whose sign-in is 15 minutes old, although its token is new', async () => {
    const thief = await stolen(await hub.admin())
    expect(await thief.call('POST', 'auth/mfa/setup')).toMatchObject(refused('reauthentication_required'))
    expect(await thief.call('POST', 'auth/mfa/setup', {})).toMatchObject(refused('reauthentication_required'))
  })

  it('is refused at its second step too', async () => {
    const user = await hub.admin()
    const { secret } = (await user.call('POST', 'auth/mfa/setup')).body
    const thief = await stolen(user)
    const body = { code: await codeOf(secret) }
    expect(await thief.call('POST', 'auth/mfa/verify-setup', body)).toMatchObject(refused('reauthentication_required'))
    expect((await thief.call('GET', 'auth/me')).body.mfa_enabled).toBe(false)
  })

  it('goes on with the password, at both steps; a wrong one counts towards the lockout', async () => {
    const old = await stolen(await hub.admin())
    const wrong = { current_password: 'Wrong-pass-1' }
    expect(await old.call('POST', 'auth/mfa/setup', wrong)).toMatchObject(refused('password_wrong'))
    const right = { current_password: PASSWORD }
    const { secret } = (await old.call('POST', 'auth/mfa/setup', right)).body
    const code = await codeOf(secret)
    expect(await old.call('POST', 'auth/mfa/verify-setup', { code, ...wrong })).toMatchObject(refused('password_wrong'))
    expect((await old.call('POST', 'auth/mfa/verify-setup', { code, ...right })).body.mfa_enabled).toBe(true)
    const other = await stolen(await hub.admin())
    for (let i = 0; i < 10; i++) await other.call('POST', 'auth/mfa/setup', wrong)
    expect(await other.call('POST', 'auth/mfa/setup', right)).toMatchObject(refused('login_locked', 429))
  })

  it('goes on within 15 minutes of a sign-in through SSO, and of a change of the password', async () => {
    const user = await hub.admin()
    hub.clock.advance(QUARTER_HOUR)
    expect((await (await sso(user)).call('POST', 'auth/mfa/setup')).status).toBe(200)
    const changed = await (await refreshed(user)).call('POST', 'settings/change-password', {
      current_password: PASSWORD,
      new_password: 'Fresh-pass-1',
    })
    const as = { authorization: `Bearer ${changed.body.access_token}` }
    expect((await hub.call('POST', 'auth/mfa/setup', undefined, as)).status).toBe(200)
  })

  it('names an account without a password', async () => {
    const user = await hub.admin()
    await hub.owner`update users set password_hash = null where id = ${user.userId}`
    const body = { current_password: PASSWORD }
    expect(await user.call('POST', 'auth/mfa/setup', body)).toMatchObject(refused('password_not_set'))
  })

  it('accepts a request with the type of JSON and an empty body', async () => {
    const user = await hub.admin()
    const headers = { 'content-type': 'application/json', 'content-length': '0' }
    expect((await user.call('POST', 'auth/mfa/setup', undefined, headers)).status).toBe(200)
  })
})

describe('an admin resets the second factor of a member', () => {
  async function company() {
    const admin = await hub.admin()
    const member = await hub.colleague(admin, 'operator')
    await member.call('PATCH', 'settings/profile', { locale: 'de' })
    const email = await emailOf(member)
    await setUp(member)
    return {
      admin,
      member,
      email,
      reset: (by = admin, body?: object) => by.call('POST', `users/${member.userId}/mfa-reset`, body),
    }
  }

  it('who then signs in with the password alone; all sessions have ended, and a mail says so in his language', async () => {
    const { admin, member, email, reset } = await company()
    const pending = (await hub.call('POST', 'auth/login', { email, password: PASSWORD })).body
    expect(pending.mfa_required).toBe(true)
    expect(await reset()).toMatchObject({ status: 200, body: { mfa_enabled: false, is_active: true, role: 'operator' } })
    expect((await member.call('GET', 'auth/me')).status).toBe(401)
    expect((await hub.call('POST', 'auth/mfa/verify', { mfa_token: pending.access_token, code: '123456' })).body.code).toBe(
      'mfa_token_invalid',
    )
    expect((await hub.call('POST', 'auth/login', { email, password: PASSWORD })).body.mfa_required).toBe(false)
    const mail = await lastMailTo(hub, email)
    expect([mail.template, mail.locale]).toEqual(['mfa_changed', 'de'])
    expect(mail.text).toContain(`${await emailOf(admin)} hat sie als Administrator zurückgesetzt`)
    const left = await hub.owner`
      select 1 from recovery_codes where user_id = ${member.userId} union all select 1 from mfa_secrets where user_id = ${member.userId}`
    expect(left.length).toBe(0)
    expect(await reset()).toMatchObject(refused('mfa_disabled', 409))
  })

  it('with an entry in the audit trail', async () => {
    const { admin, member, reset } = await company()
    await reset()
    const [entry] = (await admin.call('GET', `audit-log?target_id=${member.userId}`)).body.items
    expect(entry).toMatchObject({
      action: 'user.updated',
      actor: { id: admin.userId },
      before: { mfa_enabled: true },
      after: { mfa_enabled: false },
    })
  })

  it('also when the company has switched such mails off', async () => {
    const { admin, email, reset } = await company()
    const before = (await mailsTo(hub, email)).length
    await admin.call('PATCH', 'settings/email-notifications', { prefs: { mfa_changed: false } })
    expect((await reset()).status).toBe(200)
    expect((await mailsTo(hub, email)).length).toBe(before + 1)
  })

  it('after a recent sign-in or with the password only', async () => {
    const { admin, member, reset } = await company()
    const thief = await stolen(admin)
    expect(await reset(thief)).toMatchObject(refused('reauthentication_required'))
    expect(await reset(thief, { current_password: 'Wrong-pass-1' })).toMatchObject(refused('password_wrong'))
    expect((await thief.call('GET', 'users')).body.find((u: { id: string }) => u.id === member.userId).mfa_enabled).toBe(true)
    expect((await reset(thief, { current_password: PASSWORD })).status).toBe(200)
  })

  it('but never his own, and nobody below an admin does', async () => {
    const { admin, member, reset } = await company()
    await setUp(admin)
    expect(await admin.call('POST', `users/${admin.userId}/mfa-reset`)).toMatchObject(refused('own_mfa', 409))
    expect((await admin.call('GET', 'auth/me')).body.mfa_enabled).toBe(true)
    expect(await reset(member)).toMatchObject(refused('role_insufficient'))
    expect(await reset(await hub.admin())).toMatchObject(refused('user_not_found', 404))
  })
})

describe('a company that requires two-factor sign-in', () => {
  async function strict() {
    const admin = await hub.admin()
    await setUp(admin)
    const member = await hub.colleague(admin, 'operator')
    expect((await admin.call('GET', 'settings/security')).body).toMatchObject({ require_mfa: false })
    expect((await admin.call('PATCH', 'settings/security', { require_mfa: true })).body).toMatchObject({ require_mfa: true })
    return { admin, member }
  }

  it('lets a member without it reach only the set-up, signing out and who he is', async () => {
    const { member } = await strict()
    const reached: string[] = []
    for (const { spec } of hub.routes) {
      if (!['any', 'operator', 'admin'].includes(spec.access) || spec.path === '/auth/logout') continue
      const path = spec.path.replace(/\{\w+\}/g, member.userId)
      const withBody = spec.method !== 'get' && spec.method !== 'delete'
      const { body } = await member.call(spec.method.toUpperCase(), `/api/v1${path}`, withBody ? {} : undefined)
      if (body.code === 'rate_limited') throw new Error('the walk is longer than the limit of requests: let the clock advance')
      if (body.code !== 'mfa_setup_required') reached.push(`${spec.method} ${spec.path}`)
      hub.clock.advance(1)
    }
    expect(reached.sort()).toEqual(['get /auth/me', 'get /bootstrap', 'post /auth/mfa/setup', 'post /auth/mfa/verify-setup'])
    expect((await member.call('POST', 'auth/logout')).status).toBe(204)
  })

  it('opens everything once the member has set it up', async () => {
    const { member } = await strict()
    expect((await member.call('GET', 'auth/me')).body).toMatchObject({ mfa_setup_required: true, mfa_enabled: false })
    expect((await member.call('GET', 'bootstrap')).body).toMatchObject({ user: { mfa_setup_required: true }, company: null })
    expect(await member.call('GET', 'machines')).toMatchObject(refused('mfa_setup_required'))
    const secret = await setUp(member)
    expect((await member.call('GET', 'auth/me')).body).toMatchObject({ mfa_setup_required: false, mfa_enabled: true })
    expect((await member.call('GET', 'machines')).status).toBe(200)
    // switching it off closes everything again
    hub.clock.advance(30)
    expect((await member.call('POST', 'auth/mfa/disable', { code: await codeOf(secret) })).body.mfa_setup_required).toBe(true)
    expect(await member.call('GET', 'machines')).toMatchObject(refused('mfa_setup_required'))
  })

  it('counts sessions through SSO as satisfied, also after a refresh', async () => {
    const { member } = await strict()
    const throughSso = await sso(member)
    expect((await throughSso.call('GET', 'machines')).status).toBe(200)
    expect((await throughSso.call('GET', 'auth/me')).body.mfa_setup_required).toBe(false)
    const code = await createToken(hub.deps.pools.system, member, 'sso_exchange', hub.clock.now())
    const { headers } = await hub.call('POST', 'auth/sso/exchange', { code })
    const cookie = /refresh_token=([^;]*)/.exec(headers.get('set-cookie') ?? '')?.[1] as string
    expect((await (await refreshed({ ...member, cookie })).call('GET', 'machines')).status).toBe(200)
  })

  it('does not concern API keys, and only an admin changes it, with an entry in the audit trail', async () => {
    const { admin, member } = await strict()
    const { key } = await hub.apiKey(admin)
    expect((await hub.call('POST', 'ingest', { readings: [] }, { 'x-api-key': key })).status).toBe(207)
    const [entry] = (await admin.call('GET', 'audit-log?target_type=tenant')).body.items
    expect(entry).toMatchObject({ before: { require_mfa: false }, after: { require_mfa: true }, actor: { id: admin.userId } })
    await setUp(member)
    expect(await member.call('PATCH', 'settings/security', { require_mfa: false })).toMatchObject(refused('role_insufficient'))
    expect((await member.call('GET', 'settings/security')).body).toMatchObject({ require_mfa: true })
    expect((await admin.call('PATCH', 'settings/security', {})).body).toMatchObject({ require_mfa: true })
    const other = await hub.colleague(admin, 'viewer')
    expect((await admin.call('PATCH', 'settings/security', { require_mfa: false })).body).toMatchObject({ require_mfa: false })
    expect((await other.call('GET', 'machines')).status).toBe(200)
  })
})

describe('who confirms the users of a company', () => {
  const config = () => ({
    provider_name: 'Acme ID',
    client_id: 'hub',
    client_secret: 'not-a-real-secret',
    discovery_url: 'https://id.example.com',
    domain: `${randomUUID()}.example`,
  })
  const right = { current_password: PASSWORD }

  it('is not changed by a session whose sign-in is 15 minutes old: its own provider would sign it in as anybody', async () => {
    const admin = await hub.admin()
    expect((await admin.call('POST', 'auth/sso/config', config())).status).toBe(201)
    const thief = await stolen(admin)
    for (const change of [
      { discovery_url: 'https://id.thief.example', client_secret: 'x' },
      { client_id: 'thief' },
      { client_secret: 'x' },
      { domain: 'thief.example' },
      { trust_email: true },
    ])
      expect(await thief.call('PATCH', 'auth/sso/config', change)).toMatchObject(refused('reauthentication_required'))
    expect((await thief.call('DELETE', 'auth/sso/config')).status).toBe(204)
    expect(await thief.call('POST', 'auth/sso/config', config())).toMatchObject(refused('reauthentication_required'))
  })

  it('is changed with the password, and its name without', async () => {
    const admin = await stolen(await hub.admin())
    expect(await admin.call('POST', 'auth/sso/config', { ...config(), current_password: 'Wrong-pass-1' })).toMatchObject(
      refused('password_wrong'),
    )
    expect((await admin.call('POST', 'auth/sso/config', { ...config(), ...right })).status).toBe(201)
    const changed = await admin.call('PATCH', 'auth/sso/config', { client_id: 'other', ...right })
    expect(changed).toMatchObject({ status: 200, body: { client_id: 'other' } })
    expect((await admin.call('PATCH', 'auth/sso/config', { provider_name: 'Other' })).body.provider_name).toBe('Other')
  })
})

describe('a sign-in that is under way', () => {
  it.each([
    ['the password', { password_hash: 'another' }],
    ['the second factor', { mfa_enabled: true }],
    ['the account', { is_active: false }],
  ])('opens no session when %s changes before it ends', async (_, change) => {
    const user = await hub.admin()
    const email = await emailOf(user)
    let answer: ReturnType<typeof hub.call> | undefined
    await hub.owner.begin(async (sql) => {
      await sql`update users set ${sql(change)} where id = ${user.userId}`
      answer = hub.call('POST', 'auth/login', { email, password: PASSWORD })
      await expect
        .poll(
          async () =>
            (await sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`).length,
        )
        .toBe(1)
    })
    expect(await answer).toMatchObject(refused('login_failed', 401))
    const sessions = await hub.owner`select 1 from sessions where user_id = ${user.userId}`
    expect(sessions).toHaveLength(1)
  })
})
