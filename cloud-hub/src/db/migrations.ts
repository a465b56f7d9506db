import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import packageJson from '../../package.json' with { type: 'json' }
import { OperatorError } from '../support/errors.ts'
import { dbError, isLocked } from './errors.ts'
import type { Sql, TransactionSql } from './pools.ts'
import { appliesCurrentFunctions, functionFiles } from './sql-functions.ts'

const folder = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../migrations')

/** The SQL that creates a function. */
export const functionText = (name: string): string => readFileSync(path.join(folder, `functions/${name}.sql`), 'utf8')
const BREAKPOINT = '--> statement-breakpoint'

/** One file of `migrations/`, as its journal lists it. */
export interface Migration {
  /** the file's name without `.sql` */
  tag: string
  /** Unix milliseconds; identifies the migration in the database */
  when: number
}

/** A migration in the database's history. The first hubs recorded neither tag nor version. */
export interface AppliedMigration {
  when: number
  tag: string | null
  hubVersion: string | null
}

/** The migrations of this version, in the order in which they apply. */
export function knownMigrations(): Migration[] {
  const journal = JSON.parse(readFileSync(path.join(folder, 'meta/_journal.json'), 'utf8')) as { entries: Migration[] }
  return journal.entries.map(({ tag, when }) => ({ tag, when }))
}

/** @returns oldest first; empty for a database without a hub's tables */
export async function appliedMigrations(sql: Sql): Promise<AppliedMigration[]> {
  const [table] = await sql`select to_regclass('drizzle.__drizzle_migrations') as name`
  if (!table?.name) return []
  return sql<AppliedMigration[]>`
    select created_at::float8 as "when", to_jsonb(m) ->> 'tag' as tag, to_jsonb(m) ->> 'hub_version' as "hubVersion"
    from drizzle.__drizzle_migrations m
    order by created_at`
}

/** The database has migrations that this version does not contain. */
export class NewerDatabase extends OperatorError {
  constructor(unknown: AppliedMigration) {
    const version = unknown.hubVersion ?? 'a newer version'
    super(
      `Hub ${version} has migrated this database${unknown.tag ? ` (${unknown.tag})` : ''}, and this is hub ${packageJson.version}. ` +
        `Start hub ${version} or newer, or restore a backup of this version into an empty database.`,
    )
  }
}

/** A hub from before the baseline wrote the database. No migration leads from there to the present schema. */
export class OlderDatabase extends OperatorError {
  constructor(last: AppliedMigration) {
    const version = last.hubVersion ? `Hub ${last.hubVersion}` : 'An early hub'
    super(
      `${version} wrote this database before the present schema existed${last.tag ? ` (${last.tag})` : ''}, and hub ${packageJson.version} ` +
        'cannot upgrade it. Nothing was changed. Export what you need with the version that wrote it, then start this hub with an ' +
        'empty database or a new DATA_DIR.',
    )
  }
}

/**
 * Compares a database with this version.
 * @returns the migrations that the database lacks
 * @throws NewerDatabase, OlderDatabase
 */
export function pendingMigrations(applied: AppliedMigration[], known = knownMigrations()): Migration[] {
  const unknown = applied.findLast(({ when }) => !known.some((migration) => migration.when === when))
  const baseline = known[0]?.when ?? 0
  if (unknown && unknown.when < baseline) throw new OlderDatabase(unknown)
  if (unknown) throw new NewerDatabase(unknown)
  return known.filter(({ when }) => !applied.some((migration) => migration.when === when))
}

/**
 * A session that waits for a table lock blocks all later ones. So a migration waits briefly, pauses and tries again. The wait is
 * shorter than PostgreSQL's `deadlock_timeout` of one second, so a deadlock with a flush cannot fail the migration.
 */
const LOCK_WAIT_MS = 900
const PAUSE_MS = 2_000
const PATIENCE_MS = 10 * 60_000

/**
 * Applies migrations in one transaction, and `functions/` when one of them names its checksum. It retries for ten minutes while
 * another session, such as a backup, uses a table that they change.
 * @throws MigrationFailed and HubsRunning, which leave the database unchanged
 */
export async function applyMigrations(
  owner: Sql,
  migrations: Migration[],
  { from = folder, hubWaitMs = HUB_WAIT_MS } = {},
): Promise<void> {
  if (migrations.length === 0) return
  await requireStoppedHubs(owner, migrations, from, hubWaitMs)
  let isReported = false
  for (const end = Date.now() + PATIENCE_MS; ; await sleep(PAUSE_MS)) {
    try {
      return await applyAll(owner, migrations, from)
    } catch (error) {
      if (!isLocked((error as Error).cause) || Date.now() > end) throw error
      if (!isReported)
        console.error(
          'Another session, such as a backup, is using a table that the migration changes. The hub continues when the table is free.',
        )
      isReported = true
    }
  }
}

/** The line of a migration beside which no hub of an earlier version can run. */
const HUBS_STOPPED = /^-- hubs: stopped$/m
/** A stopped hub leaves the list of replicas. One that was killed counts as gone after 10 seconds. */
const HUB_SILENCE_SECONDS = 10
const HUB_WAIT_MS = 20_000
const HUB_POLL_MS = 500

/** @throws HubsRunning */
async function requireStoppedHubs(owner: Sql, migrations: Migration[], from: string, waitMs: number): Promise<void> {
  const migration = migrations.find(({ tag }) => HUBS_STOPPED.test(readFileSync(path.join(from, `${tag}.sql`), 'utf8')))
  if (!migration) return
  const [table] = await owner`select to_regclass('hub_replicas') as name`
  if (!table?.name) return
  for (const end = Date.now() + waitMs; ; await sleep(HUB_POLL_MS)) {
    const [row] = await owner<{ hubs: number }[]>`
      select count(*)::int as hubs from hub_replicas where seen_at > now() - make_interval(secs => ${HUB_SILENCE_SECONDS})`
    if (!row?.hubs) return
    if (Date.now() > end) throw new HubsRunning(migration.tag, row.hubs)
  }
}

/** A hub of an earlier version runs, and the migration renames what it uses. */
export class HubsRunning extends OperatorError {
  constructor(tag: string, hubs: number) {
    super(
      `${hubs === 1 ? 'A hub of an earlier version runs' : `${hubs} hubs of an earlier version run`} on this database, and none can run ` +
        `beside the migration ${tag}. Nothing was changed. Stop all hubs, then start hub ${packageJson.version}.`,
    )
  }
}

async function applyAll(owner: Sql, migrations: Migration[], from: string): Promise<void> {
  await owner.begin(async (tx) => {
    await tx.unsafe(`set local lock_timeout = '${LOCK_WAIT_MS}ms'`)
    await prepareBookkeeping(tx)
    const texts: string[] = []
    for (const migration of migrations) {
      const text = readFileSync(path.join(from, `${migration.tag}.sql`), 'utf8')
      texts.push(text)
      await applyFile(tx, `${migration.tag}.sql`, text)
      const hash = createHash('sha256').update(text).digest('hex')
      await tx`
        insert into drizzle.__drizzle_migrations (hash, created_at, tag, hub_version)
        values (${hash}, ${migration.when}, ${migration.tag}, ${packageJson.version})`
    }
    const functions = functionFiles(from)
    if (appliesCurrentFunctions(texts, functions)) for (const { name, text } of functions) await applyFile(tx, name, text)
  })
}

async function applyFile(tx: TransactionSql, file: string, text: string): Promise<void> {
  const statements = statementsOf(text)
  for (const [index, statement] of statements.entries())
    await tx.unsafe(statement.text).catch((error) => {
      throw new MigrationFailed(file, { ...statement, number: index + 1, of: statements.length }, error)
    })
}

/** The table of drizzle-orm's migrator, with the tag and the version of the hub that applied it. */
async function prepareBookkeeping(tx: TransactionSql): Promise<void> {
  await tx`create schema if not exists drizzle`
  await tx`
    create table if not exists drizzle.__drizzle_migrations (
      id serial primary key, hash text not null, created_at bigint, tag text, hub_version text)`
}

interface Statement {
  text: string
  /** of its first line that is neither blank nor a comment */
  line: number
}

function statementsOf(text: string): Statement[] {
  let line = 1
  return text.split(BREAKPOINT).map((part) => {
    const lines = part.split('\n')
    const first = lines.findIndex((candidate) => candidate.trim() !== '' && !candidate.trim().startsWith('--'))
    const statement = { text: part, line: line + Math.max(first, 0) }
    line += lines.length - 1
    return statement
  })
}

/** A statement of a migration failed; all pending migrations were rolled back. */
export class MigrationFailed extends OperatorError {
  constructor(file: string, at: Statement & { number: number; of: number }, cause: unknown) {
    const code = dbError(cause)?.code ?? ''
    const opening = at.text.split('\n').find((line) => line.trim() !== '' && !line.trim().startsWith('--')) ?? ''
    super(
      [
        `The database could not be migrated. Statement ${at.number} of ${at.of} of cloud-hub/migrations/${file} (line ${at.line}) failed:`,
        `  ${opening.trim().slice(0, 200)}`,
        `PostgreSQL: ${(cause as Error).message}${code ? ` (${code})` : ''}`,
        'Nothing was changed: pending migrations apply all or none, and the previous version of the hub runs on this database as before.',
        adviceFor(code),
      ].join('\n'),
    )
    this.cause = cause
  }
}

/** Source: PostgreSQL, Appendix A (error codes) */
function adviceFor(code: string): string {
  if (code === '42501')
    return "Let DATABASE_URL name the user who owns the hub's tables, or grant that user what PostgreSQL misses."
  if (code.startsWith('53')) return 'Give the database server more disk, memory or connections, then start the hub again.'
  if (code === '55P03' || code === '57014' || code.startsWith('40'))
    return 'Another session locked an object that the migration changes. Start the hub again.'
  if (code === '25006')
    return 'The server is a standby or read-only. Let DATABASE_URL name the primary, then start the hub again.'
  if (code.startsWith('08') || code.startsWith('57P') || !/^[0-9A-Z]{5}$/.test(code))
    return 'The connection was lost. When the database is reachable again, start the hub again.'
  if (['42P07', '42710', '42701', '42723'].includes(code))
    return 'An object of that name exists that no migration created. Rename or drop it, then start the hub again.'
  return 'Keep the previous version running, and report these lines to the developers of the hub.'
}
