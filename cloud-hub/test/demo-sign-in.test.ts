import { type IncomingMessage, request } from 'node:http'
import { beforeAll, expect, it } from 'vitest'
import { DemoSignIn } from '../src/features/people/accounts/index.ts'
import type { RunningHub } from '../src/hub.ts'
import { PASSWORD } from './harness.ts'
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

it('the demonstration leaves Secure away for this computer alone, so that Safari stays signed in; serve never does', async () => {
  const demonstration = await hubs.start({}, undefined, demo)
  const real = await hubs.start()
  const { body: me } = await (await hubs.site(real)).call('GET', 'auth/me')
  const account = { email: me.email, password: PASSWORD }
  const isSecure = async ({ port }: RunningHub, headers: Record<string, string>) => {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const options = { port, host: '127.0.0.1', path: '/api/v1/auth/login', method: 'POST' }
      const asked = request({ ...options, headers: { 'content-type': 'application/json', ...headers } }, resolve)
      asked.on('error', reject).end(JSON.stringify(account))
    })
    answer.resume()
    expect(answer.statusCode).toBe(200)
    return answer.headers['set-cookie']?.map((cookie) => cookie.includes('; Secure'))
  }
  for (const host of ['localhost:8080', '127.0.0.1', '[::1]:8080']) {
    expect(await isSecure(demonstration, { host, origin: `http://${host}` })).toEqual([false])
    expect(await isSecure(real, { host, origin: `http://${host}` })).toEqual([true])
    // behind nginx with `proxy_pass` alone, which sends its own Host and no X-Forwarded-For
    for (const origin of ['https://hub.example.com', 'http://hub.example.com', 'https://localhost', 'null'])
      expect(await isSecure(demonstration, { host, origin })).toEqual([true])
    expect(await isSecure(demonstration, { host })).toEqual([true])
  }
  const origin = 'http://localhost'
  for (const host of ['hub.example.com', 'localhost.example.com', '127.0.0.1.example.com'])
    expect(await isSecure(demonstration, { host, origin })).toEqual([true])
  for (const header of ['x-forwarded-for', 'x-real-ip', 'via', 'forwarded', 'x-forwarded-proto'])
    expect(await isSecure(demonstration, { host: 'localhost', origin, [header]: '192.0.2.7' })).toEqual([true])
})
