import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { and, asc, count, eq, gt, sql } from 'drizzle-orm'
import { tenantLockKey } from '../../../db/advisory-locks.ts'
import { first, owned, type TenantDb, type TenantScope } from '../../../db/scope.ts'
import { type ErpProvider, erpConnections, erpRecords, erpRuns } from '../../../db/tables/erp.ts'
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

const one = (scope: TenantScope, id: string) => and(owned(erpConnections, scope), eq(erpConnections.id, id))

/** Oldest first. */
export const listConnections = (scope: TenantScope): Promise<ConnectionRow[]> =>
  scope.read((db) =>
    db
      .select()
      .from(erpConnections)
      .where(owned(erpConnections, scope))
      .orderBy(asc(erpConnections.createdAt), asc(erpConnections.id)),
  )

/** @throws NotFound */
export async function findConnection(scope: TenantScope, { connection_id }: { connection_id: string }): Promise<ConnectionRow> {
  const row = await scope.read((db) => db.select().from(erpConnections).where(one(scope, connection_id)).then(first))
  if (!row) throw new NotFound('erp connection', connection_id)
  return row
}

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
  return scope.tx(async (db) => {
    await db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${tenantLockKey('erp_connections', scope)}, 0))`)
    const counted = await db.select({ n: count() }).from(erpConnections).where(owned(erpConnections, scope)).then(first)
    if ((counted?.n ?? 0) >= MAX_CONNECTIONS)
      throw new Conflict('too_many_erp_connections', `A tenant has at most ${MAX_CONNECTIONS} ERP connections.`, {
        limit: MAX_CONNECTIONS,
      })
    const row = await db.insert(erpConnections).values(values).returning().then(first)
    if (!row) throw new Error('an inserted connection was not returned')
    return row
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
  return scope.tx(async (db) => {
    const before = await db.select().from(erpConnections).where(one(scope, id)).for('no key update').then(first)
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
    const row = await db.update(erpConnections).set(values).where(one(scope, id)).returning().then(first)
    if (!row) throw new NotFound('erp connection', id)
    const isMoved = isOther && (!held || isOtherSystem(held, config))
    if (isOther || !row.isActive) await endRun(db, row, now, row.isActive ? 'changed' : 'deactivated')
    if (isMoved) await forgetExternalIds(db, row, now)
    else if (isOther || !isDeepStrictEqual(before.fieldMapping, row.fieldMapping)) await retryFailed(db, row, now)
    return row
  })
}

/** Deletes a connection with what it knows of records. Its logs stay, and a run under way stops. @throws NotFound */
export async function deleteConnection(scope: TenantScope, id: string): Promise<void> {
  const row = await scope.tx((db) =>
    db.delete(erpConnections).where(one(scope, id)).returning({ id: erpConnections.id }).then(first),
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

const recordsOf = (row: ConnectionRow) => and(eq(erpRecords.tenantId, row.tenantId), eq(erpRecords.connectionId, row.id))

/** Each record is searched in the other ERP by our id before it is created there. */
const forgetExternalIds = (db: TenantDb, row: ConnectionRow, now: Date) =>
  db
    .update(erpRecords)
    .set({
      externalId: null,
      sentHash: null,
      isDue: sql`${erpRecords.entityType} <> 'machine'`,
      version: sql`${erpRecords.version} + 1`,
      failures: 0,
      nextAttemptAt: now,
      updatedAt: now,
    })
    .where(recordsOf(row))

const retryFailed = (db: TenantDb, row: ConnectionRow, now: Date) =>
  db
    .update(erpRecords)
    .set({ failures: 0, nextAttemptAt: now, updatedAt: now })
    .where(and(recordsOf(row), erpRecords.isDue, gt(erpRecords.failures, 0)))

/** Ends the run under way: its process lost the lease and writes nothing of the former configuration. */
const endRun = (db: TenantDb, row: ConnectionRow, now: Date, how: 'changed' | 'deactivated') =>
  db
    .update(erpRuns)
    .set({
      status: sql`case when ${erpRuns.succeeded} > 0 then 'partial' else 'failed' end`,
      errorMessage: `The connection was ${how} during the run.`,
      leasedBy: randomUUID(),
      leasedUntil: now,
      endedAt: now,
    })
    .where(and(eq(erpRuns.tenantId, row.tenantId), eq(erpRuns.connectionId, row.id), eq(erpRuns.status, 'running')))
