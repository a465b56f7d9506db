import { type Fault, fault } from '@haltless/protocol'
import type { OutboundEntity } from '../../../db/enums.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { DecryptionError } from '../../../support/secrets/secret-box.ts'
import { loadRecords } from '../load-records.ts'
import { type ConnectionRow, type ExchangeDeps, openSession } from '../open-session.ts'
import { payloadHash } from '../payload-hash.ts'
import { type ErpSession, providerOf } from '../providers/index.ts'
import { checkEntity } from './find-entity.ts'

/** What a sync would send for a record. Makes no call. @throws NotFound */
export async function preview(deps: ExchangeDeps, scope: TenantScope, row: ConnectionRow, entity: OutboundEntity, id: string) {
  await checkEntity(scope, entity, id)
  const [records, { known, lastEntry }] = await Promise.all([
    scope.read((sql) => loadRecords(sql, scope.tenantId, entity, [id])),
    knowledgeOf(scope, row, entity, id),
  ])
  const [record, session] = [records.get(id), openSafely(deps, row)]
  const externalId = known?.externalId ?? null
  const faults = [
    ...(row.isActive ? [] : [fault('erp_connection_inactive')]),
    ...(session ? [] : [fault('erp_config_unreadable')]),
    ...(record ? [] : [fault('erp_shift_not_computed')]),
    ...(lastEntry?.status === 'failed' ? [lastFailure(lastEntry)] : []),
  ]
  const found = { external_id: externalId, problems: faults.map(({ detail }) => detail), faults }
  if (!record || !session) return { action: 'none' as const, is_changed: false, request: null, ...found }
  return {
    action: externalId ? ('update' as const) : ('create' as const),
    is_changed: known?.sentHash !== payloadHash(session, record),
    request: session.prepare(record, externalId),
    ...found,
  }
}

interface LogState {
  status: string
  errorMessage: string | null
  fault: Fault | null
}

/** Entries of earlier versions of the hub have no fault. */
const lastFailure = ({ errorMessage, fault: found }: LogState) =>
  fault('erp_last_attempt_failed', { reason: found ?? String(errorMessage) })

/** Null when the configuration was encrypted under another SECRET_KEY. */
function openSafely(deps: ExchangeDeps, row: ConnectionRow): ErpSession | null {
  try {
    return openSession(deps, providerOf(row.provider), row)
  } catch (error) {
    if (error instanceof DecryptionError) return null
    throw error
  }
}

/** What the connection knows of a record, and its newest log entry. */
function knowledgeOf({ read, tenantId }: TenantScope, row: ConnectionRow, entity: OutboundEntity, id: string) {
  return read(async (sql) => {
    const [[known], [lastEntry]] = await Promise.all([
      sql<{ externalId: string | null; sentHash: string | null }[]>`
        select external_id as "externalId", sent_hash as "sentHash" from erp_records
        where tenant_id = ${tenantId} and connection_id = ${row.id} and entity_type = ${entity} and entity_id = ${id}`,
      sql<LogState[]>`
        select status, error_message as "errorMessage", fault from erp_sync_logs
        where tenant_id = ${tenantId} and erp_connection_id = ${row.id} and entity_type = ${entity} and entity_id = ${id}
        order by created_at desc nulls last limit 1`,
    ])
    return { known, lastEntry }
  })
}
