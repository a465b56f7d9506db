import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Secret } from '@haltless/edge-agent/secret'
import type postgres from 'postgres'
import { afterAll, expect, it } from 'vitest'
import { openBackup, restoreBackup, writeBackup } from '../src/db/backup/index.ts'
import { prepareDatabase } from '../src/db/migrate.ts'
import { appliedMigrations, knownMigrations } from '../src/db/migrations.ts'
import { capabilitiesOf, channels } from '../src/features/delivery/notifications/registry.ts'
import { storeCapabilities } from '../src/features/delivery/notifications/store-capabilities.ts'
import { DirectoryStore } from '../src/features/work/attachments/storage/directory.ts'
import { describeSchema } from './describe-schema.ts'
import { newDatabase } from './support/old-database.ts'
import { storedReadings, storeReadings } from './support/stored-readings.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'haltless-upgrade-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const secretKey = new Secret('k'.repeat(32))
const schema = readFileSync(path.resolve(import.meta.dirname, '../migrations/schema.sql'), 'utf8')

/** One tenant with a rule that a reading has broken. Migration 0001 made the tables of readings. */
async function fill(sql: postgres.Sql, tables: number): Promise<void> {
  const history = await sql.begin(async (tx) => {
    const [tenant] = await tx`insert into tenants (name) values ('Mill') returning id`
    const tenantId = tenant?.id
    const [user] = await tx`
      insert into users ${tx({ tenant_id: tenantId, email: 'ada@mill.example', full_name: 'Ada', password_hash: 'x', role: 'admin' })} returning id`
    const [machine] = await tx`
      insert into machines ${tx({ tenant_id: tenantId, name: 'Saw', machine_identifier: 'saw-1', protocol: 'opcua' })} returning id`
    const metric = { tenant_id: tenantId, machine_id: machine?.id, unit: 'celsius' }
    const name = { machineId: machine?.id as string, metric: 'temperature', unit: 'celsius' }
    const place = tables < PACKED_STORE ? {} : { place: 0 }
    const [series] =
      tables === LATEST ? [] : await tx`insert into series ${tx({ ...metric, ...place, metric: 'temperature' })} returning id`
    const thresholds = { metric_name: 'temperature', warning_threshold: 80, critical_threshold: 90, created_by: user?.id }
    const [rule] = await tx`insert into threshold_rules ${tx({ tenant_id: tenantId, ...thresholds })} returning id`
    const raised = { rule_id: rule?.id, severity: 'critical', metric_name: 'temperature', trigger_value: 95, threshold_value: 90 }
    await tx`insert into alerts ${tx({ ...metric, ...raised, message: 'hot', triggered_at: new Date(), cleared_at: new Date() })}`
    if (tables < 2) return null
    const at = new Date('2026-01-31T12:00:00Z')
    if (tables < PACKED_STORE) {
      await tx`select ensure_reading_partition(${at})`
      await tx`insert into readings values (${series?.id}, ${at}, 95)`
    }
    return tables === LATEST ? { ...name, times: [at.getTime()], values: [95] } : null
  })
  if (history) await storeReadings(sql, [history])
}

/** The number of migrations with the tables of packed readings. The functions that they need come with the latest one. */
const PACKED_STORE = knownMigrations().findIndex(({ tag }) => tag === '0022_packed_store') + 1
const LATEST = knownMigrations().length

/** What `fill` stored, as the version with so many migrations reads it. */
async function contentOf(sql: postgres.Sql, tables: number) {
  const rows =
    tables < 2 || (tables >= PACKED_STORE && tables < LATEST)
      ? []
      : tables < PACKED_STORE
        ? await sql`select value from readings`
        : await storedReadings(sql, {})
  const content = await sql`
  select t.name as tenant, u.email, m.machine_identifier, a.trigger_value, a.cleared_at, r.metric_name, s.id as series
  from tenants t join users u on u.tenant_id = t.id join machines m on m.tenant_id = t.id join alerts a on a.tenant_id = t.id
    join threshold_rules r on r.id = a.rule_id join series s on s.machine_id = m.id`
  return [...content].map((row) => ({ ...row, readings: [...rows].map(({ value }) => value) }))
}

/** Today's backup lists partitions of tables that early hubs had not: it finds them empty, outside of what it copies. */
async function standIns(sql: postgres.Sql): Promise<void> {
  const [known] = await sql`select to_regclass('reading_partitions') as readings, to_regclass('minute_partitions') as minutes`
  await sql.unsafe(`
    create schema later;
    create table later.store_partitions (name text, parent text, lower timestamptz, upper timestamptz);
    create table later.legacy_partitions (name text, lower timestamptz, upper timestamptz);
    create table later.legacy_minute_partitions (name text, lower timestamptz, upper timestamptz);
    ${known?.readings ? `insert into later.store_partitions select name, 'readings', lower, upper from reading_partitions;` : ''}
    ${known?.minutes ? `insert into later.store_partitions select name, 'rollup_minutes', lower, upper from minute_partitions;` : ''}
    do $$ begin execute format('alter database %I set search_path = public, later', current_database()); end $$`)
}

/** Their hubs had no attachments. */
const NO_FILES = new DirectoryStore('/nowhere')

it.concurrent.for(knownMigrations().map(({ tag }, index) => [index + 1, tag] as const))(
  'a backup of a hub with %i migrations (up to %s) is restored, with its rows, to the present schema',
  async ([tables], test) => {
    const old = await newDatabase(test, tables)
    await fill(old.sql, tables)
    await standIns(old.sql)
    const file = path.join(folder, `${tables}.backup`)
    await writeBackup(old.url, file, { hubVersion: 'test', keyMark: 'test', secretKey: null }, null, () => {})
    const { url, sql } = await newDatabase(test)
    const backup = await openBackup(file)
    await restoreBackup(url, backup, { store: NO_FILES, folder }, () => {}).finally(() => backup.close())
    const stored = await contentOf(old.sql, tables)
    test.expect(stored).toHaveLength(1)
    test.expect(await contentOf(sql, tables < 2 ? tables : knownMigrations().length)).toEqual(stored)
    test.expect(await describeSchema(sql)).toBe(schema)
  },
)

it('a database of migrations 0 to 14 (commit c79cc08) is upgraded where it is, with its rows', async (test) => {
  const { url, sql } = await newDatabase(test, 15)
  expect((await appliedMigrations(sql)).at(-1)?.tag).toBe('0014_delivery_turns')
  await fill(sql, 15)
  const before = await contentOf(sql, 15)
  await prepareDatabase(url, secretKey)
  expect(await contentOf(sql, knownMigrations().length)).toEqual(before)
  expect(await describeSchema(sql)).toBe(schema)
})

it('channels of a hub before migration 20 get the capabilities that their adapters state', async (test) => {
  const { url, sql } = await newDatabase(test, 20)
  const [tenant] = await sql`insert into tenants (name) values ('Mill') returning id`
  for (const type of Object.keys(channels))
    await sql`
      insert into notification_channels (tenant_id, name, channel_type, masked_config, sealed_config, created_by)
      values (${tenant?.id}, ${type}, ${type}, '{}', 'sealed', ${randomUUID()})`
  await prepareDatabase(url, secretKey)
  const rows = await sql`
    select channel_type as type, audience, follows_alert as "followsAlert", subject_kind as "subjectKind" from notification_channels`
  expect(rows).toHaveLength(Object.keys(channels).length)
  for (const { type, ...capabilities } of rows) expect([type, capabilities]).toEqual([type, capabilitiesOf(type)])
})

it('a channel that a hub of the previous version creates gets its capabilities when a newer hub starts', async (test) => {
  const { url, sql } = await newDatabase(test)
  await prepareDatabase(url, secretKey)
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
  await Promise.all([prepareDatabase(url, secretKey), prepareDatabase(url, secretKey)])
  expect((await appliedMigrations(sql)).map(({ tag }) => tag)).toEqual(knownMigrations().map(({ tag }) => tag))
  expect(await describeSchema(sql)).toBe(schema)
})
