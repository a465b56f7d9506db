import { describe, expect, it } from 'vitest'
import { Unauthenticated, Unavailable } from '../errors.ts'
import { createLogger } from '../logger.ts'
import { createHttpApp } from './http-app.ts'
import { type MountOptions, mountRoutes } from './mount.ts'
import { RollingWindow } from './rate-limit.ts'
import { routeFor, type SharedRead, sharedReadFor } from './route.ts'
import { z } from './z.ts'

const away = new Error('the database is away')
const limited = new RollingWindow()
const options: MountOptions<null> = {
  logger: createLogger('silent'),
  identify: async () => {
    throw away
  },
  limit: ({ subject }, bucket) => limited.hit(`${bucket} ${subject}`, 2, 0),
  isLimited: () => false,
  clientIp: () => '192.0.2.1',
  isHttps: () => false,
  trustedProxies: [],
  translate: (error) => (error === away ? new Unavailable('database_away', 'Later.') : null),
  observe: () => {},
  observeRefusal: () => {},
  runOnce: () => Promise.reject(new Error('no request has a key')),
  requestSeconds: 10,
}

it('when authentication is unavailable, requests get 503 with rate limit headers and count by address', async () => {
  const app = createHttpApp(options)
  const things = {
    method: 'get',
    path: '/things',
    operation: 'things',
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
  const hang = {
    method: 'get',
    path: '/hang',
    operation: 'hang',
    access: 'any',
    tag: 't',
    summary: 's',
    description: 'd',
    returns: null,
  } as const
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

describe('an operation that reads together with the check of the session', () => {
  const numbers = {
    method: 'get',
    path: '/numbers',
    operation: 'numbers',
    access: 'any',
    tag: 't',
    summary: 's',
    description: 'd',
    query: z.object({ from: z.coerce.number().int() }),
    returns: z.number(),
  } as const
  const load = async (_reader: null, _tenantId: string, inputs: readonly { query: { from: number } }[]) =>
    inputs.map(({ query }) => query.from + 1)
  const route = sharedReadFor<null, null>()(numbers, load, ({ found }) => found)

  function appWith(changes: Partial<MountOptions<null>>) {
    const read: SharedRead['input'][] = []
    let counted = 0
    const own: MountOptions<null> = {
      ...options,
      limit: () => {
        counted++
        return letIn
      },
      identify: async (_access, _headers, _ip, _requestId, wanted) => {
        if (!wanted?.isWanted('somebody')) return { subject: 'somebody' }
        read.push(wanted.input)
        return { subject: 'somebody', found: (await wanted.load(null, '', [wanted.input]))[0] }
      },
      ...changes,
    }
    const app = createHttpApp(own)
    mountRoutes(app, [route], own)
    const ask = async (query: string) => {
      const answer = await app.request(`/api/v1/numbers?${query}`)
      return { status: answer.status, body: await answer.json() }
    }
    return { ask, read, counted: () => counted }
  }

  it('hands over what was read', async () => {
    const { ask, read } = appWith({})
    expect(await ask('from=4')).toEqual({ status: 200, body: 5 })
    expect(read).toHaveLength(1)
  })

  it('reads nothing for a request that is wrong, which it says after authentication', async () => {
    const { ask, read } = appWith({})
    expect(await ask('from=x')).toMatchObject({ status: 422 })
    expect(read).toEqual([])
    const { ask: askUnknown } = appWith({
      identify: async () => ({ subject: 'ip', refusal: new Unauthenticated('token_missing', 'Sign in.') }),
    })
    expect(await askUnknown('from=x')).toMatchObject({ status: 401 })
  })

  it('refuses a parameter that is given twice, unless it ignores it', async () => {
    const { ask } = appWith({})
    const errors = [{ path: 'query.from', message: 'must be given once' }]
    expect(await ask('from=4&from=4')).toMatchObject({ status: 422, body: { errors } })
    expect(await ask('from=4&other=1&other=2')).toMatchObject({ status: 200 })
  })

  it('reads nothing for a subject that the rate limit is going to refuse', async () => {
    const { ask, read } = appWith({ isLimited: () => true, limit: () => ({ ...letIn, ok: false, retryAfter: 1 }) })
    expect(await ask('from=4')).toMatchObject({ status: 429 })
    expect(read).toEqual([])
  })

  it('reads after all, and counts once, when the limit allows what it would have refused a moment before', async () => {
    const { ask, read, counted } = appWith({ isLimited: () => true })
    expect(await ask('from=4')).toEqual({ status: 200, body: 5 })
    expect(read).toHaveLength(1)
    expect(counted()).toBe(1)
  })

  it('counts a request whose read failed for its subject, checks it, and then answers the failure', async () => {
    const counted: string[] = []
    const failing: Partial<MountOptions<null>> = {
      limit: ({ subject }) => {
        counted.push(subject)
        return letIn
      },
    }
    const known = appWith({ ...failing, identify: async () => ({ subject: 'somebody', fault: away }) })
    expect(await known.ask('from=4')).toMatchObject({ status: 503, body: { code: 'database_away' } })
    const refusal = new Unauthenticated('token_missing', 'Sign in.')
    const unknown = appWith({ ...failing, identify: async () => ({ subject: 'ip', refusal, fault: away }) })
    expect(await unknown.ask('from=4')).toMatchObject({ status: 401 })
    expect(counted).toEqual(['somebody', 'ip'])
  })
})

it('answers of a deprecated operation say since when, until when and what takes its place, refusals too', async () => {
  const app = createHttpApp(options)
  const old = {
    method: 'get',
    path: '/old-things',
    operation: 'oldThings',
    access: 'any',
    tag: 't',
    summary: 's',
    description: 'd',
    deprecated: { since: new Date('2026-11-28T00:00:00Z'), sunset: new Date('2027-11-28T00:00:00Z'), instead: '/things' },
    returns: z.array(z.string()),
  } as const
  const things = { ...old, path: '/things', operation: 'things', deprecated: undefined } as const
  mountRoutes(app, [routeFor<null>()(old, async () => []), routeFor<null>()(things, async () => [])], options)
  const { headers } = await app.request('/api/v1/old-things')
  expect([headers.get('deprecation'), headers.get('sunset'), headers.get('link')]).toEqual([
    '@1795824000',
    'Sun, 28 Nov 2027 00:00:00 GMT',
    '</api/v1/things>; rel="successor-version"',
  ])
  expect((await app.request('/api/v1/things')).headers.has('deprecation')).toBe(false)
})
