import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type Fault, fault } from '@haltless/protocol'
import { tenantLockKey } from '../../../db/advisory-locks.ts'
import { columns } from '../../../db/columns.ts'
import type { ErpProvider } from '../../../db/enums.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { columnValues } from '../../../db/sql.ts'
import type { erpConnections } from '../../../db/tables/erp.ts'
import { Conflict, fieldError, NotFound, Unprocessable } from '../../../support/errors.ts'
import { DecryptionError, type SecretBox } from '../../../support/secrets/secret-box.ts'
import { type Config, maskConfig, resolveConfig } from '../../../support/secrets/secret-config.ts'
import { checkFieldMapping } from '../field-mapping.ts'
import { type ConnectionRow, type ExchangeDeps, openConfig, sealConfig } from '../open-session.ts'
import { providerOf } from '../providers/index.ts'
import { dueAfter } from './next-run.ts'
import { MAX_CONNECTIONS } from './schemas.ts'

export interface ConnectionSettings {
  name: string
  config: Config
  isActive: boolean
  autoPushWorkOrders: boolean
  autoPushProductionData: boolean
  autoPushDowntime: boolean
  autoPullAssets: boolean
  syncIntervalMinutes: number
  fieldMapping: Record<string, string>
}
export type ConnectionChange = { [Key in keyof ConnectionSettings]?: ConnectionSettings[Key] | undefined }

const COLUMNS = columns.erpConnections

/** Oldest first. */
export const listConnections = (scope: TenantScope): Promise<ConnectionRow[]> =>
  scope.read(
    (sql) => sql<ConnectionRow[]>`
      select ${sql.unsafe(COLUMNS)} from erp_connections where tenant_id = ${scope.tenantId} order by created_at, id`,
  )

/** @throws NotFound */
export async function findConnection(scope: TenantScope, { connection_id }: { connection_id: string }): Promise<ConnectionRow> {
  const [row] = await scope.read(
    (sql) => sql<ConnectionRow[]>`
      select ${sql.unsafe(COLUMNS)} from erp_connections where tenant_id = ${scope.tenantId} and id = ${connection_id}`,
  )
  if (!row) throw new NotFound('erp connection', connection_id)
  return row
}

/** Locks a connection until the end of the transaction. */
export const lockConnection = (sql: TransactionSql, scope: TenantScope, { connection_id }: { connection_id: string }) =>
  sql`select 1 from erp_connections where tenant_id = ${scope.tenantId} and id = ${connection_id} for no key update`

const stored = (deps: ExchangeDeps, row: { tenantId: string; id: string; provider: ErpProvider }, config: Config) => ({
  maskedConfig: maskConfig(providerOf(row.provider).rules(deps.http), config),
  sealedConfig: sealConfig(deps.box, row, config),
})

/** @throws Unprocessable that names each fault */
function refuseUnknownFields(provider: ErpProvider, mapping: Record<string, string> | undefined): void {
  const faults = mapping ? checkFieldMapping(providerOf(provider), mapping) : []
  if (faults.length > 0)
    throw new Unprocessable(
      faults.map((fault) => ({ ...fault, path: ['body.field_mapping', fault.path].filter(Boolean).join('.') })),
    )
}

/** @throws Unprocessable for a configuration or mapping that does not fit the provider; Conflict at the maximum */
export async function createConnection(
  deps: ExchangeDeps,
  scope: TenantScope,
  provider: ErpProvider,
  settings: ConnectionSettings,
): Promise<ConnectionRow> {
  const { config, ...rest } = settings
  const resolved = resolveConfig(providerOf(provider).rules(deps.http), null, config)
  refuseUnknownFields(provider, rest.fieldMapping)
  const [key, now] = [{ tenantId: scope.tenantId, id: randomUUID(), provider }, scope.clock.now()]
  const values = {
    ...rest,
    ...key,
    ...stored(deps, key, resolved),
    nextRunAt: now,
    createdBy: scope.actor.id,
    createdAt: now,
    updatedAt: now,
  }
  return scope.tx(async (sql) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${tenantLockKey('erp_connections', scope)}, 0))`
    const [counted] = await sql<
      { n: number }[]
    >`select count(*)::int as n from erp_connections where tenant_id = ${scope.tenantId}`
    if ((counted?.n ?? 0) >= MAX_CONNECTIONS)
      throw new Conflict('too_many_erp_connections', `A tenant has at most ${MAX_CONNECTIONS} ERP connections.`, {
        limit: MAX_CONNECTIONS,
      })
    const [row] = await sql<ConnectionRow[]>`
      insert into erp_connections ${sql(columnValues<typeof erpConnections>(values))} returning ${sql.unsafe(COLUMNS)}`
    return row as ConnectionRow
  })
}

/**
 * Changes a connection; `config` merges, `fieldMapping` is replaced. A changed configuration or mapping is tried at once, also for
 * records that failed and while the circuit breaker is open.
 * @throws NotFound, Unprocessable
 */
export async function changeConnection(
  deps: ExchangeDeps,
  scope: TenantScope,
  id: string,
  { provider, ...change }: ConnectionChange & { provider?: ErpProvider | undefined },
): Promise<ConnectionRow> {
  return scope.tx(async (sql) => {
    const [before] = await sql<ConnectionRow[]>`
      select ${sql.unsafe(COLUMNS)} from erp_connections where tenant_id = ${scope.tenantId} and id = ${id} for no key update`
    if (!before) throw new NotFound('erp connection', id)
    if (provider && provider !== before.provider)
      throw new Unprocessable([
        fieldError(
          'body.provider',
          'immutable',
          { value: before.provider },
          `is ${before.provider} and never changes: create another connection`,
        ),
      ])
    const { config: given, ...rest } = change
    refuseUnknownFields(before.provider, rest.fieldMapping)
    const held = given && storedConfig(deps.box, before)
    const config = given && resolveConfig(providerOf(before.provider).rules(deps.http), held ?? null, given)
    const isOther = config !== undefined && !isDeepStrictEqual(config, held)
    const now = scope.clock.now()
    const values = {
      ...rest,
      ...(isOther && { ...stored(deps, before, config), failuresInARow: 0, breakerOpenUntil: null }),
      nextRunAt: dueAfter(before, { ...before, ...withoutAbsent(rest) }, isOther, now),
      updatedAt: now,
    }
    const [row] = await sql<ConnectionRow[]>`
      update erp_connections set ${sql(columnValues<typeof erpConnections>(values))}
      where tenant_id = ${scope.tenantId} and id = ${id} returning ${sql.unsafe(COLUMNS)}`
    if (!row) throw new NotFound('erp connection', id)
    const isMoved = isOther && (!held || isOtherSystem(held, config))
    if (isOther || !row.isActive)
      await endRun(sql, row, now, fault(row.isActive ? 'erp_run_connection_changed' : 'erp_run_connection_deactivated'))
    if (isMoved) await forgetExternalIds(sql, row, now)
    else if (isOther || !isDeepStrictEqual(before.fieldMapping, row.fieldMapping)) await retryFailed(sql, row, now)
    return row
  })
}

/** Deletes a connection with what it knows of records. Its logs stay, and a run under way stops. @throws NotFound */
export async function deleteConnection(scope: TenantScope, id: string): Promise<void> {
  const [row] = await scope.tx(
    (sql) => sql`delete from erp_connections where tenant_id = ${scope.tenantId} and id = ${id} returning id`,
  )
  if (!row) throw new NotFound('erp connection', id)
}

/** Null when it was encrypted under another SECRET_KEY: an admin then enters it as a whole. */
function storedConfig(box: SecretBox, row: ConnectionRow): Config | null {
  try {
    return openConfig(box, row)
  } catch (error) {
    if (error instanceof DecryptionError) return null
    throw error
  }
}

const withoutAbsent = <T extends object>(values: T) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<ConnectionRow>

/** Settings that select another ERP, another company of it, or other collections: external ids of before mean nothing there. */
const SYSTEM_KEYS = ['base_url', 'client', 'paths']
const isOtherSystem = (before: Config, after: Config) => SYSTEM_KEYS.some((key) => !isDeepStrictEqual(before[key], after[key]))

/** Each record is searched in the other ERP by our id before it is created there. */
const forgetExternalIds = (sql: TransactionSql, row: ConnectionRow, now: Date) => sql`
  update erp_records set external_id = null, sent_hash = null, is_due = entity_type <> 'machine', version = version + 1, failures = 0,
    next_attempt_at = ${now}, updated_at = ${now}
  where tenant_id = ${row.tenantId} and connection_id = ${row.id}`

const retryFailed = (sql: TransactionSql, row: ConnectionRow, now: Date) => sql`
  update erp_records set failures = 0, next_attempt_at = ${now}, updated_at = ${now}
  where tenant_id = ${row.tenantId} and connection_id = ${row.id} and is_due and failures > 0`

/** Ends the run under way: its process lost the lease and writes nothing of the former configuration. */
const endRun = (sql: TransactionSql, row: ConnectionRow, now: Date, why: Fault) => sql`
  update erp_runs set status = case when succeeded > 0 then 'partial' else 'failed' end,
    error_message = ${why.detail}, fault = ${sql.json(why as never)}, leased_by = ${randomUUID()}, leased_until = ${now}, ended_at = ${now}
  where tenant_id = ${row.tenantId} and connection_id = ${row.id} and status = 'running'`
