import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest'
import { signIn } from '../src/demo/api.ts'
import { renderHeading } from '../src/demo/screen.ts'
import { type DemoAccess, openDemoTenant } from '../src/demo/tenant.ts'
import type { RunningHub } from '../src/hub.ts'
import { useRunningHubs } from './running-hub.ts'

const hubs = useRunningHubs({ OUTBOUND_ALLOW: '127.0.0.0/8' })
const NAME = 'commands of npm start'
const wait = { say: () => {}, pause: () => Promise.reject(new Error('no lockout')) }
let hub: RunningHub
let dataDir: string
beforeAll(async () => {
  hub = await hubs.start()
})
beforeEach(() => {
  const dir = mkdtempSync(path.join(tmpdir(), 'haltless-demo-token-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  dataDir = dir
})

/** What `npm start` does with the tenant, and prints. */
async function start() {
  const opened = await openDemoTenant(hub, { dataDir, pastDays: 0 }, 'http://127.0.0.1:9/', wait)
  const { access, pumpId } = opened
  const files = { data: dataDir, agent: 'agent.yaml', database: null }
  return { ...opened, printed: renderHeading(access, 'once', 1883, files, { pumpId, refusal: opened.refusal }) }
}
const stored = (): DemoAccess => JSON.parse(readFileSync(path.join(dataDir, 'demo.json'), 'utf8'))
const session = async ({ url, email, password } = stored()) => signIn(url, email, password)
const active = async (name = NAME) =>
  (await (await session()).get('/tokens')).filter((one) => one.status === 'active' && one.name === name)
const statusWith = async (token: string | null) =>
  (await fetch(`${hub.url}/api/v1/machines`, { headers: { authorization: `Bearer ${token}` } })).status
const make = async (name: string) => {
  const body = { name, scopes: ['machines:read' as const], expires_in_days: 365 }
  return (await session()).post('/tokens', { body })
}

it('an account that may have no more tokens starts without the commands and says why; with a place it gets them again', async () => {
  const first = await start()
  expect(first.printed).toContain(`token=${first.access.token}`)
  for (const own of await active())
    await (await session()).delete('/tokens/{access_token_id}', { path: { access_token_id: own.id } })
  for (let n = 0; n < 50; n++) await make('of somebody')

  const second = await start()
  expect(second.printed).toContain('An account has at most 50 active access tokens: revoke one first.')
  expect(second.printed).not.toContain('curl')
  expect(second.printed).not.toMatch(/null|undefined|token=/)
  expect([stored().token, stored().email]).toEqual([null, first.access.email])

  const [one] = await active('of somebody')
  await (await session()).delete('/tokens/{access_token_id}', { path: { access_token_id: one?.id ?? '' } })
  const third = await start()
  expect([await statusWith(third.access.token), stored().token]).toEqual([200, third.access.token])
  expect(third.printed).toContain(`token=${third.access.token}`)
})

it('a tenant without a place for a token starts without the commands and says why', async () => {
  await start()
  const { tenant_id } = await (await session()).get('/auth/me')
  for (const own of await active())
    await (await session()).delete('/tokens/{access_token_id}', { path: { access_token_id: own.id } })
  await hubs.owner`update tenants set limits = '{"tokens": 0}' where id = ${tenant_id}`
  expect((await start()).printed).toContain('Your tenant may have 0 ')
})

it('a start that was killed before it stored its token leaves none: the next one revokes those of that name, and only those', async () => {
  const { access } = await start()
  const [lost, other] = [await make(NAME), await make('of somebody')]
  expect((await start()).access.token).toBe(access.token)
  expect(await Promise.all([access.token, lost.token, other.token].map(statusWith))).toEqual([200, 401, 200])
  expect(await active()).toHaveLength(1)
})

it.each([
  ['an hour more than a day is kept', 25, true],
  ['an hour less than a day is replaced', 23, false],
])('a token that lasts %s', async (_, hours, isKept) => {
  const { access } = await start()
  const [own] = await active()
  await hubs.owner`
    update access_tokens set expires_at = now() + make_interval(hours => ${hours}) where id = ${own?.id ?? ''}`
  const { token } = (await start()).access
  expect(token === access.token).toBe(isKept)
  expect([await statusWith(token), (await active()).length]).toEqual([200, 1])
})
