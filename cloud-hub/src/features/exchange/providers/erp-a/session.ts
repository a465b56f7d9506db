import { fault } from '@haltless/protocol'
import type { ErpEntity, OutboundEntity } from '../../../../db/enums.ts'
import type { ErpRecord } from '../../fields.ts'
import { checkEntities } from '../check-entities.ts'
import {
  assetOf,
  checkFound,
  type EntityAddress,
  endlessSearch,
  entityAddresses,
  idIn,
  MAX_SEARCH_PAGES,
  NO_RECORD,
  portionsByUrl,
  queryText,
} from '../entity-address.ts'
import { basic, type ErpAnswer, type ErpResult, erpHttp, listed, notedBefore } from '../erp-http.ts'
import { type EntityDefaults, type ErpSession, ErpUnavailable, type PushOutcome, type SessionSettings } from '../provider.ts'
import { pushEach } from '../push-each.ts'
import { recordBody } from '../record-body.ts'
import { goneOutcome, outcomeOf, type ResultRules, unavailable, unreadable, withoutIdOutcome } from '../results.ts'
import { entityOf, errorTextV2, externalIdOf, keyInUri, keyPredicate, resultsOf, writeV2 } from './odata-v2.ts'
import { sapSession } from './sap-session.ts'

/**
 * OData v2 of SAP Gateway: Basic credentials, `sap-client`, CSRF token, deep insert of lines, server-driven paging.
 * Source: odata.org, "OData Version 2.0: Operations" (2.4 deep insert, 2.6 MERGE, 3 ETags) and "URI Conventions"; community.sap.com, "Simplify
 * change operations using PATCH"
 */
export function erpASession(defaults: Readonly<Record<ErpEntity, EntityDefaults>>, settings: SessionSettings): ErpSession {
  const { username, password, client } = settings.config
  const credentials = basic(username, password)
  const http = erpHttp(settings, [String(password), credentials])
  const addresses = entityAddresses(http.base, defaults, settings)
  const rules: ResultRules = { http, errorText: errorTextV2, credentials: 'client, username and password' }
  const headers = { ...HEADERS, 'sap-client': String(client) }
  const sap = sapSession(http, { ...headers, authorization: `Basic ${credentials}` }, settings.cacheKey)

  async function readList(url: string, { path }: EntityAddress, signal: AbortSignal) {
    const result = await sap.read(url, signal)
    const error = unreadable(rules, result, path)
    if (error) throw error
    const list = resultsOf(result as ErpAnswer)
    if (list) return { ...list, answer: result }
    throw new ErpUnavailable('maintenance', fault('erp_no_odata_v2', { path }), result)
  }
  /** @throws ErpUnavailable for a link to another origin: the credentials must not be sent there */
  function nextOf(next: string | null, url: string, result: ErpResult): string | null {
    if (next === null) return null
    const link = http.onOrigin(next, url)
    if (link === null) throw new ErpUnavailable('maintenance', fault('erp_page_elsewhere'), result)
    if (link === url) throw new ErpUnavailable('maintenance', fault('erp_skiptoken_ignored'), result)
    return link
  }

  function prepare(record: ErpRecord, externalId: string | null) {
    const { url, names } = addresses[record.entity]
    const body = recordBody(record, defaults[record.entity], settings.fieldMapping, writeV2)
    // Only a create has lines: OData v2 has no deep update.
    if (externalId !== null) for (const { field } of names.lines.values()) delete body[field]
    return {
      method: externalId === null ? 'POST' : 'PATCH',
      url: externalId === null ? url : `${url}(${keyPredicate(externalId)})`,
      headers,
      body,
    }
  }

  async function createOne(record: ErpRecord, signal: AbortSignal): Promise<PushOutcome> {
    const { key, serviceUrl } = addresses[record.entity]
    const { method, url, body } = prepare(record, null)
    // Not repeatable: a request that is sent again on another connection could create a second record.
    const result = await sap.change({ method, url, body: JSON.stringify(body), isRepeatable: false }, serviceUrl, signal)
    const error = unavailable(rules, result)
    if (error) throw error
    const { request, response } = result
    if (isDuplicate(result)) return { kind: 'exists', request, response }
    if (!result.ok || result.status >= 300) return outcomeOf(rules, result)
    const location = result.headers.location ? http.onOrigin(result.headers.location, url) : null
    const externalId = externalIdOf(entityOf(result), key) ?? (location === null ? null : keyInUri(location))
    return externalId === null ? withoutIdOutcome(result) : { kind: 'sent', externalId, request, response }
  }
  /** @returns whether the ERP says that a record with this id exists; a service may use 400 for it, as for all business errors */
  const isDuplicate = (result: ErpResult): boolean =>
    result.ok && (result.status === 409 || (result.status === 400 && /already exist|duplicate/i.test(errorTextV2(result) ?? '')))

  async function updateOne(record: ErpRecord, externalId: string, signal: AbortSignal): Promise<PushOutcome> {
    const { serviceUrl } = addresses[record.entity]
    const { method, url, body } = prepare(record, externalId)
    const attempt = async (): Promise<ErpResult> => {
      const current = await sap.read(url, signal)
      if (!current.ok || current.status !== 200) return current
      const metadata = entityOf(current).__metadata as { etag?: unknown } | undefined
      const etag = current.headers.etag ?? metadata?.etag
      const match: Record<string, string> = typeof etag === 'string' ? { 'if-match': etag } : {}
      return sap.change({ method, url, headers: match, body: JSON.stringify(body), isRepeatable: true }, serviceUrl, signal)
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
    const address = addresses[entity]
    const { url, idField, key } = address
    const urlOf = (some: readonly string[]) =>
      `${url}?$format=json&$filter=${queryText(some.map((id) => `${idField} eq '${id}'`).join(' or '))}`
    const found = new Map<string, string>()
    for (const portion of portionsByUrl(ids, urlOf)) {
      for (let at: string | null = urlOf(portion), page = 1; at !== null; page++) {
        if (page > MAX_SEARCH_PAGES) throw endlessSearch(address)
        const { results, next, answer } = await readList(at, address, signal)
        for (const item of results) {
          const [ours, theirs] = checkFound(address, portion, item[idField], externalIdOf(item, key))
          if (!found.has(ours)) found.set(ours, theirs)
        }
        at = nextOf(next, at, answer)
      }
    }
    return found
  }

  async function assets(page: string | null, signal: AbortSignal) {
    const address = addresses.machine
    const first = `${address.url}?$format=json`
    // A stored link is checked again: base_url may have changed since.
    const url = page === null ? first : http.onOrigin(page, first)
    if (url === null) throw new ErpUnavailable('maintenance', fault('erp_stored_page_elsewhere'))
    const { results, next, answer } = await readList(url, address, signal)
    const found = results.map((item) => assetOf(address, idIn(address.path, address.key, externalIdOf(item, address.key)), item))
    return { assets: found, nextPage: nextOf(next, url, answer) }
  }

  const probe = async (entity: ErpEntity, signal: AbortSignal): Promise<void> => {
    if (entity === 'machine') await readList(`${addresses.machine.url}?$format=json&$top=1`, addresses.machine, signal)
    else await find(entity, [NO_RECORD], signal)
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

/** English error texts. OData versions: odata.org, "OData Version 2.0: Operations", 2.1 */
const HEADERS = {
  'content-type': 'application/json',
  'accept-language': 'en',
  dataserviceversion: '2.0',
  maxdataserviceversion: '2.0',
}
