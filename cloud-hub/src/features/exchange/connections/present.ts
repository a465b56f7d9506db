import { versionedBy } from '../../../support/http/record-version.ts'
import type { ConnectionRow } from '../open-session.ts'
import type { LogRow, RunRow } from './repository.ts'
import { ConnectionPatch } from './schemas.ts'

const withVersion = versionedBy(ConnectionPatch)
export const presentConnection = (row: ConnectionRow) =>
  withVersion(
    {
      id: row.id,
      tenant_id: row.tenantId,
      provider: row.provider,
      name: row.name,
      config: row.maskedConfig,
      is_active: row.isActive,
      auto_push_work_orders: row.autoPushWorkOrders,
      auto_push_production_data: row.autoPushProductionData,
      auto_push_downtime: row.autoPushDowntime,
      auto_pull_assets: row.autoPullAssets,
      sync_interval_minutes: row.syncIntervalMinutes,
      field_mapping: row.fieldMapping,
      last_sync_at: row.lastSyncAt?.toISOString() ?? null,
      last_sync_status: row.lastSyncStatus,
      automatic_runs_paused: row.pausedAt !== null,
      created_by: row.createdBy,
      created_at: row.createdAt.toISOString(),
      updated_at: row.updatedAt.toISOString(),
    },
    row.sealedConfig,
  )

export const presentEntry = (row: LogRow) => ({
  id: row.id,
  erp_connection_id: row.erpConnectionId,
  run_id: row.runId,
  direction: row.direction,
  entity_type: row.entityType,
  entity_id: row.entityId,
  external_id: row.externalId,
  status: row.status,
  error_message: row.errorMessage,
  fault: row.fault,
  request_summary: row.requestSummary,
  response_summary: row.responseSummary,
  created_at: row.createdAt.toISOString(),
})

export const presentRun = (row: RunRow) => ({
  id: row.id,
  erp_connection_id: row.connectionId,
  direction: row.direction,
  entity_type: row.entityType,
  entity_id: row.entityId,
  trigger: row.trigger,
  status: row.status,
  total: row.total,
  succeeded: row.succeeded,
  failed: row.failed,
  skipped: row.skipped,
  error_message: row.errorMessage,
  fault: row.fault,
  started_at: row.startedAt.toISOString(),
  ended_at: row.endedAt?.toISOString() ?? null,
})
