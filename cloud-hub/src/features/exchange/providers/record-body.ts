import { namesOf } from '../field-mapping.ts'
import type { FieldKind, FieldValue, FieldValues } from '../fields.ts'
import { ENTITY_FIELDS, type EntityFields, type ErpRecord } from '../fields.ts'
import type { EntityDefaults } from './provider.ts'

/** How a provider writes a value, e.g. an instant as `/Date(...)/`. */
export type WriteValue = (value: FieldValue, kind: FieldKind) => unknown

/** The body of a record in the names of the ERP, with the mapping applied: fields that are left out are absent, nulls are null. */
export function recordBody(
  record: ErpRecord,
  defaults: EntityDefaults,
  mapping: Readonly<Record<string, string>>,
  write: WriteValue,
): Record<string, unknown> {
  const kinds: EntityFields = ENTITY_FIELDS[record.entity]
  const { fields, lines } = namesOf(record.entity, defaults, mapping)
  const written = (values: FieldValues, names: ReadonlyMap<string, string>, of: Readonly<Record<string, FieldKind>>) =>
    Object.fromEntries([...names].map(([key, name]) => [name, write(values[key] ?? null, of[key] ?? 'text')]))
  const lists = [...lines].map(([list, { field, fields: inner }]) => [
    field,
    (record.lines[list] ?? []).map((line) => written(line, inner, kinds.lines?.[list] ?? {})),
  ])
  return { ...written(record.fields, fields, kinds.fields), ...Object.fromEntries(lists) }
}

/** ISO 8601, in UTC with milliseconds for instants. */
export const writeIso: WriteValue = (value) => (value instanceof Date ? value.toISOString() : value)
