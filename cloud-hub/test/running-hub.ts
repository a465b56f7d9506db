import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Sql } from 'postgres'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { loadConfig } from '../src/config.ts'
import postgres from '../src/db/driver.ts'
import type { DemoSignIn } from '../src/features/people/accounts/index.ts'
import { type RunningHub, startHub } from '../src/hub.ts'
import { createLogger, type Logger } from '../src/support/logger.ts'
import { PASSWORD, TestClock, useDatabase } from './harness.ts'
import { soon } from './soon.ts'
import { blockFlushes, countStored } from './support/stored-readings.ts'

/** A tenant with a machine and an API key, on a hub that is reached over the network. */
export interface Site {
  tenantId: string
  identifier: string
  machineId: string
  keyId: string
  key: string
  /** the admin's access token, which every hub of the database takes */
  token: string
  /** as the tenant's admin */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  call(method: string, path: string, body?: unknown): Promise<{ status: number; body: any }>
  // biome-ignore lint/suspicious/noExplicitAny: see above
  heartbeat(telemetry: Record<string, unknown>): Promise<{ status: number; body: any }>
  /** how many readings of the machine are in the database */
  stored(): Promise<number>
}

export interface RunningHubs {
  clock: TestClock
  /** as its owner */
  databaseUrl: string
  /** of all of them */
  secretKey: string
  /** the owner's connection: sees everything */
  owner: Sql
  /** starts one more hub on the database; it is stopped at the end if it still runs */
  start(env?: Record<string, string>, logger?: Logger, demo?: DemoSignIn): Promise<RunningHub>
  site(hub: RunningHub): Promise<Site>
}

/** Hubs as `startHub` builds them, on one database of their own, with ports that nobody else has. */
export function useRunningHubs(common: Record<string, string> = {}): RunningHubs {
  const database = useDatabase()
  const running: RunningHub[] = []
  const hubs = { clock: new TestClock() } as RunningHubs
  const secretKey = randomBytes(32).toString('base64')
  let dataDir = ''
  beforeAll(() => {
    dataDir = mkdtempSync(path.join(tmpdir(), 'haltless-hubs-'))
    hubs.databaseUrl = database.url
    hubs.secretKey = secretKey
    hubs.owner = postgres(database.url, { max: 3, onnotice: () => {} })
    hubs.start = async (env = {}, logger = createLogger(process.env.TEST_LOG ?? 'silent'), demo?) => {
      const ports = { HOST: '127.0.0.1', PORT: '0', MQTT_PORT: '0' }
      const config = loadConfig({
        SECRET_KEY: secretKey,
        DATABASE_URL: database.url,
        DATA_DIR: dataDir,
        ...ports,
        ...common,
        ...env,
      })
      const hub = await startHub(config, logger, hubs.clock, demo)
      running.push(hub)
      return hub
    }
    hubs.site = (hub) => newSite(hub.url, hubs.owner)
  })
  afterAll(async () => {
    await Promise.all(running.map((hub) => hub.stop()))
    await hubs.owner?.end({ timeout: 1 })
    rmSync(dataDir, { recursive: true, force: true })
  })
  return hubs
}

export async function newSite(url: string, owner: Sql): Promise<Site> {
  const call = async (method: string, path: string, body: unknown, headers: Record<string, string>) => {
    const init = { method, headers: { 'content-type': 'application/json', ...headers } }
    const answer = await fetch(`${url}/api/v1/${path}`, body === undefined ? init : { ...init, body: JSON.stringify(body) })
    const text = await answer.text()
    return { status: answer.status, body: text ? JSON.parse(text) : null }
  }
  /** A hub on a busy machine answers 503 when a request takes too long: it is asked again, and what fails for good says so. */
  const made = (method: string, path: string, body: () => unknown, headers: Record<string, string>) =>
    soon(async () => {
      const answer = await call(method, path, body(), headers)
      if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
      return answer.body
    })
  const account = () => ({
    email: `${randomUUID()}@example.com`,
    password: PASSWORD,
    full_name: 'Ada Admin',
    tenant_name: 'Acme',
  })
  const session = await made('POST', 'auth/register', account, {})
  const bearer = { authorization: `Bearer ${session.access_token}` }
  const asAdmin: Site['call'] = (method, path, body) => call(method, path, body, bearer)
  const me = await made('GET', 'auth/me', () => undefined, bearer)
  const key = await made('POST', 'api-keys', () => ({ name: 'plant' }), bearer)
  const press = () => ({ name: 'Press 1', machine_identifier: `m-${randomUUID()}`, protocol: 'opc_ua' })
  const machine = await made('POST', 'machines', press, bearer)
  return {
    tenantId: me.tenant_id,
    identifier: machine.machine_identifier,
    machineId: machine.id,
    keyId: key.id,
    key: key.key,
    token: session.access_token,
    call: asAdmin,
    heartbeat: (telemetry) => call('POST', 'agent/heartbeat', telemetry, { 'x-api-key': key.key }),
    stored: () => countStored(owner, { machineId: machine.id }),
  }
}

/** Holds every flush back until released, at the latest when the test ends; flushes that wait can be waited for. */
export async function holdFlushes(owner: Sql) {
  let release = () => {}
  const held = new Promise<void>((go) => {
    release = go
  })
  let locked = () => {}
  const ready = new Promise<void>((go) => {
    locked = go
  })
  const done = owner.begin(async (tx) => {
    await blockFlushes(tx)
    locked()
    await held
  })
  await ready
  onTestFinished(async () => {
    release()
    await done
  })
  return {
    /** how many flushes stand before the lock */
    waiting: async () => {
      const [row] = await owner<{ n: number }[]>`
        select count(*)::int as n from pg_stat_activity
        where datname = current_database() and application_name = 'haltless ingest' and wait_event_type = 'Lock'`
      return row?.n ?? 0
    },
    release: async () => {
      release()
      await done
    },
  }
}
