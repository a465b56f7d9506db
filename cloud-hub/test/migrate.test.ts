import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Secret } from '@haltless/edge-agent/secret'
import type { Row, Sql } from 'postgres'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { runDoctor } from '../src/cli/doctor.ts'
import postgres from '../src/db/driver.ts'
import { prepareDatabase } from '../src/db/migrate.ts'
import { applyMigrations, MigrationFailed, NewerDatabase } from '../src/db/migrations.ts'
import { UnsupportedServer } from '../src/db/require-server.ts'
import { useDatabase } from './harness.ts'
import { soon } from './soon.ts'

const database = useDatabase()
const secretKey = new Secret('k'.repeat(32))
let owner: Sql
beforeAll(() => {
  owner = postgres(database.url, { max: 1, onnotice: () => {} })
})
afterAll(() => owner.end())

const doctor = async (url = database.url) => {
  const findings = await runDoctor({ DATABASE_URL: url, SECRET_KEY: secretKey.reveal(), PORT: '0' })
  return (check: string) => findings.find((finding) => finding.check === check)
}

describe('a database that a newer hub has migrated', () => {
  it('is refused, and the version that it needs is named', async () => {
    await prepareDatabase(database.url, [secretKey])
    await owner`
      insert into drizzle.__drizzle_migrations (hash, created_at, tag, hub_version)
      values ('x', 4102444800000, '0099_future', '7.8.9')`
    const refusal = await prepareDatabase(database.url, [secretKey]).catch((error) => error)
    expect(refusal).toBeInstanceOf(NewerDatabase)
    expect(refusal.message).toMatch(/^Hub 7\.8\.9 has migrated this database \(0099_future\), .* Start hub 7\.8\.9 or newer/)
    expect((await doctor())('tables')).toMatchObject({ state: 'fail', detail: expect.stringContaining('7.8.9') })
    await owner`delete from drizzle.__drizzle_migrations where tag = '0099_future'`
    expect((await doctor())('tables')).toMatchObject({ state: 'ok' })
  })
})

describe('doctor', () => {
  it('says what to do about a database that nobody serves, that refuses the password, or that is missing', async () => {
    const findingOf = async (change: (url: URL) => void) => {
      const url = new URL(database.url)
      change(url)
      return (await doctor(url.href))('DATABASE_URL')
    }
    const port = await new Promise<number>((resolve) => {
      const server = createServer().listen(0, '127.0.0.1', () => {
        const { port } = server.address() as { port: number }
        server.close(() => resolve(port))
      })
    })
    const findings = [
      await findingOf((url) => (url.port = String(port))),
      await findingOf((url) => (url.password = 'wrong')),
      await findingOf((url) => (url.pathname = '/missing')),
    ]
    expect(findings).toEqual([
      expect.objectContaining({
        state: 'fail',
        detail: expect.stringMatching(/: start PostgreSQL there, or correct host and port/),
      }),
      expect.objectContaining({ state: 'fail', detail: expect.stringMatching(/: correct user and password in DATABASE_URL/) }),
      expect.objectContaining({ state: 'fail', detail: expect.stringMatching(/: create it with `create database`/) }),
    ])
  })

  it('makes no database where the first start has made none', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'doctor-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const findings = await runDoctor({ DATA_DIR: folder, PORT: '0' })
    expect(findings).toContainEqual(expect.objectContaining({ check: 'embedded database', state: 'warn' }))
    expect(readdirSync(folder)).toEqual([])
  })
})

describe('a migration of a table that somebody reads for long', () => {
  it('does not block other statements while it waits, and continues when the table is free', async () => {
    await prepareDatabase(database.url, [secretKey])
    const [last] = await owner`
      delete from drizzle.__drizzle_migrations where id = (select max(id) from drizzle.__drizzle_migrations) returning *`
    const folder = mkdtempSync(path.join(tmpdir(), 'migration-'))
    const [backup, other, migrating] = [1, 2, 3].map(() => postgres(database.url, { max: 1, onnotice: () => {} })) as [
      Sql,
      Sql,
      Sql,
    ]
    onTestFinished(async () => {
      await Promise.all([backup, other, migrating].map((sql) => sql.end({ timeout: 1 })))
      await owner`alter table hub_replicas drop column if exists noted`
      await owner`delete from drizzle.__drizzle_migrations where created_at = ${last?.created_at}`
      await owner`insert into drizzle.__drizzle_migrations ${owner(last as Row)}`
      rmSync(folder, { recursive: true })
    })
    writeFileSync(path.join(folder, 'x.sql'), 'alter table hub_replicas add column noted text')
    const told = vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => told.mockRestore())

    await backup`begin`
    await backup`select from hub_replicas`
    const migrated = applyMigrations(migrating, [{ tag: 'x', when: Number(last?.created_at) }], { from: folder })
    await soon(() => expect(told).toHaveBeenCalledWith(expect.stringContaining('such as a backup')))
    await other`select from hub_replicas`
    await backup`commit`
    await migrated
    expect((await other`select noted from hub_replicas limit 0`).columns.map(({ name }) => name)).toEqual(['noted'])
  })
})

describe('a migration that fails', () => {
  it('names file, line and statement, what PostgreSQL says and what to do, and leaves nothing behind', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'haltless-migrate-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const statement = '-- one more\ncreate table tenants ()'
    writeFileSync(path.join(folder, '0098_half.sql'), `create table half ();\n--> statement-breakpoint\n${statement}`)
    const failure = await applyMigrations(owner, [{ tag: '0098_half', when: 1 }], { from: folder }).catch((error) => error)
    expect(failure).toBeInstanceOf(MigrationFailed)
    expect(failure.message.split('\n')).toEqual([
      'The database could not be migrated. Statement 2 of 2 of cloud-hub/migrations/0098_half.sql (line 4) failed:',
      '  create table tenants ()',
      'PostgreSQL: relation "tenants" already exists (42P07)',
      expect.stringMatching(/^Nothing was changed/),
      expect.stringMatching(/Rename or drop it/),
    ])
    expect(await owner`select to_regclass('half') as half`).toEqual([{ half: null }])
  })
})

describe('a PostgreSQL that is too old', () => {
  it('is refused before any statement of the hub runs, and doctor reports it, both with the version that is needed', async () => {
    // what the server reports of itself when a connection starts, on its way
    const server = createServer((near) => {
      const far = connect(Number(new URL(database.url).port), '127.0.0.1')
      far.on('data', (bytes: Buffer) => {
        const text = bytes.toString('latin1').replace(/server_version\0\d\d/, 'server_version\x0015')
        near.write(Buffer.from(text, 'latin1'))
      })
      near
        .on('data', (bytes) => far.write(bytes))
        .on('error', () => far.destroy())
        .on('close', () => far.destroy())
      far.on('error', () => near.destroy()).on('close', () => near.destroy())
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    onTestFinished(() => void server.close())
    const old = new URL(database.url)
    old.port = String((server.address() as { port: number }).port)
    const refusal = await prepareDatabase(old.href, [secretKey]).catch((error) => error)
    expect(refusal).toBeInstanceOf(UnsupportedServer)
    expect(refusal.message).toMatch(/^The database server is PostgreSQL 15\.\d+.*; the hub needs 18 or newer\./)
    expect((await doctor(old.href))('DATABASE_URL')).toMatchObject({ state: 'fail', detail: expect.stringContaining('needs 18') })
  })
})

/** The URL of a new, empty database of the server. */
async function databaseWith(options: string): Promise<string> {
  const name = `texts_${randomUUID().slice(0, 8)}`
  await owner.unsafe(`create database ${name} ${options}`)
  onTestFinished(async () => void (await owner.unsafe(`drop database ${name} with (force)`)))
  return Object.assign(new URL(database.url), { pathname: `/${name}` }).href
}
async function tablesOf(url: string): Promise<unknown[]> {
  const sql = postgres(url, { max: 1 })
  try {
    return [...(await sql`select relname from pg_class where relnamespace = 'public'::regnamespace`)]
  } finally {
    await sql.end()
  }
}

describe('a PostgreSQL that lacks what texts need', () => {
  it.each(['SQL_ASCII', 'LATIN1'])(
    'is refused before anything is changed when the encoding of its database is %s',
    async (encoding) => {
      const url = await databaseWith(`encoding '${encoding}' locale 'C' template template0`)
      const refusal = await prepareDatabase(url, [secretKey]).catch((error) => error)
      expect(refusal).toBeInstanceOf(UnsupportedServer)
      expect(refusal.message).toMatch(new RegExp(`has the encoding ${encoding}; the hub needs UTF8\\. Create another`))
      expect((await doctor(url))('DATABASE_URL')).toMatchObject({ state: 'fail', detail: expect.stringContaining('needs UTF8') })
      expect(await tablesOf(url)).toEqual([])
    },
  )

  it('is refused before anything is changed when it was built without ICU', async () => {
    const url = await databaseWith('template template0')
    const sql = postgres(url, { max: 1 })
    await sql`delete from pg_collation where collprovider = 'i'`
    await sql.end()
    const refusal = await prepareDatabase(url, [secretKey]).catch((error) => error)
    expect(refusal).toBeInstanceOf(UnsupportedServer)
    expect(refusal.message).toMatch(/^The database server was built without ICU/)
    expect((await doctor(url))('DATABASE_URL')).toMatchObject({ state: 'fail', detail: expect.stringContaining('without ICU') })
    expect(await tablesOf(url)).toEqual([])
  })
})

describe('doctor', () => {
  it('tells variables that look like misspelled settings', async () => {
    const env = { DATABSE_URL: 'postgres://x', SMPT_URL: 'smtp://x', HOME: '/root', PORT: 'abc' }
    const details = (await runDoctor(env)).map(({ detail }) => detail)
    expect(details).toEqual([
      expect.stringContaining('whole number'),
      expect.stringMatching(/^DATABSE_URL .*DATABASE_URL\?$/),
      expect.stringMatching(/^SMPT_URL .*SMTP_URL\?$/),
    ])
  })
})
