import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { PASSWORD, type TestUser, useHub } from './harness.ts'
import { mailsTo } from './mailbox.ts'

const hub = useHub()
const DAY = 86_400

const as = (token: string) => ({ authorization: `Bearer ${token}` })
const get = (token: string, path: string, ip?: string) => hub.call('GET', path, undefined, as(token), ip)
const make = (user: TestUser, given: object = {}) =>
  user.call('POST', 'tokens', { name: 'export', scopes: ['machines:read'], ...given })
const tokenOf = async (user: TestUser, given: object = {}) => (await make(user, given)).body as { id: string; token: string }
const entryOf = async (user: TestUser, id: string) =>
  (await user.call('GET', 'tokens')).body.find((one: { id: string }) => one.id === id)
const emailOf = async ({ userId }: { userId: string }): Promise<string> =>
  (await hub.owner`select email from users where id = ${userId}`)[0]?.email
const noticesTo = async (user: TestUser) =>
  (await mailsTo(hub, await emailOf(user))).filter(({ template }) => template === 'token_created')

describe('a new access token', () => {
  it('is mailed to its owner, whatever mails the tenant has switched off', async () => {
    const admin = await hub.admin()
    await hub.owner`update tenants set email_prefs = '{"password_changed": false, "mfa_changed": false}' where id = ${admin.tenantId}`
    await tokenOf(admin)
    const [mail] = await noticesTo(admin)
    expect(mail).toMatchObject({
      subject: 'A new access token: export',
      button: { url: 'http://hub.test/settings?tab=personal' },
    })
    expect(mail?.text).toContain('reset your password now, which revokes all your tokens')
  })

  it('of a service account is mailed to the person who answers for it, with who made it', async () => {
    const admin = await hub.admin()
    const person = await hub.colleague(admin, 'viewer')
    const given = { name: 'MES', role: 'viewer', responsible_id: person.userId }
    const { id } = (await admin.call('POST', 'service-accounts', given)).body
    await admin.call('POST', `service-accounts/${id}/tokens`, { name: 'orders', scopes: ['machines:read'] })
    const [mail] = await noticesTo(person)
    expect(mail?.text).toContain(`${await emailOf(admin)} created the access token "orders" of the service account MES`)
    expect(await noticesTo(admin)).toEqual([])
  })

  it('floods no mailbox and no list: 20 mails and 200 tokens within 24 hours, revoked ones included', async () => {
    const admin = await hub.admin()
    for (let n = 0; n < 22; n++) {
      const { id } = await tokenOf(admin)
      await admin.call('DELETE', `tokens/${id}`)
    }
    expect(await noticesTo(admin)).toHaveLength(20)
    await hub.owner`
      insert into access_tokens (tenant_id, kind, user_id, name, prefix, token_hash, scopes, created_by, created_at, expires_at, is_active, revoked_at)
      select ${admin.tenantId}, 'token', ${admin.userId}, 'x', 'p' || n || ${randomUUID()}::text, 'h', '{team:read}', ${admin.userId},
        ${hub.clock.now()}, now() + interval '9 days', false, now() from generate_series(1, 177) n`
    expect((await make(admin)).status).toBe(201)
    hub.clock.advance(60)
    expect((await make(admin)).body).toMatchObject({ code: 'too_many_tokens', params: { limit: 200 } })
    await hub.owner`
      insert into access_tokens (tenant_id, kind, user_id, name, prefix, token_hash, scopes, created_by, created_at, expires_at, is_active, revoked_at)
      select ${admin.tenantId}, 'token', ${admin.userId}, 'old', 'o' || n || ${randomUUID()}::text, 'h', '{team:read}', ${admin.userId},
        now() - interval '9 days', now() + interval '9 days', false, now() from generate_series(1, 400) n`
    for (const path of ['tokens', 'settings/tokens']) {
      const { body } = await admin.call('GET', path)
      expect([path, body.length, body[0].status]).toEqual([path, 501, 'active'])
    }
  })

  it('takes the place of one that has expired, before the job of the hour ends that', async () => {
    const admin = await hub.admin()
    await hub.owner`update tenants set limits = '{"tokens": 1}' where id = ${admin.tenantId}`
    await tokenOf(admin, { expires_in_days: 1 })
    expect((await make(admin)).body.code).toBe('tenant_limit')
    hub.clock.advance(DAY + 1)
    expect((await make(admin, { current_password: PASSWORD })).body.code).toBe('token_invalid')
    const { body } = await hub.call('POST', 'auth/login', { email: await emailOf(admin), password: PASSWORD })
    const made = await hub.call('POST', 'tokens', { name: 'x', scopes: ['machines:read'] }, as(body.access_token))
    expect(made.status).toBe(201)
  })

  it.each([['10'], ['10/8'], ['0x7f.1'], ['0x7f.0.0.1/8'], ['010.0.0.1'], ['1.2.3'], ['1.2.3/24']])(
    'is not made for %s, which is no address in four decimal parts',
    async (range) => {
      const { body } = await make(await hub.admin(), { source_addresses: [range] })
      expect(body.errors[0]).toMatchObject({ path: 'body.source_addresses.0', code: 'invalid_address_range' })
    },
  )
})

describe('the personal tokens of a member', () => {
  async function member() {
    const admin = await hub.admin()
    const user = await hub.colleague(admin, 'operator')
    const { id } = (await admin.call('POST', 'service-accounts', { name: 'MES', role: 'viewer' })).body
    const given = { name: 'orders', scopes: ['machines:read'] }
    const service = (await admin.call('POST', `service-accounts/${id}/tokens`, given)).body.token as string
    return { admin, user, service, accountId: id as string, ...(await tokenOf(user)) }
  }
  const code = async (token: string) => (await get(token, 'machines')).body.code

  it('end when the member changes the password', async () => {
    const { user, token, service } = await member()
    const given = { current_password: PASSWORD, new_password: 'Other-horse-8' }
    expect((await user.call('POST', 'settings/change-password', given)).status).toBe(200)
    expect(await code(token)).toBe('token_revoked')
    expect((await get(service, 'machines')).status).toBe(200)
  })

  it('end when the member sets a password by the link of a mail', async () => {
    const { user, token } = await member()
    const email = await emailOf(user)
    await hub.call('POST', 'auth/password-reset', { email })
    const link = (await mailsTo(hub, email)).find(({ template }) => template === 'password_reset')?.token
    const confirmed = await hub.call('POST', 'auth/password-reset/confirm', { token: link, password: 'Other-horse-8' })
    expect(confirmed.status).toBe(204)
    expect(await code(token)).toBe('token_revoked')
  })

  it.each([
    ['PATCH', { is_active: false }],
    ['DELETE', undefined],
  ])('end for good when the member is deactivated by %s, and those of a service account do not', async (method, body) => {
    const { admin, user, token, service, accountId } = await member()
    for (const id of [user.userId, accountId]) {
      await admin.call(method, `users/${id}`, body)
      await admin.call('PATCH', `users/${id}`, { is_active: true })
    }
    expect(await code(token)).toBe('token_revoked')
    expect((await get(service, 'machines')).status).toBe(200)
    const { items } = (await admin.call('GET', 'audit-log?action=access_token.updated')).body
    expect(items).toMatchObject([{ actor: { id: admin.userId }, after: { is_active: false, revoked_at: expect.any(String) } }])
  })
})

describe('what an access token leaves behind', () => {
  it('names it by its prefix in the audit trail: a name that looks like another account stays in its quotes', async () => {
    const admin = await hub.admin()
    const { token } = await tokenOf(admin, { name: 'x") boss@acme.com ("', scopes: ['machines:write'] })
    await hub.call('POST', 'machines', { name: 'P', machine_identifier: `m-${randomUUID()}`, protocol: 'json' }, as(token))
    const [{ actor }] = (await admin.call('GET', 'audit-log?action=machine.created')).body.items
    expect(actor.name).toBe(`${await emailOf(admin)} (${token.slice(0, 11)} "x') boss@acme.com ('")`)
  })

  it('is its last use only where a request passed', async () => {
    const admin = await hub.admin()
    const bound = await tokenOf(admin, { source_addresses: ['198.51.100.0/24'] })
    expect((await get(bound.token, 'machines', '203.0.113.9')).body.code).toBe('token_address_not_allowed')
    expect((await get(bound.token, 'users', '198.51.100.7')).body.code).toBe('token_scope_missing')
    expect((await entryOf(admin, bound.id)).last_used_at).toBeNull()
    expect((await get(bound.token, 'machines', '198.51.100.7')).status).toBe(200)
    expect((await entryOf(admin, bound.id)).last_used_at).not.toBeNull()
  })
})
