import type { Schemas } from '../../api/client.ts'
import { ERP_SYNC_LOG_ENTITY_TYPE } from '../../api/enums.ts'

export type Provider = Schemas['ErpConnection']['provider']
export type Entity = Schemas['ErpSyncLog']['entity_type']

interface ConfigField {
  name: string
  isSecret?: boolean
  isOptional?: boolean
  isUrl?: boolean
}

const BASE_URL: ConfigField = { name: 'base_url', isUrl: true }
const LOGIN: readonly ConfigField[] = [{ name: 'username' }, { name: 'password', isSecret: true }]

/** The keys of each provider's `config`, as the API document describes them. */
export const PROVIDERS: Record<Provider, { label: string; fields: readonly ConfigField[]; example: string }> = {
  erp_a: {
    label: 'SAP (OData v2)',
    fields: [BASE_URL, { name: 'client' }, ...LOGIN],
    example: 'https://sap.example.com/sap/opu/odata/sap/ZHALTLESS_SRV',
  },
  erp_b: {
    label: 'Microsoft Dynamics 365',
    fields: [
      BASE_URL,
      { name: 'tenant_id' },
      { name: 'client_id' },
      { name: 'client_secret', isSecret: true },
      { name: 'token_url', isUrl: true, isOptional: true },
    ],
    example: 'https://contoso.crm4.dynamics.com',
  },
  erp_c: { label: 'REST (Oracle Fusion, ...)', fields: [BASE_URL, ...LOGIN], example: 'https://erp.example.com/api' },
}

/** What is exchanged: machines are fetched, the others are sent. */
export const ENTITIES = ERP_SYNC_LOG_ENTITY_TYPE

export const TOGGLES = {
  work_order: 'auto_push_work_orders',
  production_data: 'auto_push_production_data',
  downtime: 'auto_push_downtime',
  machine: 'auto_pull_assets',
} as const satisfies Record<Entity, keyof Schemas['ErpConnection']>

export const directionOf = (entity: Entity) => (entity === 'machine' ? 'inbound' : 'outbound')

/** The fields of each entity that `field_mapping` may rename; a dot leads to the lines of a record. */
export const FIELDS: Record<Entity, readonly string[]> = {
  work_order: [
    'id',
    'title',
    'description',
    'status',
    'priority',
    'machine_identifier',
    'machine_name',
    'assigned_to',
    'due_date',
    'completed_at',
    'completion_notes',
    'created_at',
    'instructions',
    'instructions.position',
    'instructions.text',
    'instructions.completed_at',
  ],
  production_data: [
    'id',
    'machine_identifier',
    'machine_name',
    'shift_name',
    'shift_date',
    'started_at',
    'ended_at',
    'planned_minutes',
    'run_minutes',
    'downtime_minutes',
    'total_count',
    'good_count',
    'scrap_count',
    'oee_pct',
    'availability_pct',
    'performance_pct',
    'quality_pct',
    'downtime_by_reason',
    'downtime_by_reason.reason_code',
    'downtime_by_reason.reason_name',
    'downtime_by_reason.reason_type',
    'downtime_by_reason.minutes',
  ],
  downtime: [
    'id',
    'machine_identifier',
    'machine_name',
    'reason_type',
    'reason_code',
    'reason_name',
    'reason_note',
    'started_at',
    'ended_at',
    'duration_minutes',
    'source',
  ],
  machine: ['machine_identifier', 'name', 'location'],
}

/** Records are found again by these, so no mapping can leave them out. */
export const isRequired = (entity: Entity, field: string): boolean =>
  field === 'id' || (entity === 'machine' && field === 'machine_identifier')
