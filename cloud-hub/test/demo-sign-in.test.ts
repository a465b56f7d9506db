import { beforeAll, expect, it } from 'vitest'
import { DemoSignIn } from '../src/features/people/accounts/index.ts'
import type { RunningHub } from '../src/hub.ts'
import { useRunningHubs } from './running-hub.ts'

const hubs = useRunningHubs()
const demo = new DemoSignIn()
let hub: RunningHub
beforeAll(async () => {
  hub = await hubs.start({}, undefined, demo)
})

const exchange = async (token: unknown, { url } = hub) => {
  const answer = await fetch(`${url}/api/v1/auth/demo`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  })
  const body = (await answer.json()) as { code?: string; access_token?: string }
  return { status: answer.status, code: body.code, token: body.access_token, cookie: answer.headers.get('set-cookie') }
}
const refused = { status: 401, code: 'demo_token_invalid', cookie: null }

async function holder() {
  const site = await hubs.site(hub)
  const { body } = await site.call('GET', 'auth/me')
  return { tenantId: body.tenant_id as string, userId: body.id as string }
}

it('a token of the demonstration signs its holder in once, and is recorded as a sign-in', async () => {
  const user = await holder()
  const token = demo.offer(user, hubs.clock.now())
  expect(await exchange(`${token}x`)).toMatchObject(refused)
  const answers = await Promise.all([exchange(token), exchange(token), exchange(token)])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401])
  const opened = answers.find(({ status }) => status === 200)
  expect(opened?.cookie).toMatch(/^refresh_token=.*HttpOnly/)
  const me = await fetch(`${hub.url}/api/v1/auth/me`, { headers: { authorization: `Bearer ${opened?.token}` } })
  expect(await me.json()).toMatchObject({ id: user.userId, tenant_id: user.tenantId })
  const events = await hubs.owner`
    select action from audit_log where tenant_id = ${user.tenantId} and action = 'user.signed_in'`
  expect(events).toHaveLength(1)
  expect(await exchange(token)).toMatchObject(refused)
})

it('a token ends after an hour, with the next one, and with the account', async () => {
  const user = await holder()
  const replaced = demo.offer(user, hubs.clock.now())
  const late = demo.offer(user, hubs.clock.now())
  expect(await exchange(replaced)).toMatchObject(refused)
  hubs.clock.advance(3_601)
  expect(await exchange(late)).toMatchObject(refused)
  const token = demo.offer(user, hubs.clock.now())
  await hubs.owner`update users set is_active = false where tenant_id = ${user.tenantId} and id = ${user.userId}`
  expect(await exchange(token)).toMatchObject(refused)
})

it('a hub that serve starts has no such sign-in', async () => {
  const real = await hubs.start()
  const token = demo.offer(await holder(), hubs.clock.now())
  expect(await exchange(token, real)).toMatchObject({ status: 404, code: 'path_not_found', cookie: null })
  expect(await (await fetch(`${real.url}/api/v1/openapi.json`)).text()).not.toContain('/auth/demo')
})
