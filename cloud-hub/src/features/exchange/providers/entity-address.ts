import { fault } from '@haltless/protocol'
import { ERP_ENTITIES, type ErpEntity } from '../../../db/enums.ts'
import { type EntityNames, namesOf } from '../field-mapping.ts'
import { type Asset, type EntityDefaults, ErpUnavailable, type SessionSettings } from './provider.ts'

/** Where an entity is in the ERP of a connection, and how its fields are called there. */
export interface EntityAddress {
  /** relative to `base_url` */
  path: string
  url: string
  /** of the service that contains the entity, without a slash at its end */
  serviceUrl: string
  names: EntityNames
  /** the field with our id; of machines, with their identifier */
  idField: string
  /** the field with the ERP's id */
  key: string
}

export function entityAddresses(
  base: string,
  defaults: Readonly<Record<ErpEntity, EntityDefaults>>,
  { config, fieldMapping }: SessionSettings,
): Record<ErpEntity, EntityAddress> {
  const paths = (config.paths ?? {}) as Partial<Record<ErpEntity, string>>
  const one = (entity: ErpEntity): EntityAddress => {
    const path = (paths[entity] ?? defaults[entity].path).replace(/^\/+|\/+$/g, '')
    const names = namesOf(entity, defaults[entity], fieldMapping)
    const idField = names.fields.get(entity === 'machine' ? 'machine_identifier' : 'id') as string
    const url = `${base}/${path}`
    return { path, url, serviceUrl: url.slice(0, url.lastIndexOf('/')), names, idField, key: defaults[entity].key }
  }
  return Object.fromEntries(ERP_ENTITIES.map((entity) => [entity, one(entity)])) as Record<ErpEntity, EntityAddress>
}

/** The fields of an asset, by the mapping read backwards. Fields that are left out are null. */
export function assetOf({ names }: EntityAddress, externalId: string, fields: Readonly<Record<string, unknown>>): Asset {
  const read = (field: string) => fields[names.fields.get(field) ?? ''] ?? null
  return { externalId, machineIdentifier: read('machine_identifier'), name: read('name'), location: read('location') }
}

/**
 * @param ours the id that a search returned for a record
 * @throws ErpUnavailable when it is no id that was searched for, or the record has no id of the ERP: the record would be created again
 */
export function checkFound(
  { path, idField, key }: EntityAddress,
  ids: readonly string[],
  ours: unknown,
  theirs: string | null,
): [string, string] {
  if (typeof ours !== 'string' || !ids.includes(ours))
    throw new ErpUnavailable('maintenance', fault('erp_filter_ignored', { field: idField, path }))
  return [ours, idIn(path, key, theirs)]
}

/** @throws ErpUnavailable for a record without an id */
export function idIn(path: string, key: string, id: string | null): string {
  if (id !== null) return id
  throw new ErpUnavailable('maintenance', fault('erp_id_missing', { path, field: key }))
}

/** A part of a query. URLs in Node escape the apostrophe too, so that the length would change. */
export const queryText = (text: string): string => encodeURIComponent(text).replaceAll("'", '%27')

/** The guarded client accepts URLs of 2,048 characters. */
const MAX_URL = 2_000

/** Splits ids so that the URL of each portion is short enough. */
export function portionsByUrl(ids: readonly string[], urlOf: (ids: readonly string[]) => string): string[][] {
  const portions: string[][] = []
  for (const id of ids) {
    const last = portions.at(-1)
    if (last && urlOf([...last, id]).length <= MAX_URL) last.push(id)
    else portions.push([id])
  }
  return portions
}

/** A search is for at most 50 ids, so an ERP that answers it with more pages does not end. */
export const MAX_SEARCH_PAGES = 20
export const endlessSearch = ({ path, idField }: EntityAddress): ErpUnavailable =>
  new ErpUnavailable('maintenance', fault('erp_search_endless', { field: idField, path, limit: MAX_SEARCH_PAGES }))

/** An id that no record has: a search for it succeeds when the path and the field exist and may be read. */
export const NO_RECORD = '00000000-0000-0000-0000-000000000000'
