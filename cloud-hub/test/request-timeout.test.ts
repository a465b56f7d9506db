import { randomUUID } from 'node:crypto'
import type { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '../src/app.ts'
import { transientDbError } from '../src/db/errors.ts'
import { type Actor, type TenantScope, tenantScope } from '../src/db/scope.ts'
import { createIdentify } from '../src/features/people/accounts/index.ts'
import { createRunOnce } from '../src/features/people/idempotency/index.ts'
import { createGroupGate } from '../src/features/plant/machine-groups/index.ts'
import { Unavailable } from '../src/support/errors.ts'
import { createHttpApp, type Env } from '../src/support/http/http-app.ts'
import { type MountOptions, mountRoutes } from '../src/support/http/mount.ts'
import type { Route } from '../src/support/http/route.ts'
import { type TestUser, useHub } from './harness.ts'

const hub = useHub()
/** Below the lock timeout: who waits longer for a lock gets `database_busy` instead. */
const REQUEST_SECONDS = 0.3
let admin: TestUser
let key = ''
let unlock = async () => {}

/** All tables are locked while these tests run, so that every statement on one hangs. */
beforeAll(async () => {
  admin = await hub.admin()
  key = (await hub.apiKey(admin)).key
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: locked, resolve: haveLocked } = Promise.withResolvers<void>()
  const lock = hub.owner.begin(async (sql) => {
    const tables = await sql<{ name: string }[]>`
      select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`
    await sql.unsafe(`lock table ${tables.map(({ name }) => name).join(', ')} in access exclusive mode`)
    haveLocked()
    await released
  })
  await Promise.race([locked, lock])
  unlock = async () => {
    release()
    await lock
  }
})
afterAll(() => unlock())

const VALUES: Record<string, string> = { agent_id: 'line-4', version: '0.2.0', platform: 'linux-x64' }
const QUERIES: Record<string, string> = {
  '/auth/sso/check': '?email=ada@example.com',
  '/auth/sso/callback': '?state=s&code=c',
  '/agent/releases/{version}/{platform}': '?agent_id=line-4',
  '/readings/series': `?series=${randomUUID()}:vibration`,
  '/search': '?q=press',
}
const pathOf = ({ spec }: Route) =>
  `/api/v1${spec.path.replace(/\{(\w+)\}/g, (_, name) => VALUES[name] ?? randomUUID())}${QUERIES[spec.path] ?? ''}`

interface Outcome {
  status: number
  code: string | undefined
}

async function get(app: Hono<Env>, path: string, headers: Record<string, string> = {}): Promise<Outcome> {
  const answer = await app.request(path, { headers }, { incoming: { socket: { remoteAddress: '192.0.2.1' } } })
  const isJson = /json/.test(answer.headers.get('content-type') ?? '')
  return { status: answer.status, code: isJson ? ((await answer.json()) as { code?: string }).code : undefined }
}

/** Ends the statements that go on after their requests, so that the next ones find free connections. */
const cancelHung = () =>
  hub.owner`select pg_cancel_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`

/** What each read answers; a few at once, so that each has a connection. */
async function outcomesOf(app: Hono<Env>, paths: Map<string, string>, headersOf: (name: string) => Record<string, string>) {
  const outcomes: [string, Outcome][] = []
  const names = [...paths.keys()]
  for (let i = 0; i < names.length; i += 4) {
    const some = names.slice(i, i + 4)
    const found = await Promise.all(some.map((name) => get(app, paths.get(name) as string, headersOf(name))))
    outcomes.push(...some.map((name, n): [string, Outcome] => [name, found[n] as Outcome]))
    await cancelHung()
  }
  return outcomes
}

/** The document is made once, of constants. */
const reads = () => hub.routes.filter(({ spec }) => spec.method === 'get' && spec.path !== '/openapi.json')
const pathsOf = (routes: Route[]) => new Map(routes.map((route) => [route.spec.path, pathOf(route)]))
const timedOut = { status: 503, code: 'request_timeout' }
/** The outcomes other than the time limit, by path. */
const othersOf = (outcomes: [string, Outcome][]) =>
  Object.fromEntries(outcomes.filter(([, { status, code }]) => status !== timedOut.status || code !== timedOut.code))
/** A download, which may take longer: the lock timeout ends it. */
const downloads = { '/work-orders/{work_order_id}/certificate': { status: 503, code: 'database_busy' } }
/** These read no table; on a busy machine they may still take as long. */
const IMMEDIATE = ['/units/supported', '/machines/import/template', '/push/vapid-public-key']
const waiting = (outcomes: [string, Outcome][]) =>
  outcomes.filter(([name, { status }]) => !IMMEDIATE.includes(name) || status !== 200)

describe('with a database that hangs, at REQUEST_TIMEOUT_SECONDS', () => {
  it('every read but downloads ends as 503 while the hub checks who sends it', async () => {
    const { app } = createApp({ ...hub.deps, config: { ...hub.config, requestTimeoutSeconds: REQUEST_SECONDS } })
    const accessOf = new Map(reads().map(({ spec }) => [spec.path, spec.access]))
    const outcomes = await outcomesOf(
      app,
      pathsOf(reads()),
      (name): Record<string, string> =>
        ['key', 'enrolment'].includes(accessOf.get(name) ?? '')
          ? { 'x-api-key': key }
          : { authorization: `Bearer ${admin.token}` },
    )
    expect(othersOf(waiting(outcomes))).toEqual(downloads)
    expect(outcomes.length).toBeGreaterThan(90)
  })

  it('every read but downloads ends as 503 while it works for a caller whom the hub knows', async () => {
    const app = appThatKnows(admin)
    // `/stream` lasts as long as its reader wants
    const limited = reads().filter(({ spec }) => spec.path !== '/stream')
    const outcomes = await outcomesOf(app, pathsOf(limited), () => ({ authorization: `Bearer ${admin.token}` }))
    expect(othersOf(waiting(outcomes))).toEqual(downloads)
  })

  it('so does every page outside /api/v1 that reads', async () => {
    const { app } = createApp({ ...hub.deps, config: { ...hub.config, requestTimeoutSeconds: REQUEST_SECONDS } })
    const values: Record<string, string> = { file: `hc_${'a'.repeat(43)}.ics`, reference: 'a'.repeat(22) }
    const pages = app.routes
      .filter(({ method, path }) => method === 'GET' && !/^\/api\/v1|\*$/.test(path))
      .map(({ path }) => path)
    const found: string[] = []
    for (const page of new Set(pages)) {
      const outcome = await get(
        app,
        page.replace(/:(\w+)/g, (_, name) => values[name] ?? name),
      )
      if (outcome.code === timedOut.code) found.push(page)
      // no other page waits for a table
      else expect([page, outcome.status]).toEqual([page, expect.toSatisfy((status: number) => status < 500)])
    }
    expect(found).toEqual(['/.well-known/certificate-keys.json', '/calendars/:file', '/verify/:reference'])
  })
})

describe('a longer time limit', () => {
  it('is that of downloads only, as far as reads have one', () => {
    const longer = reads().filter(({ spec }) => spec.seconds !== undefined)
    expect(longer.map(({ spec }) => spec.operation)).toEqual(['downloadWorkOrderCertificate'])
  })
})

/** The operations, for a caller whom the hub does not look up: each hangs in its own statements. */
function appThatKnows({ tenantId, userId }: TestUser): Hono<Env> {
  const { pools, keys, clock, logger } = hub.deps
  const identify = createIdentify(pools, keys, clock, createGroupGate(hub.deps))
  const scopeOf = (kind: Actor['kind'], requestId: string): TenantScope =>
    tenantScope(pools, clock, tenantId, {
      kind,
      id: userId,
      role: 'admin',
      sessionId: randomUUID(),
      name: 'ada@example.com',
      ip: null,
      requestId,
    })
  const kinds: Record<string, Actor['kind']> = { key: 'api_key', enrolment: 'enrolment_key' }
  const options: MountOptions<TenantScope> = {
    logger,
    // a shared read loads together with the check of the session
    identify: async (asked, headers, ip, requestId, read) =>
      read
        ? identify(asked, headers, ip, requestId, read)
        : { subject: 'ada', scope: scopeOf(kinds[asked.access] ?? 'user', requestId) },
    limit: () => ({ ok: true, limit: 1, remaining: 1, resetAt: 0, retryAfter: 0 }),
    isLimited: () => false,
    clientIp: () => '192.0.2.1',
    isHttps: () => false,
    trustedProxies: [],
    runOnce: createRunOnce(hub.deps.box),
    requestSeconds: REQUEST_SECONDS,
    translate: (error) => {
      const found = transientDbError(error)
      return found && new Unavailable(found.code, found.detail)
    },
    observe: () => {},
    observeRefusal: () => {},
  }
  const app = createHttpApp(options)
  mountRoutes(app, hub.routes, options)
  return app
}
