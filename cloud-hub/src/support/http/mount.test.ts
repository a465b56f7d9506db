import { expect, it } from 'vitest'
import { Unavailable } from '../errors.ts'
import { createLogger } from '../logger.ts'
import { createHttpApp } from './http-app.ts'
import { type MountOptions, mountRoutes } from './mount.ts'
import { RollingWindow } from './rate-limit.ts'
import { routeFor } from './route.ts'
import { z } from './z.ts'

const away = new Error('the database is away')
const limited = new RollingWindow()
const options: MountOptions<null> = {
  logger: createLogger('silent'),
  identify: async () => {
    throw away
  },
  limit: ({ subject }, bucket) => limited.hit(`${bucket} ${subject}`, 2, 0),
  clientIp: () => '192.0.2.1',
  isHttps: () => false,
  trustedProxies: [],
  translate: (error) => (error === away ? new Unavailable('database_away', 'Later.') : null),
  observe: () => {},
  requestSeconds: 10,
}

it('when authentication is unavailable, requests get 503 with rate limit headers and count by address', async () => {
  const app = createHttpApp(options)
  const things = {
    method: 'get',
    path: '/things',
    access: 'any',
    tag: 't',
    summary: 's',
    description: 'd',
    returns: z.array(z.string()),
  } as const
  mountRoutes(app, [routeFor<null>()(things, async () => [])], options)
  const told: unknown[] = []
  for (let i = 0; i < 3; i++) {
    const { status, headers } = await app.request('/api/v1/things')
    told.push([status, headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining'), headers.has('retry-after')])
  }
  expect(told).toEqual([
    [503, '2', '1', true],
    [503, '2', '0', true],
    [429, '2', '0', true],
  ])
})

it('a slow request gets 503 in time, and no request starts while too many slow ones are in progress', async () => {
  const patient = { ...options, identify: async () => ({ subject: 'somebody' }), limit: () => letIn, requestSeconds: 0.05 }
  const app = createHttpApp(patient)
  let begun = 0
  const hang = { method: 'get', path: '/hang', access: 'any', tag: 't', summary: 's', description: 'd', returns: null } as const
  const forever = () => {
    begun++
    return new Promise<undefined>(() => {})
  }
  mountRoutes(app, [routeFor<null>()(hang, forever)], patient)
  const ask = async () => (await (await app.request('/api/v1/hang')).json()) as { status: number; code: string }
  expect(await ask()).toMatchObject({ status: 503, code: 'request_timeout' })
  await Promise.all(Array.from({ length: 1_999 }, ask))
  expect(await ask()).toMatchObject({ status: 503, code: 'hub_busy' })
  expect(begun).toBe(2_000)
})

const letIn = { ok: true, limit: 1, remaining: 1, resetAt: 0, retryAfter: 0 }
