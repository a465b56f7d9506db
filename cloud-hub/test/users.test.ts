import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { limitOf, PASSWORD, type TestUser, useHub } from './harness.ts'
import { lastMailTo, mailsTo } from './mailbox.ts'

const hub = useHub()
const email = () => `${randomUUID()}@example.com`
const login = (address: string, password = PASSWORD) => hub.call('POST', 'auth/login', { email: address, password })
const invite = (by: TestUser, values: Record<string, unknown> = {}) =>
  by.call('POST', 'users/invite', { email: email(), full_name: 'Ina Invited', role: 'operator', ...values })
const accept = (token: string, password = 'Fresh-pass-1', ip?: string) =>
  hub.call('POST', 'auth/invitations/accept', { token, password }, {}, ip)

describe('members', () => {
  it('are listed oldest first, with their state and without secrets', async () => {
    const admin = await hub.admin()
    const invited = (await invite(admin)).body
    const { status, body } = await admin.call('GET', 'users')
    expect(status).toBe(200)
    expect(body.map((user: { id: string }) => user.id)).toEqual([admin.userId, invited.id])
    expect(body[0]).toEqual({
      version: expect.any(String),
      id: admin.userId,
      email: expect.any(String),
      full_name: 'Ada Admin',
      is_service_account: false,
      role: 'admin',
      is_active: true,
      status: 'active',
      mfa_enabled: false,
      phone: null,
      timezone: null,
      locale: null,
      last_login_at: expect.any(String),
      created_at: expect.any(String),
    })
    expect(body[1]).toMatchObject({ status: 'invited', is_active: true, role: 'operator', last_login_at: null })
  })

  it('are named to every member of the tenant and to nobody else, without addresses and roles', async () => {
    const admin = await hub.admin()
    const viewer = await hub.colleague(admin, 'viewer')
    await admin.call('PATCH', `users/${viewer.userId}`, { full_name: 'Äda Viewer' })
    const { status, body } = await viewer.call('GET', 'users/directory')
    expect(status).toBe(200)
    expect(body).toEqual([
      { id: admin.userId, full_name: 'Ada Admin', is_active: true, is_service_account: false },
      { id: viewer.userId, full_name: 'Äda Viewer', is_active: true, is_service_account: false },
    ])
    await admin.call('DELETE', `users/${viewer.userId}`)
    expect((await admin.call('GET', 'users/directory')).body[1].is_active).toBe(false)
    const stranger = await hub.admin()
    expect((await stranger.call('GET', 'users/directory')).body).toHaveLength(1)
  })

  it('are added with a password that signs them in', async () => {
    const admin = await hub.admin()
    const given = { email: email(), password: PASSWORD, full_name: 'Otto', role: 'viewer' }
    expect(await admin.call('POST', 'users', given)).toMatchObject({ status: 201, body: { status: 'active', role: 'viewer' } })
    expect((await login(given.email)).status).toBe(200)
  })

  it.each([
    [{ password: 'short' }, 422, 'validation_failed'],
    [{ email: 'nobody' }, 422, 'validation_failed'],
    [{ full_name: '' }, 422, 'validation_failed'],
    [{ role: 'boss' }, 422, 'validation_failed'],
    [{ role: undefined }, 422, 'validation_failed'],
  ])('are refused with %o', async (values, status, code) => {
    const admin = await hub.admin()
    const answer = await admin.call('POST', 'users', {
      email: email(),
      password: PASSWORD,
      full_name: 'Otto',
      role: 'viewer',
      ...values,
    })
    expect(answer).toMatchObject({ status, body: { code } })
  })

  it("cannot take an address that any tenant's user has, whatever its case", async () => {
    const [admin, other] = [await hub.admin(), await hub.admin()]
    const taken = (await other.call('GET', 'auth/me')).body.email
    for (const [path, extra] of [
      ['users', { password: PASSWORD }],
      ['users/invite', {}],
    ] as const)
      expect(
        await admin.call('POST', path, { email: taken.toUpperCase(), full_name: 'X', role: 'viewer', ...extra }),
      ).toMatchObject({ status: 409, body: { code: 'email_taken' } })
    const mine = await hub.colleague(admin, 'viewer')
    expect(await admin.call('PATCH', `users/${mine.userId}`, { email: taken })).toMatchObject({ status: 409 })
  })

  it('cannot be probed for addresses of other tenants: ten hits lock the tenant and its network address out', async () => {
    const [admin, other] = [await hub.admin(), await hub.admin()]
    const taken = (await other.call('GET', 'auth/me')).body.email
    const own = (await hub.colleague(admin, 'viewer').then((viewer) => viewer.call('GET', 'auth/me'))).body.email
    const add = (address: string) =>
      admin.call('POST', 'users', { email: address, password: PASSWORD, full_name: 'X', role: 'viewer' })
    // addresses of one's own tenant are no secret
    for (let i = 0; i < 12; i++) expect((await add(own)).body.code).toBe('email_taken')
    for (let i = 0; i < 5; i++) {
      expect((await add(taken)).body.code).toBe('email_taken')
      expect((await invite(admin, { email: taken })).body.code).toBe('email_taken')
    }
    for (const refused of [await add(email()), await invite(admin)])
      expect(refused).toMatchObject({ status: 429, body: { code: 'login_locked', retry_after: expect.any(Number) } })
    expect((await invite(other)).status).toBe(201)
  })

  it('cannot be changed to addresses of other tenants to try these out either', async () => {
    const taken = (await (await hub.admin()).call('GET', 'auth/me')).body.email
    for (const isOwn of [false, true]) {
      const admin = await hub.admin()
      const { userId } = await hub.colleague(admin, 'viewer')
      const change = (address: string) =>
        isOwn
          ? admin.call('PATCH', 'settings/profile', { email: address, current_password: PASSWORD })
          : admin.call('PATCH', `users/${userId}`, { email: address })
      for (let i = 0; i < 10; i++) expect((await change(taken)).body.code).toBe('email_taken')
      expect(await change(email())).toMatchObject({ status: 429, body: { code: 'login_locked' } })
    }
  })

  it('cannot flood an address with notices: each address and each tenant has a daily limit', async () => {
    const limits = hub.config.sendingLimits
    const kept = { ...limits }
    Object.assign(limits, { perAddress: 3, perTenant: 5 })
    try {
      const [admin, victim] = [await hub.admin(), email()]
      const given = { email: victim, password: PASSWORD, full_name: 'X', role: 'viewer' }
      const { id } = (await admin.call('POST', 'users', given)).body
      const move = (to: string) => admin.call('PATCH', `users/${id}`, { email: to })
      // notices of roles are left out, and the role changes all the same
      for (const role of ['operator', 'viewer', 'operator', 'viewer', 'operator'])
        expect((await admin.call('PUT', `users/${id}/role`, { role })).body.role).toBe(role)
      expect(await mailsTo(hub, victim)).toHaveLength(3)
      // the old address is always told, so an address that cannot be told is kept
      expect(await move(email())).toMatchObject({ status: 429, body: { code: 'sending_limit', retry_after: expect.any(Number) } })
      const own = (to: string) => admin.call('PATCH', 'settings/profile', { email: to, current_password: PASSWORD })
      for (let i = 0; i < 2; i++) expect((await own(email())).status).toBe(200)
      expect((await own(email())).body.code).toBe('sending_limit')
    } finally {
      Object.assign(limits, kept)
    }
  })

  it('are told at their old address that another one signs in, whoever changed it', async () => {
    const admin = await hub.admin()
    const viewer = await hub.colleague(admin, 'viewer')
    const old = (await viewer.call('GET', 'auth/me')).body.email
    const moved = email()
    expect((await admin.call('PATCH', `users/${viewer.userId}`, { email: moved })).status).toBe(200)
    expect(await lastMailTo(hub, old)).toMatchObject({ template: 'email_changed', text: expect.stringContaining(moved) })
  })

  it('take the password to move their own account, as in the profile', async () => {
    const admin = await hub.admin()
    const old = (await admin.call('GET', 'auth/me')).body.email
    const change = (values: object) => admin.call('PATCH', `users/${admin.userId}`, { email: email(), ...values })
    expect(await change({})).toMatchObject({ status: 422, body: { errors: [{ path: 'body.current_password' }] } })
    expect(await change({ current_password: 'wrong' })).toMatchObject({ status: 403, body: { code: 'password_wrong' } })
    expect((await mailsTo(hub, old)).length).toBe(0)
    expect((await change({ current_password: PASSWORD })).status).toBe(200)
    expect((await lastMailTo(hub, old)).template).toBe('email_changed')
    // what stays the same needs no password
    expect((await admin.call('PATCH', `users/${admin.userId}`, { full_name: 'Ada B' })).status).toBe(200)
  })

  it('are changed in what is given; an empty string clears what is optional', async () => {
    const admin = await hub.admin()
    const { userId } = await hub.colleague(admin, 'viewer')
    const full = { full_name: 'Vera', phone: '+49 89 123', timezone: 'Europe/Berlin', locale: 'de' }
    expect((await admin.call('PATCH', `users/${userId}`, full)).body).toMatchObject(full)
    expect((await admin.call('PATCH', `users/${userId}`, { phone: '', locale: null })).body).toMatchObject({
      ...full,
      phone: null,
      locale: null,
    })
    expect((await admin.call('PATCH', `users/${userId}`, {})).status).toBe(200)
    expect((await admin.call('PATCH', `users/${userId}`, { timezone: 'Mars/Base' })).body.errors[0].path).toBe('body.timezone')
  })
})

describe('deactivation', () => {
  it('ends sessions on the next request, keeps the user out, and can be undone without reviving old sessions', async () => {
    const admin = await hub.admin()
    const viewer = await hub.colleague(admin, 'viewer')
    const address = (await viewer.call('GET', 'auth/me')).body.email
    expect((await admin.call('DELETE', `users/${viewer.userId}`)).status).toBe(204)
    expect((await viewer.call('GET', 'machines')).status).toBe(401)
    expect((await login(address)).status).toBe(401)
    expect((await hub.call('POST', 'auth/refresh', undefined, { cookie: `refresh_token=${viewer.cookie}` })).status).toBe(401)
    expect((await admin.call('GET', 'users')).body.at(-1)).toMatchObject({ status: 'deactivated', is_active: false })

    expect((await admin.call('PATCH', `users/${viewer.userId}`, { is_active: true })).body.status).toBe('active')
    expect((await viewer.call('GET', 'machines')).status).toBe(401)
    expect((await login(address)).status).toBe(200)
  })

  it('is refused for the own account', async () => {
    const admin = await hub.admin()
    await hub.colleague(admin, 'admin')
    for (const answer of [
      await admin.call('DELETE', `users/${admin.userId}`),
      await admin.call('PATCH', `users/${admin.userId}`, { is_active: false }),
    ])
      expect(answer).toMatchObject({ status: 409, body: { code: 'own_account' } })
  })

  it('ends links that were mailed before', async () => {
    const admin = await hub.admin()
    const invited = (await invite(admin)).body
    const { token } = await lastMailTo(hub, invited.email)
    await admin.call('DELETE', `users/${invited.id}`)
    expect((await accept(token)).status).toBe(401)
  })
})

describe('roles of members', () => {
  it('count from the next request on, without a new sign-in, and the member is told by mail', async () => {
    const admin = await hub.admin()
    const member = await hub.colleague(admin, 'viewer')
    const make = () => member.call('POST', 'machines', { name: 'M', machine_identifier: randomUUID(), protocol: 'json' })
    expect((await make()).status).toBe(403)
    expect((await admin.call('PUT', `users/${member.userId}/role`, { role: 'operator' })).body.role).toBe('operator')
    expect((await make()).status).toBe(201)
    const address = (await member.call('GET', 'auth/me')).body.email
    expect((await lastMailTo(hub, address)).subject).toBe('Your role at Acme is now Operator')
    await admin.call('PATCH', 'settings/email-notifications', { prefs: { role_changed: false } })
    await admin.call('PUT', `users/${member.userId}/role`, { role: 'viewer' })
    expect((await mailsTo(hub, address)).length).toBe(1)
    expect((await make()).status).toBe(403)
  })

  it('must be roles of the tenant', async () => {
    const [admin, other] = [await hub.admin(), await hub.admin()]
    const { key } = (await other.call('POST', 'settings/roles', { name: 'Foreign', base_tier: 'admin' })).body
    const member = await hub.colleague(admin, 'viewer')
    expect(await admin.call('PUT', `users/${member.userId}/role`, { role: key })).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'body.role' }] },
    })
  })

  it('leave the tenant an admin, also when two admins remove each other at once', async () => {
    const admin = await hub.admin()
    expect(await admin.call('PUT', `users/${admin.userId}/role`, { role: 'viewer' })).toMatchObject({
      status: 409,
      body: { code: 'last_admin' },
    })
    const second = await hub.colleague(admin, 'admin')
    const answers = await Promise.all([
      admin.call('PUT', `users/${second.userId}/role`, { role: 'viewer' }),
      second.call('DELETE', `users/${admin.userId}`),
    ])
    const done = answers.filter((a) => a.status < 300)
    expect(done.length).toBe(1)
    const left = await hub.owner`select 1 from users where tenant_id = ${admin.tenantId} and is_active and role = 'admin'`
    expect(left.length).toBe(1)
  })

  it('do not count an open invitation as an admin', async () => {
    const admin = await hub.admin()
    await invite(admin, { role: 'admin' })
    expect((await admin.call('PUT', `users/${admin.userId}/role`, { role: 'viewer' })).status).toBe(409)
  })
})

describe('custom roles', () => {
  it('have the rights of their base tier, a slug as key, and a member count', async () => {
    const admin = await hub.admin()
    const made = await admin.call('POST', 'settings/roles', { name: 'Line Lead (Süd)', base_tier: 'operator' })
    expect(made).toMatchObject({
      status: 201,
      body: { key: 'line-lead-sud', name: 'Line Lead (Süd)', base_tier: 'operator', is_builtin: false, member_count: 0 },
    })
    const member = await hub.colleague(admin, 'viewer')
    await admin.call('PUT', `users/${member.userId}/role`, { role: 'line-lead-sud' })
    expect((await member.call('POST', 'machines', { name: 'M', machine_identifier: 'x', protocol: 'json' })).status).toBe(201)
    expect((await member.call('GET', 'users')).status).toBe(403)
    expect((await member.call('GET', 'auth/me')).body.role).toBe('line-lead-sud')
    const { body } = await member.call('GET', 'settings/roles')
    expect(body.map((r: { key: string; member_count: number }) => [r.key, r.member_count])).toEqual([
      ['admin', 1],
      ['operator', 0],
      ['viewer', 0],
      ['line-lead-sud', 1],
    ])
  })

  it('keep their key when renamed, and give two names that look alike two keys', async () => {
    const admin = await hub.admin()
    await admin.call('POST', 'settings/roles', { name: 'Night', base_tier: 'viewer' })
    expect((await admin.call('POST', 'settings/roles', { name: 'Night!', base_tier: 'viewer' })).body.key).toBe('night-2')
    expect((await admin.call('PATCH', 'settings/roles/night', { name: 'Day' })).body).toMatchObject({ key: 'night', name: 'Day' })
    expect(await admin.call('PATCH', 'settings/roles/night', { name: 'NIGHT!' })).toMatchObject({
      status: 409,
      body: { code: 'role_name_taken' },
    })
    expect((await admin.call('POST', 'settings/roles', { name: 'admin', base_tier: 'viewer' })).status).toBe(409)
    expect((await admin.call('PATCH', 'settings/roles/day', { name: 'X' })).status).toBe(404)
  })

  it('are not found under a key that no role can have', async () => {
    const admin = await hub.admin()
    for (const key of ['%00', 'a%00b', '%ED%A0%80'])
      expect((await admin.call('DELETE', `settings/roles/${key}`)).status).toBe(404)
  })

  it('are deleted only while nobody has them; built-in ones stay as they are', async () => {
    const admin = await hub.admin()
    const { key } = (await admin.call('POST', 'settings/roles', { name: 'Temp', base_tier: 'viewer' })).body
    const member = await hub.colleague(admin, 'viewer')
    await admin.call('PUT', `users/${member.userId}/role`, { role: key })
    expect(await admin.call('DELETE', `settings/roles/${key}`)).toMatchObject({ status: 409, body: { code: 'role_in_use' } })
    await admin.call('PUT', `users/${member.userId}/role`, { role: 'viewer' })
    expect((await admin.call('DELETE', `settings/roles/${key}`)).status).toBe(204)
    expect((await admin.call('DELETE', `settings/roles/${key}`)).status).toBe(404)
    for (const answer of [
      await admin.call('DELETE', 'settings/roles/viewer'),
      await admin.call('PATCH', 'settings/roles/viewer', { name: 'Guest' }),
    ])
      expect(answer).toMatchObject({ status: 409, body: { code: 'role_builtin' } })
  })

  it.each([[{ name: '' }], [{ name: '!!!' }], [{ base_tier: 'root' }], [{ name: 'x'.repeat(201) }]])(
    'refuse %o',
    async (values) => {
      const admin = await hub.admin()
      expect((await admin.call('POST', 'settings/roles', { name: 'R', base_tier: 'viewer', ...values })).status).toBe(422)
    },
  )
})

describe('an invitation', () => {
  it('is mailed with a link that sets the password once', async () => {
    const admin = await hub.admin()
    const { status, body: invited } = await invite(admin)
    expect([status, invited.status]).toEqual([201, 'invited'])
    expect((await login(invited.email, 'Fresh-pass-1')).status).toBe(401)
    const mail = await lastMailTo(hub, invited.email)
    expect(mail.subject).toBe('Ada Admin invites you to Acme on Haltless')
    expect(mail.text).toContain(`http://hub.test/invite?token=${mail.token}`)
    expect((await accept(mail.token)).status).toBe(204)
    expect((await accept(mail.token)).body.code).toBe('link_invalid')
    expect((await login(invited.email, 'Fresh-pass-1')).status).toBe(200)
    expect((await admin.call('GET', 'users')).body.at(-1).status).toBe('active')
  })

  it('sent again ends the older link; one that runs out after 7 days can be sent again', async () => {
    const admin = await hub.admin()
    const address = email()
    await invite(admin, { email: address })
    const first = await lastMailTo(hub, address)
    hub.clock.advance(61)
    expect((await invite(admin, { email: address, role: 'viewer' })).body.role).toBe('viewer')
    const second = await lastMailTo(hub, address)
    expect((await accept(first.token)).status).toBe(401)
    hub.clock.advance(7 * 86_400 + 1)
    expect((await accept(second.token)).status).toBe(401)
    hub.clock.advance(-7 * 86_400 - 1)
    expect((await accept(second.token)).status).toBe(204)
    expect((await invite(admin, { email: address })).status).toBe(409)
    hub.clock.advance(-61)
  })

  it('goes to an address once a minute for each tenant, and a limited number of times in all', async () => {
    const address = email()
    const admins = await Promise.all(Array.from({ length: 3 }, () => hub.admin()))
    const [first, second, third] = admins as [TestUser, TestUser, TestUser]
    const limits = hub.config.sendingLimits
    const kept = { ...limits }
    Object.assign(limits, { perTenant: 4, perAddress: 2 })
    try {
      expect((await invite(first, { email: address })).status).toBe(201)
      // again, also twice at once
      for (const again of await Promise.all([invite(first, { email: address }), invite(first, { email: address })]))
        expect(again).toMatchObject({ status: 429, body: { code: 'sending_limit', retry_after: expect.any(Number) } })
      hub.clock.advance(61)
      expect((await invite(first, { email: address })).status).toBe(201)
      expect(await mailsTo(hub, address)).toHaveLength(2)
      // the address has got its two, in whatever case
      hub.clock.advance(61)
      expect((await invite(first, { email: address.toUpperCase() })).body.code).toBe('sending_limit')
      expect((await invite(second)).status).toBe(201)
      // of a tenant, channel tests included
      for (let i = 0; i < 3; i++) expect((await invite(third)).status).toBe(201)
      const channel = { name: 'c', channel_type: 'webhook', config: { url: 'https://example.invalid/' } }
      const { id } = (await third.call('POST', 'notification-channels', channel)).body
      expect((await third.call('POST', `notification-channels/${id}/test`)).status).toBe(200)
      const refused = await third.call('POST', `notification-channels/${id}/test`)
      expect(refused).toMatchObject({ status: 429, body: { code: 'sending_limit' } })
      expect(limitOf(refused.headers)).toEqual([limits.perTenant, 0])
      const seconds = Number(refused.headers.get('x-ratelimit-reset')) - hub.clock.now().getTime() / 1_000
      expect(Math.ceil(seconds)).toBeGreaterThanOrEqual(refused.body.retry_after)
      expect((await invite(third)).status).toBe(429)
      hub.clock.advance(86_401)
      const { email: fresh } = { email: email() }
      const token = (await login((await hub.owner`select email from users where id = ${third.userId}`)[0]?.email)).body
        .access_token
      const later = await hub.call(
        'POST',
        'users/invite',
        { email: fresh, full_name: 'I', role: 'viewer' },
        { authorization: `Bearer ${token}` },
      )
      expect(later.status).toBe(201)
    } finally {
      Object.assign(limits, kept)
      hub.clock.advance(-86_401 - 2 * 61)
    }
  })

  it('of two who follow the link at once lets one in', async () => {
    const admin = await hub.admin()
    const { email: address } = (await invite(admin)).body
    const { token } = await lastMailTo(hub, address)
    const answers = await Promise.all([accept(token, 'First-pass-1'), accept(token, 'Second-pass-1')])
    expect(answers.map((a) => a.status).sort()).toEqual([204, 401])
  })

  it('asks for a good password, and locks out who guesses tokens', async () => {
    const admin = await hub.admin()
    const { email: address } = (await invite(admin)).body
    const { token } = await lastMailTo(hub, address)
    expect((await accept(token, 'weak')).status).toBe(422)
    const ip = '192.0.2.77'
    for (let i = 0; i < 10; i++) expect((await accept('x'.repeat(43), 'Fresh-pass-1', ip)).status).toBe(401)
    expect(await accept(token, 'Fresh-pass-1', ip)).toMatchObject({ status: 429, body: { code: 'login_locked' } })
    expect((await accept(token)).status).toBe(204)
  })

  it('has a link that resets no password, and a link of a mail for a forgotten password accepts no invitation', async () => {
    const admin = await hub.admin()
    const { email: address } = (await invite(admin)).body
    const invitation = await lastMailTo(hub, address)
    const known = (await admin.call('GET', 'auth/me')).body.email
    await hub.call('POST', 'auth/password-reset', { email: known })
    const reset = await lastMailTo(hub, known)
    const other = { token: invitation.token, password: 'Fresh-pass-1' }
    expect((await hub.call('POST', 'auth/password-reset/confirm', other)).body.code).toBe('link_invalid')
    expect((await accept(reset.token)).body.code).toBe('link_invalid')
    expect((await accept(invitation.token)).status).toBe(204)
  })

  it('comes in the language that it names', async () => {
    const admin = await hub.admin()
    const { email: address } = (await invite(admin, { locale: 'de-AT' })).body
    expect((await lastMailTo(hub, address)).subject).toBe('Ada Admin lädt Sie zu Acme in Haltless ein')
  })

  it('carries no link but its own, whatever people and companies are called', async () => {
    const admin = await hub.admin()
    await hub.owner`update tenants set name = 'Win at https://evil.example/x now' where id = ${admin.tenantId}`
    await hub.owner`update users set full_name = 'evil.example\u202e' where id = ${admin.userId}`
    const { email: address } = (await invite(admin)).body
    const mail = await lastMailTo(hub, address)
    expect(mail.subject).toBe('evil. example invites you to Win at now on Haltless')
    expect(mail.text.match(/https?:\S+/g)).toEqual([`http://hub.test/invite?token=${mail.token}`])
    expect(mail.html).not.toContain('evil.example')
    const member = await hub.colleague(admin, 'viewer')
    const key = (await admin.call('POST', 'settings/roles', { name: 'At https://evil.example', base_tier: 'viewer' })).body.key
    expect((await admin.call('PUT', `users/${member.userId}/role`, { role: key })).status).toBe(200)
    const told = await lastMailTo(hub, (await member.call('GET', 'auth/me')).body.email)
    expect(told.subject).toBe('Your role at Win at now is now At')
  })
})

describe('a forgotten password', () => {
  const ask = (address: string) => hub.call('POST', 'auth/password-reset', { email: address })
  const confirm = (token: string, password = 'Fresh-pass-1') =>
    hub.call('POST', 'auth/password-reset/confirm', { token, password })

  it('is answered alike for known and unknown addresses, and mails a link to the known one', async () => {
    const admin = await hub.admin()
    const address = (await admin.call('GET', 'auth/me')).body.email
    const [known, unknown] = [await ask(address.toUpperCase()), await ask(email())]
    expect([known.status, known.body, unknown.status, unknown.body]).toEqual([202, '', 202, ''])
    const mail = await lastMailTo(hub, address)
    expect(mail.button?.url).toBe(`http://hub.test/reset-password?token=${mail.token}`)
    expect((await confirm(mail.token)).status).toBe(204)
    expect((await admin.call('GET', 'machines')).status).toBe(401)
    expect((await login(address)).status).toBe(401)
    expect((await login(address, 'Fresh-pass-1')).status).toBe(200)
    expect((await confirm(mail.token)).status).toBe(401)
  })

  it('mails at most once a minute; a newer link ends the older; a link lasts an hour', async () => {
    const admin = await hub.admin()
    const address = (await admin.call('GET', 'auth/me')).body.email
    await Promise.all([ask(address), ask(address)])
    const first = (await mailsTo(hub, address)).at(-1)?.token as string
    await ask(address)
    expect((await mailsTo(hub, address)).length).toBeLessThanOrEqual(2)
    hub.clock.advance(61)
    await ask(address)
    const second = (await lastMailTo(hub, address)).token
    expect(second).not.toBe(first)
    expect((await confirm(first)).status).toBe(401)
    hub.clock.advance(3_601)
    expect((await confirm(second)).status).toBe(401)
  })

  it('says nothing to deactivated and invited users', async () => {
    const admin = await hub.admin()
    const member = await hub.colleague(admin, 'viewer')
    const address = (await member.call('GET', 'auth/me')).body.email
    await admin.call('DELETE', `users/${member.userId}`)
    const invited = (await invite(admin)).body.email
    for (const each of [address, invited]) expect((await ask(each)).status).toBe(202)
    expect((await mailsTo(hub, address)).length).toBe(0)
    expect((await mailsTo(hub, invited)).map((m) => m.template)).toEqual(['invitation'])
  })
})
