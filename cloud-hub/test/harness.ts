import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Secret } from '@haltless/edge-agent/secret'
import type { Hono } from 'hono'
import type { Sql } from 'postgres'
import { afterAll, beforeAll, inject } from 'vitest'
import { type AppDeps, createApp } from '../src/app.ts'
import { type HubConfig, loadConfig } from '../src/config.ts'
import postgres from '../src/db/driver.ts'
import type { Logins } from '../src/db/login.ts'
import { prepareDatabase } from '../src/db/migrate.ts'
import { openPools } from '../src/db/pools.ts'
import type { TenantScope } from '../src/db/scope.ts'
import { loadVapidKey } from '../src/features/delivery/notifications/index.ts'
import { ErpRunner } from '../src/features/exchange/sync/index.ts'
import { loadSigningKeys } from '../src/features/people/accounts/index.ts'
import { Refusals } from '../src/features/people/audit/index.ts'
import { createGroupGate } from '../src/features/plant/machine-groups/index.ts'
import { Live } from '../src/features/stream/index.ts'
import { type FlushDeps, Flusher, type Ingest, IngestQueue } from '../src/features/telemetry/ingest/index.ts'
import { FileChecker, openStore } from '../src/features/work/attachments/index.ts'
import { createMetrics } from '../src/metrics.ts'
import { packedStore } from '../src/readings/index.ts'
import type { Env } from '../src/support/http/http-app.ts'
import type { Route } from '../src/support/http/route.ts'
import { Spool } from '../src/support/http/spool.ts'
import { createLogger } from '../src/support/logger.ts'
import { createMailer } from '../src/support/mail.ts'
import { createGuardedClient } from '../src/support/net/guarded-client.ts'
import { createSecretBox } from '../src/support/secrets/secret-box.ts'
import { checkDocumented } from './documented.ts'
import { INSERTS } from './support/stored-readings.ts'

/** A clock that a test moves by hand; it starts at the real time. */
export class TestClock {
  #offset = 0
  now(): Date {
    return new Date(Date.now() + this.#offset)
  }
  advance(seconds: number): void {
    this.#offset += seconds * 1000
  }
}

export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any
  headers: Headers
}

/** A signed-in user of a tenant of its own. */
export interface TestUser {
  tenantId: string
  userId: string
  token: string
  cookie: string
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

export interface TestHub {
  url: string
  app: Hono<Env>
  routes: Route<TenantScope>[]
  deps: AppDeps
  ingest: Ingest
  /** what flushes are made of: a test may give them the worker of a process that delivers */
  flushDeps: FlushDeps
  clock: TestClock
  config: HubConfig
  /** for further pools */
  logins: Logins
  /** the DNS that the hub asks: TXT records by name */
  txtRecords: Map<string, string[][]>
  /** the owner's connection: sees everything */
  owner: Sql
  /** a call without credentials, from an address of its own unless given */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>, ip?: string): Promise<Answer>
  /** registers a tenant with an admin */
  admin(): Promise<TestUser>
  /** another user of the same tenant */
  colleague(of: TestUser, role: 'admin' | 'operator' | 'viewer'): Promise<TestUser>
  apiKey(of: TestUser, name?: string): Promise<{ id: string; key: string }>
  machine(of: TestUser, values?: Record<string, unknown>): Promise<{ id: string; machine_identifier: string }>
  /** sends readings with a key; `timestamp` may be seconds ago */
  send(
    key: string,
    readings: { machine: string; value: number; metric?: string; unit?: string; ago?: number; at?: Date }[],
  ): Promise<Answer>
}

export const PASSWORD = 'Correct-horse-7'
let address = 0

/** A database of its own, cloned from the migrated template; dropped afterwards. */
export function useDatabase(): { url: string } {
  const held = { url: '' }
  const name = `t_${randomUUID().replaceAll('-', '')}`
  const admin = () => postgres(inject('pgUrl'), { max: 1, onnotice: () => {} })
  beforeAll(async () => {
    const sql = admin()
    await sql.unsafe(`create database ${name} template tpl strategy file_copy`)
    await sql.end()
    const url = new URL(inject('pgUrl'))
    url.pathname = `/${name}`
    held.url = url.href
  })
  afterAll(async () => {
    const sql = admin()
    await sql.unsafe(`drop database if exists ${name} with (force)`)
    await sql.end()
  })
  return held
}

/** The hub's app on a database of its own, called in-process; answers are checked against their declared shapes, refusals against their declared codes. */
export function useHub(env: Record<string, string> = {}): TestHub {
  const database = useDatabase()
  const hub = { txtRecords: new Map() } as unknown as TestHub
  let dataDir = ''
  beforeAll(async () => {
    dataDir = mkdtempSync(path.join(tmpdir(), 'haltless-hub-'))
    const clock = new TestClock()
    const secretKey = randomBytes(32).toString('base64')
    const config = loadConfig({
      SECRET_KEY: secretKey,
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      LOG_LEVEL: 'silent',
      ...env,
    })
    const logins = await prepareDatabase(database.url, [new Secret(secretKey)])
    const pools = openPools(logins)
    const logger = createLogger(config.logLevel)
    const box = createSecretBox([new Secret(secretKey)])
    const keys = await loadSigningKeys(pools.system, box)
    const store = packedStore(INSERTS)
    const { machineOfflineAfterSeconds } = config
    const flushDeps: FlushDeps = {
      ingest: pools.ingest,
      clock,
      store,
      baselineIntervalSeconds: 3_600,
      machineOfflineAfterSeconds,
      worker: null,
    }
    const ingest = new IngestQueue(new Flusher(flushDeps), logger)
    const http = createGuardedClient({ allow: config.outboundAllow })
    const mailer = createMailer({ smtpUrl: config.smtpUrl, from: config.mailFrom, dataDir: config.dataDir, clock, logger })
    const metrics = createMetrics()
    const vapid = config.webPush ? await loadVapidKey(pools.system, box, 'mailto:ops@example.com') : null
    const live = new Live({ system: pools.system, keys, groups: createGroupGate({ pools }), clock, logger })
    const files = {
      store: await openStore(config.attachments.store),
      checker: new FileChecker(),
      spool: await Spool.open(path.join(config.dataDir, 'spool')),
    }
    const erp = new ErpRunner({ pools, box, http, clock, logger, metrics, store, config })
    const edges = {
      refusals: new Refusals({ allTenants: pools.system, clock, logger, metrics }),
      erp,
      files,
      box,
      live,
      http,
      mailer,
      vapid,
      publicUrl: 'http://hub.test',
      mqttUrl: () => 'mqtt://127.0.0.1:1883',
      isBrokerReady: () => true,
      resolveTxt: async (name: string) =>
        hub.txtRecords.get(name) ?? Promise.reject(Object.assign(new Error('no record'), { code: 'ENOTFOUND' })),
      isAlone: () => true,
    }
    const deps: AppDeps = { config, pools, keys, clock, logger, metrics, store, ingest, ...edges }
    const owner = postgres(database.url, { max: 2, onnotice: () => {} })
    Object.assign(
      hub,
      { ...createApp(deps, { checkAnswers: true }), deps, flushDeps, ingest, clock, config, owner, logins, url: database.url },
      helpers(hub),
    )
  })
  afterAll(async () => {
    await hub.deps?.live.stop()
    await hub.deps?.erp.stop()
    await hub.ingest?.drain()
    await hub.owner?.end({ timeout: 1 })
    hub.deps?.http.close()
    hub.deps?.mailer.close()
    hub.deps?.files.store.close()
    await hub.deps?.pools.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  return hub
}

function helpers(hub: TestHub): Partial<TestHub> {
  const call: TestHub['call'] = async (
    method,
    path,
    body,
    headers = {},
    ip = `10.${(++address >> 16) & 255}.${(address >> 8) & 255}.${address & 255}`,
  ) => {
    const json = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    const init = {
      method,
      headers: { ...(json === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      body: json as string | undefined,
    }
    const url = path.startsWith('/') ? path : `/api/v1/${path}`
    const answer = await hub.app.request(url, init, {
      incoming: { socket: { remoteAddress: ip } },
    })
    const isEndless = /event-stream/.test(answer.headers.get('content-type') ?? '')
    if (isEndless) await answer.body?.cancel()
    const text = isEndless ? '' : await answer.text()
    const isJson = text !== '' && /json/.test(answer.headers.get('content-type') ?? '')
    const parsed = isJson ? JSON.parse(text) : text
    if (/problem/.test(answer.headers.get('content-type') ?? '') && parsed)
      checkDocumented(hub.routes, method, url, answer.status, parsed.code)
    return { status: answer.status, body: parsed, headers: answer.headers }
  }
  const userOf = async (answer: Answer): Promise<TestUser> => {
    const token = answer.body.access_token as string
    const as: TestUser['call'] = (method, path, body, headers = {}) =>
      call(method, path, body, { authorization: `Bearer ${token}`, ...headers })
    const me = await as('GET', 'auth/me')
    const cookie = /refresh_token=([^;]*)/.exec(answer.headers.get('set-cookie') ?? '')?.[1] ?? ''
    return { tenantId: me.body.tenant_id, userId: me.body.id, token, cookie, call: as }
  }
  return {
    call,
    admin: async () => {
      const given = { email: `${randomUUID()}@example.com`, password: PASSWORD, full_name: 'Ada Admin', tenant_name: 'Acme' }
      return userOf(await call('POST', 'auth/register', given))
    },
    colleague: async (of, role) => {
      const email = `${randomUUID()}@example.com`
      await hub.owner`insert into users (tenant_id, email, full_name, password_hash, role)
        select tenant_id, ${email}, ${role}, password_hash, ${role} from users where id = ${of.userId}`
      return userOf(await call('POST', 'auth/login', { email, password: PASSWORD }))
    },
    apiKey: async (of, name = 'test') => (await of.call('POST', 'api-keys', { name })).body,
    machine: async (of, values = {}) => {
      const given = { name: 'Press 1', machine_identifier: `m-${randomUUID()}`, protocol: 'opc_ua', ...values }
      return (await of.call('POST', 'machines', given)).body
    },
    send: (key, readings) =>
      call(
        'POST',
        'ingest',
        {
          readings: readings.map((r) => ({
            machine_identifier: r.machine,
            metric_name: r.metric ?? 'temperature',
            unit: r.unit ?? 'celsius',
            value: r.value,
            timestamp: (r.at ?? new Date(hub.clock.now().getTime() - (r.ago ?? 0) * 1000)).toISOString(),
          })),
        },
        { 'x-api-key': key },
      ),
  }
}

/** A tenant with an API key and one machine. */
export async function plant(hub: TestHub) {
  const admin = await hub.admin()
  const { key } = await hub.apiKey(admin)
  const machine = await hub.machine(admin)
  return { admin, key, machine, identifier: machine.machine_identifier }
}

/** The limit of an answer, and what is left of it. */
export const limitOf = (headers: Headers): number[] =>
  ['x-ratelimit-limit', 'x-ratelimit-remaining'].map((name) => Number(headers.get(name)))
