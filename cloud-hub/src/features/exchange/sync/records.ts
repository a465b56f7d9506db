import type { OutboundEntity } from '../../../db/enums.ts'
import type { Sql, TransactionSql } from '../../../db/pools.ts'
import { nextAttempt } from './backoff.ts'

/** What a connection knows of a record that is to be sent. */
export interface ClaimedRecord {
  id: string
  externalId: string | null
  sentHash: string | null
  isDue: boolean
  /** as claimed: a change since then leaves the record due */
  version: number
  failures: number
}

/** Which records: those of one connection and entity. */
export interface RecordKey {
  tenantId: string
  connectionId: string
  entity: OutboundEntity
}

const matching = (sql: Sql | TransactionSql, { tenantId, connectionId, entity }: RecordKey) =>
  sql`r.tenant_id = ${tenantId} and r.connection_id = ${connectionId} and r.entity_type = ${entity}`

/**
 * The ids of records that are due, those that never failed first: records that always fail end a run early.
 * @param retriesOf also those that wait for a later attempt, unless they failed since this instant; null: only those whose time has come
 */
export async function listDue(
  sql: TransactionSql,
  key: RecordKey,
  { retriesOf, now, limit }: { retriesOf: Date | null; now: Date; limit: number },
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    (select r.entity_id as id, false as is_retry, r.next_attempt_at as at from erp_records r
      where ${matching(sql, key)} and r.is_due and r.failures = 0
      order by r.next_attempt_at, r.entity_id limit ${limit})
    union all
    (select r.entity_id, true, r.next_attempt_at from erp_records r
      where ${matching(sql, key)} and r.is_due and r.failures > 0
        and (r.next_attempt_at <= ${now} ${retriesOf ? sql`or r.updated_at < ${retriesOf}` : sql``})
      order by r.next_attempt_at, r.entity_id limit ${limit})
    order by is_retry, at, id limit ${limit}`
  return rows.map(({ id }) => id)
}

/** Reads records before they are sent, in the given order. */
export const claimRecords = (sql: TransactionSql, key: RecordKey, ids: readonly string[]): Promise<ClaimedRecord[]> =>
  sql<ClaimedRecord[]>`
    select r.entity_id as id, r.external_id as "externalId", r.sent_hash as "sentHash", r.is_due as "isDue", r.version, r.failures
    from erp_records r where ${matching(sql, key)} and r.entity_id = any(${ids as string[]}::uuid[])
    order by array_position(${ids as string[]}::uuid[], r.entity_id)`

/** Adds a single record that was requested, unless the connection knows it already. */
export const addRecord = (sql: TransactionSql, { tenantId, connectionId, entity }: RecordKey, id: string) => sql`
  insert into erp_records (tenant_id, connection_id, entity_type, entity_id)
  values (${tenantId}, ${connectionId}, ${entity}, ${id}) on conflict do nothing`

/** Of these ids, those of records that exist in Haltless. */
export async function existingIds(
  sql: TransactionSql,
  { tenantId, entity }: RecordKey,
  ids: readonly string[],
): Promise<Set<string>> {
  const table = { work_order: 'work_orders', production_data: 'shift_logs', downtime: 'downtime_records' }[entity]
  const rows = await sql<{ id: string }[]>`
    select id from ${sql(table)} where tenant_id = ${tenantId} and id = any(${ids as string[]}::uuid[])`
  return new Set(rows.map(({ id }) => id))
}

/** What became of a claimed record. */
export type Result = { record: ClaimedRecord; externalId: string | null } & (
  | { kind: 'sent'; hash: string }
  /** nothing had to be sent */
  | { kind: 'done' }
  | { kind: 'failed' }
)

/** Saves results. A record that changed after it was claimed stays due at once. */
export async function saveResults(sql: TransactionSql, key: RecordKey, results: readonly Result[], now: Date): Promise<void> {
  if (results.length === 0) return
  const rows = results
    .toSorted((a, b) => (a.record.id < b.record.id ? -1 : 1))
    .map((result) => ({
      id: result.record.id,
      version: result.record.version,
      external_id: result.externalId,
      hash: result.kind === 'sent' ? result.hash : null,
      is_failed: result.kind === 'failed',
      failures: result.record.failures + 1,
      next: nextAttempt(result.record.failures + 1, now),
    }))
  await sql`
    with given as (
      select * from json_to_recordset(${JSON.stringify(rows)}::text::json)
        g(id uuid, version int, external_id text, hash text, is_failed boolean, failures int, next timestamptz)),
    locked as materialized (
      select r.entity_id from erp_records r
      where ${matching(sql, key)} and r.entity_id in (select id from given) order by r.entity_id for update)
    update erp_records r set
      external_id = coalesce(g.external_id, r.external_id), sent_hash = coalesce(g.hash, r.sent_hash),
      is_due = g.is_failed or r.version <> g.version,
      failures = case when g.is_failed and r.version = g.version then g.failures else 0 end,
      next_attempt_at = case when g.is_failed and r.version = g.version then g.next else r.next_attempt_at end,
      updated_at = ${now}
    from given g, locked l where ${matching(sql, key)} and r.entity_id = g.id and l.entity_id = g.id`
}

/** Whether an automatic run has something to do: records whose time has come, or older ones that have not been added yet. */
export async function hasDueRecords(sql: TransactionSql, key: RecordKey, now: Date): Promise<boolean> {
  const { tenantId, connectionId, entity } = key
  const [row] = await sql<{ isDue: boolean }[]>`
    select exists (
        select from erp_records r where ${matching(sql, key)} and r.is_due and (r.failures = 0 or r.next_attempt_at <= ${now}))
      or not exists (
        select from erp_backfills where tenant_id = ${tenantId} and connection_id = ${connectionId} and entity_type = ${entity}
          and is_complete) as "isDue"`
  return row?.isDue ?? false
}
