import { describe, expect, it } from 'vitest'
import { watchTokens } from '../src/features/people/tokens/index.ts'
import { PASSWORD, type TestUser, useHub } from './harness.ts'
import { soon } from './soon.ts'

const hub = useHub()
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

async function account(admin: TestUser, given: Record<string, unknown> = {}) {
  const { status, body } = await admin.call('POST', 'service-accounts', { name: 'MES', role: 'operator', ...given })
  expect([status, body.code]).toEqual([201, undefined])
  return body as { id: string; version: string }
}
const token = async (admin: TestUser, id: string) =>
  (await admin.call('POST', `service-accounts/${id}/tokens`, { name: 'orders', scopes: ['machines:read', 'audit:read'] })).body

describe('a service account', () => {
  it('acts within its role with its tokens, and stays when the person who made it leaves', async () => {
    const admin = await hub.admin()
    const maker = await hub.colleague(admin, 'admin')
    const { id } = await account(maker)
    const made = await token(maker, id)
    const read = (path: string) => hub.call('GET', path, undefined, bearer(made.token))
    expect((await read('auth/me')).body).toMatchObject({ id, full_name: 'MES', role: 'operator' })
    expect((await read('audit-log')).body.code).toBe('role_insufficient')
    await soon(async () => {
      const [refused] = (await admin.call('GET', 'audit-log?action=access.refused')).body.items
      expect(refused).toMatchObject({
        actor: { kind: 'token', id, name: expect.stringMatching(/^MES \(ht_[0-9a-z]{8} "orders"\)$/) },
        target: { type: 'access_token', id: made.id },
      })
    })
    await admin.call('PATCH', `users/${maker.userId}`, { is_active: false })
    expect((await read('machines')).status).toBe(200)
    await admin.call('PATCH', `service-accounts/${id}`, { role: 'admin' })
    expect((await read('audit-log')).status).toBe(200)
    await admin.call('PATCH', `service-accounts/${id}`, { is_active: false })
    expect((await read('machines')).body.code).toBe('token_owner_inactive')
    await admin.call('PATCH', `service-accounts/${id}`, { is_active: true })
    expect((await read('machines')).status).toBe(200)
  })

  it('appears as what it is in the lists of members, and counts as an active user', async () => {
    const admin = await hub.admin()
    const { id } = await account(admin)
    const find = (list: { id: string }[]) => list.find((one) => one.id === id)
    expect(find((await admin.call('GET', 'users')).body)).toMatchObject({ is_service_account: true, full_name: 'MES' })
    expect(find((await admin.call('GET', 'users/directory')).body)).toMatchObject({ is_service_account: true })
    await token(admin, id)
    const [listed] = (await admin.call('GET', 'service-accounts')).body
    expect(listed).toMatchObject({ id, active_tokens: 1, responsible_id: admin.userId, last_used_at: null })
    const [made] = (await admin.call('GET', 'settings/tokens')).body
    expect(made).toMatchObject({ owner_id: id, owner_name: 'MES', is_service_account: true })
    const [used] = await hub.owner`select used::int from tenant_usage where tenant_id = ${admin.tenantId} and kind = 'users'`
    expect(used?.used).toBe(2)
  })

  it('cannot sign in, reset a password, take an invitation, get an address or be assigned work', async () => {
    const admin = await hub.admin()
    const { id } = await account(admin)
    const [row] = await hub.owner`select email from users where id = ${id}`
    const email = row?.email as string
    expect((await hub.call('POST', 'auth/login', { email, password: PASSWORD })).body.code).toBe('login_failed')
    expect((await hub.call('POST', 'auth/password-reset', { email })).status).toBe(202)
    expect(await hub.owner`select 1 from mails where user_id = ${id}`).toHaveLength(0)
    expect(await hub.owner`select 1 from one_time_tokens where user_id = ${id}`).toHaveLength(0)
    const invited = await admin.call('POST', 'users/invite', { email: 'x@service.invalid', full_name: 'x', role: 'viewer' })
    expect(invited.body.id).not.toBe(id)
    const moved = await admin.call('PATCH', `users/${id}`, { email: 'real@example.com' })
    expect([moved.status, moved.body.code]).toEqual([409, 'service_account'])
    for (const change of [{ password_hash: 'x' }, { is_invited: true }, { mfa_enabled: true }])
      await expect(hub.owner`update users set ${hub.owner(change)} where id = ${id}`).rejects.toThrow('users_service_check')
    const machine = await hub.machine(admin)
    const order = await admin.call('POST', 'work-orders', { machine_id: machine.id, title: 'Oil', assigned_to: id })
    expect(order.body.errors[0].code).toBe('inactive_user')
    expect(await hub.owner`select 1 from mails where user_id = ${id}`).toHaveLength(0)
  })

  it('is never the last admin', async () => {
    const admin = await hub.admin()
    await account(admin, { role: 'admin' })
    const { body } = await admin.call('PUT', `users/${admin.userId}/role`, { role: 'viewer' })
    expect(body.code).toBe('last_admin')
  })

  it('has a person of the own tenant who answers for it, who is no service account', async () => {
    const [admin, stranger] = [await hub.admin(), await hub.admin()]
    const { id } = await account(admin)
    for (const responsible_id of [stranger.userId, id]) {
      const { body } = await admin.call('POST', 'service-accounts', { name: 'x', role: 'viewer', responsible_id })
      expect(body.errors[0]).toMatchObject({ path: 'body.responsible_id', code: 'inactive_user' })
    }
    expect((await admin.call('POST', 'service-accounts', { name: 'x', role: 'boss' })).body.errors[0].code).toBe('unknown_role')
    expect((await admin.call('PATCH', `service-accounts/${admin.userId}`, { name: 'x' })).body.code).toBe(
      'service_account_not_found',
    )
    expect(
      (await admin.call('POST', `service-accounts/${admin.userId}/tokens`, { name: 'x', scopes: ['team:read'] })).body.code,
    ).toBe('service_account_not_found')
  })

  it('has its tokens announced to that person, or to all admins when the person is gone', async () => {
    const admin = await hub.admin()
    const [person, other] = [await hub.colleague(admin, 'viewer'), await hub.colleague(admin, 'operator')]
    const { id } = await account(admin, { responsible_id: person.userId })
    await token(admin, id)
    hub.clock.advance(80 * 86_400)
    const watch = () =>
      watchTokens({ allTenants: hub.deps.pools.system, box: hub.deps.box, publicUrl: 'http://hub.test' }, hub.clock.now())
    const mailed = async () =>
      (await hub.owner`select user_id as id from mails where template = 'token_expiring' and tenant_id = ${admin.tenantId}`).map(
        (row) => row.id,
      )
    await watch()
    expect(await mailed()).toEqual([person.userId])
    await hub.owner`update users set is_active = false where id = ${person.userId}`
    hub.clock.advance(9 * 86_400)
    await watch()
    expect((await mailed()).toSorted()).toEqual([person.userId, admin.userId].toSorted())
    expect(await mailed()).not.toContain(other.userId)
  })
})
