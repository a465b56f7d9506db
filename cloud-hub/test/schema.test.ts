import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Sql, TransactionSql } from 'postgres'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import postgres from '../src/db/driver.ts'
import { migrateTables } from '../src/db/migrate.ts'
import { applyMigrations, knownMigrations } from '../src/db/migrations.ts'
import { functionFiles, functionsChecksumLine } from '../src/db/sql-functions.ts'
import { describeColumns, irregularColumns } from './describe-columns.ts'
import { describeSchema } from './describe-schema.ts'
import { useDatabase } from './harness.ts'

const cloudHub = path.resolve(import.meta.dirname, '..')
const migrations = path.join(cloudHub, 'migrations')
const database = useDatabase()
let owner: Sql
beforeAll(() => {
  owner = postgres(database.url, { max: 1, onnotice: () => {} })
})
afterAll(() => owner.end())

it('migrations/schema.sql describes a migrated database; `npm run schema` writes it', async () => {
  await expect(await describeSchema(owner)).toMatchFileSnapshot('../migrations/schema.sql')
})

it('src/db/columns.ts lists the columns of the declared tables; `npm run schema` writes it', async () => {
  await expect(describeColumns()).toMatchFileSnapshot('../src/db/columns.ts')
})

it('a column has the name of its property in snake_case; only statements of text use those that end in ppb', () => {
  expect(irregularColumns().filter((name) => !name.endsWith('_ppb'))).toEqual([])
})

describe('migrations/functions', () => {
  const files = functionFiles(migrations)
  const apply = async (sql: TransactionSql) => {
    for (const { text } of files) await sql.unsafe(text)
  }

  /** The migrations that name a state of the files, oldest first. */
  const naming = knownMigrations().flatMap(({ tag }) => {
    const line = /^-- functions: .*$/m.exec(readFileSync(path.join(migrations, `${tag}.sql`), 'utf8'))?.[0]
    return line ? [{ tag, line }] : []
  })

  it('hold every function, trigger and policy: dropped, they come back as they were', async () => {
    const before = await describeSchema(owner)
    const undone = new Error('rolled back')
    const rebuilding = owner.begin(async (sql) => {
      const drops = await sql<{ statement: string }[]>`
        select format('drop trigger %I on %s', tgname, tgrelid::regclass) as statement from pg_trigger where not tgisinternal
        union all
        select format('drop policy %I on %I', policyname, tablename) from pg_policies
        union all
        select format('drop routine %s', oid::regprocedure) from pg_proc where pronamespace = 'public'::regnamespace`
      for (const kind of ['drop trigger', 'drop policy', 'drop routine'])
        for (const { statement } of drops.filter((drop) => drop.statement.startsWith(kind))) await sql.unsafe(statement)
      await apply(sql)
      expect(await describeSchema(sql as unknown as Sql)).toBe(before)
      throw undone
    })
    await expect(rebuilding).rejects.toBe(undone)
  })

  it('replace no policy that is as it should be, because that locks its table', async () => {
    const policies = () => owner`select oid, xmin::text from pg_policy order by oid`
    const before = await policies()
    await owner.begin(apply)
    expect(await policies()).toEqual(before)
  })

  it('replace a policy that differs', async () => {
    const before = await describeSchema(owner)
    await owner`alter policy tenant_wall on machines using (true)`
    expect(await describeSchema(owner)).not.toBe(before)
    await owner.begin(apply)
    expect(await describeSchema(owner)).toBe(before)
  })

  it('apply with the migration that names them, and not again at the next start', async () => {
    const before = await describeSchema(owner)
    const cost = async () => (await owner`select procost from pg_proc where proname = 'audit_view'`)[0]?.procost
    await owner`alter function audit_view(jsonb, text[], text[]) cost 7`
    await migrateTables(database.url)
    expect(await cost()).toBe(7)
    const later = mkdtempSync(path.join(tmpdir(), 'haltless-migration-'))
    onTestFinished(() => rmSync(later, { recursive: true }))
    cpSync(path.join(migrations, 'functions'), path.join(later, 'functions'), { recursive: true })
    writeFileSync(path.join(later, 'later.sql'), functionsChecksumLine(files))
    await applyMigrations(owner, [{ tag: 'later', when: 4_102_444_800_000 }], { from: later })
    expect(await cost()).toBe(100)
    await owner`delete from drizzle.__drizzle_migrations where tag = 'later'`
    expect(await describeSchema(owner)).toBe(before)
  })

  it('have a migration that names their present state: after a change, write a new one with `drizzle-kit generate --custom`', () => {
    expect(naming.at(-1)?.line).toBe(functionsChecksumLine(files))
  })
})

it('drizzle-kit finds no difference between the declared tables and the one snapshot that is kept', async () => {
  const copy = mkdtempSync(path.join(tmpdir(), 'haltless-snapshot-'))
  onTestFinished(() => rmSync(copy, { recursive: true }))
  cpSync(path.join(migrations, 'meta'), path.join(copy, 'meta'), { recursive: true })
  expect(readdirSync(path.join(copy, 'meta')).filter((name) => name.endsWith('_snapshot.json'))).toHaveLength(1)
  const args = [
    'generate',
    '--dialect',
    'postgresql',
    '--schema',
    'src/db/tables/index.ts',
    '--out',
    path.relative(cloudHub, copy),
  ]
  const bin = path.resolve(cloudHub, '../node_modules/drizzle-kit/bin.cjs')
  // drizzle-kit leaves a folder in the one for temporary files
  const env = { ...process.env, TMPDIR: copy }
  const { stdout } = await promisify(execFile)(process.execPath, [bin, ...args], { cwd: cloudHub, env })
  expect(stdout).toContain('No schema changes')
})
