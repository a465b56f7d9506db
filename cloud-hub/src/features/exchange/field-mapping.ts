import { ERP_ENTITIES, type ErpEntity } from '../../db/enums.ts'
import type { FieldError } from '../../support/errors.ts'
import { fieldError } from '../../support/errors.ts'
import { ENTITY_FIELDS, type EntityFields } from './fields.ts'
import type { EntityDefaults, Provider } from './providers/provider.ts'

const ERP_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/
const MAX_NAME = 128

/** Names in the ERP of a record's fields, of its lists, and of the fields of their lines. Fields that are left out are absent. */
export interface EntityNames {
  fields: ReadonlyMap<string, string>
  lines: ReadonlyMap<string, { field: string; fields: ReadonlyMap<string, string> }>
}

type Mapping = Readonly<Record<string, string>>

/** The first of several keys that a mapping has. */
const given = (mapping: Mapping, ...keys: string[]): string | undefined =>
  keys.filter((key) => Object.hasOwn(mapping, key)).map((key) => mapping[key])[0]

/** The provider's names for an entity, with the mapping of a connection applied: `work_order.title` counts before `title`. */
export function namesOf(entity: ErpEntity, defaults: EntityDefaults, mapping: Mapping): EntityNames {
  const named = (entries: [string, string | undefined][]) =>
    new Map(entries.filter((entry): entry is [string, string] => Boolean(entry[1])))
  return {
    fields: named(Object.entries(defaults.fields).map(([key, name]) => [key, given(mapping, `${entity}.${key}`, key) ?? name])),
    lines: new Map(
      Object.entries(defaults.lines ?? {}).flatMap(([list, { field, fields }]) => {
        const name = given(mapping, `${entity}.${list}`, list) ?? field
        const inner = Object.entries(fields).map(([key, one]): [string, string] => [
          key,
          given(mapping, `${entity}.${list}.${key}`) ?? one,
        ])
        return name === '' ? [] : [[list, { field: name, fields: named(inner) }] as const]
      }),
    ),
  }
}

/** The keys that a mapping may have for an entity, without the entity's name. */
function keysOf(entity: ErpEntity): string[] {
  const { fields, lines = {} }: EntityFields = ENTITY_FIELDS[entity]
  const inner = Object.entries(lines).flatMap(([list, line]) => [list, ...Object.keys(line).map((key) => `${list}.${key}`)])
  return [...Object.keys(fields), ...inner]
}
const KEYS = new Map(ERP_ENTITIES.map((entity) => [entity, new Set(keysOf(entity))]))

/** The entities that a key names a field of: all for `title`, one for `work_order.title`. */
function entitiesOf(key: string): ErpEntity[] {
  const [entity, ...rest] = key.split('.')
  if (KEYS.get(entity as ErpEntity)?.has(rest.join('.'))) return [entity as ErpEntity]
  return key.includes('.') ? [] : ERP_ENTITIES.filter((one) => KEYS.get(one)?.has(key))
}

function unknownKey(key: string): FieldError {
  const [entity] = key.split('.')
  const qualified = KEYS.get(entity as ErpEntity)
  const known = qualified
    ? [...qualified].map((name) => `${entity}.${name}`)
    : [...new Set(ERP_ENTITIES.flatMap((one) => [...(KEYS.get(one) ?? [])].filter((name) => !name.includes('.'))))]
  const values = `${known.join(', ')}${qualified ? '' : ', and these with an entity, such as work_order.title'}`
  return fieldError(key, 'unknown_field', { values })
}

/** By these fields records are found again, so they cannot be left out. */
const NEEDED = new Set([
  'id',
  ...ERP_ENTITIES.filter((entity) => entity !== 'machine').map((entity) => `${entity}.id`),
  'machine_identifier',
  'machine.machine_identifier',
])

/** @returns a fault for each entry that is not valid; `path` is its key */
export function checkFieldMapping({ defaults }: Pick<Provider, 'defaults'>, mapping: Mapping): FieldError[] {
  const faults = Object.entries(mapping).flatMap(([path, name]): FieldError[] => {
    if (entitiesOf(path).length === 0) return [unknownKey(path)]
    if (name === '') return NEEDED.has(path) ? [fieldError(path, 'needed_field')] : []
    if (name.length > MAX_NAME) return [fieldError(path, 'max_characters', { limit: MAX_NAME })]
    return ERP_NAME.test(name) ? [] : [fieldError(path, 'invalid_field_name')]
  })
  return faults.length > 0 ? faults : ERP_ENTITIES.flatMap((entity) => duplicates(entity, defaults[entity], mapping))
}

function duplicates(entity: ErpEntity, defaults: EntityDefaults, mapping: Mapping): FieldError[] {
  const { fields, lines } = namesOf(entity, defaults, mapping)
  const top = [...fields, ...[...lines].map(([list, { field }]): [string, string] => [list, field])]
  const inner = [...lines].map(([list, line]) =>
    [...line.fields].map(([key, name]): [string, string] => [`${list}.${key}`, name]),
  )
  return [top, ...inner].flatMap((entries) => {
    const seen = new Map<string, string>()
    return entries.flatMap(([key, name]): FieldError[] => {
      const other = seen.get(name)
      seen.set(name, key)
      if (other === undefined) return []
      const path = [`${entity}.${key}`, key, `${entity}.${other}`, other].find((one) => Object.hasOwn(mapping, one)) ?? key
      return [fieldError(path, 'duplicate_field', { name, other: `${entity}.${path.endsWith(key) ? other : key}` })]
    })
  })
}
