import { randomUUID } from 'node:crypto'
import { ERP_ENTITIES, type ErpEntity, type ErpProvider } from '../../../src/db/enums.ts'
import { namesOf } from '../../../src/features/exchange/field-mapping.ts'
import { ENTITY_FIELDS, type EntityFields, type FieldKind } from '../../../src/features/exchange/fields.ts'
import { providerOf } from '../../../src/features/exchange/providers/index.ts'

interface Property {
  kind: FieldKind
  max: number
  isRequired: boolean
}
export interface EntityType {
  entity: ErpEntity
  /** last part of the path */
  set: string
  path: string
  key: string
  idField: string
  fields: Map<string, Property>
  /** list -> its fields */
  lines: Map<string, Map<string, Property>>
}
export interface StoredRecord {
  externalId: string
  haltlessId: string | null
  fields: Record<string, unknown>
  version: number
}
/** A refusal in the words of no vendor; each server writes it as its vendor does. */
export type Refusal =
  | { kind: 'unknown_field' | 'missing_field' | 'wrong_type'; field: string }
  | { kind: 'too_long'; field: string; max: number }
  | { kind: 'duplicate'; field: string }

/** Checks the form of a value, as it is in the body. */
export type AcceptsValue = (value: unknown, kind: FieldKind) => boolean

/** The records of an ERP, with a schema, a unique key on our id, and a count of the creates per id. */
export function createStore(provider: ErpProvider, maxLengths: Record<string, number>, accepts: AcceptsValue, isUnique: boolean) {
  const property =
    (required: ReadonlySet<string>, kinds: Readonly<Record<string, FieldKind>>) =>
    ([haltless, name]: [string, string]): [string, Property] => [
      name,
      { kind: kinds[haltless] ?? 'text', max: maxLengths[name] ?? 4_000, isRequired: required.has(haltless) },
    ]
  const typeOf = (entity: ErpEntity): EntityType => {
    const defaults = providerOf(provider).defaults[entity]
    const { fields, lines } = namesOf(entity, defaults, {})
    const kinds: EntityFields = ENTITY_FIELDS[entity]
    const required = new Set(['id', 'title', 'machine_identifier'])
    return {
      entity,
      path: defaults.path,
      set: defaults.path.split('/').at(-1) as string,
      key: defaults.key,
      idField: fields.get(entity === 'machine' ? 'machine_identifier' : 'id') as string,
      fields: new Map([...fields].map(property(required, kinds.fields))),
      lines: new Map(
        [...lines].map(([list, line]) => [
          line.field,
          new Map([...line.fields].map(property(new Set(), kinds.lines?.[list] ?? {}))),
        ]),
      ),
    }
  }
  const types = new Map(ERP_ENTITIES.map((entity) => [entity, typeOf(entity)]))
  const tables = new Map(ERP_ENTITIES.map((entity) => [entity, new Map<string, StoredRecord>()]))
  const creates = new Map<string, number>()
  let last = 10_000_000

  function refusalOf(fields: ReadonlyMap<string, Property>, body: Record<string, unknown>, isNew: boolean): Refusal | null {
    for (const [field, value] of Object.entries(body)) {
      const known = fields.get(field)
      if (!known) return { kind: 'unknown_field', field }
      if (value === null) continue
      if (!accepts(value, known.kind)) return { kind: 'wrong_type', field }
      if (known.kind === 'text' && (value as string).length > known.max) return { kind: 'too_long', field, max: known.max }
    }
    const missing = [...fields].find(([field, { isRequired }]) => isRequired && isNew && (body[field] ?? null) === null)
    return missing ? { kind: 'missing_field', field: missing[0] } : null
  }

  /** @returns null when the body is a valid record, or a valid change of one */
  function check(type: EntityType, body: Record<string, unknown>, isNew: boolean): Refusal | null {
    const own = Object.fromEntries(Object.entries(body).filter(([field]) => !type.lines.has(field)))
    const refusal = refusalOf(type.fields, own, isNew)
    if (refusal) return refusal
    for (const [list, fields] of type.lines)
      for (const line of (body[list] ?? []) as Record<string, unknown>[]) {
        const inner = refusalOf(fields, line, true)
        if (inner) return inner
      }
    return null
  }

  function insert(type: EntityType, body: Record<string, unknown>): StoredRecord {
    const externalId = provider === 'erp_b' ? randomUUID() : String(++last)
    const haltlessId = type.entity === 'machine' ? null : (body[type.idField] as string)
    const record = { externalId, haltlessId, fields: { ...body }, version: 1 }
    tables.get(type.entity)?.set(externalId, record)
    if (haltlessId) creates.set(haltlessId, (creates.get(haltlessId) ?? 0) + 1)
    return record
  }

  return {
    types,
    check,
    insert,
    typeAt: (path: string) => [...types.values()].find((type) => type.path === path),
    table: (entity: ErpEntity) => tables.get(entity) as Map<string, StoredRecord>,
    creates: (haltlessId: string) => creates.get(haltlessId) ?? 0,
    create(type: EntityType, body: Record<string, unknown>): StoredRecord | Refusal {
      const id = body[type.idField]
      const isTaken = isUnique && [...(tables.get(type.entity)?.values() ?? [])].some(({ fields }) => fields[type.idField] === id)
      return check(type, body, true) ?? (isTaken ? { kind: 'duplicate', field: type.idField } : insert(type, body))
    },
    update(type: EntityType, record: StoredRecord, body: Record<string, unknown>): Refusal | null {
      const refusal = check(type, body, false)
      if (refusal) return refusal
      Object.assign(record.fields, body)
      record.version++
      return null
    },
  }
}
export type Store = ReturnType<typeof createStore>
