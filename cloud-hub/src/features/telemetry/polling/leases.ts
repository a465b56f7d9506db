import type { Fault } from '@haltless/protocol'
import type { Sql } from '../../../db/pools.ts'
import type { SourceRow } from './manage-source.ts'

/** A source that this hub polls, with the version of its settings. */
export interface Lease {
  id: string
  tenantId: string
  version: number
}

/** Leases of a killed hub expire after this, and other hubs claim its sources. */
export const LEASE_SECONDS = 15
/** A hub that was silent for this long gets no share. */
const SILENT_SECONDS = 10
/** Maximum of sources that one hub polls, however few hubs there are. */
const MAX_LEASES = 1_000

/** The condition for sources that hubs poll: active, of an active machine, without an agent. The tables are `s` and `m`. */
const eligible = (sql: Sql) =>
  sql`s.is_active and s.agent_id is null and m.tenant_id = s.tenant_id and m.id = s.machine_id and m.is_active`

/** Registers this hub as alive. @returns the number of sources that it should poll: all of them divided by the hubs */
export async function registerPoller(sql: Sql, hubId: string): Promise<number> {
  await sql`insert into source_pollers values (${hubId}, now()) on conflict (id) do update set seen_at = now()`
  const [row] = await sql<{ pollers: number; sources: number }[]>`
    select (select count(*)::int from source_pollers where seen_at > now() - make_interval(secs => ${SILENT_SECONDS})) as pollers,
      (select count(*)::int from ingest_sources s, machines m where ${eligible(sql)}) as sources`
  return Math.min(MAX_LEASES, Math.ceil((row?.sources ?? 0) / Math.max(1, row?.pollers ?? 1)))
}

/**
 * Renews the leases of this hub. It skips rows that another transaction has locked: their leases last for some more runs.
 * @returns all leases of this hub; `renewed` is false for a skipped one
 */
export async function renewLeases(sql: Sql, hubId: string): Promise<(Lease & { renewed: boolean })[]> {
  const renewed = await sql<{ id: string }[]>`
    update ingest_sources set leased_until = now() + make_interval(secs => ${LEASE_SECONDS})
    where (tenant_id, id) in (
      select s.tenant_id, s.id from ingest_sources s, machines m where s.leased_by = ${hubId} and ${eligible(sql)} for update of s skip locked)
    returning id`
  const held = await sql<Lease[]>`
    select s.id, s.tenant_id as "tenantId", s.version::int as version from ingest_sources s, machines m
    where s.leased_by = ${hubId} and s.leased_until > now() and ${eligible(sql)} order by s.id`
  const fresh = new Set(renewed.map(({ id }) => id))
  return held.map((lease) => ({ ...lease, renewed: fresh.has(lease.id) }))
}

/** Claims up to `max` sources without a lease. Two hubs never claim the same one. */
export const claimSources = (sql: Sql, hubId: string, max: number): Promise<Lease[]> =>
  sql<Lease[]>`
    update ingest_sources set leased_by = ${hubId}, leased_until = now() + make_interval(secs => ${LEASE_SECONDS})
    where (tenant_id, id) in (
      select s.tenant_id, s.id from ingest_sources s, machines m
      where ${eligible(sql)} and (s.leased_until is null or s.leased_until <= now())
      order by s.leased_until nulls first, s.id limit ${max} for update of s skip locked)
    returning id, tenant_id as "tenantId", version::int as version`

/** Releases these leases, so that other hubs can claim them. Call it after polling has stopped. */
export const releaseLeases = (allTenants: Sql, hubId: string, ids: readonly string[]): Promise<unknown> =>
  allTenants`update ingest_sources set leased_by = null, leased_until = null where leased_by = ${hubId} and id = any(${ids as string[]}::uuid[])`

export async function unregisterPoller(allTenants: Sql, hubId: string): Promise<void> {
  await allTenants`update ingest_sources set leased_by = null, leased_until = null where leased_by = ${hubId}`
  await allTenants`delete from source_pollers where id = ${hubId} or seen_at < now() - interval '1 hour'`
}

/** The columns of a source that polling needs, with its state at the start. */
export type PolledSource = Pick<
  SourceRow,
  | 'id'
  | 'tenantId'
  | 'protocol'
  | 'host'
  | 'port'
  | 'pollIntervalSeconds'
  | 'config'
  | 'sealedSecrets'
  | 'lastPolledAt'
  | 'lastError'
  | 'lastFault'
  | 'tagCount'
  | 'namespaces'
> & { version: number; machine: string }

export const loadSources = (sql: Sql, ids: readonly string[]): Promise<PolledSource[]> =>
  sql<PolledSource[]>`
    select s.id, s.tenant_id as "tenantId", s.protocol, s.host, s.port, s.poll_interval_seconds as "pollIntervalSeconds", s.config,
      s.sealed_secrets as "sealedSecrets", s.last_polled_at as "lastPolledAt", s.last_error as "lastError", s.last_fault as "lastFault", s.tag_count as "tagCount",
      s.namespaces, s.version::int as version, m.machine_identifier as machine
    from ingest_sources s join machines m on m.tenant_id = s.tenant_id and m.id = s.machine_id where s.id = any(${ids as string[]}::uuid[])`

export interface SourceState {
  id: string
  version: number
  lastPolledAt: Date | null
  lastError: string | null
  lastFault: Fault | null
}

/**
 * Saves the states of sources whose settings are still of the same version. It skips rows that another transaction has locked.
 * @returns the ids of saved states
 */
export async function saveSourceStates(allTenants: Sql, hubId: string, states: readonly SourceState[]): Promise<string[]> {
  const rows = await allTenants<{ id: string }[]>`
    update ingest_sources s set last_polled_at = u.polled, last_error = u.error, last_fault = u.fault::jsonb
    from unnest(${states.map((s) => s.id)}::uuid[], ${states.map((s) => s.version)}::bigint[],
      ${states.map((s) => s.lastPolledAt?.toISOString() ?? null) as string[]}::timestamptz[], ${states.map((s) => s.lastError) as string[]}::text[],
      ${states.map((s) => (s.lastFault ? JSON.stringify(s.lastFault) : null)) as string[]}::text[]) u(id, version, polled, error, fault)
    where s.id = u.id and s.version = u.version and s.leased_by = ${hubId} and s.id in (
      select id from ingest_sources where id = any(${states.map((s) => s.id)}::uuid[]) for update skip locked)
    returning s.id`
  return rows.map(({ id }) => id)
}
