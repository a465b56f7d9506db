import { randomBytes, randomUUID } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Secret } from '@haltless/edge-agent/secret'
import type { Sql } from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../src/config.ts'
import postgres from '../src/db/driver.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../src/db/embedded/index.ts'
import { transientDbError } from '../src/db/errors.ts'
import { prepareDatabase } from '../src/db/migrate.ts'
import { openPools, type Pools, pipelined, type TransactionSql } from '../src/db/pools.ts'
import { type RunningHub, startHub } from '../src/hub.ts'
import { createLogger } from '../src/support/logger.ts'
import { TestClock } from './harness.ts'
import { newSite, type Site } from './running-hub.ts'
import { soon } from './soon.ts'
import { copyReadyCluster } from './support/ready-cluster.ts'

let root = ''
let server: EmbeddedPostgres
/** its own commits never wait */
let owner: Sql
const secretKey = randomBytes(32).toString('base64')

beforeAll(async () => {
  root = mkdtempSync(path.join(tmpdir(), 'haltless-standby-'))
  chmodSync(root, 0o755)
  server = await startEmbeddedPostgres({
    dataDir: path.join(copyReadyCluster(root), 'postgres'),
    flags: ['fsync=off', 'synchronous_standby_names=nobody'].flatMap((flag) => ['-c', flag]),
    restart: false,
  })
  owner = postgres(server.url(), { max: 2, onnotice: () => {}, connection: { synchronous_commit: 'local' } })
  await commitsWait(false)
})
afterAll(async () => {
  await owner?.end({ timeout: 1 })
  await server?.stop()
  rmSync(root, { recursive: true, force: true, maxRetries: 5 })
})

/** Whether commits wait for the standby, which is away. */
async function commitsWait(wait: boolean): Promise<void> {
  await owner`alter system set synchronous_commit = ${owner.unsafe(wait ? 'on' : 'local')}`
  await owner`select pg_reload_conf()`
  // the server has told all sessions before it accepts a new one that has the new value
  await soon(async () => {
    const fresh = postgres(server.url(), { max: 1 })
    const [row] = await fresh`show synchronous_commit`.finally(() => fresh.end())
    expect(row?.synchronous_commit).toBe(wait ? 'on' : 'local')
  })
}

/** What the sessions do whose commit waits. */
const waiting = () => owner<{ query: string }[]>`select query from pg_stat_activity where wait_event = 'SyncRep'`
const oneWaits = () => soon(async () => expect(await waiting()).toHaveLength(1))
const endWait = (by: 'pg_cancel_backend' | 'pg_terminate_backend') =>
  owner`select ${owner.unsafe(by)}(pid) from pg_stat_activity where wait_event = 'SyncRep'`
const outcome = (work: Promise<unknown>) =>
  work.then(
    () => 'committed',
    (error) => transientDbError(error)?.code ?? error,
  )

const insert = (sql: Sql | TransactionSql, n: number) => sql`insert into marks values (${n})`
type Write = (pools: Pools, n: number) => Promise<unknown>
const writers: [name: string, write: Write, commit: string][] = [
  ['a statement', ({ app }, n) => insert(app, n), 'insert into marks values ($1)'],
  [
    'a simple statement',
    ({ system }, n) => system.unsafe(`insert into marks values (${n})`).simple(),
    'insert into marks values (_)',
  ],
  ['a transaction', ({ system }, n) => system.begin((sql) => insert(sql, n)), 'commit'],
  [
    'a pipelined transaction of statements that are not prepared',
    ({ ingest }, n) =>
      pipelined(ingest, 'begin', (sql) => sql.unsafe(`insert into marks values ($1) -- ${n}`, [n], { prepare: true })),
    'commit',
  ],
  [
    'a pipelined transaction',
    ({ ingest }, n) =>
      pipelined(ingest, 'begin', async (sql) => {
        sql`select ${1}::int`.execute()
        await insert(sql, n)
      }),
    'insert into marks values ($1)',
  ],
]

describe('a commit that waits for a standby', () => {
  let pools: Pools
  let last = 0
  beforeAll(async () => {
    pools = openPools(await prepareDatabase(server.url(), [new Secret(secretKey)]), 2)
    await owner`create table if not exists marks (n int)`
    await owner`grant select, insert on marks to haltless_app, haltless_ingest, haltless_system`
  })
  afterAll(async () => {
    await commitsWait(false)
    await pools?.close()
  })
  /** What is sent then is already prepared. */
  const waitNow = async (write: Write) => {
    await commitsWait(false)
    await write(pools, 0)
    await commitsWait(true)
  }
  const isStored = async (n: number) => (await owner`select from marks where n = ${n}`).length > 0

  describe.each(writers)('%s', (_, write, commit) => {
    it('fails as if the database were away when a cancel request ends the wait, and the connection serves the next one', async () => {
      await waitNow(write)
      const n = ++last
      const work = outcome(write(pools, n))
      await oneWaits()
      const [session] = await waiting()
      expect(session?.query.replace(/\(\d+\)/, '(_)')).toBe(commit)
      await endWait('pg_cancel_backend')
      expect(await work).toBe('database_away')
      // the reason why it must not count as stored: only this server has it
      expect(await isStored(n)).toBe(true)
      for (const pool of [pools.app, pools.ingest, pools.system]) expect(await pool`select 1 as n`).toEqual([{ n: 1 }])
    })

    it('fails as if the database were away when its session is terminated', async () => {
      await waitNow(write)
      const work = outcome(write(pools, ++last))
      await oneWaits()
      await endWait('pg_terminate_backend')
      expect(await work).toBe('database_away')
    })
  })

  it('fails as if the database were away after the statement timeout, which PostgreSQL does not apply to the wait', async () => {
    await commitsWait(true)
    const n = ++last
    const work = outcome(pools.system.begin((sql) => insert(sql, n)))
    expect(await work).toBe('database_away')
    expect(await waiting()).toHaveLength(1)
    expect(await isStored(n)).toBe(false)
    await endWait('pg_terminate_backend')
    await soon(async () => expect(await waiting()).toEqual([]))
  })
})

describe('readings whose commit waits for a standby', () => {
  const clock = new TestClock()
  let hub: RunningHub
  let site: Site
  beforeAll(async () => {
    const config = loadConfig({
      SECRET_KEY: secretKey,
      DATABASE_URL: server.url(),
      DATA_DIR: root,
      HOST: '127.0.0.1',
      PORT: '0',
      MQTT_PORT: '0',
    })
    hub = await startHub(config, createLogger('silent'), clock)
    site = await newSite(hub.url, owner)
  })
  afterAll(() => hub?.stop())

  const send = async (reading: object) => {
    const answer = await fetch(`${hub.url}/api/v1/ingest`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': site.key },
      body: JSON.stringify({ readings: [reading] }),
    })
    return { status: answer.status, body: await answer.json() }
  }
  const newReading = (more: object) => ({
    machine_identifier: site.identifier,
    metric_name: 'temperature',
    unit: 'celsius',
    value: 20,
    timestamp: clock.now().toISOString(),
    ...more,
  })
  /** Sends until the flush waits for the standby: at first a job of the hub that waits too may hold its locks, which is 503 as well. */
  const sendUntilWaits = async (reading: object) => {
    const open = () => {
      const sent = { answer: send(reading), isAnswered: false }
      sent.answer.finally(() => {
        sent.isAnswered = true
      })
      return sent
    }
    let sent = open()
    await soon(async () => {
      if (sent.isAnswered) {
        expect(await sent.answer).toMatchObject({ status: 503 })
        await endWait('pg_cancel_backend')
        sent = open()
      }
      const found =
        await owner`select 1 from pg_stat_activity where wait_event = 'SyncRep' and application_name = 'haltless ingest'`
      expect(found).toHaveLength(1)
    })
    return sent
  }

  it.each([
    ['without keys', () => ({})],
    ['with idempotency keys', () => ({ idempotency_key: randomUUID() })],
  ])('%s are answered 503 until a standby has them, also when they are repeated, and stored once', async (_, keys) => {
    const stored = { status: 207, body: { accepted_count: 1 } }
    for (let i = 0; i < 2; i++, clock.advance(1)) expect(await send(newReading(keys()))).toMatchObject(stored)
    const before = await site.stored()
    const reading = newReading(keys())
    await commitsWait(true)
    for (let i = 0; i < 3; i++) {
      const { answer } = await sendUntilWaits(reading)
      await endWait('pg_cancel_backend')
      expect(await answer).toMatchObject({ status: 503, body: { code: 'database_away' } })
    }
    await commitsWait(false)
    await soon(async () => {
      await endWait('pg_cancel_backend')
      expect(await send(reading)).toMatchObject(stored)
    })
    expect(await site.stored()).toBe(before + 1)
  })
})
