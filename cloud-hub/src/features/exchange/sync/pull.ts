import { type Fault, fault } from '@haltless/protocol'
import type { TransactionSql } from '../../../db/pools.ts'
import { insertMachines, type MachineValues } from '../../plant/machines/index.ts'
import type { Asset } from '../providers/index.ts'
import type { ActiveRun, RunRow } from './active-run.ts'
import { type Known, type KnownMachine, type Link, type Match, matchAssets } from './match-assets.ts'
import { PullBounds } from './pull-bounds.ts'
import { type LogEntry, saveLogs, storableText } from './sync-log.ts'

/** An automatic pull logs a conflict again after this. */
const REPEAT_HOURS = 24
const MAX_EXTERNAL_ID = 500

/**
 * Fetches the assets of the ERP, page by page: creates machines and updates name and location. Each page and the position after it
 * are saved in one transaction, so a run goes on where it stopped.
 * @throws ErpUnavailable, also for pages without an end; TimeUp, LeaseLost
 */
export async function pull(active: ActiveRun): Promise<void> {
  const { run, lease } = active.deps
  const bounds = new PullBounds(run.succeeded + run.failed + run.skipped)
  for (let page = run.nextPage; ; ) {
    const answer = await active.call((session, signal) => session.assets(page, signal))
    const { nextPage } = answer
    active.hasReachedErp = true
    const last = await lastCompletePull(active)
    const assets = answer.assets.map((asset) => ({ ...asset, externalId: storableText(asset.externalId, MAX_EXTERNAL_ID) }))
    const { added, end } = bounds.note(
      assets.map(({ externalId }) => externalId),
      nextPage,
    )
    await lease.write((sql) => savePage(sql, active, { assets, nextPage, added }, last))
    if (end) throw end
    if (nextPage === null) break
    page = nextPage
  }
  await lease.write(
    (sql) => sql`update erp_runs set total = succeeded + failed + skipped where tenant_id = ${run.tenantId} and id = ${run.id}`,
  )
}

async function lastCompletePull({ deps: { scope, run } }: ActiveRun): Promise<Date | null> {
  const [row] = await scope.read(
    (sql) => sql<{ startedAt: Date }[]>`
      select started_at as "startedAt" from erp_runs
      where tenant_id = ${run.tenantId} and connection_id = ${run.connectionId} and direction = 'inbound' and ended_at is not null
        and error_message is null
      order by started_at desc nulls last limit 1`,
  )
  return row?.startedAt ?? null
}

async function savePage(
  sql: TransactionSql,
  active: ActiveRun,
  { assets, nextPage, added }: { assets: readonly Asset[]; nextPage: string | null; added: ReadonlySet<string> },
  lastCompletePull: Date | null,
): Promise<void> {
  const { run } = active.deps
  const now = active.now()
  const known = await loadKnown(sql, run, assets)
  const matches = matchAssets(assets, { ...known, lastCompletePull })
  const created = await create(sql, run, matches, now)
  await update(sql, run, matches, now)
  const results = matches.map((match) => resultOf(match, created))
  await link(sql, run, results, now)
  const isManual = run.trigger === 'manual'
  const repeated = isManual ? new Set<string>() : await loggedConflicts(sql, run, results, now)
  // an asset that several pages contain is logged once as unchanged
  const logged = results.filter(({ externalId, entry }) =>
    entry.status === 'skipped' ? isManual && added.has(externalId) : !repeated.has(`${externalId} ${entry.fault?.detail}`),
  )
  await saveLogs(
    sql,
    active.origin,
    logged.map(({ entry }) => entry),
    now,
  )
  const counted = (status: LogEntry['status']) => results.filter(({ entry }) => entry.status === status).length
  await sql`
    update erp_runs set next_page = ${nextPage}, succeeded = succeeded + ${counted('success')}, failed = failed + ${counted('failed')},
      skipped = skipped + ${counted('skipped')}
    where tenant_id = ${run.tenantId} and id = ${run.id}`
}

async function loadKnown(sql: TransactionSql, run: RunRow, assets: readonly Asset[]): Promise<Omit<Known, 'lastCompletePull'>> {
  const identifiers = assets.map(({ machineIdentifier }) => storableText(String(machineIdentifier), MAX_EXTERNAL_ID))
  const externalIds = assets.map(({ externalId }) => externalId)
  // The machines are locked in the order of their ids, because flushes and people change them too.
  const machines = await sql<KnownMachine[]>`
    select id, machine_identifier as identifier, name, location, is_active as "isActive" from machines
    where tenant_id = ${run.tenantId} and machine_identifier = any(${identifiers}) order by id for no key update`
  const links = await sql<Link[]>`
    select r.entity_id as "machineId", m.machine_identifier as identifier, r.external_id as "externalId", r.updated_at as "seenAt"
    from erp_records r join machines m on m.tenant_id = r.tenant_id and m.id = r.entity_id
    where r.tenant_id = ${run.tenantId} and r.connection_id = ${run.connectionId} and r.entity_type = 'machine'
      and r.external_id is not null
      and (r.external_id = any(${externalIds}) or r.entity_id = any(${machines.map(({ id }) => id)}::uuid[]))`
  return { machines: new Map(machines.map((machine) => [machine.identifier, machine])), links }
}

type Created = Awaited<ReturnType<typeof insertMachines>>
const NONE_CREATED: Created = { created: new Map(), refused: new Set(), limit: null }

async function create(sql: TransactionSql, run: RunRow, matches: readonly Match[], now: Date): Promise<Created> {
  const values = matches.flatMap((match) => (match.kind === 'create' ? [match.values] : []))
  return values.length === 0 ? NONE_CREATED : insertMachines(sql, run.tenantId, values, now)
}

async function update(sql: TransactionSql, run: RunRow, matches: readonly Match[], now: Date): Promise<void> {
  const changed = matches.flatMap((match) => (match.kind === 'update' ? [match] : []))
  if (changed.length === 0) return
  const of = <T>(pick: (values: MachineValues) => T) => changed.map(({ values }) => pick(values))
  await sql`
    update machines m set name = u.name, location = u.location, updated_at = ${now}
    from unnest(${changed.map(({ machineId }) => machineId)}::uuid[], ${of(({ name }) => name)}::text[],
      ${of(({ location }) => location)}::text[]) u(id, name, location)
    where m.tenant_id = ${run.tenantId} and m.id = u.id`
}

interface PullResult {
  /** null: the asset belongs to no machine */
  machineId: string | null
  externalId: string
  entry: LogEntry
}

function resultOf(match: Match, { created, refused, limit }: Created): PullResult {
  const { externalId, machineIdentifier, name, location } = match.asset
  const response = JSON.stringify({ machine_identifier: machineIdentifier, name, location })
  const result = (machineId: string | null, status: LogEntry['status'], found: Fault | null): PullResult => ({
    machineId,
    externalId,
    entry: { entityId: machineId, externalId, status, fault: found, request: null, response },
  })
  if (match.kind === 'conflict') return result(null, 'failed', match.reason)
  if (match.kind === 'unchanged') return result(match.machineId, 'skipped', match.reason)
  if (match.kind === 'update') return result(match.machineId, 'success', null)
  const identifier = match.values.machine_identifier
  if (refused.has(identifier)) return result(null, 'failed', fault('erp_machine_limit', { limit: limit ?? 0 }))
  const id = created.get(identifier)
  return id ? result(id, 'success', null) : result(null, 'failed', fault('erp_asset_created_meanwhile'))
}

/** Notes which assets the machines belong to, and which assets of earlier pulls were seen. */
async function link(sql: TransactionSql, run: RunRow, results: readonly PullResult[], now: Date): Promise<void> {
  const linked = results.filter(({ machineId }) => machineId !== null)
  await sql`
    update erp_records set updated_at = ${now}
    where tenant_id = ${run.tenantId} and connection_id = ${run.connectionId} and entity_type = 'machine'
      and external_id = any(${results.map(({ externalId }) => externalId)})`
  await sql`
    insert into erp_records (tenant_id, connection_id, entity_type, entity_id, external_id, is_due, updated_at)
    select ${run.tenantId}::uuid, ${run.connectionId}::uuid, 'machine', id, external_id, false, ${now}
    from unnest(${linked.map(({ machineId }) => machineId)}::uuid[], ${linked.map(({ externalId }) => externalId)}::text[])
      u(id, external_id) order by id
    on conflict (tenant_id, connection_id, entity_type, entity_id) do update
      set external_id = excluded.external_id, updated_at = excluded.updated_at`
}

/** Conflicts that a pull logged within the last day; an automatic pull does not repeat them each time. */
async function loggedConflicts(
  sql: TransactionSql,
  run: RunRow,
  results: readonly PullResult[],
  now: Date,
): Promise<Set<string>> {
  const failed = results.filter(({ entry }) => entry.status === 'failed').map(({ externalId }) => externalId)
  if (failed.length === 0) return new Set()
  const rows = await sql<{ key: string }[]>`
    select distinct external_id || ' ' || error_message as key from erp_sync_logs
    where tenant_id = ${run.tenantId} and erp_connection_id = ${run.connectionId} and status = 'failed' and direction = 'inbound' and fault is not null
      and created_at > ${new Date(now.getTime() - REPEAT_HOURS * 3_600_000)} and external_id = any(${failed})`
  return new Set(rows.map(({ key }) => key))
}
