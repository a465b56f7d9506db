import { randomUUID } from 'node:crypto'
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress } from 'node:zlib'
import { Secret } from '@haltless/edge-agent/secret'
import { afterAll, describe, expect, it } from 'vitest'
import { openBackup, restoreBackup, writeBackup } from '../src/db/backup/index.ts'
import { migrateTables, prepareDatabase } from '../src/db/migrate.ts'
import { appliedMigrations, applyMigrations, knownMigrations, OlderDatabase } from '../src/db/migrations.ts'
import { storeCapabilities } from '../src/features/delivery/notifications/store-capabilities.ts'
import { DirectoryStore } from '../src/features/work/attachments/storage/directory.ts'
import { describeSchema } from './describe-schema.ts'
import { newDatabase } from './support/new-database.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'haltless-upgrade-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const secretKey = new Secret('k'.repeat(32))
const schema = readFileSync(path.resolve(import.meta.dirname, '../migrations/schema.sql'), 'utf8')

describe('a database from before the baseline', () => {
  it.for([
    ['hub 0.1.0 with migration 0063', { tag: '0063_reading_arrivals_functions', hub_version: '0.1.0' }, 'Hub 0.1.0'],
    ['a hub that recorded neither tag nor version', {}, 'An early hub'],
  ] as const)('of %s is refused with what to do, and nothing in it changes', async ([, recorded, version], test) => {
    const { url, sql } = await newDatabase(test)
    const columns = Object.keys(recorded).map((name) => `, ${name} text`)
    await sql.unsafe(`
      create schema drizzle;
      create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint${columns.join('')});
      create table tenants (id uuid primary key, name text)`)
    await sql`insert into drizzle.__drizzle_migrations ${sql({ hash: 'x', created_at: 1_795_690_417_688, ...recorded })}`
    await sql`insert into tenants values (${randomUUID()}, 'Mill')`
    const contents = async () => [
      await describeSchema(sql),
      [...(await sql`select * from tenants`)],
      await appliedMigrations(sql),
    ]
    const before = await contents()
    for (const open of [() => migrateTables(url), () => prepareDatabase(url, [secretKey])]) {
      const refusal = await open().catch((error) => error)
      expect(refusal).toBeInstanceOf(OlderDatabase)
      expect(refusal.message).toMatch(
        new RegExp(`^${version} wrote this database before the present schema existed.*cannot upgrade it`),
      )
      expect(refusal.message).toContain(
        'Export what you need with the version that wrote it, then start this hub with an empty database',
      )
    }
    expect(await contents()).toEqual(before)
  })

  it('whose backup is opened is refused with what to do', async () => {
    const file = path.join(folder, 'old.backup')
    await pipeline(['haltless-backup 1\n', Buffer.alloc(4)], createZstdCompress(), createWriteStream(file))
    await expect(openBackup(file)).rejects.toThrow(
      /from before the present schema wrote it; only that version of the hub can restore it/,
    )
  })
})

it('a channel that a hub of the previous version creates gets its capabilities when a newer hub starts', async (test) => {
  const { url, sql } = await newDatabase(test)
  await prepareDatabase(url, [secretKey])
  const [tenant] = await sql`insert into tenants (name) values ('Mill') returning id`
  await sql`
    insert into notification_channels (tenant_id, name, channel_type, masked_config, sealed_config, created_by)
    values (${tenant?.id}, 'incidents', 'incident_a', '{}', 'sealed', ${randomUUID()})`
  expect(await storeCapabilities(sql)).toBe(1)
  const [row] = await sql`select audience, follows_alert, subject_kind from notification_channels`
  expect(row).toEqual({ audience: 'incident', follows_alert: true, subject_kind: 'alert' })
  expect(await storeCapabilities(sql)).toBe(0)
})

it('two hubs that start together on an empty database migrate it once', async (test) => {
  const { url, sql } = await newDatabase(test)
  await Promise.all([prepareDatabase(url, [secretKey]), prepareDatabase(url, [secretKey])])
  expect((await appliedMigrations(sql)).map(({ tag }) => tag)).toEqual(knownMigrations().map(({ tag }) => tag))
  expect(await describeSchema(sql)).toBe(schema)
})

describe('a migration beside which no earlier hub can run', () => {
  const NAMES = '0012_standard_names'
  /** A database of the version before, with a hub that announced itself so many seconds ago. */
  const databaseBefore = async (test: Parameters<typeof newDatabase>[0], announcedSecondsAgo: number) => {
    const { url, sql } = await newDatabase(test)
    const before = knownMigrations().findIndex(({ tag }) => tag === NAMES)
    await migrateTables(url, before)
    await sql`
      insert into hub_replicas (id, seen_at, wire_versions, reads_arrivals)
      values (${randomUUID()}, now() - make_interval(secs => ${announcedSecondsAgo}), '{1}', true)`
    return { url, sql, pending: knownMigrations().slice(before) }
  }

  it('is refused with what to do while one runs, and changes nothing', async (test) => {
    const { sql, pending } = await databaseBefore(test, 0)
    const before = await describeSchema(sql)
    await expect(applyMigrations(sql, pending, { hubWaitMs: 0 })).rejects.toThrow(
      /^A hub of an earlier version runs on this database, .* 0012_standard_names\. Nothing was changed\. Stop all hubs, then start hub/,
    )
    expect(await describeSchema(sql)).toBe(before)
  })

  it('waits for a hub that was killed to count as gone', async (test) => {
    const { sql, pending } = await databaseBefore(test, 9)
    await applyMigrations(sql, pending)
    expect(await describeSchema(sql)).toBe(schema)
  })

  it('renames the statuses of waiting deliveries', async (test) => {
    const { sql, pending } = await databaseBefore(test, 60)
    await sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`
      for (const status of ['gathering', 'grouped', 'waiting'])
        await tx`
          insert into deliveries (tenant_id, channel_id, alert_id, status)
          values (${randomUUID()}, ${randomUUID()}, ${randomUUID()}, ${status})`
      await tx`set local session_replication_role = origin`
    })
    await applyMigrations(sql, pending)
    const rows = await sql<{ status: string }[]>`select status from deliveries order by status`
    expect(rows.map(({ status }) => status)).toEqual(['in_digest', 'pending_digest', 'waiting'])
  })
})

it('shifts and days without production from before sites had their own hold for all sites', async (test) => {
  const { url, sql } = await newDatabase(test)
  const before = knownMigrations().findIndex(({ tag }) => tag === '0015_site_zones')
  await migrateTables(url, before)
  const [tenant] = await sql<{ id: string }[]>`insert into tenants (name) values ('Mill') returning id`
  const tenantId = tenant?.id as string
  await sql`insert into machine_groups (tenant_id, name, group_type) values (${tenantId}, 'Ulm', 'site')`
  for (const date of ['2026-12-25', '2026-12-26'])
    await sql`insert into non_production_days (tenant_id, date, name) values (${tenantId}, ${date}, 'Christmas')`
  await sql`
    insert into shift_definitions (tenant_id, name, start_time, end_time, duration_minutes, color)
    values (${tenantId}, 'Early', '06:00', '14:00', 480, '#336699')`
  await applyMigrations(sql, knownMigrations().slice(before))
  expect(await sql`select group_id, date::text, name from non_production_days order by date`).toEqual([
    { group_id: null, date: '2026-12-25', name: 'Christmas' },
    { group_id: null, date: '2026-12-26', name: 'Christmas' },
  ])
  expect(await sql`select group_id, name from shift_definitions`).toEqual([{ group_id: null, name: 'Early' }])
  expect(await sql`select time_zone from machine_groups`).toEqual([{ time_zone: null }])
  const again = sql`insert into non_production_days (tenant_id, date, name) values (${tenantId}, '2026-12-25', 'again')`
  await expect(again).rejects.toThrow('non_production_days_date_key')
})

describe('a backup of an earlier version', () => {
  it('is restored, and brought to the present schema', async (test) => {
    const [before, after] = [await newDatabase(test), await newDatabase(test)]
    await migrateTables(before.url, 10)
    await before.sql`insert into tenants (id, name) values (${randomUUID()}, 'Mill')`
    const [file, store] = [path.join(folder, 'ten.backup'), new DirectoryStore(path.join(folder, 'files'))]
    await writeBackup(before.url, file, { hubVersion: 'test', keyMark: 'test', secretKey: null }, store, () => {})
    const backup = await openBackup(file)
    await restoreBackup(after.url, backup, { store, folder }, () => {})
    backup.close()
    expect(await after.sql`select name from tenants`).toEqual([{ name: 'Mill' }])
    expect(await describeSchema(after.sql)).toBe(schema)
  })
})
