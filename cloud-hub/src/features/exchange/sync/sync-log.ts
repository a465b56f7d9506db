import type { Fault } from '@haltless/protocol'
import type { ErpLogStatus } from '../../../db/enums.ts'
import type { TransactionSql } from '../../../db/pools.ts'

/** An entry of the sync log. */
export interface LogEntry {
  entityId: string | null
  externalId: string | null
  status: ErpLogStatus
  /** what went wrong, or why nothing was done; null when nothing did */
  fault: Fault | null
  request: string | null
  response: string | null
}

/** The columns of entries that come from their run. */
export interface LogOrigin {
  tenantId: string
  connectionId: string
  runId: string
  direction: 'outbound' | 'inbound'
  entity: string
}

/** Texts of an ERP may be longer than a log needs. */
const MAX_SUMMARY = 500
/** PostgreSQL stores no NUL and no half of a surrogate pair. */
export const storableText = (text: string, max: number): string => text.replaceAll('\0', '').slice(0, max).toWellFormed()
const storable = (text: string | null, max: number) => (text ? storableText(text, max) : null)

/** Appends entries to the sync log, in order. */
export async function saveLogs(sql: TransactionSql, origin: LogOrigin, entries: readonly LogEntry[], now: Date): Promise<void> {
  if (entries.length === 0) return
  const rows = entries.map((entry) => ({
    entity_id: entry.entityId,
    external_id: storable(entry.externalId, MAX_SUMMARY),
    status: entry.status,
    error_message: entry.fault?.detail ?? null,
    fault: entry.fault,
    request: storable(entry.request, MAX_SUMMARY),
    response: storable(entry.response, MAX_SUMMARY),
  }))
  await sql`
    insert into erp_sync_logs (tenant_id, erp_connection_id, run_id, direction, entity_type, entity_id, external_id, status,
      error_message, fault, request_summary, response_summary, created_at)
    select ${origin.tenantId}::uuid, ${origin.connectionId}::uuid, ${origin.runId}::uuid, ${origin.direction}, ${origin.entity},
      entity_id, external_id, status, error_message, fault, request, response, ${now}::timestamptz
    from json_to_recordset(${JSON.stringify(rows)}::text::json)
      g(entity_id uuid, external_id text, status text, error_message text, fault jsonb, request text, response text)`
}
