import { fault } from '@haltless/protocol'
import type { ErpEntity, OutboundEntity } from '../../../../db/enums.ts'
import type { ErpRecord } from '../../fields.ts'
import { checkEntities } from '../check-entities.ts'
import { assetOf, checkFound, entityAddresses, idIn, NO_RECORD, portionsByUrl, queryText } from '../entity-address.ts'
import {
  basic,
  type ErpAnswer,
  type ErpRequest,
  type ErpResult,
  erpHttp,
  idOf,
  isObject,
  listed,
  notedBefore,
  objectsIn,
} from '../erp-http.ts'
import { type EntityDefaults, type ErpSession, ErpUnavailable, type PushOutcome, type SessionSettings } from '../provider.ts'
import { pushEach } from '../push-each.ts'
import { recordBody, writeIso } from '../record-body.ts'
import { goneOutcome, outcomeOf, type ResultRules, unavailable, unreadable, withoutIdOutcome } from '../results.ts'
import { nextPageOf, offsetOf, pageUrl } from './pages.ts'

/**
 * REST with JSON, Basic credentials, offset paging and ETags.
 * Source: docs.oracle.com, "REST API for Oracle Fusion Cloud": "Use REST Resource Methods" (POST creates, PATCH updates),
 * "Manage Collections" (`q`, `limit`, `offset`, `orderBy`, `items`, `hasMore`); RFC 9110, 13.1.1 (If-Match, 412) and 10.2.2 (Location)
 */
export function erpCSession(defaults: Readonly<Record<ErpEntity, EntityDefaults>>, settings: SessionSettings): ErpSession {
  const { username, password } = settings.config
  const credentials = basic(username, password)
  const http = erpHttp(settings, [String(password), credentials])
  const addresses = entityAddresses(http.base, defaults, settings)
  const rules: ResultRules = { http, errorText, credentials: 'username and password' }

  const call = (request: Omit<ErpRequest, 'headers'> & { headers?: Record<string, string> }, signal: AbortSignal) =>
    http.call({ ...request, headers: { ...HEADERS, ...request.headers, authorization: `Basic ${credentials}` } }, signal)
  const read = async (url: string, path: string, signal: AbortSignal): Promise<ErpAnswer> => {
    const result = await call({ method: 'GET', url, isRepeatable: true }, signal)
    const error = unreadable(rules, result, path)
    if (error) throw error
    return result as ErpAnswer
  }

  function prepare(record: ErpRecord, externalId: string | null) {
    const { url } = addresses[record.entity]
    return {
      method: externalId === null ? 'POST' : 'PATCH',
      url: externalId === null ? url : `${url}/${encodeURIComponent(externalId)}`,
      headers: HEADERS,
      body: recordBody(record, defaults[record.entity], settings.fieldMapping, writeIso),
    }
  }

  /** @returns the id in the key field, or else at the end of Location */
  function createdId(result: ErpAnswer, url: string, key: string): string | null {
    const id = isObject(result.json) ? externalIdIn(result.json, key) : null
    const location = result.headers.location ? http.onOrigin(result.headers.location, url) : null
    return id ?? (location === null ? null : lastSegment(location))
  }

  async function createOne(record: ErpRecord, signal: AbortSignal): Promise<PushOutcome> {
    const { method, url, body } = prepare(record, null)
    // Not repeatable: a request that is sent again on another connection could create a second record.
    const result = await call({ method, url, body: JSON.stringify(body), isRepeatable: false }, signal)
    const error = unavailable(rules, result)
    if (error) throw error
    if (result.ok && result.status === 409) return { kind: 'exists', request: result.request, response: result.response }
    if (!result.ok || result.status >= 300) return outcomeOf(rules, result)
    const externalId = createdId(result, url, addresses[record.entity].key)
    const { request, response } = result
    return externalId === null ? withoutIdOutcome(result) : { kind: 'sent', externalId, request, response }
  }

  async function updateOne(record: ErpRecord, externalId: string, signal: AbortSignal): Promise<PushOutcome> {
    const { method, url, body } = prepare(record, externalId)
    const attempt = async (): Promise<ErpResult> => {
      const current = await call({ method: 'GET', url, isRepeatable: true }, signal)
      if (!current.ok || current.status !== 200) return current
      const { etag } = current.headers
      const headers: Record<string, string> = etag ? { 'if-match': etag } : {}
      return call({ method, url, headers, body: JSON.stringify(body), isRepeatable: true }, signal)
    }
    let result = await attempt()
    if (result.ok && (result.status === 412 || result.status === 428))
      result = notedBefore(listed(result.met, String(result.status)), await attempt())
    const error = unavailable(rules, result)
    if (error) throw error
    if (result.ok && (result.status === 404 || result.status === 410)) return goneOutcome(result, externalId)
    const { request, response } = result
    return result.ok && result.status < 300 ? { kind: 'sent', externalId, request, response } : outcomeOf(rules, result)
  }

  async function find(entity: OutboundEntity, ids: readonly string[], signal: AbortSignal): Promise<Map<string, string>> {
    const { url, path, idField, key } = addresses[entity]
    const urlOf = (some: readonly string[]) =>
      `${url}?q=${queryText(some.map((id) => `${idField}='${id}'`).join(' or '))}&limit=100`
    const found = new Map<string, string>()
    for (const portion of portionsByUrl(ids, urlOf)) {
      const answer = await read(urlOf(portion), path, signal)
      for (const item of itemsOf(answer)) {
        const [ours, theirs] = checkFound(addresses[entity], portion, item[idField], externalIdIn(item, key))
        if (!found.has(ours)) found.set(ours, theirs)
      }
    }
    return found
  }

  async function assets(page: string | null, signal: AbortSignal) {
    const address = addresses.machine
    const answer = await read(pageUrl(address, page), address.path, signal)
    const items = itemsOf(answer).map((item) =>
      assetOf(address, idIn(address.path, address.key, externalIdIn(item, address.key)), item),
    )
    return { assets: items, nextPage: nextPageOf(answer, page, items.length, items[0]?.externalId ?? '') }
  }

  const probe = async (entity: ErpEntity, signal: AbortSignal): Promise<void> => {
    if (entity !== 'machine') await find(entity, [NO_RECORD], signal)
    else itemsOf(await read(`${addresses.machine.url}?limit=1&offset=${offsetOf(null)}`, addresses.machine.path, signal))
  }

  return {
    batchSize: 20,
    prepare,
    find,
    assets,
    check: (signal) => checkEntities(new URL(http.base).origin, (entity) => probe(entity, signal)),
    create: (records, signal) => pushEach(records, signal, (record) => createOne(record, signal)),
    update: (records, signal) => pushEach(records, signal, (one) => updateOne(one.record, one.externalId, signal)),
  }
}

/** Version 2 of Oracle's framework reads `q` as an expression. Source: docs.oracle.com, "Framework Support for Query Syntax" */
const HEADERS = { 'content-type': 'application/json', 'accept-language': 'en', 'rest-framework-version': '2' }

/** `items`, or a bare array. */
function itemsOf(answer: ErpAnswer) {
  const list = isObject(answer.json) ? answer.json.items : answer.json
  if (Array.isArray(list)) return objectsIn(list)
  throw new ErpUnavailable('maintenance', fault('erp_no_items'), answer)
}

const MESSAGE_KEYS = ['detail', 'message', 'title', 'error_description', 'error', 'o:errorDetails']

/** RFC 9457 `detail` and `title`, `message`, or the text itself. */
function errorText({ json, body, headers }: ErpAnswer): string | null {
  if (isObject(json)) {
    const texts = MESSAGE_KEYS.flatMap((key) => {
      const value = json[key]
      if (isObject(value)) return typeof value.message === 'string' ? [value.message] : []
      if (Array.isArray(value)) return objectsIn(value).flatMap(({ detail }) => (typeof detail === 'string' ? [detail] : []))
      return typeof value === 'string' ? [value] : []
    })
    return texts[0] ?? null
  }
  return headers['content-type']?.startsWith('text/plain') && body.trim() !== '' ? body : null
}

/** The key field, or the end of the address in `links`, which Oracle adds to each item. */
function externalIdIn(item: Readonly<Record<string, unknown>>, key: string): string | null {
  const self = objectsIn(item.links).find(({ rel }) => rel === 'self')?.href
  return idOf(item[key]) ?? (typeof self === 'string' && URL.canParse(self) ? lastSegment(self) : null)
}

function lastSegment(url: string): string | null {
  const last = new URL(url).pathname.split('/').filter(Boolean).at(-1)
  try {
    return last ? decodeURIComponent(last) : null
  } catch {
    return last ?? null
  }
}
