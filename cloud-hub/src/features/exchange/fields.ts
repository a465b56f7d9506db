import type { ErpEntity, OutboundEntity } from '../../db/enums.ts'

/** The kind decides how a provider writes a value, e.g. an instant as `/Date(...)/`. */
export type FieldKind = 'text' | 'number' | 'date' | 'instant' | 'uuid'

/** Fields of a record, and of its lines, as Haltless names them: the keys of `field_mapping`. */
export interface EntityFields {
  fields: Readonly<Record<string, FieldKind>>
  /** lists of a record, e.g. the instructions of a work order */
  lines?: Readonly<Record<string, Readonly<Record<string, FieldKind>>>>
}

const machine = { machine_identifier: 'text', machine_name: 'text' } as const

export const ENTITY_FIELDS = {
  work_order: {
    fields: {
      id: 'uuid',
      title: 'text',
      description: 'text',
      status: 'text',
      priority: 'text',
      ...machine,
      /** e-mail address of the primary assignee */
      assigned_to: 'text',
      due_date: 'instant',
      completed_at: 'instant',
      completion_notes: 'text',
      created_at: 'instant',
    },
    lines: { instructions: { position: 'number', text: 'text', completed_at: 'instant' } },
  },
  production_data: {
    fields: {
      /** of the shift log */
      id: 'uuid',
      ...machine,
      shift_name: 'text',
      /** of the start, in the plant's time zone */
      shift_date: 'date',
      started_at: 'instant',
      ended_at: 'instant',
      planned_minutes: 'number',
      /** planned time less availability loss */
      run_minutes: 'number',
      downtime_minutes: 'number',
      total_count: 'number',
      good_count: 'number',
      scrap_count: 'number',
      oee_pct: 'number',
      availability_pct: 'number',
      performance_pct: 'number',
      quality_pct: 'number',
    },
    lines: { downtime_by_reason: { reason_code: 'text', reason_name: 'text', reason_type: 'text', minutes: 'number' } },
  },
  downtime: {
    fields: {
      id: 'uuid',
      ...machine,
      reason_type: 'text',
      reason_code: 'text',
      reason_name: 'text',
      reason_note: 'text',
      started_at: 'instant',
      /** null: ongoing */
      ended_at: 'instant',
      duration_minutes: 'number',
      source: 'text',
    },
  },
  machine: {
    fields: { machine_identifier: 'text', name: 'text', location: 'text' },
  },
} as const satisfies Record<ErpEntity, EntityFields>

export type FieldValue = string | number | Date | null
export type FieldValues = Readonly<Record<string, FieldValue>>

/** A record that is pushed: a value for each field of its entity. */
export interface ErpRecord {
  id: string
  entity: OutboundEntity
  fields: FieldValues
  lines: Readonly<Record<string, readonly FieldValues[]>>
}
