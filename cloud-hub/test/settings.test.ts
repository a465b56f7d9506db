import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { PASSWORD, type TestUser, useHub } from './harness.ts'
import { lastMailTo, mailsTo } from './mailbox.ts'

const hub = useHub()
const emailOf = async (user: TestUser) => (await user.call('GET', 'auth/me')).body.email as string
const login = (email: string, password = PASSWORD) => hub.call('POST', 'auth/login', { email, password })

describe('the profile', () => {
  it('takes each field alone, and an empty string clears what is optional', async () => {
    const user = await hub.admin()
    const values = { full_name: 'Ada L.', phone: '+1 555', timezone: 'America/New_York', locale: 'de-DE' }
    for (const [name, value] of Object.entries(values))
      expect((await user.call('PATCH', 'settings/profile', { [name]: value })).body[name]).toBe(value)
    const cleared = await user.call('PATCH', 'settings/profile', { phone: '', timezone: '', locale: '' })
    expect(cleared.body).toMatchObject({ full_name: 'Ada L.', phone: null, timezone: null, locale: null })
  })
  it.each([
    [{ full_name: '' }, 'body.full_name'],
    [{ full_name: 'x'.repeat(256) }, 'body.full_name'],
    [{ email: 'nobody' }, 'body.email'],
    [{ timezone: 'Mars/Base' }, 'body.timezone'],
    [{ locale: 'not a tag' }, 'body.locale'],
    [{ phone: 'call me' }, 'body.phone'],
    [{ email: 'new@example.com' }, 'body.current_password'],
  ])('refuses %o', async (values, path) => {
    const user = await hub.admin()
    expect(await user.call('PATCH', 'settings/profile', values)).toMatchObject({ status: 422, body: { errors: [{ path }] } })
  })
  it('changes the e-mail address only with the password; the old address is told', async () => {
    const user = await hub.admin()
    const [old, email] = [await emailOf(user), `${randomUUID()}@example.com`]
    const change = (current_password: string) => user.call('PATCH', 'settings/profile', { email, current_password })
    expect(await change('Wrong-pass-1')).toMatchObject({ status: 403, body: { code: 'password_wrong' } })
    expect((await change(PASSWORD)).body.email).toBe(email)
    expect([(await login(old)).status, (await login(email)).status]).toEqual([401, 200])
    expect((await lastMailTo(hub, old)).text).toContain(email)
  })
  it('refuses an address that somebody has, and counts wrong passwords towards the lockout', async () => {
    const [user, other] = [await hub.admin(), await hub.admin()]
    const taken = await emailOf(other)
    expect(await user.call('PATCH', 'settings/profile', { email: taken, current_password: PASSWORD })).toMatchObject({
      status: 409,
      body: { code: 'email_taken' },
    })
    const change = () => user.call('PATCH', 'settings/profile', { email: 'a@example.com', current_password: 'Wrong-pass-1' })
    for (let i = 0; i < 10; i++) expect((await change()).status).toBe(403)
    expect(await change()).toMatchObject({ status: 429, body: { code: 'login_locked' } })
    expect((await login(await emailOf(user))).status).toBe(429)
  })
})

describe('changing the password', () => {
  it('ends all other sessions and the old access token, and goes on with a fresh one', async () => {
    const user = await hub.admin()
    const email = await emailOf(user)
    const other = (await login(email)).body.access_token
    const answer = await user.call('POST', 'settings/change-password', {
      current_password: PASSWORD,
      new_password: 'Fresh-pass-1',
    })
    expect(answer).toMatchObject({ status: 200, body: { token_type: 'bearer', mfa_required: false } })
    const me = (token: string) => hub.call('GET', 'auth/me', undefined, { authorization: `Bearer ${token}` })
    expect((await me(answer.body.access_token)).status).toBe(200)
    expect([(await me(other)).status, (await me(user.token)).status]).toEqual([401, 401])
    const fresh = /refresh_token=([^;]+)/.exec(answer.headers.get('set-cookie') ?? '')?.[1]
    expect((await hub.call('POST', 'auth/refresh', undefined, { cookie: `refresh_token=${user.cookie}` })).status).toBe(401)
    expect((await hub.call('POST', 'auth/refresh', undefined, { cookie: `refresh_token=${fresh}` })).status).toBe(200)
    expect([(await login(email)).status, (await login(email, 'Fresh-pass-1')).status]).toEqual([401, 200])
    expect((await lastMailTo(hub, email)).template).toBe('password_changed')
  })
  it('asks for the current password and a good new one', async () => {
    const user = await hub.admin()
    const change = (current_password: string, new_password: string) =>
      user.call('POST', 'settings/change-password', { current_password, new_password })
    expect(await change('Wrong-pass-1', 'Fresh-pass-1')).toMatchObject({ status: 403, body: { code: 'password_wrong' } })
    expect((await change(PASSWORD, 'weak')).status).toBe(422)
    expect((await user.call('GET', 'auth/me')).status).toBe(200)
  })
  it('of two at once with the same password lets one through', async () => {
    const user = await hub.admin()
    const change = (new_password: string) =>
      user.call('POST', 'settings/change-password', { current_password: PASSWORD, new_password })
    const answers = await Promise.all([change('First-pass-1'), change('Second-pass-1')])
    expect(answers.filter((a) => a.status === 200).length).toBe(1)
  })
  it('ends a reset link that was mailed before', async () => {
    const user = await hub.admin()
    const email = await emailOf(user)
    await hub.call('POST', 'auth/password-reset', { email })
    const { token } = await lastMailTo(hub, email)
    await user.call('POST', 'settings/change-password', { current_password: PASSWORD, new_password: 'Fresh-pass-1' })
    expect((await hub.call('POST', 'auth/password-reset/confirm', { token, password: 'Other-pass-1' })).status).toBe(401)
  })
  it('is told by mail unless the tenant switched that off', async () => {
    const user = await hub.admin()
    await user.call('PATCH', 'settings/email-notifications', { prefs: { password_changed: false } })
    await user.call('POST', 'settings/change-password', { current_password: PASSWORD, new_password: 'Fresh-pass-1' })
    const rows = await hub.owner`select 1 from mails where tenant_id = ${user.tenantId}`
    expect(rows.length).toBe(0)
  })
  it('is refused to users who have none', async () => {
    const user = await hub.admin()
    await hub.owner`update users set password_hash = null where id = ${user.userId}`
    const body = { current_password: PASSWORD, new_password: 'Fresh-pass-1' }
    expect((await user.call('POST', 'settings/change-password', body)).body.code).toBe('password_not_set')
  })
})

describe('logging out other sessions', () => {
  it('leaves the one that asks', async () => {
    const user = await hub.admin()
    const other = (await login(await emailOf(user))).body.access_token
    expect((await user.call('POST', 'settings/logout-other-sessions')).status).toBe(204)
    expect((await user.call('GET', 'auth/me')).status).toBe(200)
    expect((await hub.call('GET', 'auth/me', undefined, { authorization: `Bearer ${other}` })).status).toBe(401)
    expect((await hub.call('POST', 'auth/refresh', undefined, { cookie: `refresh_token=${user.cookie}` })).status).toBe(200)
    const trail = (await user.call('GET', 'audit-log?action=user.other_sessions_ended')).body.items
    expect(trail).toMatchObject([{ actor: { id: user.userId }, target: { type: 'user', id: user.userId } }])
  })
})

describe('the first steps', () => {
  it('are finished when the user says so', async () => {
    const user = await hub.admin()
    expect((await user.call('GET', 'auth/me')).body.onboarding_completed).toBe(false)
    expect((await user.call('PATCH', 'settings/profile', { onboarding_completed: true })).body.onboarding_completed).toBe(true)
    expect((await user.call('PATCH', 'settings/profile', { full_name: 'Ada' })).body.onboarding_completed).toBe(true)
    expect((await user.call('GET', 'auth/me')).body.onboarding_completed).toBe(true)
  })
})

describe('e-mail notifications', () => {
  it('are all on, merge what admins change, and belong to the tenant', async () => {
    const admin = await hub.admin()
    const viewer = await hub.colleague(admin, 'viewer')
    const account = { role_changed: true, password_changed: true, mfa_changed: true }
    const all = { ...account, work_order_assigned: true, work_order_due: true, maintenance_reminder: true, note_mention: true }
    expect((await viewer.call('GET', 'settings/email-notifications')).body).toEqual({ prefs: all, version: expect.any(String) })
    const changed = { prefs: { ...all, role_changed: false }, version: expect.any(String) }
    expect((await admin.call('PATCH', 'settings/email-notifications', { prefs: { role_changed: false } })).body).toEqual(changed)
    expect((await viewer.call('GET', 'settings/email-notifications')).body).toEqual(changed)
    expect((await viewer.call('PATCH', 'settings/email-notifications', { prefs: {} })).status).toBe(403)
    expect((await (await hub.admin()).call('GET', 'settings/email-notifications')).body.prefs).toEqual(all)
  })
  it.each([[{ prefs: { lunch: true } }], [{ prefs: { role_changed: 'no' } }], [{}]])('refuse %o', async (body) => {
    const admin = await hub.admin()
    expect((await admin.call('PATCH', 'settings/email-notifications', body)).status).toBe(422)
  })
})

describe('the report schedule', () => {
  it('belongs to the user, merges, and null switches it off', async () => {
    const admin = await hub.admin()
    const viewer = await hub.colleague(admin, 'viewer')
    expect((await viewer.call('GET', 'settings/report-schedule')).body).toEqual({
      report_schedule: null,
      report_emails: [],
      version: expect.any(String),
    })
    const patch = (body: object) => viewer.call('PATCH', 'settings/report-schedule', body)
    await patch({ report_schedule: 'weekly' })
    const both = { report_schedule: 'weekly', report_emails: ['a@example.com'], version: expect.any(String) }
    expect((await patch({ report_emails: ['a@example.com'] })).body).toEqual(both)
    expect((await patch({})).body).toEqual(both)
    expect((await patch({ report_schedule: null })).body).toEqual({ ...both, report_schedule: null })
    expect((await admin.call('GET', 'settings/report-schedule')).body.report_emails).toEqual([])
  })
  it('takes 20 addresses and no more', async () => {
    const user = await hub.admin()
    const emails = (n: number) => ({ report_emails: Array.from({ length: n }, (_, i) => `a${i}@example.com`) })
    expect((await user.call('PATCH', 'settings/report-schedule', emails(20))).status).toBe(200)
    expect((await user.call('PATCH', 'settings/report-schedule', emails(21))).status).toBe(422)
    expect((await user.call('PATCH', 'settings/report-schedule', { report_emails: ['nobody'] })).status).toBe(422)
    expect((await user.call('PATCH', 'settings/report-schedule', { report_schedule: 'hourly' })).status).toBe(422)
  })
})

describe('units', () => {
  it('belong to the tenant, start with the defaults, and merge', async () => {
    const admin = await hub.admin()
    const [operator, viewer] = [await hub.colleague(admin, 'operator'), await hub.colleague(admin, 'viewer')]
    const defaults = { temperature: 'celsius', pressure: 'bar', vibration: 'mm/s' }
    expect((await viewer.call('GET', 'settings/units')).body).toEqual({ unit_preferences: defaults, version: expect.any(String) })
    const psi = { unit_preferences: { ...defaults, pressure: 'psi' }, version: expect.any(String) }
    expect((await operator.call('PATCH', 'settings/units', { unit_preferences: { pressure: 'psi' } })).body).toEqual(psi)
    expect((await viewer.call('GET', 'settings/units')).body).toEqual(psi)
    expect((await viewer.call('PATCH', 'settings/units', { unit_preferences: {} })).status).toBe(403)
  })
  it.each([[{ colour: 'red' }], [{ pressure: 'celsius' }], [{ toString: 'bar' }]])('refuse %o', async (unit_preferences) => {
    const admin = await hub.admin()
    expect((await admin.call('PATCH', 'settings/units', { unit_preferences })).status).toBe(422)
  })
  it('that are supported are told to anybody, with conversions that compute', async () => {
    const { status, body } = await hub.call('GET', 'units/supported')
    expect(status).toBe(200)
    expect(body.default_preferences).toEqual({ temperature: 'celsius', pressure: 'bar', vibration: 'mm/s' })
    const fahrenheit = body.conversions.find(
      (c: { from_unit: string; to_unit: string }) => c.from_unit === 'celsius' && c.to_unit === 'fahrenheit',
    )
    expect(100 * fahrenheit.factor + fahrenheit.offset).toBeCloseTo(212)
    expect(body.conversions.length).toBe(6 + 12 + 2)
  })
})

describe('mails', () => {
  it('hold no secret in the database that a reader of it could use', async () => {
    const user = await hub.admin()
    const email = await emailOf(user)
    await hub.call('POST', 'auth/password-reset', { email })
    const { token } = (await mailsTo(hub, email))[0] as { token: string }
    const rows = JSON.stringify([await hub.owner`select * from mails`, await hub.owner`select * from one_time_tokens`])
    expect(rows).not.toContain(token)
  })
})
