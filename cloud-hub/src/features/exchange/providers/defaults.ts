import { ERP_ENTITIES, type ErpEntity } from '../../../db/enums.ts'
import { ENTITY_FIELDS, type EntityFields } from '../fields.ts'
import type { EntityDefaults } from './provider.ts'

/**
 * The names that a provider has unless `config.paths` and `field_mapping` say otherwise: those of Haltless in the spelling of the ERP.
 * @param spell from `machine_identifier` to the name of a field
 */
export function defaultsOf(
  spell: (name: string) => string,
  paths: Readonly<Record<ErpEntity, string>>,
  keys: Readonly<Record<ErpEntity, string>>,
): Record<ErpEntity, EntityDefaults> {
  const named = (fields: object) =>
    Object.fromEntries(Object.keys(fields).map((name) => [name, spell(name === 'id' ? 'haltless_id' : name)]))
  const one = (entity: ErpEntity): EntityDefaults => {
    const { fields, lines = {} }: EntityFields = ENTITY_FIELDS[entity]
    const lists = Object.entries(lines).map(([list, inner]) => [list, { field: spell(list), fields: named(inner) }] as const)
    return { path: paths[entity], key: keys[entity], fields: named(fields), lines: Object.fromEntries(lists) }
  }
  return Object.fromEntries(ERP_ENTITIES.map((entity) => [entity, one(entity)])) as Record<ErpEntity, EntityDefaults>
}

export const pascalCase = (name: string): string => name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
export const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
