import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { SourceProtocol } from '@haltless/protocol'
import { tenantLockKey } from '../../../db/advisory-locks.ts'
import { columns } from '../../../db/columns.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { columnValues } from '../../../db/sql.ts'
import type { ingestSources } from '../../../db/tables/sources.ts'
import { fieldMessage } from '../../../error-codes/field-messages.ts'
import { Conflict, NotFound, Unprocessable } from '../../../support/errors.ts'
import { literalAddress } from '../../../support/net/address-policy.ts'
import type { GuardedClient } from '../../../support/net/guarded-client.ts'
import { isHostName } from '../../../support/net/resolve-host.ts'
import type { SecretBox } from '../../../support/secrets/secret-box.ts'
import { type Config, maskConfig, resolveConfig } from '../../../support/secrets/secret-config.ts'
import { configRules, SECRETS, type SourceAddress, tagCount } from './source-config.ts'

export type SourceRow = typeof ingestSources.$inferSelect

export interface SourceDeps {
  box: SecretBox
  http: GuardedClient
}

/** Limits of a tenant: sources that hubs poll, all sources, and sources of one agent. */
const MAX = { hubSources: 100, hubTags: 20_000, sources: 500, tags: 50_000, agentSources: 100, agentBytes: 500_000 }

const sealContext = (tenantId: string, id: string): string => `ingest_sources/${tenantId}/${id}/secrets`

/** The configuration with decrypted secrets. */
export const openConfig = (box: SecretBox, row: Pick<SourceRow, 'tenantId' | 'id' | 'config' | 'sealedSecrets'>): Config =>
  row.sealedSecrets
    ? { ...row.config, ...JSON.parse(box.open(row.sealedSecrets, sealContext(row.tenantId, row.id))) }
    : row.config

const COLUMNS = columns.ingestSources

export const listSources = (scope: TenantScope): Promise<SourceRow[]> =>
  scope.read(
    (sql) => sql<SourceRow[]>`
      select ${sql.unsafe(COLUMNS)} from ingest_sources where tenant_id = ${scope.tenantId} order by created_at, id`,
  )

/** Deactivated machines that have sources. Neither hubs nor agents poll these sources. */
export const deactivatedMachines = async (scope: TenantScope): Promise<Set<string>> => {
  const rows = await scope.read(
    (tx) => tx<{ id: string }[]>`
      select distinct m.id from ingest_sources s join machines m on m.tenant_id = s.tenant_id and m.id = s.machine_id
      where s.tenant_id = ${scope.tenantId} and not m.is_active`,
  )
  return new Set(rows.map(({ id }) => id))
}

/** @throws NotFound */
export async function findSource(scope: TenantScope, { source_id }: { source_id: string }): Promise<SourceRow> {
  const [row] = await scope.read(
    (sql) => sql<SourceRow[]>`
      select ${sql.unsafe(COLUMNS)} from ingest_sources where tenant_id = ${scope.tenantId} and id = ${source_id}`,
  )
  if (!row) throw new NotFound('ingest source', source_id)
  return row
}

/** The settings that a user enters; `host` without brackets. */
export interface SourceSettings {
  machineId: string
  name: string
  protocol: SourceProtocol
  host: string
  port: number
  pollIntervalSeconds: number
  isActive: boolean
}

/** The columns for a resolved configuration. */
function stored(deps: SourceDeps, tenantId: string, id: string, protocol: SourceProtocol, config: Config) {
  const secrets = Object.fromEntries(Object.entries(config).filter(([key]) => (SECRETS as readonly string[]).includes(key)))
  const isSecret = Object.keys(secrets).length > 0
  return {
    config: maskConfig({ secrets: SECRETS }, config),
    sealedSecrets: isSecret ? deps.box.seal(JSON.stringify(secrets), sealContext(tenantId, id)) : null,
    agentId: (config.agent_id as string | undefined) ?? null,
    tagCount: tagCount(protocol, config),
  }
}

/** Reduces a parsed configuration to the keys that a user entered: defaults are not stored, not even inside a list. */
function asEntered(entered: unknown, parsed: unknown): unknown {
  if (Array.isArray(entered) && Array.isArray(parsed)) return parsed.map((each, i) => asEntered(entered[i], each))
  if (typeof entered !== 'object' || entered === null || typeof parsed !== 'object' || parsed === null) return parsed
  const values = entered as Config
  return Object.fromEntries(
    Object.entries(parsed)
      .filter(([key]) => Object.hasOwn(values, key) && values[key] !== null)
      .map(([key, value]) => [key, asEntered(values[key], value)]),
  )
}

/** Resolves and checks a configuration. */
function resolve(
  deps: SourceDeps,
  protocol: SourceProtocol,
  place: { before: SourceAddress | null; after: SourceAddress },
  before: Config | null,
  change: Config,
): Config {
  const whole = resolveConfig(configRules(protocol, place.before, place.after), before, change)
  const config = asEntered({ ...before, ...change }, whole) as Config
  const { host } = place.after
  const isNamed = literalAddress(host) !== null || isHostName(host)
  // an agent polls inside its plant, where hosts have private addresses that the hub must not call
  const refusal = config.agent_id ? (isNamed ? null : fieldMessage('invalid_host')) : deps.http.checkHost(host)
  const hint = isNamed ? '; name an agent_id in config for a device inside a plant' : ''
  if (refusal) throw new Unprocessable([{ path: 'body.host', ...refusal, message: `${refusal.message}${hint}` }])
  return config
}

const bareHost = (host: string): string => host.replace(/^\[(.*)\]$/, '$1')

/** @throws Unprocessable, NotFound for an unknown machine, Conflict when the tenant or the agent has too many */
export async function createSource(
  deps: SourceDeps,
  scope: TenantScope,
  { config: given, ...settings }: SourceSettings & { config: Config },
): Promise<SourceRow> {
  const host = bareHost(settings.host)
  const config = resolve(deps, settings.protocol, { before: null, after: { ...settings, host } }, null, given)
  const [id, now] = [randomUUID(), scope.clock.now()]
  const values = {
    ...settings,
    ...stored(deps, scope.tenantId, id, settings.protocol, config),
    id,
    host,
    tenantId: scope.tenantId,
    createdAt: now,
    updatedAt: now,
  }
  return scope.tx(async (sql) => {
    await lockSources(sql, scope)
    await checkSourceMachine(sql, scope, settings.machineId)
    const [row] = await sql<SourceRow[]>`
      insert into ingest_sources ${sql(columnValues<typeof ingestSources>(values))} returning ${sql.unsafe(COLUMNS)}`
    await checkLimits(sql, scope, values.agentId)
    return row as SourceRow
  })
}

/**
 * Changes a source; `config` merges. The same `config.nodes` again accepts the present namespaces of an OPC UA server. With another protocol the configuration starts empty and keeps only the agent.
 * @throws NotFound, Unprocessable (also for a changed address without its secrets), Conflict
 */
export async function changeSource(
  deps: SourceDeps,
  scope: TenantScope,
  id: string,
  { config: change, ...given }: { [K in keyof SourceSettings]?: SourceSettings[K] | undefined } & { config?: Config | undefined },
): Promise<SourceRow> {
  const settings = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<SourceSettings>
  if (settings.host !== undefined) settings.host = bareHost(settings.host)
  if (Object.keys(settings).length === 0 && change === undefined) return findSource(scope, { source_id: id })
  return scope.tx(async (sql) => {
    await lockSources(sql, scope)
    const [before] = await sql<SourceRow[]>`
      select ${sql.unsafe(COLUMNS)} from ingest_sources where tenant_id = ${scope.tenantId} and id = ${id} for update`
    if (!before) throw new NotFound('ingest source', id)
    const after = { ...before, ...settings }
    const isSame = after.protocol === before.protocol
    const known = isSame ? openConfig(deps.box, before) : before.agentId ? { agent_id: before.agentId } : {}
    const config = resolve(deps, after.protocol, { before, after }, known, change ?? {})
    if (settings.machineId) await checkSourceMachine(sql, scope, settings.machineId)
    const values = {
      ...settings,
      ...stored(deps, before.tenantId, before.id, after.protocol, config),
      updatedAt: scope.clock.now(),
      // an error of the former settings
      lastError: null,
      lastFault: null,
      // Saving the same nodes accepts the namespaces that the server has now. A changed list accepts nothing.
      ...(isSame && change?.nodes !== undefined && isDeepStrictEqual(config.nodes, known.nodes) && { namespaces: null }),
    }
    const [row] = await sql<SourceRow[]>`
      update ingest_sources set ${sql(columnValues<typeof ingestSources>(values))}
      where tenant_id = ${scope.tenantId} and id = ${id} returning ${sql.unsafe(COLUMNS)}`
    if (!row) throw new NotFound('ingest source', id)
    await checkLimits(sql, scope, row.agentId)
    return row
  })
}

/** @throws NotFound */
export async function deleteSource(scope: TenantScope, id: string): Promise<void> {
  const [row] = await scope.tx(
    (sql) => sql`delete from ingest_sources where tenant_id = ${scope.tenantId} and id = ${id} returning id`,
  )
  if (!row) throw new NotFound('ingest source', id)
}

/** Locks a source until the end of the transaction. */
export async function lockSource(sql: TransactionSql, scope: TenantScope, { source_id }: { source_id: string }): Promise<void> {
  await lockSources(sql, scope)
  await sql`select 1 from ingest_sources where tenant_id = ${scope.tenantId} and id = ${source_id} for update`
}

/** Serializes changes of a tenant's sources, so that its limits hold. */
const lockSources = (sql: TransactionSql, scope: TenantScope) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${tenantLockKey('ingest_sources', scope)}, 0))`

async function checkSourceMachine(sql: TransactionSql, { tenantId }: TenantScope, machineId: string): Promise<void> {
  const [found] = await sql`select id from machines where tenant_id = ${tenantId} and id = ${machineId}`
  if (!found) throw new NotFound('machine', machineId)
}

async function checkLimits(sql: TransactionSql, { tenantId }: TenantScope, agentId: string | null): Promise<void> {
  const [found] = await sql<Record<keyof typeof MAX, number>[]>`
    select count(*)::int as sources, coalesce(sum(tag_count), 0)::int as tags,
      (count(*) filter (where agent_id is null))::int as "hubSources",
      coalesce(sum(tag_count) filter (where agent_id is null), 0)::int as "hubTags",
      (count(*) filter (where agent_id = ${agentId}))::int as "agentSources",
      coalesce(sum(octet_length(config::text)) filter (where agent_id = ${agentId}), 0)::int as "agentBytes"
    from ingest_sources where tenant_id = ${tenantId}`
  const over = (Object.keys(MAX) as (keyof typeof MAX)[]).find((key) => (found?.[key] ?? 0) > MAX[key])
  if (over) throw new Conflict('too_many_sources', LIMIT_MESSAGES[over], { limit: MAX[over] })
}

const LIMIT_MESSAGES: Record<keyof typeof MAX, string> = {
  hubSources: `The hub polls at most ${MAX.hubSources} sources of a tenant; let agents poll the others.`,
  hubTags: `The hub polls at most ${MAX.hubTags} values of a tenant; let agents poll the others.`,
  sources: `A tenant has at most ${MAX.sources} polling sources.`,
  tags: `The polling sources of a tenant read at most ${MAX.tags} values.`,
  agentSources: `An agent polls at most ${MAX.agentSources} sources of the hub.`,
  agentBytes: `The configurations of an agent's polling sources may have at most ${MAX.agentBytes} bytes in total.`,
}
